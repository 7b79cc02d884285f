//! Plain folds of elements that are kept side by side: a strip of neighbours is folded one reduced index after the
//! other, in row-major order, four at a time.
//!
//! Where strips are few, they are narrower, so that workers share them: what a column adds up, and in which order, is
//! the same.

use super::ReduceStep;
use crate::fold::extreme::{Bits, Lanes};
use crate::fold::{Element, Fold, Folding, Narrow, fold_with, folds};
use crate::step::{At, Bases};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

/// Elements of a strip.
const STRIP: usize = 512;
/// Lanes of a strip's extremes: what they saw must not lie whole pages apart, or its loads wait for stores.
const SEEN: usize = STRIP + 32;
/// Elements read by a piece, about.
const PIECE: usize = 1 << 16;
/// Strips that there should be, and elements of the narrowest.
const STRIPS: usize = 16;
const NARROWEST: usize = 64;

/// How the work is cut.
struct StripSizes {
    /// Elements that lie side by side, those of a strip, and strips of these.
    run: usize,
    strip: usize,
    strips_of_run: usize,
    strips: usize,
}

impl StripSizes {
    fn of(step: &ReduceStep) -> StripSizes {
        let run = step.kept.last().copied().unwrap_or(1).max(1);
        let runs = step.count() / run;
        let wanted = STRIPS.div_ceil(runs.max(1));
        let strip = run.div_ceil(wanted).next_multiple_of(NARROWEST).min(STRIP);
        let strips_of_run = run.div_ceil(strip);
        StripSizes { run, strip, strips_of_run, strips: runs * strips_of_run }
    }

    /// Place among what is kept, and length, of a strip.
    fn strip(&self, at: usize) -> (usize, usize) {
        let within = at % self.strips_of_run * self.strip;
        (at / self.strips_of_run * self.run + within, self.strip.min(self.run - within))
    }
}

impl StripSizes {
    /// Strips of a piece.
    fn per(&self, step: &ReduceStep) -> usize {
        let work = step.depth() * self.strip.min(self.run);
        (PIECE / work.max(1)).max(1)
    }
}

pub fn pieces(step: &ReduceStep) -> usize {
    let cut = StripSizes::of(step);
    cut.strips.div_ceil(cut.per(step))
}

/// Whether a step can be run here.
pub fn can(step: &ReduceStep) -> bool {
    let [input] = &step.inputs[..] else { return false };
    let side_by_side = input.kept.last() == Some(&1) && step.kept.last().is_some_and(|n| *n >= 8);
    let widens = (input.dtype, step.dtypes[0]) == (DType::BF16, DType::F32);
    side_by_side && folds(input.dtype) && (widens || input.dtype == step.dtypes[0])
}

/// All strips of a step.
struct Strips<'a> {
    step: &'a ReduceStep,
    bases: &'a Bases,
    workers: &'a dyn Workers,
}

impl Folding for Strips<'_> {
    fn by<E: Element>(&self, combine: impl Fn(E::Sum, E::Sum) -> E::Sum + Copy + Sync) {
        self.all::<E>(&|strip, first| {
            // SAFETY: the rows exist.
            self.each_rows::<E>(first, &mut |from, steps| unsafe { rows(strip, from, steps, combine) });
        });
    }
}

/// Folds all reduced indices into a strip that begins at a place among what is kept.
type FoldStrip<'a, E> = &'a (dyn Fn(&mut [<E as Element>::Sum], usize) + Sync);

impl ReduceStep {
    pub fn fold_columns(&self, reducer: Reducer, bases: &Bases, workers: &dyn Workers) {
        let strips = Strips { step: self, bases, workers };
        match (self.inputs[0].dtype, reducer) {
            (DType::F32, Reducer::Max | Reducer::Min) => strips.extremes::<f32, u32>(reducer, f32::from_bits),
            (DType::BF16, Reducer::Max | Reducer::Min) => {
                strips.extremes::<Narrow, u16>(reducer, |bits| f32::from_bits(u32::from(bits) << 16));
            }
            (dtype, _) => fold_with(dtype, reducer, &strips),
        }
    }
}

impl Strips<'_> {
    /// Whether results are as wide as what is folded, and not as the elements.
    fn widens(&self) -> bool {
        self.step.dtypes[0] != self.step.inputs[0].dtype
    }

    fn init<E: Element>(&self) -> E::Sum {
        let element = self.step.init(0, self.bases);
        // SAFETY: an element of 16 bytes holds any type.
        unsafe {
            if self.widens() {
                element.as_ptr().cast::<E::Sum>().read_unaligned()
            } else {
                element.as_ptr().cast::<E>().read_unaligned().widen()
            }
        }
    }

    fn all<E: Element>(&self, fold: FoldStrip<'_, E>) {
        let cut = StripSizes::of(self.step);
        let (init, widens) = (self.init::<E>(), self.widens());
        let to = At(self.bases.at(self.step.outputs[0]));
        let per = cut.per(self.step);
        self.workers.each(cut.strips.div_ceil(per), &|piece| {
            let mut strip = [init; STRIP];
            for at in piece * per..((piece + 1) * per).min(cut.strips) {
                let (first, len) = cut.strip(at);
                let strip = &mut strip[..len];
                strip.fill(init);
                fold(strip, first);
                // SAFETY: every strip has its own place.
                unsafe {
                    if widens {
                        put(to.ptr().cast::<E::Sum>().add(first), strip, |x| x)
                    } else {
                        put(to.ptr().cast::<E>().add(first), strip, E::narrow)
                    }
                }
            }
        });
    }

    /// The largest or smallest, by their bits.
    fn extremes<E: Element<Sum = f32>, B: Bits>(&self, reducer: Reducer, float: impl Fn(B) -> f32 + Sync) {
        self.all::<E>(&|strip, first| {
            let (len, mut seen) = (strip.len(), Lanes::<B, SEEN>::begun());
            // SAFETY: the rows exist.
            self.each_rows::<B>(first, &mut |from, steps| unsafe { see_rows(&mut seen, len, from, steps) });
            if self.step.depth() > 0 {
                let meet = |lane: usize, x| strip[lane] = Fold::combine(reducer, strip[lane], float(x));
                seen.each(reducer == Reducer::Max, meet, len);
            }
        });
    }

    /// All reduced indices of a strip, as rows: where they begin, how far they are apart, and how many they are.
    fn each_rows<E>(&self, at: usize, rows: &mut dyn FnMut(*const E, (isize, usize))) {
        let (step, input) = (self.step, &self.step.inputs[0]);
        let kept = Walk::new(&step.kept, &input.kept, at).at;
        let from = self.bases.at(input.buf).cast::<E>().wrapping_offset(input.offset + kept);
        let mut walk = Walk::new(&step.reduced, &input.reduced, 0);
        let mut left = step.depth();
        let apart = input.reduced.last().copied().unwrap_or(0);
        while left > 0 {
            let run = walk.left(&step.reduced).min(left);
            // The view lies in its buffer, so these rows exist.
            rows(from.wrapping_offset(walk.at), (apart, run));
            walk.advance(&step.reduced, &input.reduced, run);
            left -= run;
        }
    }
}

/// # Safety
/// There must be room for all.
#[inline(always)]
unsafe fn put<T: Copy, S>(to: *mut S, strip: &[T], narrow: impl Fn(T) -> S) {
    // SAFETY: the caller's.
    strip.iter().enumerate().for_each(|(i, x)| unsafe { *to.add(i) = narrow(*x) });
}

/// Add rows that lie one after another to as many sums as a row has numbers.
///
/// # Safety
/// The rows must exist.
pub unsafe fn add_rows(sums: &mut [f32], from: *const f32, count: usize) {
    let apart = sums.len() as isize;
    for (at, strip) in sums.chunks_mut(STRIP).enumerate() {
        // SAFETY: the caller's.
        unsafe { rows(strip, from.wrapping_add(at * STRIP), (apart, count), |a, b| a + b) };
    }
}

/// Fold `n` rows that lie `step` apart into a strip.
///
/// # Safety
/// The rows must exist.
#[inline(always)]
unsafe fn rows<E: Element>(
    strip: &mut [E::Sum],
    from: *const E,
    steps: (isize, usize),
    combine: impl Fn(E::Sum, E::Sum) -> E::Sum,
) {
    // SAFETY: the caller's; the features are there.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            return rows_avx512(strip, from, steps, combine);
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() {
            return rows_avx2(strip, from, steps, combine);
        }
        rows_any(strip, from, steps, combine);
    }
}

/// # Safety
/// The rows must exist, and the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn rows_avx2<E: Element>(
    strip: &mut [E::Sum],
    from: *const E,
    steps: (isize, usize),
    combine: impl Fn(E::Sum, E::Sum) -> E::Sum,
) {
    // SAFETY: the caller's.
    unsafe { rows_any(strip, from, steps, combine) }
}

/// # Safety
/// The rows must exist, and the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn rows_avx512<E: Element>(
    strip: &mut [E::Sum],
    from: *const E,
    steps: (isize, usize),
    combine: impl Fn(E::Sum, E::Sum) -> E::Sum,
) {
    // SAFETY: the caller's.
    unsafe { rows_any(strip, from, steps, combine) }
}

/// # Safety
/// The rows must exist.
#[inline(always)]
unsafe fn rows_any<E: Element>(
    strip: &mut [E::Sum],
    from: *const E,
    (step, n): (isize, usize),
    combine: impl Fn(E::Sum, E::Sum) -> E::Sum,
) {
    let len = strip.len();
    // SAFETY: the caller's.
    let row =
        |at: usize| unsafe { std::slice::from_raw_parts(from.wrapping_offset(at as isize * step), len) };
    let whole = n / 4 * 4;
    for at in (0..whole).step_by(4) {
        let (a, b, c, d) = (row(at), row(at + 1), row(at + 2), row(at + 3));
        let others = a.iter().zip(b).zip(c.iter().zip(d));
        for (sum, ((a, b), (c, d))) in strip.iter_mut().zip(others) {
            let two = combine(combine(*sum, a.widen()), b.widen());
            *sum = combine(combine(two, c.widen()), d.widen());
        }
    }
    for at in whole..n {
        strip.iter_mut().zip(row(at)).for_each(|(sum, x)| *sum = combine(*sum, x.widen()));
    }
}

/// See `n` rows that lie `step` apart, each so many numbers.
///
/// # Safety
/// The rows must exist.
unsafe fn see_rows<B: Bits>(seen: &mut Lanes<B, SEEN>, len: usize, from: *const B, steps: (isize, usize)) {
    // SAFETY: the caller's; the features are there.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            return see_rows_avx512(seen, len, from, steps);
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() {
            return see_rows_avx2(seen, len, from, steps);
        }
        see_rows_any(seen, len, from, steps);
    }
}

/// # Safety
/// The rows must exist, and the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn see_rows_avx2<B: Bits>(
    seen: &mut Lanes<B, SEEN>,
    len: usize,
    from: *const B,
    steps: (isize, usize),
) {
    // SAFETY: the caller's.
    unsafe { see_rows_any(seen, len, from, steps) }
}

/// # Safety
/// The rows must exist, and the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn see_rows_avx512<B: Bits>(
    seen: &mut Lanes<B, SEEN>,
    len: usize,
    from: *const B,
    steps: (isize, usize),
) {
    // SAFETY: the caller's.
    unsafe { see_rows_any(seen, len, from, steps) }
}

/// # Safety
/// The rows must exist.
#[inline(always)]
unsafe fn see_rows_any<B: Bits>(
    seen: &mut Lanes<B, SEEN>,
    len: usize,
    from: *const B,
    (step, n): (isize, usize),
) {
    // SAFETY: the caller's.
    let row =
        |at: usize| unsafe { std::slice::from_raw_parts(from.wrapping_offset(at as isize * step), len) };
    let whole = n / 4 * 4;
    for at in (0..whole).step_by(4) {
        seen.see_four([row(at), row(at + 1), row(at + 2), row(at + 3)]);
    }
    (whole..n).for_each(|at| seen.see(row(at)));
}
