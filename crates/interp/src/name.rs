//! Names of ops and values for messages.

use meshwright_ground::Id;
use meshwright_ir::op::collective::CollectiveKind;
use meshwright_ir::op::control::Control;
use meshwright_ir::op::{Convert, Dynamic, Foreign, Linalg, Movement, Op, Random, TokenOp};
use meshwright_ir::{Function, ValueId};
use std::fmt::Debug;

/// `%name`, or `%12` for a value without one.
pub(crate) fn value_name(func: &Function, value: ValueId) -> String {
    match &func.value(value).name {
        Some(name) => format!("`%{}`", name.trim_start_matches('%')),
        None => format!("`%{}`", value.index()),
    }
}

/// The op as StableHLO calls it, near enough to be recognized.
pub(crate) fn op_name(op: &Op) -> String {
    match op {
        Op::Constant(_) => "constant".to_string(),
        Op::Unary(op) => snake(op),
        Op::Binary(op) => snake(op),
        Op::Convert(Convert::To(_)) => "convert".to_string(),
        Op::Convert(Convert::Bitcast(_)) => "bitcast_convert".to_string(),
        Op::Convert(op) => snake(op),
        Op::Movement(Movement::Broadcast(_)) => "broadcast_in_dim".to_string(),
        Op::Movement(op) => snake(op),
        Op::Dynamic(Dynamic::Slice { .. }) => "dynamic_slice".to_string(),
        Op::Dynamic(Dynamic::UpdateSlice) => "dynamic_update_slice".to_string(),
        Op::Dot(_) => "dot_general".to_string(),
        Op::Random(Random::Rng { .. }) => "rng".to_string(),
        Op::Random(Random::BitGenerator { .. }) => "rng_bit_generator".to_string(),
        Op::Linalg(Linalg::Cholesky { .. }) => "cholesky".to_string(),
        Op::Linalg(op) => snake(op),
        Op::Control(Control::Fusion { .. }) => "fusion".to_string(),
        Op::Control(op) => snake(op),
        Op::Collective(collective) => collective_name(&collective.kind).to_string(),
        Op::Foreign(Foreign::CustomCall(call)) => format!("custom_call @{}", call.target),
        Op::Foreign(Foreign::Composite(composite)) => format!("composite \"{}\"", composite.name),
        Op::Token(TokenOp::AfterAll) => "after_all".to_string(),
        Op::Token(op) => snake(op),
        Op::Sharding(op) => snake(op),
        Op::Iota(_)
        | Op::Compare(_)
        | Op::Select
        | Op::Clamp
        | Op::Gather(_)
        | Op::Scatter(_)
        | Op::Convolution(_)
        | Op::Reduce(_)
        | Op::Map(_)
        | Op::ReduceWindow(_)
        | Op::SelectAndScatter(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::Fft(_)
        | Op::BatchNorm(_)
        | Op::Scan(_)
        | Op::Call(_)
        | Op::PartitionId
        | Op::ReplicaId
        | Op::OptimizationBarrier => snake(op),
    }
}

fn collective_name(kind: &CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::AllReduce => "all_reduce",
        CollectiveKind::AllGather { .. } => "all_gather",
        CollectiveKind::ReduceScatter { .. } => "reduce_scatter",
        CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => "all_to_all",
        CollectiveKind::Permute { .. } => "collective_permute",
        CollectiveKind::Broadcast => "collective_broadcast",
    }
}

/// The variant's name in snake case, without its fields.
fn snake(op: &impl Debug) -> String {
    let text = format!("{op:?}");
    let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
