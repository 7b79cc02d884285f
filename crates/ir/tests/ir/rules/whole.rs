//! Sorting, transforms, solvers, normalization, random bits: ops that keep dims whole or move along them.

use super::{F32_SUM, check};
use crate::table::Case;
use meshwright_ir::op::*;
use meshwright_ir::{DType, Op, TensorType};

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
            "u64[2] u32[4,8] | ([k])->([l], [i, j]) {i=4, j=8, k=2, l=2} need_replication={k, l} by_family={i, j}",
        ),
        (Case::new(bits(RngAlgorithm::ThreeFry), "u64[3]"), "error: ThreeFry cannot use u64[3] as its state"),
        (Case::new(rng, "f32[] f32[]"), "f32[4,8] | ([], [])->([i, j]) {i=4, j=8} never_split={i, j}"),
    ]);
}
