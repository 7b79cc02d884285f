//! Einstein summation: any spec, any number of tensors.
//!
//! Letters of one tensor that nobody else needs are summed first. Then two tensors at a time are contracted: always the
//! pair whose product is cheapest (fewest multiplications), the leftmost of equals. A pair that shares no summed letter
//! is multiplied element by element; every other is one `dot_general`, with its sides in the order that needs no
//! transpose where there is one.

use super::einsum_spec::{Letter, Spec, read};
use crate::codes;
use crate::ops::reduce::reduce;
use crate::ops::shape::{broadcast_in, permute};
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit, poison, report};
use meshwright_base::arrange::Arrange;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, SourceText, Span};
use meshwright_ir::op::{BinaryOp, Dot};
use meshwright_ir::{DType, Op, TensorType};
use std::panic::Location;

/// Multiply tensors and sum over the dims whose letter is missing in the output.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// # let program = trace("f", |t| {
/// let (x, w) = (t.input("x", f32, [4, 8, 16]), t.param("w", [4, 16, 32]));
/// einsum("ebd,edf->ebf", [x, w])
/// # })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn einsum(spec: &str, tensors: impl AsRef<[Tensor]>) -> Tensor {
    let (tensors, line) = (tensors.as_ref(), Location::caller());
    let ranks: Vec<usize> = tensors.iter().map(|tensor| tensor.rank()).collect();
    let poisoned = tensors.iter().any(|tensor| tensor.is_poisoned());
    let read = match read(spec, &ranks) {
        Ok(read) => read,
        Err(bad) => {
            if !poisoned {
                complain(spec, bad.message, bad.span, bad.help, tensors, line);
            }
            return stand_in(tensors, line);
        }
    };
    match sizes(&read, tensors) {
        Ok(_) => Einsum { line, output: read.output.clone() }.run(&read, tensors),
        Err((message, span)) => {
            if !poisoned {
                let help = "a letter stands for one size in all tensors";
                complain(spec, message, span, help.to_string(), tensors, line);
            }
            stand_in_of(&read, tensors, line)
        }
    }
}

fn complain(spec: &str, message: String, span: Span, help: String, tensors: &[Tensor], line: Line) {
    let on: Vec<String> = tensors.iter().map(|tensor| tensor.words()).collect();
    let diagnostic = Diagnostic::error(codes::EINSUM, format!("einsum: {message}"))
        .at_place(Some(state::place(line)))
        .label(Some(Place::Span(span)), "here")
        .note(format!("tensors: {}", on.join(", ")))
        .help(help);
    let text = SourceText::new("the spec", spec);
    state::with(|state| state.report_with(line, diagnostic, Some(text)));
}

fn stand_in(tensors: &[Tensor], line: Line) -> Tensor {
    let dtype = tensors.first().map_or(DType::F32, |tensor| tensor.dtype());
    poison(TensorType::scalar(dtype), line)
}

/// A stand-in of the output's shape, by the first size of each letter.
fn stand_in_of(spec: &Spec, tensors: &[Tensor], line: Line) -> Tensor {
    let size = |letter: &Letter| {
        let mut pairs = spec.inputs.iter().zip(tensors);
        pairs.find_map(|(term, tensor)| term.iter().position(|l| l == letter).map(|at| tensor.dims()[at]))
    };
    let dims: Vec<i64> = spec.output.iter().map(|letter| size(letter).unwrap_or(1)).collect();
    poison(tensors[0].ty().with_dims(dims), line)
}

/// Size of each letter, or which does not fit. Letters of `...` may have size 1 in some tensors.
fn sizes(spec: &Spec, tensors: &[Tensor]) -> Result<Vec<(char, i64)>, (String, Span)> {
    let mut known: Vec<(char, i64)> = Vec::new();
    for (at, (term, tensor)) in spec.inputs.iter().zip(tensors).enumerate() {
        let dims = tensor.dims();
        for (dim, letter) in term.iter().enumerate() {
            let size = dims[dim];
            match known.iter_mut().find(|(name, _)| *name == letter.name) {
                None => known.push((letter.name, size)),
                Some((_, first)) if *first == size => {}
                Some((name, first)) if !name.is_alphabetic() && (*first == 1 || size == 1) => {
                    *first = (*first).max(size)
                }
                Some((name, first)) => {
                    let message = format!(
                        "`{name}` is {first} before, but dim {dim} of tensor {at} has {size} elements"
                    );
                    return Err((message, letter.span));
                }
            }
        }
    }
    Ok(known)
}

struct Einsum {
    line: Line,
    output: Vec<Letter>,
}

/// A tensor with a letter for each dim, all different.
#[derive(Clone)]
struct Term {
    x: Tensor,
    letters: Vec<Letter>,
}

impl Term {
    fn has(&self, letter: &Letter) -> bool {
        self.letters.contains(letter)
    }

    fn size(&self, letter: &Letter) -> i64 {
        self.letters.iter().position(|l| l == letter).map_or(1, |at| self.x.dims()[at])
    }

    fn at(&self, letter: &Letter) -> usize {
        self.letters.iter().position(|l| l == letter).unwrap_or(0)
    }
}

impl Einsum {
    fn run(&self, spec: &Spec, tensors: &[Tensor]) -> Tensor {
        if let Some(other) = tensors.iter().find(|tensor| tensor.dtype() != tensors[0].dtype()) {
            crate::arg::dtypes_differ("einsum", tensors[0], *other, self.line);
            return stand_in_of(spec, tensors, self.line);
        }
        let pairs = spec.inputs.iter().zip(tensors);
        let mut terms: Vec<Term> = pairs.map(|(letters, x)| self.diagonal(*x, letters.clone())).collect();
        while terms.len() > 1 {
            terms = terms.iter().enumerate().map(|(at, term)| self.sum_own(term, &terms, at)).collect();
            let (a, b) = self.cheapest(&terms);
            let right = terms.remove(b);
            let rest: Vec<&Term> =
                terms.iter().enumerate().filter(|(at, _)| *at != a).map(|(_, t)| t).collect();
            let joined = self.contract(&terms[a], &right, &rest);
            terms[a] = joined;
        }
        let Some(last) = terms.pop() else { return stand_in(tensors, self.line) };
        let last = self.sum_own(&last, &[], usize::MAX);
        self.arrange(last)
    }

    /// A letter that stands twice in one term takes the diagonal.
    fn diagonal(&self, mut x: Tensor, mut letters: Vec<Letter>) -> Term {
        while let Some(second) = (1..letters.len()).find(|at| letters[..*at].contains(&letters[*at])) {
            let first = letters.iter().position(|l| *l == letters[second]).unwrap_or(0);
            let place = |dim| {
                let ty = TensorType::new(DType::S32, x.dims());
                emit(Op::Iota(meshwright_ir::op::Iota { dim, ty }), &[], self.line)
            };
            let same = place(first).eq(place(second));
            x = reduce(BinaryOp::Add, same.select(x, 0), vec![second], self.line);
            letters.remove(second);
        }
        Term { x, letters }
    }

    /// Sum the letters that neither the output nor another term has.
    fn sum_own(&self, term: &Term, all: &[Term], own: usize) -> Term {
        let elsewhere = |letter: &Letter| {
            self.output.contains(letter)
                || all.iter().enumerate().any(|(at, term)| at != own && term.has(letter))
        };
        let dims: Vec<usize> = (0..term.letters.len()).filter(|at| !elsewhere(&term.letters[*at])).collect();
        let letters = term.letters.iter().copied().filter(elsewhere).collect();
        Term { x: reduce(BinaryOp::Add, term.x, dims, self.line), letters }
    }

    fn cheapest(&self, terms: &[Term]) -> (usize, usize) {
        let cost = |a: &Term, b: &Term| {
            let own = b.letters.iter().filter(|letter| !a.has(letter));
            own.fold(a.x.elements(), |n, letter| n.saturating_mul(b.size(letter)))
        };
        let pairs = (0..terms.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.min_by_key(|(a, b)| (cost(&terms[*a], &terms[*b]), *b)).unwrap_or((0, 1))
    }

    fn contract(&self, a: &Term, b: &Term, rest: &[&Term]) -> Term {
        let needed =
            |letter: &Letter| self.output.contains(letter) || rest.iter().any(|term| term.has(letter));
        let shared: Vec<Letter> = a.letters.iter().copied().filter(|letter| b.has(letter)).collect();
        let summed: Vec<Letter> = shared.iter().copied().filter(|letter| !needed(letter)).collect();
        let stretches = shared.iter().any(|letter| a.size(letter) != b.size(letter));
        if summed.is_empty() || stretches {
            let product = self.multiply(a, b);
            return self.sum_own(
                &product,
                &rest.iter().map(|term| (*term).clone()).collect::<Vec<_>>(),
                usize::MAX,
            );
        }
        let batch: Vec<Letter> = shared.into_iter().filter(|letter| needed(letter)).collect();
        let forward = dot_letters(a, b, &batch, &summed);
        let backward = dot_letters(b, a, &batch, &summed);
        let (a, b, letters) = if self.is_arranged(&backward) && !self.is_arranged(&forward) {
            (b, a, backward)
        } else {
            (a, b, forward)
        };
        let pairs = |letters: &[Letter]| letters.iter().map(|letter| (a.at(letter), b.at(letter))).collect();
        let dot = Dot {
            batch: pairs(&batch),
            contract: pairs(&summed),
            result: a.x.dtype(),
            precision: Vec::new(),
            algorithm: None,
        };
        Term { x: emit(Op::Dot(dot), &[a.x, b.x], self.line), letters }
    }

    /// Whether the letters stand in the order of the output.
    fn is_arranged(&self, letters: &[Letter]) -> bool {
        *letters == self.output[..]
    }

    /// Element by element, in the order of the output as far as it goes.
    fn multiply(&self, a: &Term, b: &Term) -> Term {
        let both = a.letters.iter().chain(b.letters.iter().filter(|letter| !a.has(letter)));
        let mut letters: Vec<Letter> = both.copied().collect();
        letters.arrange_by_key(|letter| self.output.iter().position(|l| l == letter).unwrap_or(usize::MAX));
        let dims: Vec<i64> = letters.iter().map(|letter| a.size(letter).max(b.size(letter))).collect();
        let wide = |term: &Term| {
            let at: Vec<usize> =
                term.letters.iter().map(|l| letters.iter().position(|m| m == l).unwrap_or(0)).collect();
            if at.len() == letters.len()
                && term.x.dims() == at.iter().map(|dim| dims[*dim]).collect::<Vec<_>>()
            {
                let order =
                    (0..at.len()).map(|to| at.iter().position(|dim| *dim == to).unwrap_or(to)).collect();
                return permute(term.x, order, self.line);
            }
            broadcast_in(term.x, &dims, &at, self.line)
        };
        let (left, right) = (wide(a), wide(b));
        Term { x: emit(Op::Binary(BinaryOp::Multiply), &[left, right], self.line), letters }
    }

    fn arrange(&self, last: Term) -> Tensor {
        if last.letters.len() != self.output.len() {
            report(
                self.line,
                Diagnostic::error(codes::EINSUM, "einsum: the output does not fit the tensors"),
            );
            return last.x;
        }
        permute(last.x, self.output.iter().map(|letter| last.at(letter)).collect(), self.line)
    }
}

/// Letters of a `dot_general`'s result: batch, free of the left, free of the right.
fn dot_letters(a: &Term, b: &Term, batch: &[Letter], summed: &[Letter]) -> Vec<Letter> {
    let free = |term: &Term| -> Vec<Letter> {
        term.letters
            .iter()
            .copied()
            .filter(|letter| !batch.contains(letter) && !summed.contains(letter))
            .collect()
    };
    [batch.to_vec(), free(a), free(b)].concat()
}
