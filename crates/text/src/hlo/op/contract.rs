//! Contractions.

use super::Made;
use super::algorithm;
use super::elementwise::word_of;
use crate::hlo::inst::{InstText, PRECISIONS};
use crate::hlo::lex::Read;
use crate::hlo::line::{Line, braces};
use meshwright_ir::Op;
use meshwright_ir::op::{Dot, Precision};

pub(super) fn read<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let batch = pairs(text, "lhs_batch_dims", "rhs_batch_dims")?;
    let contract = pairs(text, "lhs_contracting_dims", "rhs_contracting_dims")?;
    Ok(Made::of(Op::Dot(Dot {
        batch,
        contract,
        result: text.result_dtype()?,
        precision: text.precision()?,
        algorithm: algorithm::read(text)?,
    })))
}

fn pairs(text: &mut InstText<'_, '_>, lhs: &str, rhs: &str) -> Read<Vec<(usize, usize)>> {
    let (left, right) = (text.dims(lhs)?, text.dims(rhs)?);
    if left.len() != right.len() {
        let counts = (left.len(), right.len());
        return Err(text.fault(format!("`{lhs}` has {} dims, but `{rhs}` has {}", counts.0, counts.1)));
    }
    Ok(left.into_iter().zip(right).collect())
}

pub(super) fn print(op: &Dot, line: &mut Line<'_, '_, '_>) {
    let split = |pairs: &[(usize, usize)]| -> (Vec<usize>, Vec<usize>) { pairs.iter().copied().unzip() };
    let (lhs_batch, rhs_batch) = split(&op.batch);
    let (lhs, rhs) = split(&op.contract);
    line.op("dot").list_if_any("lhs_batch_dims", &lhs_batch).list("lhs_contracting_dims", &lhs);
    line.list_if_any("rhs_batch_dims", &rhs_batch).list("rhs_contracting_dims", &rhs);
    print_precision(&op.precision, line);
    if let Some(name) = op.algorithm.as_deref().and_then(algorithm::name) {
        line.attr("algorithm", name);
    }
}

/// `operand_precision={..}`, unless it is all default.
pub(super) fn print_precision(precision: &[Precision], line: &mut Line<'_, '_, '_>) {
    if precision.iter().any(|precision| *precision != Precision::Default) {
        let words: Vec<_> = precision.iter().map(|precision| word_of(precision, &PRECISIONS)).collect();
        line.attr("operand_precision", braces(&words));
    }
}
