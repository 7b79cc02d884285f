//! The handle of a traced value.

use crate::codes;
use crate::dims::{At, AtDims, Name};
use crate::state::{self, EntryId, Line, State};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{DType, Op, TensorType};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A value of the program that is being traced: a handle, cheap to copy. It holds no numbers.
///
/// Ops are methods and operators; what they do wrong is reported by [`trace`](crate::trace()), at the line that did it.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("scaled", |t| {
///     let x = t.input("x", f32, [2, 3]);
///     assert_eq!((x.rank(), x.dims(), x.dtype()), (2, vec![2, 3], f32));
///     2.0 * x + 1.0
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy)]
pub struct Tensor {
    pub(crate) trace: u32,
    pub(crate) entry: EntryId,
    /// A trace belongs to its thread.
    thread: PhantomData<*const ()>,
}

/// The number of no trace.
const NONE: u32 = u32::MAX;

impl Tensor {
    pub(crate) fn new(trace: u32, entry: EntryId) -> Tensor {
        Tensor { trace, entry, thread: PhantomData }
    }

    /// What an op gives when no trace is open.
    pub(crate) fn nowhere() -> Tensor {
        Tensor::new(NONE, 0)
    }

    /// Shape and element type.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!(x.ty().to_string(), "f32[8,4]");
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn ty(self) -> TensorType {
        let found =
            state::of(self.trace, |state| state.entries.get(self.entry as usize).map(|e| e.ty.clone()));
        found.flatten().unwrap_or_else(|| TensorType::scalar(DType::F32))
    }

    /// Names of the dims, of those that have one.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, (("batch", 8), 4));
    ///     assert_eq!(x.names(), [Some("batch".into()), None]);
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn names(self) -> Vec<Option<Arc<str>>> {
        let names = |state: &State| state.entries.get(self.entry as usize).map(|e| e.names.clone());
        state::of(self.trace, names).flatten().unwrap_or_default()
    }

    /// Sizes of the dims.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!(x.dims(), [8, 4]);
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn dims(self) -> Vec<i64> {
        self.ty().dims
    }

    /// Number of dims.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!(x.rank(), 2);
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn rank(self) -> usize {
        self.ty().rank()
    }

    /// Element type.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!(x.dtype(), f32);
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn dtype(self) -> DType {
        self.ty().dtype
    }

    /// Size of a dim; 1 (and an error of the trace) if there is no such dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!((x.dim("model"), x.dim(-1)), (4, 4));
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn dim(self, at: impl Into<At>) -> i64 {
        let line = Location::caller();
        self.one_dim(at.into(), line).map_or(1, |dim| self.dims()[dim])
    }

    /// Number of elements.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
    ///     assert_eq!(x.elements(), 32);
    ///     x
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn elements(self) -> i64 {
        self.ty().elements()
    }

    /// The type in words: `f32[batch=4,8]`, and over which axes it is local.
    pub(crate) fn words(self) -> String {
        let words = words(&self.ty(), &self.names());
        match self.local() {
            Some(local) => format!("{words} (local over {})", local.words()),
            None => words,
        }
    }

    pub(crate) fn is_poisoned(self) -> bool {
        let poisoned = |state: &State| state.entries.get(self.entry as usize).is_none_or(|e| e.poisoned);
        state::of(self.trace, poisoned).unwrap_or(true)
    }

    /// The number of the dim pointed at, or a report.
    pub(crate) fn one_dim(self, at: At, line: Line) -> Option<usize> {
        match find_dim(&at, &self.dims(), &self.names()) {
            Some(dim) => Some(dim),
            None => {
                self.report(line, no_dim(&at, self));
                None
            }
        }
    }

    /// The numbers of the dims pointed at, ascending, or a report.
    pub(crate) fn some_dims(self, dims: AtDims, line: Line) -> Option<Vec<usize>> {
        let list = match dims {
            AtDims::All => return Some((0..self.rank()).collect()),
            AtDims::These(list) => list,
        };
        let mut out: Vec<usize> = Vec::new();
        for at in list {
            let dim = self.one_dim(at.clone(), line)?;
            if out.contains(&dim) {
                let message = format!("dim {at} of {} is named twice", self.words());
                self.report(line, Diagnostic::error(codes::DIM, message).help("name each dim once"));
                return None;
            }
            out.push(dim);
        }
        out.arrange();
        Some(out)
    }

    /// Report an error about this tensor, unless it is poisoned already.
    pub(crate) fn report(self, line: Line, diagnostic: Diagnostic) {
        if !self.is_poisoned() {
            report(line, diagnostic);
        }
    }

    /// Give this tensor's dims other names, or none.
    pub(crate) fn set_names(self, names: Vec<Name>) {
        state::with(|state| {
            state.dim_names.extend(names.iter().flatten().cloned());
            if state.id == self.trace
                && let Some(entry) = state.entries.get_mut(self.entry as usize)
            {
                entry.names = state::fit(names, entry.ty.rank());
            }
        });
    }
}

/// Report an error of the innermost trace.
pub(crate) fn report(line: Line, diagnostic: Diagnostic) {
    state::with(|state| state.report(line, diagnostic));
}

/// A stand-in of a type, in the innermost trace.
pub(crate) fn poison(ty: TensorType, line: Line) -> Tensor {
    state::with(|state| Tensor::new(state.id, state.poison(ty, Vec::new(), line)))
        .unwrap_or_else(Tensor::nowhere)
}

/// Report an error and go on with a stand-in.
pub(crate) fn fail(ty: TensorType, line: Line, operands: &[Tensor], diagnostic: Diagnostic) -> Tensor {
    if !operands.iter().any(|operand| operand.is_poisoned()) {
        report(line, diagnostic);
    }
    poison(ty, line)
}

/// An error that a layer of one's own finds: it is at the line that called the layer, if that is `#[track_caller]`.
/// Gives a stand-in of the type that was most likely meant. What is computed from a stand-in reports nothing more.
///
/// ```
/// use meshwright_tensor::{prelude::*, refuse};
/// #[track_caller]
/// fn pairs(x: Tensor) -> Tensor {
///     if x.dim(-1) % 2 != 0 {
///         let message = format!("{x:?} cannot be taken in pairs");
///         return refuse(&[x], x.ty(), &message, "make the last dim even");
///     }
///     x.slice_dim(-1, 0..x.dim(-1) / 2)
/// }
/// let errors = trace("f", |t| pairs(t.input("x", f32, [3]))).unwrap_err();
/// assert!(errors.to_string().contains("f32[3] cannot be taken in pairs"));
/// ```
#[track_caller]
pub fn refuse(operands: &[Tensor], meant: TensorType, message: &str, help: &str) -> Tensor {
    fail(meant, Location::caller(), operands, Diagnostic::error(codes::LAYER, message).help(help))
}

/// The entries of operands in the innermost trace. Handles of other traces are reported and replaced by stand-ins.
pub(crate) fn entries(operands: &[Tensor], line: Line) -> Vec<EntryId> {
    let one = |tensor: &Tensor| {
        state::with(|state| state.id == tensor.trace && (tensor.entry as usize) < state.entries.len())
            .unwrap_or(false)
    };
    let mut out = Vec::with_capacity(operands.len());
    for tensor in operands {
        if one(tensor) { out.push(tensor.entry) } else { out.push(foreign(*tensor, line)) }
    }
    out
}

/// A stand-in for a handle of another trace.
fn foreign(tensor: Tensor, line: Line) -> EntryId {
    let ty = tensor.ty();
    let message = "a tensor of another trace is used in this one";
    let diagnostic = Diagnostic::error(codes::FOREIGN, message)
        .note("a tensor is a name in the program being traced and holds no numbers")
        .help("make it an input of this trace, or trace both in one");
    report(line, diagnostic);
    poison(ty, line).entry
}

/// Add an op with one result. Reports what does not fit, and goes on with the type of operand 0.
pub(crate) fn emit(op: Op, operands: &[Tensor], line: Line) -> Tensor {
    let guess = operands.first().map(|operand| operand.ty());
    let guess = guess.unwrap_or_else(|| TensorType::scalar(DType::F32));
    let mut results = emit_all(op, operands, Vec::new(), &[guess], line);
    results.pop().unwrap_or_else(Tensor::nowhere)
}

/// Add an op with regions or several results; `guesses` are the result types to go on with if it does not fit.
pub(crate) fn emit_all(
    op: Op,
    operands: &[Tensor],
    regions: Vec<meshwright_ir::BlockId>,
    guesses: &[TensorType],
    line: Line,
) -> Vec<Tensor> {
    let name = op.mnemonic();
    let entries = entries(operands, line);
    let pushed = state::with(|state| {
        let pushed = state.push(op, &entries, regions, line);
        pushed.map(|(_, results)| results.into_iter().map(|entry| Tensor::new(state.id, entry)).collect())
    });
    match pushed {
        None => guesses.iter().map(|_| Tensor::nowhere()).collect(),
        Some(Ok(results)) => results,
        Some(Err(error)) => {
            let mut diagnostic = Diagnostic::error(codes::OP, format!("{name}: {}", error.message));
            diagnostic.help = error.help;
            let on: Vec<String> = operands.iter().map(|operand| operand.words()).collect();
            diagnostic = diagnostic.note(format!("operands: {}", on.join(", ")));
            let results = guesses.iter().map(|ty| fail(ty.clone(), line, operands, diagnostic.clone()));
            results.collect()
        }
    }
}

/// A type with the names of its dims.
pub(crate) fn words(ty: &TensorType, names: &[Name]) -> String {
    let dim = |(at, size): (usize, &i64)| match names.get(at).and_then(Option::as_ref) {
        Some(name) => format!("{name}={size}"),
        None => size.to_string(),
    };
    let dims: Vec<String> = ty.dims.iter().enumerate().map(dim).collect();
    format!("{}[{}]", ty.dtype, dims.join(","))
}

/// The dim pointed at.
fn find_dim(at: &At, dims: &[i64], names: &[Name]) -> Option<usize> {
    let rank = dims.len() as i64;
    match at {
        At::Number(number) if (-rank..rank).contains(number) => usize::try_from(number.rem_euclid(rank)).ok(),
        At::Number(_) => None,
        At::Name(name) => names.iter().position(|known| known.as_ref() == Some(name)),
    }
}

fn no_dim(at: &At, tensor: Tensor) -> Diagnostic {
    let rank = tensor.rank();
    let message = format!("dim {at} does not exist in {}", tensor.words());
    let help = match (at, rank) {
        (_, 0) => "a scalar has no dims".to_string(),
        (At::Number(_), _) => format!("dims are 0 to {}, or -{rank} to -1 from the end", rank - 1),
        (At::Name(_), _) => "give the dim that name where the tensor is made, or use its number".to_string(),
    };
    Diagnostic::error(codes::DIM, message).help(help)
}

impl fmt::Debug for Tensor {
    /// The type: a handle holds no numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}
