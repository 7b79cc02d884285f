//! Tokens to experts' places and back: by the masks of a [`Routing`] (GShard, Algorithm 2), or by index (GShard 3.2's
//! manual form). The same numbers both ways.
//!
//! The masks cost `G S E C M` multiplications each way, unless an engine sees that they are one-hot; indices cost what
//! is moved.

use super::route::Routing;
use meshwright_tensor::prelude::*;

/// How tokens are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// Products with one-hot masks.
    Einsum,
    /// Rows by index.
    Gather,
    /// Rows sorted by expert, in blocks of this many, whatever the capacity: nobody is dropped (see `sorted`).
    Sorted { block: i64 },
}

impl Exchange {
    /// `x [G, S, M]` at its places, `[E, G, C, M]`; 0 where nobody is.
    pub fn send(self, x: Tensor, routing: &Routing) -> Tensor {
        match self {
            Exchange::Einsum => {
                let dispatch = routing.dispatch.cast(x.dtype()).logical(["group", "", "", ""]);
                einsum("gsec,gsm->egcm", [dispatch, x])
            }
            Exchange::Gather | Exchange::Sorted { .. } => send_by_index(x, routing),
        }
    }

    /// What experts made of them, `[E, G, C, M]`, weighted and summed per token: `[G, S, M]`.
    pub fn bring(self, back: Tensor, routing: &Routing) -> Tensor {
        match self {
            Exchange::Einsum => {
                let combine = routing.combine.cast(back.dtype()).logical(["group", "", "", ""]);
                einsum("gsec,egcm->gsm", [combine, back])
            }
            Exchange::Gather | Exchange::Sorted { .. } => bring_by_index(back, routing),
        }
    }
}

/// Each place looks up the token that sits there.
fn send_by_index(x: Tensor, routing: &Routing) -> Tensor {
    let (groups, tokens, model) = (x.dim(0), x.dim(1), x.dim(2));
    let (experts, places) = (routing.dispatch.dim(2), routing.dispatch.dim(3));
    // Tokens count from 1, so that 0 is an empty place.
    let number = iota(i32, [groups, tokens], 1) + 1;
    let none = zeros(i32, [groups, experts, places]);
    let sitting = routing.choices.iter().fold(none, |sitting, choice| {
        // Beyond the last place: scattering there does nothing.
        let place = choice.kept.select(choice.place, places);
        let at = stack([iota(i32, [groups, tokens], 0), choice.expert, place], -1);
        sitting.scatter_add_nd(at, number)
    });
    let (group, token) = (iota(i32, [groups, experts, places], 0), (sitting - 1).maximum(0));
    let rows = x.gather_nd(stack([group, token], -1));
    let taken = sitting.gt(0).unsqueeze(-1).broadcast_to([groups, experts, places, model]);
    taken.select(rows, 0.0).transpose([1, 0, 2, 3])
}

/// Each token looks up the places of its choices.
fn bring_by_index(back: Tensor, routing: &Routing) -> Tensor {
    let (groups, places, model) = (back.dim(1), back.dim(2), back.dim(3));
    let rows = routing.choices.iter().map(|choice| {
        let tokens = choice.expert.dim(1);
        let place = choice.place.minimum(places - 1);
        let at = stack([choice.expert, iota(i32, [groups, tokens], 0), place], -1);
        let row = back.gather_nd(at) * choice.weight.cast(back.dtype()).unsqueeze(-1);
        let kept = choice.kept.unsqueeze(-1).broadcast_to([groups, tokens, model]);
        kept.select(row, 0.0)
    });
    let tokens = routing.combine.dim(1);
    rows.reduce(|a, b| a + b).unwrap_or_else(|| zeros(back.dtype(), [groups, tokens, model]))
}
