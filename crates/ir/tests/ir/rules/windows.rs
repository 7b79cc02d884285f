//! Windows and convolutions.

use super::{F32_SUM, check};
use crate::table::Case;
use meshwright_ir::op::*;
use meshwright_ir::{DType, Op};
use meshwright_shard::Reducer;

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
            "f32[4,9] | ([i, j], [])->([i, j]) {i=4, j=8} permutation={j} never_split={j}",
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
