//! Sorting and the best k.

use super::Made;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{Sort, TopK};

pub(super) fn read_sort<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let sort = Sort { dim: text.only_dim()?, stable: text.flag("is_stable")? };
    Ok(Made::with_regions(Op::Sort(sort), vec![text.need("to_apply")?]))
}

pub(super) fn read_top_k<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let k = text.need_int("k")?;
    let largest = match text.get("largest") {
        Some(piece) => piece.str == "true",
        None => true,
    };
    Ok(Made::of(Op::TopK(TopK { k, largest })))
}

pub(super) fn print_sort(op: &Sort, line: &mut Line<'_, '_, '_>) {
    line.op("sort").list("dimensions", &[op.dim]).flag("is_stable", op.stable);
    super::closures::comparator(line);
}

pub(super) fn print_top_k(op: &TopK, line: &mut Line<'_, '_, '_>) {
    line.op("topk").attr("k", op.k).attr("largest", op.largest);
}
