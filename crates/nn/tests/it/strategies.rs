//! What each strategy sends (Switch Transformer, section 5).

use meshwright_compile::Unobserved;
use meshwright_cost::{Machine, Pattern, traffic};
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{Op, SpmdModule, TensorType};
use meshwright_nn::models::strategy::*;
use meshwright_nn::models::switch::{Switch, Training, train_step};
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::stored::Stored;
use meshwright_tensor::prelude::*;

fn program(table: &Table, axes: &[(&str, i64)]) -> SpmdModule {
    program_of(&Switch::small(), table, axes)
}

fn program_of(model: &Switch, table: &Table, axes: &[(&str, i64)]) -> SpmdModule {
    let training = Training {
        optimizer: Optimizer::adam(0.1),
        batch: 16,
        microbatches: 1,
        length: 33,
        dtype: f32,
        stored: Stored::Wide,
        seed: 1,
    };
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let model = Switch { compute: bf16, ..model.clone() };
    let step = train_step(&model, &training, &table.rules(&mesh)).expect("the step traces");
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(step.into_module(), &options, &mut Unobserved);
    compiled.unwrap_or_else(|found| panic!("{}", Errors::from(found))).program
}

/// A collective: its name, its group size, and the types it sends.
type Sent = (&'static str, i64, Vec<TensorType>);

/// Every collective of the functions that the entry leads to.
fn collectives(program: &SpmdModule) -> Vec<Sent> {
    let module = program.module();
    let (mut out, mut reached) = (Vec::new(), vec![module.entry]);
    let mut at = 0;
    while let Some(func) = reached.get(at).map(|func| &module.funcs[*func]) {
        at += 1;
        for inst in func.insts_in_order() {
            let inst = func.inst(inst);
            match &inst.op {
                Op::Call(call) if !reached.contains(&call.callee) => reached.push(call.callee),
                Op::Collective(collective) => {
                    let types = inst.operands.iter().filter_map(|value| func.ty(*value).as_tensor().cloned());
                    out.push((name(&collective.kind), collective.group_size, types.collect()));
                }
                _ => {}
            }
        }
    }
    out
}

fn name(kind: &CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::AllReduce => "all-reduce",
        CollectiveKind::AllGather { .. } => "all-gather",
        CollectiveKind::ReduceScatter { .. } => "reduce-scatter",
        CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => "all-to-all",
        CollectiveKind::Permute { .. } => "permute",
        CollectiveKind::Broadcast => "broadcast",
    }
}

/// The types that are sent by one kind of collective over groups of one size.
fn sent(all: &[Sent], name: &str, size: i64) -> Vec<TensorType> {
    let these = all.iter().filter(|(kind, group, _)| *kind == name && *group == size);
    these.flat_map(|(.., types)| types.clone()).collect()
}

fn only(all: &[Sent], names: &[&str]) -> bool {
    all.iter().all(|(name, ..)| names.contains(name))
}

/// Whether the gradients of experts, of which a device has so many, are among these.
fn have_experts(types: &[TensorType], experts: i64) -> bool {
    let all = [[experts, 64, 128], [experts, 128, 64]];
    all.iter().any(|dims| types.iter().any(|ty| ty.dims[..] == dims[..]))
}

/// Twice forward, twice backward; `E C M` of each of a device's groups, in 16 bits.
fn is_exchanged(all: &[Sent], size: i64) {
    let exchanged = sent(all, "all-to-all", size);
    assert_eq!(exchanged.len(), 4, "{exchanged:?}");
    for ty in exchanged {
        assert_eq!((ty.elements(), ty.dtype), (8 * 10 * 64, bf16), "{ty}");
    }
}

/// Sums over split hidden dims: `[B/n, d_model]` in 16 bits, forward and backward, for two layers of attention and a
/// feed-forward one; and what the experts' places hold, of `groups` groups and `experts` experts, once each way.
fn is_summed(all: &[Sent], size: i64, rows: i64, experts: i64, groups: i64) {
    let summed: Vec<TensorType> =
        sent(all, "all-reduce", size).into_iter().filter(|ty| !ty.dims.is_empty()).collect();
    let of = |dims: &[i64]| summed.iter().filter(|ty| ty.dims[..] == *dims && ty.dtype == bf16).count();
    assert_eq!(of(&[rows, 32, 64]), 6, "{summed:?}");
    assert_eq!(of(&[experts, groups, 10, 64]), 2, "{summed:?}");
    assert_eq!(summed.len(), 8, "{summed:?}");
}

/// Bytes that one device sends over some axes, and how often.
fn over(program: &SpmdModule, pattern: Pattern, axes: &str) -> (f64, f64) {
    let all = traffic(program.module(), &Machine::default()).by_group;
    let these =
        all.iter().filter(|((kind, members), _)| *kind == pattern && members.axes.as_deref() == Some(axes));
    these.fold((0.0, 0.0), |(sent, count), (_, total)| (sent + total.sent, count + total.count))
}

/// What a ring sends of a tensor that `n` devices sum up.
fn summing(bytes: f64, n: f64) -> f64 {
    2.0 * bytes * (n - 1.0) / n
}

/// `[E, C, d_model]` in 16 bits.
const PLACES: f64 = 8.0 * 10.0 * 64.0 * 2.0;

#[test]
fn data_parallelism_only_reduces_gradients() {
    let program = program(&DATA, &[("data", 8)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce"]), "{all:?}");
    let reduced = sent(&all, "all-reduce", 8);
    assert!(have_experts(&reduced, 8), "{all:?}");
    // What two layers say of the position bias, and both ends of the tied embeddings: summed up, then reduced, once.
    let of = |dims: &[i64]| reduced.iter().filter(|ty| ty.dims[..] == *dims).count();
    assert_eq!([of(&[32, 4]), of(&[4, 32, 32]), of(&[256, 64])], [1, 0, 1], "{all:?}");
    // A device has 2 sequences of 32 tokens, in one group: nothing of such a size is sent.
    let of_tokens = |ty: &TensorType| ty.dims[..].starts_with(&[2, 32]) || ty.dims[..].starts_with(&[1, 64]);
    assert!(!reduced.iter().any(of_tokens), "{all:?}");
}

#[test]
fn stacked_blocks_reduce_what_they_say_of_positions_once_behind_their_loop() {
    let stacked = Switch { stacked: true, blocks: 8, ..Switch::small() };
    let all = collectives(&program_of(&stacked, &DATA, &[("data", 8)]));
    // Together with the tied embeddings, which lie outside of the loop; neither by pair nor by distance in its turns.
    let with_bias = all.iter().filter(|(.., types)| types.iter().any(|ty| ty.dims[..] == [32, 4]));
    let with_bias: Vec<&Sent> = with_bias.collect();
    assert!(
        matches!(with_bias[..], [(_, 8, types)] if types.iter().any(|ty| ty.dims[..] == [256, 64])),
        "{all:?}"
    );
    let of = |dims: &[i64]| sent(&all, "all-reduce", 8).iter().filter(|ty| ty.dims[..] == *dims).count();
    assert_eq!([of(&[4, 32, 32]), of(&[63, 4])], [0, 0], "{all:?}");
}

#[test]
fn model_parallelism_sums_activations_both_ways_and_no_gradients() {
    let program = program(&MODEL, &[("model", 4)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce"]), "{all:?}");
    is_summed(&all, 4, 16, 8, 8);
    let activations = 6.0 * summing(16.0 * 32.0 * 64.0 * 2.0, 4.0) + 2.0 * summing(8.0 * PLACES, 4.0);
    let (bytes, count) = over(&program, Pattern::AllReduce, r#"{"model"}"#);
    // The rest are sums of squares of gradients, 4 bytes each, of which some are summed together.
    let squares = (bytes - activations) / summing(4.0, 4.0);
    assert!(squares.fract() == 0.0 && (count - 8.0..32.0).contains(&squares), "{squares} in {count}");
}

#[test]
fn data_and_model_sum_a_devices_share_of_the_batch() {
    let program = program(&DATA_MODEL, &[("data", 4), ("model", 2)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce"]), "{all:?}");
    is_summed(&all, 2, 4, 8, 2);
    // Gradients of half an expert layer each, over the copies.
    let reduced = sent(&all, "all-reduce", 4);
    assert!(reduced.iter().any(|ty| ty.dims[..] == [8, 64, 64]), "{all:?}");
}

#[test]
fn expert_parallelism_exchanges_tokens_and_reduces_no_gradients_of_experts() {
    let program = program(&EXPERT, &[("expert", 8)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce", "all-to-all"]), "{all:?}");
    is_exchanged(&all, 8);
    assert_eq!(over(&program, Pattern::AllToAll, r#"{"expert"}"#), (4.0 * PLACES * 7.0 / 8.0, 4.0));
    let reduced = sent(&all, "all-reduce", 8);
    assert!(!have_experts(&reduced, 8) && !have_experts(&reduced, 1), "{all:?}");
}

#[test]
fn experts_and_data_reduce_gradients_of_experts_over_their_copies() {
    let program = program(&EXPERT_DATA, &[("data", 2), ("expert", 4)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce", "all-to-all"]), "{all:?}");
    is_exchanged(&all, 4);
    assert_eq!(over(&program, Pattern::AllToAll, r#"{"expert"}"#), (4.0 * PLACES * 3.0 / 4.0, 4.0));
    assert!(have_experts(&sent(&all, "all-reduce", 2), 2), "{all:?}");
    assert!(!have_experts(&sent(&all, "all-reduce", 8), 2), "{all:?}");
}

#[test]
fn all_three_exchange_tokens_and_sum_activations() {
    let program = program(&EXPERT_MODEL_DATA, &[("data", 1), ("expert", 8), ("model", 2)]);
    let all = collectives(&program);
    assert!(only(&all, &["all-reduce", "all-to-all"]), "{all:?}");
    is_exchanged(&all, 8);
    assert_eq!(over(&program, Pattern::AllToAll, r#"{"expert"}"#), (4.0 * PLACES * 7.0 / 8.0, 4.0));
    is_summed(&all, 2, 2, 1, 8);
    let reduced = sent(&all, "all-reduce", 8);
    assert!(!reduced.iter().any(|ty| ty.dims.len() == 3 && ty.dims[0] == 1), "{all:?}");
}

#[test]
fn split_weight_updates_gather_weights_and_scatter_gradients() {
    let program = program(&WEIGHT_UPDATE, &[("data", 8)]);
    let all = collectives(&program);
    let scattered = sent(&all, "reduce-scatter", 8);
    // Gradients of experts, each reduced to the part that the device updates.
    assert!(have_experts(&scattered, 8), "{all:?}");
    assert!(!have_experts(&sent(&all, "all-reduce", 8), 8), "{all:?}");
    let gathered = sent(&all, "all-gather", 8);
    assert!(gathered.iter().any(|ty| ty.dims[..] == [8, 8, 128]), "{all:?}");
    // Activations stay, but for the embeddings, whose table is split by features: they go there and back.
    let is_activation = |ty: &TensorType| ty.dtype.is_float() && ty.dims[..].starts_with(&[2, 32]);
    let moved = all.iter().filter(|(.., types)| types.iter().any(is_activation));
    let moved: Vec<&'static str> = moved.map(|(name, ..)| *name).collect();
    assert!(moved.iter().all(|name| *name == "all-to-all") && moved.len() <= 2, "{moved:?}");
}
