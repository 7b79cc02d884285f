//! The three batch normalizations.

use super::int;
use crate::float;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{BatchNorm, BatchNormKind};
use meshwright_ir::{DType, Op};

pub fn training<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    build(p, draft, BatchNormKind::Training, 3)
}

pub fn inference<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    build(p, draft, BatchNormKind::Inference, 5)
}

pub fn grad<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    build(p, draft, BatchNormKind::Grad, 5)
}

fn build<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, kind: BatchNormKind, operands: usize) -> Parsed<Op> {
    p.operand_count(draft, operands)?;
    let prop = p.need(draft, "epsilon")?;
    let Tree::Float(bytes, dtype) = &prop.tree else {
        return Err(p.bad_prop(&prop, "a float"));
    };
    let epsilon = (float::decode(*dtype, bytes) as f32).to_bits();
    let feature_dim = p.dim(draft, "feature_index")?;
    Ok(Op::BatchNorm(BatchNorm { kind, epsilon, feature_dim }))
}

pub fn name(norm: &BatchNorm) -> &'static str {
    match norm.kind {
        BatchNormKind::Training => "stablehlo.batch_norm_training",
        BatchNormKind::Inference => "stablehlo.batch_norm_inference",
        BatchNormKind::Grad => "stablehlo.batch_norm_grad",
    }
}

pub fn props(norm: &BatchNorm) -> Vec<Prop<'static>> {
    let epsilon = Tree::Float(norm.epsilon.to_le_bytes().to_vec(), DType::F32);
    vec![Prop::made("epsilon", epsilon), int("feature_index", norm.feature_dim as i64)]
}
