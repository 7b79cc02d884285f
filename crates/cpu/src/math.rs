//! Functions of one `f32` written so that loops over them become vector code: no calls, no branches.
//!
//! Errors are a few units in the last place. Fused multiply-adds are written out, so every CPU gives the same bits (one
//! without such an instruction gives them slowly).

const ROUND: f32 = 12_582_912.0;

/// The logarithm of the smallest normal number.
const LEAST: f32 = -87.336_54;

/// e^x. Below about -87.3 it is zero: a result below the normal numbers takes the CPU many times as long, and masked
/// scores (-1e9, say) are many. Above 88.7 it is infinite.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = x.clamp(LEAST, 89.0);
    // Adding 1.5 * 2^23 rounds to the nearest whole number, ties to even, and leaves it in the low bits: a cast to an
    // integer saturates, which no vector instruction does.
    let shifted = clamped.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(2.121_944_4e-4, n.mul_add(-0.693_359_4, clamped));
    let mut p = 1.987_569_1e-4f32;
    p = p.mul_add(r, 1.398_2e-3);
    p = p.mul_add(r, 8.333_452e-3);
    p = p.mul_add(r, 4.166_579_6e-2);
    p = p.mul_add(r, 1.666_666_5e-1);
    p = p.mul_add(r, 0.5);
    let y = p.mul_add(r * r, r) + 1.0;
    // Two factors, as 2^n alone may not be a normal number.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = n >> 1;
    let scale = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    let out = y * scale(half) * scale(n - half);
    let out = if x < LEAST { 0.0 } else { out };
    if x.is_nan() { x } else { out }
}

/// Natural logarithm.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    // Scale subnormal numbers up first.
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits();
    let mut e = ((bits >> 23) & 0xff) as i32 - 126;
    let mut m = f32::from_bits((bits & 0x007f_ffff) | 0x3f00_0000);
    let low = m < std::f32::consts::FRAC_1_SQRT_2;
    e -= i32::from(low);
    m = if low { m + m - 1.0 } else { m - 1.0 };
    e -= if tiny { 23 } else { 0 };
    let z = m * m;
    let mut p = 7.037_683_6e-2f32;
    p = p.mul_add(m, -1.151_461e-1);
    p = p.mul_add(m, 1.167_699_9e-1);
    p = p.mul_add(m, -1.242_014_1e-1);
    p = p.mul_add(m, 1.424_932_3e-1);
    p = p.mul_add(m, -1.666_805_8e-1);
    p = p.mul_add(m, 2.000_071_5e-1);
    p = p.mul_add(m, -2.499_999_4e-1);
    p = p.mul_add(m, 3.333_333e-1);
    let e = e as f32;
    let y = p * m * z - 2.121_944_4e-4 * e - 0.5 * z;
    let out = m + y + 0.693_359_4 * e;
    let out = if x == 0.0 { f32::NEG_INFINITY } else { out };
    let out = if x == f32::INFINITY { x } else { out };
    if x < 0.0 || x.is_nan() { f32::NAN } else { out }
}

#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let mut p = -5.704_988_7e-3f32;
    p = p.mul_add(z, 2.063_909e-2);
    p = p.mul_add(z, -5.373_971_6e-2);
    p = p.mul_add(z, 1.333_144_2e-1);
    p = p.mul_add(z, -3.333_328e-1);
    let small = p * z * x + x;
    let large = (1.0 - 2.0 / (exp(2.0 * a) + 1.0)).copysign(x);
    if a < 0.625 { small } else { large }
}

#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// IEEE 754 maximum: NaN wins, and 0 is above -0.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    let larger = if a > b || (a == b && b.is_sign_negative()) { a } else { b };
    if a.is_nan() { a } else { larger }
}

#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    let smaller = if a < b || (a == b && a.is_sign_negative()) { a } else { b };
    if a.is_nan() { a } else { smaller }
}

/// Nearest bf16, ties to even, as an `f32`.
#[inline(always)]
pub fn to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
    if x.is_nan() { f32::from_bits((bits & 0xffff_0000) | 0x0040_0000) } else { f32::from_bits(rounded) }
}

pub fn max64(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b || (a == b && b.is_sign_negative()) { a } else { b }
}

pub fn min64(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(f: fn(f32) -> f32, exact: fn(f64) -> f64, low: f32, high: f32) -> f64 {
        let points = (0..200_000).map(|i| low + (high - low) * i as f32 / 200_000.0);
        let error = |x: f32| {
            let exact = exact(f64::from(x));
            (f64::from(f(x)) - exact).abs() / exact.abs().max(1e-30)
        };
        points.map(error).fold(0.0, f64::max)
    }

    #[test]
    fn functions_are_within_a_few_units_in_the_last_place() {
        assert!(worst(exp, f64::exp, -80.0, 88.0) < 3e-7);
        assert!(worst(log, f64::ln, 2.0, 1e9) < 3e-7);
        assert!(worst(log, f64::ln, 1e-30, 0.7) < 3e-7);
        assert!(worst(tanh, f64::tanh, 0.001, 10.0) < 4e-7);
    }

    #[test]
    fn special_values_are_kept() {
        assert_eq!((exp(f32::NEG_INFINITY), exp(f32::INFINITY), exp(0.0)), (0.0, f32::INFINITY, 1.0));
        assert_eq!((log(0.0), log(1.0), log(f32::INFINITY)), (f32::NEG_INFINITY, 0.0, f32::INFINITY));
        assert!(log(-1.0).is_nan() && exp(f32::NAN).is_nan() && max(1.0, f32::NAN).is_nan());
        assert!(max(0.0, -0.0).is_sign_positive() && min(0.0, -0.0).is_sign_negative());
        assert_eq!(tanh(-30.0), -1.0);
        assert!(exp(LEAST).is_normal() && exp(LEAST - 1e-4) == 0.0);
    }
}
