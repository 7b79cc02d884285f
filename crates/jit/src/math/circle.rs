//! Sine, cosine and tangent of one `f32`, computed in `f64`: loops over them become vector code, too.
//!
//! ```text
//! x = m * 2^8j    ->    (m * (2^8j mod 2 pi)) mod pi / 2    ->    series
//! ```
//!
//! Any number is brought near zero in the same few steps: `m` is whole where `j` is not 0, so multiples of 2 pi drop
//! out of `2^8j`. What is left is exact to about 2^-70, far below what an `f32` can be near a multiple of pi / 2.
//! Results are rounded once, from `f64`.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// 1.5 * 2^52: adding it rounds to a whole number, which is in the low bits then.
pub const WHOLE: f64 = 6_755_399_441_055_744.0;
/// What pi / 2 is longer than an `f64`.
pub const FRAC_PI_2_REST: f64 = 6.123_233_995_736_766e-17;

/// The exponent of a number, times the first and with the second added, is nearest to the `j` of which it has a
/// multiple of 2^8j.
pub const PLACE: [f64; 2] = [0.125, -3.3125];
/// The last `j` of an `f32`.
pub const LAST: f64 = 13.0;

/// 2^8j without multiples of 2 pi, in two parts; 1 itself is kept.
#[rustfmt::skip]
pub static POWERS: [[f64; 16]; 2] = [
    [
        1.0, -1.610_597_594_363_045_5, 2.377_246_116_913_046, -0.893_968_866_680_196_9,
        -2.661_358_811_665_301, -2.723_842_610_921_788, 0.129_860_700_956_329_37, 1.828_412_908_922_387_7,
        3.117_991_952_841_885_4, 0.241_405_915_715_179_03, -1.031_938_648_710_032_8, -0.282_511_168_225_762_7,
        3.075_364_620_359_783_5, 1.895_179_414_656_241, 0.0, 0.0,
    ],
    [
        0.0, -5.009_653_138_188_719e-17, -2.120_879_638_185_595e-16, -3.988_009_861_375_488e-18,
        -1.970_793_479_523_091_9e-16, -1.912_488_230_494_010_4e-17, 3.461_851_656_555_984_6e-18, 1.056_764_347_810_414_6e-16,
        4.661_047_956_453_333e-17, 5.356_820_577_341_173e-18, 3.227_549_412_979_061_3e-17, 8.835_098_824_050_243e-18,
        -1.281_329_012_902_417_6e-16, 8.656_429_957_323_569e-17, 0.0, 0.0,
    ],
];

/// Coefficients of the powers of the square, highest first: the sine over its argument without 1, the cosine.
pub const SINE: [f64; 4] = [1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0];
pub const COSINE: [f64; 6] = [-1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0];

/// A number as a multiple of pi / 2, whole (with [`WHOLE`] added), and what is left.
#[inline(always)]
fn reduced(x: f32) -> (f64, f64) {
    let x = f64::from(x);
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let [by, and] = PLACE;
    let shifted = (f64::from(exponent) * by + and).clamp(0.0, LAST) + WHOLE;
    let at = (shifted.to_bits() & 15) as usize;
    let j = (shifted - WHOLE) as i32;
    let m = x * f64::from_bits(((1023 - 8 * j) as u64) << 52);
    let [high, low] = [POWERS[0][at], POWERS[1][at]];
    let p = m * high;
    let rest = m.mul_add(low, m.mul_add(high, -p));
    let quarters = p.mul_add(FRAC_2_PI, WHOLE);
    let k = quarters - WHOLE;
    let left = k.mul_add(-FRAC_PI_2, p) + rest;
    (quarters, k.mul_add(-FRAC_PI_2_REST, left))
}

/// Sine and cosine of at most pi / 4.
#[inline(always)]
fn both(r: f64) -> (f64, f64) {
    let square = r * r;
    let [a, b, c, d] = SINE;
    let s = a.mul_add(square, b).mul_add(square, c).mul_add(square, d) * square;
    let [a, b, c, d, e, f] = COSINE;
    let cosine = a.mul_add(square, b).mul_add(square, c).mul_add(square, d);
    (r.mul_add(s, r), cosine.mul_add(square, e).mul_add(square, f))
}

#[inline(always)]
fn wave(quarters: f64, r: f64) -> f32 {
    let (sine, cosine) = both(r);
    let value = if quarters.to_bits() & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ (quarters.to_bits() & 2) << 62) as f32
}

#[inline(always)]
fn sine_of(x: f32, (quarters, r): (f64, f64)) -> f32 {
    let found = wave(quarters, r);
    if x == 0.0 { x } else { found }
}

#[inline(always)]
fn cosine_of((quarters, r): (f64, f64)) -> f32 {
    wave(quarters + 1.0, r)
}

#[inline(always)]
fn tangent_of(x: f32, (quarters, r): (f64, f64)) -> f32 {
    let (sine, cosine) = both(r);
    let odd = quarters.to_bits() & 1;
    let (above, below) = if odd == 0 { (sine, cosine) } else { (cosine, sine) };
    let found = f64::from_bits((above / below).to_bits() ^ odd << 63) as f32;
    if x == 0.0 { x } else { found }
}

/// The relative error is below 7e-8.
#[inline(always)]
pub fn sine(x: f32) -> f32 {
    sine_of(x, reduced(x))
}

/// The relative error is below 7e-8.
#[inline(always)]
pub fn cosine(x: f32) -> f32 {
    cosine_of(reduced(x))
}

/// The relative error is below 7e-8.
#[inline(always)]
pub fn tangent(x: f32) -> f32 {
    tangent_of(x, reduced(x))
}

/// The same functions of numbers below [`near::FAR`], with the same bits. No table is read, so that loops over them
/// are vector code with AVX2 too.
pub mod near {
    use super::{FRAC_PI_2_REST, WHOLE, cosine_of, sine_of, tangent_of};
    use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

    /// Below it `j` is 0.
    pub const FAR: f32 = (1u32 << 31) as f32;

    /// As [`super::reduced`].
    #[inline(always)]
    fn reduced(x: f32) -> (f64, f64) {
        let p = f64::from(x);
        let quarters = p.mul_add(FRAC_2_PI, WHOLE);
        let k = quarters - WHOLE;
        // There is no rest; a sum with it is never -0.
        let left = k.mul_add(-FRAC_PI_2, p) + 0.0;
        (quarters, k.mul_add(-FRAC_PI_2_REST, left))
    }

    #[inline(always)]
    pub fn sine(x: f32) -> f32 {
        sine_of(x, reduced(x))
    }

    #[inline(always)]
    pub fn cosine(x: f32) -> f32 {
        cosine_of(reduced(x))
    }

    #[inline(always)]
    pub fn tangent(x: f32) -> f32 {
        tangent_of(x, reduced(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    /// A function, and the same in `f64`.
    type Pair = (fn(f32) -> f32, fn(f64) -> f64);

    #[test]
    fn waves_of_all_numbers_are_near() {
        let all_over = (0..u32::MAX).step_by(4099).map(f32::from_bits);
        // The nearest to multiples of pi / 2 among them, small and large.
        let far = [16_367_173.0 * 2f32.powi(72), 6_381_956_970_095_103.0 * 2f32.powi(19)];
        let near = [FRAC_PI_2, PI].into_iter().chain(far);
        let exact: [Pair; 3] = [(sine, libm::sin), (cosine, libm::cos), (tangent, libm::tan)];
        for x in all_over.chain(near).filter(|x| x.abs() > 1e-30) {
            for (at, (f, exact)) in exact.iter().enumerate() {
                let (found, wanted) = (f64::from(f(x)), exact(f64::from(x)));
                let broken = !x.is_finite() && found.is_nan();
                assert!(
                    broken || (found - wanted).abs() <= 7e-8 * wanted.abs(),
                    "{at} of {x:e}: {found:e}, not {wanted:e}"
                );
            }
        }
        for x in (0..u32::MAX).step_by(4099).map(f32::from_bits).filter(|x| x.abs() < near::FAR) {
            for (f, quick) in [
                (sine as fn(f32) -> f32, near::sine as fn(f32) -> f32),
                (cosine, near::cosine),
                (tangent, near::tangent),
            ] {
                assert_eq!(f(x).to_bits(), quick(x).to_bits(), "{x:e}");
            }
        }
        assert!(sine(-0.0).is_sign_negative() && tangent(-0.0).is_sign_negative() && cosine(0.0) == 1.0);
    }
}
