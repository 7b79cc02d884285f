//! Tokens to experts' places and back: by the masks of a [`Routing`] (GShard, Algorithm 2), or by index (GShard 3.2's
//! manual form). The same numbers both ways.
//!
//! The masks cost `G S E C M` multiplications each way, unless an engine sees that they are one-hot; indices cost what
//! is moved.

use super::route::{Choice, Routing};
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

/// Each place of a group looks up the token that sits there.
fn send_by_index(x: Tensor, routing: &Routing) -> Tensor {
    let (experts, places) = (routing.dispatch.dim(2), routing.dispatch.dim(3));
    let of_group = |(x, choices): (Tensor, Vec<Choice>)| {
        // Tokens count from 1, so that 0 is an empty place.
        let number = iota(i32, [x.dim(0)], 0) + 1;
        let sitting = choices.iter().fold(zeros(i32, [experts * places]), |sitting, choice| {
            // Beyond the last place: scattering there does nothing.
            let seat = choice.kept.select(choice.expert * places + choice.place, experts * places);
            sitting.scatter_add(seat, number)
        });
        let rows = x.take((sitting - 1).maximum(0), 0);
        let taken = sitting.gt(0).unsqueeze(-1).broadcast_to(rows.dims());
        taken.select(rows, 0.0).reshape([experts, places, x.dim(1)])
    };
    vmap((x, routing.choices.clone()), of_group).transpose([1, 0, 2, 3])
}

/// Each token of a group looks up the places of its choices.
fn bring_by_index(back: Tensor, routing: &Routing) -> Tensor {
    let places = back.dim(2);
    let of_group = |(back, choices): (Tensor, Vec<Choice>)| {
        let (seats, tokens, width) = (back.dim(0) * places, routing.combine.dim(1), back.dim(2));
        let back = back.reshape([seats, width]);
        let rows = choices.iter().map(|choice| {
            let seat = choice.expert * places + choice.place.minimum(places - 1);
            let row = back.take(seat, 0) * choice.weight.cast(back.dtype()).unsqueeze(-1);
            choice.kept.unsqueeze(-1).broadcast_to([tokens, width]).select(row, 0.0)
        });
        rows.reduce(|a, b| a + b).unwrap_or_else(|| zeros(back.dtype(), [tokens, width]))
    };
    vmap((back.transpose([1, 0, 2, 3]), routing.choices.clone()), of_group)
}
