//! Batch normalization: training, inference, gradient.
//!
//! Computed in `f64` per feature and rounded once; the variance is the mean square distance from the mean.

use crate::elementwise::round_all;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use crate::view::{row_major, sizes};
use meshwright_ir::op::{BatchNorm, BatchNormKind};

pub(crate) fn eval(op: &BatchNorm, args: &[Tensor]) -> Result<Vec<Data>, Fault> {
    let x = args.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let dims = sizes(x.dims());
    let (Some(features), Some(stride)) =
        (dims.get(op.feature_dim).copied(), row_major(&dims).get(op.feature_dim).copied())
    else {
        return Err(Fault::unsound(format!("has no dim {}", op.feature_dim)));
    };
    let layout = FeatureLayout { features, stride: stride as usize };
    let vectors = args[1..].iter().map(floats).collect::<Result<Vec<_>, _>>()?;
    let epsilon = f64::from(f32::from_bits(op.epsilon));
    let values = floats(x)?;
    let results = match (op.kind, &vectors[..]) {
        (BatchNormKind::Training, [scale, offset]) => training(layout, &values, scale, offset, epsilon),
        (BatchNormKind::Inference, [scale, offset, mean, variance]) => {
            vec![normalize(layout, &values, scale, offset, mean, variance, epsilon)]
        }
        (BatchNormKind::Grad, [scale, mean, variance, grad]) => {
            gradient(layout, &values, scale, mean, variance, grad, epsilon)
        }
        _ => return Err(Fault::unsound(format!("has {} operands", args.len()))),
    };
    let rounded = |values: Vec<f64>| Data::Float(round_all(x.dtype(), values.into_iter()));
    Ok(results.into_iter().map(rounded).collect())
}

fn floats(x: &Tensor) -> Result<Vec<f64>, Fault> {
    match x.data() {
        Data::Float(values) => Ok(values.clone()),
        _ => Err(Fault::unsound(format!("is not defined on {}", x.dtype()))),
    }
}

#[derive(Clone, Copy)]
struct FeatureLayout {
    features: usize,
    stride: usize,
}

impl FeatureLayout {
    fn feature(self, index: usize) -> usize {
        index / self.stride.max(1) % self.features.max(1)
    }

    /// Per feature, the sum of a function of the element's place.
    fn sums(self, count: usize, f: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.features];
        for i in 0..count {
            sums[self.feature(i)] += f(i);
        }
        sums
    }

    fn per_feature(self, count: usize) -> f64 {
        count as f64 / self.features.max(1) as f64
    }
}

fn at(values: &[f64], index: usize) -> f64 {
    values.get(index).copied().unwrap_or(f64::NAN)
}

fn normalize(
    layout: FeatureLayout,
    x: &[f64],
    scale: &[f64],
    offset: &[f64],
    mean: &[f64],
    variance: &[f64],
    epsilon: f64,
) -> Vec<f64> {
    let one = |(i, x): (usize, &f64)| {
        let f = layout.feature(i);
        (x - at(mean, f)) / (at(variance, f) + epsilon).sqrt() * at(scale, f) + at(offset, f)
    };
    x.iter().enumerate().map(one).collect()
}

fn training(layout: FeatureLayout, x: &[f64], scale: &[f64], offset: &[f64], epsilon: f64) -> Vec<Vec<f64>> {
    let count = layout.per_feature(x.len());
    let mean: Vec<f64> = layout.sums(x.len(), |i| x[i]).iter().map(|sum| sum / count).collect();
    let squares = layout.sums(x.len(), |i| (x[i] - mean[layout.feature(i)]).powi(2));
    let variance: Vec<f64> = squares.iter().map(|sum| sum / count).collect();
    vec![normalize(layout, x, scale, offset, &mean, &variance, epsilon), mean, variance]
}

/// With y = (x - mean) / sqrt(variance + epsilon): offset' = sum g, scale' = sum g y,
/// x' = scale / sqrt(..) * (g - mean(g) - y mean(g y)).
fn gradient(
    layout: FeatureLayout,
    x: &[f64],
    scale: &[f64],
    mean: &[f64],
    variance: &[f64],
    grad: &[f64],
    epsilon: f64,
) -> Vec<Vec<f64>> {
    let count = layout.per_feature(x.len());
    let deviation = |f: usize| (at(variance, f) + epsilon).sqrt();
    let y = |i: usize| {
        let f = layout.feature(i);
        (x[i] - at(mean, f)) / deviation(f)
    };
    let grad_offset = layout.sums(x.len(), |i| at(grad, i));
    let grad_scale = layout.sums(x.len(), |i| at(grad, i) * y(i));
    let grad_x = |i: usize| {
        let f = layout.feature(i);
        at(scale, f) / deviation(f) * (at(grad, i) - grad_offset[f] / count - y(i) * grad_scale[f] / count)
    };
    vec![(0..x.len()).map(grad_x).collect(), grad_scale, grad_offset]
}
