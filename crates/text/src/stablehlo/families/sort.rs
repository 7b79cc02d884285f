//! sort and top_k.

use super::{flag, int};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use meshwright_ir::Op;
use meshwright_ir::op::{Sort, TopK};

/// Without a dimension the last one is meant.
pub fn sort<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let rank = p.operand_dims(draft, 0).len();
    let given = p.opt_int(draft, "dimension")?.unwrap_or(-1);
    let dim = if given < 0 { given.saturating_add(rank as i64) } else { given };
    let Ok(dim) = usize::try_from(dim) else {
        let message = format!("dim {given} is asked of a value with {rank} dims");
        return Err(p.fail(crate::codes::BAD_ATTRIBUTE, draft.at, message));
    };
    let stable = p.flag(draft, "is_stable")?;
    Ok(Op::Sort(Sort { dim, stable }))
}

pub fn sort_props(sort: &Sort) -> Vec<Prop<'static>> {
    vec![int("dimension", sort.dim as i64), flag("is_stable", sort.stable)]
}

pub fn top_k<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    p.result_count(draft, 2)?;
    let k = p.int(draft, "k")?;
    let largest = !draft.has("largest") || p.flag(draft, "largest")?;
    Ok(Op::TopK(TopK { k, largest }))
}

/// CHLO only knows the largest; mhlo's form says which.
pub fn top_k_name(top: &TopK) -> &'static str {
    if top.largest { "chlo.top_k" } else { "mhlo.topk" }
}

pub fn top_k_props(top: &TopK) -> Vec<Prop<'static>> {
    let mut props = vec![int("k", top.k)];
    if !top.largest {
        props.push(flag("largest", false));
    }
    props
}
