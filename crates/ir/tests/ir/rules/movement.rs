//! Movement, reshapes, dynamic slices.

use super::{check, well_formed};
use crate::table::Case;
use meshwright_ir::op::*;
use meshwright_ir::{DType, FactorKind, Op, TensorType};

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
            "f32[3,8] | ([i, k])->([i, j]) {i=4, j=8, k=6} permutation={i} need_replication={j, k} any jointly [0]",
        ),
        (Case::new(reshape(&[6]), "f32[3,2]"), "f32[6] | ([i, j])->([ij]) {i=3, j=2} any jointly [0]"),
        (
            Case::new(reshape(&[8, 1, 3, 8]), "f32[8,4,6]"),
            "f32[8,1,3,8] | ([i, j, l])->([i, 1, j, k]) {i=8, j=4, k=8, l=6} permutation={j} need_replication={k, l} any jointly [0]",
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
            "f32[4,4,9] | ([i, k, m])->([i, j, l]) {i=6, j=4, k=6, l=9, m=4} permutation={i} need_replication={j, k, l, m} any jointly [0]",
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
            "f32[4,1] | ([i, j])->([i, j]) {i=4, j=8} permutation={j} any jointly [0]",
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
            "f32[4,12] | ([i, j], [i, j], [i, j])->([i, j]) {i=4, j=12} permutation={j} any jointly [0, 1, 2]",
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
            "f32[4,2] | ([i, j], [], [])->([i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k} by_family={j} any singly [0]",
        ),
        (
            Case::new(slice(&[4, 1]), "f32[4,8] s32[] s32[]"),
            "f32[4,1] | ([i, j], [], [])->([i, 1]) {i=4, j=8} reduction={j} by_family={j} any singly [0]",
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
