//! Each family's inference and rule, as text: types in; result types, rule and linearity out.

use crate::table::Case;
use meshwright_ir::literal::Literal;
use meshwright_ir::op::*;
use meshwright_ir::{DType, FactorKind, Op, TensorType};
use meshwright_shard::Reducer;

const F32_SUM: &[&str] = &["(f32[], f32[])->(f32[])"];

/// Every case shows what is expected, and every rule is well formed.
#[track_caller]
fn check(cases: &[(Case, &str)]) {
    let shown: Vec<String> = cases.iter().map(|(case, _)| case.show()).collect();
    let as_expected = shown.iter().zip(cases).all(|(shown, case)| shown == case.1);
    assert!(as_expected, "not as expected; now:\n@@{}\n", shown.join("\n@@"));
    for (case, _) in cases.iter().filter(|(case, _)| case.infer().is_ok()) {
        well_formed(case);
    }
}

/// Factors multiply to their dims (but for loose ones), reduced ones are in no result, all are used.
#[track_caller]
fn well_formed(case: &Case) {
    let rule = case.rule();
    let results = case.infer().unwrap();
    let operands = case.operand_types();
    let has_factors = !rule.factors.is_empty();
    for (dims, ty) in rule.tensors().zip(operands.iter().chain(&results)) {
        for (factors, size) in dims.iter().zip(ty.dims()) {
            let is_loose = factors.iter().any(|id| rule.kind(*id) == FactorKind::Permute);
            let product: i64 = factors.iter().map(|id| rule.factors[*id].size).product();
            let is_edge =
                factors.is_empty() && matches!(case.op, Op::Sharding(_) | Op::Binary(_) | Op::BatchNorm(_));
            assert!(!has_factors || is_loose || is_edge || product == *size, "{rule} on {ty}: {:?}", case.op);
        }
    }
    for (id, factor) in rule.factors.iter() {
        let among = |tensors: &[Vec<Vec<_>>]| tensors.iter().flatten().flatten().any(|other| *other == id);
        let reduces = matches!(factor.kind, FactorKind::Reduce(_));
        assert!(among(&rule.operands) || among(&rule.results), "{rule}: {id:?} stands nowhere");
        assert!(!reduces || !among(&rule.results), "{rule}: {id:?} is reduced, but in a result");
    }
}

fn f32(dims: &[i64]) -> TensorType {
    TensorType::new(DType::F32, dims)
}

#[test]
fn values_without_operands_start_at_an_offset_where_elements_differ() {
    let dense = Literal::dense(TensorType::new(DType::S8, [2, 2]), vec![1, 2, 3, 4]).unwrap();
    check(&[
        (
            Case::new(Op::Constant(Constant(Literal::zeros(f32(&[4, 8])))), ""),
            "f32[4,8] | ()->([i, j]) {i=4, j=8}",
        ),
        (Case::new(Op::Constant(Constant(dense)), ""), "s8[2,2] | ()->([i, j]) {i=2, j=2} by_hand={i, j}"),
        (
            Case::new(Op::Iota(Iota { dim: 1, ty: f32(&[4, 8]) }), ""),
            "f32[4,8] | ()->([i, j]) {i=4, j=8} by_hand={j}",
        ),
        (
            Case::new(Op::Iota(Iota { dim: 2, ty: f32(&[4, 8]) }), ""),
            "error: iota counts along dim 2, but the rank is 2",
        ),
    ]);
}

#[test]
fn elementwise_ops_pass_every_dim_and_scalars_beside_them_have_none() {
    check(&[
        (
            Case::new(Op::Unary(UnaryOp::Negate), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8} Sum jointly [0]",
        ),
        (Case::new(Op::Unary(UnaryOp::Tanh), "f32[4,8]"), "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}"),
        (Case::new(Op::Unary(UnaryOp::Tanh), "s32[4,8]"), "error: tanh is not defined on s32"),
        (Case::new(Op::Unary(UnaryOp::Abs), "c64[4]"), "f32[4] | ([i])->([i]) {i=4}"),
        (Case::new(Op::Unary(UnaryOp::IsFinite), "f32[]"), "pred[] | ([])->([]) {}"),
        (
            Case::new(Op::Binary(BinaryOp::Add), "f32[4,1] f32[4,1]"),
            "f32[4,1] | ([i, j], [i, j])->([i, j]) {i=4, j=1} Sum jointly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Add), "f32[4] f32[5]"),
            "error: operand 1 is f32[5], but operand 0 is f32[4]: the types must agree",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Multiply), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Sum singly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Divide), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Sum singly [0]",
        ),
        (Case::new(Op::Binary(BinaryOp::Divide), "s32[4] s32[4]"), "s32[4] | ([i], [i])->([i]) {i=4}"),
        (
            Case::new(Op::Binary(BinaryOp::Maximum), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Max jointly [0, 1] singly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Complex), "f64[4] f64[4]"),
            "c128[4] | ([i], [i])->([i]) {i=4} Sum jointly [0, 1]",
        ),
        (
            Case::new(Op::Compare(Compare { direction: Direction::Lt, kind: None }), "s32[4] s32[4]"),
            "pred[4] | ([i], [i])->([i]) {i=4}",
        ),
        (
            Case::new(
                Op::Compare(Compare { direction: Direction::Lt, kind: Some(CompareKind::Float) }),
                "s32[] s32[]",
            ),
            "error: comparison kind Float does not fit s32",
        ),
        (
            Case::new(Op::Select, "pred[] f32[4] f32[4]"),
            "f32[4] | ([], [i], [i])->([i]) {i=4} any jointly [1, 2]",
        ),
        (
            Case::new(Op::Select, "pred[4] f32[4] f32[4]"),
            "f32[4] | ([i], [i], [i])->([i]) {i=4} any jointly [1, 2]",
        ),
        (
            Case::new(Op::Select, "pred[2] f32[4] f32[4]"),
            "error: operand 1 is f32[4], but operand 0 is pred[2]: the dims must agree",
        ),
        (Case::new(Op::Clamp, "f32[] f32[4] f32[4]"), "f32[4] | ([], [i], [i])->([i]) {i=4}"),
    ]);
}

#[test]
fn conversions_pass_and_keep_sums_only_where_nothing_is_rounded() {
    let bitcast = |dtype, dims: &[i64]| Op::Convert(Convert::Bitcast(TensorType::new(dtype, dims)));
    check(&[
        (
            Case::new(Op::Convert(Convert::To(DType::F32)), "bf16[4]"),
            "f32[4] | ([i])->([i]) {i=4} Sum jointly [0]",
        ),
        (Case::new(Op::Convert(Convert::To(DType::BF16)), "f32[4]"), "bf16[4] | ([i])->([i]) {i=4}"),
        (Case::new(Op::Convert(Convert::To(DType::S32)), "s8[4]"), "s32[4] | ([i])->([i]) {i=4}"),
        (Case::new(bitcast(DType::S32, &[4]), "f32[4]"), "s32[4] | ([i])->([i]) {i=4}"),
        (
            Case::new(bitcast(DType::U8, &[4, 4]), "f32[4]"),
            "u8[4,4] | ([i])->([i, j]) {i=4, j=4} need_replication={j}",
        ),
        (
            Case::new(bitcast(DType::F32, &[4]), "u8[4,4]"),
            "f32[4] | ([i, j])->([i]) {i=4, j=4} need_replication={j}",
        ),
        (
            Case::new(bitcast(DType::F32, &[2]), "u8[4,2]"),
            "error: the last dim of u8[4,2] must have 4 elements to be merged",
        ),
        (
            Case::new(
                Op::Convert(Convert::ReducePrecision { exponent_bits: 5, mantissa_bits: 10 }),
                "f32[4]",
            ),
            "f32[4] | ([i])->([i]) {i=4}",
        ),
    ]);
}

fn movement(op: Movement) -> Op {
    Op::Movement(op)
}

fn reshape(shape: &[i64]) -> Op {
    movement(Movement::Reshape(Reshape { shape: shape.to_vec() }))
}

#[test]
fn reshape_finds_common_factors_from_the_major_end() {
    check(&[
        (
            Case::new(reshape(&[2, 3, 4]), "f32[6,4]"),
            "f32[2,3,4] | ([ij, k])->([i, j, k]) {i=2, j=3, k=4} any jointly [0]",
        ),
        (
            Case::new(reshape(&[8, 3]), "f32[4,6]"),
            "f32[8,3] | ([i, jk])->([ij, k]) {i=4, j=2, k=3} any jointly [0]",
        ),
        (
            Case::new(reshape(&[4, 3]), "f32[2,6]"),
            "f32[4,3] | ([i, jk])->([ij, k]) {i=2, j=2, k=3} any jointly [0]",
        ),
        (
            Case::new(reshape(&[3, 8]), "f32[4,6]"),
            "f32[3,8] | ([i, l])->([j, k]) {i=4, j=3, k=8, l=6} need_replication={i, j, k, l} any jointly [0]",
        ),
        (Case::new(reshape(&[6]), "f32[3,2]"), "f32[6] | ([i, j])->([ij]) {i=3, j=2} any jointly [0]"),
        (
            Case::new(reshape(&[8, 1, 3, 8]), "f32[8,4,6]"),
            "f32[8,1,3,8] | ([i, j, m])->([i, 1, k, l]) {i=8, j=4, k=3, l=8, m=6} need_replication={j, k, l, m} any jointly [0]",
        ),
        (
            Case::new(reshape(&[4, 6, 5]), "f32[2,3,4,5]"),
            "f32[4,6,5] | ([i, j, m, n])->([ik, l, n]) {i=2, j=3, k=2, l=6, m=4, n=5} need_replication={j, k, l, m} any jointly [0]",
        ),
        (Case::new(reshape(&[]), "f32[1,1]"), "f32[] | ([1, 1])->([]) {} any jointly [0]"),
        (Case::new(reshape(&[1]), "f32[]"), "f32[1] | ([])->([1]) {} any jointly [0]"),
        (
            Case::new(reshape(&[0, 2]), "f32[3,0]"),
            "f32[0,2] | ([i, j])->([k, l]) {i=3, j=0, k=0, l=2} need_replication={i, j, k, l} any jointly [0]",
        ),
        (Case::new(reshape(&[5]), "f32[2,3]"), "error: f32[2,3] has 6 elements, but shape [5] has 5"),
        (Case::new(reshape(&[-6]), "f32[2,3]"), "error: reshape: dim 0 has a negative size, -6"),
        (
            Case::new(reshape(&[4, 4, 9]), "f32[6,6,4]"),
            "f32[4,4,9] | ([i, l, n])->([j, k, m]) {i=6, j=4, k=4, l=6, m=9, n=4} need_replication={i, j, k, l, m, n} any jointly [0]",
        ),
    ]);
}

#[test]
fn movement_passes_what_only_changes_place() {
    let broadcast = |dims: &[usize], shape: &[i64]| {
        movement(Movement::Broadcast(Broadcast { dims: dims.to_vec(), shape: shape.to_vec() }))
    };
    let slice = |start: &[i64], limit: &[i64], stride: &[i64]| {
        movement(Movement::Slice(Slice {
            start: start.to_vec(),
            limit: limit.to_vec(),
            stride: stride.to_vec(),
        }))
    };
    let pad = |low: &[i64], high: &[i64], interior: &[i64]| {
        movement(Movement::Pad(Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() }))
    };
    let transpose = movement(Movement::Transpose(Transpose { permutation: vec![1, 2, 0] }));
    let concatenate = |dim| movement(Movement::Concatenate(Concatenate { dim }));
    check(&[
        (Case::new(broadcast(&[], &[4, 8]), "f32[]"), "f32[4,8] | ([])->([i, j]) {i=4, j=8} any jointly [0]"),
        (
            Case::new(broadcast(&[1], &[4, 8]), "f32[8]"),
            "f32[4,8] | ([j])->([i, j]) {i=4, j=8} any jointly [0]",
        ),
        (
            Case::new(broadcast(&[0, 1], &[4, 8]), "f32[4,1]"),
            "f32[4,8] | ([i, 1])->([i, j]) {i=4, j=8} any jointly [0]",
        ),
        (
            Case::new(broadcast(&[0], &[4, 8]), "f32[8]"),
            "error: dim 0 of the operand has 8 elements, dim 0 of the result has 4",
        ),
        (Case::new(broadcast(&[0, 0], &[4, 8]), "f32[4,4]"), "error: broadcast: dim 0 is named twice"),
        (
            Case::new(transpose, "f32[2,3,4]"),
            "f32[3,4,2] | ([k, i, j])->([i, j, k]) {i=3, j=4, k=2} any jointly [0]",
        ),
        (
            Case::new(slice(&[0, 2], &[4, 7], &[1, 2]), "f32[4,8]"),
            "f32[4,3] | ([i, j])->([i, j]) {i=4, j=8} permutation={j} any jointly [0]",
        ),
        (
            Case::new(slice(&[0, 2], &[4, 3], &[1, 1]), "f32[4,8]"),
            "f32[4,1] | ([i, j])->([i, 1]) {i=4, j=8} permutation={j} any jointly [0]",
        ),
        (
            Case::new(slice(&[0, 2], &[4, 9], &[1, 1]), "f32[4,8]"),
            "error: slice [2:9] of dim 1 does not lie in its 8 elements",
        ),
        (
            Case::new(slice(&[0], &[4], &[0]), "f32[4]"),
            "error: the stride of dim 0 must be at least 1, not 0",
        ),
        (
            Case::new(pad(&[0, 1], &[0, -2], &[0, 1]), "f32[4,8] f32[]"),
            "f32[4,14] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j} any jointly [0, 1]",
        ),
        (
            Case::new(pad(&[-5], &[0], &[0]), "f32[4] f32[]"),
            "error: padded dim 0 would have a negative size, -1",
        ),
        (
            Case::new(pad(&[i64::MAX], &[i64::MAX], &[0]), "f32[4] f32[]"),
            "error: padded dim 0 would have 18446744073709551618 elements, too many",
        ),
        (
            Case::new(concatenate(1), "f32[4,8] f32[4,1] f32[4,3]"),
            "f32[4,12] | ([i, j], [i, 1], [i, j])->([i, j]) {i=4, j=12} permutation={j} any jointly [0, 1, 2]",
        ),
        (
            Case::new(concatenate(0), "f32[4,8] f32[4,1]"),
            "error: operand 1 is f32[4,1], but operand 0 is f32[4,8]: they may differ in dim 0 only",
        ),
        (
            Case::new(movement(Movement::Reverse(Reverse { dims: vec![1] })), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8} permutation={j} any jointly [0]",
        ),
    ]);
}

#[test]
fn dynamic_slices_pass_the_dims_they_take_whole() {
    let slice = |sizes: &[i64]| Op::Dynamic(Dynamic::Slice { sizes: sizes.to_vec() });
    check(&[
        (
            Case::new(slice(&[4, 2]), "f32[4,8] s32[] s32[]"),
            "f32[4,2] | ([i, j], [], [])->([i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k} by_hand={j} any singly [0]",
        ),
        (
            Case::new(slice(&[4, 1]), "f32[4,8] s32[] s32[]"),
            "f32[4,1] | ([i, j], [], [])->([i, 1]) {i=4, j=8} reduction={j} by_hand={j} any singly [0]",
        ),
        (
            Case::new(slice(&[4, 9]), "f32[4,8] s32[] s32[]"),
            "error: the slice has 9 elements in dim 1, but the operand f32[4,8] has 8",
        ),
        (
            Case::new(slice(&[4, 1]), "f32[4,8] s32[]"),
            "error: expected 2 start indices, one per dim, found 1",
        ),
        (
            Case::new(Op::Dynamic(Dynamic::UpdateSlice), "f32[4,8] f32[4,2] s32[] s32[]"),
            "f32[4,8] | ([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=2} permutation={j} need_replication={k} any jointly [0, 1]",
        ),
        (
            Case::new(Op::Dynamic(Dynamic::UpdateSlice), "f32[4,8] f32[1,8] s32[] s32[]"),
            "f32[4,8] | ([i, j], [1, j], [], [])->([i, j]) {i=4, j=8} permutation={i} any jointly [0, 1]",
        ),
        (
            Case::new(Op::Dynamic(Dynamic::UpdateSlice), "f32[4,8] f32[5,8] s32[] s32[]"),
            "error: the update has 5 elements in dim 0, but the operand f32[4,8] has 4",
        ),
    ]);
}

fn dot(batch: &[(usize, usize)], contract: &[(usize, usize)], result: DType) -> Op {
    Op::Dot(Dot {
        batch: batch.to_vec(),
        contract: contract.to_vec(),
        result,
        precision: Vec::new(),
        algorithm: None,
    })
}

#[test]
fn a_dot_sums_over_contracted_dims() {
    check(&[
        (
            Case::new(dot(&[], &[(1, 0)], DType::F32), "f32[8,32] f32[32,16]"),
            "f32[8,16] | ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k} Sum singly [0, 1]",
        ),
        (
            Case::new(dot(&[(0, 0)], &[(2, 1)], DType::F32), "bf16[8,4,32] bf16[8,32,16]"),
            "f32[8,4,16] | ([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=4, k=16, l=32} reduction={l} Sum singly [0, 1]",
        ),
        (
            Case::new(dot(&[], &[], DType::F32), "f32[8] f32[4]"),
            "f32[8,4] | ([i], [j])->([i, j]) {i=8, j=4} Sum singly [0, 1]",
        ),
        (
            Case::new(dot(&[], &[(0, 0)], DType::S32), "s8[8] s8[8]"),
            "s32[] | ([i], [i])->([]) {i=8} reduction={i}",
        ),
        (
            Case::new(dot(&[], &[(1, 0)], DType::F32), "f32[8,16] f32[32,16]"),
            "error: dim 1 of lhs has 16 elements, dim 0 of rhs has 32",
        ),
        (
            Case::new(dot(&[(1, 0)], &[(1, 1)], DType::F32), "f32[8,16] f32[16,16]"),
            "error: lhs of dot_general: dim 1 is named twice",
        ),
        (
            Case::new(dot(&[], &[(7, 0)], DType::F32), "f32[8,16] f32[16,16]"),
            "error: lhs of dot_general: dim 7 is out of range, the rank is 2",
        ),
        (
            Case::new(dot(&[], &[(1, 0)], DType::S32), "f32[8,16] f32[16,16]"),
            "error: dot_general of f32 and f32 cannot give s32",
        ),
    ]);
}

#[test]
fn reductions_leave_partial_values_when_the_reducer_is_known() {
    let reduce = |dims: &[usize]| Op::Reduce(Reduce { dims: dims.to_vec() });
    let two = &["(f32[], s32[], f32[], s32[])->(f32[], s32[])"];
    check(&[
        (
            Case::new(reduce(&[1]), "f32[4,8] f32[]").regions(F32_SUM).reducer(Reducer::Sum),
            "f32[4] | ([i, j], [])->([i]) {i=4, j=8} reduction={j} Sum jointly [0, 1]",
        ),
        (
            Case::new(reduce(&[0, 1]), "f32[4,8] f32[]").regions(F32_SUM),
            "f32[] | ([i, j], [])->([]) {i=4, j=8} permutation={i, j}",
        ),
        (
            Case::new(reduce(&[0]), "f32[4,8] s32[4,8] f32[] s32[]").regions(two),
            "f32[8] s32[8] | ([i, j], [i, j], [], [])->([j], [j]) {i=4, j=8} permutation={i}",
        ),
        (
            Case::new(reduce(&[0]), "bf16[4,8] bf16[]").regions(F32_SUM).reducer(Reducer::Max),
            "f32[8] | ([i, j], [])->([j]) {i=4, j=8} reduction={i} Max jointly [0, 1]",
        ),
        (
            Case::new(reduce(&[2]), "f32[4,8] f32[]").regions(F32_SUM),
            "error: reduce: dim 2 is out of range, the rank is 2",
        ),
        (
            Case::new(reduce(&[1, 0]), "f32[4,8] f32[]").regions(F32_SUM),
            "error: reduce: dims [1, 0] must be ascending",
        ),
        (
            Case::new(reduce(&[1]), "f32[4,8] f32[1]").regions(F32_SUM),
            "error: initial value 0 is f32[1], but must be a scalar",
        ),
        (Case::new(reduce(&[1]), "f32[4,8] f32[]"), "error: number of regions: expected 1, found 0"),
        (
            Case::new(reduce(&[1]), "s32[4,8] s32[]").regions(F32_SUM),
            "error: input 0: s32 does not widen to f32",
        ),
        (
            Case::new(Op::Map(Map { dims: vec![0, 1] }), "f32[4,8] f32[4,8]").regions(F32_SUM),
            "f32[4,8] | ([i, j], [i, j])->([i, j]) {i=4, j=8}",
        ),
    ]);
}

fn window(size: i64, stride: i64, pad_low: i64, pad_high: i64) -> WindowDim {
    WindowDim { size, stride, pad_low, pad_high, ..WindowDim::TRIVIAL }
}

#[test]
fn windows_move_elements_along_the_dims_they_cover() {
    let reduce = |dim| Op::ReduceWindow(ReduceWindow { window: vec![WindowDim::TRIVIAL, dim] });
    let select =
        Op::SelectAndScatter(SelectAndScatter { window: vec![WindowDim::TRIVIAL, window(2, 2, 0, 0)] });
    let regions = &["(f32[], f32[])->(pred[])", "(f32[], f32[])->(f32[])"];
    check(&[
        (
            Case::new(reduce(window(8, 1, 7, 0)), "f32[4,8] f32[]").regions(F32_SUM).reducer(Reducer::Sum),
            "f32[4,8] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j} Sum jointly [0, 1]",
        ),
        (
            Case::new(reduce(window(2, 2, 0, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "f32[4,4] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(reduce(window(8, 1, 0, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "f32[4,1] | ([i, j], [])->([i, 1]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(reduce(window(9, 1, 0, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "f32[4,0] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(reduce(window(0, 1, 0, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "error: the window's size in dim 1 must be at least 1, not 0",
        ),
        (
            Case::new(reduce(window(i64::MAX, 1, i64::MAX, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "f32[4,9] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(reduce(window(1, 1, -9, 0)), "f32[4,8] f32[]").regions(F32_SUM),
            "error: the padding of dim 1 leaves -1 elements",
        ),
        (
            Case::new(select.clone(), "f32[4,8] f32[4,4] f32[]").regions(regions).reducer(Reducer::Sum),
            "f32[4,8] | ([i, j], [i, j], [])->([i, j]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(select, "f32[4,8] f32[4,4] f32[]").regions(regions),
            "f32[4,8] | ([i, j], [i, k], [])->([i, l]) {i=4, j=8, k=4, l=8} need_replication={j, k, l}",
        ),
    ]);
}

fn convolution(window: Vec<WindowDim>, feature_group_count: i64, batch_group_count: i64) -> Op {
    let rank = window.len();
    let spatial: Vec<usize> = (2..2 + rank).collect();
    let dims = ConvolutionDims {
        input_batch: 0,
        input_feature: 1,
        input_spatial: spatial.clone(),
        kernel_input_feature: 1,
        kernel_output_feature: 0,
        kernel_spatial: spatial.clone(),
        output_batch: 0,
        output_feature: 1,
        output_spatial: spatial,
    };
    Op::Convolution(Convolution {
        dims,
        window,
        feature_group_count,
        batch_group_count,
        result: DType::F32,
        precision: Vec::new(),
    })
}

#[test]
fn convolutions_contract_features_and_recognize_dots_in_disguise() {
    let batch = WindowDim { size: 5, stride: 4, base_dilation: 5, ..WindowDim::TRIVIAL };
    let kernel_free = WindowDim { size: 5, pad_low: 4, pad_high: 4, reversal: true, ..WindowDim::TRIVIAL };
    check(&[
        (
            Case::new(convolution(vec![window(3, 1, 1, 1); 2], 1, 1), "f32[2,4,8,8] f32[16,4,3,3]"),
            "f32[2,16,8,8] | ([i, k, l, m], [j, k, n, o])->([i, j, l, m]) {i=2, j=16, k=4, l=8, m=8, n=3, o=3} reduction={k} permutation={l, m} need_replication={n, o} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![window(3, 2, 0, 1)], 2, 1), "f32[2,4,8] f32[16,2,3]"),
            "f32[2,16,4] | ([j, il, m], [ik, l, n])->([j, ik, m]) {i=2, j=2, k=8, l=2, m=8, n=3} reduction={l} permutation={m} need_replication={n} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![window(1, 1, 0, 0)], 1, 2), "f32[2,4,8] f32[16,4,1]"),
            "f32[1,16,8] | ([ij, l, m], [ik, l, 1])->([j, ik, m]) {i=2, j=1, k=8, l=4, m=8} reduction={l} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![window(8, 1, 0, 0)], 1, 1), "f32[2,4,8] f32[16,4,8]"),
            "f32[2,16,1] | ([i, k, l], [j, k, l])->([i, j, 1]) {i=2, j=16, k=4, l=8} reduction={k, l} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![batch], 1, 1), "f32[2,4,5] f32[16,4,5]"),
            "f32[2,16,5] | ([i, k, l], [j, k, l])->([i, j, l]) {i=2, j=16, k=4, l=5} reduction={k} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![kernel_free], 1, 1), "f32[2,4,1] f32[16,4,5]"),
            "f32[2,16,5] | ([i, k, 1], [j, k, l])->([i, j, l]) {i=2, j=16, k=4, l=5} reduction={k} Sum singly [0, 1]",
        ),
        (
            Case::new(convolution(vec![window(3, 1, 0, 0)], 3, 1), "f32[2,4,8] f32[16,2,3]"),
            "error: the input has 4 features in 3 groups, but the kernel takes 2",
        ),
        (
            Case::new(convolution(vec![window(3, 1, 0, 0)], 1, 1), "f32[2,4,8] f32[16,4,2]"),
            "error: the window of spatial dim 0 has 3 elements, dim 2 of the kernel has 2",
        ),
        (
            Case::new(convolution(vec![window(3, 1, 0, 0)], 1, 1), "f32[2,4,8,8] f32[16,4,2,2]"),
            "error: the input is f32[2,4,8,8], but 1 spatial dims ask for rank 3",
        ),
        (
            Case::new(convolution(vec![window(3, 1, 0, 0)], 0, 1), "f32[2,4,8] f32[16,4,3]"),
            "error: feature_group_count 0 and batch_group_count 1: both at least 1, one of them 1",
        ),
    ]);
}

fn embedding() -> Gather {
    Gather {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 2,
        slice_sizes: vec![1, 16],
        indices_are_sorted: false,
    }
}

fn embedding_update() -> Scatter {
    Scatter {
        update_window_dims: vec![2],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 2,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

#[test]
fn gather_passes_windows_and_batches_and_reduces_the_looked_up_dim() {
    let batched = Gather {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![1],
        index_vector_dim: 1,
        slice_sizes: vec![1, 1, 16],
        ..embedding()
    };
    let partly = Gather { slice_sizes: vec![1, 8], ..embedding() };
    let pair = Gather { start_index_map: vec![0, 1], slice_sizes: vec![1, 8], ..embedding() };
    check(&[
        (
            Case::new(Op::Gather(embedding()), "f32[100,16] s32[4,8,1]"),
            "f32[4,8,16] | ([l, k], [i, j, 1])->([i, j, k]) {i=4, j=8, k=16, l=100} reduction={l} by_hand={l} any singly [0]",
        ),
        (
            Case::new(Op::Gather(embedding()), "pred[100,16] s32[4,8]"),
            "pred[4,8,16] | ([l, k], [i, j])->([i, j, k]) {i=4, j=8, k=16, l=100} reduction={l} by_hand={l} any singly [0]",
        ),
        (
            Case::new(Op::Gather(batched), "f32[4,100,16] s32[4,1]"),
            "f32[4,16] | ([i, k, j], [i, 1])->([i, j]) {i=4, j=16, k=100} reduction={k} by_hand={k} any singly [0]",
        ),
        (
            Case::new(Op::Gather(partly), "f32[100,16] s32[4,8,1]"),
            "f32[4,8,8] | ([k, l], [i, j, 1])->([i, j, m]) {i=4, j=8, k=100, l=16, m=8} reduction={k} need_replication={l, m} by_hand={k} any singly [0]",
        ),
        (
            Case::new(Op::Gather(pair), "f32[100,16] s32[4,8,2]"),
            "f32[4,8,8] | ([k, l], [i, j, m])->([i, j, n]) {i=4, j=8, k=100, l=16, m=2, n=8} reduction={k} need_replication={l, m, n} by_hand={k} any singly [0]",
        ),
        (
            Case::new(Op::Gather(Gather { slice_sizes: vec![2, 16], ..embedding() }), "f32[9,16] s32[4,8,1]"),
            "error: dim 0 is dropped from the slice, so its size must be 1, not 2",
        ),
        (
            Case::new(Op::Gather(Gather { slice_sizes: vec![1, 17], ..embedding() }), "f32[9,16] s32[4,8,1]"),
            "error: a slice of 17 does not fit dim 1 of f32[9,16]",
        ),
        (
            Case::new(Op::Gather(Gather { index_vector_dim: 9, ..embedding() }), "f32[9,16] s32[4,8,1]"),
            "error: index_vector_dim is 9, but the indices are s32[4,8,1]",
        ),
        (
            Case::new(Op::Gather(embedding()), "f32[9,16] s32[4,8,2]"),
            "error: an index has 2 components (dim 2 of s32[4,8,2]), but the index map names 1 dims",
        ),
        (
            Case::new(Op::Gather(Gather { offset_dims: vec![7], ..embedding() }), "f32[9,16] s32[4,8,1]"),
            "error: window dims: dim 7 is out of range, the rank is 3",
        ),
    ]);
}

#[test]
fn scatter_passes_windows_and_batches_and_reduces_the_updates() {
    let operands = "f32[100,16] s32[4,8,1] f32[4,8,16]";
    let scatter = || Case::new(Op::Scatter(embedding_update()), operands).regions(F32_SUM);
    let batched = Scatter {
        update_window_dims: vec![1],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: vec![1],
        index_vector_dim: 1,
        ..embedding_update()
    };
    check(&[
        (
            scatter().reducer(Reducer::Sum),
            "f32[100,16] | ([l, k], [i, j, 1], [i, j, k])->([l, k]) {i=4, j=8, k=16, l=100} reduction={i, j} by_hand={i, j, l} Sum jointly [0, 2]",
        ),
        (
            scatter(),
            "f32[100,16] | ([l, k], [i, j, 1], [i, j, k])->([l, k]) {i=4, j=8, k=16, l=100} need_replication={i, j} by_hand={l}",
        ),
        (
            Case::new(Op::Scatter(batched), "f32[4,100,16] s32[4,1] f32[4,16]").regions(F32_SUM),
            "f32[4,100,16] | ([i, k, j], [i, 1], [i, j])->([i, k, j]) {i=4, j=16, k=100} by_hand={k}",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), "f32[9,16] s32[4,8,1] f32[4,8,5]").regions(F32_SUM),
            "f32[9,16] | ([k, l], [i, j, 1], [i, j, m])->([k, n]) {i=4, j=8, k=9, l=16, m=5, n=16} need_replication={i, j, l, m, n} by_hand={k}",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), "f32[9,16] s32[4,8,1] f32[4,8,17]").regions(F32_SUM),
            "error: dim 2 of the update has 17 elements, dim 1 of the input only 16",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), "f32[9,16] s32[4,8,1] f32[4,7,16]").regions(F32_SUM),
            "error: dim 1 of the indices has 8 elements, dim 1 of the update has 7",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), "f32[9,16] s32[4,8,1]").regions(F32_SUM),
            "error: expected inputs, indices and as many updates, found 2 operands",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), operands),
            "error: number of regions: expected 1, found 0",
        ),
    ]);
}

#[test]
fn sorting_moves_elements_along_its_dim() {
    let comparator = &["(f32[], f32[], s32[], s32[])->(pred[])"];
    let sort = |dim| Op::Sort(Sort { dim, stable: true });
    let top_k = |k| Op::TopK(TopK { k, largest: true });
    check(&[
        (
            Case::new(sort(1), "f32[4,8] s32[4,8]").regions(comparator),
            "f32[4,8] s32[4,8] | ([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8} permutation={j}",
        ),
        (
            Case::new(sort(2), "f32[4,8] s32[4,8]").regions(comparator),
            "error: sort along dim 2, but the rank is 2",
        ),
        (
            Case::new(sort(1), "s32[4,8] s32[4,8]").regions(comparator),
            "error: parameter 0 of the comparator is f32, but operand 0 is s32[4,8]",
        ),
        (
            Case::new(sort(1), "f32[4,8]").regions(F32_SUM),
            "error: the comparator must return one pred[], not (f32[])",
        ),
        (
            Case::new(top_k(2), "f32[4,8]"),
            "f32[4,2] s32[4,2] | ([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} permutation={j} need_replication={k}",
        ),
        (Case::new(top_k(9), "f32[4,8]"), "error: k is 9, but the last dim of f32[4,8] has 8 elements"),
    ]);
}

#[test]
fn transforms_and_solvers_keep_their_dims_whole() {
    let fft = |kind, length: &[i64]| Op::Fft(linalg::Fft { kind, length: length.to_vec() });
    let solve = |left_side| {
        Op::Linalg(Linalg::TriangularSolve {
            left_side,
            lower: true,
            unit_diagonal: false,
            transpose_a: TransposeKind::NoTranspose,
        })
    };
    check(&[
        (
            Case::new(fft(linalg::FftKind::Fft, &[8]), "c64[4,8]"),
            "c64[4,8] | ([i, j])->([i, k]) {i=4, j=8, k=8} need_replication={j, k} Sum jointly [0]",
        ),
        (
            Case::new(fft(linalg::FftKind::Rfft, &[8]), "f32[4,8]"),
            "c64[4,5] | ([i, j])->([i, k]) {i=4, j=8, k=5} need_replication={j, k} Sum jointly [0]",
        ),
        (
            Case::new(fft(linalg::FftKind::Irfft, &[8]), "c64[4,5]"),
            "f32[4,8] | ([i, j])->([i, k]) {i=4, j=5, k=8} need_replication={j, k} Sum jointly [0]",
        ),
        (
            Case::new(fft(linalg::FftKind::Irfft, &[8]), "c64[4,8]"),
            "error: dim 1 of the operand has 8 elements, but fft length 8 needs 5",
        ),
        (Case::new(fft(linalg::FftKind::Fft, &[8]), "f32[4,8]"), "error: Fft is not defined on f32"),
        (
            Case::new(Op::Linalg(Linalg::Cholesky { lower: true }), "f32[2,4,4]"),
            "f32[2,4,4] | ([i, j, k])->([i, l, m]) {i=2, j=4, k=4, l=4, m=4} need_replication={j, k, l, m}",
        ),
        (
            Case::new(Op::Linalg(Linalg::Cholesky { lower: true }), "f32[4,5]"),
            "error: cholesky takes square matrices, but these have 4 rows and 5 columns",
        ),
        (
            Case::new(solve(true), "f32[2,4,4] f32[2,4,3]"),
            "f32[2,4,3] | ([i, k, l], [i, m, j])->([i, n, j]) {i=2, j=3, k=4, l=4, m=4, n=4} need_replication={k, l, m, n} Sum singly [1]",
        ),
        (
            Case::new(solve(false), "f32[2,4,4] f32[2,3,4]"),
            "f32[2,3,4] | ([i, k, l], [i, j, m])->([i, j, n]) {i=2, j=3, k=4, l=4, m=4, n=4} need_replication={k, l, m, n} Sum singly [1]",
        ),
        (
            Case::new(solve(false), "f32[2,4,4] f32[2,4,3]"),
            "error: a has 4 rows, but b has 3 elements along the solved dim",
        ),
    ]);
}

#[test]
fn batch_norm_passes_features() {
    let norm = |kind| Op::BatchNorm(BatchNorm { kind, epsilon: 0, feature_dim: 1 });
    check(&[
        (
            Case::new(norm(BatchNormKind::Training), "f32[4,8] f32[8] f32[8]"),
            "f32[4,8] f32[8] f32[8] | ([i, j], [j], [j])->([i, j], [j], [j]) {i=4, j=8} need_replication={i}",
        ),
        (
            Case::new(norm(BatchNormKind::Inference), "f32[4,8] f32[8] f32[8] f32[8] f32[1]"),
            "f32[4,8] | ([i, j], [j], [j], [j], [1])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(norm(BatchNormKind::Grad), "f32[4,8] f32[8] f32[8] f32[8] f32[4,8]"),
            "f32[4,8] f32[8] f32[8] | ([i, j], [j], [j], [j], [i, j])->([i, j], [j], [j]) {i=4, j=8} need_replication={i}",
        ),
        (
            Case::new(norm(BatchNormKind::Training), "f32[4,8] f32[4] f32[8]"),
            "error: operand 1 is f32[4], but dim 1 of f32[4,8] has 8 features",
        ),
    ]);
}

#[test]
fn random_bits_start_at_an_offset_and_their_state_stays_together() {
    let bits =
        |algorithm| Op::Random(Random::BitGenerator { algorithm, bits: TensorType::new(DType::U32, [4, 8]) });
    let rng = Op::Random(Random::Rng { distribution: Distribution::Uniform, shape: vec![4, 8] });
    check(&[
        (
            Case::new(bits(RngAlgorithm::Philox), "u64[2]"),
            "u64[2] u32[4,8] | ([k])->([l], [i, j]) {i=4, j=8, k=2, l=2} need_replication={k, l} by_hand={i, j}",
        ),
        (Case::new(bits(RngAlgorithm::ThreeFry), "u64[3]"), "error: ThreeFry cannot use u64[3] as its state"),
        (Case::new(rng, "f32[] f32[]"), "f32[4,8] | ([], [])->([i, j]) {i=4, j=8} by_hand={i, j}"),
    ]);
}

#[test]
fn collectives_pass_the_dims_they_leave_alone() {
    let collective = |kind| {
        Op::Collective(Collective {
            kind,
            groups: Groups::All,
            group_size: 4,
            channel: Default::default(),
            wide: None,
        })
    };
    let exchange = |split_count| CollectiveKind::AllToAll { split_dim: 0, concat_dim: 1, split_count };
    check(&[
        (
            Case::new(collective(CollectiveKind::AllReduce), "f32[4,8] f32[3]").regions(F32_SUM),
            "f32[4,8] f32[3] | ([i, j], [k])->([i, j], [k]) {i=4, j=8, k=3}",
        ),
        (
            Case::new(collective(CollectiveKind::AllReduce), "f32[4,8]"),
            "error: number of regions: expected 1, found 0",
        ),
        (
            Case::new(collective(CollectiveKind::AllGather { dim: 0 }), "f32[4,8]"),
            "f32[16,8] | ([j, i])->([k, i]) {i=8, j=4, k=16} need_replication={j, k}",
        ),
        (
            Case::new(collective(CollectiveKind::ReduceScatter { dim: 1 }), "f32[4,8]").regions(F32_SUM),
            "f32[4,2] | ([i, j])->([i, k]) {i=4, j=8, k=2} need_replication={j, k}",
        ),
        (
            Case::new(collective(CollectiveKind::ReduceScatter { dim: 1 }), "f32[4,7]").regions(F32_SUM),
            "error: dim 1 of f32[4,7] has 7 elements, not divisible by 4",
        ),
        (
            Case::new(collective(exchange(4)), "f32[4,8]"),
            "f32[1,32] | ([i, j])->([1, k]) {i=4, j=8, k=32} need_replication={i, j, k}",
        ),
        (
            Case::new(collective(exchange(2)), "f32[4,8]"),
            "error: all_to_all splits into 2 pieces, but a group has 4 devices",
        ),
        (
            Case::new(collective(CollectiveKind::Permute { pairs: vec![(0, 1)] }), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(collective(CollectiveKind::AllToAllTuple), "f32[4] f32[4]"),
            "error: all_to_all has 2 operands, but 4 devices in a group",
        ),
    ]);
}

#[test]
fn control_flow_has_no_factors_and_its_regions_must_fit() {
    let loops = &["(s32[], f32[4])->(pred[])", "(s32[], f32[4])->(s32[], f32[4])"];
    let wrong = &["(s32[], f32[4])->(pred[])", "(s32[], f32[4])->(s32[], f32[5])"];
    let scan = |trips| Op::Scan(Scan { trips, carries: 1, reverse: false });
    let body = &["(f32[4], f32[2])->(f32[4], s32[])"];
    check(&[
        (
            Case::new(Op::Control(Control::While), "s32[] f32[4]").regions(loops),
            "s32[] f32[4] | ([], [1])->([], [1]) {}",
        ),
        (
            Case::new(Op::Control(Control::While), "s32[] f32[4]").regions(wrong),
            "error: results of the body: number 1 is f32[5], but in the initial state it is f32[4]",
        ),
        (
            Case::new(Op::Control(Control::If), "pred[]").regions(&["()->(f32[4])", "()->(f32[4])"]),
            "f32[4] | ([])->([1]) {}",
        ),
        (
            Case::new(Op::Control(Control::Case), "s32[]").regions(&["()->(f32[4])", "()->(f32[5])"]),
            "error: results of branch 1: number 0 is f32[5], but in branch 0 it is f32[4]",
        ),
        (Case::new(scan(7), "f32[4] f32[7,2]").regions(body), "f32[4] s32[7] | ([1], [1, 1])->([1], [1]) {}"),
        (
            Case::new(scan(6), "f32[4] f32[7,2]").regions(body),
            "error: operand 1 is f32[7,2], but dim 0 of a stacked input must have the trip count, 6",
        ),
        (
            Case::new(Op::OptimizationBarrier, "f32[4] token f32[2]"),
            "f32[4] token[] f32[2] | ([i], [], [j])->([i], [], [j]) {i=4, j=2} any jointly [0, 2]",
        ),
        (Case::new(Op::Token(TokenOp::AfterAll), "token token"), "token[] | ([], [])->([]) {}"),
        (Case::new(Op::PartitionId, ""), "u32[] | ()->([]) {}"),
    ]);
}

#[test]
fn unknown_custom_calls_stay_whole_and_known_ones_pass() {
    let call = |target: &str, results: &[&str]| {
        Op::Foreign(Foreign::CustomCall(CustomCall {
            target: target.to_string(),
            results: results.iter().map(|text| crate::table::ty(text)).collect(),
            has_side_effect: false,
            backend_config: None,
            api_version: None,
            attrs: Default::default(),
            callees: Vec::new(),
        }))
    };
    check(&[
        (
            Case::new(call("mystery", &["f32[4]"]), "f32[4,1]"),
            "f32[4] | ([i, 1])->([j]) {i=4, j=4} need_replication={i, j}",
        ),
        (
            Case::new(call("MoveToHost", &["f32[4,8]"]), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(call("TopK", &["f32[4,2]", "s32[4,2]"]), "f32[4,8]"),
            "f32[4,2] s32[4,2] | ([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} permutation={j} need_replication={k}",
        ),
        (
            Case::new(call("TopK", &["f32[4,2]"]), "f32[5,8]"),
            "f32[4,2] | ([i, j])->([k, l]) {i=5, j=8, k=4, l=2} need_replication={i, j, k, l}",
        ),
    ]);
}

#[test]
fn identities_about_shardings_pass_everything() {
    let boundary = Op::Sharding(ShardingOp::FullToShard { unspecified: vec![], shape: vec![2, 8] });
    check(&[
        (
            Case::new(Op::Sharding(ShardingOp::Constraint { unspecified: vec![] }), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(Op::Sharding(ShardingOp::Reshard(ReshardOp::Any)), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (Case::new(Op::Sharding(ShardingOp::Group { id: 0 }), "f32[4,8]"), " | ([i, j])->() {i=4, j=8}"),
        (Case::new(boundary, "f32[4,8]"), "f32[2,8] | ([1, i])->([1, i]) {i=8}"),
    ]);
}

/// Shapes of the same number of elements: the first split of `primes` into dims, then another.
#[test]
fn reshape_rules_multiply_to_both_shapes() {
    let mut random = 12345u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    for _ in 0..500 {
        let primes: Vec<i64> = (0..next(7)).map(|_| [1, 2, 2, 3, 5][next(5) as usize]).collect();
        let mut shape = |primes: &[i64]| {
            let mut dims = vec![1i64];
            for prime in primes {
                if next(2) == 0 { dims.push(*prime) } else { *dims.last_mut().unwrap() *= prime }
            }
            dims
        };
        let (from, to) = (shape(&primes), shape(&primes));
        let operand = TensorType::new(DType::F32, from);
        let text: &'static str = Box::leak(operand.to_string().into_boxed_str());
        let case = Case::new(reshape(&to), text);
        well_formed(&case);
        let passes = case.rule().factors.values().all(|factor| factor.kind == FactorKind::Pass);
        assert!(
            passes,
            "both shapes group the same primes in order, so they have common factors: {}",
            case.show()
        );
    }
}
