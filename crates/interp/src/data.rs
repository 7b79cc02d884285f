//! Values without operands: constants and iota.

use crate::convert::by_value;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::row_major;
use crate::view::sizes;
use meshwright_ir::op::{Constant, Iota};

pub(crate) fn constant(op: &Constant) -> Result<Data, Fault> {
    Tensor::from_literal(&op.0)
        .map(Tensor::into_data)
        .ok_or_else(|| Fault::unsound("holds more elements than memory"))
}

/// Position along `dim`, wrapped or rounded to the element type.
pub(crate) fn iota(op: &Iota) -> Result<Data, Fault> {
    let count = element_count(&op.ty.dims).unwrap_or(0);
    let dims = sizes(&op.ty.dims);
    let (Some(stride), Some(size)) = (row_major(&dims).get(op.dim).copied(), dims.get(op.dim)) else {
        return Err(Fault::unsound(format!("has no dim {}", op.dim)));
    };
    let stride = (stride as usize).max(1);
    let positions = (0..count).map(|i| (i / stride % size) as i64).collect();
    Ok(by_value(&Data::Int(positions), op.ty.dtype))
}
