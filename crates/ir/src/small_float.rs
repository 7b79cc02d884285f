//! The eight-bit (and four-bit) floats: encode from and decode to f64, rounding to nearest even.
//!
//! A format is its exponent bits, mantissa bits, bias and what its top codes mean. Everything follows from that row.

use crate::types::DType;

/// What the codes at the top of the range mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    /// IEEE: all-ones exponent is infinity and NaN.
    Ieee,
    /// No infinity; the all-ones code is NaN ("FN").
    OneNan,
    /// No infinity, no negative zero; its pattern is NaN ("FNUZ").
    NegativeZeroIsNan,
    /// Neither infinity nor NaN.
    Finite,
}

struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    top: Top,
    signed: bool,
}

fn format(dtype: DType) -> Format {
    let f = |exponent, mantissa, bias, top| Format { exponent, mantissa, bias, top, signed: true };
    match dtype {
        DType::F4E2M1FN => f(2, 1, 1, Top::Finite),
        DType::F8E3M4 => f(3, 4, 3, Top::Ieee),
        DType::F8E4M3 => f(4, 3, 7, Top::Ieee),
        DType::F8E4M3FN => f(4, 3, 7, Top::OneNan),
        DType::F8E4M3FNUZ => f(4, 3, 8, Top::NegativeZeroIsNan),
        DType::F8E4M3B11FNUZ => f(4, 3, 11, Top::NegativeZeroIsNan),
        DType::F8E5M2FNUZ => f(5, 2, 16, Top::NegativeZeroIsNan),
        DType::F8E8M0FNU => Format { exponent: 8, mantissa: 0, bias: 127, top: Top::OneNan, signed: false },
        _ => f(5, 2, 15, Top::Ieee),
    }
}

/// Value of a code of a small float type.
pub fn decode(dtype: DType, code: u8) -> f64 {
    let f = format(dtype);
    let magnitude_bits = f.exponent + f.mantissa;
    let mask = ((1u32 << magnitude_bits) - 1) as u8;
    let (sign, magnitude) =
        if f.signed { (code >> magnitude_bits & 1 == 1, code & mask) } else { (false, code) };
    let top_exponent = (1u32 << f.exponent) - 1;
    let exponent = u32::from(magnitude) >> f.mantissa;
    let mantissa = u32::from(magnitude) & ((1 << f.mantissa) - 1);
    match f.top {
        Top::Ieee if exponent == top_exponent && mantissa == 0 => {
            return if sign { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        Top::Ieee if exponent == top_exponent => return f64::NAN,
        Top::OneNan if magnitude == mask => return f64::NAN,
        Top::NegativeZeroIsNan if sign && magnitude == 0 => return f64::NAN,
        _ => {}
    }
    let value = if !f.signed {
        (f64::from(exponent) - f64::from(f.bias)).exp2()
    } else if exponent == 0 {
        f64::from(mantissa) * f64::from(1 - f.bias - f.mantissa as i32).exp2()
    } else {
        f64::from(mantissa + (1 << f.mantissa))
            * f64::from(exponent as i32 - f.bias - f.mantissa as i32).exp2()
    };
    if sign { -value } else { value }
}

/// Nearest code of a small float type, ties to even. Overflow goes to infinity, to NaN where there is none, and to the
/// largest value where there is neither.
pub fn encode(dtype: DType, value: f64) -> u8 {
    let f = format(dtype);
    if !f.signed {
        return encode_power_of_two(value);
    }
    let bits = f.exponent + f.mantissa;
    let sign = if value.is_sign_negative() { 1u8 << bits } else { 0 };
    let last = ((1u32 << bits) - 1) as u8;
    let infinity = last & !((1u8 << f.mantissa).wrapping_sub(1));
    let (nan, overflow, largest) = match f.top {
        Top::Ieee => (infinity | 1 << (f.mantissa - 1), infinity, infinity - 1),
        Top::OneNan => (last, last, last - 1),
        Top::NegativeZeroIsNan => (1 << bits, 1 << bits, last),
        Top::Finite => (last, last, last),
    };
    let signed =
        |code: u8| if code == 1 << bits && f.top == Top::NegativeZeroIsNan { code } else { sign | code };
    if value.is_nan() {
        return if f.top == Top::NegativeZeroIsNan { nan } else { signed(nan) };
    }
    let magnitude = value.abs();
    // Codes of one sign ascend with their value, so the nearest lies beside the partition point.
    let above =
        (0..=largest).collect::<Vec<_>>().partition_point(|code| decode(dtype, *code) <= magnitude) as u8;
    if above > largest {
        let step = decode(dtype, largest) - decode(dtype, largest - 1);
        let limit = decode(dtype, largest) + step / 2.0;
        let rounds_down = magnitude < limit || (magnitude == limit && largest % 2 == 0);
        return signed(if rounds_down { largest } else { overflow });
    }
    let below = above - 1;
    let (down, up) = (magnitude - decode(dtype, below), decode(dtype, above) - magnitude);
    let code = if down < up || (down == up && below.is_multiple_of(2)) { below } else { above };
    if code == 0 && f.top == Top::NegativeZeroIsNan { 0 } else { signed(code) }
}

/// `f8E8M0FNU` holds powers of two from 2^-127 to 2^127 and NaN. As in XLA, zero becomes NaN and halfway goes up.
fn encode_power_of_two(magnitude: f64) -> u8 {
    if magnitude.is_nan() || magnitude <= 0.0 || magnitude.is_infinite() {
        return 0xff;
    }
    let floor = magnitude.log2().floor().max(-127.0);
    let code = floor as i32 + 127 + i32::from(magnitude / floor.exp2() >= 1.5);
    if code > 254 { 0xff } else { code as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_code_decodes_and_encodes_to_itself() {
        for dtype in DType::all().filter(|d| d.is_float() && d.bits() <= 8) {
            let codes = if dtype.bits() == 4 { 16u16 } else { 256 };
            for code in (0..codes).map(|code| code as u8) {
                let value = decode(dtype, code);
                let again = encode(dtype, value);
                if value.is_nan() {
                    assert!(decode(dtype, again).is_nan(), "{dtype} {code:#x}");
                } else {
                    assert_eq!(again, code, "{dtype} {code:#x} = {value}");
                }
            }
        }
    }

    #[test]
    fn known_values_of_the_formats() {
        assert_eq!(decode(DType::F8E4M3FN, 0x7e), 448.0);
        assert_eq!(decode(DType::F8E5M2, 0x7b), 57344.0);
        assert_eq!(decode(DType::F8E4M3B11FNUZ, 0x7f), 30.0);
        assert_eq!(decode(DType::F8E8M0FNU, 127), 1.0);
        assert!(decode(DType::F8E4M3FN, encode(DType::F8E4M3FN, 500.0)).is_nan());
        assert_eq!(decode(DType::F8E4M3FN, encode(DType::F8E4M3FN, 449.0)), 448.0);
        assert_eq!(encode(DType::F8E5M2, 1e9), 0x7c);
        assert_eq!(
            [0.0, 0.75, 1.5, 3.0, -1.0].map(|x| encode(DType::F8E8M0FNU, x)),
            [255, 127, 128, 129, 255]
        );
    }
}
