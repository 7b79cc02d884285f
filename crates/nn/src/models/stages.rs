//! The blocks of a stack at work as a pipeline: runs of them on the stages, several microbatches under way.
//!
//! The blocks of a stage are traced one after the other, each with weights `[stage, ..]` of its own: their gradients
//! are summed up over microbatches where they lie. A loop over the blocks would make them once more, as one pile.
//!
//! What is before the stack and behind it is not piped: embedding and softmax lie on all devices as rules say of
//! `batch`; inside of the stages, rules of `stage/batch` speak. With a microbatch goes all that its blocks are given:
//! masks, what a decoder sees of the encoder, the key of its dropout.

use super::blocks::{Run, Told, placed};
use super::piped::Piped;
use super::transformer::{Stack, View};
use meshwright_tensor::prelude::*;

/// What goes through the stages with a microbatch.
type Load = (Tensor, View, Option<Key>);

impl Run<'_> {
    /// All blocks, with every `n`-th sequence as a microbatch: a batch that is split over devices stays where it is.
    /// Also what they told, and of how many parts.
    pub(super) fn piped(&self, x: Tensor, key: Option<Key>, piped: Piped) -> (Tensor, Vec<Told>, i64) {
        let net = &self.stack.net;
        let piped = piped.fitted(x.dim(0), self.stack.moe().map(|moe| moe.groups));
        let parts = piped.microbatches;
        let net = net.part(parts);
        let stack = Stack { net: &net, blocks: self.stack.traced(), ..self.stack.clone() };
        let (x, told) = scope("stage", || {
            let key = key.map(|key| vmap(range(i32, parts), |part| key.fold_in(part)));
            let load: Load = (microbatches(x, parts), self.view.map(&mut |x| microbatches(x, parts)), key);
            let layers = (self.piles(), piped.numbers());
            let ((x, ..), told) = pipeline(load, layers, piped.how(), |(x, view, key), (p, number)| {
                let run = Run { stack: &stack, p: &p, view, ..*self }.with_bias(x.dim(1));
                let (x, told) = run.unrolled(x, key.map(|key| key.fold_in(number)));
                ((x, view, key), told)
            });
            (together(x), told)
        });
        (placed(x), told, parts)
    }
}

/// `[batch, ..]` to `[microbatch, batch of it, ..]`.
pub(super) fn microbatches(x: Tensor, parts: i64) -> Tensor {
    let dims = x.dims();
    let split = x.reshape([&[dims[0] / parts, parts], &dims[1..]].concat()).swap_dims(0, 1);
    match dims.len() {
        3 => split.logical(["microbatch", "batch", "", "features"]),
        _ => split.logical(["microbatch", "batch", ""]),
    }
}

/// And back.
pub(super) fn together(x: Tensor) -> Tensor {
    let dims = x.dims();
    let x = x.logical(["microbatch", "batch", "", "features"]).swap_dims(0, 1);
    x.reshape([&[dims[0] * dims[1]], &dims[2..]].concat())
}
