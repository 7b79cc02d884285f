//! What each strategy sends (Switch Transformer, section 5).

use meshwright_compile::Unobserved;
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{Op, SpmdModule, TensorType};
use meshwright_nn::models::switch::{Strategy, Switch, Training, train_step};
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::adam::Adam;
use meshwright_nn::optim::schedule::Schedule;
use meshwright_tensor::prelude::*;

fn program(strategy: Strategy, axes: &[(&str, i64)]) -> SpmdModule {
    let training = Training {
        optimizer: Optimizer::Adam(Adam::default()),
        schedule: Schedule::Constant(0.1),
        clip: None,
        batch: 16,
        microbatches: 1,
        length: 33,
        dtype: f32,
        seed: 1,
    };
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let model = Switch { compute: bf16, ..Switch::small() };
    let step = train_step(&model, &training, &strategy.rules(&mesh)).expect("the step traces");
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

#[test]
fn data_parallelism_only_reduces_gradients() {
    let all = collectives(&program(Strategy::Data, &[("data", 8)]));
    assert!(only(&all, &["all-reduce"]), "{all:?}");
    assert!(have_experts(&sent(&all, "all-reduce", 8), 8), "{all:?}");
}

#[test]
fn expert_parallelism_exchanges_tokens_and_reduces_no_gradients_of_experts() {
    let all = collectives(&program(Strategy::Expert, &[("expert", 8)]));
    assert!(only(&all, &["all-reduce", "all-to-all"]), "{all:?}");
    is_exchanged(&all, 8);
    let reduced = sent(&all, "all-reduce", 8);
    assert!(!have_experts(&reduced, 8) && !have_experts(&reduced, 1), "{all:?}");
}

#[test]
fn experts_and_data_reduce_gradients_of_experts_over_their_copies() {
    let all = collectives(&program(Strategy::ExpertData, &[("data", 2), ("expert", 4)]));
    assert!(only(&all, &["all-reduce", "all-to-all"]), "{all:?}");
    is_exchanged(&all, 4);
    assert!(have_experts(&sent(&all, "all-reduce", 2), 2), "{all:?}");
    assert!(!have_experts(&sent(&all, "all-reduce", 8), 2), "{all:?}");
}
