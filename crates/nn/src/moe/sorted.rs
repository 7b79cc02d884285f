//! Dropless exchange: the rows of a group sorted by expert, in blocks of which each has one expert, and a product per
//! block with that expert's weights (a grouped product). Nobody is dropped for want of a place, and no place is
//! computed that holds nobody, but for the end of each expert's last block.
//!
//! ```text
//! experts of rows  2 0 2 1 2   blocks of 2   =>   0 .   1 .   2 2   2 .   (the last `E` blocks may stay empty)
//! ```
//!
//! Shapes are static: `ceil(k S / block) + E` blocks hold whatever may come. Each block has a copy of its expert's
//! weights, which is what this costs in memory; blocks as large as an expert's share of a group keep it near the
//! weights themselves. A group is sorted for itself, so that groups over devices need no exchange; split experts are
//! gathered.

use super::route::{Choice, Routing};
use super::rows::Rows;
use meshwright_tensor::prelude::*;

/// `x [G, S, M]` to its experts in blocks, and weighted and summed back: `[G, S, N]`. `routing` knows no capacity.
pub(super) fn visit(
    x: Tensor,
    routing: &Routing,
    experts: i64,
    block: i64,
    compute: impl FnOnce(Rows) -> Tensor,
) -> Tensor {
    let (groups, tokens, model) = (x.dim(0), x.dim(1), x.dim(2));
    let choices = &routing.choices;
    let rows = tokens * choices.len() as i64;
    let blocks = (rows + block - 1) / block + experts;
    // Choice after choice, token after token: [G, kS].
    let joined = |of: fn(&Choice) -> Tensor| concat(choices.iter().map(of).collect::<Vec<_>>(), 1);
    let (expert, used, weight) = (joined(|one| one.expert), joined(|one| one.kept), joined(|one| one.weight));
    let seats = Seats::of(expert, used, experts, block);
    let token = iota(i32, [groups, tokens], 1);
    let token = concat(vec![token; choices.len()], 1);
    // Each place looks up its token. Tokens count from 1, so that 0 is an empty place.
    let place = used.select(seats.place, blocks * block);
    let group = iota(i32, [groups, rows], 0);
    let sitting = zeros(i32, [groups, blocks * block]).scatter_add_nd(stack([group, place], -1), token + 1);
    let from = stack([iota(i32, sitting.dims(), 0), (sitting - 1).maximum(0)], -1);
    let taken = sitting.gt(0).unsqueeze(-1).broadcast_to([groups, blocks * block, model]);
    let sent = taken.select(x.gather_nd(from), 0.0).reshape([groups, blocks, block, model]);
    let made = compute(Rows::in_blocks(sent, seats.of_blocks(blocks, block)));
    // Each choice looks up its place.
    let made = made.reshape([groups, blocks * block, made.dim(-1)]);
    let place = place.minimum(blocks * block - 1);
    let back = made.gather_nd(stack([group, place], -1));
    let weight = used.select(weight, 0.0).cast(back.dtype()).unsqueeze(-1);
    let all = (back * weight).reshape([groups, choices.len() as i64, tokens, made.dim(-1)]);
    all.sum(1)
}

/// Where rows stand when each expert's begin at a block.
struct Seats {
    /// `s32[G, R]`.
    place: Tensor,
    /// Where the places of each expert end, `s32[G, E]`.
    end: Tensor,
}

impl Seats {
    fn of(expert: Tensor, used: Tensor, experts: i64, block: i64) -> Seats {
        let mask = expert.one_hot(experts, i32) * used.cast(i32).unsqueeze(-1);
        let rank = ((mask.cumsum(1) - mask) * mask).sum(-1);
        let blocks = (mask.sum(1) + (block - 1)) / block;
        let end = blocks.cumsum(1) * block;
        let begin = end - blocks * block;
        let place = (mask * begin.unsqueeze(1)).sum(-1) + rank;
        Seats { place, end }
    }

    /// The expert of each block: as many as have ended before it. Blocks after the last are empty; they are the last's.
    fn of_blocks(&self, blocks: i64, block: i64) -> Tensor {
        let (groups, experts) = (self.end.dim(0), self.end.dim(1));
        let begin = iota(i32, [groups, blocks, experts], 1) * block;
        let ended = self.end.unsqueeze(1).broadcast_to([groups, blocks, experts]).le(begin);
        ended.cast(i32).sum(-1).minimum(experts - 1)
    }
}
