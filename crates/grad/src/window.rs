//! Derivatives of sliding windows.
//!
//! The derivative of a window sum is a window sum over the cotangent, spread by the window's stride:
//!
//! ```text
//! y[o] = sum_k x[(o * stride + k * dilation - low) / base]
//! dx[i] = sum_k dy[(i * base + low - k * dilation) / stride]        where these divide
//! ```
//!
//! Of a window maximum it is select_and_scatter, the other way round a reduction of pairs that picks the cotangent with
//! the value.

use crate::elementwise::constant_float;
use crate::reduce::reducer_of;
use crate::tape::Tape;
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::op::{BinaryOp, Direction, Op, Pad, ReduceWindow, SelectAndScatter, Slice, WindowDim};
use meshwright_ir::{At, BlockId, Build, Builder, Editor, Function, InstId, TensorType, Type, ValueId};
use meshwright_shard::Reducer;

pub(crate) fn reduce(t: &mut Tape<'_>, inst: InstId, op: &ReduceWindow, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let region = it.regions[0];
    let ([operand, init], [Some(c)]) = (&it.operands[..], cotangents) else {
        return picked(t, inst, op, cotangents);
    };
    let (operand, init, c) = (*operand, *init, *c);
    match reducer_of(&t.func, region) {
        Some(Reducer::Sum) => {
            sum(t, operand, op, c);
            start(t, init, c);
        }
        Some(Reducer::Max) => extremum(t, inst, op, Direction::Ge, c),
        Some(Reducer::Min) => extremum(t, inst, op, Direction::Le, c),
        // Expanded before: a product.
        Some(Reducer::Product | Reducer::And | Reducer::Or | Reducer::Xor) | None => t.no_derivative(inst),
    }
}

/// The initial value of a sum is in every place.
fn start(t: &mut Tape<'_>, init: ValueId, c: ValueId) {
    if t.is_varied(init) {
        let all = t.sum_all(c);
        let dtype = t.dtype(init);
        let given = t.convert(all, dtype);
        t.pull(init, given);
    }
}

fn sum(t: &mut Tape<'_>, operand: ValueId, op: &ReduceWindow, c: ValueId) {
    if t.is_varied(operand) {
        let dtype = t.dtype(operand);
        let c = t.convert(c, dtype);
        let given = window_sum_back(t, operand, &op.window, c);
        t.pull(operand, given);
    }
}

/// The derivative of a window sum over a value of `like`'s shape.
fn window_sum_back(t: &mut Tape<'_>, like: ValueId, window: &[WindowDim], c: ValueId) -> ValueId {
    let (sizes, places) = (t.func.dims(like).to_vec(), t.func.dims(c).to_vec());
    if sizes.contains(&0) {
        return t.zeros_like(like);
    }
    let turned = window.iter().enumerate().map(|(dim, window)| transposed(window, sizes[dim], places[dim]));
    let op = ReduceWindow { window: turned.collect() };
    let dtype = t.dtype(c);
    let zero = t.zeros(&TensorType::scalar(dtype));
    let region = t.reducer(BinaryOp::Add, dtype);
    t.push_in(Op::ReduceWindow(op), vec![c, zero], vec![region])
}

/// The window over the cotangent of `places` places that gives `size` elements back.
pub(crate) fn transposed(window: &WindowDim, size: i64, places: i64) -> WindowDim {
    let reach = reach(window.size, window.window_dilation);
    let spread = if places == 0 { 0 } else { reach_of(places, window.stride) };
    let pad_low = reach - i128::from(window.pad_low);
    let pad_high = reach_of(size, window.base_dilation) + reach - pad_low - spread;
    let (pad_low, pad_high) = (fit(pad_low), fit(pad_high));
    WindowDim {
        size: window.size,
        stride: window.base_dilation,
        pad_low,
        pad_high,
        base_dilation: window.stride,
        window_dilation: window.window_dilation,
        reversal: false,
    }
}

/// From the first to the last of `count` elements `step` apart.
fn reach(count: i64, step: i64) -> i128 {
    i128::from(count - 1) * i128::from(step)
}

/// The elements that `count` of them `step` apart cover.
pub(crate) fn reach_of(count: i64, step: i64) -> i128 {
    reach(count, step) + 1
}

/// A size that came out of arithmetic. One that does not fit is refused where the op is checked.
pub(crate) fn fit(size: i128) -> i64 {
    i64::try_from(size).unwrap_or(if size < 0 { i64::MIN } else { i64::MAX })
}

fn is_plain(window: &[WindowDim]) -> bool {
    window.iter().all(|dim| dim.base_dilation == 1 && dim.window_dilation == 1 && !dim.reversal)
}

/// A place whose initial value is better than its elements gives its cotangent to that.
fn extremum(t: &mut Tape<'_>, inst: InstId, op: &ReduceWindow, better: Direction, c: ValueId) {
    let it = t.func.inst(inst).clone();
    let (operand, init) = (it.operands[0], it.operands[1]);
    let mut c = c;
    if !constant_float(t, init).is_some_and(f64::is_infinite) {
        let (best, start) = (t.primal(it.results[0]), t.primal(init));
        let shape = t.func.dims(best).to_vec();
        let start = t.broadcast(start, Vec::new(), &shape);
        let by_start = t.compare(Direction::Eq, best, start);
        if t.is_varied(init) {
            let kept = t.keep(by_start, c);
            let given = t.sum_all(kept);
            t.pull(init, given);
        }
        let zero = t.zeros_like(c);
        c = t.select(by_start, zero, c);
    }
    if !t.is_varied(operand) {
        return;
    }
    if !is_plain(&op.window) {
        return dilated(t, inst, operand, op, c);
    }
    let x = t.primal(operand);
    let dtype = t.dtype(x);
    let select = t.comparator(better, dtype);
    let given = scatter_to(t, x, c, &op.window, select);
    t.pull(operand, given);
}

/// Add each place's cotangent at the element its window selects.
fn scatter_to(t: &mut Tape<'_>, x: ValueId, c: ValueId, window: &[WindowDim], select: BlockId) -> ValueId {
    let dtype = t.dtype(c);
    let zero = t.zeros(&TensorType::scalar(dtype));
    let add = t.reducer(BinaryOp::Add, dtype);
    let op = Op::SelectAndScatter(SelectAndScatter { window: window.to_vec() });
    t.push_in(op, vec![x, c, zero], vec![select, add])
}

/// Elements equal to their window's result, one offset of the window after another. The first of equal ones gets the
/// cotangent, as where nothing is dilated.
fn dilated(t: &mut Tape<'_>, inst: InstId, operand: ValueId, op: &ReduceWindow, c: ValueId) {
    /// Offsets that are written out.
    const MOST: i64 = 256;
    let count = op.window.iter().fold(1i64, |n, dim| n.saturating_mul(dim.size));
    if count > MOST {
        return t.no_derivative(inst);
    }
    let (x, y) = (t.primal(operand), t.primal(t.func.inst(inst).results[0]));
    let mut rest = c;
    let mut given: Option<ValueId> = None;
    for number in 0..count {
        let offset = offset_of(number, &op.window);
        let Some(piece) = offset_window(t, x, op, &offset) else { continue };
        let hit = t.compare(Direction::Eq, piece, y);
        let taken = t.keep(hit, rest);
        let zero = t.zeros_like(rest);
        rest = t.select(hit, zero, rest);
        let window: Vec<WindowDim> =
            op.window.iter().zip(&offset).map(|(dim, at)| single(dim, *at)).collect();
        let back = window_sum_back(t, operand, &window, taken);
        given = Some(match given {
            Some(sum) => t.add(sum, back),
            None => back,
        });
    }
    t.pull_some(operand, given);
}

fn offset_of(mut number: i64, window: &[WindowDim]) -> Vec<i64> {
    let mut offset = vec![0; window.len()];
    for (at, dim) in offset.iter_mut().zip(window).rev() {
        (*at, number) = (number % dim.size, number / dim.size);
    }
    offset
}

/// The window that takes one element, `at` elements into the full one.
fn single(window: &WindowDim, at: i64) -> WindowDim {
    let skipped = if window.reversal { window.size - 1 - at } else { at } * window.window_dilation;
    let left = (window.size - 1) * window.window_dilation - skipped;
    WindowDim {
        size: 1,
        window_dilation: 1,
        pad_low: window.pad_low - skipped,
        pad_high: window.pad_high - left,
        reversal: false,
        ..*window
    }
}

/// The element at one offset of every window, with something that equals nothing where there is none.
fn offset_window(t: &mut Tape<'_>, x: ValueId, op: &ReduceWindow, offset: &[i64]) -> Option<ValueId> {
    let window: Vec<WindowDim> = op.window.iter().zip(offset).map(|(dim, at)| single(dim, *at)).collect();
    let ty = t.tensor(x);
    let nothing = t.splat(&TensorType::scalar(ty.dtype), f64::NAN);
    let pad = Pad {
        low: window.iter().map(|dim| dim.pad_low).collect(),
        high: window.iter().map(|dim| dim.pad_high).collect(),
        interior: window.iter().map(|dim| dim.base_dilation - 1).collect(),
    };
    let padded = t.pad_with(x, nothing, pad);
    let stride = window.iter().map(|dim| dim.stride).collect();
    let first = Slice { stride, ..Slice::whole(t.func.dims(padded)) };
    Some(t.slice(padded, first))
}

/// The cotangent of what was scattered is read where it was put: pairs of value and cotangent, reduced by the
/// selection.
pub(crate) fn select_and_scatter(t: &mut Tape<'_>, inst: InstId, op: &SelectAndScatter, c: ValueId) {
    let it = t.func.inst(inst).clone();
    let [operand, source, init] = it.operands[..] else { return };
    let [select, scatter] = it.regions[..] else { return };
    let worst = match losing(t, select) {
        Some(worst) if reducer_of(&t.func, scatter) == Some(Reducer::Sum) => worst,
        _ => return t.no_derivative(inst),
    };
    if t.is_varied(source) {
        let x = t.primal(operand);
        let (of_value, of_c) = (TensorType::scalar(t.dtype(x)), TensorType::scalar(t.dtype(c)));
        let (worst, zero) = (t.splat(&of_value, worst), t.zeros(&of_c));
        let region = pairwise(t, select, of_value, of_c);
        let op = Op::ReduceWindow(ReduceWindow { window: op.window.clone() });
        let picked = t.push_all(op, vec![x, c, worst, zero], vec![region]);
        if let Some(given) = picked.get(1) {
            t.pull(source, *given);
        }
    }
    start(t, init, c);
}

/// A number that every other wins against.
fn losing(t: &Tape<'_>, select: BlockId) -> Option<f64> {
    let block = t.func.block(select);
    let it = t.func.inst(t.func.def_inst(*block.results.first()?)?);
    let in_order = it.operands == block.params;
    match &it.op {
        Op::Compare(compare) if in_order => match compare.direction {
            Direction::Ge | Direction::Gt => Some(f64::NEG_INFINITY),
            Direction::Le | Direction::Lt => Some(f64::INFINITY),
            Direction::Eq | Direction::Ne => None,
        },
        _ => None,
    }
}

/// `(a, ca, b, cb)`: the pair whose value is selected.
fn pairwise(t: &mut Tape<'_>, select: BlockId, of_value: TensorType, of_c: TensorType) -> BlockId {
    let old = t.func.block(select).clone();
    let types = [&of_value, &of_c, &of_value, &of_c].map(|ty| Type::from(ty.clone()));
    let block = t.region(types, |_, _| Vec::new());
    let params = t.func.block(block).params.clone();
    let mut map: ValueMap = [(old.params[0], params[0]), (old.params[1], params[2])].into_iter().collect();
    for inst in old.insts {
        copy_inst(None, &mut t.func, inst, block, &mut map);
    }
    let pred = mapped(&map, old.results[0]);
    let mut b = Builder::new(&mut t.func, At::End(block), t.source);
    let results = vec![b.select(pred, params[0], params[2]), b.select(pred, params[1], params[3])];
    b.editor.set_results(block, results);
    block
}

/// A reduction of pairs that picks by the first of them: the second's cotangent goes where it was picked.
fn picked(t: &mut Tape<'_>, inst: InstId, op: &ReduceWindow, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([x, carried, _, init], [None, Some(c)]) = (&it.operands[..], cotangents) else {
        return t.no_derivative(inst);
    };
    let select = selection(t, it.regions[0]).filter(|_| is_plain(&op.window) && !t.is_varied(*init));
    let Some(select) = select else { return t.no_derivative(inst) };
    let x = t.primal(*x);
    let given = scatter_to(t, x, *c, &op.window, select);
    t.pull(*carried, given);
}

/// The comparison by which a reduction of pairs picks, if it picks by the first of each pair alone.
pub(crate) fn chosen_by(func: &Function, region: BlockId) -> Option<InstId> {
    let block = func.block(region);
    let [a, ca, b, cb] = block.params[..] else { return None };
    let chosen = func.inst(func.def_inst(*block.results.get(1)?)?);
    let pred = match (&chosen.op, &chosen.operands[..]) {
        (Op::Select, [pred, on_true, on_false]) if (*on_true, *on_false) == (ca, cb) => *pred,
        _ => return None,
    };
    let compare = func.def_inst(pred)?;
    func.inst(compare).operands.iter().all(|operand| [a, b].contains(operand)).then_some(compare)
}

/// The block that tells which of two values a reduction of pairs picks.
fn selection(t: &mut Tape<'_>, region: BlockId) -> Option<BlockId> {
    let compare = chosen_by(&t.func, region)?;
    let [a, _, b, _] = t.func.block(region).params[..] else { return None };
    let ty = t.func.ty(a).clone();
    let mut editor = Editor::new(&mut t.func);
    let block = editor.block();
    let (x, y) = (editor.param(block, ty.clone()), editor.param(block, ty));
    let mut map: ValueMap = [(a, x), (b, y)].into_iter().collect();
    let pred = editor.func().inst(compare).results[0];
    copy_inst(None, &mut t.func, compare, block, &mut map);
    Editor::new(&mut t.func).set_results(block, vec![mapped(&map, pred)]);
    Some(block)
}
