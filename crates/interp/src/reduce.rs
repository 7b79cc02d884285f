//! Reduction over whole dims, and `map`.
//!
//! Elements are taken in row-major order, starting from the initial value. A plain reducer over a narrow float adds up
//! in `f32` and rounds once; any other region is applied as it stands.

use crate::convert::by_value;
use crate::elementwise::maximum;
use crate::fault::Fault;
use crate::lanes::Device;
use crate::machine::Site;
use crate::region::Applier;
use crate::round::{wrap_int, wrap_uint};
use crate::tensor::{Data, Scalar, Tensor, element_count};
use crate::view::{View, each_row_pair, row_major, sizes};
use meshwright_ir::DType;
use meshwright_ir::op::Reduce;
use meshwright_shard::Reducer;

pub(crate) fn eval(
    op: &Reduce,
    site: &mut Site<'_, '_>,
    device: Device,
    args: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let (inputs, inits) = args.split_at(args.len() / 2);
    let reducer = site.frame.func.region_reducer(site.region(0)?);
    match (inputs, inits, reducer) {
        ([x], [init], Some(reducer)) if plain_dtype(reducer, x.dtype()) => {
            let x = widened(site, x)?;
            Ok(vec![reduce_plain(reducer, &op.dims, &x, init)?])
        }
        _ => reduce_by_region(op, site, device, inputs, inits),
    }
}

/// The input of a reduction in the type its region computes in, which is that of the result: it may be wider.
pub(crate) fn widened(site: &Site<'_, '_>, x: &Tensor) -> Result<Tensor, Fault> {
    let dtype = site.result_type(0)?.as_tensor().map_or(x.dtype(), |ty| ty.dtype);
    let wide = Tensor::new(x.ty().with_dtype(dtype), by_value(x.data(), dtype));
    wide.ok_or_else(|| Fault::unsound("reduces between element types"))
}

/// Whether a reducer is defined on an element type by [`fold`].
pub(crate) fn plain_dtype(reducer: Reducer, dtype: DType) -> bool {
    let bitwise = matches!(reducer, Reducer::And | Reducer::Or | Reducer::Xor);
    !(dtype.is_complex() || dtype.is_float() && bitwise)
}

/// How the result lies under the input: stride 0 along reduced dims. Also the number of results.
fn result_view(dims: &[i64], reduced: &[usize]) -> (View, usize) {
    let dims = sizes(dims);
    let kept: Vec<usize> = (0..dims.len()).filter(|d| !reduced.contains(d)).collect();
    let kept_sizes: Vec<usize> = kept.iter().map(|d| dims[*d]).collect();
    let mut strides = vec![0; dims.len()];
    for (d, stride) in kept.iter().zip(row_major(&kept_sizes)) {
        strides[*d] = stride;
    }
    (View { dims, strides, offset: 0 }, kept_sizes.iter().product())
}

fn reduce_plain(reducer: Reducer, dims: &[usize], x: &Tensor, init: &Tensor) -> Result<Data, Fault> {
    let wide = x.dtype().accumulator();
    let (target, count) = result_view(x.dims(), dims);
    let init = init.get(0).ok_or_else(|| Fault::unsound("has no initial value"))?;
    let mut sums = Data::splat(init, count);
    fold(reducer, wide, &mut sums, &target, x.data(), &View::whole(x.dims()))?;
    Ok(if wide == x.dtype() { sums } else { by_value(&sums, x.dtype()) })
}

/// `to[i] = reducer(to[i], from[i])` over two views with the same dims, in row-major order, rounding each step to
/// `dtype`.
pub(crate) fn fold(
    reducer: Reducer,
    dtype: DType,
    to: &mut Data,
    target: &View,
    from: &Data,
    source: &View,
) -> Result<(), Fault> {
    target.check(to.len())?;
    source.check(from.len())?;
    let bits = dtype.bits();
    match (to, from) {
        (Data::Float(to), Data::Float(from)) => fold_floats(reducer, dtype, to, target, from, source),
        (Data::Int(to), Data::Int(from)) => {
            let f = int_step(reducer);
            fold_rows(to, target, from, source, |a, b| wrap_int(bits, f(a, b)));
        }
        (Data::Uint(to), Data::Uint(from)) => {
            let f = uint_step(reducer);
            fold_rows(to, target, from, source, |a, b| wrap_uint(bits, f(a, b)));
        }
        (Data::Pred(to), Data::Pred(from)) => fold_rows(to, target, from, source, pred_step(reducer)),
        _ => return Err(Fault::unsound("reduces between element types")),
    }
    Ok(())
}

fn fold_floats(reducer: Reducer, dtype: DType, to: &mut [f64], target: &View, from: &[f64], source: &View) {
    let single = |x: f64| f64::from(x as f32);
    let other = |x: f64| crate::round::round(dtype, x);
    match (reducer, dtype) {
        (Reducer::Sum, DType::F64) => fold_rows(to, target, from, source, |a, b| a + b),
        (Reducer::Sum, DType::F32) => fold_rows(to, target, from, source, |a, b| single(a + b)),
        (Reducer::Sum, _) => fold_rows(to, target, from, source, |a, b| other(a + b)),
        (Reducer::Product, DType::F64) => fold_rows(to, target, from, source, |a, b| a * b),
        (Reducer::Product, DType::F32) => fold_rows(to, target, from, source, |a, b| single(a * b)),
        (Reducer::Product, _) => fold_rows(to, target, from, source, |a, b| other(a * b)),
        (Reducer::Max, _) => fold_rows(to, target, from, source, maximum),
        (Reducer::Min, _) => fold_rows(to, target, from, source, |a, b| -maximum(-a, -b)),
        // Excluded by `plain_dtype`.
        (Reducer::And | Reducer::Or | Reducer::Xor, _) => {}
    }
}

/// Returns the step of a reduction over integers, in wrapping arithmetic.
pub(crate) fn int_step(reducer: Reducer) -> fn(i64, i64) -> i64 {
    match reducer {
        Reducer::Sum => i64::wrapping_add,
        Reducer::Product => i64::wrapping_mul,
        Reducer::Min => |a, b| a.min(b),
        Reducer::Max => |a, b| a.max(b),
        Reducer::And => |a, b| a & b,
        Reducer::Or => |a, b| a | b,
        Reducer::Xor => |a, b| a ^ b,
    }
}

fn uint_step(reducer: Reducer) -> fn(u64, u64) -> u64 {
    match reducer {
        Reducer::Sum => u64::wrapping_add,
        Reducer::Product => u64::wrapping_mul,
        Reducer::Min => |a, b| a.min(b),
        Reducer::Max => |a, b| a.max(b),
        Reducer::And => |a, b| a & b,
        Reducer::Or => |a, b| a | b,
        Reducer::Xor => |a, b| a ^ b,
    }
}

fn pred_step(reducer: Reducer) -> fn(bool, bool) -> bool {
    match reducer {
        Reducer::Sum | Reducer::Max | Reducer::Or => |a, b| a | b,
        Reducer::Product | Reducer::Min | Reducer::And => |a, b| a & b,
        Reducer::Xor => |a, b| a ^ b,
    }
}

fn fold_rows<T: Copy>(to: &mut [T], target: &View, from: &[T], source: &View, f: impl Fn(T, T) -> T) {
    let ((len, to_stride), (_, from_stride)) = (target.row(), source.row());
    each_row_pair(target, source, |to_start, from_start| match (to_stride, from_stride) {
        (0, 1) => {
            let run = &from[from_start as usize..from_start as usize + len];
            let sum = &mut to[to_start as usize];
            *sum = run.iter().fold(*sum, |sum, x| f(sum, *x));
        }
        (1, 1) => {
            let run = &from[from_start as usize..from_start as usize + len];
            for (to, from) in to[to_start as usize..to_start as usize + len].iter_mut().zip(run) {
                *to = f(*to, *from);
            }
        }
        _ => {
            for i in 0..len as i64 {
                let place = &mut to[(to_start + i * to_stride) as usize];
                *place = f(*place, from[(from_start + i * from_stride) as usize]);
            }
        }
    });
}

fn reduce_by_region(
    op: &Reduce,
    site: &mut Site<'_, '_>,
    device: Device,
    inputs: &[Tensor],
    inits: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let first = inputs.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let (view, count) = result_view(first.dims(), &op.dims);
    if inputs.iter().any(|x| x.dims() != first.dims()) {
        return Err(Fault::unsound("operands differ in shape"));
    }
    let mut results = Vec::new();
    for init in inits {
        let value = init.get(0).ok_or_else(|| Fault::unsound("has no initial value"))?;
        results.push(Data::splat(value, count));
    }
    let mut applier = Applier::new(site, 0, device)?;
    let mut places = Vec::with_capacity(first.len());
    view.each(|place| places.push(place));
    let (mut args, mut out) = (Vec::new(), Vec::new());
    for (i, place) in places.into_iter().enumerate() {
        args.clear();
        args.extend(results.iter().filter_map(|data| data.get(place)));
        args.extend(inputs.iter().filter_map(|x| x.get(i)));
        applier.apply(site, &args, &mut out)?;
        put(&mut results, place, &out);
    }
    Ok(results)
}

/// Write one scalar to each of several results.
pub(crate) fn put(results: &mut [Data], place: usize, values: &[Scalar]) {
    for (data, value) in results.iter_mut().zip(values) {
        data.set(place, *value);
    }
}

/// `map`: the region on each tuple of elements.
pub(crate) fn eval_map(
    site: &mut Site<'_, '_>,
    device: Device,
    inputs: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let out_type = site.result_type(0)?.as_tensor().ok_or_else(|| Fault::unsound("makes a token"))?;
    let count = element_count(&out_type.dims).unwrap_or(0);
    let mut results = vec![Data::zeros(out_type.dtype.class(), count)];
    let mut applier = Applier::new(site, 0, device)?;
    let (mut args, mut out) = (Vec::new(), Vec::new());
    for i in 0..count {
        args.clear();
        args.extend(inputs.iter().filter_map(|x| x.get(i)));
        applier.apply(site, &args, &mut out)?;
        put(&mut results, i, &out);
    }
    Ok(results)
}
