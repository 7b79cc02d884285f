//! Batch normalization.

use super::Made;
use crate::hlo::inst::{InstText, bad};
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{BatchNorm, BatchNormKind};

fn read<'t>(text: &mut InstText<'_, 't>, kind: BatchNormKind) -> Read<Made<'t>> {
    let piece = text.need("epsilon")?;
    let epsilon: f32 = piece.str.parse().map_err(|_| bad(piece, "a number"))?;
    let feature_dim = text.need_index("feature_index")?;
    Ok(Made::of(Op::BatchNorm(BatchNorm { kind, epsilon: epsilon.to_bits(), feature_dim })))
}

pub(super) fn read_training<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    read(text, BatchNormKind::Training)
}

pub(super) fn read_inference<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    read(text, BatchNormKind::Inference)
}

pub(super) fn read_grad<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    read(text, BatchNormKind::Grad)
}

pub(super) fn print(op: &BatchNorm, line: &mut Line<'_, '_, '_>) {
    let opcode = match op.kind {
        BatchNormKind::Training => "batch-norm-training",
        BatchNormKind::Inference => "batch-norm-inference",
        BatchNormKind::Grad => "batch-norm-grad",
    };
    line.op(opcode).attr("epsilon", f32::from_bits(op.epsilon)).attr("feature_index", op.feature_dim);
}
