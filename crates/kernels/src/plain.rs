//! One instruction on the reference interpreter: for ops that no model spends its time in.
//!
//! Slow: operands are unpacked, the result is packed again, and it runs on one worker.

use crate::step::{Bases, BufId};
use meshwright_interp::{Options, Tensor, run_with};
use meshwright_ir::{Module, TensorType};
use meshwright_runtime::{RunError, RunErrorKind};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct PlainStep {
    /// A module whose entry does the one thing.
    pub module: Arc<Module>,
    pub operands: Vec<(BufId, TensorType)>,
    pub results: Vec<(BufId, TensorType)>,
    /// It is an `rng`, which draws other numbers each time it runs.
    pub draws: bool,
}

impl PlainStep {
    /// `draws`: how often `rng` ran before on this device.
    pub fn run(&self, bases: &Bases, draws: u64) -> Result<(), RunError> {
        let inputs: Vec<Tensor> =
            self.operands.iter().map(|(buf, ty)| tensor(bases, *buf, ty)).collect::<Result<_, _>>()?;
        let results = run_with(&self.module, &inputs, Options { draws, ..Options::default() })
            .map_err(|found| RunError::new(RunErrorKind::BadInput, found.message.clone()))?;
        for ((buf, ty), result) in self.results.iter().zip(&results) {
            if result.ty() != ty {
                return Err(unsound(&format!("made {} instead of {ty}", result.ty())));
            }
            let bytes = result.to_bytes();
            // SAFETY: the buffer has as many bytes as its type.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), bases.at(*buf), bytes.len()) };
        }
        Ok(())
    }
}

fn tensor(bases: &Bases, buf: BufId, ty: &TensorType) -> Result<Tensor, RunError> {
    let len = meshwright_runtime::array::byte_len(ty).unwrap_or(0);
    // SAFETY: the buffer has as many bytes as its type, and nobody writes it now.
    let bytes = unsafe { std::slice::from_raw_parts(bases.at(buf), len) };
    Tensor::from_bytes(ty.clone(), bytes).ok_or_else(|| unsound(&format!("an operand is no {ty}")))
}

fn unsound(what: &str) -> RunError {
    RunError::new(RunErrorKind::Unsound, what)
}
