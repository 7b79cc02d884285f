//! Losses: one number per element or example, to be masked, weighed and averaged by `.mean(..)`; [`mse`] is a mean
//! itself. (The usual loss of a classifier is [`Tensor::cross_entropy`].)
//!
//! Predictions and targets must have one shape: `[8, 1]` and `[8]` would be 64 pairs.

use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// The mean of squared differences.
#[track_caller]
pub fn mse(x: Tensor, target: Tensor) -> Tensor {
    squared_error(x, target).mean(..)
}

#[track_caller]
pub fn squared_error(x: Tensor, target: Tensor) -> Tensor {
    paired("a squared error", x, target).unwrap_or_else(|| (x - target).square())
}

/// The square of a difference up to `delta`, halved, and from there on a line.
#[track_caller]
pub fn huber(x: Tensor, target: Tensor, delta: f64) -> Tensor {
    paired("a Huber loss", x, target).unwrap_or_else(|| {
        let off = (x - target).abs();
        let near = off.minimum(delta);
        near * (off - near * 0.5)
    })
}

/// -log of the probability that a coin with these logits falls as it did: a target is 0, 1 or a share of both.
#[track_caller]
pub fn binary_cross_entropy(logits: Tensor, target: Tensor) -> Tensor {
    paired("a binary cross entropy", logits, target).unwrap_or_else(|| logits.softplus() - logits * target)
}

/// From softmax of logits to the probabilities `p`, along the last dim: the sum of `p (log p - log q)`.
#[track_caller]
pub fn kl_divergence(p: Tensor, logits: Tensor) -> Tensor {
    paired("a divergence", p, logits).map_or_else(
        || {
            let log_p = p.gt(0.0).select(p, 1.0).log();
            (p * (log_p - logits.log_softmax(-1))).sum(-1)
        },
        |wrong| wrong.sum(-1),
    )
}

/// Cross entropy with a share of each label spread evenly over all classes, which are the last dim.
#[track_caller]
pub fn smoothed_cross_entropy(logits: Tensor, labels: Tensor, smoothing: f64) -> Tensor {
    let spread = -logits.log_softmax(-1).mean(-1);
    logits.cross_entropy(labels) * (1.0 - smoothing) + spread * smoothing
}

/// -log of what the logits say in the mean over `p`, probabilities along the last dim: the sum of `- p log q`.
#[track_caller]
pub fn soft_cross_entropy(logits: Tensor, p: Tensor) -> Tensor {
    paired("a soft cross entropy", p, logits)
        .map_or_else(|| -(p * logits.log_softmax(-1)).sum(-1), |wrong| wrong.sum(-1))
}

/// What a [`ctc`] is asked of: labels `s32[batch, most]` and how many of them count, and how many of the times count,
/// both `s32[batch]`.
#[derive(Clone, Copy, Debug)]
pub struct Transcripts {
    pub labels: Tensor,
    pub label_lengths: Tensor,
    pub times: Tensor,
}

/// -log of the chance that logits `[batch, time, classes]` spell the labels, in any way in which repeated classes are
/// one and class `blank` is nothing (Graves et al.). One number per sequence; labels that do not fit into the time cost
/// about 1e30.
///
/// Labels are taken as `blank l1 blank l2 .. blank`; `alpha[s]` is log of the chance of having spelt that much.
#[track_caller]
pub fn ctc(logits: Tensor, to: Transcripts, blank: i64) -> Tensor {
    if logits.rank() != 3 || to.labels.rank() != 2 || logits.dim(0) != to.labels.dim(0) {
        let message = format!("a CTC loss of {logits:?} and labels {:?}", to.labels);
        let help = "give logits `[batch, time, classes]` and labels `[batch, most]`";
        return refuse(&[logits, to.labels], to.times.ty().with_dtype(logits.dtype()), &message, help);
    }
    let (batch, most) = (to.labels.dim(0), to.labels.dim(1));
    let states = 2 * most + 1;
    let between = to.labels.full_like(blank);
    let pairs = stack([between, to.labels], -1).reshape([batch, 2 * most]);
    let spelt = pairs.pad([(0, 0), (0, 1)], blank);
    let log_p = logits.log_softmax(-1);
    let said = einsum("btc,bsc->tbs", [log_p, spelt.one_hot(logits.dim(-1), log_p.dtype())]);
    let at = iota(i32, [batch, states], 1);
    // A blank may be left out between different labels.
    let may_skip = spelt.ne(blank) & spelt.ne(spelt.roll(2, 1)) & at.ge(2);
    let first = at.lt(2).select(said.slice((0,)), NEVER);
    let rest = (said.slice((1..logits.dim(1),)), range(i32, logits.dim(1)).slice((1..logits.dim(1),)));
    let (alpha, ()) = scan(first, rest, |alpha, (said, time)| {
        let one = at.ge(1).select(alpha.roll(1, 1), NEVER);
        let two = may_skip.select(alpha.roll(2, 1), NEVER);
        let next = log_sum([alpha, one, two]) + said;
        (to.times.unsqueeze(-1).gt(time).select(next, alpha), ())
    });
    let last = (to.label_lengths * 2).unsqueeze(-1);
    let end = |back: i64| at.eq(last - back).select(alpha, NEVER).max(1);
    -log_sum([end(0), end(1)])
}

/// A logarithm of nearly nothing: finite, so that a difference of two is no NaN.
const NEVER: f64 = -1e30;

fn log_sum<const N: usize>(logs: [Tensor; N]) -> Tensor {
    stack(logs, -1).logsumexp(-1)
}

/// A stand-in if the two are not of one shape.
#[track_caller]
fn paired(what: &str, x: Tensor, target: Tensor) -> Option<Tensor> {
    if x.dims() == target.dims() {
        return None;
    }
    let message = format!("{what} of {x:?} and {target:?}: the shapes differ");
    let help = "bring both to one shape; a dim of 1 is added by `unsqueeze` and dropped by `squeeze`";
    Some(refuse(&[x, target], x.ty(), &message, help))
}
