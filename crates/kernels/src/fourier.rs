//! Fourier transforms along one dim: of complex lines, of real lines to half a spectrum, and back.
//!
//! Sixteen lines go side by side, so every step is a vector op, whatever the length: by its prime factors (with fours
//! for pairs of twos), each pass from one array to another in an order that needs no reversal of places. A length with
//! a large prime factor is a convolution with a chirp, whose length is a power of two. Costs `2 * 16` complex numbers
//! of scratch for each element of a line, per worker.
//!
//! Two real lines are one complex one, and yet no line shows in another: each is brought near 1 by a power of two, or
//! the rounding of a large one would drown a small one; one with an infinity or a NaN is left out, and is NaN
//! throughout.

mod plan;

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_runtime::memory::Counted;
pub use plan::Plan;
use plan::{LANES, Lanes, Real};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    Complex,
    /// Real lines to the first half of their spectra.
    FromReal,
    /// Halves of spectra to real lines.
    ToReal,
}

#[derive(Clone, Debug)]
pub struct FourierStep {
    pub from: BufId,
    pub to: BufId,
    /// The complex type.
    pub dtype: DType,
    pub lines: Lines,
    pub inverse: bool,
    /// Elements before and after the dim; both arrays are dense.
    pub outer: usize,
    pub inner: usize,
    pub plan: Arc<Plan>,
}

/// Elements that a piece transforms, about.
const PIECE: usize = 1 << 14;

/// Elements of a block of lines that lie one after another, and of lines that lie side by side.
const ALONE: usize = 64;
const BESIDE: usize = 4;

impl FourierStep {
    /// Bytes of lines that a worker transforms.
    pub fn scratch(&self) -> usize {
        match self.dtype {
            DType::C64 => self.plan.scratch_bytes::<f32>(),
            _ => self.plan.scratch_bytes::<f64>(),
        }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::C64 => self.lines::<f32>(bases, workers),
            _ => self.lines::<f64>(bases, workers),
        }
    }

    /// Elements of a line in front of and behind the transform.
    fn lengths(&self) -> (usize, usize) {
        let n = self.plan.len();
        let half = n / 2 + 1;
        match self.lines {
            Lines::Complex => (n, n),
            Lines::FromReal => (n, half),
            Lines::ToReal => (half, n),
        }
    }

    fn lines<T: Real>(&self, bases: &Bases, workers: &dyn Workers) {
        let lines = self.outer * self.inner;
        let at_once = if self.lines == Lines::Complex { LANES } else { 2 * LANES };
        let groups = lines.div_ceil(at_once);
        let per = (PIECE / (at_once * self.plan.len())).max(1);
        let (from, to) = (At(bases.at(self.from)), At(bases.at(self.to)));
        workers.each(groups.div_ceil(per), &|piece| {
            let _counted = Counted::new(self.scratch());
            let mut scratch = self.plan.scratch::<T>();
            for group in piece * per..((piece + 1) * per).min(groups) {
                let first = group * at_once;
                let part = LineBlock { step: self, first, count: at_once.min(lines - first) };
                // SAFETY: both arrays have all lines; each is one group's.
                unsafe {
                    let scales = part.load(from.ptr().cast_const().cast::<T>(), &mut scratch.line);
                    self.plan.transform(&mut scratch, self.inverse);
                    part.store(to.ptr().cast::<T>(), &scratch.line, &scales);
                }
            }
        });
    }
}

/// For each line of a part what brings it near 1, and back.
type Scales<T> = [Option<[T; 2]>; 2 * LANES];

/// Some lines that are transformed together.
struct LineBlock<'s> {
    step: &'s FourierStep,
    first: usize,
    count: usize,
}

impl LineBlock<'_> {
    /// First elements of lines of so many elements.
    fn starts(&self, length: usize) -> [usize; 2 * LANES] {
        let inner = self.step.inner;
        std::array::from_fn(|i| {
            let line = self.first + i;
            line / inner * length * inner + line % inner
        })
    }

    /// Runs of elements: all lines go over one before they go on, so that the places of all of them stay in the cache.
    /// Lines that lie side by side share its rows, and few of those fit where their distance is a power of two.
    fn blocks(&self, length: usize) -> impl Iterator<Item = Range<usize>> {
        let block = if self.step.inner == 1 { ALONE } else { BESIDE };
        (0..length).step_by(block).map(move |first| first..(first + block).min(length))
    }

    /// What brings each line near 1, and back, by the largest element that counts; `None` if that is not finite.
    ///
    /// # Safety
    /// The array has all lines.
    unsafe fn scales<T: Real>(&self, starts: &[usize], from: *const T) -> Scales<T> {
        let (length, n) = self.step.lengths();
        // SAFETY: the caller's.
        let real = |k: usize| unsafe { (*from.add(k)).magnitude() };
        let mut largest = [0; 2 * LANES];
        for block in self.blocks(length) {
            for (largest, start) in largest.iter_mut().zip(starts) {
                let magnitude = |k: usize| {
                    let at = start + k * self.step.inner;
                    match self.step.lines {
                        Lines::FromReal => real(at),
                        Lines::ToReal if is_real(k, n) => real(2 * at),
                        Lines::ToReal | Lines::Complex => real(2 * at).max(real(2 * at + 1)),
                    }
                };
                *largest = block.clone().map(magnitude).fold(*largest, u64::max);
            }
        }
        std::array::from_fn(|i| if i < starts.len() { T::scales(largest[i]) } else { None })
    }

    /// Lines that are not finite are loaded as zeros.
    ///
    /// # Safety
    /// The array has all lines.
    unsafe fn load<T: Real>(&self, from: *const T, line: &mut [Lanes<T>]) -> Scales<T> {
        let (length, _) = self.step.lengths();
        let starts = self.starts(length);
        if self.step.lines == Lines::Complex {
            // SAFETY: the caller's.
            return unsafe { self.load_complex(&starts[..self.count], from, line) };
        }
        // SAFETY: the caller's.
        let scales = unsafe { self.scales(&starts[..self.count], from) };
        // Lanes that no line fills, or only the second of two.
        if scales[..LANES].contains(&None) {
            line.fill(Lanes::default());
        }
        for block in self.blocks(line.len()) {
            for (i, scales) in scales.iter().enumerate() {
                let Some([scale, _]) = *scales else { continue };
                // SAFETY: the caller's.
                unsafe { self.load_part(i, block.clone(), (from, starts[i], scale), line) };
            }
        }
        scales
    }

    /// Complex lines, which are scaled when all of them is there: memory is gone over once.
    ///
    /// # Safety
    /// The array has all lines.
    unsafe fn load_complex<T: Real>(
        &self,
        starts: &[usize],
        from: *const T,
        line: &mut [Lanes<T>],
    ) -> Scales<T> {
        let mut largest = [0; LANES];
        for block in self.blocks(line.len()) {
            for (i, (largest, start)) in largest.iter_mut().zip(starts).enumerate() {
                for (z, k) in line[block.clone()].iter_mut().zip(block.clone()) {
                    // SAFETY: the caller's.
                    let (re, im) = unsafe {
                        let at = from.add(2 * (start + k * self.step.inner));
                        (*at, *at.add(1))
                    };
                    (z.re[i], z.im[i]) = (re, im);
                    *largest = (*largest).max(re.magnitude()).max(im.magnitude());
                }
            }
        }
        let scales = std::array::from_fn(|i| if i < starts.len() { T::scales(largest[i]) } else { None });
        let factors: [T; LANES] = std::array::from_fn(|i| scales[i].map_or(T::default(), |[scale, _]| scale));
        for z in line.iter_mut() {
            for (i, factor) in factors.iter().enumerate() {
                (z.re[i], z.im[i]) = (z.re[i] * *factor, z.im[i] * *factor);
            }
        }
        for i in (0..LANES).filter(|i| scales[*i].is_none()) {
            line.iter_mut().for_each(|z| (z.re[i], z.im[i]) = (T::default(), T::default()));
        }
        scales
    }

    /// Some elements of a real line, or of half its spectrum, from its first element on, scaled.
    ///
    /// # Safety
    /// The array has all lines.
    unsafe fn load_part<T: Real>(
        &self,
        i: usize,
        block: Range<usize>,
        (from, start, scale): (*const T, usize, T),
        line: &mut [Lanes<T>],
    ) {
        let step = self.step.inner;
        // SAFETY: the caller's.
        let half = |k: usize| unsafe {
            let at = from.add(2 * (start + k * step));
            (*at * scale, *at.add(1) * scale)
        };
        if self.step.lines == Lines::ToReal {
            return self.mirror(i, half, line, block);
        }
        line[block.clone()].iter_mut().zip(block).for_each(|(z, k)| {
            // SAFETY: the caller's.
            let x = unsafe { *from.add(start + k * step) * scale };
            if i < LANES { (z.re[i], z.im[i]) = (x, T::default()) } else { z.im[i - LANES] = x }
        });
    }

    /// Complete half a spectrum. The second of two lines is added, rotated by a right angle.
    fn mirror<T: Real>(
        &self,
        i: usize,
        half: impl Fn(usize) -> (T, T),
        line: &mut [Lanes<T>],
        block: Range<usize>,
    ) {
        let n = line.len();
        for (z, k) in line[block.clone()].iter_mut().zip(block) {
            let (re, im) = if k <= n / 2 { half(k) } else { half(n - k) };
            let im = match (is_real(k, n), k > n / 2) {
                (true, _) => T::default(),
                (false, true) => -im,
                (false, false) => im,
            };
            if i < LANES {
                (z.re[i], z.im[i]) = (re, im)
            } else {
                z.re[i - LANES] = z.re[i - LANES] - im;
                z.im[i - LANES] = z.im[i - LANES] + re;
            }
        }
    }

    /// # Safety
    /// The array has all lines.
    unsafe fn store<T: Real>(&self, to: *mut T, line: &[Lanes<T>], scales: &Scales<T>) {
        let (_, length) = self.step.lengths();
        let starts = self.starts(length);
        for block in self.blocks(length) {
            for (i, scales) in scales[..self.count].iter().enumerate() {
                let [_, back] = scales.unwrap_or([T::of(f64::NAN); 2]);
                // SAFETY: the caller's.
                unsafe { self.store_part(i, block.clone(), (to, starts[i], back), line) };
            }
        }
    }

    /// Some elements of a line, from its first element on, scaled back.
    ///
    /// # Safety
    /// The array has all lines.
    unsafe fn store_part<T: Real>(
        &self,
        i: usize,
        block: Range<usize>,
        (to, start, back): (*mut T, usize, T),
        line: &[Lanes<T>],
    ) {
        let (n, step) = (line.len(), self.step.inner);
        let shrunk = if self.step.inverse { T::of(1.0 / n as f64) } else { T::of(1.0) };
        let (scale, half, lane) = (shrunk * back, T::of(0.5), i % LANES);
        for k in block {
            let (at, z) = (start + k * step, &line[k]);
            let (re, im) = (z.re[lane], z.im[lane]);
            // SAFETY: the caller's.
            let put = |re: T, im: T| unsafe {
                *to.add(2 * at) = re * scale;
                *to.add(2 * at + 1) = im * scale;
            };
            // The place of the other frequency is looked at only where two lines are one.
            let other = || {
                let other = &line[if k == 0 { 0 } else { n - k }];
                (other.re[lane], other.im[lane])
            };
            match (self.step.lines, i < LANES) {
                (Lines::Complex, _) => put(re, im),
                // Of the sum of one line and another rotated by a right angle, either is half.
                (Lines::FromReal, true) => {
                    let (own, rotated) = other();
                    put((re + own) * half, (im - rotated) * half);
                }
                (Lines::FromReal, false) => {
                    let (own, rotated) = other();
                    put((im + rotated) * half, (own - re) * half);
                }
                // SAFETY: the caller's.
                (Lines::ToReal, true) => unsafe { *to.add(at) = re * scale },
                // SAFETY: the caller's.
                (Lines::ToReal, false) => unsafe { *to.add(at) = im * scale },
            }
        }
    }
}

/// Whether element `k` of half a spectrum of `n` is taken as real: its imaginary part would only give imaginary
/// numbers.
fn is_real(k: usize, n: usize) -> bool {
    k == 0 || 2 * k == n
}
