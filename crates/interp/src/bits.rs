//! The bits of floats of every type.

use meshwright_ir::{DType, small_float};

/// The float with these bits.
pub(crate) fn float_of_bits(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
        DType::F16 => half_of_bits(bits as u16),
        other => small_float::decode(other, bits as u8),
    }
}

/// The bits of a float that is already rounded to its type.
pub(crate) fn bits_of_float(dtype: DType, x: f64) -> u64 {
    match dtype {
        DType::F64 => x.to_bits(),
        DType::F32 => u64::from((x as f32).to_bits()),
        DType::BF16 => u64::from((x as f32).to_bits() >> 16),
        DType::F16 => u64::from(bits_of_half(x)),
        other => u64::from(small_float::encode(other, x)),
    }
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
}
