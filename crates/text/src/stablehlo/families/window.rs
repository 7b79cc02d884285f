//! reduce_window and select_and_scatter: lists per dim, to and from windows.

use super::ints;
use crate::codes;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{ReduceWindow, SelectAndScatter, WindowDim};
use meshwright_ir::{DType, Literal, Op, TensorType};

/// Names of the lists. What is absent is 1 (padding: 0) for every dim.
pub struct Lists {
    pub strides: &'static str,
    pub base_dilations: &'static str,
    pub window_dilations: &'static str,
}

const LISTS: Lists = Lists {
    strides: "window_strides",
    base_dilations: "base_dilations",
    window_dilations: "window_dilations",
};

pub fn reduce_window<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let sizes = p.ints(draft, "window_dimensions")?;
    let window = windows(p, draft, &sizes, &LISTS)?;
    Ok(Op::ReduceWindow(ReduceWindow { window }))
}

pub fn select_and_scatter<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 2)?;
    p.operand_count(draft, 3)?;
    let rank = p.operand_dims(draft, 0).len();
    let sizes = p.opt_ints(draft, "window_dimensions")?.unwrap_or_else(|| vec![1; rank]);
    let window = windows(p, draft, &sizes, &LISTS)?;
    Ok(Op::SelectAndScatter(SelectAndScatter { window }))
}

/// One window per size.
pub fn windows<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    sizes: &[i64],
    lists: &Lists,
) -> Parsed<Vec<WindowDim>> {
    let strides = per_dim(p, draft, lists.strides, sizes.len(), 1)?;
    let base = per_dim(p, draft, lists.base_dilations, sizes.len(), 1)?;
    let window = per_dim(p, draft, lists.window_dilations, sizes.len(), 1)?;
    let padding = per_dim(p, draft, "padding", 2 * sizes.len(), 0)?;
    let at = |list: &[i64], i: usize| list.get(i).copied().unwrap_or(0);
    let dim = |(i, size): (usize, &i64)| WindowDim {
        size: *size,
        stride: at(&strides, i),
        pad_low: at(&padding, 2 * i),
        pad_high: at(&padding, 2 * i + 1),
        base_dilation: at(&base, i),
        window_dilation: at(&window, i),
        reversal: false,
    };
    Ok(sizes.iter().enumerate().map(dim).collect())
}

fn per_dim<'a>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    name: &str,
    len: usize,
    absent: i64,
) -> Parsed<Vec<i64>> {
    let values = p.opt_ints(draft, name)?.unwrap_or_else(|| vec![absent; len]);
    if values.len() == len {
        return Ok(values);
    }
    let message = format!("`{name}` has {} numbers, but {len} are needed", values.len());
    Err(p.fail(codes::BAD_ATTRIBUTE, draft.at, message))
}

/// One number per dim.
pub fn each(name: &'static str, window: &[WindowDim], get: impl Fn(&WindowDim) -> i64) -> Prop<'static> {
    ints(name, &window.iter().map(get).collect::<Vec<_>>())
}

/// `padding = dense<[[low, high], ..]> : tensor<nx2xi64>`.
pub fn padding(window: &[WindowDim]) -> Prop<'static> {
    let ty = TensorType::new(DType::S64, [window.len() as i64, 2]);
    let bytes = window.iter().flat_map(|dim| [dim.pad_low.to_le_bytes(), dim.pad_high.to_le_bytes()]);
    let literal = Literal::dense(ty.clone(), bytes.flatten().collect()).unwrap_or_else(|| Literal::zeros(ty));
    Prop::made("padding", Tree::Dense(literal))
}

pub fn reduce_window_props(reduce: &ReduceWindow) -> Vec<Prop<'static>> {
    vec![
        each("base_dilations", &reduce.window, |dim| dim.base_dilation),
        padding(&reduce.window),
        each("window_dilations", &reduce.window, |dim| dim.window_dilation),
        each("window_dimensions", &reduce.window, |dim| dim.size),
        each("window_strides", &reduce.window, |dim| dim.stride),
    ]
}

pub fn select_and_scatter_props(scatter: &SelectAndScatter) -> Vec<Prop<'static>> {
    vec![
        padding(&scatter.window),
        each("window_dimensions", &scatter.window, |dim| dim.size),
        each("window_strides", &scatter.window, |dim| dim.stride),
    ]
}
