//! Convolution of any rank with every attribute.
//!
//! Operands are brought to `[batch, feature, spatial..]` and `[output feature, input feature, spatial..]`. For each
//! place in the kernel window, each pair of features adds one weight times all elements under that place: every result
//! element adds its products in order of the window place, then of the input feature.

use crate::complex::Complex;
use crate::contract::sum_type;
use crate::convert::by_value;
use crate::elementwise::round_complex;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, each_index, read, row_major, sizes};
use crate::window::{each_tap, taps};
use meshwright_ir::op::Convolution;
use meshwright_ir::{DType, TensorType};

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
    let (x, x_dims) = arrange(input, d.input_batch, d.input_feature, &d.input_spatial)?;
    let (w, w_dims) = arrange(kernel, d.kernel_output_feature, d.kernel_input_feature, &d.kernel_spatial)?;
    let out_order = order(d.output_batch, d.output_feature, &d.output_spatial);
    let out_dims = pick(&out.dims, &out_order)?;
    let shape = ConvSizes {
        batch: x_dims[0] as usize,
        in_features: x_dims[1] as usize,
        out_features: w_dims[0] as usize,
        kernel_features: w_dims[1] as usize,
        batch_groups: usize::try_from(op.batch_group_count).unwrap_or(0).max(1),
        feature_groups: usize::try_from(op.feature_group_count).unwrap_or(0).max(1),
        input_spatial: x_dims[2..].to_vec(),
        kernel_spatial: sizes(&w_dims[2..]),
        output_spatial: out_dims[2..].to_vec(),
    };
    check(op, &shape, &out_dims)?;
    let wide = sum_type(input.dtype(), kernel.dtype(), out.dtype);
    let sums = convolve(op, &shape, &by_value(&x, wide), &by_value(&w, wide), wide)?;
    place(&by_value(&sums, out.dtype), &out_dims, &out_order, out)
}

fn order(first: usize, second: usize, rest: &[usize]) -> Vec<usize> {
    [first, second].into_iter().chain(rest.iter().copied()).collect()
}

fn pick(dims: &[i64], order: &[usize]) -> Result<Vec<i64>, Fault> {
    let one = |d: &usize| dims.get(*d).copied().ok_or_else(|| Fault::unsound(format!("has no dim {d}")));
    order.iter().map(one).collect()
}

/// The elements with dims in the common order, and those dims.
fn arrange(x: &Tensor, first: usize, second: usize, rest: &[usize]) -> Result<(Data, Vec<i64>), Fault> {
    let order = order(first, second, rest);
    let own = View::whole(x.dims());
    let dims = pick(x.dims(), &order)?;
    let view = View { dims: sizes(&dims), strides: pick(&own.strides, &order)?, offset: 0 };
    Ok((read(x.data(), &view)?, dims))
}

fn check(op: &Convolution, shape: &ConvSizes, out: &[i64]) -> Result<(), Fault> {
    let spatial = op.window.len();
    let ranks = [shape.input_spatial.len(), shape.kernel_spatial.len(), shape.output_spatial.len()];
    let fits = ranks == [spatial; 3]
        && out[0] as usize * shape.batch_groups == shape.batch
        && out[1] as usize == shape.out_features
        && shape.kernel_features * shape.feature_groups == shape.in_features
        && shape.out_features.is_multiple_of(shape.feature_groups)
        && shape.out_features.is_multiple_of(shape.batch_groups);
    if fits { Ok(()) } else { Err(Fault::unsound("its sizes and group counts do not fit")) }
}

/// Sums in the order `[batch, output feature, spatial..]`.
fn convolve(op: &Convolution, shape: &ConvSizes, x: &Data, w: &Data, wide: DType) -> Result<Data, Fault> {
    Ok(match (x, w) {
        (Data::Float(x), Data::Float(w)) if wide == DType::F32 => {
            let step = |sum: f64, a: f64, b: f64| {
                let product = (a as f32) * (b as f32);
                f64::from(sum as f32 + product)
            };
            Data::Float(run(op, shape, x, w, 0.0, step)?)
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
    let mut sums = vec![zero; out_batch * shape.out_features * out_size];
    let in_strides = row_major(&sizes(&shape.input_spatial));
    let out_strides = row_major(&sizes(&shape.output_spatial));
    let kernel_size: usize = shape.kernel_spatial.iter().product();
    let mut place = 0;
    each_index(&shape.kernel_spatial, |index| {
        let lists: Vec<_> = op
            .window
            .iter()
            .enumerate()
            .map(|(d, window)| {
                // Reversal turns the weights round: the input under place k meets weight size - 1 - k.
                taps(window, index[d] as i64, shape.input_spatial[d], shape.output_spatial[d])
            })
            .collect();
        for (to, from, weight) in feature_pairs(shape, out_batch) {
            let weight = w[weight * kernel_size + place];
            let (to, from) = (to * out_size, from * in_size);
            each_tap(&lists, &out_strides, &in_strides, |o, i| {
                sums[to + o] = step(sums[to + o], x[from + i], weight);
            });
        }
        place += 1;
        Ok(())
    })?;
    Ok(sums)
}

/// Which result plane adds which input plane under which weight: numbers of `[batch, feature]` and `[output, input]`
/// planes.
fn feature_pairs(shape: &ConvSizes, out_batch: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let per_feature_group = shape.out_features / shape.feature_groups;
    let per_batch_group = shape.out_features / shape.batch_groups;
    let (kernel_features, in_features, out_features) =
        (shape.kernel_features, shape.in_features, shape.out_features);
    (0..out_batch).flat_map(move |b| {
        (0..out_features).flat_map(move |o| {
            let first = o / per_feature_group * kernel_features;
            let from_batch = b + o / per_batch_group * out_batch;
            (0..kernel_features).map(move |c| {
                (b * out_features + o, from_batch * in_features + first + c, o * kernel_features + c)
            })
        })
    })
}

/// From the common order of dims to the result's own.
fn place(sums: &Data, dims: &[i64], order: &[usize], out: &TensorType) -> Result<Data, Fault> {
    let own = View::whole(&out.dims);
    let mut data = Data::zeros(out.dtype.class(), element_count(&out.dims).unwrap_or(0));
    let target = View { dims: sizes(dims), strides: pick(&own.strides, order)?, offset: 0 };
    copy(&mut data, &target, sums, &View::whole(dims))?;
    Ok(data)
}
