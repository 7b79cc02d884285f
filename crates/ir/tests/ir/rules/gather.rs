//! Gather and scatter.

use super::{F32_SUM, check};
use crate::table::Case;
use meshwright_ir::Op;
use meshwright_ir::op::*;
use meshwright_shard::Reducer;

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
            "f32[4,8,16] | ([l, k], [i, j, 1])->([i, j, k]) {i=4, j=8, k=16, l=100} reduction={l} by_family={l} any singly [0]",
        ),
        (
            Case::new(Op::Gather(embedding()), "pred[100,16] s32[4,8]"),
            "pred[4,8,16] | ([l, k], [i, j])->([i, j, k]) {i=4, j=8, k=16, l=100} reduction={l} by_family={l} any singly [0]",
        ),
        (
            Case::new(Op::Gather(batched), "f32[4,100,16] s32[4,1]"),
            "f32[4,16] | ([i, k, j], [i, 1])->([i, j]) {i=4, j=16, k=100} reduction={k} by_family={k} any singly [0]",
        ),
        (
            Case::new(Op::Gather(partly), "f32[100,16] s32[4,8,1]"),
            "f32[4,8,8] | ([k, l], [i, j, 1])->([i, j, m]) {i=4, j=8, k=100, l=16, m=8} reduction={k} need_replication={l, m} by_family={k} any singly [0]",
        ),
        (
            Case::new(Op::Gather(pair), "f32[100,16] s32[4,8,2]"),
            "f32[4,8,8] | ([k, l], [i, j, m])->([i, j, n]) {i=4, j=8, k=100, l=16, m=2, n=8} reduction={k, l} need_replication={m, n} by_family={k, l} any singly [0]",
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
            "f32[100,16] | ([l, k], [i, j, 1], [i, j, k])->([l, k]) {i=4, j=8, k=16, l=100} reduction={i, j} by_family={i, j, l} Sum jointly [0, 2]",
        ),
        (
            scatter(),
            "f32[100,16] | ([l, k], [i, j, 1], [i, j, k])->([l, k]) {i=4, j=8, k=16, l=100} need_replication={i, j} by_family={l}",
        ),
        (
            Case::new(Op::Scatter(batched), "f32[4,100,16] s32[4,1] f32[4,16]").regions(F32_SUM),
            "f32[4,100,16] | ([i, k, j], [i, 1], [i, j])->([i, k, j]) {i=4, j=16, k=100} by_family={k}",
        ),
        (
            Case::new(Op::Scatter(embedding_update()), "f32[9,16] s32[4,8,1] f32[4,8,5]").regions(F32_SUM),
            "f32[9,16] | ([k, l], [i, j, 1], [i, j, m])->([k, n]) {i=4, j=8, k=9, l=16, m=5, n=16} need_replication={i, j, l, m, n} by_family={k}",
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
