//! Fourier transforms and linear algebra: one step for each dim that is transformed, one for each factorization or
//! system.

use super::{Frame, Lower, Val};
use meshwright_ir::Inst;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{Linalg, TransposeKind};
use meshwright_kernels::fourier::{FourierStep, Lines, Plan};
use meshwright_kernels::linalg::{self, CholeskyStep, SolveStep};
use meshwright_kernels::step::Step;
use meshwright_kernels::view::sizes;
use meshwright_runtime::RunError;
use std::sync::Arc;

/// Longer lines are refused: each worker keeps 32 complex numbers for each element of a line.
const MAX_LINE: usize = 1 << 18;

impl<'m> Lower<'m> {
    pub fn fft(&mut self, op: &Fft, frame: &Frame<'m>, inst: &Inst, x: &[Val]) -> Result<Val, RunError> {
        let [x] = x else { return Err(self.unsound("fft takes one operand")) };
        let (result, dims) = self.result(frame, inst, 0)?;
        let lengths = sizes(&op.length);
        let Some(first) = dims.len().checked_sub(lengths.len()) else {
            return Err(self.unsound("fft goes over more dims than there are"));
        };
        let dtype = if result.is_complex() { result } else { x.dtype };
        if lengths.iter().any(|n| *n > MAX_LINE) || x.count() == 0 || lengths.is_empty() {
            return Err(self.refuse("an fft of these sizes"));
        }
        let last = lengths.len() - 1;
        let inverse = matches!(op.kind, FftKind::Ifft | FftKind::Irfft);
        let others = (0..last).map(|i| (i, Lines::Complex));
        let passes: Vec<(usize, Lines)> = match op.kind {
            FftKind::Fft | FftKind::Ifft => others.chain([(last, Lines::Complex)]).collect(),
            FftKind::Rfft => std::iter::once((last, Lines::FromReal)).chain(others).collect(),
            FftKind::Irfft => others.chain([(last, Lines::ToReal)]).collect(),
        };
        let mut val = x.clone();
        for (i, lines) in passes {
            let mut after = val.dims.clone();
            let n = lengths[i];
            after[first + i] = if lines == Lines::FromReal { n / 2 + 1 } else { n };
            let made = if lines == Lines::ToReal { dtype.part() } else { dtype };
            let from = self.dense(&val)?;
            let (to, next) = self.fresh(made, &after)?;
            let (outer, inner) =
                (after[..first + i].iter().product(), after[first + i + 1..].iter().product());
            let plan = Arc::new(Plan::new(n));
            self.push(Step::Fourier(FourierStep { from, to, dtype, lines, inverse, outer, inner, plan }));
            val = next;
        }
        Ok(val)
    }

    pub fn linalg(
        &mut self,
        op: &Linalg,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let (dtype, dims) = self.result(frame, inst, 0)?;
        if !linalg::can(dtype) {
            return Err(self.refuse(format!("linear algebra of {dtype}")));
        }
        let [batch @ .., rows, columns] = &dims[..] else { return Err(self.unsound("needs matrices")) };
        let (batch, rows, columns) = (batch.iter().product(), *rows, *columns);
        match (op, x) {
            (Linalg::Cholesky { lower }, [a]) => {
                let from = self.dense(a)?;
                let (to, val) = self.fresh(dtype, &dims)?;
                let lower = *lower;
                self.push(Step::Cholesky(CholeskyStep { from, to, dtype, lower, batch, n: rows }));
                Ok(val)
            }
            (Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a }, [a, b]) => {
                let (left, unit) = (*left_side, *unit_diagonal);
                // On the right, the system is the transposed one.
                let conjugated = *transpose_a == TransposeKind::Adjoint;
                let transposed = (*transpose_a != TransposeKind::NoTranspose) == left;
                let forward = *lower != transposed;
                let (n, count) = if left { (rows, columns) } else { (columns, rows) };
                let (a, b) = (self.dense(a)?, self.dense(b)?);
                let (to, val) = self.fresh(dtype, &dims)?;
                let step = SolveStep {
                    a,
                    b,
                    to,
                    dtype,
                    batch,
                    n,
                    count,
                    left,
                    transposed,
                    conjugated,
                    forward,
                    unit,
                };
                self.push(Step::Solve(step));
                Ok(val)
            }
            _ => Err(self.unsound("linear algebra takes other operands")),
        }
    }
}
