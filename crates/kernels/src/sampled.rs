//! Products of which only some elements matter: those where masks are not zero. The others are 0.
//!
//! ```text
//! to[..] = sum over k of lhs[.., k] * rhs[.., k]        where one of some sets of masks has no zero
//! ```
//!
//! Whoever asks for it multiplies by the masks, or selects with them, afterwards. Sums are taken in 32 lanes that are
//! added up at the end, as fused multiply-adds of `f32`: bits depend on the depth only.

use crate::gemm::any::FUSES;
use crate::sparse::{Half, Number, added, find};
use crate::step::{At, Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use std::ops::Range;

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

    /// The innermost dims, and how many of them there are: a block of rows that are walked by strides alone.
    fn block(&self) -> (usize, [usize; 2]) {
        match self.dims[..] {
            [] => (0, [1, 1]),
            [inner] => (1, [1, inner]),
            [.., middle, inner] => (2, [middle, inner]),
        }
    }

    /// How many blocks there are, and how many of them a piece has.
    fn cut(&self) -> [usize; 2] {
        let (inside, [middle, inner]) = self.block();
        let blocks: usize = self.dims.iter().rev().skip(inside).product();
        [blocks, (PIECE / (middle * inner).max(1)).max(1)]
    }

    pub fn pieces(&self) -> usize {
        let [blocks, per] = self.cut();
        blocks.div_ceil(per)
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let [blocks, per] = self.cut();
        let to = At(bases.at(self.to));
        workers.each(blocks.div_ceil(per), &|piece| {
            let range = piece * per..((piece + 1) * per).min(blocks);
            match (self.dtype == DType::BF16, self.result == DType::BF16) {
                (false, false) => self.piece::<f32, f32>(bases, to.ptr(), range),
                (false, true) => self.piece::<f32, Half>(bases, to.ptr(), range),
                (true, false) => self.piece::<Half, f32>(bases, to.ptr(), range),
                (true, true) => self.piece::<Half, Half>(bases, to.ptr(), range),
            }
        });
    }

    fn piece<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: Range<usize>) {
        #[cfg(target_arch = "x86_64")]
        {
            if crate::isa::avx512() {
                // SAFETY: the features are there.
                return unsafe { self.piece_avx512::<A, C>(bases, to, range) };
            }
            if crate::isa::avx2() {
                // SAFETY: the features are there.
                return unsafe { self.piece_avx2::<A, C>(bases, to, range) };
            }
        }
        self.hot::<A, C, FUSES>(bases, to, range);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    fn piece_avx512<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: Range<usize>) {
        self.hot::<A, C, true>(bases, to, range);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn piece_avx2<A: Number, C: Number>(&self, bases: &Bases, to: *mut u8, range: Range<usize>) {
        self.hot::<A, C, true>(bases, to, range);
    }

    /// All dims but those of a block.
    fn outer(&self) -> &[usize] {
        &self.dims[..self.dims.len() - self.block().0]
    }

    /// Strides within a block.
    fn steps(&self, strides: &[isize]) -> [isize; 2] {
        match strides[self.outer().len()..] {
            [middle, inner] => [middle, inner],
            [inner] => [0, inner],
            _ => [0, 0],
        }
    }

    #[inline(always)]
    fn hot<A: Number, C: Number, const FUSED: bool>(&self, bases: &Bases, to: *mut u8, range: Range<usize>) {
        let (_, [middle, inner]) = self.block();
        let outer = self.outer();
        let lhs = bases.at(self.lhs.buf).cast::<A>().cast_const();
        let rhs = bases.at(self.rhs.buf).cast::<A>().cast_const();
        let (own, its) = (self.steps(&self.lhs.strides), self.steps(&self.rhs.strides));
        let block = middle * inner;
        let mut hits = Vec::new();
        for at in range {
            // SAFETY: the result is dense and has so many blocks.
            let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<C>().add(at * block), block) };
            to.fill(C::narrow(0.0));
            hits.clear();
            self.hits(bases, at, &mut hits);
            let a = self.lhs.offset + Walk::new(outer, &self.lhs.strides, at).at;
            let b = self.rhs.offset + Walk::new(outer, &self.rhs.strides, at).at;
            for hit in &hits {
                let place = hit.row * inner + hit.at;
                let offset = |steps: [isize; 2]| hit.row as isize * steps[0] + hit.at as isize * steps[1];
                // SAFETY: views of the operands lie in their buffers.
                to[place] = unsafe {
                    let a = std::slice::from_raw_parts(lhs.offset(a + offset(own)), self.depth);
                    let b = std::slice::from_raw_parts(rhs.offset(b + offset(its)), self.depth);
                    C::narrow(dot::<A, FUSED>(a, b))
                };
            }
        }
    }

    /// Places of a block that matter.
    fn hits(&self, bases: &Bases, block: usize, hits: &mut Vec<Hit>) {
        let (outer, (_, sizes)) = (self.outer(), self.block());
        for masks in &self.masks {
            let seen = |at: usize| {
                let mask = masks.get(at)?;
                let at = Walk::new(outer, &mask.strides, block).at;
                Some(Seen { mask, base: bases.at(mask.buf), at, steps: self.steps(&mask.strides) })
            };
            let seen = std::array::from_fn(seen);
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                // SAFETY: the features are there.
                unsafe { list_avx512(seen, sizes, hits) };
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx2() {
                // SAFETY: the features are there.
                unsafe { list_avx2(seen, sizes, hits) };
                continue;
            }
            list::<0>(seen, sizes, hits);
        }
    }
}

/// A place within a block.
#[derive(Clone, Copy)]
struct Hit {
    row: usize,
    at: usize,
}

/// A mask within a block.
#[derive(Clone, Copy)]
struct Seen<'a> {
    mask: &'a Mask,
    base: *const u8,
    at: isize,
    steps: [isize; 2],
}

impl Seen<'_> {
    #[inline(always)]
    fn is_set(&self, middle: usize, inner: usize) -> bool {
        let at = self.at + middle as isize * self.steps[0] + inner as isize * self.steps[1];
        // SAFETY: views of the masks lie in their buffers.
        unsafe { self.mask.is_set(self.base, at) }
    }

    /// Places of a row that are not zero.
    #[inline(always)]
    fn each_set<const WORDS: usize>(&self, row: usize, inner: usize, mut hit: impl FnMut(usize)) {
        let at = self.mask.offset + self.at + row as isize * self.steps[0];
        let (at, step) = (self.base.wrapping_offset(at * self.mask.dtype.bytes() as isize), self.steps[1]);
        // SAFETY: views of the masks lie in their buffers.
        unsafe {
            match (self.mask.dtype.bytes(), self.mask.dtype.is_float()) {
                (1, _) => find::<u8, WORDS>(at, step, inner, |i, _| hit(i)),
                (2, true) => find::<Half, WORDS>(at.cast(), step, inner, |i, _| hit(i)),
                (2, false) => find::<u16, WORDS>(at.cast(), step, inner, |i, _| hit(i)),
                (_, true) => find::<f32, WORDS>(at.cast(), step, inner, |i, _| hit(i)),
                (_, false) => find::<u32, WORDS>(at.cast(), step, inner, |i, _| hit(i)),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
fn list_avx512(masks: [Option<Seen<'_>>; MAX_MASKS], sizes: [usize; 2], hits: &mut Vec<Hit>) {
    list::<16>(masks, sizes, hits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn list_avx2(masks: [Option<Seen<'_>>; MAX_MASKS], sizes: [usize; 2], hits: &mut Vec<Hit>) {
    list::<8>(masks, sizes, hits);
}

/// Places of a block where none of the masks is zero.
#[inline(always)]
fn list<const WORDS: usize>(
    masks: [Option<Seen<'_>>; MAX_MASKS],
    [middle, inner]: [usize; 2],
    hits: &mut Vec<Hit>,
) {
    // A mask that does not change along a row decides at once, one that does not change in the block sooner.
    let is = |wanted: fn([isize; 2]) -> bool| masks.iter().flatten().filter(move |seen| wanted(seen.steps));
    if is(|steps| steps == [0, 0]).any(|seen| !seen.is_set(0, 0)) {
        return;
    }
    let mut moving = is(|steps| steps[1] != 0);
    let first = moving.next();
    for row in 0..middle {
        if is(|steps| steps[0] != 0 && steps[1] == 0).any(|seen| !seen.is_set(row, 0)) {
            continue;
        }
        match first {
            None => hits.extend((0..inner).map(|at| Hit { row, at })),
            Some(first) => first.each_set::<WORDS>(row, inner, |at| {
                if moving.clone().all(|seen| seen.is_set(row, at)) {
                    hits.push(Hit { row, at });
                }
            }),
        }
    }
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
