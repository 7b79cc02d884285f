//! Constants, iota, ids.

use super::{bare, int};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{Constant, Iota};
use meshwright_ir::{Literal, Op};

pub fn constant<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let prop = p.need(draft, "value")?;
    match prop.tree {
        Tree::Dense(literal) => bare(p, draft, 0, Op::Constant(Constant(literal))),
        _ => Err(p.bad_prop(&prop, "a literal as dense<..> : tensor<..>")),
    }
}

pub fn constant_props(constant: &Constant) -> Vec<Prop<'static>> {
    vec![Prop::made("value", Tree::Dense(constant.0.clone()))]
}

pub fn iota<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let dim = p.dim(draft, "iota_dimension")?;
    let ty = p.result(draft, 0)?;
    bare(p, draft, 0, Op::Iota(Iota { dim, ty }))
}

pub fn iota_props(iota: &Iota) -> Vec<Prop<'static>> {
    vec![int("iota_dimension", iota.dim as i64)]
}

pub fn partition_id<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    bare(p, draft, 0, Op::PartitionId)
}

pub fn replica_id<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    bare(p, draft, 0, Op::ReplicaId)
}

/// With static shapes the size of a dim is a constant.
pub fn dimension_size<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let at = draft.at;
    let dim = p.dim(draft, "dimension")?;
    let ty = p.result(draft, 0)?;
    let sizes = p.operand_dims(draft, 0);
    let Some(size) = sizes.get(dim) else {
        let message = format!("dim {dim} is asked of a value with {} dims", sizes.len());
        return Err(p.fail(crate::codes::BAD_ATTRIBUTE, at, message));
    };
    draft.operands.clear();
    draft.uses.clear();
    Ok(Op::Constant(Constant(Literal::splat_int(ty, *size))))
}
