//! Sorting several tensors together by a comparator, and the best k of each row.
//!
//! A bottom-up merge sort: always stable, and whatever the comparator says (it may contradict itself), it ends.

use crate::fault::Fault;
use crate::lanes::Device;
use crate::machine::Site;
use crate::region::Applier;
use crate::tensor::{Data, Scalar, Tensor};
use crate::view::{View, each_index};
use meshwright_ir::op::{Sort, TopK};
use meshwright_ir::{Class, DType};
use std::cmp::Ordering;

pub(crate) fn sort(
    op: &Sort,
    site: &mut Site<'_, '_>,
    device: Device,
    inputs: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let mut comparator = Applier::new(site, 0, device)?;
    sort_by(op.dim, &mut comparator, site, inputs)
}

/// Sort along a dim by a comparator.
pub(crate) fn sort_by(
    dim: usize,
    applier: &mut Applier,
    site: &mut Site<'_, '_>,
    inputs: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let first = inputs.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let view = View::whole(first.dims());
    let (Some(len), Some(stride)) = (view.dims.get(dim).copied(), view.strides.get(dim).copied()) else {
        return Err(Fault::unsound(format!("has no dim {dim}")));
    };
    if inputs.iter().any(|x| x.dims() != first.dims()) {
        return Err(Fault::unsound("operands differ in shape"));
    }
    let mut results: Vec<Data> = inputs.iter().map(|x| x.data().clone()).collect();
    if first.is_empty() {
        return Ok(results);
    }
    let mut starts = view.dims.clone();
    starts[dim] = 1;
    each_index(&starts, |index| {
        let start: i64 = index.iter().zip(&view.strides).map(|(i, stride)| *i as i64 * stride).sum();
        let places: Vec<usize> = (0..len as i64).map(|i| (start + i * stride) as usize).collect();
        sort_line(site, applier, inputs, &places, &mut results)
    })?;
    Ok(results)
}

/// Sort the elements at the given places of all inputs together.
fn sort_line(
    site: &mut Site<'_, '_>,
    applier: &mut Applier,
    inputs: &[Tensor],
    places: &[usize],
    results: &mut [Data],
) -> Result<(), Fault> {
    let (mut args, mut out) = (Vec::new(), Vec::new());
    let order = merge_sort(places.len(), &mut |a, b| {
        args.clear();
        args.extend(inputs.iter().flat_map(|x| [x.get(places[a]), x.get(places[b])]).flatten());
        applier.test(site, &args, &mut out)
    })?;
    for (x, result) in inputs.iter().zip(results) {
        for (to, from) in order.iter().enumerate() {
            result.set(places[to], x.get(places[*from]).unwrap_or(Scalar::Pred(false)));
        }
    }
    Ok(())
}

/// The numbers below `len` in sorted order; `before(a, b)` says whether a comes before b.
fn merge_sort(
    len: usize,
    before: &mut dyn FnMut(usize, usize) -> Result<bool, Fault>,
) -> Result<Vec<usize>, Fault> {
    let mut order: Vec<usize> = (0..len).collect();
    let mut width = 1;
    while width < len {
        let mut next = Vec::with_capacity(len);
        for run in order.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            merge(left, right, before, &mut next)?;
        }
        order = next;
        width *= 2;
    }
    Ok(order)
}

fn merge(
    mut left: &[usize],
    mut right: &[usize],
    before: &mut dyn FnMut(usize, usize) -> Result<bool, Fault>,
    out: &mut Vec<usize>,
) -> Result<(), Fault> {
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        if before(*b, *a)? {
            out.push(*b);
            right = right_rest;
        } else {
            out.push(*a);
            left = left_rest;
        }
    }
    out.extend(left);
    out.extend(right);
    Ok(())
}

/// Values and indices of the best `k` along the last dim; floats in their total order, ties by lower index.
pub(crate) fn top_k(op: &TopK, x: &Tensor, indices: DType) -> Result<Vec<Data>, Fault> {
    let len = x.dims().last().copied().unwrap_or(0).max(0) as usize;
    let k = usize::try_from(op.k).unwrap_or(0);
    if k > len {
        return Err(Fault::unsound(format!("takes {k} of {len} elements")));
    }
    let rows = x.len().checked_div(len).unwrap_or(0);
    let mut values = Data::zeros(x.dtype().class(), rows * k);
    let mut places = Data::zeros(indices.class(), rows * k);
    for row in 0..rows {
        let at = |i: usize| x.get(row * len + i).unwrap_or(Scalar::Pred(false));
        let order = merge_sort(len, &mut |a, b| {
            let order = total_order(at(a), at(b));
            Ok(order == if op.largest { Ordering::Greater } else { Ordering::Less })
        })?;
        for (i, from) in order.into_iter().take(k).enumerate() {
            values.set(row * k + i, at(from));
            places.set(row * k + i, index_scalar(indices, from));
        }
    }
    Ok(vec![values, places])
}

fn index_scalar(dtype: DType, index: usize) -> Scalar {
    match dtype.class() {
        Class::Unsigned => Scalar::Uint(index as u64),
        _ => Scalar::Int(index as i64),
    }
}

fn total_order(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.total_cmp(&b),
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        (Scalar::Uint(a), Scalar::Uint(b)) => a.cmp(&b),
        (Scalar::Pred(a), Scalar::Pred(b)) => a.cmp(&b),
        _ => Ordering::Equal,
    }
}
