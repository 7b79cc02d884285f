//! Sliding windows: reduce_window and select_and_scatter.
//!
//! For each place in the window, all results take the element under that place at once. So every result meets the
//! elements of its window in row-major order, and padding (which a reducer's initial value would not change) is
//! skipped.

use crate::convert::by_value;
use crate::elementwise::{binary, maximum};
use crate::fault::Fault;
use crate::lanes::Device;
use crate::machine::Site;
use crate::reduce::{fold, plain_dtype, put, widened};
use crate::region::Applier;
use crate::tensor::{Data, Scalar, Tensor, element_count};
use crate::view::{View, each_index, read, row_major, sizes};
use meshwright_ir::op::{ReduceWindow, SelectAndScatter, WindowDim};
use meshwright_ir::{DType, TensorType};
use meshwright_shard::Reducer;

/// Where place `k` of a window lies: pairs (result position, input position), ascending; padding is left out.
pub(crate) fn taps(
    window: &WindowDim,
    k: i64,
    input: i64,
    output: i64,
) -> impl Iterator<Item = (usize, usize)> {
    let (stride, spacing) = (i128::from(window.stride.max(1)), i128::from(window.base_dilation.max(1)));
    let k = if window.reversal { window.size - 1 - k } else { k };
    let first = i128::from(k) * i128::from(window.window_dilation.max(1)) - i128::from(window.pad_low);
    // Results before the first element cannot be hit; start there, so that wide padding costs nothing.
    let start = if first < 0 { (-first + stride - 1) / stride } else { 0 };
    let places = (start..i128::from(output)).map(move |out| (out, first + out * stride));
    let inside = places.take_while(move |(_, at)| at / spacing < i128::from(input));
    inside
        .filter(move |(_, at)| at % spacing == 0)
        .map(move |(out, at)| (out as usize, (at / spacing) as usize))
}

/// Call `f(result, input)` with the offsets of all combinations of pairs, one list per dim.
pub(crate) fn each_tap(
    lists: &[Vec<(usize, usize)>],
    out_strides: &[i64],
    in_strides: &[i64],
    mut f: impl FnMut(usize, usize),
) {
    let counts: Vec<usize> = lists.iter().map(Vec::len).collect();
    if counts.contains(&0) {
        return;
    }
    let Some((last, outer)) = lists.split_last() else { return f(0, 0) };
    let mut walk = crate::view::IndexCounter::new(&counts[..outer.len()]);
    let (out_step, in_step) = (out_strides[outer.len()] as usize, in_strides[outer.len()] as usize);
    loop {
        let (mut out, mut input) = (0, 0);
        for (d, i) in walk.index.iter().enumerate() {
            out += outer[d][*i].0 * out_strides[d] as usize;
            input += outer[d][*i].1 * in_strides[d] as usize;
        }
        for (o, i) in last {
            f(out + o * out_step, input + i * in_step);
        }
        if walk.advance().is_none() {
            return;
        }
    }
}

fn window_sizes(window: &[WindowDim]) -> Vec<usize> {
    window.iter().map(|dim| usize::try_from(dim.size).unwrap_or(0)).collect()
}

pub(crate) fn reduce_window(
    op: &ReduceWindow,
    site: &mut Site<'_, '_>,
    device: Device,
    args: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let (inputs, inits) = args.split_at(args.len() / 2);
    let out = site.result_type(0)?.as_tensor().ok_or_else(|| Fault::unsound("makes a token"))?.clone();
    let first = inputs.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    if [op.window.len(), out.rank()] != [first.dims().len(); 2]
        || inputs.iter().any(|x| x.dims() != first.dims())
    {
        return Err(Fault::unsound("has operands or a window of another rank"));
    }
    let reducer = site.frame.func.region_reducer(site.region(0)?);
    let plain = reducer.filter(|reducer| inputs.len() == 1 && plain_dtype(*reducer, first.dtype()));
    let Some(reducer) = plain else { return by_region(op, site, device, inputs, inits, &out) };
    let init =
        inits.first().and_then(|init| init.get(0)).ok_or_else(|| Fault::unsound("has no initial value"))?;
    let first = widened(site, first)?;
    match running_dim(op, first.dims(), &out.dims) {
        Some(dim) => Ok(vec![running(reducer, &first, init, dim)?]),
        None => Ok(vec![plain_windows(op, reducer, &first, init, &out)?]),
    }
}

/// The dim along which the window reaches from the start to each element: a cumulative op. `None` if it is another
/// window.
fn running_dim(op: &ReduceWindow, dims: &[i64], out: &[i64]) -> Option<usize> {
    let mut found = None;
    for (d, window) in op.window.iter().enumerate() {
        let still = WindowDim { size: 1, pad_low: 0, pad_high: 0, ..*window };
        if still != WindowDim::TRIVIAL || dims[d] != out[d] {
            return None;
        }
        if *window == WindowDim::TRIVIAL {
            continue;
        }
        let reaches = window.size >= dims[d] && window.pad_low == window.size - 1 && window.pad_high == 0;
        if !reaches || found.is_some() {
            return None;
        }
        found = Some(d);
    }
    found
}

/// The cumulative op, adding in the order the windows would.
fn running(reducer: Reducer, x: &Tensor, init: Scalar, dim: usize) -> Result<Data, Fault> {
    let wide = x.dtype().accumulator();
    let mut sums = by_value(x.data(), wide);
    let view = View::whole(x.dims());
    let mut line = View { dims: view.dims.clone(), ..view.clone() };
    line.dims[dim] = line.dims[dim].min(1);
    let start = View { strides: vec![0; view.dims.len()], ..line.clone() };
    let first = Data::splat(init, 1);
    // sum = init + x0 is x0 + init for every reducer here but for the sign of zero.
    fold(reducer, wide, &mut sums, &line, &first, &start)?;
    for at in 1..view.dims[dim] as i64 {
        let here = View { offset: view.strides[dim] * at, ..line.clone() };
        let before = View { offset: view.strides[dim] * (at - 1), ..line.clone() };
        let previous = read(&sums, &before)?;
        let packed = View::whole(&line.dims.iter().map(|d| *d as i64).collect::<Vec<_>>());
        fold(reducer, wide, &mut sums, &here, &previous, &packed)?;
    }
    Ok(by_value(&sums, x.dtype()))
}

fn plain_windows(
    op: &ReduceWindow,
    reducer: Reducer,
    x: &Tensor,
    init: Scalar,
    out: &TensorType,
) -> Result<Data, Fault> {
    let wide = x.dtype().accumulator();
    let mut sums = Data::splat(init, element_count(&out.dims).unwrap_or(0));
    each_place(op, x.dims(), out, |lists, out_strides, in_strides| {
        fold_taps(reducer, wide, &mut sums, x.data(), lists, out_strides, in_strides)
    })?;
    Ok(by_value(&sums, x.dtype()))
}

/// Call `f` with the taps of each place in the window.
fn each_place(
    op: &ReduceWindow,
    dims: &[i64],
    out: &TensorType,
    mut f: impl FnMut(&[Vec<(usize, usize)>], &[i64], &[i64]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (out_strides, in_strides) = (row_major(&sizes(&out.dims)), row_major(&sizes(dims)));
    each_index(&window_sizes(&op.window), |place| {
        let lists: Vec<_> = op
            .window
            .iter()
            .enumerate()
            .map(|(d, window)| taps(window, place[d] as i64, dims[d], out.dims[d]).collect())
            .collect();
        f(&lists, &out_strides, &in_strides)
    })
}

fn fold_taps(
    reducer: Reducer,
    dtype: DType,
    sums: &mut Data,
    x: &Data,
    lists: &[Vec<(usize, usize)>],
    out_strides: &[i64],
    in_strides: &[i64],
) -> Result<(), Fault> {
    if let (Data::Float(sums), Data::Float(x)) = (&mut *sums, x) {
        let f: fn(f64, f64) -> f64 = match (reducer, dtype) {
            (Reducer::Sum, DType::F64) => |a, b| a + b,
            (Reducer::Sum, _) => |a, b| f64::from((a + b) as f32),
            (Reducer::Product, DType::F64) => |a, b| a * b,
            (Reducer::Product, _) => |a, b| f64::from((a * b) as f32),
            (Reducer::Max, _) => maximum,
            (Reducer::Min, _) => |a, b| -maximum(-a, -b),
            // Excluded by `plain_dtype`.
            (Reducer::And | Reducer::Or | Reducer::Xor, _) => |a, _| a,
        };
        each_tap(lists, out_strides, in_strides, |to, from| sums[to] = f(sums[to], x[from]));
        return Ok(());
    }
    let kernel = binary(reducer.into(), dtype)?;
    let mut fits = true;
    each_tap(lists, out_strides, in_strides, |to, from| {
        let made = sums.get(to).zip(x.get(from)).and_then(|(a, b)| kernel.one(a, b, dtype));
        match made {
            Some(value) => sums.set(to, value),
            None => fits = false,
        }
    });
    if fits { Ok(()) } else { Err(Fault::unsound("reduces between element types")) }
}

fn by_region(
    op: &ReduceWindow,
    site: &mut Site<'_, '_>,
    device: Device,
    inputs: &[Tensor],
    inits: &[Tensor],
    out: &TensorType,
) -> Result<Vec<Data>, Fault> {
    let count = element_count(&out.dims).unwrap_or(0);
    let mut results = Vec::new();
    for init in inits {
        let value = init.get(0).ok_or_else(|| Fault::unsound("has no initial value"))?;
        results.push(Data::splat(value, count));
    }
    let mut applier = Applier::new(site, 0, device)?;
    let (mut args, mut made) = (Vec::new(), Vec::new());
    each_place(op, inputs[0].dims(), out, |lists, out_strides, in_strides| {
        let mut pairs = Vec::new();
        each_tap(lists, out_strides, in_strides, |to, from| pairs.push((to, from)));
        for (to, from) in pairs {
            args.clear();
            args.extend(results.iter().filter_map(|data| data.get(to)));
            args.extend(inputs.iter().filter_map(|x| x.get(from)));
            applier.apply(site, &args, &mut made)?;
            put(&mut results, to, &made);
        }
        Ok(())
    })?;
    Ok(results)
}

/// Each source element goes to the element its window selects.
pub(crate) fn select_and_scatter(
    op: &SelectAndScatter,
    site: &mut Site<'_, '_>,
    device: Device,
    args: &[Tensor],
) -> Result<Vec<Data>, Fault> {
    let [x, source, init] = args else {
        return Err(Fault::unsound("needs operand, source and initial value"));
    };
    let rank = x.dims().len();
    if [op.window.len(), source.dims().len()] != [rank; 2] {
        return Err(Fault::unsound("has a window or source of another rank"));
    }
    let value = init.get(0).ok_or_else(|| Fault::unsound("has no initial value"))?;
    let mut result = vec![Data::splat(value, x.len())];
    let (mut select, mut scatter) = (Applier::new(site, 0, device)?, Applier::new(site, 1, device)?);
    let strides = row_major(&sizes(x.dims()));
    let places = window_sizes(&op.window);
    let (mut out, mut from) = (Vec::new(), 0);
    each_index(&sizes(source.dims()), |at| {
        let lies = |place: &[usize]| input_place(op, at, place, x.dims(), &strides);
        if let Some(best) = best_place(&mut select, site, x, &places, lies)? {
            let pair: Vec<Scalar> = [result[0].get(best), source.get(from)].into_iter().flatten().collect();
            scatter.apply(site, &pair, &mut out)?;
            put(&mut result, best, &out);
        }
        from += 1;
        Ok(())
    })?;
    Ok(result)
}

/// The element of a window that the region keeps against all others: a later one wins where it does not keep the
/// earlier. `None` if the window lies in the padding.
fn best_place(
    select: &mut Applier,
    site: &mut Site<'_, '_>,
    x: &Tensor,
    places: &[usize],
    lies: impl Fn(&[usize]) -> Option<usize>,
) -> Result<Option<usize>, Fault> {
    let (mut best, mut out) = (None, Vec::new());
    each_index(places, |place| {
        let Some(here) = lies(place) else { return Ok(()) };
        let pair = best.and_then(|best| Some([x.get(best)?, x.get(here)?]));
        let keeps = match pair {
            Some(pair) => select.test(site, &pair, &mut out)?,
            None => false,
        };
        if !keeps {
            best = Some(here);
        }
        Ok(())
    })?;
    Ok(best)
}

/// Offset of the operand element under a place of the window at a source position; `None` in the padding.
fn input_place(
    op: &SelectAndScatter,
    at: &[usize],
    place: &[usize],
    dims: &[i64],
    strides: &[i64],
) -> Option<usize> {
    let mut offset = 0;
    for (d, window) in op.window.iter().enumerate() {
        let position =
            i128::from(window.stride) * at[d] as i128 + place[d] as i128 - i128::from(window.pad_low);
        let inside = (0..i128::from(dims[d])).contains(&position);
        offset += inside.then_some(position as i64 * strides[d])?;
    }
    usize::try_from(offset).ok()
}
