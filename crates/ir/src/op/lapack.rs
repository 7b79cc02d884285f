//! LAPACK routines that are called by name, as JAX writes them when it lowers for CPU: which there are, and what is
//! known of them without running them.
//!
//! ```text
//! %lu:3 = custom_call @lapack_sgetrf_ffi(%a)      (f32[3,8,6]) -> (f32[3,8,6], s32[3,6], s32[3])
//! ```
//!
//! The dims in front of a matrix are batch: each of its matrices is worked on alone. The layouts of a call say how its
//! matrices lie in memory. LAPACK takes columns one after the other; a call that says so means the matrices it names,
//! any other would mean their transposes and is not known.

use crate::attr::{Attr, Attrs};
use crate::rule::{OperandIdx, ResultIdx, Rule, RuleCx};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Routine {
    /// `potrf`: `a` to its Cholesky factor in one triangle, and whether that went well.
    Cholesky,
    /// `trsm`: `(a, b)` to the solution.
    TriangularSolve,
    /// `getrf`: `a` to both factors in one matrix, the rows that were exchanged, and the first pivot that is zero.
    Lu,
    /// `geqrf`: `a` to `r` above reflectors, and their factors.
    Qr,
    /// `geqp3`: `(a, order)`, the same with columns in order of what is left of them.
    PivotedQr,
    /// `orgqr`, `ungqr`: reflectors and factors to the first columns of their product.
    Reflectors,
    /// `ormqr`, `unmqr`: reflectors, factors and a matrix to the product with it.
    ReflectorsTimes,
    /// `syevd`, `heevd`: `a` to eigenvectors, ascending eigenvalues, and whether that went well.
    Eigh,
    /// `sytrd`, `hetrd`: `a` to reflectors, the two diagonals of a tridiagonal matrix, and factors.
    Tridiagonal,
    /// `gesdd`, `gesvd`: `a` to itself, descending singular values, `u`, `v^H`, and whether that went well.
    Svd,
    /// `geev`: `a` to eigenvalues (real and imaginary parts of a real matrix), left and right eigenvectors, and whether
    /// that went well.
    Eigen,
    /// `gehrd`: `a` to reflectors below one diagonal under the main one, and their factors.
    Hessenberg,
    /// `gtsv`: three diagonals and a right side to what elimination leaves of them, and the solution.
    TridiagonalSolve,
}

/// By the name between the letter of the element type and `_ffi`.
const ROUTINES: [(&str, Routine); 18] = [
    ("geev", Routine::Eigen),
    ("gehrd", Routine::Hessenberg),
    ("geqp3", Routine::PivotedQr),
    ("geqrf", Routine::Qr),
    ("gesdd", Routine::Svd),
    ("gesvd", Routine::Svd),
    ("getrf", Routine::Lu),
    ("gtsv", Routine::TridiagonalSolve),
    ("heevd", Routine::Eigh),
    ("hetrd", Routine::Tridiagonal),
    ("orgqr", Routine::Reflectors),
    ("ormqr", Routine::ReflectorsTimes),
    ("potrf", Routine::Cholesky),
    ("syevd", Routine::Eigh),
    ("sytrd", Routine::Tridiagonal),
    ("trsm", Routine::TriangularSolve),
    ("ungqr", Routine::Reflectors),
    ("unmqr", Routine::ReflectorsTimes),
];

impl Routine {
    /// The routine that a call of this target means; `None` if it is not one, or takes its matrices by rows.
    pub(super) fn of(target: &str, attrs: &Attrs) -> Option<Routine> {
        let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
        let name = name.strip_prefix(['s', 'd', 'c', 'z'])?;
        let (_, routine) = ROUTINES.iter().find(|(known, _)| *known == name)?;
        let (operands, results) = (layouts(attrs, "operand_layouts")?, layouts(attrs, "result_layouts")?);
        let batch = operands.first()?.len().checked_sub(routine.rank())?;
        operands.iter().chain(&results).all(|order| is_by_columns(order, batch)).then_some(*routine)
    }

    /// Dims of the first operand that are not batch.
    fn rank(self) -> usize {
        match self {
            Routine::TridiagonalSolve => 1,
            Routine::Cholesky
            | Routine::TriangularSolve
            | Routine::Lu
            | Routine::Qr
            | Routine::PivotedQr
            | Routine::Reflectors
            | Routine::ReflectorsTimes
            | Routine::Eigh
            | Routine::Tridiagonal
            | Routine::Svd
            | Routine::Eigen
            | Routine::Hessenberg => 2,
        }
    }

    /// How many dims in front are batch; `None` if operands and results do not agree on them.
    pub fn batch(self, operands: &[&[i64]], results: &[&[i64]]) -> Option<usize> {
        let first = *operands.first()?;
        let count = first.len().checked_sub(self.rank())?;
        let agree = |dims: &&[i64]| dims.get(..count) == first.get(..count);
        operands.iter().chain(results).all(agree).then_some(count)
    }

    /// Batch dims pass through, everything behind them stays whole.
    pub(super) fn rule(self, cx: RuleCx<'_>) -> Rule {
        let operands: Vec<&[i64]> = cx.operands.iter().map(|ty| ty.dims()).collect();
        let results: Vec<&[i64]> = cx.results.iter().map(|ty| ty.dims()).collect();
        let mut rule = Rule::empty(cx);
        for dim in 0..self.batch(&operands, &results).unwrap_or(0) {
            let of_operands = (0..operands.len()).map(|at| OperandIdx(at).dim(dim));
            let of_results = (0..results.len()).map(|at| ResultIdx(at).dim(dim));
            rule.pass_all(cx.size(OperandIdx(0).dim(dim)), of_operands.chain(of_results));
        }
        rule.fill_whole(cx);
        rule
    }
}

/// The layouts of a list, minor dim first: `[dense<[1, 2, 0]> : tensor<3xindex>, ..]`.
fn layouts(attrs: &Attrs, list: &str) -> Option<Vec<Vec<usize>>> {
    let Attr::Raw(text) = attrs.get(list)? else { return None };
    let numbers = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_digit());
        words.filter_map(|number| number.parse().ok()).collect()
    };
    Some(text.split("dense<").skip(1).map(|layout| numbers(layout.split('>').next().unwrap_or(""))).collect())
}

/// Whether a layout is that of matrices by columns in a batch, of vectors, or of numbers.
fn is_by_columns(order: &[usize], batch: usize) -> bool {
    let inner: &[usize] = match order.len().checked_sub(batch) {
        Some(0) => &[],
        Some(1) => &[0],
        Some(2) => &[0, 1],
        _ => return false,
    };
    let wanted = inner.iter().map(|dim| dim + batch).chain((0..batch).rev());
    order.iter().copied().eq(wanted)
}
