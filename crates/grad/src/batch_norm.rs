//! The derivative of batch normalization, written in element-wise ops and sums.
//!
//! ```text
//! y = (x - mean) * r * scale + offset        r = 1 / sqrt(variance + epsilon)
//! ```
//!
//! Also of the op that is itself the derivative, of `n = (x - mean) * r` and the cotangent `g` of `y`, with sums and
//! means over all but the features:
//!
//! ```text
//! by x: scale * r * (g - mean(g) - n * mean(g n))        by scale: sum(g n)        by offset: sum(g)
//! ```

use crate::tape::Tape;
use meshwright_ir::op::{BatchNorm, BatchNormKind, UnaryOp};
use meshwright_ir::{Build, InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &BatchNorm, cotangents: &[Option<ValueId>]) {
    match op.kind {
        BatchNormKind::Training => training(t, inst, op, cotangents),
        BatchNormKind::Inference => inference(t, inst, op, cotangents),
        BatchNormKind::Grad => gradient(t, inst, op, cotangents),
    }
}

/// A vector of features, or a number for all, spread over the operand's shape.
fn spread(t: &mut Tape<'_>, op: &BatchNorm, vector: ValueId, shape: &[i64]) -> ValueId {
    if t.func.dims(vector) == [shape[op.feature_dim]] {
        t.broadcast(vector, vec![op.feature_dim], shape)
    } else {
        let number = t.reshape(vector, &[]);
        t.broadcast(number, Vec::new(), shape)
    }
}

/// The sum over all but the features; over those too where one number stands for all.
fn gathered(t: &mut Tape<'_>, op: &BatchNorm, like: ValueId, x: ValueId) -> ValueId {
    let rank = t.func.dims(x).len();
    let dims = t.func.dims(like).to_vec();
    let features = t.func.dims(x)[op.feature_dim];
    if dims == [features] {
        let others: Vec<usize> = (0..rank).filter(|dim| *dim != op.feature_dim).collect();
        t.sum(x, &others)
    } else {
        let sum = t.sum_all(x);
        t.reshape(sum, &dims)
    }
}

fn pull_gathered(t: &mut Tape<'_>, op: &BatchNorm, operand: ValueId, x: ValueId) {
    if t.is_varied(operand) {
        let given = gathered(t, op, operand, x);
        t.pull(operand, given);
    }
}

/// `r`, spread.
fn deviation(t: &mut Tape<'_>, op: &BatchNorm, variance: ValueId, shape: &[i64]) -> ValueId {
    let variance = spread(t, op, variance, shape);
    let epsilon = t.splat_like(variance, f64::from(f32::from_bits(op.epsilon)));
    let above = t.add(variance, epsilon);
    t.unary(UnaryOp::Rsqrt, above)
}

fn inference(t: &mut Tape<'_>, inst: InstId, op: &BatchNorm, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([x, scale, offset, mean, variance], [Some(c)]) = (&it.operands[..], cotangents) else { return };
    let shape = t.func.dims(*x).to_vec();
    let (values, means, variances, scales) =
        (t.primal(*x), t.primal(*mean), t.primal(*variance), t.primal(*scale));
    let r = deviation(t, op, variances, &shape);
    let (means, scales) = (spread(t, op, means, &shape), spread(t, op, scales, &shape));
    let centred = t.sub(values, means);
    let normal = t.mul(centred, r);
    let slope = t.mul(scales, r);
    let dx = t.mul(*c, slope);
    t.pull(*x, dx);
    pull_gathered(t, op, *offset, *c);
    let by_scale = t.mul(*c, normal);
    pull_gathered(t, op, *scale, by_scale);
    let by_mean = t.neg(dx);
    pull_gathered(t, op, *mean, by_mean);
    // d r = -r^3 / 2 d variance.
    let product = t.mul(dx, normal);
    let product = t.mul(product, r);
    let by_variance = t.scale(product, -0.5);
    pull_gathered(t, op, *variance, by_variance);
}

fn training(t: &mut Tape<'_>, inst: InstId, op: &BatchNorm, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([x, scale, offset], [_, mean, variance]) = (&it.operands[..], &it.results[..]) else { return };
    let shape = t.func.dims(*x).to_vec();
    let count = t.tensor(*x).elements() / shape[op.feature_dim].max(1);
    let share = 1.0 / count.max(1) as f64;
    let (values, means) = (t.primal(*x), t.primal(*mean));
    let means = spread(t, op, means, &shape);
    let centred = t.sub(values, means);
    if let Some(c) = cotangents[0] {
        let (variances, scales) = (t.primal(*variance), t.primal(*scale));
        let r = deviation(t, op, variances, &shape);
        let scales = spread(t, op, scales, &shape);
        let normal = t.mul(centred, r);
        let by_scale = t.mul(c, normal);
        pull_gathered(t, op, *scale, by_scale);
        pull_gathered(t, op, *offset, c);
        let (sum, along) = (gathered(t, op, *mean, c), gathered(t, op, *mean, by_scale));
        let (sum, along) = (t.scale(sum, share), t.scale(along, share));
        let (sum, along) = (spread(t, op, sum, &shape), spread(t, op, along, &shape));
        let along = t.mul(normal, along);
        let rest = t.sub(c, sum);
        let rest = t.sub(rest, along);
        let slope = t.mul(scales, r);
        let dx = t.mul(rest, slope);
        t.pull(*x, dx);
    }
    if let Some(c) = cotangents[1] {
        let each = t.scale(c, share);
        let dx = spread(t, op, each, &shape);
        t.pull(*x, dx);
    }
    if let Some(c) = cotangents[2] {
        let each = t.scale(c, 2.0 * share);
        let each = spread(t, op, each, &shape);
        let dx = t.mul(centred, each);
        t.pull(*x, dx);
    }
}

/// The sum of `x` over all but the features, divided by their number, at every element.
fn averaged(t: &mut Tape<'_>, op: &BatchNorm, like: ValueId, x: ValueId) -> ValueId {
    let shape = t.func.dims(x).to_vec();
    let count = t.tensor(x).elements() / shape[op.feature_dim].max(1);
    let sum = gathered(t, op, like, x);
    let mean = t.scale(sum, 1.0 / count.max(1) as f64);
    spread(t, op, mean, &shape)
}

/// With `w = c * scale * r`, where `c` belongs to the result by x, and `b` and `o` to those by scale and offset:
///
/// ```text
/// by g: w - mean(w) + n * (b - mean(w n)) + o
/// by n: g * (b - mean(w n)) - w * mean(g n)
/// by scale * r: sum(c * (g - mean(g) - n * mean(g n)))
/// ```
fn gradient(t: &mut Tape<'_>, inst: InstId, op: &BatchNorm, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([x, scale, mean, variance, grad], [by_x, by_scale, by_offset]) = (&it.operands[..], cotangents)
    else {
        return;
    };
    let shape = t.func.dims(*x).to_vec();
    let [values, scales, means, variances, g] = [*x, *scale, *mean, *variance, *grad].map(|v| t.primal(v));
    let r = deviation(t, op, variances, &shape);
    let (scales, means) = (spread(t, op, scales, &shape), spread(t, op, means, &shape));
    let centred = t.sub(values, means);
    let n = t.mul(centred, r);
    let zero = t.zeros_like(values);
    let c = by_x.unwrap_or(zero);
    let [b, o] = [by_scale, by_offset].map(|c| c.map_or(zero, |c| spread(t, op, c, &shape)));
    let slope = t.mul(scales, r);
    let w = t.mul(c, slope);
    let (wn, gn) = (t.mul(w, n), t.mul(g, n));
    let (wn, gn) = (averaged(t, op, *scale, wn), averaged(t, op, *scale, gn));
    let along = t.sub(b, wn);

    let mean_w = averaged(t, op, *scale, w);
    let rest = t.sub(w, mean_w);
    let turned = t.mul(n, along);
    let rest = t.add(rest, turned);
    let given = t.add(rest, o);
    t.pull(*grad, given);

    let (up, down) = (t.mul(g, along), t.mul(w, gn));
    let dn = t.sub(up, down);
    let dx = t.mul(dn, r);
    t.pull(*x, dx);
    let dm = t.neg(dx);
    pull_gathered(t, op, *mean, dm);

    let mean_g = averaged(t, op, *scale, g);
    let core = t.sub(g, mean_g);
    let turned = t.mul(n, gn);
    let core = t.sub(core, turned);
    let by_slope = t.mul(c, core);
    let ds = t.mul(by_slope, r);
    pull_gathered(t, op, *scale, ds);
    // d r = -r^3 / 2 d variance.
    let (one, two) = (t.mul(by_slope, scales), t.mul(dn, centred));
    let dr = t.add(one, two);
    let square = t.mul(r, r);
    let cube = t.mul(square, r);
    let product = t.mul(dr, cube);
    let dv = t.scale(product, -0.5);
    pull_gathered(t, op, *variance, dv);
}
