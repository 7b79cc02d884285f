//! Gather and scatter.

use super::Made;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{Gather, Scatter};

pub(super) fn read_gather<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Gather(Gather {
        offset_dims: text.dims("offset_dims")?,
        collapsed_slice_dims: text.dims("collapsed_slice_dims")?,
        operand_batching_dims: text.dims("operand_batching_dims")?,
        start_indices_batching_dims: text.dims("start_indices_batching_dims")?,
        start_index_map: text.dims("start_index_map")?,
        index_vector_dim: text.need_index("index_vector_dim")?,
        slice_sizes: text.ints("slice_sizes")?,
        indices_are_sorted: text.flag("indices_are_sorted")?,
    })))
}

pub(super) fn read_scatter<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let scatter = Scatter {
        update_window_dims: text.dims("update_window_dims")?,
        inserted_window_dims: text.dims("inserted_window_dims")?,
        input_batching_dims: text.dims("input_batching_dims")?,
        scatter_indices_batching_dims: text.dims("scatter_indices_batching_dims")?,
        scatter_dims_to_operand_dims: text.dims("scatter_dims_to_operand_dims")?,
        index_vector_dim: text.need_index("index_vector_dim")?,
        indices_are_sorted: text.flag("indices_are_sorted")?,
        unique_indices: text.flag("unique_indices")?,
    };
    Ok(Made::with_regions(Op::Scatter(scatter), vec![text.need("to_apply")?]))
}

pub(super) fn print_gather(op: &Gather, line: &mut Line<'_, '_, '_>) {
    line.op("gather")
        .list("offset_dims", &op.offset_dims)
        .list("collapsed_slice_dims", &op.collapsed_slice_dims)
        .list("start_index_map", &op.start_index_map)
        .list_if_any("operand_batching_dims", &op.operand_batching_dims)
        .list_if_any("start_indices_batching_dims", &op.start_indices_batching_dims)
        .attr("index_vector_dim", op.index_vector_dim)
        .list("slice_sizes", &op.slice_sizes)
        .flag("indices_are_sorted", op.indices_are_sorted);
}

pub(super) fn print_scatter(op: &Scatter, line: &mut Line<'_, '_, '_>) {
    line.op("scatter")
        .list("update_window_dims", &op.update_window_dims)
        .list("inserted_window_dims", &op.inserted_window_dims)
        .list("scatter_dims_to_operand_dims", &op.scatter_dims_to_operand_dims)
        .list_if_any("input_batching_dims", &op.input_batching_dims)
        .list_if_any("scatter_indices_batching_dims", &op.scatter_indices_batching_dims)
        .attr("index_vector_dim", op.index_vector_dim)
        .flag("indices_are_sorted", op.indices_are_sorted)
        .flag("unique_indices", op.unique_indices)
        .region("to_apply", 0);
}
