//! Ops that move elements without computing: each is one or more copies between views.

use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use crate::view::{View, copy, read, row_major, sizes};
use meshwright_ir::op::{Broadcast, Concatenate, Movement, Pad, Reverse, Slice, Transpose};
use meshwright_ir::{Dim, TensorType};

pub(crate) fn eval(op: &Movement, args: &[Tensor], out: &TensorType) -> Result<Data, Fault> {
    let x = args.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    match op {
        Movement::Broadcast(op) => broadcast(op, x, out),
        Movement::Reshape(_) => Ok(x.data().clone()),
        Movement::Transpose(op) => transpose(op, x),
        Movement::Slice(op) => slice(op, x, out),
        Movement::Pad(op) => pad(op, args, out),
        Movement::Concatenate(op) => concatenate(op, args, out),
        Movement::Reverse(op) => reverse(op, x),
    }
}

fn dim_of<T: Copy>(list: &[T], dim: usize) -> Result<T, Fault> {
    list.get(dim).copied().ok_or_else(|| Fault::unsound(format!("has no dim {dim}")))
}

fn broadcast(op: &Broadcast, x: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    let own = View::whole(x.dims());
    let mut view = View { dims: sizes(&out.dims), strides: vec![0; out.rank()], offset: 0 };
    for (dim, at) in op.dims.iter().enumerate() {
        let place = view.strides.get_mut(*at).ok_or_else(|| Fault::unsound(format!("has no dim {at}")))?;
        if dim_of(&own.dims, dim)? != 1 {
            *place = own.strides[dim];
        }
    }
    read(x.data(), &view)
}

fn transpose(op: &Transpose, x: &Tensor) -> Result<Data, Fault> {
    let own = View::whole(x.dims());
    let dims = op.permutation.iter().map(|d| dim_of(&own.dims, *d)).collect::<Result<_, _>>()?;
    let strides = op.permutation.iter().map(|d| dim_of(&own.strides, *d)).collect::<Result<_, _>>()?;
    read(x.data(), &View { dims, strides, offset: 0 })
}

fn slice(op: &Slice, x: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    let mut view = View { dims: sizes(&out.dims), ..View::whole(x.dims()) };
    if [op.start.len(), op.stride.len(), view.dims.len()] != [view.strides.len(); 3] {
        return Err(Fault::unsound("has attributes of another rank"));
    }
    for (d, stride) in view.strides.iter_mut().enumerate() {
        view.offset = view.offset.saturating_add(op.start[d].saturating_mul(*stride));
        *stride = stride.saturating_mul(op.stride[d]);
    }
    read(x.data(), &view)
}

fn reverse(op: &Reverse, x: &Tensor) -> Result<Data, Fault> {
    let mut view = View::whole(x.dims());
    for dim in &op.dims {
        let size = dim_of(&view.dims, *dim)? as i64;
        view.offset += view.strides[*dim] * (size - 1).max(0);
        view.strides[*dim] = -view.strides[*dim];
    }
    read(x.data(), &view)
}

fn concatenate(op: &Concatenate, args: &[Tensor], out: &TensorType) -> Result<Data, Fault> {
    let strides = row_major(&sizes(&out.dims));
    let step = dim_of(&strides, op.dim)?;
    let count = crate::tensor::element_count(&out.dims).unwrap_or(0);
    let mut data = Data::zeros(out.dtype.class(), count);
    let mut offset = 0;
    for x in args {
        let target = View { dims: sizes(x.dims()), strides: strides.clone(), offset };
        copy(&mut data, &target, x.data(), &View::whole(x.dims()))?;
        offset += step * dim_of(x.dims(), op.dim)?;
    }
    Ok(data)
}

/// Tensors one after another along a dim.
pub(crate) fn join(parts: &[Tensor], dim: Dim) -> Result<Data, Fault> {
    let first = parts.first().ok_or_else(|| Fault::unsound("joins no parts"))?;
    let mut out = first.ty().clone();
    let total = parts.iter().try_fold(0i64, |n, part| n.checked_add(*part.dims().get(dim.index())?));
    match (out.dims.get_mut(dim.index()), total) {
        (Some(size), Some(total)) => *size = total,
        _ => return Err(Fault::unsound(format!("has no dim {dim}"))),
    }
    concatenate(&Concatenate { dim: dim.index() }, parts, &out)
}

/// `size` elements from `start` on along one dim.
pub(crate) fn window(x: &Tensor, dim: Dim, start: i64, size: i64) -> Result<Tensor, Fault> {
    let mut view = View::whole(x.dims());
    let mut ty = x.ty().clone();
    let Some(extent) = ty.dims.get_mut(dim.index()) else {
        return Err(Fault::unsound(format!("has no dim {dim}")));
    };
    *extent = size;
    view.offset = view.strides[dim.index()].saturating_mul(start);
    view.dims = sizes(&ty.dims);
    let data = read(x.data(), &view)?;
    Tensor::new(ty, data).ok_or_else(|| Fault::unsound("cuts a window of negative size"))
}

/// Where the elements of one dim that survive cropping lie: (first kept element, its place, count).
fn kept(size: i64, low: i64, spacing: i64, limit: i64) -> (i64, i64, i64) {
    let spacing = i128::from(spacing.max(1));
    let first = if low < 0 { (-i128::from(low) + spacing - 1) / spacing } else { 0 };
    let place = i128::from(low) + first * spacing;
    let room = if place < i128::from(limit) { (i128::from(limit) - 1 - place) / spacing + 1 } else { 0 };
    let count = room.min(i128::from(size) - first).max(0);
    (first as i64, place as i64, count as i64)
}

fn pad(op: &Pad, args: &[Tensor], out: &TensorType) -> Result<Data, Fault> {
    let [x, value] = args else { return Err(Fault::unsound("needs an operand and a value")) };
    let fill = value.get(0).ok_or_else(|| Fault::unsound("has no padding value"))?;
    let count = crate::tensor::element_count(&out.dims).unwrap_or(0);
    let mut data = Data::splat(fill, count);
    let (mut source, mut target) = (View::whole(x.dims()), View::whole(&out.dims));
    let rank = source.dims.len();
    if [op.low.len(), op.interior.len(), out.rank()] != [rank; 3] {
        return Err(Fault::unsound("has attributes of another rank"));
    }
    for d in 0..rank {
        let spacing = op.interior[d].max(0).saturating_add(1);
        let (first, place, count) = kept(x.dims()[d], op.low[d], spacing, out.dims[d]);
        source.dims[d] = count as usize;
        target.dims[d] = count as usize;
        if count == 0 {
            return Ok(data);
        }
        source.offset += source.strides[d] * first;
        target.offset += target.strides[d] * place;
        target.strides[d] = target.strides[d].saturating_mul(spacing);
    }
    copy(&mut data, &target, x.data(), &source)?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::DType;

    fn ints(dims: &[i64], values: &[i64]) -> Tensor {
        Tensor::from_ints(DType::S32, dims, values).unwrap()
    }

    fn moved(op: Movement, args: &[Tensor], dims: &[i64]) -> Vec<i64> {
        let out = TensorType::new(DType::S32, dims);
        Tensor::new(out.clone(), eval(&op, args, &out).unwrap()).unwrap().to_ints().unwrap()
    }

    #[test]
    fn pad_spreads_and_crops() {
        let op = |low, high, interior| {
            Movement::Pad(Pad { low: vec![low], high: vec![high], interior: vec![interior] })
        };
        let args = [ints(&[3], &[1, 2, 3]), ints(&[], &[9])];
        assert_eq!(moved(op(1, 2, 1), &args, &[8]), [9, 1, 9, 2, 9, 3, 9, 9]);
        assert_eq!(moved(op(-1, 1, 1), &args, &[5]), [9, 2, 9, 3, 9]);
        assert_eq!(moved(op(-2, -2, 0), &args, &[0]), [0; 0]);
        assert_eq!(moved(op(0, -2, 1), &args, &[3]), [1, 9, 2]);
    }

    #[test]
    fn slice_reverse_concatenate_broadcast() {
        let x = ints(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        let slice = Movement::Slice(Slice { start: vec![0, 0], limit: vec![2, 3], stride: vec![1, 2] });
        assert_eq!(moved(slice, std::slice::from_ref(&x), &[2, 2]), [1, 3, 4, 6]);
        let reverse = Movement::Reverse(Reverse { dims: vec![1] });
        assert_eq!(moved(reverse, std::slice::from_ref(&x), &[2, 3]), [3, 2, 1, 6, 5, 4]);
        let concatenate = Movement::Concatenate(Concatenate { dim: 1 });
        let y = ints(&[2, 1], &[7, 8]);
        assert_eq!(moved(concatenate, &[x, y.clone()], &[2, 4]), [1, 2, 3, 7, 4, 5, 6, 8]);
        let broadcast = Movement::Broadcast(Broadcast { dims: vec![0, 2], shape: vec![2, 2, 2] });
        assert_eq!(moved(broadcast, &[y], &[2, 2, 2]), [7, 7, 7, 7, 8, 8, 8, 8]);
    }
}
