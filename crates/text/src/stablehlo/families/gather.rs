//! gather and scatter with their dimension numbers.

use super::{field_lists, ints};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::Op;
use meshwright_ir::op::{Gather, Scatter};
use std::fmt::Write;

pub fn gather<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 2)?;
    let mut fields = p.struct_fields(draft, "dimension_numbers", "stablehlo.gather")?;
    let gather = Gather {
        offset_dims: p.opt_dims(&mut fields, "offset_dims")?,
        collapsed_slice_dims: p.opt_dims(&mut fields, "collapsed_slice_dims")?,
        operand_batching_dims: p.opt_dims(&mut fields, "operand_batching_dims")?,
        start_indices_batching_dims: p.opt_dims(&mut fields, "start_indices_batching_dims")?,
        start_index_map: p.opt_dims(&mut fields, "start_index_map")?,
        index_vector_dim: index_vector_dim(p, &mut fields)?,
        slice_sizes: p.ints(draft, "slice_sizes")?,
        indices_are_sorted: p.flag(draft, "indices_are_sorted")?,
    };
    p.no_more_fields(&fields)?;
    Ok(Op::Gather(gather))
}

/// MLIR leaves a zero out.
fn index_vector_dim<'a>(p: &mut Parser<'a>, fields: &mut Draft<'a>) -> Parsed<usize> {
    if fields.has("index_vector_dim") { p.dim(fields, "index_vector_dim") } else { Ok(0) }
}

pub fn gather_props(gather: &Gather) -> Vec<Prop<'static>> {
    let mut text = String::from("#stablehlo.gather<");
    field_lists(
        &mut text,
        &[
            ("offset_dims", &gather.offset_dims),
            ("collapsed_slice_dims", &gather.collapsed_slice_dims),
            ("operand_batching_dims", &gather.operand_batching_dims),
            ("start_indices_batching_dims", &gather.start_indices_batching_dims),
            ("start_index_map", &gather.start_index_map),
        ],
    );
    close_numbers(&mut text, gather.index_vector_dim);
    vec![
        Prop::made("dimension_numbers", Tree::Raw(text.into())),
        super::flag("indices_are_sorted", gather.indices_are_sorted),
        ints("slice_sizes", &gather.slice_sizes),
    ]
}

fn close_numbers(text: &mut String, index_vector_dim: usize) {
    if index_vector_dim != 0 {
        let comma = if text.ends_with('<') { "" } else { ", " };
        put!(text, "{comma}index_vector_dim = {index_vector_dim}");
    }
    text.push('>');
}

pub fn scatter<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let mut fields = p.struct_fields(draft, "scatter_dimension_numbers", "stablehlo.scatter")?;
    let scatter = Scatter {
        update_window_dims: p.opt_dims(&mut fields, "update_window_dims")?,
        inserted_window_dims: p.opt_dims(&mut fields, "inserted_window_dims")?,
        input_batching_dims: p.opt_dims(&mut fields, "input_batching_dims")?,
        scatter_indices_batching_dims: p.opt_dims(&mut fields, "scatter_indices_batching_dims")?,
        scatter_dims_to_operand_dims: p.opt_dims(&mut fields, "scatter_dims_to_operand_dims")?,
        index_vector_dim: index_vector_dim(p, &mut fields)?,
        indices_are_sorted: p.flag(draft, "indices_are_sorted")?,
        unique_indices: p.flag(draft, "unique_indices")?,
    };
    p.no_more_fields(&fields)?;
    Ok(Op::Scatter(scatter))
}

pub fn scatter_props(scatter: &Scatter) -> Vec<Prop<'static>> {
    let mut text = String::from("#stablehlo.scatter<");
    field_lists(
        &mut text,
        &[
            ("update_window_dims", &scatter.update_window_dims),
            ("inserted_window_dims", &scatter.inserted_window_dims),
            ("input_batching_dims", &scatter.input_batching_dims),
            ("scatter_indices_batching_dims", &scatter.scatter_indices_batching_dims),
            ("scatter_dims_to_operand_dims", &scatter.scatter_dims_to_operand_dims),
        ],
    );
    close_numbers(&mut text, scatter.index_vector_dim);
    vec![
        super::flag("indices_are_sorted", scatter.indices_are_sorted),
        Prop::made("scatter_dimension_numbers", Tree::Raw(text.into())),
        super::flag("unique_indices", scatter.unique_indices),
    ]
}
