//! An instruction's name and attributes in generic form: one match over all ops, each arm delegating to its family.

use super::families::*;
use super::tree::Prop;
use meshwright_ir::op::Random;
use meshwright_ir::{Function, Inst, Module, Op};

/// Name, and the op's own attributes in any order.
pub type Described<'m> = (&'static str, Vec<Prop<'m>>);

pub fn describe<'m>(module: &'m Module, func: &'m Function, inst: &'m Inst) -> Described<'m> {
    match &inst.op {
        Op::Constant(op) => ("stablehlo.constant", data::constant_props(op)),
        Op::Iota(op) => ("stablehlo.iota", data::iota_props(op)),
        Op::Unary(op) => (elementwise::unary_name(*op), Vec::new()),
        Op::Binary(op) => (elementwise::binary_name(*op), Vec::new()),
        Op::Compare(op) => ("stablehlo.compare", elementwise::compare_props(op)),
        Op::Select => ("stablehlo.select", Vec::new()),
        Op::Clamp => ("stablehlo.clamp", Vec::new()),
        Op::Convert(op) => (convert::name(op), convert::props(op)),
        Op::Movement(op) => (movement::name(op), movement::props(op)),
        Op::Dynamic(op) => (movement::dynamic_name(op), movement::dynamic_props(op)),
        Op::Gather(op) => ("stablehlo.gather", gather::gather_props(op)),
        Op::Scatter(op) => ("stablehlo.scatter", gather::scatter_props(op)),
        Op::Dot(op) => ("stablehlo.dot_general", contract::props(op)),
        Op::Convolution(op) => ("stablehlo.convolution", convolution::props(op)),
        Op::Reduce(op) => ("stablehlo.reduce", reduce::props(&op.dims)),
        Op::Map(op) => ("stablehlo.map", reduce::props(&op.dims)),
        Op::ReduceWindow(op) => ("stablehlo.reduce_window", window::reduce_window_props(op)),
        Op::SelectAndScatter(op) => ("stablehlo.select_and_scatter", window::select_and_scatter_props(op)),
        Op::Sort(op) => ("stablehlo.sort", sort::sort_props(op)),
        Op::TopK(op) => (sort::top_k_name(op), sort::top_k_props(op)),
        Op::Random(op) => (random::name(op), random::props(op)),
        Op::Fft(op) => ("stablehlo.fft", linalg::fft_props(op)),
        Op::Linalg(op) => (linalg::name(op), linalg::props(op)),
        Op::BatchNorm(op) => (batch_norm::name(op), batch_norm::props(op)),
        Op::Control(op) => (control::name(op), control::props(op)),
        Op::Scan(op) => control::describe_scan(op),
        Op::Call(op) => ("func.call", control::call_props(module, op)),
        Op::Collective(op) => (collective::name(&op.kind), collective::props(module, op)),
        Op::PartitionId => ("stablehlo.partition_id", Vec::new()),
        Op::ReplicaId => ("stablehlo.replica_id", Vec::new()),
        Op::Foreign(op) => (foreign::name(op), foreign::props(module, op)),
        Op::OptimizationBarrier => ("stablehlo.optimization_barrier", Vec::new()),
        Op::Token(op) => (token::name(op, inst.operands.len()), token::props(op)),
        Op::Sharding(op) => sharding::describe(module, func, inst, op),
    }
}

/// The shape operand that `rng` has in the text only.
pub fn rng_shape(op: &Op) -> Option<&[i64]> {
    match op {
        Op::Random(Random::Rng { shape, .. }) => Some(shape),
        _ => None,
    }
}
