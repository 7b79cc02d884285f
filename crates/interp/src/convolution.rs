//! Convolution of any rank with every attribute.
//!
//! Operands are brought to `[batch, spatial.., feature]` and `[spatial.., input feature, output feature]`. A row of
//! results, along the last spatial dim, is finished before the next one: each place of the kernel window in turn adds,
//! for each input feature under it, its weights for all output features. So every result element adds its products in
//! order of the window place, then of the input feature, and the innermost loop runs along the output features.

use crate::complex::Complex;
use crate::contract::sum_type;
use crate::convert::by_value;
use crate::elementwise::round_complex;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, each_index, read, sizes};
use crate::window::taps;
use meshwright_ir::op::{Convolution, WindowDim};
use meshwright_ir::{DType, TensorType};
use meshwright_shard::axis::gcd;
use std::ops::Range;

/// Sizes in the common order of dims.
struct ConvSizes {
    batch: usize,
    in_features: usize,
    out_features: usize,
    /// Input features one kernel sees.
    kernel_features: usize,
    /// Results per batch group.
    batch_groups: usize,
    feature_groups: usize,
    input_spatial: Vec<i64>,
    kernel_spatial: Vec<usize>,
    output_spatial: Vec<i64>,
}

pub(crate) fn eval(
    op: &Convolution,
    input: &Tensor,
    kernel: &Tensor,
    out: &TensorType,
) -> Result<Data, Fault> {
    let d = &op.dims;
    let around = |first: usize, spatial: &[usize], last: usize| [&[first], spatial, &[last]].concat();
    let (x, x_dims) = arrange(input, &around(d.input_batch, &d.input_spatial, d.input_feature))?;
    let features = [d.kernel_input_feature, d.kernel_output_feature];
    let (w, w_dims) = arrange(kernel, &[&d.kernel_spatial[..], &features].concat())?;
    let out_order = around(d.output_batch, &d.output_spatial, d.output_feature);
    let out_dims = pick(&out.dims, &out_order)?;
    let rank = op.window.len();
    let fits = [x_dims.len(), w_dims.len(), out_dims.len()] == [rank + 2; 3];
    if !fits {
        return Err(Fault::unsound("its operands and its window have different ranks"));
    }
    let shape = ConvSizes {
        batch: x_dims[0] as usize,
        in_features: x_dims[rank + 1] as usize,
        kernel_features: w_dims[rank] as usize,
        out_features: w_dims[rank + 1] as usize,
        batch_groups: usize::try_from(op.batch_group_count).unwrap_or(0).max(1),
        feature_groups: usize::try_from(op.feature_group_count).unwrap_or(0).max(1),
        input_spatial: x_dims[1..=rank].to_vec(),
        kernel_spatial: sizes(&w_dims[..rank]),
        output_spatial: out_dims[1..=rank].to_vec(),
    };
    check(op, &shape, &out_dims)?;
    let wide = sum_type(input.dtype(), kernel.dtype(), out.dtype);
    let sums = convolve(op, &shape, &by_value(&x, wide), &by_value(&w, wide), wide)?;
    place(&by_value(&sums, out.dtype), &out_dims, &out_order, out)
}

fn pick(dims: &[i64], order: &[usize]) -> Result<Vec<i64>, Fault> {
    let one = |d: &usize| dims.get(*d).copied().ok_or_else(|| Fault::unsound(format!("has no dim {d}")));
    order.iter().map(one).collect()
}

/// The elements with dims in the common order, and those dims.
fn arrange(x: &Tensor, order: &[usize]) -> Result<(Data, Vec<i64>), Fault> {
    let own = View::whole(x.dims());
    let dims = pick(x.dims(), order)?;
    let view = View { dims: sizes(&dims), strides: pick(&own.strides, order)?, offset: 0 };
    Ok((read(x.data(), &view)?, dims))
}

fn check(op: &Convolution, shape: &ConvSizes, out: &[i64]) -> Result<(), Fault> {
    let rank = op.window.len();
    let fits = out[0] as usize * shape.batch_groups == shape.batch
        && out[rank + 1] as usize == shape.out_features
        && shape.kernel_features * shape.feature_groups == shape.in_features
        && shape.out_features.is_multiple_of(shape.feature_groups)
        && shape.out_features.is_multiple_of(shape.batch_groups);
    if fits { Ok(()) } else { Err(Fault::unsound("its sizes and group counts do not fit")) }
}

/// Sums in the order `[batch, spatial.., output feature]`.
fn convolve(op: &Convolution, shape: &ConvSizes, x: &Data, w: &Data, wide: DType) -> Result<Data, Fault> {
    Ok(match (x, w) {
        (Data::Float(x), Data::Float(w)) if wide == DType::F32 => {
            let single = |numbers: &[f64]| numbers.iter().map(|x| *x as f32).collect::<Vec<f32>>();
            let sums = run(op, shape, &single(x), &single(w), 0.0f32, |sum, a, b| sum + a * b)?;
            Data::Float(sums.into_iter().map(f64::from).collect())
        }
        (Data::Float(x), Data::Float(w)) => Data::Float(run(op, shape, x, w, 0.0, |sum, a, b| sum + a * b)?),
        (Data::Int(x), Data::Int(w)) => {
            Data::Int(run(op, shape, x, w, 0, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)))?)
        }
        (Data::Uint(x), Data::Uint(w)) => {
            Data::Uint(run(op, shape, x, w, 0, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)))?)
        }
        (Data::Pred(x), Data::Pred(w)) => Data::Pred(run(op, shape, x, w, false, |sum, a, b| sum | (a & b))?),
        (Data::Complex(x), Data::Complex(w)) => {
            let step = |sum, a, b| round_complex(wide, sum + round_complex(wide, a * b));
            Data::Complex(run(op, shape, x, w, Complex::ZERO, step)?)
        }
        _ => return Err(Fault::unsound("multiplies different element types")),
    })
}

fn run<T: Copy>(
    op: &Convolution,
    shape: &ConvSizes,
    x: &[T],
    w: &[T],
    zero: T,
    step: impl Fn(T, T, T) -> T,
) -> Result<Vec<T>, Fault> {
    let spatial = |dims: &[i64]| element_count(dims).unwrap_or(0);
    let (in_size, out_size) = (spatial(&shape.input_spatial), spatial(&shape.output_spatial));
    let out_batch = shape.batch / shape.batch_groups;
    let mut sums = vec![zero; out_batch * out_size * shape.out_features];
    if sums.is_empty() || x.is_empty() || w.is_empty() {
        return Ok(sums);
    }
    let (places, bands) = (Places::of(op, shape), bands(shape, out_batch));
    let row = places.row * shape.out_features;
    let weights = shape.kernel_features * shape.out_features;
    for (batch, sums) in sums.chunks_exact_mut(out_size * shape.out_features).enumerate() {
        let mut rows = sums.chunks_exact_mut(row);
        each_index(&places.rows, |at| {
            let Some(sums) = rows.next() else { return Ok(()) };
            let mut weights = w.chunks_exact(weights);
            each_index(&shape.kernel_spatial, |place| {
                let Some(weights) = weights.next() else { return Ok(()) };
                places.each_tap(place, at, |to, from| {
                    let sums = &mut sums[to * shape.out_features..][..shape.out_features];
                    for band in &bands {
                        let from = ((batch + band.batch) * in_size + from) * shape.in_features + band.first;
                        let x = &x[from..][..shape.kernel_features];
                        for (x, weights) in x.iter().zip(weights.chunks_exact(shape.out_features)) {
                            let sums = sums[band.outputs.clone()].iter_mut();
                            for (sum, weight) in sums.zip(&weights[band.outputs.clone()]) {
                                *sum = step(*sum, *x, *weight);
                            }
                        }
                    }
                });
                Ok(())
            })
        })?;
    }
    Ok(sums)
}

/// Where the window finds its input.
struct Places {
    /// Sizes of the spatial dims of the result but the last, and the last.
    rows: Vec<usize>,
    row: usize,
    /// For each spatial dim and each place in it.
    taps: Vec<Vec<Taps>>,
    input: Vec<usize>,
}

impl Places {
    fn of(op: &Convolution, shape: &ConvSizes) -> Places {
        let of_dim = |(dim, window): (usize, &WindowDim)| -> Vec<Taps> {
            let sizes = (shape.input_spatial[dim], shape.output_spatial[dim]);
            // Reversal turns the weights round: the input under place k meets weight size - 1 - k.
            (0..shape.kernel_spatial[dim]).map(|k| Taps::of(window, k as i64, sizes)).collect()
        };
        let taps = op.window.iter().enumerate().map(of_dim).collect();
        let mut rows = sizes(&shape.output_spatial);
        let row = rows.pop().unwrap_or(1);
        Places { rows, row, taps, input: sizes(&shape.input_spatial) }
    }

    /// Call `f(position in the row, position in the input)` for all that a place of the window meets in a row.
    fn each_tap(&self, place: &[usize], row: &[usize], mut f: impl FnMut(usize, usize)) {
        let mut before = 0;
        for (dim, at) in row.iter().enumerate() {
            let Some(from) = self.taps[dim][place[dim]].read(*at) else { return };
            before = before * self.input[dim] + from;
        }
        let (Some(taps), Some(place), Some(length)) = (self.taps.last(), place.last(), self.input.last())
        else {
            return f(0, 0);
        };
        taps[*place].pairs().for_each(|(to, from)| f(to, before * length + from));
    }
}

/// What a place of the window meets along a dim: results and what each reads, both evenly spaced.
#[derive(Clone, Copy, Default)]
struct Taps {
    to: (usize, usize),
    from: (usize, usize),
    count: usize,
}

impl Taps {
    fn of(window: &WindowDim, k: i64, (input, output): (i64, i64)) -> Taps {
        // Every so many results lie on an element; beside each other they would read each of so many elements.
        let spacing = window.base_dilation.max(1);
        let common = gcd(window.stride.max(1), spacing);
        let steps = (spacing / common, window.stride.max(1) / common);
        let Some((to, from)) = taps(window, k, input, output).next() else { return Taps::default() };
        let steps = (steps.0 as usize, steps.1 as usize);
        let count = ((output as usize - to).div_ceil(steps.0)).min((input as usize - from).div_ceil(steps.1));
        Taps { to: (to, steps.0), from: (from, steps.1), count }
    }

    /// What a result reads, if it is not padding.
    fn read(&self, to: usize) -> Option<usize> {
        let ahead = to.checked_sub(self.to.0).filter(|_| self.count > 0)?;
        let at = ahead / self.to.1;
        (at < self.count && ahead.is_multiple_of(self.to.1)).then(|| self.from.0 + at * self.from.1)
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let Taps { to, from, count } = *self;
        (0..count).map(move |at| (to.0 + at * to.1, from.0 + at * from.1))
    }
}

/// Output features that see the same input.
struct Band {
    outputs: Range<usize>,
    /// The first input feature.
    first: usize,
    /// How many images behind the one of the result.
    batch: usize,
}

fn bands(shape: &ConvSizes, out_batch: usize) -> Vec<Band> {
    let per_feature_group = shape.out_features / shape.feature_groups;
    let per_batch_group = shape.out_features / shape.batch_groups;
    let mut bands = Vec::new();
    let mut start = 0;
    while start < shape.out_features {
        let (feature_group, batch_group) = (start / per_feature_group, start / per_batch_group);
        let end = ((feature_group + 1) * per_feature_group).min((batch_group + 1) * per_batch_group);
        let (first, batch) = (feature_group * shape.kernel_features, batch_group * out_batch);
        bands.push(Band { outputs: start..end, first, batch });
        start = end;
    }
    bands
}

/// From the common order of dims to the result's own.
fn place(sums: &Data, dims: &[i64], order: &[usize], out: &TensorType) -> Result<Data, Fault> {
    let own = View::whole(&out.dims);
    let mut data = Data::zeros(out.dtype.class(), element_count(&out.dims).unwrap_or(0));
    let target = View { dims: sizes(dims), strides: pick(&own.strides, order)?, offset: 0 };
    copy(&mut data, &target, sums, &View::whole(dims))?;
    Ok(data)
}
