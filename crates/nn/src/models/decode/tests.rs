//! Experts with few places while decoding: the tokens of a turn compete, and nobody else.

use super::cache::{CacheLayout, CacheSize, KeysValues};
use super::writer::Writing;
use crate::layers::attention::Mask;
use crate::models::family::{Sizes, dense2d};
use crate::models::language::Language;
use crate::models::transformer::{Moe, Stack, Transformer, under};
use crate::moe::capacity::Capacity;
use crate::moe::layer::Experts;
use crate::params::Params;
use meshwright_interp::{Data, Tensor as Array};
use meshwright_tensor::prelude::*;

const SIZES: Sizes =
    Sizes { model: 8, hidden: 12, heads: 2, kv: 4, gated: false, experts: 4, every: 2, groups: 1, room: 200 };
const VOCAB: i64 = 16;

/// The blocks on whole windows, where the tokens at one place are the groups of experts.
fn by_place(stack: &Stack<'_>, p: &Params, mut x: Tensor) -> Tensor {
    let net = stack.net;
    for block in 0..stack.blocks {
        let normed = |x: Tensor, name: &str| net.norm.apply(stack.at(block, name), p, x, net.epsilon);
        let (inner, mask) = (normed(x, "attention_norm"), Mask { causal: true, ..Mask::default() });
        x = x + stack.attention(block, "attention").apply(p, inner, inner, mask, None, None);
        let inner = normed(x, "mlp_norm");
        x = x + match stack.experts(block) {
            Some(experts) => {
                let experts = Experts { groups: experts.groups * x.dim(1), ..experts };
                experts.apply(p, inner.swap_dims(0, 1), None, None).0.swap_dims(0, 1)
            }
            None => stack.ffn(block).apply(p, inner, None),
        };
    }
    net.norm.apply(under(stack.path, "final_norm"), p, x, net.epsilon)
}

/// Logits token by token and by whole windows, and how much the room of experts changes.
fn apart(batch: i64, places: i64, groups: i64, capacity: Capacity) -> (f64, f64) {
    let with = |capacity: Capacity| {
        let model = dense2d(&SIZES, 2);
        let moe = model.net.moe.map(|moe| Moe { groups, capacity, ..moe });
        Language { vocab: VOCAB, net: Transformer { compute: f64, moe, ..model.net }, ..model }
    };
    let (few, all) = (with(capacity), with(Capacity::Unlimited));
    let program = trace("both", |t| {
        let p = crate::models::step::Model::specs(&few).params(t, "params", f64);
        let tokens = t.input("tokens", i32, [batch, places]);
        let decoded = |model: &Language| {
            let writer = model.writer();
            let size = CacheSize { batch, beam: 1, places, layout: CacheLayout::ByHypothesis };
            let writing = Writing::new(&writer, &p, None, size);
            let (mut kept, mut logits): (Vec<KeysValues>, Vec<Tensor>) = (writing.nothing(), Vec::new());
            for place in 0..places {
                let token = tokens.slice_dim(1, place..place + 1);
                let (said, after) = writing.turn(token, scalar(i32, place), &kept, None, None);
                kept = after;
                logits.push(said);
            }
            concat(logits, 1)
        };
        let writer = few.writer();
        let x = writer.embedding.apply(&p, tokens);
        let positions = crate::layers::position::waves(iota(f32, [1, places], 1), SIZES.model);
        let x = by_place(&writer.stack, &p, x + positions.cast(f64));
        let whole = writer.embedding.logits(&p, x);
        let (ours, free) = (decoded(&few), decoded(&all));
        ((ours - whole).abs().max(..), (ours - free).abs().max(..))
    });
    let program = program.unwrap_or_else(|found| panic!("{found}"));
    let mut word = 7u64;
    let mut unit = || {
        word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (word >> 11) as f64 / (1u64 << 53) as f64
    };
    let one = |input: &meshwright_tensor::InputInfo| {
        let count = 0..input.ty.elements();
        let data = if &*input.name == "tokens" {
            Data::Int(count.map(|_| (unit() * VOCAB as f64) as i64).collect())
        } else {
            Data::Float(count.map(|_| 2.0 * (unit() - 0.5)).collect())
        };
        Array::new(input.ty.clone(), data).expect("as many numbers as elements")
    };
    let inputs: Vec<Array> = program.inputs().iter().map(one).collect();
    let found = meshwright_interp::run(program.module(), &inputs).expect("it runs");
    let number = |at: usize| match found[at].data() {
        Data::Float(numbers) => numbers[0],
        _ => f64::NAN,
    };
    (number(0), number(1))
}

#[test]
fn the_tokens_of_a_turn_share_the_places_of_experts() {
    let mut binds = 0;
    for (batch, places, groups, capacity) in [
        (8, 4, 1, Capacity::Fixed(1)),
        (8, 3, 2, Capacity::Fixed(2)),
        (6, 5, 1, Capacity::GShard),
        (6, 3, 3, Capacity::Switch(0.5)),
        (4, 3, 4, Capacity::GShard),
    ] {
        let (off, by_room) = apart(batch, places, groups, capacity);
        assert!(off < 1e-10, "{batch} {places} {groups} {capacity:?}: {off}");
        binds += usize::from(by_room > 1e-3);
    }
    assert!(binds >= 3, "places were scarce in {binds} cases of 5");
}
