//! Every model under every table: loss, counts and all gradients on several simulated devices are those on one.

use crate::support;

use meshwright_interp::Tensor as Array;
use meshwright_ir::op::Random as Draw;
use meshwright_ir::{DType, Inst, Op};
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::family;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::step::{Model, batch_inputs};
use meshwright_nn::models::strategy::*;
use meshwright_nn::models::transformer::{DropoutPlaces, Moe, Transformer, Where};
use meshwright_nn::moe::attention::Projection;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::layer::Gate;
use meshwright_tensor::prelude::*;
use support::tiny::{
    SIZES, SPARSE, VOCAB, alone, dense2d, equal, gshard, inputs, program, switch, t5, tiny, together,
    training,
};
use support::{Random, array, close, numbers};

/// Meshes for the tables of one family of axes.
const CLASSIC: [(&Table, &[(&str, i64)]); 7] = [
    (&DATA, &[("data", 4)]),
    (&MODEL, &[("model", 2)]),
    (&DATA_MODEL, &[("data", 2), ("model", 2)]),
    (&EXPERT, &[("expert", 4)]),
    (&EXPERT_DATA, &[("data", 2), ("expert", 2)]),
    (&EXPERT_MODEL_DATA, &[("data", 2), ("expert", 2), ("model", 2)]),
    (&WEIGHT_UPDATE, &[("data", 4)]),
];
const PLANAR: [(&Table, &[(&str, i64)]); 4] = [
    (&ATTEMPT_1, &[("x", 2), ("y", 2)]),
    (&ATTEMPT_2, &[("x", 2), ("y", 2)]),
    (&FINALIZED, &[("x", 2), ("y", 2)]),
    (&HYBRID, &[("x", 2), ("y", 2)]),
];

fn same_everywhere<M: Model>(model: &M, tables: &[(&Table, &[(&str, i64)])], key: Option<u64>) {
    let theirs = alone(model, key, 1);
    for (table, axes) in tables {
        equal(&together(model, table, axes, key, 1), &theirs);
    }
}

#[test]
fn t5_is_the_same_under_every_table() {
    let dense = [0, 1, 2, 6].map(|at| CLASSIC[at]);
    same_everywhere(&t5(), &dense, None);
    same_everywhere(&EncoderDecoder { packed: false, ..t5() }, &dense[..1], None);
}

#[test]
fn switch_is_the_same_under_every_table() {
    same_everywhere(&switch(), &CLASSIC, None);
}

#[test]
fn gshard_is_the_same_under_every_table() {
    same_everywhere(&gshard(), &CLASSIC, Some(7));
}

#[test]
fn dense2d_is_the_same_under_every_table() {
    same_everywhere(&dense2d(&SIZES), &PLANAR[..3], None);
    same_everywhere(&Language { packed: true, ..dense2d(&SIZES) }, &PLANAR[2..3], None);
}

#[test]
fn dense2d_with_experts_is_the_same_in_one_dim_and_as_a_hybrid() {
    same_everywhere(&dense2d(&SPARSE), &[CLASSIC[3], PLANAR[3]], None);
}

#[test]
fn attention_of_experts_is_the_same_on_several_devices() {
    let base = switch();
    let with = |layers| {
        let moe = base.net.moe.clone().map(|moe| Moe { layers, ..moe });
        EncoderDecoder { net: Transformer { moe, ..base.net.clone() }, ..base.clone() }
    };
    same_everywhere(&with(Where::Both(Projection::Ffn(4))), &[CLASSIC[3], CLASSIC[5]], None);
    // Table 10's rows with experts in attention alone: the feed-forward layers are as without experts.
    let alone = with(Where::Attention(Projection::Linear));
    same_everywhere(&alone, &[CLASSIC[4]], None);
    let names: Vec<String> = alone.specs().list.into_iter().map(|spec| spec.name).collect();
    assert!(names.iter().any(|name| name.ends_with("block_1.attention.query_experts.w")), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with("block_1.mlp.wi")), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("moe")), "{names:?}");
    let net = &alone.net;
    let gate = net.moe.clone().map(|moe| Moe { gate: Gate::Prioritized, ..moe });
    let ahead = EncoderDecoder { net: Transformer { moe: gate, ..net.clone() }, ..alone.clone() };
    assert!(ahead.check(&training()).unwrap_err().message.contains("tell a decoder what comes later"));
}

/// The encoder's experts choose their tokens, the decoder's tokens choose.
fn chosen(gate: Gate) -> EncoderDecoder {
    let base = switch();
    let moe = base.net.moe.clone().map(|moe| Moe { gate, back: Some((moe.gate, moe.capacity)), ..moe });
    EncoderDecoder { net: Transformer { moe, ..base.net.clone() }, ..base }
}

#[test]
fn experts_that_choose_are_the_same_on_several_devices() {
    same_everywhere(&chosen(Gate::ExpertChoice), &[CLASSIC[0], CLASSIC[3], CLASSIC[5]], None);
}

#[test]
fn a_decoder_has_no_gate_that_looks_ahead() {
    for gate in [Gate::ExpertChoice, Gate::Prioritized] {
        let model = chosen(gate);
        assert!(model.check(&training()).is_ok());
        let net =
            Transformer { moe: model.net.moe.clone().map(|moe| Moe { back: None, ..moe }), ..model.net };
        let alone = Language { net: net.clone(), ..dense2d(&SIZES) };
        let both = EncoderDecoder { net, ..switch() };
        for found in [both.check(&training()), alone.check(&training())] {
            assert!(found.unwrap_err().message.contains("tell a decoder what comes later"));
        }
    }
}

#[test]
fn stacked_and_recomputed_blocks_are_the_same_on_several_devices() {
    let base = switch();
    let net = Transformer { stacked: true, recompute: true, ..base.net };
    same_everywhere(&EncoderDecoder { net, encoder: 4, decoder: 4, ..base }, &CLASSIC[4..6], None);
    let base = dense2d(&SIZES);
    let net = Transformer { stacked: true, recompute: true, ..base.net };
    same_everywhere(&Language { net, ..base }, &PLANAR[2..3], None);
}

#[test]
fn recomputation_changes_nothing() {
    for base in [switch(), gshard()] {
        let net = Transformer { recompute: true, ..base.net.clone() };
        equal(&alone(&EncoderDecoder { net, ..base.clone() }, Some(3), 1), &alone(&base, Some(3), 1));
    }
}

#[test]
fn stacked_blocks_are_the_blocks_one_after_the_other() {
    let base = EncoderDecoder { encoder: 4, decoder: 2, ..switch() };
    let net = Transformer { stacked: true, ..base.net.clone() };
    let piled = EncoderDecoder { net, ..base.clone() };
    let (mesh, mut random) = (Mesh::new([("one", 1)]).expect("a mesh"), Random(8));
    let rules = Rules::new(&mesh);
    let (flat, tall) = (program(&base, &rules, None, 1), program(&piled, &rules, None, 1));
    let (mut fed, batch) = (Vec::new(), inputs(&base, &flat));
    for input in tall.inputs() {
        let count = input.ty.elements() as usize;
        fed.push((input.name.to_string(), (0..count).map(|_| random.unit() - 0.5).collect::<Vec<f64>>()));
    }
    // The batch is the first four inputs of both.
    let of_tall = |(at, input): (usize, &meshwright_tensor::InputInfo)| {
        if at < 4 { batch[at].clone() } else { array(&tall, &input.name, &fed[at].1) }
    };
    let tall_inputs: Vec<Array> = tall.inputs().iter().enumerate().map(of_tall).collect();
    let of_flat = |(at, input): (usize, &meshwright_tensor::InputInfo)| {
        if at < 4 { batch[at].clone() } else { array(&flat, &input.name, &slice_of(&input.name, &fed)) }
    };
    let flat_inputs: Vec<Array> = flat.inputs().iter().enumerate().map(of_flat).collect();
    let ours = meshwright_interp::run(tall.module(), &tall_inputs).expect("it runs");
    let theirs = meshwright_interp::run(flat.module(), &flat_inputs).expect("it runs");
    for at in 0..2 {
        close(&numbers(&ours[at]), &numbers(&theirs[at]), 1e-12);
    }
}

/// The slice of a pile that is the parameter of one block: `encoder.block_3.x` is turn 1 of `encoder.block_1.x`.
fn slice_of(name: &str, fed: &[(String, Vec<f64>)]) -> Vec<f64> {
    let find = |name: &str| fed.iter().find(|(known, _)| known == name).expect("a pile").1.clone();
    let Some((head, tail)) = name.split_once("block_") else { return find(name) };
    let (block, rest) = tail.split_once('.').expect("a block's parameter");
    let block: usize = block.parse().expect("a number");
    let pile = find(&format!("{head}block_{}.{rest}", block % 2));
    let turns = if name.contains("encoder") { 2 } else { 1 };
    let size = pile.len() / turns;
    pile[block / 2 * size..][..size].to_vec()
}

#[test]
fn microbatches_change_nothing_though_their_targets_differ_in_length() {
    for model in [switch(), gshard()] {
        let net = Transformer { dropout: 0.0, ..model.net };
        let model = EncoderDecoder { net, ..model };
        let (parts, whole) = (alone(&model, None, 4), alone(&model, None, 1));
        // Losses, then gradients; the counts between are per group, and groups of the parts are those of the whole in
        // another order.
        close(&parts[0], &whole[0], 1e-10);
        close(&parts[1], &whole[1], 1e-10);
        let first = parts.len() - model.specs().list.len();
        parts[first..].iter().zip(&whole[first..]).for_each(|(a, b)| close(a, b, 1e-10));
        equal(&together(&model, &EXPERT, &[("expert", 2)], None, 4), &parts);
    }
}

#[test]
fn exchanges_by_masks_by_index_and_sorted_are_the_same_where_nobody_is_dropped() {
    let with = |exchange| {
        let base = switch();
        let moe = base.net.moe.clone().map(|moe| Moe {
            exchange,
            capacity: meshwright_nn::moe::capacity::Capacity::Unlimited,
            ..moe
        });
        EncoderDecoder { net: Transformer { moe, ..base.net.clone() }, ..base }
    };
    let masks = alone(&with(Exchange::Einsum), None, 1);
    equal(&alone(&with(Exchange::Gather), None, 1), &masks);
    equal(&alone(&with(Exchange::Sorted { block: 2 }), None, 1), &masks);
    let sorted = with(Exchange::Sorted { block: 3 });
    same_everywhere(&sorted, &[CLASSIC[0], CLASSIC[4]], None);
}

/// Groups of four devices' tokens, with experts over all eight.
#[test]
fn rows_moved_by_index_are_the_same_on_several_devices_also_in_pooled_groups() {
    for exchange in [Exchange::Gather, Exchange::Einsum] {
        let base = switch();
        let moe = base.net.moe.clone().map(|moe| Moe { exchange, groups: 2, experts: 8, ..moe });
        let model = EncoderDecoder { net: Transformer { moe, ..base.net.clone() }, ..base };
        same_everywhere(&model, &[(&EXPERT_POOLED, &[("data", 2), ("expert", 4)])], None);
        same_everywhere(&model, &[(&EXPERT_DATA, &[("data", 1), ("expert", 2)])], None);
    }
}

#[test]
fn decoders_see_nothing_of_the_token_they_predict_or_of_another_text() {
    let model = t5();
    let mesh = Mesh::new([("one", 1)]).expect("a mesh");
    let traced = trace_with("logits", &Rules::new(&mesh), |t| {
        let batch = batch_inputs(t, &model, &training());
        model.logits(&model.specs().params(t, "params", f64), &batch, None).0
    });
    let program = traced.expect("it traces");
    let base = inputs(&model, &program);
    let set = |name: &str, values: &[f64], into: &mut Vec<Array>| {
        into[program.input(name).expect("an input")] = array(&program, name, values);
    };
    let run = |inputs: &[Array]| numbers(&meshwright_interp::run(program.module(), inputs).expect("runs")[0]);
    let mut first = base.clone();
    let segments: Vec<f64> = [1.0, 1.0, 2.0, 2.0].repeat(8);
    set("target_segments", &segments, &mut first);
    set("target", &[1.0, 2.0, 3.0, 4.0].repeat(8), &mut first);
    set("source_segments", &[1.0, 1.0, 1.0, 2.0, 2.0, 0.0].repeat(8), &mut first);
    let before = run(&first);
    let row = 4 * VOCAB as usize;
    let differ = |after: &[f64]| -> Vec<bool> {
        let place = |at: usize| at * VOCAB as usize..(at + 1) * VOCAB as usize;
        (0..4).map(|at| before[..row][place(at)] != after[..row][place(at)]).collect()
    };
    let mut second = first.clone();
    set("target", &[1.0, 9.0, 3.0, 4.0].repeat(8), &mut second);
    assert_eq!(differ(&run(&second)), [false, false, false, false], "the last token of a text is never read");
    let mut third = first.clone();
    set("target", &[9.0, 2.0, 3.0, 4.0].repeat(8), &mut third);
    assert_eq!(differ(&run(&third)), [false, true, false, false]);
    let mut fourth = first.clone();
    set("source", &[1.0, 1.0, 1.0, 5.0, 1.0, 1.0].repeat(8), &mut fourth);
    let mut fifth = first.clone();
    set("source", &[1.0, 1.0, 1.0, 7.0, 1.0, 3.0].repeat(8), &mut fifth);
    let (a, b) = (run(&fourth), run(&fifth));
    let half = 2 * VOCAB as usize;
    assert_eq!(a[..half], b[..half], "the first text does not see the second's source, nor padding");
    assert_ne!(a[half..row], b[half..row]);
}

#[test]
fn what_experts_add_to_the_loss_depends_on_no_devices_parts_or_recomputation() {
    for base in [switch(), gshard()] {
        // So large that they are what is learnt from.
        let net = Transformer { dropout: 0.0, ..base.net.clone() };
        let loud = |net: Transformer| EncoderDecoder { net, balance: 500.0, z_loss: 10.0, ..base.clone() };
        let model = loud(net.clone());
        let theirs = alone(&model, None, 1);
        assert!(theirs[0][0] - theirs[1][0] > 10.0 * theirs[1][0]);
        let first = theirs.len() - model.specs().list.len();
        let same = |ours: Vec<Vec<f64>>| {
            let kept = |all: &[Vec<f64>]| [&all[..2], &all[first..]].concat();
            equal(&kept(&ours), &kept(&theirs));
        };
        same(alone(&model, None, 2));
        same(alone(&loud(Transformer { recompute: true, ..net.clone() }), None, 1));
        same(together(&model, &EXPERT_MODEL_DATA, &[("data", 2), ("expert", 2), ("model", 2)], None, 1));
        let both = loud(Transformer { recompute: true, ..net });
        same(together(&both, &EXPERT_DATA, &[("data", 2), ("expert", 2)], None, 2));
    }
}

/// The sizes of all that training draws, outside of routing: what dropout is on.
fn drawn(model: &EncoderDecoder) -> Vec<i64> {
    let mesh = Mesh::new([("one", 1)]).expect("a mesh");
    let program = program(model, &Rules::new(&mesh), Some(3), 1);
    let funcs = || program.module().funcs.values();
    let all = funcs().flat_map(|func| func.insts_in_order().into_iter().map(|inst| func.inst(inst)));
    // Keys are drawn too, as wide numbers.
    let of = |inst: &Inst| match &inst.op {
        Op::Random(Draw::BitGenerator { bits, .. }) if bits.dtype == DType::U32 => Some(bits.elements()),
        _ => None,
    };
    let mut sizes: Vec<i64> = all.filter_map(of).collect();
    sizes.sort_unstable();
    // The gradient has a copy of what it is of.
    sizes.into_iter().step_by(2).collect()
}

#[test]
fn gshard_drops_inputs_residuals_and_chances_and_nothing_inside_of_layers() {
    let dense = |places| {
        let model = tiny(family::gshard(&SIZES, 1));
        EncoderDecoder { net: Transformer { dropout_places: places, ..model.net }, ..model }
    };
    // Eight rows of 6 source and 4 target tokens; width 8, 4 heads, 12 inside.
    let (source, target) = (8 * 6 * 8, 8 * 4 * 8);
    let chances = |queries: i64, keys: i64| 8 * 4 * queries * keys;
    let mut papers = vec![chances(6, 6), chances(4, 4), chances(4, 6)];
    papers.extend([[source; 3].to_vec(), [target; 4].to_vec()].concat());
    let mut everywhere = [&papers[..], &[source, target, 8 * 6 * 12, 8 * 4 * 12]].concat();
    papers.sort_unstable();
    everywhere.sort_unstable();
    assert_eq!(family::gshard(&SIZES, 1).net.dropout_places, DropoutPlaces::Residual);
    assert_eq!(drawn(&dense(DropoutPlaces::Residual)), papers);
    assert_eq!(drawn(&dense(DropoutPlaces::Everywhere)), everywhere);
}

#[test]
fn smoothing_is_in_the_loss_alone_and_in_proportion() {
    let with = |smoothing| alone(&EncoderDecoder { smoothing, ..t5() }, None, 1);
    let [none, some, twice] = [0.0, 0.1, 0.2].map(with);
    close(&some[1], &none[1], 1e-12);
    close(&none[0], &none[1], 1e-12);
    let more = |smoothed: &[Vec<f64>]| smoothed[0][0] - none[0][0];
    assert!(more(&some) > 1e-3, "drawn logits are not even");
    close(&[more(&twice)], &[2.0 * more(&some)], 1e-9);
}
