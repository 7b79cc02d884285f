//! Products of which only some elements matter: those where masks are not zero. The others are 0.
//!
//! ```text
//! to[..] = sum over k of lhs[.., k] * rhs[.., k]        where one of some sets of masks has no zero
//! ```
//!
//! Whoever asks for it multiplies by the masks, or selects with them, afterwards. Sums are taken in 32 lanes that are
//! added up at the end, as fused multiply-adds of `f32`: bits depend on the depth only.

use crate::kernel::sparse::{Half, Number, added};
use crate::step::{Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;

/// A mask over the result: any numbers, not zero where the result matters.
#[derive(Clone, PartialEq, Debug)]
pub struct Mask {
    pub buf: BufId,
    pub dtype: DType,
    pub offset: isize,
    pub strides: Vec<isize>,
}

/// An operand: where its row for an element of the result begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows {
    pub buf: BufId,
    pub offset: isize,
    pub strides: Vec<isize>,
}

/// Rows of both operands are `depth` elements side by side; the result is dense.
#[derive(Clone, PartialEq, Debug)]
pub struct SampledStep {
    pub dims: Vec<usize>,
    pub depth: usize,
    /// Of the operands: `f32` or `bf16`.
    pub dtype: DType,
    /// Of the result: likewise.
    pub result: DType,
    pub lhs: Rows,
    pub rhs: Rows,
    /// An element matters if all masks of one of these are not zero there.
    pub masks: Vec<Vec<Mask>>,
    pub to: BufId,
}

/// Elements of the result in a piece.
const PIECE: usize = 1 << 15;
const LANES: usize = 32;
/// Masks of a step at most.
pub const MAX_MASKS: usize = 8;

#[derive(Clone, Copy)]
struct At(*mut u8);
// SAFETY: pieces write disjoint places.
unsafe impl Send for At {}
// SAFETY: as above.
unsafe impl Sync for At {}

impl At {
    fn ptr(self) -> *mut u8 {
        self.0
    }
}

/// Whether a mask of this type can be read.
pub fn can_mask(dtype: DType) -> bool {
    !dtype.is_complex() && matches!(dtype.bytes(), 1 | 2 | 4) && dtype.bits() >= 8 || dtype == DType::Pred
}

impl Mask {
    /// # Safety
    /// The element must exist.
    #[inline(always)]
    unsafe fn is_set(&self, base: *const u8, at: isize) -> bool {
        let sign = u32::from(self.dtype.is_float());
        let at = self.offset + at;
        // SAFETY: the caller's.
        unsafe {
            match self.dtype.bytes() {
                1 => *base.offset(at) != 0,
                2 => u32::from(*base.cast::<u16>().offset(at)) << 16 << sign != 0,
                _ => *base.cast::<u32>().offset(at) << sign != 0,
            }
        }
    }
}

impl SampledStep {
    pub fn reads(&self) -> Vec<BufId> {
        let masks = self.masks.iter().flatten().map(|mask| mask.buf);
        [self.lhs.buf, self.rhs.buf].into_iter().chain(masks).collect()
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let row = self.dims.last().copied().unwrap_or(1);
        let rows: usize = self.dims.iter().rev().skip(1).product();
        let per = (PIECE / row.max(1)).max(1);
        let to = At(bases.at(self.to));
        workers.each(rows.div_ceil(per), &|piece| {
            let range = piece * per..((piece + 1) * per).min(rows);
            match (self.dtype == DType::BF16, self.result == DType::BF16) {
                (false, false) => self.piece::<f32, f32>(bases, to.ptr(), range),
                (false, true) => self.piece::<f32, Half>(bases, to.ptr(), range),
                (true, false) => self.piece::<Half, f32>(bases, to.ptr(), range),
                (true, true) => self.piece::<Half, Half>(bases, to.ptr(), range),
            }
        });
    }

    fn piece<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: std::ops::Range<usize>) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
                // SAFETY: the features are there.
                return unsafe { self.piece_avx512::<A, C>(bases, to, range) };
            }
            if has!("avx2") && has!("fma") {
                // SAFETY: the features are there.
                return unsafe { self.piece_avx2::<A, C>(bases, to, range) };
            }
        }
        self.hot::<A, C, false>(bases, to, range);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    fn piece_avx512<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: std::ops::Range<usize>) {
        self.hot::<A, C, true>(bases, to, range);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn piece_avx2<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: std::ops::Range<usize>) {
        self.hot::<A, C, true>(bases, to, range);
    }

    #[inline(always)]
    fn hot<A: Number, C: Number, const FUSED: bool>(
        &self,
        bases: &Bases,
        to: *mut u8,
        range: std::ops::Range<usize>,
    ) {
        let inner = self.dims.last().copied().unwrap_or(1);
        let outer = &self.dims[..self.dims.len().saturating_sub(1)];
        let last = |strides: &[isize]| strides.get(outer.len()).copied().unwrap_or(0);
        let lhs = bases.at(self.lhs.buf).cast::<A>().cast_const();
        let rhs = bases.at(self.rhs.buf).cast::<A>().cast_const();
        let steps = (last(&self.lhs.strides), last(&self.rhs.strides));
        let mut a = Walk::new(outer, &self.lhs.strides, range.start);
        let mut b = Walk::new(outer, &self.rhs.strides, range.start);
        let mut walks = [const { None }; MAX_MASKS];
        for (walk, mask) in walks.iter_mut().zip(self.masks.iter().flatten()) {
            *walk = Some(Walk::new(outer, &mask.strides, range.start));
        }
        for row in range {
            // SAFETY: the result is dense and has so many rows.
            let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<C>().add(row * inner), inner) };
            to.fill(C::narrow(0.0));
            let made = |i: usize| {
                let i = i as isize;
                let (a, b) = (self.lhs.offset + a.at + i * steps.0, self.rhs.offset + b.at + i * steps.1);
                // SAFETY: views of the operands lie in their buffers.
                unsafe {
                    let a = std::slice::from_raw_parts(lhs.offset(a), self.depth);
                    let b = std::slice::from_raw_parts(rhs.offset(b), self.depth);
                    C::narrow(dot::<A, FUSED>(a, b))
                }
            };
            let mut first = 0;
            for masks in &self.masks {
                let place =
                    |at: usize| walks.get(first + at).and_then(Option::as_ref).map_or(0, |walk| walk.at);
                each_set(bases, masks, place, (outer.len(), inner), |i| to[i] = made(i));
                first += masks.len();
            }
            for (walk, mask) in walks.iter_mut().zip(self.masks.iter().flatten()) {
                walk.iter_mut().for_each(|walk| walk.advance(outer, &mask.strides, 1));
            }
            a.advance(outer, &self.lhs.strides, 1);
            b.advance(outer, &self.rhs.strides, 1);
        }
    }
}

/// Places of a row where none of the masks is zero; `place`: where the row begins in each.
#[inline(always)]
fn each_set(
    bases: &Bases,
    masks: &[Mask],
    place: impl Fn(usize) -> isize,
    (outer, inner): (usize, usize),
    mut hit: impl FnMut(usize),
) {
    let step = |mask: &Mask| mask.strides.get(outer).copied().unwrap_or(0);
    // SAFETY: views of the masks lie in their buffers.
    let is_set = |mask: &Mask, at: isize| unsafe { mask.is_set(bases.at(mask.buf), at) };
    // A mask that does not change along the row decides at once.
    if masks.iter().enumerate().any(|(at, mask)| step(mask) == 0 && !is_set(mask, place(at))) {
        return;
    }
    let moving = |i: usize| {
        let mut moving = masks.iter().enumerate().filter(|(_, mask)| step(mask) != 0);
        moving.all(|(at, mask)| is_set(mask, place(at) + i as isize * step(mask)))
    };
    (0..inner).filter(|i| moving(*i)).for_each(&mut hit);
}

#[inline(always)]
fn dot<A: Number, const FUSED: bool>(a: &[A], b: &[A]) -> f32 {
    let mut sums = [0f32; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .fold(0.0, |sum, (a, b)| added::<FUSED>(sum, a.wide(), b.wide()));
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] = added::<FUSED>(sums[lane], a[lane].wide(), b[lane].wide());
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0] + rest
}
