//! Adafactor: the second moment of a matrix as one number per row and one per column.
//!
//! ```text
//! vr = d vr + (1-d) mean_columns(g^2 + eps1)     vc = d vc + (1-d) mean_rows(g^2 + eps1)
//! u = g / sqrt(vr vc / mean(vr))     u = u / max(1, rms(u) / clip)     w = w - rate scale u
//! ```
//!
//! Two dims of a parameter are factored, its largest (the later of equals), if both have `least` elements. Dims over
//! experts and stacked layers are never among them: each expert has its own statistics. The root mean squares of
//! updates and parameters are of the whole parameter, all its experts together, but of each stacked layer for itself.

use super::leaf::{Leaf, Slot};
use super::push::Push;
use meshwright_base::arrange::Arrange;
use meshwright_tensor::prelude::*;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adafactor {
    /// The decay is `1 - step^-0.8`, at most this.
    pub most_decay: f64,
    pub epsilon: f64,
    /// Updates of a larger root mean square are scaled down to it.
    pub clip: f64,
    /// Steps are relative to the root mean square of the parameter, which counts as at least this.
    pub relative: Option<f64>,
    /// Dims smaller than this are not factored.
    pub least: i64,
}

impl Adafactor {
    /// GShard A.2: beta1 = 0, beta2 = 0.99 with the schedule, clipping at 1. Steps are relative to the parameter, as in
    /// the configuration that the authors published.
    pub const GSHARD: Adafactor = Adafactor { most_decay: 0.99, ..Adafactor::T5 };
    /// The same as the words of A.2 may be read: the rate is used as it is. At the paper's rate of 1 this diverges.
    pub const GSHARD_AS_PRINTED: Adafactor = Adafactor { relative: None, ..Adafactor::GSHARD };
    /// T5's, which the Switch Transformer took over.
    pub const T5: Adafactor =
        Adafactor { most_decay: 1.0, epsilon: 1e-30, clip: 1.0, relative: Some(1e-3), least: 128 };

    /// Rows and columns: the dims that are factored, in order.
    pub fn factored(&self, leaf: &Leaf) -> Option<(usize, usize)> {
        let mut dims = leaf.own_dims();
        dims.arrange_by_key(|dim| (-leaf.dims[*dim].1, -(*dim as i64)));
        match dims[..] {
            [a, b, ..] if leaf.dims[b].1 >= self.least => Some((a.min(b), a.max(b))),
            _ => None,
        }
    }

    pub(super) fn slots(&self, leaf: &Leaf) -> Vec<Slot> {
        match self.factored(leaf) {
            Some((row, column)) => {
                vec![leaf.slot_without("rows", column), leaf.slot_without("columns", row)]
            }
            None => vec![leaf.slot("square")],
        }
    }

    pub(super) fn push(
        &self,
        leaf: &Leaf,
        w: Tensor,
        gradient: Tensor,
        states: &[Tensor],
        step: Tensor,
    ) -> (Push, Vec<Tensor>) {
        let decay = (1.0_f64 - (step.log() * -0.8).exp()).minimum(self.most_decay);
        let square = gradient * gradient + self.epsilon;
        let mix = |old: Tensor, new: Tensor| decay * old + (1.0 - decay) * new;
        let (scale, states) = match (self.factored(leaf), states) {
            (Some((row, column)), [rows, columns]) => {
                let rows = mix(*rows, square.mean(column));
                let columns = mix(*columns, square.mean(row));
                // Without the column's dim the row's has kept its place.
                let share = (rows / rows.mean_keep(row)).unsqueeze(column as i64);
                ((share * columns.unsqueeze(row as i64)).rsqrt(), vec![rows, columns])
            }
            (_, [old]) => {
                let new = mix(*old, square);
                (new.rsqrt(), vec![new])
            }
            _ => return (Push::of(gradient), states.to_vec()),
        };
        let rms = |x: Tensor| leaf.mean(x * x).sqrt();
        let push = gradient * scale;
        let push = push / (rms(push) / self.clip).maximum(1.0);
        let by = self.relative.map(|least| rms(w).maximum(least));
        (Push { x: push, by }, states)
    }
}
