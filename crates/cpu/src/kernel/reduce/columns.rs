//! Plain folds of elements that are kept side by side: a strip of neighbours is folded one reduced index after the other, in
//! row-major order, four at a time.
//!
//! Where strips are few, they are narrower, so that workers share them: what a column adds up, and in which order, is the same.

use super::{Fold, ReduceStep, narrowed, widened};
use crate::kernel::scatter::folds;
use crate::step::{At, Bases};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

/// Elements of a strip.
const STRIP: usize = 512;
/// Elements read by a piece, about.
const PIECE: usize = 1 << 16;
/// Strips that there should be, and elements of the narrowest.
const STRIPS: usize = 16;
const NARROWEST: usize = 64;

/// How the work is cut.
struct Cut {
    /// Elements that lie side by side, those of a strip, and strips of these.
    run: usize,
    strip: usize,
    strips_of_run: usize,
    strips: usize,
}

impl Cut {
    fn of(step: &ReduceStep) -> Cut {
        let run = step.kept.last().copied().unwrap_or(1).max(1);
        let runs = step.count() / run;
        let wanted = STRIPS.div_ceil(runs.max(1));
        let strip = run.div_ceil(wanted).next_multiple_of(NARROWEST).min(STRIP);
        let strips_of_run = run.div_ceil(strip);
        Cut { run, strip, strips_of_run, strips: runs * strips_of_run }
    }

    /// Place among what is kept, and length, of a strip.
    fn strip(&self, at: usize) -> (usize, usize) {
        let within = at % self.strips_of_run * self.strip;
        (at / self.strips_of_run * self.run + within, self.strip.min(self.run - within))
    }
}

/// Whether a step can be run here.
pub fn can(step: &ReduceStep) -> bool {
    let [input] = &step.inputs[..] else { return false };
    let side_by_side = input.kept.last() == Some(&1) && step.kept.last().is_some_and(|n| *n >= 8);
    let widens = (input.dtype, step.dtypes[0]) == (DType::BF16, DType::F32);
    side_by_side && folds(input.dtype) && (widens || input.dtype == step.dtypes[0])
}

/// How elements as they lie in memory, numbers that are folded and results become each other.
#[derive(Clone, Copy)]
struct Ways<W, I, N> {
    /// Of an element.
    wide: W,
    /// Of a result.
    init: I,
    narrow: N,
}

impl ReduceStep {
    pub fn fold_columns(&self, reducer: Reducer, bases: &Bases, workers: &dyn Workers) {
        macro_rules! plain {
            ($ty:ty) => {{
                let ways = Ways { wide: |x: $ty| x, init: |x: $ty| x, narrow: |x: $ty| x };
                self.columns_as(reducer, bases, workers, ways)
            }};
        }
        match (self.inputs[0].dtype, self.dtypes[0]) {
            (DType::BF16, DType::F32) => {
                let ways = Ways { wide: widened, init: |x: f32| x, narrow: |x: f32| x };
                self.columns_as(reducer, bases, workers, ways);
            }
            (DType::BF16, _) => {
                let ways = Ways { wide: widened, init: widened, narrow: narrowed };
                self.columns_as(reducer, bases, workers, ways);
            }
            (DType::F32, _) => plain!(f32),
            (DType::F64, _) => plain!(f64),
            (DType::S32, _) => plain!(i32),
            (DType::U32, _) => plain!(u32),
            (DType::S64, _) => plain!(i64),
            (DType::U64, _) => plain!(u64),
            _ => plain!(u8),
        }
    }

    /// Elements lie in memory as `S`, are folded as `T`, and results lie there as `R`.
    fn columns_as<S: Copy, T: Fold, R: Copy>(
        &self,
        reducer: Reducer,
        bases: &Bases,
        workers: &dyn Workers,
        ways: Ways<
            impl Fn(S) -> T + Sync + Copy,
            impl Fn(R) -> T + Sync + Copy,
            impl Fn(T) -> R + Sync + Copy,
        >,
    ) {
        macro_rules! by {
            ($reducer:expr) => {
                self.strips(bases, workers, ways, |a, b| T::combine($reducer, a, b))
            };
        }
        match reducer {
            Reducer::Sum => by!(Reducer::Sum),
            Reducer::Product => by!(Reducer::Product),
            Reducer::Min => by!(Reducer::Min),
            Reducer::Max => by!(Reducer::Max),
            Reducer::And => by!(Reducer::And),
            Reducer::Or => by!(Reducer::Or),
            Reducer::Xor => by!(Reducer::Xor),
        }
    }

    fn strips<S: Copy, T: Fold, R: Copy>(
        &self,
        bases: &Bases,
        workers: &dyn Workers,
        Ways { wide, init, narrow }: Ways<
            impl Fn(S) -> T + Sync + Copy,
            impl Fn(R) -> T + Sync + Copy,
            impl Fn(T) -> R + Sync + Copy,
        >,
        combine: impl Fn(T, T) -> T + Sync + Copy,
    ) {
        let cut = Cut::of(self);
        let element = self.init(0, bases);
        // SAFETY: an element of 16 bytes holds any type.
        let init = init(unsafe { element.as_ptr().cast::<R>().read_unaligned() });
        let to = At(bases.at(self.outputs[0]));
        let work = self.depth() * cut.strip.min(cut.run);
        let per = (PIECE / work.max(1)).max(1);
        workers.each(cut.strips.div_ceil(per), &|piece| {
            let mut strip = [init; STRIP];
            for at in piece * per..((piece + 1) * per).min(cut.strips) {
                let (first, len) = cut.strip(at);
                let strip = &mut strip[..len];
                strip.fill(init);
                self.strip(bases, strip, first, wide, combine);
                // SAFETY: every strip has its own place.
                unsafe { put(to.ptr().cast::<R>().add(first), strip, narrow) };
            }
        });
    }

    /// Fold all reduced indices into a strip.
    fn strip<S: Copy, T: Fold>(
        &self,
        bases: &Bases,
        strip: &mut [T],
        at: usize,
        wide: impl Fn(S) -> T + Copy,
        combine: impl Fn(T, T) -> T + Copy,
    ) {
        let input = &self.inputs[0];
        let kept = Walk::new(&self.kept, &input.kept, at).at;
        let from = bases.at(input.buf).cast::<S>().wrapping_offset(input.offset + kept);
        let mut walk = Walk::new(&self.reduced, &input.reduced, 0);
        let mut left = self.depth();
        let step = input.reduced.last().copied().unwrap_or(0);
        while left > 0 {
            let run = walk.left(&self.reduced).min(left);
            // SAFETY: the view lies in its buffer.
            unsafe { rows(strip, from.wrapping_offset(walk.at), (step, run), wide, combine) };
            walk.advance(&self.reduced, &input.reduced, run);
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

/// Fold `n` rows that lie `step` apart into a strip.
///
/// # Safety
/// The rows must exist.
#[inline(always)]
unsafe fn rows<S: Copy, T: Copy>(
    strip: &mut [T],
    from: *const S,
    steps: (isize, usize),
    wide: impl Fn(S) -> T,
    combine: impl Fn(T, T) -> T,
) {
    // SAFETY: the caller's; the features are there.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            return rows_avx512(strip, from, steps, wide, combine);
        }
        rows_any(strip, from, steps, wide, combine);
    }
}

/// # Safety
/// The rows must exist, and the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn rows_avx512<S: Copy, T: Copy>(
    strip: &mut [T],
    from: *const S,
    steps: (isize, usize),
    wide: impl Fn(S) -> T,
    combine: impl Fn(T, T) -> T,
) {
    // SAFETY: the caller's.
    unsafe { rows_any(strip, from, steps, wide, combine) }
}

/// # Safety
/// The rows must exist.
#[inline(always)]
unsafe fn rows_any<S: Copy, T: Copy>(
    strip: &mut [T],
    from: *const S,
    (step, n): (isize, usize),
    wide: impl Fn(S) -> T,
    combine: impl Fn(T, T) -> T,
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
            let two = combine(combine(*sum, wide(*a)), wide(*b));
            *sum = combine(combine(two, wide(*c)), wide(*d));
        }
    }
    for at in whole..n {
        strip.iter_mut().zip(row(at)).for_each(|(sum, x)| *sum = combine(*sum, wide(*x)));
    }
}
