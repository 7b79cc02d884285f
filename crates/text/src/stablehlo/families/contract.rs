//! dot_general and the old dot.

use super::{field_lists, word_of};
use crate::codes;
use crate::expand::{self, Ragged};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{Dot, Precision};
use meshwright_ir::{Op, Type, ValueId};

const PRECISIONS: [(&str, Precision); 3] =
    [("DEFAULT", Precision::Default), ("HIGH", Precision::High), ("HIGHEST", Precision::Highest)];

/// The dims come as fields of `#stablehlo.dot<..>` or, from the pretty form, as props of their own.
pub fn dot_general<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 2)?;
    if draft.has("dot_dimension_numbers") {
        let fields = p.struct_fields(draft, "dot_dimension_numbers", "stablehlo.dot")?;
        draft.props.extend(fields.props);
    }
    let batch = dim_pairs(p, draft, "lhs_batching_dimensions", "rhs_batching_dimensions")?;
    let contract = dim_pairs(p, draft, "lhs_contracting_dimensions", "rhs_contracting_dimensions")?;
    finish(p, draft, batch, contract).map(Op::Dot)
}

/// Last dim of `lhs` with the first of `rhs`.
pub fn dot<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 2)?;
    let last = p.operand_dims(draft, 0).len().saturating_sub(1);
    finish(p, draft, Vec::new(), vec![(last, 0)]).map(Op::Dot)
}

fn finish<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    batch: Vec<(usize, usize)>,
    contract: Vec<(usize, usize)>,
) -> Parsed<Dot> {
    let result = p.result(draft, 0)?.dtype;
    let precision = precision(p, draft)?;
    let algorithm = match draft.take("algorithm") {
        Some(prop) => Some(algorithm(p, &prop)?),
        None => None,
    };
    Ok(Dot { batch, contract, result, precision, algorithm })
}

/// `ragged_dot` with groups of rows, written out.
pub fn ragged_dot<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let operands: [ValueId; 3] = p.operands_of(draft)?;
    let mut fields = p.struct_fields(draft, "ragged_dot_dimension_numbers", "chlo.ragged_dot")?;
    let batch = dim_pairs(p, &mut fields, "lhs_batching_dimensions", "rhs_batching_dimensions")?;
    let contract = dim_pairs(p, &mut fields, "lhs_contracting_dimensions", "rhs_contracting_dimensions")?;
    let ragged = p.opt_dims(&mut fields, "lhs_ragged_dimensions")?;
    let group = p.opt_dims(&mut fields, "rhs_group_dimensions")?;
    p.no_more_fields(&fields)?;
    let ([dim], [] | [_]) = (&ragged[..], &group[..]) else {
        let message = format!("{} ragged and {} group dims are not supported", ragged.len(), group.len());
        return Err(p.fail_help(codes::UNSUPPORTED, draft.at, message, "name one ragged dim of lhs"));
    };
    let dot = finish(p, draft, batch, contract)?;
    let ragged = Ragged { dot, dim: *dim, group: group.first().copied() };
    let types = operands.map(|operand| p.func.ty(operand).clone());
    let [Type::Tensor(lhs), Type::Tensor(rhs), Type::Tensor(sizes)] = &types else {
        return Err(p.fail(codes::WRONG_TYPE, draft.at, "a contraction takes tensors"));
    };
    let operands = [(operands[0], lhs), (operands[1], rhs), (operands[2], sizes)];
    let expanded = expand::ragged_dot(ragged, operands, &mut super::elementwise::pushing(p, draft));
    let (op, operands) = expanded.map_err(|message| p.fail(codes::BAD_ATTRIBUTE, draft.at, message))?;
    draft.operands = operands;
    Ok(op)
}

fn dim_pairs<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    lhs: &'static str,
    rhs: &'static str,
) -> Parsed<Vec<(usize, usize)>> {
    let (left, right) = (p.opt_dims(draft, lhs)?, p.opt_dims(draft, rhs)?);
    if left.len() == right.len() {
        return Ok(left.into_iter().zip(right).collect());
    }
    let message = format!("{lhs} names {} dims, {rhs} names {}", left.len(), right.len());
    Err(p.fail(codes::BAD_ATTRIBUTE, draft.at, message))
}

/// `precision_config = [#stablehlo<precision DEFAULT>, ..]`.
pub fn precision<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Vec<Precision>> {
    let Some(prop) = draft.take("precision_config") else { return Ok(Vec::new()) };
    let Tree::Array(items) = prop.tree else {
        return Err(p.bad_prop(&prop, "a list of precisions"));
    };
    let mut cases = items.into_iter().map(|tree| Prop { name: prop.name.clone(), tree, at: prop.at });
    cases.try_fold(Vec::new(), |mut done, case| {
        done.push(p.case_of(&case, &PRECISIONS)?);
        Ok(done)
    })
}

pub fn precision_prop(precision: &[Precision]) -> Option<Prop<'static>> {
    let case = |value| Tree::Enum("precision".into(), word_of(&PRECISIONS, value).into());
    let cases: Vec<_> = precision.iter().map(case).collect();
    (!cases.is_empty()).then(|| Prop::made("precision_config", Tree::Array(cases)))
}

/// The body of `#stablehlo.dot_algorithm<..>`, verbatim.
fn algorithm<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> Parsed<String> {
    match prop.tree {
        Tree::Dialect { name: "stablehlo.dot_algorithm", body } => {
            let end = (prop.at.end as usize).saturating_sub(1);
            Ok(p.slice(body, end).trim().to_string())
        }
        _ => Err(p.bad_prop(prop, "#stablehlo.dot_algorithm<..>")),
    }
}

pub fn props(dot: &Dot) -> Vec<Prop<'static>> {
    let side = |pairs: &[(usize, usize)], left: bool| -> Vec<usize> {
        pairs.iter().map(|(lhs, rhs)| if left { *lhs } else { *rhs }).collect()
    };
    let mut text = String::from("#stablehlo.dot<");
    field_lists(
        &mut text,
        &[
            ("lhs_batching_dimensions", &side(&dot.batch, true)),
            ("rhs_batching_dimensions", &side(&dot.batch, false)),
            ("lhs_contracting_dimensions", &side(&dot.contract, true)),
            ("rhs_contracting_dimensions", &side(&dot.contract, false)),
        ],
    );
    text.push('>');
    let mut props = vec![Prop::made("dot_dimension_numbers", Tree::Raw(text.into()))];
    props.extend(precision_prop(&dot.precision));
    if let Some(algorithm) = &dot.algorithm {
        let text = format!("#stablehlo.dot_algorithm<{algorithm}>");
        props.push(Prop::made("algorithm", Tree::Raw(text.into())));
    }
    props
}
