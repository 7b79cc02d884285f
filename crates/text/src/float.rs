//! Elements of literals as bytes: from a float's value or bit pattern, and to the decimal digits MLIR prints.
//!
//! Printing keeps every bit: six digits if they read back exactly, else as many as the type needs, else hex bits.

use meshwright_ir::{DType, small_float};

/// Bytes of the nearest element of a float type.
pub fn encode(dtype: DType, value: f64) -> Vec<u8> {
    match dtype {
        DType::F64 => value.to_le_bytes().to_vec(),
        DType::F32 => (value as f32).to_le_bytes().to_vec(),
        DType::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        DType::BF16 => half::bf16::from_f64(value).to_le_bytes().to_vec(),
        _ => vec![small_float::encode(dtype, value)],
    }
}

/// Value of one element of a float type, and exactly it: `f64` holds them all.
pub fn decode(dtype: DType, element: &[u8]) -> f64 {
    let bits = bits(element);
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F16 => half::f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        _ => small_float::decode(dtype, bits as u8),
    }
}

/// An element's bytes as a number.
pub fn bits(element: &[u8]) -> u64 {
    element.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Significant bits of a float type, the hidden one included.
fn significant_bits(dtype: DType) -> usize {
    match dtype {
        DType::F64 => 53,
        DType::F32 => 24,
        DType::F16 => 11,
        DType::BF16 => 8,
        DType::F8E3M4 => 5,
        DType::F8E5M2 | DType::F8E5M2FNUZ => 3,
        DType::F4E2M1FN => 2,
        DType::F8E8M0FNU => 1,
        _ => 4,
    }
}

/// Write one element of a float type as MLIR does.
pub fn write_mlir(out: &mut String, dtype: DType, element: &[u8]) {
    let value = decode(dtype, element);
    if value.is_finite() {
        let short = scientific(value);
        let back = short.parse().map(|value: f64| encode(dtype, value));
        if back.as_deref() == Ok(element) {
            return out.push_str(&short);
        }
        let long = shortest_layout(value, 2 + significant_bits(dtype) * 59 / 196);
        if long.contains('.') {
            return out.push_str(&long);
        }
    }
    out.push_str(&format!("0x{:X}", bits(element)));
}

/// A finite number as decimal digits `d.ddd x 10^exponent`, no zeros at the end (but one digit at least).
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    /// At most `count` digits, chosen as LLVM does: the integer that holds all digits first loses as many tens as its
    /// length in bits allows (cutting), then the rest is rounded half up.
    fn new(value: f64, count: usize) -> Decimal {
        let (bits, point) = integer_form(value.abs());
        let needed = (count * 196).div_ceil(59);
        let cut = bits.saturating_sub(needed) * 59 / 196;
        // Enough digits for the whole integer, so that the expansion is exact.
        let text = format!("{:.*e}", bits * 59 / 196 + 2, value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mut exponent: i32 = exponent.parse().unwrap_or(0);
        let mut digits: Vec<u8> =
            mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        let length = usize::try_from(exponent + point as i32 + 1).unwrap_or(0);
        digits.truncate(length.saturating_sub(cut).max(1));
        let up = digits.get(count).is_some_and(|next| *next >= 5);
        digits.truncate(count);
        if up && carry(&mut digits) {
            exponent += 1;
        }
        while digits.len() > 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        Decimal { negative: value.is_sign_negative(), digits, exponent }
    }

    fn push(&self, out: &mut String, from: usize, to: usize) {
        out.extend(self.digits.iter().take(to).skip(from).map(|digit| (b'0' + digit) as char));
    }
}

/// The number as an integer and a power of ten, `integer x 10^-point` with as small a `point` as possible: the
/// integer's length in bits, and `point`.
fn integer_form(value: f64) -> (usize, usize) {
    let raw = value.to_bits();
    let (field, fraction) = ((raw >> 52) as i32, raw & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let (odd, exponent) = (mantissa >> zeros, exponent + zeros as i32);
    let length = 64 - odd.leading_zeros() as usize;
    match usize::try_from(-exponent) {
        Ok(point) => (bits_times_power_of_five(odd, point), point),
        Err(_) => (length + exponent as usize, 0),
    }
}

/// Length in bits of `factor x 5^power`.
fn bits_times_power_of_five(factor: u64, power: usize) -> usize {
    let mut limbs = vec![factor as u32, (factor >> 32) as u32];
    for step in 0..power {
        let mut carry = 0u64;
        for limb in &mut limbs {
            let product = u64::from(*limb) * 5 + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 || step == 0 {
            limbs.push(carry as u32);
        }
    }
    let used = limbs.iter().rposition(|limb| *limb != 0).unwrap_or(0);
    limbs.get(used).map_or(0, |top| used * 32 + 32 - top.leading_zeros() as usize)
}

/// Add one to the last digit. Whether the number grew by a digit (it is `1000..` then, of the old length).
fn carry(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        *digit = (*digit + 1) % 10;
        if *digit != 0 {
            return false;
        }
    }
    if let Some(first) = digits.first_mut() {
        *first = 1;
    }
    true
}

/// `1.500000e+00`: six significant digits, a seventh that is always zero.
fn scientific(value: f64) -> String {
    let decimal = Decimal::new(value, 6);
    let mut out = String::from(if decimal.negative { "-" } else { "" });
    decimal.push(&mut out, 0, 1);
    out.push('.');
    decimal.push(&mut out, 1, 6);
    out.extend(std::iter::repeat_n('0', 7usize.saturating_sub(decimal.digits.len())));
    let sign = if decimal.exponent < 0 { '-' } else { '+' };
    out + &format!("e{sign}{:02}", decimal.exponent.abs())
}

/// Up to `count` digits, plain where at most three zeros have to be filled in, else with an exponent.
fn shortest_layout(value: f64, count: usize) -> String {
    let decimal = Decimal::new(value, count);
    let (len, exponent) = (decimal.digits.len(), decimal.exponent);
    let mut out = String::from(if decimal.negative { "-" } else { "" });
    // How many zeros stand between the last digit and the point; negative: digits after the point.
    let trailing = exponent - (len as i32 - 1);
    let plain =
        if trailing >= 0 { trailing <= 3 && len as i32 + trailing <= count as i32 } else { exponent >= -3 };
    if !plain {
        decimal.push(&mut out, 0, 1);
        out.push('.');
        decimal.push(&mut out, 1, len);
        if len == 1 {
            out.push('0');
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        return out + &format!("E{sign}{}", exponent.abs());
    }
    if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        decimal.push(&mut out, 0, len);
        return out;
    }
    let whole = exponent as usize + 1;
    decimal.push(&mut out, 0, whole);
    out.extend(std::iter::repeat_n('0', whole.saturating_sub(len)));
    if len > whole {
        out.push('.');
        decimal.push(&mut out, whole, len);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dtype: DType, bits: u64) -> String {
        let mut out = String::new();
        write_mlir(&mut out, dtype, &bits.to_le_bytes()[..dtype.bytes()]);
        out
    }

    /// What MLIR prints for these bit patterns.
    const CASES: [(DType, u64, &str); 21] = [
        (DType::F32, 0x3f800000, "1.000000e+00"),
        (DType::F32, 0x80000000, "-0.000000e+00"),
        (DType::F32, 0x3f666666, "0.899999976"),
        (DType::F32, 0x358637bd, "9.99999997E-7"),
        (DType::F32, 0xcc60604a, "0xCC60604A"),
        (DType::F32, 0xbb303e57, "-0.00268926262"),
        (DType::F32, 0xc9388158, "-755733.5"),
        (DType::F32, 0xd0000000, "-8.58993459E+9"),
        (DType::F32, 0x7c656ceb, "4.7649804E+36"),
        (DType::F32, 0x7fc00000, "0x7FC00000"),
        (DType::F32, 0xff800000, "0xFF800000"),
        (DType::F16, 0x5b27, "2.288750e+02"),
        (DType::F16, 0x99e4, "-2.876280e-03"),
        (DType::F16, 0xfc00, "0xFC00"),
        (DType::F64, 0xbf43a8e71471886b, "-5.9996874996338706E-4"),
        (DType::F64, 0x40a47d5a7c9e4643, "2622.6767320118684"),
        (DType::F8E4M3FN, 0x9d, "-1.015630e-01"),
        (DType::BF16, 0x3f81, "1.007810e+00"),
        (DType::BF16, 0x3586, "9.983770e-07"),
        (DType::F32, 0x000116c2, "9.999940e-41"),
        (DType::F32, 0x3f2d4275, "0.676795303"),
    ];

    #[test]
    fn elements_print_as_mlir_prints_them() {
        for (dtype, bits, text) in CASES {
            assert_eq!(shown(dtype, bits), text, "{dtype} {bits:#x}");
        }
    }

    #[test]
    fn every_f16_and_bf16_pattern_reads_back_exactly() {
        for dtype in [DType::F16, DType::BF16] {
            for pattern in 0..=0xffffu64 {
                let text = shown(dtype, pattern);
                let back = match text.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
                    None => bits(&encode(dtype, text.parse().unwrap())),
                };
                assert_eq!(back, pattern, "{dtype} {text}");
            }
        }
    }
}
