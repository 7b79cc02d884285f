//! Reductions by any computation, written as loops before they are differentiated.
//!
//! ```text
//! y = map(x..) f                      =>    y = f' (x..)                               f': f for all elements at once
//! y = reduce(x.., init..) f           =>    y = scan(init.., rows of x) { f' }
//! y = reduce_window(x.., init..) f    =>    y = scan(init.., places in the window) { f'(.., x shifted to the place) }
//! ```
//!
//! Only where the result varies and the computation is none that [`crate::reduce`] and [`crate::window`] know. The
//! reduced elements are taken in the order the op says.

use crate::activity::Activity;
use crate::batch;
use crate::reduce::reducer_of;
use crate::shared::Shared;
use crate::tape::{FrameKind, ReverseFrame, Tape};
use crate::{sort, window};
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::op::{Movement, Pad, Reduce, ReduceWindow, Scan, Slice, WindowDim};
use meshwright_ir::{BlockId, Build, DType, Editor, Function, InstId, Module, Op, TensorType, ValueId};
use meshwright_shard::Reducer;

/// Places of a window whose positions are written down.
const MOST_PLACES: i64 = 1 << 16;

/// Whether anything was expanded.
pub(crate) fn expand(
    module: &mut Module,
    shared: &mut Shared,
    func: &mut Function,
    activity: &Activity,
) -> bool {
    let varies = |inst: &InstId| func.inst(*inst).results.iter().any(|result| activity.is_varied(*result));
    let chosen: Vec<InstId> =
        func.insts_in_order().into_iter().filter(varies).filter(|inst| is_general(func, *inst)).collect();
    let mut any = false;
    for inst in chosen {
        any |= expand_inst(module, shared, func, inst).is_some();
    }
    any
}

/// Whether only the region says what an op computes.
fn is_general(func: &Function, inst: InstId) -> bool {
    let it = func.inst(inst);
    if !it.regions.is_empty() && !func.captures(inst).is_empty() {
        return false;
    }
    match &it.op {
        Op::Map(_) => true,
        Op::Reduce(_) if it.operands.len() == 2 => reducer_of(func, it.regions[0]).is_none(),
        Op::ReduceWindow(_) if it.operands.len() == 2 => {
            matches!(reducer_of(func, it.regions[0]), None | Some(Reducer::Product))
        }
        Op::Reduce(_) => !sort::picks(func, it.regions[0]),
        Op::ReduceWindow(_) => window::chosen_by(func, it.regions[0]).is_none(),
        _ => false,
    }
}

fn expand_inst(module: &mut Module, shared: &mut Shared, func: &mut Function, inst: InstId) -> Option<()> {
    let it = func.inst(inst).clone();
    let around = func.block_of(inst);
    let scratch = Editor::new(func).block();
    let copy = std::mem::replace(func, Function::new("", false));
    let mut t = Tape::with_activity(module, shared, copy, Activity::default());
    t.source = it.source;
    let entered = t.enter(ReverseFrame::new(scratch, scratch, FrameKind::Direct));
    let made = match &it.op {
        _ if !entered => None,
        Op::Map(_) => map(&mut t, &it.operands, it.regions[0]),
        Op::Reduce(op) => reduce(&mut t, &it.operands, it.regions[0], op),
        Op::ReduceWindow(op) => reduce_window(&mut t, inst, &it.operands, it.regions[0], op),
        _ => None,
    };
    t.leave();
    *func = t.func;
    let made = made?;
    let written = func.block(scratch).insts.clone();
    let old = func.block(around).insts.clone();
    let at = old.iter().position(|other| *other == inst)?;
    let order = old[..at].iter().chain(&written).chain(&old[at + 1..]).copied().collect();
    let mut editor = Editor::new(func);
    editor.set_order(scratch, Vec::new());
    editor.set_order(around, order);
    let map: ValueMap = it.results.into_iter().zip(made).collect();
    editor.map_uses(|value| mapped(&map, value));
    Some(())
}

/// Write a region of scalars for `count` elements at once.
fn vectorized(t: &mut Tape<'_>, region: BlockId, count: i64, args: &[ValueId]) -> Option<Vec<ValueId>> {
    let scalar = crate::call::extract(&t.func, region);
    let all = vec![true; args.len()];
    let func = batch::whole_function(t.module, t.shared, &scalar, count, &all)?;
    let mut map: ValueMap = func.param_values().iter().copied().zip(args.iter().copied()).collect();
    let block = t.block();
    for inst in &func.block(func.root()).insts {
        copy_inst(Some(&func), &mut t.func, *inst, block, &mut map);
    }
    Some(func.result_values().iter().map(|value| mapped(&map, *value)).collect())
}

fn count(dims: &[i64]) -> i64 {
    dims.iter().fold(1, |n, dim| n.saturating_mul(*dim))
}

fn map(t: &mut Tape<'_>, operands: &[ValueId], region: BlockId) -> Option<Vec<ValueId>> {
    let shape = t.func.dims(*operands.first()?).to_vec();
    let flat: Vec<ValueId> = operands.iter().map(|operand| t.reshape(*operand, &[count(&shape)])).collect();
    let results = vectorized(t, region, count(&shape), &flat)?;
    Some(results.into_iter().map(|result| t.reshape(result, &shape)).collect())
}

/// The element types a region's accumulators have.
fn accumulators(t: &Tape<'_>, region: BlockId) -> Vec<DType> {
    t.func.block(region).results.iter().map(|result| t.dtype(*result)).collect()
}

fn reduce(t: &mut Tape<'_>, operands: &[ValueId], region: BlockId, op: &Reduce) -> Option<Vec<ValueId>> {
    let (inputs, inits) = operands.split_at(operands.len() / 2);
    let shape = t.func.dims(*inputs.first()?).to_vec();
    let kept: Vec<usize> = (0..shape.len()).filter(|dim| !op.dims.contains(dim)).collect();
    let sizes = |dims: &[usize]| dims.iter().map(|dim| shape[*dim]).collect::<Vec<i64>>();
    let (rows, left) = (count(&sizes(&op.dims)), sizes(&kept));
    let dtypes = accumulators(t, region);
    let mut passed = Vec::new();
    for (init, dtype) in inits.iter().zip(&dtypes) {
        let init = t.convert(*init, *dtype);
        passed.push(t.broadcast(init, Vec::new(), &[count(&left)]));
    }
    for (input, dtype) in inputs.iter().zip(&dtypes) {
        let permutation = op.dims.iter().chain(&kept).copied().collect();
        let turned = t.transpose(*input, permutation);
        let flat = t.reshape(turned, &[rows, count(&left)]);
        passed.push(t.convert(flat, *dtype));
    }
    let body = looped(t, region, &dtypes, &left)?;
    let scan = Op::Scan(Scan { trips: rows, carries: dtypes.len(), reverse: false });
    let results = t.push_all(scan, passed, vec![body]);
    Some(results.into_iter().map(|result| t.reshape(result, &left)).collect())
}

/// A scan's body that takes accumulators and one more element for each place.
fn looped(t: &mut Tape<'_>, region: BlockId, dtypes: &[DType], left: &[i64]) -> Option<BlockId> {
    let body = Editor::new(&mut t.func).block();
    let types = dtypes.iter().chain(dtypes).map(|dtype| TensorType::new(*dtype, [count(left)]));
    let params: Vec<ValueId> = types.map(|ty| Editor::new(&mut t.func).param(body, ty.into())).collect();
    if !t.enter(ReverseFrame::new(body, body, FrameKind::Direct)) {
        return None;
    }
    let results = vectorized(t, region, count(left), &params);
    t.leave();
    Editor::new(&mut t.func).set_results(body, results?);
    Some(body)
}

/// One trip per place in the window: the padded inputs are sliced from there.
fn reduce_window(
    t: &mut Tape<'_>,
    inst: InstId,
    operands: &[ValueId],
    region: BlockId,
    op: &ReduceWindow,
) -> Option<Vec<ValueId>> {
    let (inputs, inits) = operands.split_at(operands.len() / 2);
    let left = t.func.dims(t.func.inst(inst).results[0]).to_vec();
    let dtypes = accumulators(t, region);
    let mut passed = Vec::new();
    let mut padded = Vec::new();
    for ((input, init), dtype) in inputs.iter().zip(inits).zip(&dtypes) {
        let (input, init) = (t.convert(*input, *dtype), t.convert(*init, *dtype));
        passed.push(t.broadcast(init, Vec::new(), &[count(&left)]));
        padded.push(pad(t, input, init, &op.window));
    }
    // Padding takes no part.
    let ty = t.tensor(*inputs.first()?).with_dtype(DType::Pred);
    let (real, none) = (t.splat(&ty, 1.0), t.splat(&TensorType::scalar(DType::Pred), 0.0));
    let real = pad(t, real, none, &op.window);
    let trips = op.window.iter().fold(1i64, |n, dim| n.saturating_mul(dim.size));
    if trips > MOST_PLACES {
        return None;
    }
    let carries = dtypes.len();
    passed.extend(starts(t, &op.window, trips));
    let body = Editor::new(&mut t.func).block();
    let types = dtypes.iter().map(|dtype| TensorType::new(*dtype, [count(&left)]));
    let types = types.chain(op.window.iter().map(|_| TensorType::scalar(DType::S64)));
    let params: Vec<ValueId> = types.map(|ty| Editor::new(&mut t.func).param(body, ty.into())).collect();
    if !t.enter(ReverseFrame::new(body, body, FrameKind::Direct)) {
        return None;
    }
    let mut args = params[..carries].to_vec();
    for x in padded {
        let piece = piece(t, x, &params[carries..], &op.window, &left);
        args.push(t.reshape(piece, &[count(&left)]));
    }
    let results = vectorized(t, region, count(&left), &args);
    let real = piece(t, real, &params[carries..], &op.window, &left);
    let real = t.reshape(real, &[count(&left)]);
    let kept = |(new, old): (ValueId, &ValueId)| t.select(real, new, *old);
    let results = results.map(|results| results.into_iter().zip(&params).map(kept).collect());
    t.leave();
    Editor::new(&mut t.func).set_results(body, results?);
    let scan = Op::Scan(Scan { trips, carries, reverse: false });
    let results = t.push_all(scan, passed, vec![body]);
    Some(results.into_iter().map(|result| t.reshape(result, &left)).collect())
}

/// The base that a window slides over.
fn pad(t: &mut Tape<'_>, x: ValueId, value: ValueId, window: &[WindowDim]) -> ValueId {
    let pad = Pad {
        low: window.iter().map(|dim| dim.pad_low).collect(),
        high: window.iter().map(|dim| dim.pad_high).collect(),
        interior: window.iter().map(|dim| dim.base_dilation - 1).collect(),
    };
    t.push(Op::Movement(Movement::Pad(pad)), vec![x, value])
}

/// Per dim, where the window's element of each trip lies from the window's start.
fn starts(t: &mut Tape<'_>, window: &[WindowDim], trips: i64) -> Vec<ValueId> {
    let mut starts = Vec::new();
    let mut inner = trips;
    for dim in window {
        inner /= dim.size.max(1);
        let places = (0..trips).map(|trip| {
            let at = trip / inner.max(1) % dim.size;
            if dim.reversal { (dim.size - 1 - at) * dim.window_dilation } else { at * dim.window_dilation }
        });
        let ty = TensorType::new(DType::S64, [trips]);
        let bytes = places.flat_map(i64::to_le_bytes).collect();
        let literal = meshwright_ir::Literal::dense(ty.clone(), bytes)
            .unwrap_or_else(|| meshwright_ir::Literal::zeros(ty));
        starts.push(t.push(Op::Constant(meshwright_ir::op::Constant(literal)), Vec::new()));
    }
    starts
}

/// One element of every window.
fn piece(t: &mut Tape<'_>, x: ValueId, starts: &[ValueId], window: &[WindowDim], left: &[i64]) -> ValueId {
    let span = |dim: usize| if left[dim] == 0 { 0 } else { (left[dim] - 1) * window[dim].stride + 1 };
    let sizes: Vec<i64> = (0..left.len()).map(span).collect();
    let whole = t.dynamic_slice(x, starts, &sizes);
    let stride = window.iter().map(|dim| dim.stride).collect();
    t.slice(whole, Slice { stride, ..Slice::whole(&sizes) })
}
