//! Sliding windows.

use super::Made;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::{ReduceWindow, SelectAndScatter, WindowDim};
use std::fmt::{Display, Write};

pub(super) fn read_reduce_window<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let window = text.window()?;
    Ok(Made::with_regions(Op::ReduceWindow(ReduceWindow { window }), vec![text.need("to_apply")?]))
}

pub(super) fn read_select_and_scatter<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let op = SelectAndScatter { window: text.window()? };
    Ok(Made::with_regions(Op::SelectAndScatter(op), vec![text.need("select")?, text.need("scatter")?]))
}

/// `, window={size=2x2 stride=2x2 pad=0_1x0_1}`; fields that say nothing are left out.
pub(super) fn print_window(window: &[WindowDim], line: &mut Line<'_, '_, '_>) {
    if window.is_empty() {
        return;
    }
    let trivial = WindowDim::TRIVIAL;
    let mut fields = format!("size={}", by_dim(window, |dim| dim.size));
    let mut field = |name: &str, says: bool, value: String| {
        if says {
            let _ = write!(fields, " {name}={value}");
        }
    };
    let any = |differs: &dyn Fn(&WindowDim) -> bool| window.iter().any(differs);
    field("stride", any(&|dim| dim.stride != trivial.stride), by_dim(window, |dim| dim.stride));
    let padded = any(&|dim| (dim.pad_low, dim.pad_high) != (0, 0));
    field("pad", padded, by_dim(window, |dim| format!("{}_{}", dim.pad_low, dim.pad_high)));
    field("lhs_dilate", any(&|dim| dim.base_dilation != 1), by_dim(window, |dim| dim.base_dilation));
    field("rhs_dilate", any(&|dim| dim.window_dilation != 1), by_dim(window, |dim| dim.window_dilation));
    field("rhs_reversal", any(&|dim| dim.reversal), by_dim(window, |dim| u8::from(dim.reversal)));
    line.attr("window", format_args!("{{{fields}}}"));
}

/// One number for each dim, separated by `x`.
fn by_dim<T: Display>(window: &[WindowDim], number: impl Fn(&WindowDim) -> T) -> String {
    window.iter().map(|dim| number(dim).to_string()).collect::<Vec<_>>().join("x")
}

pub(super) fn print_reduce_window(op: &ReduceWindow, line: &mut Line<'_, '_, '_>) {
    line.op("reduce-window");
    print_window(&op.window, line);
    super::closures::reducer(line);
}

pub(super) fn print_select_and_scatter(op: &SelectAndScatter, line: &mut Line<'_, '_, '_>) {
    line.op("select-and-scatter");
    print_window(&op.window, line);
    line.region("select", 0).region("scatter", 1);
}
