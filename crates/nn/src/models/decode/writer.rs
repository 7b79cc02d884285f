//! One turn of a decoder: a token of each hypothesis is read, and the logits of the next come out.
//!
//! The same layers, weights and numbers as [`Stack::apply`] on a whole window, of which this is the last place: what it
//! says of earlier places is in what was kept. Stacked blocks and those on stages of a pipeline are taken one by one.

use super::cache::{CacheSize, KeysValues, Visible};
use crate::layers::attention::{Mask, wide};
use crate::layers::embed::Embedding;
use crate::models::blocks::placed;
use crate::models::transformer::{Stack, under};
use crate::params::Params;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// A decoder with the table of its tokens.
#[derive(Clone, Debug)]
pub struct Writer<'a> {
    pub stack: Stack<'a>,
    pub embedding: Embedding,
    /// The row that is read where a text begins, which is token 0.
    pub start: i64,
}

/// What an encoder made of sources.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Encoded {
    /// `[batch, length, model]`.
    pub x: Tensor,
    /// Tokens that are not padding, `pred[batch, length]`.
    pub real: Tensor,
}

/// A decoder with its weights and all else that is the same in every turn.
pub struct Writing<'a> {
    writer: &'a Writer<'a>,
    p: &'a Params,
    pub size: CacheSize,
    /// The weights of each block, and the number they are called by.
    blocks: Vec<(usize, Params)>,
    /// Of every block the keys and values of the memory, and which of its tokens are real.
    memory: Option<(Vec<KeysValues>, Tensor)>,
    /// The position bias by distance, `[2 places - 1, heads]`.
    bias: Option<Tensor>,
}

impl<'a> Writing<'a> {
    pub fn new(
        writer: &'a Writer<'a>,
        p: &'a Params,
        memory: Option<Encoded>,
        size: CacheSize,
    ) -> Writing<'a> {
        let stack = &writer.stack;
        let blocks: Vec<(usize, Params)> = (0..stack.blocks).map(|block| stack.of_block(p, block)).collect();
        let across = |Encoded { x, real }: Encoded| {
            let of = |(number, p): &(usize, Params)| {
                let (keys, values) = stack.attention(*number, "cross").memories(p, x, None);
                KeysValues { keys, values }
            };
            (blocks.iter().map(of).collect(), real)
        };
        let memory = memory.filter(|_| stack.cross).map(across);
        let bias = stack.bias().map(|bias| bias.by_distance(p, size.places, size.places));
        Writing { writer, p, size, blocks, memory, bias }
    }

    /// The type of logits.
    pub fn dtype(&self) -> DType {
        wide(self.writer.stack.net.compute)
    }

    /// What is kept before the first turn, by block.
    pub fn nothing(&self) -> Vec<KeysValues> {
        let stack = &self.writer.stack;
        let none = |(number, _): &(usize, Params)| {
            KeysValues::none(stack.net.compute, self.size, &stack.attention(*number, "attention"))
        };
        self.blocks.iter().map(none).collect()
    }

    /// Read `tokens s32[batch, beam]`, all at the same place: the logits of what follows, `[batch, beam, vocab]`, and
    /// what is kept then. `real` (`pred[batch, beam]`) are hypotheses that are still written: the others take no
    /// expert's place. `mine` is of a flat sequence, with these tokens in it.
    pub fn turn(
        &self,
        tokens: Tensor,
        place: Tensor,
        kept: &[KeysValues],
        mine: Option<Tensor>,
        real: Option<Tensor>,
    ) -> (Tensor, Vec<KeysValues>) {
        let Writer { stack, embedding, .. } = self.writer;
        let mut x = placed(self.embedded(tokens, place));
        let turn = Visible { place, mine, bias: self.bias_at(place) };
        let mut after = Vec::new();
        for (block, kept) in kept.iter().enumerate() {
            let (out, kept) = self.block(x, block, *kept, turn, real);
            x = out;
            after.push(kept);
        }
        let x = stack.net.norm.apply(under(stack.path, "final_norm"), self.p, x, stack.net.epsilon);
        let logits = embedding.logits(self.p, x);
        (logits.cast(self.dtype()), after)
    }

    fn embedded(&self, tokens: Tensor, place: Tensor) -> Tensor {
        let Writer { stack, embedding, start } = self.writer;
        let tokens = if *start == 0 { tokens } else { tokens.eq(0).select(*start, tokens) };
        let x = embedding.apply(self.p, tokens).cast(stack.net.compute);
        let waves = stack.net.position.waves(|| at(place), stack.net.model);
        waves.map_or(x, |waves| x + waves.cast(x.dtype()))
    }

    /// The bias of keys at all places for a query at this one, `[heads, places]`.
    fn bias_at(&self, place: Tensor) -> Option<Tensor> {
        let rows = self.bias?;
        let (places, heads) = (self.size.places, rows.dim(1));
        let first = scalar(i32, places - 1) - place;
        Some(rows.dynamic_slice([first, scalar(i32, 0)], [places, heads]).t())
    }

    fn block(
        &self,
        x: Tensor,
        block: usize,
        kept: KeysValues,
        turn: Visible,
        real: Option<Tensor>,
    ) -> (Tensor, KeysValues) {
        let stack = &self.writer.stack;
        let (number, p) = &self.blocks[block];
        scope(stack.at(block, "").trim_end_matches('.'), || {
            let normed = |x: Tensor, name: &str| {
                stack.net.norm.apply(stack.at(*number, name), p, x, stack.net.epsilon)
            };
            let (seen, kept) = self.look(normed(x, "attention_norm"), block, kept, turn, real);
            let x = placed(x + seen);
            let x = match &self.memory {
                Some((memory, is_real)) => {
                    let attention = stack.attention(*number, "cross");
                    let q = attention.queries(p, normed(x, "cross_norm"), None);
                    let mask = Mask { real: Some(*is_real), ..Mask::default() };
                    let KeysValues { keys, values } = memory[block];
                    let seen = attention.attend(q, keys, values, mask, None, None);
                    placed(x + attention.out(p, seen.logical(["batch", "", "act_heads", ""])))
                }
                None => x,
            };
            let inner = normed(x, "mlp_norm");
            let more = match stack.experts(*number) {
                Some(experts) => experts.apply(p, inner, stack.routed(real), None).0,
                None => stack.ffn(*number).apply(p, inner, None),
            };
            (placed(x + more), kept)
        })
    }

    /// Attention to what was kept and to the token itself.
    fn look(
        &self,
        x: Tensor,
        block: usize,
        kept: KeysValues,
        turn: Visible,
        real: Option<Tensor>,
    ) -> (Tensor, KeysValues) {
        let (number, p) = &self.blocks[block];
        let attention = self.writer.stack.attention(*number, "attention");
        let (q, more) = match self.writer.stack.expert_attention(*number) {
            Some(experts) => {
                let ([q, both], _) = experts.projected(p, x, real, [None; 2]);
                (q, KeysValues { keys: both, values: both })
            }
            None => {
                let places = attention.rotary.map(|_| at(turn.place));
                let (keys, values) = attention.memories(p, x, places);
                (attention.queries(p, x, places), KeysValues { keys, values })
            }
        };
        let kept = kept.with(more, turn.place, self.size);
        let seen = kept.seen(&attention, q, turn, self.size);
        (attention.out(p, seen), kept)
    }
}

/// A place as positions take them, `[1, 1]`.
fn at(place: Tensor) -> Tensor {
    place.cast(default_float()).reshape([1, 1])
}
