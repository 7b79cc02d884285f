//! The bits of floats of every type.

use meshwright_ir::{DType, small_float};

/// Returns the float with these bits. The fraction of the `f64` holds the bits of a NaN, so moving it keeps them.
pub(crate) fn float_of_bits(dtype: DType, bits: u64) -> f64 {
    let value = match dtype {
        DType::F64 => return f64::from_bits(bits),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
        DType::F16 => half_of_bits(bits as u16),
        other => small_float::decode(other, bits as u8),
    };
    if value.is_nan() { nan_of_bits(dtype, bits) } else { value }
}

/// The bits of a float that is already rounded to its type.
pub(crate) fn bits_of_float(dtype: DType, x: f64) -> u64 {
    match dtype {
        DType::F64 => x.to_bits(),
        _ if x.is_nan() => bits_of_nan(dtype, x),
        DType::F32 => u64::from((x as f32).to_bits()),
        DType::BF16 => u64::from((x as f32).to_bits() >> 16),
        DType::F16 => u64::from(bits_of_half(x)),
        other => u64::from(small_float::encode(other, x)),
    }
}

/// The place of a small float's code in the fraction of a NaN: below the bits that make it a quiet one.
const CODE_AT: u32 = 40;

/// Returns the fraction bits of types with IEEE NaNs. Other types are codes of a byte.
fn fraction_bits(dtype: DType) -> Option<u32> {
    match dtype {
        DType::F32 => Some(23),
        DType::BF16 => Some(7),
        DType::F16 => Some(10),
        _ => None,
    }
}

fn nan_of_bits(dtype: DType, bits: u64) -> f64 {
    let Some(fraction) = fraction_bits(dtype) else {
        return f64::from_bits(f64::NAN.to_bits() | bits << CODE_AT);
    };
    let sign = bits >> (dtype.bits() - 1) & 1;
    f64::from_bits(sign << 63 | f64::INFINITY.to_bits() | bits << (52 - fraction) & ((1 << 52) - 1))
}

/// The bits of a NaN that came from this type, or of the nearest one: a fraction of zeros would be an infinity.
fn bits_of_nan(dtype: DType, x: f64) -> u64 {
    let Some(fraction) = fraction_bits(dtype) else {
        let code = (x.to_bits() >> CODE_AT) as u8 & (u8::MAX >> (8 - dtype.bits()));
        let is_nan = small_float::decode(dtype, code).is_nan();
        return u64::from(if is_nan { code } else { small_float::encode(dtype, x) });
    };
    let (sign, exponent) = (x.to_bits() >> 63, (1 << (dtype.bits() - 1 - fraction)) - 1);
    let kept = x.to_bits() >> (52 - fraction) & ((1 << fraction) - 1);
    let kept = if kept == 0 { 1 << (fraction - 1) } else { kept };
    sign << (dtype.bits() - 1) | exponent << fraction | kept
}

fn half_of_bits(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (mantissa + 1024.0) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

fn bits_of_half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    let code = if magnitude.is_nan() {
        0x7e00
    } else if magnitude.is_infinite() {
        0x7c00
    } else if magnitude < 2f64.powi(-14) {
        (magnitude * 2f64.powi(24)) as u16
    } else {
        let bits = magnitude.to_bits();
        ((((bits >> 52) as i64 - 1023 + 15) as u16) << 10) | ((bits >> 42) & 1023) as u16
    };
    sign | code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::round;

    #[test]
    fn every_half_decodes_and_encodes_to_itself() {
        for code in 0..=u16::MAX {
            let x = half_of_bits(code);
            if !x.is_nan() {
                assert_eq!(bits_of_half(x), code, "{code:#x}");
                assert!(round(DType::F16, x) == x, "{code:#x}");
            }
        }
    }

    #[test]
    fn every_pattern_is_itself_again() {
        for dtype in DType::all().filter(|dtype| dtype.is_float()) {
            let words = match dtype.bits() {
                bits @ ..=16 => (0..1u64 << bits).collect(),
                32 => vec![0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0x7fa5_a5a5, 0xffff_ffff, 0x7f80_0000, 1],
                _ => vec![0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0000, u64::MAX, 1],
            };
            for bits in words {
                let x = float_of_bits(dtype, bits);
                assert_eq!(bits_of_float(dtype, x), bits, "{dtype} {bits:#x} = {x}");
            }
        }
    }

    #[test]
    fn a_nan_of_another_type_stays_one() {
        let signaling = float_of_bits(DType::F64, 0x7ff0_0000_0000_0001);
        for dtype in DType::all().filter(|dtype| dtype.is_float() && *dtype != DType::F4E2M1FN) {
            for x in [signaling, -signaling, f64::NAN, float_of_bits(DType::F8E5M2, 0x7d)] {
                assert!(float_of_bits(dtype, bits_of_float(dtype, x)).is_nan(), "{dtype}");
            }
        }
    }
}
