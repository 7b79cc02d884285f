//! Batch normalization as the sums and element-wise ops it is made of, which have kernels.
//!
//! ```text
//! training:   mean(x);  variance = mean((x - mean)^2);  (x - mean) * r + offset       r = scale / sqrt(variance + epsilon)
//! inference:  (x - mean) * r + offset
//! gradient:   n = (x - mean) / sqrt(variance + epsilon);  by offset: sum(g);  by scale: sum(g n);
//!             by x: r * (g - mean(g) - n * mean(g n))
//! ```
//!
//! Sums and means are over all but the features. Narrow floats are computed in `f32` and rounded at the end.

use crate::replace::replaced;
use meshwright_ir::op::{BatchNorm, BatchNormKind, UnaryOp};
use meshwright_ir::{Build, Builder, DType, Function, InstId, Module, Op, ValueId};

/// The module with each batch normalization written out, if it has any.
pub fn written_out(module: &Module) -> Option<Module> {
    replaced(module, norm, |func, inst, norm| write_out(func, inst, &norm))
}

fn norm(func: &Function, inst: InstId) -> Option<BatchNorm> {
    match &func.inst(inst).op {
        Op::BatchNorm(norm) => Some(norm.clone()),
        _ => None,
    }
}

fn write_out(func: &mut Function, inst: InstId, norm: &BatchNorm) -> Option<Vec<ValueId>> {
    let operands = func.inst(inst).operands.clone();
    let x = *operands.first()?;
    let (dtype, shape) = (func.ty(x).as_tensor()?.dtype, func.dims(x).to_vec());
    let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let mut b = Builder::before(func, inst);
    let operands: Vec<ValueId> = operands.iter().map(|value| b.convert(*value, wide)).collect();
    let mut writer = Writer { b, norm, shape };
    let results = match (norm.kind, &operands[..]) {
        (BatchNormKind::Training, [x, scale, offset]) => writer.training(*x, *scale, *offset),
        (BatchNormKind::Inference, [x, scale, offset, mean, variance]) => {
            let centred = writer.centred(*x, *mean);
            vec![writer.scaled(centred, *scale, *offset, *variance)]
        }
        (BatchNormKind::Grad, [x, scale, mean, variance, g]) => {
            let centred = writer.centred(*x, *mean);
            writer.gradient(centred, *scale, *variance, *g)
        }
        _ => return None,
    };
    Some(results.into_iter().map(|value| writer.b.convert(value, dtype)).collect())
}

struct Writer<'a> {
    b: Builder<'a>,
    norm: &'a BatchNorm,
    shape: Vec<i64>,
}

impl Writer<'_> {
    fn features(&self) -> i64 {
        self.shape[self.norm.feature_dim]
    }

    /// A vector with a number for each feature, where one number may stand for all.
    fn per_feature(&mut self, vector: ValueId) -> ValueId {
        let features = self.features();
        if self.b.func().dims(vector) == [features] {
            return vector;
        }
        let number = self.b.reshape(vector, &[]);
        self.b.broadcast(number, Vec::new(), &[features])
    }

    fn spread(&mut self, vector: ValueId) -> ValueId {
        let vector = self.per_feature(vector);
        self.b.broadcast(vector, vec![self.norm.feature_dim], &self.shape)
    }

    fn sum(&mut self, x: ValueId) -> ValueId {
        let others: Vec<usize> = (0..self.shape.len()).filter(|dim| *dim != self.norm.feature_dim).collect();
        self.b.sum(x, &others)
    }

    fn mean_of(&mut self, sum: ValueId) -> ValueId {
        let elements: i64 = self.shape.iter().product();
        let count = elements as f64 / self.features().max(1) as f64;
        let count = self.b.splat_like(sum, count);
        self.b.div(sum, count)
    }

    fn centred(&mut self, x: ValueId, mean: ValueId) -> ValueId {
        let mean = self.spread(mean);
        self.b.sub(x, mean)
    }

    /// `1 / sqrt(variance + epsilon)`, a number for each feature.
    fn inverse_deviation(&mut self, variance: ValueId) -> ValueId {
        let variance = self.per_feature(variance);
        let epsilon = self.b.splat_like(variance, f64::from(f32::from_bits(self.norm.epsilon)));
        let above = self.b.add(variance, epsilon);
        self.b.unary(UnaryOp::Rsqrt, above)
    }

    fn scaled(&mut self, centred: ValueId, scale: ValueId, offset: ValueId, variance: ValueId) -> ValueId {
        let inverse = self.inverse_deviation(variance);
        let scale = self.per_feature(scale);
        let slope = self.b.mul(inverse, scale);
        let (slope, offset) = (self.spread(slope), self.spread(offset));
        let scaled = self.b.mul(centred, slope);
        self.b.add(scaled, offset)
    }

    fn training(&mut self, x: ValueId, scale: ValueId, offset: ValueId) -> Vec<ValueId> {
        let sum = self.sum(x);
        let mean = self.mean_of(sum);
        let centred = self.centred(x, mean);
        let square = self.b.mul(centred, centred);
        let sum = self.sum(square);
        let variance = self.mean_of(sum);
        vec![self.scaled(centred, scale, offset, variance), mean, variance]
    }

    fn gradient(&mut self, centred: ValueId, scale: ValueId, variance: ValueId, g: ValueId) -> Vec<ValueId> {
        let inverse = self.inverse_deviation(variance);
        let scale = self.per_feature(scale);
        let slope = self.b.mul(inverse, scale);
        let (inverse, slope) = (self.spread(inverse), self.spread(slope));
        let normal = self.b.mul(centred, inverse);
        let along = self.b.mul(g, normal);
        let (by_offset, by_scale) = (self.sum(g), self.sum(along));
        let (mean, along) = (self.mean_of(by_offset), self.mean_of(by_scale));
        let (mean, along) = (self.spread(mean), self.spread(along));
        let along = self.b.mul(normal, along);
        let rest = self.b.sub(g, mean);
        let rest = self.b.sub(rest, along);
        vec![self.b.mul(rest, slope), by_scale, by_offset]
    }
}
