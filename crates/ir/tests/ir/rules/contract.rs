//! Contractions and reductions.

use super::{F32_SUM, check};
use crate::table::Case;
use meshwright_ir::op::*;
use meshwright_ir::{DType, Op};
use meshwright_shard::Reducer;

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
