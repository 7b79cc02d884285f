//! Contractions.

use super::Made;
use super::algorithm;
use super::elementwise::word_of;
use crate::codes;
use crate::expand::{self, Ragged};
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::inst::{InstText, PRECISIONS};
use crate::hlo::lex::{Read, fault};
use crate::hlo::line::{Line, braces};
use crate::hlo::outline::RawInst;
use meshwright_ir::op::{Dot, Precision};
use meshwright_ir::{Op, ValueId};

pub(super) fn read<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let batch = pairs(text, "lhs_batch_dims", "rhs_batch_dims")?;
    let contract = pairs(text, "lhs_contracting_dims", "rhs_contracting_dims")?;
    Ok(Made::of(Op::Dot(Dot {
        batch,
        contract,
        result: text.sum_dtype()?,
        precision: text.precision()?,
        algorithm: algorithm::read(text)?,
    })))
}

/// `ragged-dot`: a contraction with groups of rows, written out.
pub(super) fn ragged<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let typed = |value: &ValueId| Some((*value, body.func.ty(*value).as_tensor()?.clone()));
    let typed: Option<Vec<_>> = values.iter().map(typed).collect();
    let Some([lhs, rhs, sizes]) = typed.as_deref() else {
        return Err(raw.args.fault("`ragged-dot` takes two tensors and the sizes of the groups").into());
    };
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &values);
    text.shape = raw.shape.as_ref();
    let ragged = read_ragged(&mut text)?;
    let mut push = builder.pushing(body, scope, raw);
    let expanded =
        expand::ragged_dot(ragged, [(lhs.0, &lhs.1), (rhs.0, &rhs.1), (sizes.0, &sizes.1)], &mut push);
    drop(push);
    let last = expanded.map_err(|message| fault(codes::BAD_ATTRIBUTE, raw.opcode.span(), message))?;
    builder.last_step(body, scope, raw, last, &RAGGED_FIELDS)
}

const RAGGED_FIELDS: [&str; 7] = [
    "lhs_batch_dims",
    "rhs_batch_dims",
    "lhs_contracting_dims",
    "rhs_contracting_dims",
    "lhs_ragged_dims",
    "rhs_group_dims",
    "operand_precision",
];

fn read_ragged(text: &mut InstText<'_, '_>) -> Read<Ragged> {
    let batch = pairs(text, "lhs_batch_dims", "rhs_batch_dims")?;
    let contract = pairs(text, "lhs_contracting_dims", "rhs_contracting_dims")?;
    let (ragged, group) = (text.dims("lhs_ragged_dims")?, text.dims("rhs_group_dims")?);
    let ([dim], [] | [_]) = (&ragged[..], &group[..]) else {
        let message = format!("{} ragged and {} group dims are not supported", ragged.len(), group.len());
        return Err(text.fault(message));
    };
    let (result, precision) = (text.sum_dtype()?, text.precision()?);
    let dot = Dot { batch, contract, result, precision, algorithm: None };
    Ok(Ragged { dot, dim: *dim, group: group.first().copied() })
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
