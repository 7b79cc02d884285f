//! Columns of `f32` that lie side by side, folded by a plain reducer: sums over tokens of what belongs to one feature, say.
//!
//! ```text
//! for 128 columns:  for each row:  128 accumulators take in 128 elements
//! ```
//!
//! Accumulators take in rows in their order, as tiles do, so both give the same bits; but there is no tile program to run for
//! each row, and few columns are shared by workers.

use super::{PIECE, ReduceStep};
use crate::kernel::load::splat;
use crate::math;
use crate::step::Bases;
use crate::tile::{TileOp, Tiles};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_ir::op::BinaryOp;
use meshwright_runtime::Workers;

/// Columns that are folded at once.
const STRIP: usize = 128;

impl ReduceStep {
    /// The reducer, if columns are of this kind.
    pub(super) fn side_by_side(&self) -> Option<BinaryOp> {
        let ([input], [op]) = (&self.inputs[..], &self.ops[..]) else { return None };
        let TileOp::Binary { op, ty: DType::F32, to: 0, a: 0, b: 1 } = op else { return None };
        let known = matches!(op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Maximum | BinaryOp::Minimum);
        let plain = input.dtype == DType::F32 && self.dtypes[..] == [DType::F32] && self.new[..] == [0];
        (known && plain && input.kept[..] == [1]).then_some(*op)
    }

    pub(super) fn run_strips(&self, op: BinaryOp, bases: &Bases, workers: &dyn Workers) {
        let count = self.count();
        let per = (PIECE / self.depth().max(1)).max(1).next_multiple_of(STRIP);
        let tiles = Tiles::new(&self.regs[..1]);
        splat(DType::F32, &self.init(0, bases), &tiles, 0);
        // SAFETY: the tile holds `f32`.
        let init = unsafe { *tiles.ptr::<f32>(0) };
        workers.each(count.div_ceil(per), &|piece| {
            let end = ((piece + 1) * per).min(count);
            for start in (piece * per..end).step_by(STRIP) {
                let mut sums = [init; STRIP];
                let sums = &mut sums[..STRIP.min(end - start)];
                self.fold_strip(op, bases, start, sums);
                let to = bases.at(self.outputs[0]).cast::<f32>().wrapping_add(start);
                // SAFETY: the result has an element for each column.
                unsafe { std::ptr::copy_nonoverlapping(sums.as_ptr(), to, sums.len()) };
            }
        });
    }

    fn fold_strip(&self, op: BinaryOp, bases: &Bases, start: usize, sums: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            // SAFETY: the features are there.
            return unsafe { self.fold_strip_avx512(op, bases, start, sums) };
        }
        self.fold_strip_any(op, bases, start, sums);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    unsafe fn fold_strip_avx512(&self, op: BinaryOp, bases: &Bases, start: usize, sums: &mut [f32]) {
        self.fold_strip_any(op, bases, start, sums);
    }

    #[inline(always)]
    fn fold_strip_any(&self, op: BinaryOp, bases: &Bases, start: usize, sums: &mut [f32]) {
        match op {
            BinaryOp::Multiply => self.take_in(bases, start, sums, |sum, x| sum * x),
            BinaryOp::Maximum => self.take_in(bases, start, sums, math::max),
            BinaryOp::Minimum => self.take_in(bases, start, sums, math::min),
            _ => self.take_in(bases, start, sums, |sum, x| sum + x),
        }
    }

    #[inline(always)]
    fn take_in(&self, bases: &Bases, start: usize, sums: &mut [f32], f: impl Fn(f32, f32) -> f32) {
        let input = &self.inputs[0];
        let base = bases.at(input.buf).cast::<f32>().wrapping_offset(input.offset + start as isize);
        let mut walk = Walk::new(&self.reduced, &input.reduced, 0);
        for _ in 0..self.depth() {
            // SAFETY: the view lies in its buffer.
            let row = unsafe { std::slice::from_raw_parts(base.wrapping_offset(walk.at), sums.len()) };
            walk.advance(&self.reduced, &input.reduced, 1);
            match (<&mut [f32; STRIP]>::try_from(&mut *sums), <&[f32; STRIP]>::try_from(row)) {
                (Ok(sums), Ok(row)) => sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = f(*sum, *x)),
                _ => sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = f(*sum, *x)),
            }
        }
    }
}
