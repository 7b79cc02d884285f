//! Slices at computed places.

use super::Made;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::Dynamic;

/// Old texts give the start as one vector; it must be taken apart into scalars.
fn check_starts(text: &InstText<'_, '_>, before: usize) -> Read<()> {
    let scalar = text.operands.iter().skip(before).all(|value| text.func.dims(*value).is_empty());
    if scalar {
        return Ok(());
    }
    let error = text.fault("start indices must be scalars, one for each dim");
    Err(Box::new(error.help("slice the index vector and reshape each part to a scalar")))
}

pub(super) fn read_slice<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    check_starts(text, 1)?;
    let sizes = match text.get("dynamic_slice_sizes") {
        Some(piece) => crate::hlo::inst::int_list(piece)?,
        None => text.result(0)?.dims.clone(),
    };
    Ok(Made::of(Op::Dynamic(Dynamic::Slice { sizes })))
}

pub(super) fn read_update_slice<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    check_starts(text, 2)?;
    Ok(Made::of(Op::Dynamic(Dynamic::UpdateSlice)))
}

pub(super) fn print(op: &Dynamic, line: &mut Line<'_, '_, '_>) {
    match op {
        Dynamic::Slice { sizes } => line.op("dynamic-slice").list("dynamic_slice_sizes", sizes),
        Dynamic::UpdateSlice => line.op("dynamic-update-slice"),
    };
}
