//! Transforms inside a trace: gradients of a traced function, and the function for many cases at once.

use crate::boundary::as_inside;
use crate::codes;
use crate::control::{call, function, leading};
use crate::state::{self, Line};
use crate::tensor::{Tensor, poison, report};
use crate::tree::Tree;
use meshwright_base::Diagnostic;
use meshwright_grad::Options;
use meshwright_ir::{FuncId, Module, TensorType};
use std::panic::Location;

/// A function's results, and the gradients of its first (a float scalar: the loss) with respect to the arguments, in
/// their structure. Other tensors the closure uses get no gradient.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("sgd", |t| {
///     let (x, y) = (t.input("x", f32, [8, 4]), t.input("y", f32, [8]));
///     let w = t.state("w", f32, [4]);
///     let (loss, dw) = value_and_grad(w, |w| (x.matmul(w) - y).square().mean(..));
///     [("loss", loss), ("w", w - 0.1 * dw)]
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn value_and_grad<P: Tree, R: Tree>(wrt: P, loss: impl FnOnce(P) -> R) -> (R, P) {
    differentiate(wrt, loss, Location::caller())
}

/// The gradients of [`value_and_grad`] alone. Gradients of gradients work.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("curvature", |t| {
///     let x = t.input("x", f32, ());
///     grad(x, |x| grad(x, |x| x.sin()))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn grad<P: Tree, R: Tree>(wrt: P, loss: impl FnOnce(P) -> R) -> P {
    differentiate(wrt, loss, Location::caller()).1
}

fn differentiate<P: Tree, R: Tree>(wrt: P, loss: impl FnOnce(P) -> R, line: Line) -> (R, P) {
    let leaves = wrt.leaves();
    let before = error_count();
    let (func, traced, captures) = function("loss", &leaves, false, |x| loss(wrt.with_leaves(x)), line);
    let gradients = leaves.iter().map(|leaf| leaf.ty());
    let types: Vec<TensorType> = traced.types.iter().cloned().chain(gradients).collect();
    let at: Vec<usize> = (0..leaves.len()).collect();
    let sound =
        error_count() == before && is_loss(&traced.types, line) && all_float(&leaves, &wrt.paths(), line);
    if sound {
        crate::slips::no_gradient(func, &wrt.paths(), line);
    }
    let derived = sound.then(|| {
        transform(|module| meshwright_grad::value_and_grad(module, func, &at, &Options::default()), line)
    });
    let count = traced.types.len();
    let results = called(derived.flatten(), &leaves, &captures, &types, line);
    as_inside(&results, &[traced.results.leaves(), leaves].concat());
    (traced.results.with_leaves(&results[..count]), wrt.with_leaves(&results[count..]))
}

fn called(
    callee: Option<FuncId>,
    args: &[Tensor],
    captures: &[Tensor],
    types: &[TensorType],
    line: Line,
) -> Vec<Tensor> {
    let mut results = match callee {
        Some(callee) => call(callee, &[args, captures].concat(), types, &[], line),
        None => Vec::new(),
    };
    while results.len() < types.len() {
        results.push(poison(types[results.len()].clone(), line));
    }
    results
}

fn error_count() -> usize {
    state::with(|state| state.errors.len()).unwrap_or(0)
}

fn is_loss(types: &[TensorType], line: Line) -> bool {
    let Some(first) = types.first() else {
        report(
            line,
            Diagnostic::error(codes::GRADIENT, "the function to differentiate returns nothing")
                .help("return the loss"),
        );
        return false;
    };
    let fits = first.dtype.is_float() && first.dims.is_empty();
    if !fits {
        let message = format!("the loss is {first}, but must be a float scalar");
        let help = "reduce it with `.sum(..)` or `.mean(..)`; the first of several results is the loss";
        report(line, Diagnostic::error(codes::GRADIENT, message).help(help));
    }
    fits
}

fn all_float(leaves: &[Tensor], paths: &[String], line: Line) -> bool {
    let differentiable = |leaf: &Tensor| leaf.dtype().is_float() || leaf.dtype().is_complex();
    let Some(at) = leaves.iter().position(|leaf| !differentiable(leaf)) else { return true };
    let path =
        paths.get(at).filter(|path| !path.is_empty()).map_or(String::new(), |path| format!(" `{path}`"));
    let message = format!("argument {at}{path} is {}: an integer has no gradient", leaves[at].words());
    let help = "use it inside the closure without making it an argument, or cast it to a float type";
    report(line, Diagnostic::error(codes::GRADIENT, message).help(help));
    false
}

/// Let a transform add functions to the module.
fn transform(
    work: impl FnOnce(&mut Module) -> Result<FuncId, Vec<Diagnostic>>,
    line: Line,
) -> Option<FuncId> {
    let made = state::with(|state| {
        let made = work(&mut state.module);
        let known: Vec<FuncId> = state.module.funcs.keys().collect();
        known.into_iter().for_each(|id| state.sign(id));
        made
    });
    match made? {
        Ok(func) => Some(func),
        Err(diagnostics) => {
            for diagnostic in diagnostics {
                report(line, diagnostic);
            }
            None
        }
    }
}

/// A function of one case, for all cases along the leading dim of `xs` at once. Tensors the closure uses from outside
/// are shared by the cases. An annotation inside keeps its dims; the new leading dim is left to completion.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("stages", |t| {
///     let (x, w) = (t.input("x", f32, [3, 2, 4]), t.param("w", [3, 4, 4])); // 3 stages
///     vmap((x, w), |(x, w)| x.matmul(w).relu())
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn vmap<X: Tree, Y: Tree>(xs: X, one: impl FnOnce(X) -> Y) -> Y {
    let line = Location::caller();
    let leaves = xs.leaves();
    let size = leading("vmap", &leaves, line);
    let before = error_count();
    let (func, traced, captures) = function("case", &leaves, true, |x| one(xs.with_leaves(x)), line);
    let wide = |ty: &TensorType| ty.with_dims([&[size.unwrap_or(1)], &ty.dims[..]].concat());
    let types: Vec<TensorType> = traced.types.iter().map(wide).collect();
    let batched: Vec<bool> = leaves.iter().map(|_| true).chain(captures.iter().map(|_| false)).collect();
    let sound = size.filter(|_| error_count() == before);
    let derived =
        sound.and_then(|size| transform(|module| meshwright_grad::batch(module, func, size, &batched), line));
    let results = called(derived, &leaves, &captures, &types, line);
    as_inside(&results, &traced.results.leaves());
    traced.results.with_leaves(&results)
}
