//! Products with an operand that is almost all zeros: the other operand's rows, picked and added up.
//!
//! ```text
//! to[b, f, ..] = sum over k of mask[b, f, k] * rows[b, k, ..]        for the few k where the mask is not zero
//! ```
//!
//! The mask is read once, in the order in which it lies: along `k`, and each row of the result is made when its
//! elements are found (combine), or along `f`, and what is found is listed per row of the result first (dispatch).
//! Either way a row is written once and its terms are added in ascending place of `k` in the mask, as fused
//! multiply-adds of `f32`, so bits depend on shapes only. It is right for any mask; what is not zero decides the time.
//! Zeros are skipped, so `0 * inf` and `0 * NaN` are 0 here.

use crate::gemm::any::{FUSES, Number as _};
use crate::gemm::{SCRATCH, with_scratch};
use crate::step::{At, Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use std::ops::Range;

/// An operand or the result: where an element lies, per dim.
#[derive(Clone, PartialEq, Debug)]
pub struct SparseOperand {
    pub buf: BufId,
    pub dtype: DType,
    pub offset: isize,
    pub batch: Vec<isize>,
    /// Of the mask and the result.
    pub free: Vec<isize>,
    /// Of the mask and the rows.
    pub contracted: Vec<isize>,
}

/// Rows of `rows` and of `to` are `n` elements side by side. Types are `f32` and `bf16`.
#[derive(Clone, PartialEq, Debug)]
pub struct SparseStep {
    pub batch: Vec<usize>,
    pub free: Vec<usize>,
    pub contracted: Vec<usize>,
    pub n: usize,
    pub mask: SparseOperand,
    pub rows: SparseOperand,
    pub to: SparseOperand,
}

/// An element of the mask that is not zero: where its row lies, and the element.
#[derive(Clone, Copy)]
struct Term {
    row: i32,
    factor: f32,
}

/// Elements of the mask and of results in a piece, about.
const PIECE: usize = 1 << 16;
/// Columns that are added up at once.
const COLUMNS: usize = 256;

/// A type whose zeros are told.
pub(super) trait Mark: Copy {
    /// Of four bytes, the bits that are zero only if the number is.
    const BITS: Option<u32> = None;
    /// Zero only if the number is.
    fn magnitude(self) -> u32;
}

/// A type of numbers in memory.
pub(super) trait Number: Mark {
    fn wide(self) -> f32;
    fn narrow(x: f32) -> Self;
}

impl Mark for u8 {
    #[inline(always)]
    fn magnitude(self) -> u32 {
        u32::from(self)
    }
}

impl Mark for u16 {
    #[inline(always)]
    fn magnitude(self) -> u32 {
        u32::from(self)
    }
}

impl Mark for u32 {
    const BITS: Option<u32> = Some(u32::MAX);

    #[inline(always)]
    fn magnitude(self) -> u32 {
        self
    }
}

impl Mark for f32 {
    const BITS: Option<u32> = Some(u32::MAX >> 1);

    #[inline(always)]
    fn magnitude(self) -> u32 {
        self.to_bits() << 1
    }
}

impl Mark for Half {
    #[inline(always)]
    fn magnitude(self) -> u32 {
        u32::from(self.0 << 1)
    }
}

impl Number for f32 {
    #[inline(always)]
    fn wide(self) -> f32 {
        self
    }

    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x
    }
}

/// `bf16` by its bits.
#[derive(Clone, Copy)]
pub(super) struct Half(u16);

impl Number for Half {
    #[inline(always)]
    fn wide(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// To the nearest, ties to even; a NaN stays one.
    #[inline(always)]
    fn narrow(x: f32) -> Half {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        let quiet = bits >> 16 | 0x40;
        Half(if x.is_nan() { quiet } else { rounded } as u16)
    }
}

/// Whether products of these types and depth can be made here.
pub fn can(dtypes: [DType; 3], depth: usize) -> bool {
    let known = dtypes.iter().all(|dtype| matches!(dtype, DType::F32 | DType::BF16));
    known && depth.checked_mul(8).is_some_and(|bytes| bytes + 4 <= SCRATCH)
}

/// Calls with the place and the value of all elements that are not zero, ascending. `WORDS`: how many are looked at
/// with one instruction, 16 if the CPU has AVX-512, 8 if it has AVX2, or none.
///
/// # Safety
/// `count` elements, `stride` apart, must exist.
#[inline(always)]
pub(super) unsafe fn find<A: Mark, const WORDS: usize>(
    at: *const A,
    stride: isize,
    count: usize,
    mut hit: impl FnMut(usize, A),
) {
    const CHUNK: usize = 32;
    if stride != 1 {
        for i in 0..count {
            // SAFETY: the caller's.
            let x = unsafe { *at.offset(i as isize * stride) };
            if x.magnitude() != 0 {
                hit(i, x);
            }
        }
        return;
    }
    // SAFETY: the caller's.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    let mut done = 0;
    if WORDS > 0
        && let Some(bits) = A::BITS
    {
        while done + WORDS <= count {
            // SAFETY: so many elements of four bytes are left.
            let mut set = unsafe {
                let at = at.add(done).cast();
                if WORDS == 16 { set_of_16(at, bits) } else { set_of_8(at, bits) }
            };
            while set != 0 {
                let i = done + set.trailing_zeros() as usize;
                hit(i, all[i]);
                set &= set - 1;
            }
            done += WORDS;
        }
    }
    for elements in all[done..].chunks(CHUNK) {
        if elements.iter().fold(0, |any, x| any | x.magnitude()) != 0 {
            for (i, x) in elements.iter().enumerate().filter(|(_, x)| x.magnitude() != 0) {
                hit(done + i, *x);
            }
        }
        done += elements.len();
    }
}

/// Which of 16 words have one of these bits.
///
/// # Safety
/// The words must exist and the CPU must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn set_of_16(at: *const i32, bits: u32) -> u16 {
    use std::arch::x86_64::{_mm512_loadu_epi32, _mm512_set1_epi32, _mm512_test_epi32_mask};
    // SAFETY: the caller's.
    let words = unsafe { _mm512_loadu_epi32(at) };
    _mm512_test_epi32_mask(words, _mm512_set1_epi32(bits as i32))
}

/// Which of 8 words have one of these bits.
///
/// # Safety
/// The words must exist and the CPU must have AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn set_of_8(at: *const i32, bits: u32) -> u16 {
    use std::arch::x86_64::*;
    // SAFETY: the caller's.
    let words = unsafe { _mm256_loadu_si256(at.cast()) };
    let none =
        _mm256_cmpeq_epi32(_mm256_and_si256(words, _mm256_set1_epi32(bits as i32)), _mm256_setzero_si256());
    !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u16 & 0xff
}

/// # Safety
/// The words must exist.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn set_of_16(at: *const i32, bits: u32) -> u16 {
    // SAFETY: the caller's.
    let set = |i: usize| unsafe { at.add(i).read_unaligned() } as u32 & bits != 0;
    (0..16).fold(0, |mask, i| mask | u16::from(set(i)) << i)
}

/// # Safety
/// The words must exist.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn set_of_8(at: *const i32, bits: u32) -> u16 {
    // SAFETY: the caller's.
    let set = |i: usize| unsafe { at.add(i).read_unaligned() } as u32 & bits != 0;
    (0..8).fold(0, |mask, i| mask | u16::from(set(i)) << i)
}

impl SparseStep {
    /// Elements of the mask.
    pub fn masked(&self) -> usize {
        [&self.batch, &self.free, &self.contracted].iter().flat_map(|dims| dims.iter()).product()
    }

    /// Runs of the mask that are read one after the other, but do not lie so: a piece has some columns of each row.
    pub fn runs_apart(&self) -> usize {
        let (free, share): (usize, usize) = (self.free.iter().product(), self.share());
        if self.by_rows() || free <= share {
            return 0;
        }
        let mut together = 1;
        for (size, stride) in self.free.iter().zip(&self.mask.free).rev() {
            if *stride != together as isize {
                break;
            }
            together *= size;
        }
        self.masked() / share.min(together).max(1)
    }

    pub fn pieces(&self) -> usize {
        let (batch, free): (usize, usize) = (self.batch.iter().product(), self.free.iter().product());
        batch * free.div_ceil(self.share())
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let at = [&self.mask, &self.rows, &self.to].map(|part| At(bases.at(part.buf)));
        let free: usize = self.free.iter().product();
        let share = self.share();
        let cuts = free.div_ceil(share);
        workers.each(self.pieces(), &|piece| {
            let first = piece % cuts * share;
            let range = first..(first + share).min(free);
            with_scratch(|scratch| self.typed(at.map(At::ptr), piece / cuts, range, scratch));
        });
    }

    /// Whether the mask is read along what is contracted.
    fn by_rows(&self) -> bool {
        self.mask.contracted.last() == Some(&1) || self.mask.free.last() != Some(&1)
    }

    fn depth(&self) -> usize {
        self.contracted.iter().product()
    }

    /// Rows of the result in a piece.
    fn share(&self) -> usize {
        let depth = self.depth();
        let most = if self.by_rows() { usize::MAX } else { SCRATCH / (depth * 8 + 4) };
        (PIECE / (depth + self.n).max(1)).max(16).min(most).max(1)
    }

    fn typed(&self, at: [*mut u8; 3], batch: usize, range: Range<usize>, scratch: *mut f32) {
        let [mask, rows, to] = at;
        let place = |part: &SparseOperand| {
            let element = part.offset + Walk::new(&self.batch, &part.batch, batch).at;
            element * part.dtype.bytes() as isize
        };
        let mask = mask.wrapping_offset(place(&self.mask)).cast_const();
        let rows = rows.wrapping_offset(place(&self.rows)).cast_const();
        let to = to.wrapping_offset(place(&self.to));
        let listed = Listed { step: self, mask, range, scratch: scratch.cast() };
        match [&self.rows, &self.to].map(|part| part.dtype == DType::BF16) {
            [false, false] => listed.sums::<f32, f32>(rows.cast(), to.cast()),
            [false, true] => listed.sums::<f32, Half>(rows.cast(), to.cast()),
            [true, false] => listed.sums::<Half, f32>(rows.cast(), to.cast()),
            [true, true] => listed.sums::<Half, Half>(rows.cast(), to.cast()),
        }
    }
}

/// Rows of the result, and what each of them takes: views of the operands and the result lie in their buffers, and the
/// scratch has room for the terms of a row ([`SparseStep::by_rows`]), or of all and their counts
/// ([`SparseStep::share`]).
struct Listed<'a> {
    step: &'a SparseStep,
    mask: *const u8,
    range: Range<usize>,
    scratch: *mut u8,
}

impl Listed<'_> {
    fn sums<B: Number, C: Number>(&self, rows: *const B, to: *mut C) {
        #[cfg(target_arch = "x86_64")]
        {
            if crate::isa::avx512() {
                // SAFETY: the features are there.
                return unsafe { self.sums_avx512(rows, to) };
            }
            if crate::isa::avx2() {
                // SAFETY: the features are there.
                return unsafe { self.sums_avx2(rows, to) };
            }
        }
        self.sums_any::<B, C, FUSES>(rows, to);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    fn sums_avx512<B: Number, C: Number>(&self, rows: *const B, to: *mut C) {
        self.sums_any::<B, C, true>(rows, to);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn sums_avx2<B: Number, C: Number>(&self, rows: *const B, to: *mut C) {
        self.sums_any::<B, C, true>(rows, to);
    }

    #[inline(always)]
    fn sums_any<B: Number, C: Number, const FUSED: bool>(&self, rows: *const B, to: *mut C) {
        let step = self.step;
        let by_rows = step.by_rows();
        let depth = step.depth();
        if !by_rows {
            self.list_all();
        }
        let terms = self.scratch.cast::<Term>();
        let mut from = Walk::new(&step.free, &step.mask.free, self.range.start);
        let mut into = Walk::new(&step.free, &step.to.free, self.range.start);
        for i in 0..self.range.len() {
            // SAFETY: so many terms were written; the row of the result is this piece's.
            unsafe {
                let (first, count) = if by_rows {
                    (0, self.list_row(from.at))
                } else {
                    (i * depth, self.counts()[i] as usize)
                };
                let terms = std::slice::from_raw_parts(terms.add(first), count);
                add_up::<B, C, FUSED>(terms, rows, to.offset(into.at), step.n);
            }
            from.advance(&step.free, &step.mask.free, 1);
            into.advance(&step.free, &step.to.free, 1);
        }
    }

    /// Terms of each row, where all are listed.
    #[allow(clippy::mut_from_ref)]
    fn counts(&self) -> &mut [u32] {
        let (rows, terms) = (self.range.len(), self.scratch.cast::<Term>());
        // SAFETY: the counts lie behind the terms, and nobody else has this scratch.
        unsafe { std::slice::from_raw_parts_mut(terms.add(rows * self.step.depth()).cast(), rows) }
    }

    /// List the terms of the row that begins here in the mask; how many there are.
    fn list_row(&self, at: isize) -> usize {
        let half = self.step.mask.dtype == DType::BF16;
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() && !half {
            // SAFETY: the features are there.
            return unsafe { self.list_row_avx512(at) };
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() && !half {
            // SAFETY: the features are there.
            return unsafe { self.list_row_avx2(at) };
        }
        if half { self.list_row_as::<Half, 0>(at) } else { self.list_row_as::<f32, 0>(at) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    fn list_row_avx512(&self, at: isize) -> usize {
        self.list_row_as::<f32, 16>(at)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn list_row_avx2(&self, at: isize) -> usize {
        self.list_row_as::<f32, 8>(at)
    }

    #[inline(always)]
    fn list_row_as<A: Number, const WORDS: usize>(&self, at: isize) -> usize {
        let SparseStep { contracted, mask, rows, .. } = self.step;
        let terms = self.scratch.cast::<Term>();
        let step = mask.contracted.last().copied().unwrap_or(0);
        let row_step = rows.contracted.last().copied().unwrap_or(0);
        let mut x = Walk::new(contracted, &mask.contracted, 0);
        let mut y = Walk::new(contracted, &rows.contracted, 0);
        let (mut found, mut left) = (0, self.step.depth());
        while left > 0 {
            let run = x.left(contracted).min(left);
            // SAFETY: the mask lies in its buffer; the scratch has room for the terms of a row.
            unsafe {
                find::<A, WORDS>(self.mask.cast::<A>().offset(at + x.at), step, run, |i, x| {
                    let row = (y.at + i as isize * row_step) as i32;
                    terms.add(found).write(Term { row, factor: x.wide() });
                    found += 1;
                });
            }
            x.advance(contracted, &mask.contracted, run);
            y.advance(contracted, &rows.contracted, run);
            left -= run;
        }
        found
    }

    /// Read the mask along rows of the result and list what each of them takes.
    fn list_all(&self) {
        let half = self.step.mask.dtype == DType::BF16;
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() && !half {
            // SAFETY: the features are there.
            return unsafe { self.list_all_avx512() };
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() && !half {
            // SAFETY: the features are there.
            return unsafe { self.list_all_avx2() };
        }
        if half { self.list_all_as::<Half, 0>() } else { self.list_all_as::<f32, 0>() }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    fn list_all_avx512(&self) {
        self.list_all_as::<f32, 16>();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn list_all_avx2(&self) {
        self.list_all_as::<f32, 8>();
    }

    #[inline(always)]
    fn list_all_as<A: Number, const WORDS: usize>(&self) {
        let SparseStep { contracted, free, mask, rows, .. } = self.step;
        let (depth, terms, counts) = (self.step.depth(), self.scratch.cast::<Term>(), self.counts());
        counts.fill(0);
        let mut x = Walk::new(contracted, &mask.contracted, 0);
        let mut y = Walk::new(contracted, &rows.contracted, 0);
        for _ in 0..depth {
            let mut from = Walk::new(free, &mask.free, self.range.start);
            let mut at = 0;
            while at < self.range.len() {
                let run = from.left(free).min(self.range.len() - at);
                // SAFETY: the mask lies in its buffer; the scratch has room for the whole depth of each row.
                unsafe {
                    find::<A, WORDS>(self.mask.cast::<A>().offset(x.at + from.at), 1, run, |i, x| {
                        let count = &mut counts[at + i];
                        let term = Term { row: y.at as i32, factor: x.wide() };
                        terms.add((at + i) * depth + *count as usize).write(term);
                        *count += 1;
                    });
                }
                from.advance(free, &mask.free, run);
                at += run;
            }
            x.advance(contracted, &mask.contracted, 1);
            y.advance(contracted, &rows.contracted, 1);
        }
    }
}

/// `to = sum of factor * row`, in the order of the terms.
///
/// # Safety
/// `n` elements of the result and of each row must exist.
#[inline(always)]
unsafe fn add_up<B: Number, C: Number, const FUSED: bool>(
    terms: &[Term],
    rows: *const B,
    to: *mut C,
    n: usize,
) {
    // SAFETY: the caller's.
    let to = unsafe { std::slice::from_raw_parts_mut(to, n) };
    let Some((first, others)) = terms.split_first() else { return to.fill(C::narrow(0.0)) };
    let row = |term: &Term, from: usize, count: usize| {
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts(rows.offset(term.row as isize).add(from), count) }
    };
    // A sum that starts at 0 never is -0.
    let scaled = |x: &B| x.wide() * first.factor + 0.0;
    if others.is_empty() {
        to.iter_mut().zip(row(first, 0, n)).for_each(|(to, x)| *to = C::narrow(scaled(x)));
        return;
    }
    let mut sums = [0f32; COLUMNS];
    for (chunk, to) in to.chunks_mut(COLUMNS).enumerate() {
        let sums = &mut sums[..to.len()];
        sums.iter_mut().zip(row(first, chunk * COLUMNS, to.len())).for_each(|(sum, x)| *sum = scaled(x));
        for term in others {
            let xs = row(term, chunk * COLUMNS, to.len());
            sums.iter_mut().zip(xs).for_each(|(sum, x)| *sum = added::<FUSED>(*sum, x.wide(), term.factor));
        }
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = C::narrow(*sum));
    }
}

/// `sum + x * y`, rounded once. `FUSED`: the CPU has an instruction for it.
#[inline(always)]
pub(super) fn added<const FUSED: bool>(sum: f32, x: f32, y: f32) -> f32 {
    if FUSED { sum.fused(x, y) } else { sum.fused_slowly(x, y) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::row_major;
    use meshwright_base::Id;
    use meshwright_runtime::pool::Alone;

    /// A mask of any density in any order of its dims against the sum as it is written.
    fn check(dims: [usize; 3], n: usize, order: [usize; 3], percent: u64, narrow: bool) {
        let [batch, free, depth] = dims;
        let mut state = 7u64;
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let count = batch * free * depth;
        let mut mask: Vec<f32> = Vec::new();
        for _ in 0..count {
            mask.push(if draw(100) < percent { draw(9) as f32 - 4.0 } else { -0.0 });
        }
        let mut rows: Vec<f32> = (0..batch * depth * n).map(|_| draw(15) as f32 - 7.0).collect();
        let mut to = vec![f32::NAN; batch * free * n];
        // Strides of (batch, free, contracted) where the mask lies in `order`.
        let laid: Vec<usize> = order.iter().map(|d| dims[*d]).collect();
        let mut strides = [0; 3];
        order.iter().zip(row_major(&laid)).for_each(|(d, stride)| strides[*d] = stride);
        let of = |b: usize, f: usize, k: usize| {
            (b as isize * strides[0] + f as isize * strides[1] + k as isize * strides[2]) as usize
        };
        let mut expected = vec![0f32; to.len()];
        for (at, sum) in expected.iter_mut().enumerate() {
            let (b, f, i) = (at / n / free, at / n % free, at % n);
            *sum = (0..depth).map(|k| mask[of(b, f, k)] * rows[(b * depth + k) * n + i]).sum();
        }
        let halves = |x: &[f32]| -> Vec<u16> { x.iter().map(|x| Half::narrow(*x).0).collect() };
        let (mut small_mask, mut small_rows) = (halves(&mask), halves(&rows));
        let bases = if narrow {
            [small_mask.as_mut_ptr().cast(), small_rows.as_mut_ptr().cast()]
        } else {
            [mask.as_mut_ptr().cast::<u8>(), rows.as_mut_ptr().cast::<u8>()]
        };
        let bases = Bases(vec![bases[0], bases[1], to.as_mut_ptr().cast()]);
        let dtype = if narrow { DType::BF16 } else { DType::F32 };
        let part = |buf: usize, dtype, batch: isize, free: isize, contracted: isize| SparseOperand {
            buf: BufId::from_index(buf),
            dtype,
            offset: 0,
            batch: vec![batch],
            free: vec![free],
            contracted: vec![contracted],
        };
        let size = n as isize;
        let step = SparseStep {
            batch: vec![batch],
            free: vec![free],
            contracted: vec![depth],
            n,
            mask: part(0, dtype, strides[0], strides[1], strides[2]),
            rows: part(1, dtype, depth as isize * size, 0, size),
            to: part(2, DType::F32, free as isize * size, size, 0),
        };
        step.run(&bases, &Alone);
        assert_eq!(to, expected, "{dims:?} by {n}, {order:?}, {percent}%, narrow: {narrow}");
    }

    #[test]
    fn masks_of_any_density_and_layout_give_the_whole_product() {
        for dims in [[1, 1, 1], [2, 37, 50], [1, 300, 70], [3, 5, 0], [1, 0, 9], [2, 64, 33]] {
            for order in [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
                for percent in [0, 3, 50, 100] {
                    for n in [1, 16, 257] {
                        check(dims, n, order, percent, false);
                        check(dims, n, order, percent, true);
                    }
                }
            }
        }
    }
}
