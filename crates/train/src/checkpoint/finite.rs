//! Weights are numbers: what has a NaN or an infinity in it is neither written nor read.

use super::Element;
use meshwright_base::{Code, Diagnostic};

const BAD_NUMBERS: Code = Code(1142);

/// How many floats are a NaN or an infinity. Whole numbers never are.
pub fn not_finite(element: Element, bytes: &[u8]) -> usize {
    let bad = |width: usize, is_bad: fn(&[u8]) -> bool| {
        bytes.chunks_exact(width).filter(|number| is_bad(number)).count()
    };
    match element {
        Element::F16 => bad(2, |number| number[1] & 0x7C == 0x7C),
        // All ones in the exponent.
        Element::Bf16 => bad(2, |number| number[1] & 0x7F == 0x7F && number[0] & 0x80 != 0),
        Element::F32 => bad(4, |number| number[3] & 0x7F == 0x7F && number[2] & 0x80 != 0),
        Element::F64 => bad(8, |number| number[7] & 0x7F == 0x7F && number[6] & 0xF0 == 0xF0),
        _ => 0,
    }
}

/// Floats that were read, which must all be finite. `whose` says where they lie.
pub fn finite(name: &str, whose: &str, element: Element, bytes: &[u8]) -> Result<(), Diagnostic> {
    let (bad, all) = (not_finite(element, bytes), bytes.len() / element.bytes());
    if bad == 0 {
        return Ok(());
    }
    let message =
        format!("`{name}` of `{whose}` holds a NaN or an infinity: {bad} of the {all} numbers read");
    let help = "take weights of before it broke, or fetch them anew: whatever is computed with these is no number; \
                nothing was computed";
    Err(Diagnostic::error(BAD_NUMBERS, message).help(help))
}

/// A tensor that would be written, and must not be.
pub fn bad_numbers(message: String) -> Diagnostic {
    Diagnostic::error(BAD_NUMBERS, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_counted_in_every_width() {
        let f32s = [1.0, f32::NAN, f32::MAX, f32::INFINITY, f32::MIN_POSITIVE, f32::NEG_INFINITY];
        let wide: Vec<u8> = f32s.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(not_finite(Element::F32, &wide), 3);
        let narrow: Vec<u8> = f32s.iter().flat_map(|x| x.to_bits().to_le_bytes()[2..].to_vec()).collect();
        assert_eq!(not_finite(Element::Bf16, &narrow), 3);
        let f64s = [f64::NAN, f64::MAX, 0.0, f64::NEG_INFINITY, -1.0];
        let widest: Vec<u8> = f64s.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(not_finite(Element::F64, &widest), 2);
        // Infinity, the largest number, a NaN.
        let half: Vec<u8> = [0x7C00u16, 0x7BFF, 0xFE00].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(not_finite(Element::F16, &half), 2);
        assert_eq!(not_finite(Element::I32, &[0xFF; 8]), 0);
    }
}
