//! Control flow and what concerns whole pieces of a function: scan, loops, branches, checkpoints, custom derivatives.
//!
//! Closures may use tensors from around them. What they make themselves is known only inside; return it.

use crate::boundary::as_inside;
use crate::codes;
use crate::state::{self, EntryId, Line};
use crate::tensor::{Tensor, emit, emit_all, entries, poison, report, words};
use crate::tree::Tree;
use meshwright_base::{Diagnostic, Id};
use meshwright_ir::op::{Call, Control, Scan, UnaryOp};
use meshwright_ir::{Attr, BlockId, DType, Editor, FuncId, Op, TensorType, mark};
use std::panic::Location;

/// A traced block: what it returned, and the types of that.
pub(crate) struct Traced<R> {
    pub results: R,
    pub types: Vec<TensorType>,
}

/// Parameters of the innermost block, like these tensors, or like one slice of them.
fn params(like: &[Tensor], sliced: bool) -> Vec<Tensor> {
    let skip = usize::from(sliced);
    let one = |tensor: &Tensor| {
        let (ty, names) = (tensor.ty(), tensor.names());
        let dims = ty.dims.get(skip..).unwrap_or(&[]).to_vec();
        let names = names.get(skip..).unwrap_or(&[]).to_vec();
        let (poisoned, local) = (tensor.is_poisoned(), tensor.local());
        state::with(|state| {
            let entry = state.param(ty.with_dims(dims), names);
            state.entries[entry as usize].poisoned = poisoned;
            state.entries[entry as usize].local = local;
            Tensor::new(state.id, entry)
        })
    };
    like.iter().map(|tensor| one(tensor).unwrap_or_else(Tensor::nowhere)).collect()
}

/// Finish the innermost block; also what it captured, if it is a function.
fn finish<R: Tree>(results: R, line: Line) -> (Traced<R>, Vec<EntryId>) {
    let leaves = results.leaves();
    let ids = entries(&leaves, line);
    let types = leaves.iter().map(|leaf| leaf.ty()).collect();
    let frame = state::with(|state| state.close_block(&ids, line)).flatten();
    let captures = frame.map_or(Vec::new(), |frame| frame.captures.iter().map(|(entry, _)| *entry).collect());
    (Traced { results, types }, captures)
}

/// Trace a closure into a region of an instruction to be.
fn region<R: Tree>(inside: impl FnOnce() -> R, line: Line) -> (BlockId, Traced<R>) {
    let block = state::with(|state| state.open_region()).unwrap_or_else(|| BlockId::from_index(0));
    let results = inside();
    (block, finish(results, line).0)
}

/// Trace a closure into a function with parameters like these tensors. What it uses from outside follows them.
pub(crate) fn function<R: Tree>(
    name: &str,
    like: &[Tensor],
    sliced: bool,
    inside: impl FnOnce(&[Tensor]) -> R,
    line: Line,
) -> (FuncId, Traced<R>, Vec<Tensor>) {
    let func = state::with(|state| state.open_function(name)).unwrap_or_else(|| FuncId::from_index(0));
    let results = inside(&params(like, sliced));
    let (traced, captures) = finish(results, line);
    let captures = state::with(|state| captures.iter().map(|entry| Tensor::new(state.id, *entry)).collect());
    (func, traced, captures.unwrap_or_default())
}

/// Call a function of the module; `types` are its results'.
pub(crate) fn call(
    callee: FuncId,
    operands: &[Tensor],
    types: &[TensorType],
    marks: &[(&str, Attr)],
    line: Line,
) -> Vec<Tensor> {
    let results = emit_all(Op::Call(Call { callee }), operands, Vec::new(), types, line);
    state::with(|state| {
        let (func, block, _) = state.frame();
        if let Some(inst) = state.module.funcs[func].block(block).insts.last().copied() {
            let mut editor = Editor::new(&mut state.module.funcs[func]);
            marks.iter().for_each(|(name, attr)| editor.attrs_mut(inst).set(name, attr.clone()));
        }
    });
    results
}

/// Whether a closure kept the types of what it was given; reports the first that it did not.
pub(crate) fn keeps(
    what: &str,
    given: &[Tensor],
    found: &[TensorType],
    paths: &[String],
    line: Line,
) -> bool {
    if given.len() != found.len() {
        let message = format!("{what} is given {} tensors, but returns {}", given.len(), found.len());
        report(
            line,
            Diagnostic::error(codes::CONTROL, message).help("return what is carried, in the same structure"),
        );
        return false;
    }
    for (at, (given, found)) in given.iter().zip(found).enumerate() {
        if given.ty() != *found {
            let path = paths
                .get(at)
                .filter(|path| !path.is_empty())
                .map_or("what is carried".to_string(), |path| format!("`{path}`"));
            let message =
                format!("{what} takes {path} as {}, but returns it as {}", given.words(), words(found, &[]));
            let help = "what is carried keeps its shape and element type; cast or reshape it at the end";
            given.report(line, Diagnostic::error(codes::CONTROL, message).help(help));
            return false;
        }
    }
    true
}

/// Loop over the leading dim of `xs`, carrying a value: `body(carry, x) -> (carry, y)`. Gives the last carry and the
/// `y`s, stacked. Slices have no annotation along the new dim of what is stacked.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("layers", |t| {
///     let (x, w) = (t.input("x", f32, [2, 4]), t.param("w", [12, 4, 4])); // 12 layers
///     let (x, norms) = scan(x, w, |x, w| {
///         let x = x.matmul(w).relu();
///         (x, x.square().sum(..))
///     });
///     (x, norms) // f32[2,4], f32[12]
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn scan<C: Tree, X: Tree, Y: Tree>(init: C, xs: X, body: impl FnOnce(C, X) -> (C, Y)) -> (C, Y) {
    scan_in(init, xs, body, false, Location::caller())
}

/// [`scan`] from the last slice to the first.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("suffix_sums", |t| {
///     scan_reverse(scalar(f32, 0.0), t.input("x", f32, [5]), |sum, x| (sum + x, sum + x)).1
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn scan_reverse<C: Tree, X: Tree, Y: Tree>(init: C, xs: X, body: impl FnOnce(C, X) -> (C, Y)) -> (C, Y) {
    scan_in(init, xs, body, true, Location::caller())
}

fn scan_in<C: Tree, X: Tree, Y: Tree>(
    init: C,
    xs: X,
    body: impl FnOnce(C, X) -> (C, Y),
    reverse: bool,
    line: Line,
) -> (C, Y) {
    let (carried, stacked) = (init.leaves(), xs.leaves());
    let trips = leading("scan", &stacked, line);
    let carries = carried.len();
    let paths = init.paths();
    let mut carry_types = Vec::new();
    let (block, traced) = region(
        || {
            let (c, x) = (params(&carried, false), params(&stacked, true));
            let (c, y) = body(init.with_leaves(&c), xs.with_leaves(&x));
            carry_types = c.leaves().iter().map(|leaf| leaf.ty()).collect();
            (c, y)
        },
        line,
    );
    let stack = |ty: &TensorType| ty.with_dims([&[trips.unwrap_or(1)], &ty.dims[..]].concat());
    let outputs = traced.types.iter().skip(carry_types.len()).map(stack);
    let guesses: Vec<TensorType> = carried.iter().map(|c| c.ty()).chain(outputs).collect();
    let fits = keeps("the body of scan", &carried, &carry_types, &paths, line);
    let results = match trips.filter(|_| fits) {
        Some(trips) => {
            let op = Op::Scan(Scan { trips, carries, reverse });
            emit_all(op, &[carried, stacked].concat(), vec![block], &guesses, line)
        }
        None => guesses.iter().map(|ty| poison(ty.clone(), line)).collect(),
    };
    let (c, y) = traced.results;
    as_inside(&results, &[c.leaves(), y.leaves()].concat());
    (
        c.with_leaves(&results[..carries.min(results.len())]),
        y.with_leaves(results.get(carries..).unwrap_or(&[])),
    )
}

/// The size of the leading dim that all have, or a report.
pub(crate) fn leading(what: &str, all: &[Tensor], line: Line) -> Option<i64> {
    let mut found: Option<(i64, Tensor)> = None;
    for tensor in all {
        let Some(size) = tensor.dims().first().copied() else {
            let message = format!("{what} over {}: a scalar has no leading dim", tensor.words());
            tensor.report(
                line,
                Diagnostic::error(codes::CONTROL, message).help("use it inside the closure as it is"),
            );
            return None;
        };
        match found {
            Some((first, other)) if first != size => {
                let message =
                    format!("{what} over {} and {}: the leading dims differ", other.words(), tensor.words());
                tensor.report(
                    line,
                    Diagnostic::error(codes::CONTROL, message).help("give all of them one leading dim"),
                );
                return None;
            }
            Some(_) => {}
            None => found = Some((size, *tensor)),
        }
    }
    if found.is_none() {
        let help = "use `repeat(n, ..)` to loop without inputs";
        report(line, Diagnostic::error(codes::CONTROL, format!("{what} over no tensors")).help(help));
    }
    found.map(|(size, _)| size)
}

/// Do something `n` times to a value; the body also gets the number of the turn (`i32`, from 0).
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("power", |t| {
///     let m = t.input("m", f32, [3, 3]);
///     repeat(10, eye(f32, 3), |_, power| power.matmul(m))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn repeat<C: Tree>(n: i64, init: C, body: impl FnOnce(Tensor, C) -> C) -> C {
    let line = Location::caller();
    let turns = crate::ops::create::range(DType::S32, n.max(0));
    scan_in(init, turns, |carry, turn| (body(turn, carry), ()), false, line).0
}

/// Loop while a condition (a scalar of `pred`) holds. It has a gradient if it counts: an integer that starts at a
/// number, changes by a number each time, and is compared with a number. Where the count is known otherwise, use
/// [`scan`] or [`repeat`].
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("halve", |t| while_loop(t.input("x", f32, ()), |x| x.gt(1.0), |x| x * 0.5))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn while_loop<C: Tree>(init: C, condition: impl FnOnce(C) -> Tensor, body: impl FnOnce(C) -> C) -> C {
    let line = Location::caller();
    let carried = init.leaves();
    let (test, tested) = region(|| condition(init.with_leaves(&params(&carried, false))), line);
    let (block, traced) = region(|| body(init.with_leaves(&params(&carried, false))), line);
    let guesses: Vec<TensorType> = carried.iter().map(|c| c.ty()).collect();
    let fits = is_choice("the condition of while_loop", tested.results, line)
        && keeps("the body of while_loop", &carried, &traced.types, &init.paths(), line);
    if !fits {
        return init.with_leaves(&guesses.iter().map(|ty| poison(ty.clone(), line)).collect::<Vec<_>>());
    }
    let results = emit_all(Op::Control(Control::While), &carried, vec![test, block], &guesses, line);
    as_inside(&results, &traced.results.leaves());
    init.with_leaves(&results)
}

fn is_choice(what: &str, choice: Tensor, line: Line) -> bool {
    let fits = choice.dtype() == DType::Pred && choice.rank() == 0;
    if !fits {
        let message = format!("{what} must be a scalar of pred, not {}", choice.words());
        choice.report(
            line,
            Diagnostic::error(codes::CONTROL, message)
                .help("compare, and reduce with `.all(..)` or `.any(..)`"),
        );
    }
    fits
}

/// One of two closures, by a scalar of `pred`. Only the chosen one runs; both must return the same structure of types.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [4]);
///     cond(x.sum(..).gt(0.0), || x * 2.0, || x - 1.0)
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn cond<R: Tree>(choice: Tensor, on_true: impl FnOnce() -> R, on_false: impl FnOnce() -> R) -> R {
    let line = Location::caller();
    let fits = is_choice("the choice of cond", choice, line);
    let (first, traced) = region(on_true, line);
    let (second, other) = region(on_false, line);
    branches(Op::Control(Control::If), choice, vec![first, second], traced, &[other.types], fits, line)
}

/// One of `n` branches, by an `i32` scalar; out of range means the last.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let (x, which) = (t.input("x", f32, [4]), t.input("which", i32, ()));
///     switch(which, 3, |branch| x * branch as f64)
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn switch<R: Tree>(index: Tensor, n: usize, mut branch: impl FnMut(usize) -> R) -> R {
    let line = Location::caller();
    let fits = index.dtype() == DType::S32 && index.rank() == 0;
    if !fits {
        let message = format!("the index of switch must be a scalar of s32, not {}", index.words());
        index.report(line, Diagnostic::error(codes::CONTROL, message).help("cast it with `.cast(i32)`"));
    }
    let (first, traced) = region(|| branch(0), line);
    let mut blocks = vec![first];
    let mut types = Vec::new();
    for at in 1..n {
        let (block, other) = region(|| branch(at), line);
        blocks.push(block);
        types.push(other.types);
    }
    branches(Op::Control(Control::Case), index, blocks, traced, &types, fits, line)
}

fn branches<R: Tree>(
    op: Op,
    choice: Tensor,
    blocks: Vec<BlockId>,
    first: Traced<R>,
    others: &[Vec<TensorType>],
    fits: bool,
    line: Line,
) -> R {
    let list = |types: &[TensorType]| types.iter().map(|ty| ty.to_string()).collect::<Vec<_>>().join(", ");
    let other = others.iter().position(|types| *types != first.types);
    if let Some(at) = other {
        let message =
            format!("branch 0 returns ({}), branch {} ({})", list(&first.types), at + 1, list(&others[at]));
        let help = "all branches must return the same shapes and element types";
        choice.report(line, Diagnostic::error(codes::CONTROL, message).help(help));
    }
    let results = if fits && other.is_none() {
        emit_all(op, &[choice], blocks, &first.types, line)
    } else {
        first.types.iter().map(|ty| poison(ty.clone(), line)).collect()
    };
    as_inside(&results, &first.results.leaves());
    first.results.with_leaves(&results)
}

/// Compute again in the backward pass what happens inside, instead of keeping it: memory for time.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("loss", |t| {
///     let (x, w) = (t.input("x", f32, [2, 4]), t.param("w", [4, 4]));
///     checkpoint(|| x.matmul(w).tanh()).sum(..)
/// })?;
/// let step = program.value_and_grad(&["w"])?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn checkpoint<R: Tree>(inside: impl FnOnce() -> R) -> R {
    let line = Location::caller();
    let (func, traced, captures) = function("checkpoint", &[], false, |_| inside(), line);
    let results = call(func, &captures, &traced.types, &[(mark::CHECKPOINT, Attr::Unit)], line);
    as_inside(&results, &traced.results.leaves());
    traced.results.with_leaves(&results)
}

/// A function with a derivative of its own. `forward` gives the results and whatever the backward pass needs;
/// `backward` takes that and the cotangents of the results, and gives a cotangent for each argument.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// // The identity, whose gradient is clipped.
/// let program = trace("loss", |t| {
///     let x = t.input("x", f32, [4]);
///     custom_vjp(x, |x| x, |x| (x, ()), |(), dx| dx.clip(-1.0, 1.0)).square().sum(..)
/// })?;
/// let step = program.value_and_grad(&["x"])?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn custom_vjp<A: Tree, R: Tree, S: Tree>(
    args: A,
    primal: impl FnOnce(A) -> R,
    forward: impl FnOnce(A) -> (R, S),
    backward: impl FnOnce(S, R) -> A,
) -> R {
    let line = Location::caller();
    let leaves = args.leaves();
    let (func, traced, from) = function("custom", &leaves, false, |x| primal(args.with_leaves(x)), line);
    let (fwd, kept, from_fwd) =
        function("custom_forward", &leaves, false, |x| forward(args.with_leaves(x)), line);
    let (results, residuals) = kept.results;
    let count = results.leaves().len();
    let residual_leaves = residuals.leaves();
    let like = [residual_leaves.clone(), results.leaves()].concat();
    let split = residual_leaves.len();
    let (bwd, pulled, from_bwd) = function(
        "custom_backward",
        &like,
        false,
        |x| {
            backward(
                residuals.with_leaves(&x[..split.min(x.len())]),
                results.with_leaves(x.get(split..).unwrap_or(&[])),
            )
        },
        line,
    );
    let mut fits = keeps("the backward function of custom_vjp", &leaves, &pulled.types, &args.paths(), line);
    if !(from.is_empty() && from_fwd.is_empty() && from_bwd.is_empty()) {
        let message = "the functions of custom_vjp use tensors from outside";
        report(
            line,
            Diagnostic::error(codes::CONTROL, message)
                .help("pass them as arguments, so that they get cotangents"),
        );
        fits = false;
    }
    if kept.types.get(..count) != Some(&traced.types[..]) {
        let message = "the forward function of custom_vjp returns other results than the function itself";
        report(line, Diagnostic::error(codes::CONTROL, message).help("return (results, residuals)"));
        fits = false;
    }
    let results = if fits {
        let name = |id: FuncId| state::with(|state| state.module.funcs[id].name.clone()).unwrap_or_default();
        let marks = [(mark::FORWARD, Attr::Str(name(fwd))), (mark::BACKWARD, Attr::Str(name(bwd)))];
        call(func, &leaves, &traced.types, &marks, line)
    } else {
        traced.types.iter().map(|ty| poison(ty.clone(), line)).collect()
    };
    as_inside(&results, &traced.results.leaves());
    traced.results.with_leaves(&results)
}

impl Tensor {
    /// The same numbers, as a constant to differentiation.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("loss", |t| {
    ///     let x = t.input("x", f32, [4]);
    ///     (x - x.mean(..).stop_gradient()).square().sum(..)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn stop_gradient(self) -> Tensor {
        let out = emit(Op::Unary(UnaryOp::Copy), &[self], Location::caller());
        state::with(|state| {
            let (func, block, _) = state.frame();
            if let Some(inst) = state.module.funcs[func].block(block).insts.last().copied() {
                Editor::new(&mut state.module.funcs[func])
                    .attrs_mut(inst)
                    .set(mark::STOP_GRADIENT, Attr::Unit);
            }
        });
        out
    }
}
