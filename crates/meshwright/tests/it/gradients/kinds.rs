//! Every op of the IR, and what is expected of its derivative; every class of attributes that changes one.
//!
//! The lists are the arms of exhaustive matches: a new op, or a new attribute of the families taken apart here, does
//! not compile until it stands here, and does not pass until it stands in a row.

use meshwright_ir::op::window::WindowDim;
use meshwright_ir::op::*;
use meshwright_ir::{BlockId, Function, InstId, Module, Op, Type, ValueId};
use std::collections::BTreeSet;

/// What is expected of the derivative of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    /// It has one: some row shows it.
    Slope,
    /// Zero wherever it exists, or of nothing that has one.
    Zero,
    /// It has none: refused, with the way to it.
    Refused,
    /// It is not in a program that users differentiate: transfers, and what stands in programs for one device each (the
    /// tests of crate `grad` differentiate those).
    Never,
}

macro_rules! kinds {
    ($($pattern:pat => $name:literal $expect:ident,)*) => {
        /// All kinds of ops.
        pub const KINDS: &[(&str, Expect)] = &[$(($name, Expect::$expect)),*];

        fn kind(op: &Op) -> &'static str {
            match op {
                $($pattern => $name,)*
            }
        }
    };
}

kinds! {
    Op::Constant(_) => "constant" Zero,
    Op::Iota(_) => "iota" Zero,
    Op::Compare(_) => "compare" Zero,
    Op::Unary(UnaryOp::Abs) => "abs" Slope,
    Op::Unary(UnaryOp::Acos) => "acos" Slope,
    Op::Unary(UnaryOp::Acosh) => "acosh" Slope,
    Op::Unary(UnaryOp::Asin) => "asin" Slope,
    Op::Unary(UnaryOp::Asinh) => "asinh" Slope,
    Op::Unary(UnaryOp::Atan) => "atan" Slope,
    Op::Unary(UnaryOp::Atanh) => "atanh" Slope,
    Op::Unary(UnaryOp::BesselI1e) => "bessel_i1e" Refused,
    Op::Unary(UnaryOp::Cbrt) => "cbrt" Slope,
    Op::Unary(UnaryOp::Ceil) => "ceil" Zero,
    Op::Unary(UnaryOp::Conj) => "conj" Slope,
    Op::Unary(UnaryOp::Copy) => "copy" Slope,
    Op::Unary(UnaryOp::Cosh) => "cosh" Slope,
    Op::Unary(UnaryOp::Cosine) => "cosine" Slope,
    Op::Unary(UnaryOp::CountLeadingZeros) => "count_leading_zeros" Zero,
    Op::Unary(UnaryOp::Digamma) => "digamma" Slope,
    Op::Unary(UnaryOp::Erf) => "erf" Slope,
    Op::Unary(UnaryOp::Erfc) => "erfc" Slope,
    Op::Unary(UnaryOp::ErfInv) => "erf_inv" Slope,
    Op::Unary(UnaryOp::Exponential) => "exponential" Slope,
    Op::Unary(UnaryOp::ExponentialMinusOne) => "exponential_minus_one" Slope,
    Op::Unary(UnaryOp::Floor) => "floor" Zero,
    Op::Unary(UnaryOp::Imag) => "imag" Slope,
    Op::Unary(UnaryOp::IsFinite) => "is_finite" Zero,
    Op::Unary(UnaryOp::IsInf) => "is_inf" Zero,
    Op::Unary(UnaryOp::IsNegInf) => "is_neg_inf" Zero,
    Op::Unary(UnaryOp::IsPosInf) => "is_pos_inf" Zero,
    Op::Unary(UnaryOp::Lgamma) => "lgamma" Slope,
    Op::Unary(UnaryOp::Log) => "log" Slope,
    Op::Unary(UnaryOp::LogPlusOne) => "log_plus_one" Slope,
    Op::Unary(UnaryOp::Logistic) => "logistic" Slope,
    Op::Unary(UnaryOp::Negate) => "negate" Slope,
    Op::Unary(UnaryOp::Not) => "not" Zero,
    Op::Unary(UnaryOp::PopulationCount) => "population_count" Zero,
    Op::Unary(UnaryOp::Real) => "real" Slope,
    Op::Unary(UnaryOp::RoundNearestAfz) => "round_nearest_afz" Zero,
    Op::Unary(UnaryOp::RoundNearestEven) => "round_nearest_even" Zero,
    Op::Unary(UnaryOp::Rsqrt) => "rsqrt" Slope,
    Op::Unary(UnaryOp::Sign) => "sign" Zero,
    Op::Unary(UnaryOp::Sine) => "sine" Slope,
    Op::Unary(UnaryOp::Sinh) => "sinh" Slope,
    Op::Unary(UnaryOp::Sqrt) => "sqrt" Slope,
    Op::Unary(UnaryOp::Square) => "square" Slope,
    Op::Unary(UnaryOp::Tan) => "tan" Slope,
    Op::Unary(UnaryOp::Tanh) => "tanh" Slope,
    Op::Binary(BinaryOp::Add) => "add" Slope,
    Op::Binary(BinaryOp::And) => "and" Zero,
    Op::Binary(BinaryOp::Atan2) => "atan2" Slope,
    Op::Binary(BinaryOp::Complex) => "complex" Slope,
    Op::Binary(BinaryOp::Divide) => "divide" Slope,
    Op::Binary(BinaryOp::Maximum) => "maximum" Slope,
    Op::Binary(BinaryOp::Minimum) => "minimum" Slope,
    Op::Binary(BinaryOp::Multiply) => "multiply" Slope,
    Op::Binary(BinaryOp::NextAfter) => "next_after" Zero,
    Op::Binary(BinaryOp::Or) => "or" Zero,
    Op::Binary(BinaryOp::Polygamma) => "polygamma" Slope,
    Op::Binary(BinaryOp::Power) => "power" Slope,
    Op::Binary(BinaryOp::Remainder) => "remainder" Slope,
    Op::Binary(BinaryOp::ShiftLeft) => "shift_left" Zero,
    Op::Binary(BinaryOp::ShiftRightArithmetic) => "shift_right_arithmetic" Zero,
    Op::Binary(BinaryOp::ShiftRightLogical) => "shift_right_logical" Zero,
    Op::Binary(BinaryOp::Subtract) => "subtract" Slope,
    Op::Binary(BinaryOp::Xor) => "xor" Zero,
    Op::Binary(BinaryOp::Zeta) => "zeta" Slope,
    Op::Select => "select" Slope,
    Op::Clamp => "clamp" Slope,
    Op::Convert(Convert::To(_)) => "convert" Slope,
    Op::Convert(Convert::Bitcast(_)) => "bitcast" Zero,
    Op::Convert(Convert::ReducePrecision { .. }) => "reduce_precision" Slope,
    Op::Movement(Movement::Broadcast(_)) => "broadcast" Slope,
    Op::Movement(Movement::Reshape(_)) => "reshape" Slope,
    Op::Movement(Movement::Transpose(_)) => "transpose" Slope,
    Op::Movement(Movement::Slice(_)) => "slice" Slope,
    Op::Movement(Movement::Pad(_)) => "pad" Slope,
    Op::Movement(Movement::Concatenate(_)) => "concatenate" Slope,
    Op::Movement(Movement::Reverse(_)) => "reverse" Slope,
    Op::Dynamic(Dynamic::Slice { .. }) => "dynamic_slice" Slope,
    Op::Dynamic(Dynamic::UpdateSlice) => "dynamic_update_slice" Slope,
    Op::Gather(_) => "gather" Slope,
    Op::Scatter(_) => "scatter" Slope,
    Op::Dot(_) => "dot" Slope,
    Op::Convolution(_) => "convolution" Slope,
    Op::Reduce(_) => "reduce" Slope,
    Op::Map(_) => "map" Slope,
    Op::ReduceWindow(_) => "reduce_window" Slope,
    Op::SelectAndScatter(_) => "select_and_scatter" Slope,
    Op::Sort(_) => "sort" Slope,
    Op::TopK(_) => "top_k" Slope,
    Op::Random(Random::Rng { .. }) => "rng" Zero,
    Op::Random(Random::BitGenerator { .. }) => "rng_bit_generator" Zero,
    Op::Fft(_) => "fft" Slope,
    Op::Linalg(Linalg::Cholesky { .. }) => "cholesky" Slope,
    Op::Linalg(Linalg::TriangularSolve { .. }) => "triangular_solve" Slope,
    Op::BatchNorm(BatchNorm { kind: BatchNormKind::Training, .. }) => "batch_norm_training" Slope,
    Op::BatchNorm(BatchNorm { kind: BatchNormKind::Inference, .. }) => "batch_norm_inference" Slope,
    Op::BatchNorm(BatchNorm { kind: BatchNormKind::Grad, .. }) => "batch_norm_grad" Slope,
    Op::Control(Control::While) => "while" Slope,
    Op::Control(Control::If) => "if" Slope,
    Op::Control(Control::Case) => "case" Slope,
    Op::Control(Control::Fusion { .. }) => "fusion" Slope,
    Op::Scan(_) => "scan" Slope,
    Op::Call(_) => "call" Slope,
    Op::Collective(Collective { kind: CollectiveKind::AllReduce, .. }) => "all_reduce" Slope,
    Op::Collective(Collective { kind: CollectiveKind::AllGather { .. }, .. }) => "all_gather" Slope,
    Op::Collective(Collective { kind: CollectiveKind::ReduceScatter { .. }, .. }) => "reduce_scatter" Slope,
    Op::Collective(Collective { kind: CollectiveKind::AllToAll { .. }, .. }) => "all_to_all" Slope,
    Op::Collective(Collective { kind: CollectiveKind::AllToAllTuple, .. }) => "all_to_all_tuple" Never,
    Op::Collective(Collective { kind: CollectiveKind::Permute { .. }, .. }) => "collective_permute" Slope,
    Op::Collective(Collective { kind: CollectiveKind::Broadcast, .. }) => "collective_broadcast" Refused,
    Op::PartitionId => "partition_id" Zero,
    Op::ReplicaId => "replica_id" Zero,
    Op::Foreign(Foreign::CustomCall(_)) => "custom_call" Refused,
    Op::Foreign(Foreign::Composite(_)) => "composite" Slope,
    Op::OptimizationBarrier => "optimization_barrier" Slope,
    Op::Token(_) => "token" Never,
    Op::Sharding(ShardingOp::Constraint { .. }) => "constraint" Slope,
    Op::Sharding(ShardingOp::FullToShard { .. }) => "full_to_shard" Slope,
    Op::Sharding(ShardingOp::ShardToFull { .. }) => "shard_to_full" Slope,
    Op::Sharding(ShardingOp::Manual(_)) => "manual_computation" Slope,
    Op::Sharding(ShardingOp::Group { .. }) => "sharding_group" Zero,
    Op::Sharding(ShardingOp::Barrier { .. }) => "propagation_barrier" Slope,
    Op::Sharding(ShardingOp::Named { .. }) => "named_computation" Slope,
    Op::Sharding(ShardingOp::Reshard(_)) => "reshard" Slope,
}

/// Attributes that a derivative must follow.
pub const CLASSES: &[&str] = &[
    "window stride",
    "window padding",
    "window padding, negative",
    "window dilation",
    "window dilation of the image",
    "window turned",
    "convolution in groups of features",
    "convolution in groups of the batch",
    "convolution with dims in another order",
    "gather of windows",
    "gather of batches",
    "gather by vectors that do not stand last",
    "gather by implied vectors",
    "scatter that adds",
    "scatter that sets",
    "scatter that multiplies",
    "scatter to the largest",
    "scatter to the smallest",
    "scatter of windows",
    "scatter of batches",
    "scatter of unique indices",
    "reduce that adds",
    "reduce that multiplies",
    "reduce to the largest",
    "reduce to the smallest",
    "reduce by any computation",
    "reduce_window that adds",
    "reduce_window that multiplies",
    "reduce_window to the largest",
    "reduce_window to the smallest",
    "reduce_window by any computation",
    "slice with a stride",
    "pad between elements",
    "pad that crops",
    "broadcast that stretches",
    "dot over batches",
    "dot over two dims",
    "sort of several",
    "scan in reverse",
    "fft forward",
    "fft back",
    "fft of reals",
    "fft to reals",
    "solve from the right",
    "solve by the upper half",
    "solve with ones on the diagonal",
    "solve with the transpose",
    "solve with the adjoint",
    "complex numbers",
];

/// What the ops of a module are that its float inputs reach.
#[derive(Default)]
pub struct Seen {
    pub kinds: BTreeSet<&'static str>,
    pub classes: BTreeSet<&'static str>,
}

impl Seen {
    pub fn add(&mut self, module: &Module) {
        for func in module.funcs.values() {
            let reached = reached(func);
            for inst in func.insts_in_order() {
                let it = func.inst(inst);
                let varies = it.operands.iter().any(|operand| reached.contains(operand));
                // A region may use what is outside of it, and a call anything.
                if varies || !it.regions.is_empty() {
                    self.kinds.insert(kind(&it.op));
                    classes(func, inst, &mut self.classes);
                }
            }
        }
    }
}

/// Float values that depend on a float parameter of any block.
fn reached(func: &Function) -> BTreeSet<ValueId> {
    let is_float = |value: &ValueId| {
        func.ty(*value).as_tensor().is_some_and(|ty| ty.dtype.is_float() || ty.dtype.is_complex())
    };
    let mut reached: BTreeSet<ValueId> = func.param_values().iter().copied().filter(is_float).collect();
    for inst in func.insts_in_order() {
        let it = func.inst(inst);
        let params = it.regions.iter().flat_map(|region| func.block(*region).params.iter().copied());
        reached.extend(params.filter(is_float));
        if !it.regions.is_empty() || it.operands.iter().any(|operand| reached.contains(operand)) {
            reached.extend(it.results.iter().copied().filter(is_float));
        }
    }
    reached
}

fn classes(func: &Function, inst: InstId, seen: &mut BTreeSet<&'static str>) {
    let it = func.inst(inst);
    let dims = |at: usize| it.operands.get(at).map_or(&[][..], |value| func.dims(*value));
    let mut add = |class: &'static str, holds: bool| {
        assert!(CLASSES.contains(&class), "{class} is not listed");
        if holds {
            seen.insert(class);
        }
    };
    if it
        .operands
        .iter()
        .any(|operand| matches!(func.ty(*operand), Type::Tensor(ty) if ty.dtype.is_complex()))
    {
        add("complex numbers", true);
    }
    match &it.op {
        Op::Convolution(op) => {
            let Convolution { dims, window, feature_group_count, batch_group_count, result: _, precision: _ } =
                op;
            windows(window, &mut add);
            add("convolution in groups of features", *feature_group_count > 1);
            add("convolution in groups of the batch", *batch_group_count > 1);
            add("convolution with dims in another order", dims.input_batch != 0);
        }
        Op::ReduceWindow(ReduceWindow { window }) => {
            windows(window, &mut add);
            match reducer(func, it.regions[0]) {
                Some(BinaryOp::Add) => add("reduce_window that adds", true),
                Some(BinaryOp::Multiply) => add("reduce_window that multiplies", true),
                Some(BinaryOp::Maximum) => add("reduce_window to the largest", true),
                Some(BinaryOp::Minimum) => add("reduce_window to the smallest", true),
                _ => add("reduce_window by any computation", true),
            }
        }
        Op::Reduce(Reduce { dims: _ }) => match reducer(func, it.regions[0]) {
            Some(BinaryOp::Add) => add("reduce that adds", true),
            Some(BinaryOp::Multiply) => add("reduce that multiplies", true),
            Some(BinaryOp::Maximum) => add("reduce to the largest", true),
            Some(BinaryOp::Minimum) => add("reduce to the smallest", true),
            _ => add("reduce by any computation", true),
        },
        Op::Gather(op) => {
            let Gather {
                offset_dims: _,
                collapsed_slice_dims: _,
                operand_batching_dims,
                start_indices_batching_dims: _,
                start_index_map: _,
                index_vector_dim,
                slice_sizes,
                indices_are_sorted: _,
            } = op;
            let indices = dims(1).len();
            add("gather of batches", !operand_batching_dims.is_empty());
            add(
                "gather of windows",
                slice_sizes.iter().zip(dims(0)).any(|(size, whole)| *size > 1 && size < whole),
            );
            add("gather by vectors that do not stand last", index_vector_dim + 1 < indices);
            add("gather by implied vectors", *index_vector_dim == indices);
        }
        Op::Scatter(op) => {
            let Scatter {
                update_window_dims,
                inserted_window_dims: _,
                input_batching_dims,
                scatter_indices_batching_dims: _,
                scatter_dims_to_operand_dims: _,
                index_vector_dim: _,
                indices_are_sorted: _,
                unique_indices,
            } = op;
            match reducer(func, it.regions[0]) {
                Some(BinaryOp::Add) => add("scatter that adds", true),
                Some(BinaryOp::Multiply) => add("scatter that multiplies", true),
                Some(BinaryOp::Maximum) => add("scatter to the largest", true),
                Some(BinaryOp::Minimum) => add("scatter to the smallest", true),
                _ => add("scatter that sets", true),
            }
            add("scatter of windows", !update_window_dims.is_empty());
            add("scatter of batches", !input_batching_dims.is_empty());
            add("scatter of unique indices", *unique_indices);
        }
        Op::Movement(Movement::Slice(Slice { start: _, limit: _, stride })) => {
            add("slice with a stride", stride.iter().any(|stride| *stride > 1));
        }
        Op::Movement(Movement::Pad(Pad { low, high, interior })) => {
            add("pad between elements", interior.iter().any(|gap| *gap > 0));
            add("pad that crops", low.iter().chain(high).any(|edge| *edge < 0));
        }
        Op::Movement(Movement::Broadcast(Broadcast { dims: to, shape })) => {
            add("broadcast that stretches", to.iter().zip(dims(0)).any(|(to, size)| shape[*to] != *size));
        }
        Op::Dot(Dot { batch, contract, result: _, precision: _, algorithm: _ }) => {
            add("dot over batches", !batch.is_empty());
            add("dot over two dims", contract.len() > 1);
        }
        Op::Sort(Sort { dim: _, stable: _ }) => add("sort of several", it.operands.len() > 1),
        Op::Scan(Scan { trips: _, carries: _, reverse }) => add("scan in reverse", *reverse),
        Op::Fft(linalg::Fft { kind, length: _ }) => match kind {
            linalg::FftKind::Fft => add("fft forward", true),
            linalg::FftKind::Ifft => add("fft back", true),
            linalg::FftKind::Rfft => add("fft of reals", true),
            linalg::FftKind::Irfft => add("fft to reals", true),
        },
        Op::Linalg(Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a }) => {
            add("solve from the right", !left_side);
            add("solve by the upper half", !lower);
            add("solve with ones on the diagonal", *unit_diagonal);
            add("solve with the transpose", *transpose_a == TransposeKind::Transpose);
            add("solve with the adjoint", *transpose_a == TransposeKind::Adjoint);
        }
        // Without attributes that a derivative could miss.
        _ => {}
    }
}

fn windows(window: &[WindowDim], add: &mut impl FnMut(&'static str, bool)) {
    for WindowDim { size: _, stride, pad_low, pad_high, base_dilation, window_dilation, reversal } in window {
        add("window stride", *stride > 1);
        add("window padding", *pad_low > 0 || *pad_high > 0);
        add("window padding, negative", *pad_low < 0 || *pad_high < 0);
        add("window dilation", *window_dilation > 1);
        add("window dilation of the image", *base_dilation > 1);
        add("window turned", *reversal);
    }
}

/// The one op of a region, if it is one of two numbers.
fn reducer(func: &Function, region: BlockId) -> Option<BinaryOp> {
    let [inst] = func.block(region).insts[..] else { return None };
    match func.inst(inst).op {
        Op::Binary(op) => Some(op),
        _ => None,
    }
}
