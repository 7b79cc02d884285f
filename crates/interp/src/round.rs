//! Rounding to an element type: what keeps wide storage honest.
//!
//! Values are computed in `f64`, `i64` or `u64` and brought to their element type here, once per op. Rounding goes
//! straight from `f64` to the target (nearest, ties to even), never by way of a third type.

use crate::bits::{bits_of_float, float_of_bits};
use meshwright_ir::{DType, small_float};

/// The nearest value of a float type.
pub fn round(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F64 => x,
        DType::F32 => f64::from(x as f32),
        DType::BF16 => round_binary(x, 7, -126, 127),
        DType::F16 => round_binary(x, 10, -14, 15),
        other => small_float::decode(other, small_float::encode(other, x)),
    }
}

/// The nearest number with `mantissa` explicit bits and exponents from `min` (below it: subnormal) to `max`.
pub fn round_binary(x: f64, mantissa: i32, min: i32, max: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let quantum = power_of_two(exponent(x).max(min) - mantissa);
    // Adding and subtracting this number drops all bits below one, ties to even, while |v| < 2^51.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let rounded = ((x.abs() / quantum + MAGIC) - MAGIC) * quantum;
    let limited = if rounded >= power_of_two(max + 1) { f64::INFINITY } else { rounded };
    limited.copysign(x)
}

/// Exponent of the leading bit; for subnormal `f64` at most -1022.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// 2^e for exponents of normal `f64`; clamps to those.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// The low `bits` bits as a signed number.
pub fn wrap_int(bits: u32, x: i64) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (x << unused) >> unused
}

/// The low `bits` bits.
pub fn wrap_uint(bits: u32, x: u64) -> u64 {
    x & (u64::MAX >> (64 - bits.clamp(1, 64)))
}

/// An integer as a float type, rounded once: the way through `f64` keeps a sticky bit (round to odd).
pub fn round_integer(dtype: DType, x: i128) -> f64 {
    if dtype == DType::F64 {
        return x as f64;
    }
    let nearest = x as f64;
    let back = nearest as i128;
    if back == x || nearest.to_bits() & 1 == 1 {
        return round(dtype, nearest);
    }
    let toward = if (x > back) == (x > 0) { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 };
    round(dtype, f64::from_bits(toward))
}

/// To a signed integer of `bits` bits: toward zero, out of range to the nearest end, NaN to 0.
pub fn float_to_int(bits: u32, x: f64) -> i64 {
    let top = (1i128 << (bits.clamp(1, 64) - 1)) - 1;
    (x as i128).clamp(-top - 1, top) as i64
}

/// To an unsigned integer of `bits` bits: toward zero, out of range to the nearest end, NaN to 0.
pub fn float_to_uint(bits: u32, x: f64) -> u64 {
    (x as u64).min(wrap_uint(bits, u64::MAX))
}

/// The neighbour of `from` in the direction of `to` among the values of a float type.
pub fn next_after(dtype: DType, from: f64, to: f64) -> f64 {
    if from.is_nan() || to.is_nan() {
        return f64::NAN;
    }
    if from == to {
        return to;
    }
    let up = to > from;
    match dtype {
        DType::F64 => step_f64(from, up),
        DType::F32 => f64::from(if up { (from as f32).next_up() } else { (from as f32).next_down() }),
        _ => step_narrow(dtype, from, up),
    }
}

fn step_f64(from: f64, up: bool) -> f64 {
    if up { from.next_up() } else { from.next_down() }
}

/// Narrow types: codes of one sign ascend with the magnitude of their value.
fn step_narrow(dtype: DType, from: f64, up: bool) -> f64 {
    let sign = 1u64 << (dtype.bits() - 1);
    let code = match dtype {
        DType::F8E8M0FNU if up => bits_of_float(dtype, from) + 1,
        DType::F8E8M0FNU => bits_of_float(dtype, from).saturating_sub(1),
        _ if from == 0.0 => 1 | if up { 0 } else { sign },
        _ if up == (from > 0.0) => bits_of_float(dtype, from) + 1,
        _ => bits_of_float(dtype, from) - 1,
    };
    float_of_bits(dtype, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounds_once() {
        // 1 + 2^-8 is a tie between 1 and 1 + 2^-7; a little above it must go up although f32 cannot see the little.
        let tie = 1.0 + 2f64.powi(-8);
        assert_eq!(round(DType::BF16, tie), 1.0);
        assert_eq!(round(DType::BF16, tie + 2f64.powi(-40)), 1.0 + 2f64.powi(-7));
        assert_eq!(round(DType::BF16, -tie), -1.0);
    }

    #[test]
    fn halves_overflow_and_go_subnormal() {
        assert_eq!(round(DType::F16, 65519.0), 65504.0);
        assert_eq!(round(DType::F16, 65520.0), f64::INFINITY);
        assert_eq!(round(DType::F16, 2f64.powi(-24)), 2f64.powi(-24));
        assert_eq!(round(DType::F16, 2f64.powi(-25)), 0.0);
        assert_eq!(round(DType::F16, 1.5 * 2f64.powi(-25)), 2f64.powi(-24));
        assert!(round(DType::F16, -(2f64.powi(-30))).is_sign_negative());
        assert_eq!(round(DType::BF16, 3.4e38), f64::INFINITY);
        assert_eq!(round(DType::BF16, 1e-320), 0.0);
    }

    #[test]
    fn integers_round_once_to_floats() {
        let x = (1i128 << 62) + (1 << 38) + 1;
        assert_eq!(round_integer(DType::F32, x), f64::from(x as f32));
        assert_eq!(round_integer(DType::F32, -x), f64::from(-x as f32));
        assert_eq!(round_integer(DType::F32, i128::from(u64::MAX)), f64::from(u64::MAX as f32));
    }

    #[test]
    fn float_to_integer_clamps() {
        assert_eq!(float_to_int(8, 300.0), 127);
        assert_eq!(float_to_int(8, -1e30), -128);
        assert_eq!(float_to_int(32, f64::NAN), 0);
        assert_eq!(float_to_int(32, -1.9), -1);
        assert_eq!(float_to_uint(8, -3.0), 0);
        assert_eq!(float_to_uint(64, 1e30), u64::MAX);
    }

    #[test]
    fn next_after_takes_one_step() {
        assert_eq!(next_after(DType::F32, 1.0, 2.0), f64::from(1.0f32.next_up()));
        assert_eq!(next_after(DType::BF16, 1.0, 2.0), 1.0 + 2f64.powi(-7));
        assert_eq!(next_after(DType::BF16, 1.0, 0.0), 1.0 - 2f64.powi(-8));
        assert_eq!(next_after(DType::F16, 0.0, -1.0), -(2f64.powi(-24)));
    }
}
