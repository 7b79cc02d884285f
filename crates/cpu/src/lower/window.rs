//! Windows with a plain reducer, and the gradient of their extremes.
//!
//! Other windows (of several arrays, of rare types, with a computation of their own) are reductions over a view in
//! which neighbouring places overlap (`lower/reduce.rs`), and another selection runs on the interpreter.

use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{CompareKind, Direction, ReduceWindow, SelectAndScatter, WindowDim};
use meshwright_ir::{BlockId, Function, Inst, Op};
use meshwright_kernels::convolution::Spatial;
use meshwright_kernels::step::Step;
use meshwright_kernels::view::{View, row_major};
use meshwright_kernels::window::scatter::SelectScatterStep;
use meshwright_kernels::window::{self, WindowStep};
use meshwright_runtime::RunError;

impl<'m> Lower<'m> {
    /// A window over one array that is folded by a plain reducer.
    pub fn folded_windows(
        &mut self,
        op: &ReduceWindow,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Option<Val>, RunError> {
        let ([input, init], [region]) = (x, &inst.regions[..]) else { return Ok(None) };
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let (Some(reducer), Where::Splat(init)) = (frame.func.region_reducer(*region), &init.at) else {
            return Ok(None);
        };
        // Where every number is looked at, the kernel that is looked at stays.
        if !self.fuse || !window::can(dtype) || input.dtype != dtype {
            return Ok(None);
        }
        let (from, view) = self.view(input)?;
        let (to, val) = self.fresh(dtype, &dims)?;
        let dims = window::joined(spatial(&op.window, &view, &dims));
        let step = WindowStep { from: (from, view.offset), to, dtype, reducer, init: *init, dims };
        self.push(Step::Window(step));
        Ok(Some(val))
    }

    pub fn select_and_scatter(
        &mut self,
        op: &SelectAndScatter,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let ([operand, source, init], [select, scatter]) = (x, &inst.regions[..]) else {
            return Err(self.unsound("a selection takes three operands and two regions"));
        };
        let keeps = keeps(frame.func, *select).ok_or_else(|| self.refuse("a selection by no order"))?;
        let reducer = frame.func.region_reducer(*scatter);
        let reducer = reducer.ok_or_else(|| self.refuse("a scatter with a computation of its own"))?;
        let Where::Splat(init) = init.at else {
            return Err(self.refuse("a selection that starts from a computed value"));
        };
        let (dtype, dims) = self.result(frame, inst, 0)?;
        if !window::can(dtype) || [operand.dtype, source.dtype] != [dtype; 2] {
            return Err(self.refuse("a selection of this type"));
        }
        let places = source.dims.clone();
        let (from, source) = (self.dense(operand)?, self.dense(source)?);
        let (to, val) = self.fresh(dtype, &dims)?;
        let dims = window::joined(spatial(&op.window, &View::dense(&dims), &places));
        self.push(Step::SelectScatter(SelectScatterStep {
            from,
            source,
            to,
            dtype,
            keeps,
            reducer,
            init,
            dims,
        }));
        Ok(val)
    }
}

/// How each dim of what is read and of the dense result moves.
fn spatial(window: &[WindowDim], view: &View, made: &[usize]) -> Vec<Spatial> {
    let strides = row_major(made);
    let one = |(d, w): (usize, &WindowDim)| Spatial {
        input: view.dims[d],
        output: made[d],
        window: usize::try_from(w.size).unwrap_or(0),
        input_stride: view.strides[d],
        output_stride: strides[d],
        kernel_stride: 0,
        step: w.stride,
        pad_low: w.pad_low,
        base_dilation: w.base_dilation,
        window_dilation: w.window_dilation,
    };
    window.iter().enumerate().map(one).collect()
}

/// The order by which a region keeps its first parameter before its second.
fn keeps(func: &Function, region: BlockId) -> Option<Direction> {
    let block = func.block(region);
    let ([a, b], [result]) = (&block.params[..], &block.results[..]) else { return None };
    let inst = func.inst(func.def_inst(*result)?);
    let Op::Compare(compare) = &inst.op else { return None };
    let swapped = match inst.operands[..] {
        [x, y] if [x, y] == [*a, *b] => false,
        [x, y] if [x, y] == [*b, *a] => true,
        _ => return None,
    };
    match (compare.direction, swapped) {
        _ if compare.kind == Some(CompareKind::TotalOrder) => None,
        (Direction::Eq | Direction::Ne, _) => None,
        (Direction::Ge, false) | (Direction::Le, true) => Some(Direction::Ge),
        (Direction::Gt, false) | (Direction::Lt, true) => Some(Direction::Gt),
        (Direction::Le, false) | (Direction::Ge, true) => Some(Direction::Le),
        (Direction::Lt, false) | (Direction::Gt, true) => Some(Direction::Lt),
    }
}
