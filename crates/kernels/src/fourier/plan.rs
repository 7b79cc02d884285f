//! How lines of one length are transformed: radices and roots of one, or a chirp.

use std::f64::consts::PI;
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::Arc;

/// Lines that go side by side.
pub const LANES: usize = 16;
/// Prime factors up to this are sums of so many terms; above it, a chirp costs less.
const MAX_RADIX: usize = 31;

pub trait Real:
    Copy
    + Default
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + PartialEq
    + Neg<Output = Self>
{
    fn of(x: f64) -> Self;
    /// The bits without the sign: ordered as magnitudes are, infinities behind all numbers and NaNs behind these.
    fn magnitude(self) -> u64;
    /// A power of two and its inverse, by which a number of this magnitude is near 1; `None` of what is not finite.
    fn scales(magnitude: u64) -> Option<[Self; 2]>;
    /// The roots in this type.
    fn roots(table: &Table) -> &[[Self; 2]];
}

impl Real for f32 {
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn magnitude(self) -> u64 {
        u64::from(self.to_bits()) & 0x7fff_ffff
    }
    fn scales(magnitude: u64) -> Option<[f32; 2]> {
        let power = |exponent: u64| f32::from_bits((exponent as u32) << 23);
        let exponent = (magnitude >> 23).clamp(27, 227);
        (magnitude >> 23 < 255).then(|| [power(254 - exponent), power(exponent)])
    }
    fn roots(table: &Table) -> &[[f32; 2]] {
        &table.narrow
    }
}

impl Real for f64 {
    fn of(x: f64) -> f64 {
        x
    }
    fn magnitude(self) -> u64 {
        self.to_bits() & 0x7fff_ffff_ffff_ffff
    }
    fn scales(magnitude: u64) -> Option<[f64; 2]> {
        let power = |exponent: u64| f64::from_bits(exponent << 52);
        let exponent = (magnitude >> 52).clamp(23, 2023);
        (magnitude >> 52 < 2047).then(|| [power(2046 - exponent), power(exponent)])
    }
    fn roots(table: &Table) -> &[[f64; 2]] {
        &table.wide
    }
}

/// Complex numbers of all lines at one place.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Lanes<T> {
    pub re: [T; LANES],
    pub im: [T; LANES],
}

impl<T: Real> Default for Lanes<T> {
    fn default() -> Lanes<T> {
        Lanes { re: [T::default(); LANES], im: [T::default(); LANES] }
    }
}

impl<T: Real> Lanes<T> {
    #[inline(always)]
    fn zip(self, other: Lanes<T>, f: impl Fn(T, T) -> T) -> Lanes<T> {
        let mut out = self;
        for i in 0..LANES {
            out.re[i] = f(self.re[i], other.re[i]);
            out.im[i] = f(self.im[i], other.im[i]);
        }
        out
    }

    #[inline(always)]
    fn plus(self, other: Lanes<T>) -> Lanes<T> {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, other: Lanes<T>) -> Lanes<T> {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, [re, im]: [T; 2]) -> Lanes<T> {
        let mut out = self;
        for i in 0..LANES {
            out.re[i] = self.re[i] * re - self.im[i] * im;
            out.im[i] = self.re[i] * im + self.im[i] * re;
        }
        out
    }

    /// Times `-i`, or `i` for the inverse.
    #[inline(always)]
    fn times_i(self, inverse: bool) -> Lanes<T> {
        let mut out = self;
        for i in 0..LANES {
            let (re, im) = (self.re[i], self.im[i]);
            (out.re[i], out.im[i]) = if inverse { (-im, re) } else { (im, -re) };
        }
        out
    }

    fn conjugate(&mut self) {
        self.im.iter_mut().for_each(|im| *im = -*im);
    }
}

/// Complex numbers that do not depend on the lines, in both types.
#[derive(Debug, Default)]
pub struct Table {
    narrow: Vec<[f32; 2]>,
    wide: Vec<[f64; 2]>,
}

impl Table {
    fn of(values: impl Iterator<Item = [f64; 2]>) -> Table {
        let wide: Vec<[f64; 2]> = values.collect();
        Table { narrow: wide.iter().map(|z| z.map(|x| x as f32)).collect(), wide }
    }
}

fn root(k: usize, n: usize) -> [f64; 2] {
    // The system's functions have other bits on each kind of CPU.
    let (sin, cos) = libm::sincos(-2.0 * PI * k as f64 / n as f64);
    [cos, sin]
}

#[derive(Debug)]
pub struct Plan {
    len: usize,
    radices: Vec<usize>,
    /// `exp(-2 pi i k / len)`.
    roots: Table,
    chirp: Option<Chirp>,
}

/// `x[j] c[j]` convolved with the conjugate of `c`, times `c`, where `c[j] = exp(-pi i j^2 / n)`.
#[derive(Debug)]
struct Chirp {
    plan: Arc<Plan>,
    chirp: Table,
    /// The transform of what is convolved with, by the length.
    filter: Table,
}

/// A line of all lanes, and room for passes.
pub struct Scratch<T> {
    pub line: Vec<Lanes<T>>,
    other: Vec<Lanes<T>>,
    /// The longer line of a chirp.
    inside: Option<Box<Scratch<T>>>,
}

impl Plan {
    pub fn new(len: usize) -> Plan {
        let roots = Table::of((0..len).map(|k| root(k, len)));
        match radices(len) {
            Some(radices) => Plan { len, radices, roots, chirp: None },
            None => Plan { len, radices: Vec::new(), roots, chirp: Some(Chirp::new(len)) },
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of [`Plan::scratch`].
    pub fn scratch_bytes<T: Real>(&self) -> usize {
        let room = self.len * size_of::<Lanes<T>>();
        room + self.chirp.as_ref().map_or(room, |chirp| chirp.plan.scratch_bytes::<T>())
    }

    pub fn scratch<T: Real>(&self) -> Scratch<T> {
        let room = || vec![Lanes::default(); self.len];
        let inside = self.chirp.as_ref().map(|chirp| Box::new(chirp.plan.scratch()));
        Scratch { line: room(), other: if inside.is_none() { room() } else { Vec::new() }, inside }
    }

    /// Transform the line, unscaled.
    pub fn transform<T: Real>(&self, scratch: &mut Scratch<T>, inverse: bool) {
        match &self.chirp {
            None => self.passes(scratch, inverse),
            Some(chirp) => chirp.transform(scratch, inverse),
        }
    }

    fn passes<T: Real>(&self, scratch: &mut Scratch<T>, inverse: bool) {
        let (mut n, mut stride) = (self.len, 1);
        for radix in &self.radices {
            let (from, to) = (&scratch.line[..], &mut scratch.other[..]);
            let pass = Pass { n, stride, radix: *radix, inverse, roots: T::roots(&self.roots) };
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                // SAFETY: the features are asked for.
                unsafe { pass_avx512(&pass, from, to) }
            } else if crate::isa::avx2() {
                // SAFETY: as above.
                unsafe { pass_avx2(&pass, from, to) }
            } else {
                pass_any(&pass, from, to)
            }
            #[cfg(not(target_arch = "x86_64"))]
            pass_any(&pass, from, to);
            std::mem::swap(&mut scratch.line, &mut scratch.other);
            n /= radix;
            stride *= radix;
        }
    }
}

/// Factors of a length, fours first; `None` if one is too large.
fn radices(mut len: usize) -> Option<Vec<usize>> {
    let mut radices = Vec::new();
    for radix in [4, 2].into_iter().chain((3..=MAX_RADIX).step_by(2)) {
        while len > 1 && len.is_multiple_of(radix) {
            radices.push(radix);
            len /= radix;
        }
    }
    (len <= 1).then_some(radices)
}

/// One pass: from arrays of `n` at distance `stride` to `radix` times as many of `n / radix`.
struct Pass<'r, T> {
    n: usize,
    stride: usize,
    radix: usize,
    inverse: bool,
    roots: &'r [[T; 2]],
}

impl<T: Real> Pass<'_, T> {
    /// `exp(-2 pi i k / n)` for the length of this pass.
    #[inline(always)]
    fn root(&self, k: usize) -> [T; 2] {
        let [re, im] = self.roots[k % self.n * self.stride];
        [re, if self.inverse { -im } else { im }]
    }
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
unsafe fn pass_avx512<T: Real>(pass: &Pass<'_, T>, from: &[Lanes<T>], to: &mut [Lanes<T>]) {
    pass_any(pass, from, to);
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn pass_avx2<T: Real>(pass: &Pass<'_, T>, from: &[Lanes<T>], to: &mut [Lanes<T>]) {
    pass_any(pass, from, to);
}

#[inline(always)]
fn pass_any<T: Real>(pass: &Pass<'_, T>, from: &[Lanes<T>], to: &mut [Lanes<T>]) {
    let (radix, stride) = (pass.radix, pass.stride);
    let each = pass.n / radix;
    for p in 0..each {
        let roots = [pass.root(p), pass.root(2 * p), pass.root(3 * p)];
        for q in 0..stride {
            let read = |k: usize| from[q + stride * (p + each * k)];
            let at = q + stride * radix * p;
            match radix {
                2 => {
                    let (a, b) = (read(0), read(1));
                    to[at] = a.plus(b);
                    to[at + stride] = a.minus(b).times(roots[0]);
                }
                4 => {
                    let (a, b, c, d) = (read(0), read(1), read(2), read(3));
                    let (ac, bd) = (a.plus(c), b.plus(d));
                    let (over, times_i) = (a.minus(c), b.minus(d).times_i(pass.inverse));
                    to[at] = ac.plus(bd);
                    to[at + stride] = over.plus(times_i).times(roots[0]);
                    to[at + 2 * stride] = ac.minus(bd).times(roots[1]);
                    to[at + 3 * stride] = over.minus(times_i).times(roots[2]);
                }
                _ => {
                    for j in 0..radix {
                        let sum = (1..radix)
                            .fold(read(0), |sum, k| sum.plus(read(k).times(pass.root(j * k % radix * each))));
                        to[at + j * stride] = sum.times(pass.root(p * j));
                    }
                }
            }
        }
    }
}

impl Chirp {
    fn new(len: usize) -> Chirp {
        let long = (2 * len - 1).next_power_of_two();
        let plan = Arc::new(Plan::new(long));
        // The square is taken modulo twice the length, so that angles stay small.
        let turn = |j: usize| root((j as u128 * j as u128 % (2 * len as u128)) as usize, 2 * len);
        let mut scratch = plan.scratch::<f64>();
        for j in 0..len {
            let [re, im] = turn(j);
            for at in [j, (long - j) % long] {
                (scratch.line[at].re[0], scratch.line[at].im[0]) = (re, -im);
            }
        }
        plan.transform(&mut scratch, false);
        let scale = 1.0 / long as f64;
        let filter = Table::of(scratch.line.iter().map(|z| [z.re[0] * scale, z.im[0] * scale]));
        Chirp { plan, chirp: Table::of((0..len).map(turn)), filter }
    }

    fn transform<T: Real>(&self, scratch: &mut Scratch<T>, inverse: bool) {
        let Some(inside) = scratch.inside.as_deref_mut() else { return };
        let (line, chirp, filter) = (&mut scratch.line, T::roots(&self.chirp), T::roots(&self.filter));
        // The inverse is the conjugate of the transform of the conjugate.
        if inverse {
            line.iter_mut().for_each(Lanes::conjugate);
        }
        inside.line.fill(Lanes::default());
        for ((to, z), c) in inside.line.iter_mut().zip(&*line).zip(chirp) {
            *to = z.times(*c);
        }
        self.plan.transform(inside, false);
        inside.line.iter_mut().zip(filter).for_each(|(z, f)| *z = z.times(*f));
        self.plan.transform(inside, true);
        for ((z, from), c) in line.iter_mut().zip(&inside.line).zip(chirp) {
            *z = from.times(*c);
        }
        if inverse {
            line.iter_mut().for_each(Lanes::conjugate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_gives_the_plain_sum() {
        for len in [1, 2, 3, 4, 6, 8, 12, 15, 16, 30, 31, 37, 64, 74, 97, 128] {
            let plan = Plan::new(len);
            for inverse in [false, true] {
                let mut scratch = plan.scratch::<f64>();
                let x = |j: usize, lane: usize| ((j * 7 + lane * 3) % 11) as f64 - 5.0;
                for (j, z) in scratch.line.iter_mut().enumerate() {
                    for lane in 0..LANES {
                        (z.re[lane], z.im[lane]) = (x(j, lane), x(j + 1, lane + 2));
                    }
                }
                plan.transform(&mut scratch, inverse);
                for k in 0..len {
                    let mut sum = [0.0, 0.0];
                    for j in 0..len {
                        let [re, im] = root(j * k % len, len);
                        let im = if inverse { -im } else { im };
                        let (a, b) = (x(j, 5), x(j + 1, 7));
                        sum = [sum[0] + a * re - b * im, sum[1] + a * im + b * re];
                    }
                    let z = &scratch.line[k];
                    let off = (z.re[5] - sum[0]).abs() + (z.im[5] - sum[1]).abs();
                    assert!(off < 1e-10 * len as f64, "{len} {inverse} {k}: {off}");
                }
            }
        }
    }
}
