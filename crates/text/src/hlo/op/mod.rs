//! Opcodes and how they are read: one table, sorted by name. Each family's file holds both its reader and its printer.

pub(super) mod algorithm;
pub(super) mod batch_norm;
pub(super) mod closures;
pub(super) mod collective;
pub(super) mod contract;
pub(super) mod control;
pub(super) mod convert;
pub(super) mod convolution;
pub(super) mod data;
pub(super) mod dynamic;
pub(super) mod elementwise;
pub(super) mod foreign;
pub(super) mod gather;
pub(super) mod layouts;
pub(super) mod linalg;
pub(super) mod manual;
pub(super) mod movement;
pub(super) mod random;
pub(super) mod reduce;
pub(super) mod sharding;
pub(super) mod sort;
pub(super) mod starts;
pub(super) mod token;
pub(super) mod tuple;
pub(super) mod window;

use super::build::{Body, Bound, Build, ModuleBuilder, Scope};
use super::inst::InstText;
use super::lex::{Piece, Read, fault};
use super::line::Line;
use super::outline::RawInst;
use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_base::nearest::suggest;
use meshwright_ir::op::{BinaryOp as B, Foreign, UnaryOp as U};
use meshwright_ir::{Attrs, Op};
use meshwright_shard::Mesh;

/// What an op's reader made: the op, the computations that become its regions, and attributes to keep.
pub(super) struct Made<'t> {
    pub op: Op,
    pub regions: Vec<Piece<'t>>,
    pub attrs: Attrs,
    /// The mesh its groups are over, to be made one of the module's.
    pub mesh: Option<Mesh>,
}

impl<'t> Made<'t> {
    pub fn of(op: Op) -> Self {
        Made::with_regions(op, Vec::new())
    }

    pub fn with_regions(op: Op, regions: Vec<Piece<'t>>) -> Self {
        Made { op, regions, attrs: Attrs::default(), mesh: None }
    }
}

type ReadOp = for<'b, 't> fn(&mut InstText<'b, 't>) -> Read<Made<'t>>;

/// Builds what is not one instruction of ours with the same operands.
pub(super) type BuildOp = for<'x, 'b, 't> fn(
    &'x mut ModuleBuilder<'b, 't>,
    &mut Body,
    &mut Scope<'t>,
    &'b RawInst<'t>,
    &[Bound],
) -> Build<Bound>;

/// How an opcode is read.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    Unary(U),
    Binary(B),
    Op(ReadOp),
    Special(BuildOp),
    /// Its parentheses hold a literal.
    Constant,
    /// Known, but outside of what this system handles: why.
    Refused(&'static str),
}

const DYNAMIC: &str = "shapes are static here";

/// Every opcode, by name.
#[rustfmt::skip]
const TABLE: &[(&str, Entry)] = &[
    ("abs", Entry::Unary(U::Abs)),
    ("acos", Entry::Unary(U::Acos)),
    ("acosh", Entry::Unary(U::Acosh)),
    ("add", Entry::Binary(B::Add)),
    ("add-dependency", Entry::Special(token::add_dependency)),
    ("after-all", Entry::Op(token::read_after_all)),
    ("all-gather", Entry::Op(collective::read_all_gather)),
    ("all-gather-done", Entry::Special(starts::done)),
    ("all-gather-start", Entry::Special(starts::all_gather)),
    ("all-reduce", Entry::Op(collective::read_all_reduce)),
    ("all-reduce-done", Entry::Special(starts::done)),
    ("all-reduce-start", Entry::Special(starts::all_reduce)),
    ("all-to-all", Entry::Op(collective::read_all_to_all)),
    ("and", Entry::Binary(B::And)),
    ("asin", Entry::Unary(U::Asin)),
    ("asinh", Entry::Unary(U::Asinh)),
    ("async-done", Entry::Special(starts::done)),
    ("async-start", Entry::Special(starts::wrapped)),
    ("async-update", Entry::Special(starts::update)),
    ("atan2", Entry::Binary(B::Atan2)),
    ("atanh", Entry::Unary(U::Atanh)),
    ("batch-norm-grad", Entry::Op(batch_norm::read_grad)),
    ("batch-norm-inference", Entry::Op(batch_norm::read_inference)),
    ("batch-norm-training", Entry::Op(batch_norm::read_training)),
    ("bitcast", Entry::Special(movement::bitcast)),
    ("bitcast-convert", Entry::Op(convert::read_bitcast_convert)),
    ("broadcast", Entry::Op(movement::read_broadcast)),
    ("call", Entry::Special(control::call)),
    ("cbrt", Entry::Unary(U::Cbrt)),
    ("ceil", Entry::Unary(U::Ceil)),
    ("cholesky", Entry::Op(linalg::read_cholesky)),
    ("clamp", Entry::Op(elementwise::read_clamp)),
    ("collective-broadcast", Entry::Op(collective::read_broadcast)),
    ("collective-permute", Entry::Special(collective::permute)),
    ("collective-permute-done", Entry::Special(starts::done)),
    ("collective-permute-start", Entry::Special(starts::permute)),
    ("compare", Entry::Op(elementwise::read_compare)),
    ("complex", Entry::Binary(B::Complex)),
    ("concatenate", Entry::Op(movement::read_concatenate)),
    ("conditional", Entry::Special(control::conditional)),
    ("constant", Entry::Constant),
    ("convert", Entry::Op(convert::read_convert)),
    ("convolution", Entry::Op(convolution::read)),
    ("copy", Entry::Special(tuple::copy)),
    ("copy-done", Entry::Special(starts::done)),
    ("copy-start", Entry::Special(starts::copy)),
    ("cosh", Entry::Unary(U::Cosh)),
    ("cosine", Entry::Unary(U::Cosine)),
    ("count-leading-zeros", Entry::Unary(U::CountLeadingZeros)),
    ("custom-call", Entry::Special(foreign::custom_call)),
    ("divide", Entry::Binary(B::Divide)),
    ("domain", Entry::Refused("domains isolate shardings inside XLA's pipeline; dump the module before they are added")),
    ("dot", Entry::Op(contract::read)),
    ("dynamic-reshape", Entry::Refused(DYNAMIC)),
    ("dynamic-slice", Entry::Op(dynamic::read_slice)),
    ("dynamic-update-slice", Entry::Op(dynamic::read_update_slice)),
    ("erf", Entry::Unary(U::Erf)),
    ("exponential", Entry::Unary(U::Exponential)),
    ("exponential-minus-one", Entry::Unary(U::ExponentialMinusOne)),
    ("fft", Entry::Op(linalg::read_fft)),
    ("floor", Entry::Unary(U::Floor)),
    ("fusion", Entry::Op(control::read_fusion)),
    ("gather", Entry::Op(gather::read_gather)),
    ("get-dimension-size", Entry::Special(data::dimension_size)),
    ("get-tuple-element", Entry::Special(tuple::element)),
    ("imag", Entry::Unary(U::Imag)),
    ("infeed", Entry::Op(token::read_infeed)),
    ("iota", Entry::Op(data::read_iota)),
    ("is-finite", Entry::Unary(U::IsFinite)),
    ("log", Entry::Unary(U::Log)),
    ("log-plus-one", Entry::Unary(U::LogPlusOne)),
    ("logistic", Entry::Unary(U::Logistic)),
    ("map", Entry::Op(reduce::read_map)),
    ("maximum", Entry::Binary(B::Maximum)),
    ("minimum", Entry::Binary(B::Minimum)),
    ("mulhi", Entry::Special(elementwise::high_product)),
    ("multiply", Entry::Binary(B::Multiply)),
    ("negate", Entry::Unary(U::Negate)),
    ("not", Entry::Unary(U::Not)),
    ("opt-barrier", Entry::Op(data::read_barrier)),
    ("or", Entry::Binary(B::Or)),
    ("outfeed", Entry::Special(token::outfeed)),
    ("pad", Entry::Op(movement::read_pad)),
    ("partition-id", Entry::Special(collective::device_number)),
    ("popcnt", Entry::Unary(U::PopulationCount)),
    ("power", Entry::Binary(B::Power)),
    ("ragged-all-to-all", Entry::Refused("ragged shapes depend on data, and shapes are static here")),
    ("ragged-dot", Entry::Special(contract::ragged)),
    ("real", Entry::Unary(U::Real)),
    ("recv", Entry::Special(token::recv)),
    ("recv-done", Entry::Special(starts::done)),
    ("reduce", Entry::Op(reduce::read_reduce)),
    ("reduce-precision", Entry::Op(convert::read_reduce_precision)),
    ("reduce-scatter", Entry::Op(collective::read_reduce_scatter)),
    ("reduce-window", Entry::Op(window::read_reduce_window)),
    ("remainder", Entry::Binary(B::Remainder)),
    ("replica-id", Entry::Special(collective::device_number)),
    ("reshape", Entry::Op(movement::read_reshape)),
    ("reverse", Entry::Op(movement::read_reverse)),
    ("rng", Entry::Op(random::read_rng)),
    ("rng-bit-generator", Entry::Op(random::read_bit_generator)),
    ("rng-get-and-update-state", Entry::Op(foreign::read_rng_state)),
    ("round-nearest-afz", Entry::Unary(U::RoundNearestAfz)),
    ("round-nearest-even", Entry::Unary(U::RoundNearestEven)),
    ("rsqrt", Entry::Unary(U::Rsqrt)),
    ("scaled-dot", Entry::Refused("scale the operands and use `dot`")),
    ("scan", Entry::Refused("write it as `while`")),
    ("scatter", Entry::Op(gather::read_scatter)),
    ("select", Entry::Op(elementwise::read_select)),
    ("select-and-scatter", Entry::Op(window::read_select_and_scatter)),
    ("send", Entry::Special(token::send)),
    ("send-done", Entry::Special(starts::done)),
    ("set-dimension-size", Entry::Refused(DYNAMIC)),
    ("shift-left", Entry::Binary(B::ShiftLeft)),
    ("shift-right-arithmetic", Entry::Binary(B::ShiftRightArithmetic)),
    ("shift-right-logical", Entry::Binary(B::ShiftRightLogical)),
    ("sign", Entry::Unary(U::Sign)),
    ("sine", Entry::Unary(U::Sine)),
    ("sinh", Entry::Unary(U::Sinh)),
    ("slice", Entry::Op(movement::read_slice)),
    ("sort", Entry::Op(sort::read_sort)),
    ("sqrt", Entry::Unary(U::Sqrt)),
    ("stochastic-convert", Entry::Refused("its random bits have no counterpart in StableHLO")),
    ("subtract", Entry::Binary(B::Subtract)),
    ("tan", Entry::Unary(U::Tan)),
    ("tanh", Entry::Unary(U::Tanh)),
    ("topk", Entry::Op(sort::read_top_k)),
    ("transpose", Entry::Op(movement::read_transpose)),
    ("triangular-solve", Entry::Op(linalg::read_triangular_solve)),
    ("tuple", Entry::Special(tuple::tuple)),
    ("while", Entry::Op(control::read_while)),
    ("xor", Entry::Binary(B::Xor)),
];

/// How an opcode is read. `x-start`, `x-update` and `x-done` of any op `x` are its asynchronous form.
pub(super) fn entry(opcode: Piece<'_>) -> Read<Entry> {
    if let Some(entry) = known(opcode.str) {
        return Ok(entry);
    }
    let base = opcode.str.rsplit_once('-');
    match base.filter(|(base, _)| known(base).is_some()) {
        Some((_, "start")) => Ok(Entry::Special(starts::sugared)),
        Some((_, "update")) => Ok(Entry::Special(starts::update)),
        Some((_, "done")) => Ok(Entry::Special(starts::done)),
        _ => Err(unknown(opcode)),
    }
}

pub(super) fn known(opcode: &str) -> Option<Entry> {
    let at = TABLE.binary_search_by(|(name, _)| (*name).cmp(opcode)).ok()?;
    Some(TABLE[at].1)
}

fn unknown(opcode: Piece<'_>) -> Box<Diagnostic> {
    let message = format!("unknown opcode `{:.60}`", opcode.str);
    let error = fault(codes::UNKNOWN_OP, opcode.span(), message);
    let foreign = || {
        "correct its name; for an op of others write `custom-call(..), custom_call_target=\"name\"`".into()
    };
    Box::new(error.help(suggest(opcode.str, TABLE.iter().map(|(name, _)| *name)).unwrap_or_else(foreign)))
}

/// A diagnostic for an opcode that is known but not handled.
pub(super) fn refuse(opcode: Piece<'_>, why: &str) -> Box<Diagnostic> {
    let message = format!("`{}` is not supported", opcode.str);
    Box::new(fault(codes::UNSUPPORTED, opcode.span(), message).help(why))
}

/// Fill in a line: opcode, operands and attributes of an instruction. Some ops need lines before; ops that stand in
/// line leave the opcode empty.
pub(super) fn print(line: &mut Line<'_, '_, '_>) {
    match &line.inst.op {
        Op::Constant(op) => data::print_constant(op, line),
        Op::Iota(op) => data::print_iota(op, line),
        Op::Unary(op) => elementwise::print_unary(*op, line),
        Op::Binary(op) => elementwise::print_binary(*op, line),
        Op::Compare(op) => elementwise::print_compare(op, line),
        Op::Select => line.op("select").end(),
        Op::Clamp => line.op("clamp").end(),
        Op::Convert(op) => convert::print(op, line),
        Op::Movement(op) => movement::print(op, line),
        Op::Dynamic(op) => dynamic::print(op, line),
        Op::Gather(op) => gather::print_gather(op, line),
        Op::Scatter(op) => gather::print_scatter(op, line),
        Op::Dot(op) => contract::print(op, line),
        Op::Convolution(op) => convolution::print(op, line),
        Op::Reduce(op) => reduce::print_reduce(op, line),
        Op::Map(op) => reduce::print_map(op, line),
        Op::ReduceWindow(op) => window::print_reduce_window(op, line),
        Op::SelectAndScatter(op) => window::print_select_and_scatter(op, line),
        Op::Sort(op) => sort::print_sort(op, line),
        Op::TopK(op) => sort::print_top_k(op, line),
        Op::Random(op) => random::print(op, line),
        Op::Fft(op) => linalg::print_fft(op, line),
        Op::Linalg(op) => linalg::print(op, line),
        Op::BatchNorm(op) => batch_norm::print(op, line),
        Op::Control(op) => control::print(op, line),
        Op::Scan(op) => control::print_scan(op, line),
        Op::Call(op) => control::print_call(op, line),
        Op::Collective(op) => collective::print(op, line),
        Op::PartitionId => line.op("partition-id").end(),
        Op::ReplicaId => line.op("replica-id").end(),
        Op::Foreign(Foreign::CustomCall(op)) => foreign::print_custom_call(op, line),
        Op::Foreign(Foreign::Composite(op)) => control::print_composite(op, line),
        Op::OptimizationBarrier => data::print_barrier(line),
        Op::Token(op) => token::print(op, line),
        Op::Sharding(op) => sharding::print(op, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
    }
}
