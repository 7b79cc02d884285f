//! Reduce and map.

use super::{Made, closures};
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_base::arrange::Arrange;
use meshwright_ir::Op;
use meshwright_ir::op::{Map, Reduce};

pub(super) fn read_reduce<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let mut dims = text.dims("dimensions")?;
    dims.arrange();
    Ok(Made::with_regions(Op::Reduce(Reduce { dims }), vec![text.need("to_apply")?]))
}

pub(super) fn read_map<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dims = text.dims("dimensions")?;
    Ok(Made::with_regions(Op::Map(Map { dims }), vec![text.need("to_apply")?]))
}

pub(super) fn print_reduce(op: &Reduce, line: &mut Line<'_, '_, '_>) {
    line.op("reduce").list("dimensions", &op.dims);
    closures::reducer(line);
}

pub(super) fn print_map(op: &Map, line: &mut Line<'_, '_, '_>) {
    line.op("map").list("dimensions", &op.dims);
    closures::function(line);
}
