//! Running sums along a dim: `to[.., i, ..] = from[.., 0, ..] + .. + from[.., i, ..]`, added in ascending order.
//!
//! A window over all that came before would add `n * n / 2` numbers for `n` results.

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_runtime::Workers;

/// Both are dense; the dim has `n` places of `inner` elements each, `outer` times.
#[derive(Clone, PartialEq, Debug)]
pub struct CumulateStep {
    pub from: BufId,
    pub to: BufId,
    pub dtype: DType,
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
}

/// Neighbouring elements that one piece sums.
const COLUMNS: usize = 256;

/// Whether sums of this type are made here.
pub fn can(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::S32 | DType::U32 | DType::S64 | DType::U64)
}

impl CumulateStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::F32 => self.sums(bases, 0.0, |a: f32, b| a + b, workers),
            DType::F64 => self.sums(bases, 0.0, |a: f64, b| a + b, workers),
            DType::S64 | DType::U64 => self.sums(bases, 0, u64::wrapping_add, workers),
            _ => self.sums(bases, 0, u32::wrapping_add, workers),
        }
    }

    fn sums<T: Copy + Sync>(
        &self,
        bases: &Bases,
        zero: T,
        add: impl Fn(T, T) -> T + Sync,
        workers: &dyn Workers,
    ) {
        let (from, to) = (At(bases.at(self.from)), At(bases.at(self.to)));
        let cuts = self.inner.div_ceil(COLUMNS);
        workers.each(self.outer * cuts, &|piece| {
            let first = piece % cuts * COLUMNS;
            let width = COLUMNS.min(self.inner - first);
            let mut sums = [zero; COLUMNS];
            for row in 0..self.n {
                let at = (piece / cuts * self.n + row) * self.inner + first;
                // SAFETY: both have `outer * n * inner` elements.
                let (from, to) = unsafe {
                    let from = std::slice::from_raw_parts(from.ptr().cast::<T>().add(at), width);
                    (from, std::slice::from_raw_parts_mut(to.ptr().cast::<T>().add(at), width))
                };
                for ((sum, x), to) in sums.iter_mut().zip(from).zip(to) {
                    *sum = add(*sum, *x);
                    *to = *sum;
                }
            }
        });
    }
}
