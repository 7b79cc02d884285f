//! reduce and map.

use super::dims;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use meshwright_base::arrange::Arrange;
use meshwright_ir::Op;
use meshwright_ir::op::{Map, Reduce};

pub fn reduce<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    // JAX writes them in the order of the user's `axis`.
    let mut dims = p.dims(draft, "dimensions")?;
    dims.arrange();
    Ok(Op::Reduce(Reduce { dims }))
}

pub fn map<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let dims = p.dims(draft, "dimensions")?;
    Ok(Op::Map(Map { dims }))
}

pub fn props(reduced: &[usize]) -> Vec<Prop<'static>> {
    vec![dims("dimensions", reduced)]
}
