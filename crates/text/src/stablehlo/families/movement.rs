//! broadcast, reshape, transpose, slice, pad, concatenate, reverse, and the slices at computed places.

use super::{bare, dims, int, ints};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use meshwright_ir::Op;
use meshwright_ir::op::{Broadcast, Concatenate, Dynamic, Movement, Pad, Reshape, Reverse, Slice, Transpose};

pub fn broadcast_in_dim<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let dims = p.dims(draft, "broadcast_dimensions")?;
    let shape = p.result(draft, 0)?.dims;
    bare(p, draft, 1, Op::Movement(Movement::Broadcast(Broadcast { dims, shape })))
}

/// The old form: new dims in front.
pub fn broadcast<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let sizes = p.ints(draft, "broadcast_sizes")?;
    let shape = p.result(draft, 0)?.dims;
    let dims = (sizes.len()..shape.len().max(sizes.len())).collect();
    bare(p, draft, 1, Op::Movement(Movement::Broadcast(Broadcast { dims, shape })))
}

pub fn reshape<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let shape = p.result(draft, 0)?.dims;
    bare(p, draft, 1, Op::Movement(Movement::Reshape(Reshape { shape })))
}

pub fn transpose<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let permutation = p.dims(draft, "permutation")?;
    bare(p, draft, 1, Op::Movement(Movement::Transpose(Transpose { permutation })))
}

pub fn slice<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let start = p.ints(draft, "start_indices")?;
    let limit = p.ints(draft, "limit_indices")?;
    let stride = p.ints(draft, "strides")?;
    bare(p, draft, 1, Op::Movement(Movement::Slice(Slice { start, limit, stride })))
}

pub fn pad<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let low = p.ints(draft, "edge_padding_low")?;
    let high = p.ints(draft, "edge_padding_high")?;
    let interior = p.ints(draft, "interior_padding")?;
    bare(p, draft, 2, Op::Movement(Movement::Pad(Pad { low, high, interior })))
}

pub fn concatenate<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let dim = p.dim(draft, "dimension")?;
    Ok(Op::Movement(Movement::Concatenate(Concatenate { dim })))
}

pub fn reverse<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let dims = p.dims(draft, "dimensions")?;
    bare(p, draft, 1, Op::Movement(Movement::Reverse(Reverse { dims })))
}

pub fn dynamic_slice<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let sizes = p.ints(draft, "slice_sizes")?;
    Ok(Op::Dynamic(Dynamic::Slice { sizes }))
}

pub fn dynamic_update_slice<'a>(_: &mut Parser<'a>, _: &mut Draft<'a>) -> Parsed<Op> {
    Ok(Op::Dynamic(Dynamic::UpdateSlice))
}

pub fn name(movement: &Movement) -> &'static str {
    match movement {
        Movement::Broadcast(_) => "stablehlo.broadcast_in_dim",
        Movement::Reshape(_) => "stablehlo.reshape",
        Movement::Transpose(_) => "stablehlo.transpose",
        Movement::Slice(_) => "stablehlo.slice",
        Movement::Pad(_) => "stablehlo.pad",
        Movement::Concatenate(_) => "stablehlo.concatenate",
        Movement::Reverse(_) => "stablehlo.reverse",
    }
}

pub fn props(movement: &Movement) -> Vec<Prop<'static>> {
    match movement {
        Movement::Broadcast(broadcast) => vec![dims("broadcast_dimensions", &broadcast.dims)],
        Movement::Reshape(_) => Vec::new(),
        Movement::Transpose(transpose) => vec![dims("permutation", &transpose.permutation)],
        Movement::Slice(slice) => vec![
            ints("start_indices", &slice.start),
            ints("limit_indices", &slice.limit),
            ints("strides", &slice.stride),
        ],
        Movement::Pad(pad) => vec![
            ints("edge_padding_low", &pad.low),
            ints("edge_padding_high", &pad.high),
            ints("interior_padding", &pad.interior),
        ],
        Movement::Concatenate(concatenate) => vec![int("dimension", concatenate.dim as i64)],
        Movement::Reverse(reverse) => vec![dims("dimensions", &reverse.dims)],
    }
}

pub fn dynamic_name(dynamic: &Dynamic) -> &'static str {
    match dynamic {
        Dynamic::Slice { .. } => "stablehlo.dynamic_slice",
        Dynamic::UpdateSlice => "stablehlo.dynamic_update_slice",
    }
}

pub fn dynamic_props(dynamic: &Dynamic) -> Vec<Prop<'static>> {
    match dynamic {
        Dynamic::Slice { sizes } => vec![ints("slice_sizes", sizes)],
        Dynamic::UpdateSlice => Vec::new(),
    }
}
