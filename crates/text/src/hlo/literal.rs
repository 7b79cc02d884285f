//! The numbers of a constant: `{ { 1, 2 }, { 3, 4 } }`, `(1, 2)` for complex ones, `true`, `nan`, `-inf`.

use super::lex::{Cursor, Piece, Read, fault};
use crate::codes;
use half::{bf16, f16};
use meshwright_base::Diagnostic;
use meshwright_ir::small_float;
use meshwright_ir::{DType, Literal, TensorType};
use std::fmt::Write;

/// Read a constant of a type.
pub(super) fn read(text: Piece<'_>, ty: &TensorType) -> Read<Literal> {
    let mut reader = Reader { cursor: text.cursor(), ty, bytes: Vec::new(), counts: Vec::new() };
    reader.elements()?;
    let count = reader.bytes.len() / ty.dtype.bytes().max(1);
    Literal::dense(ty.clone(), reader.bytes).ok_or_else(|| {
        let message = format!("`{ty}` has {} elements, the literal has {count}", ty.elements());
        Box::new(fault(codes::BAD_LITERAL, text.span(), message).help(HELP))
    })
}

const HELP: &str = "write one item per element, in braces nested as the shape's dims";

struct Reader<'t, 'x> {
    cursor: Cursor<'t>,
    ty: &'x TensorType,
    bytes: Vec<u8>,
    /// Parts so far at each open brace.
    counts: Vec<i64>,
}

impl Reader<'_, '_> {
    fn elements(&mut self) -> Read<()> {
        let rank = self.ty.rank();
        loop {
            match self.cursor.peek() {
                Some(b'{') => self.open()?,
                Some(b'}') => self.close()?,
                None if self.counts.is_empty() => return Ok(()),
                None => return Err(self.cursor.expected("`}`")),
                Some(_) if self.counts.len() == rank || self.ty.elements() == 0 => self.element()?,
                Some(_) => return Err(self.bad("braces do not nest as deep as the shape")),
            }
            if self.counts.is_empty() && !self.cursor.is_done() {
                return Err(self.cursor.expected("the end of the literal"));
            }
            self.cursor.eat(b',');
        }
    }

    fn bad(&mut self, message: &str) -> Box<Diagnostic> {
        let message = format!("{message} `{}`", self.ty);
        Box::new(fault(codes::BAD_LITERAL, self.cursor.here(), message).help(HELP))
    }

    fn open(&mut self) -> Read<()> {
        if self.counts.len() >= self.ty.rank() {
            return Err(self.bad("braces nest deeper than the shape"));
        }
        if self.cursor.rest().str.trim_start().starts_with("{...}") {
            let message = "the elements of this constant were left out of the dump";
            let help = "dump again with `--xla_dump_large_constants` or print with large constants";
            return Err(Box::new(fault(codes::BAD_LITERAL, self.cursor.here(), message).help(help)));
        }
        self.cursor.expect(b'{')?;
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
        self.counts.push(0);
        Ok(())
    }

    fn close(&mut self) -> Read<()> {
        let depth = self.counts.len();
        let (Some(count), Some(size)) = (self.counts.last(), self.ty.dims.get(depth.wrapping_sub(1))) else {
            return Err(self.bad("a brace closes that was not opened in a literal of"));
        };
        if count != size && self.ty.elements() != 0 {
            let message = format!("dim {} has size {size}, but {count} parts are given for", depth - 1);
            return Err(self.bad(&message));
        }
        self.counts.pop();
        self.cursor.expect(b'}')
    }

    fn element(&mut self) -> Read<()> {
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
        let ty = self.ty.dtype;
        if !ty.is_complex() {
            return self.number(ty);
        }
        self.cursor.expect(b'(')?;
        self.number(ty.part())?;
        self.cursor.expect(b',')?;
        self.number(ty.part())?;
        self.cursor.expect(b')')
    }

    fn number(&mut self, ty: DType) -> Read<()> {
        self.cursor.space();
        let mut word = self.cursor.until(b",{}() \t\r\n");
        let mut payload = None;
        if word.str.ends_with("nan") && self.cursor.rest().str.starts_with('(') {
            let inner = self.cursor.brackets()?;
            payload = inner.inside('(', ')').and_then(|inner| parse_hex(inner.str));
            word = Piece { str: word.str, at: word.at };
        }
        if word.str.is_empty() {
            return Err(self.cursor.expected("a number"));
        }
        match push_number(&mut self.bytes, ty, word.str, payload) {
            Some(()) => Ok(()),
            None => {
                let message = format!("`{:.40}` is no value of type `{ty}`", word.str);
                Err(fault(codes::BAD_LITERAL, word.span(), message))
            }
        }
    }
}

fn parse_hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

/// Append one number's bytes.
fn push_number(out: &mut Vec<u8>, ty: DType, word: &str, payload: Option<u64>) -> Option<()> {
    match ty {
        DType::Pred => out.push(match word {
            "true" | "1" => 1,
            "false" | "0" => 0,
            _ => return None,
        }),
        _ if ty.is_float() => push_float(out, ty, word, payload)?,
        _ => {
            let value: i128 = word.parse().ok()?;
            let (low, high) = int_range(ty);
            if value < low || value > high {
                return None;
            }
            out.extend_from_slice(&value.to_le_bytes()[..ty.bytes()]);
        }
    }
    Some(())
}

fn int_range(ty: DType) -> (i128, i128) {
    let bits = ty.bits();
    match ty.class() {
        meshwright_ir::Class::Unsigned => (0, (1i128 << bits) - 1),
        _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}

fn push_float(out: &mut Vec<u8>, ty: DType, word: &str, payload: Option<u64>) -> Option<()> {
    if word.ends_with("nan") {
        let bits = nan_bits(ty, word.starts_with('-'), payload);
        out.extend_from_slice(&bits.to_le_bytes()[..ty.bytes()]);
        return Some(());
    }
    let spelled = matches!(word, "inf" | "-inf");
    let starts = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.');
    if !spelled && (!word.starts_with(starts) || word.contains("inf")) {
        return None;
    }
    // f32 is parsed as such: by way of f64 it could round twice.
    match ty {
        DType::F32 => out.extend_from_slice(&word.parse::<f32>().ok()?.to_le_bytes()),
        DType::F64 => out.extend_from_slice(&word.parse::<f64>().ok()?.to_le_bytes()),
        DType::F16 => out.extend_from_slice(&f16::from_f64(word.parse().ok()?).to_le_bytes()),
        DType::BF16 => out.extend_from_slice(&bf16::from_f64(word.parse().ok()?).to_le_bytes()),
        _ => out.push(small_float::encode(ty, word.parse().ok()?)),
    }
    Some(())
}

/// The mask of a float type's mantissa, and its NaN without payload (the quiet bit alone).
fn nan_parts(ty: DType) -> (u64, u64) {
    match ty {
        DType::F16 => (0x3ff, 0x7e00),
        DType::BF16 => (0x7f, 0x7fc0),
        DType::F32 => (0x7f_ffff, 0x7fc0_0000),
        DType::F64 => (0xf_ffff_ffff_ffff, 0x7ff8_0000_0000_0000),
        _ => (0, u64::from(small_float::encode(ty, f64::NAN))),
    }
}

fn nan_bits(ty: DType, negative: bool, payload: Option<u64>) -> u64 {
    let (mantissa, quiet) = nan_parts(ty);
    let sign = if negative && mantissa != 0 { 1u64 << (ty.bits() - 1) } else { 0 };
    match payload.filter(|payload| payload & mantissa != 0) {
        Some(payload) => sign | (quiet & !mantissa) | (payload & mantissa),
        None => sign | quiet,
    }
}

/// Print all elements.
pub(super) fn print(literal: &Literal) -> String {
    let ty = literal.ty();
    let mut out = String::new();
    let words_for_pred = ty.rank() == 0;
    let mut next = 0usize;
    write_dims(&mut out, &ty.dims, &mut |out| {
        write_element(out, ty.dtype, literal.element(next), words_for_pred);
        next += 1;
    });
    out
}

/// Braces around braces around elements. The rank bounds the recursion.
fn write_dims(out: &mut String, dims: &[i64], element: &mut dyn FnMut(&mut String)) {
    let Some((size, inner)) = dims.split_first() else { return element(out) };
    out.push_str(if inner.is_empty() { "{" } else { "{ " });
    // Of a tensor without elements one dim may be large; what it holds says nothing.
    let size = if inner.contains(&0) { 0 } else { *size };
    for i in 0..size {
        out.push_str(if i > 0 { ", " } else { "" });
        write_dims(out, inner, element);
    }
    out.push_str(if inner.is_empty() { "}" } else { " }" });
}

pub(super) fn write_element(out: &mut String, ty: DType, bytes: &[u8], words_for_pred: bool) {
    match ty {
        DType::Pred => out.push_str(match (words_for_pred, bytes.first() == Some(&1)) {
            (true, true) => "true",
            (true, false) => "false",
            (false, true) => "1",
            (false, false) => "0",
        }),
        _ if ty.is_complex() => {
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            out.push('(');
            write_element(out, ty.part(), real, false);
            out.push_str(", ");
            write_element(out, ty.part(), imaginary, false);
            out.push(')');
        }
        _ if ty.is_float() => write_float(out, ty, bytes),
        _ => write_int(out, ty, bytes),
    }
}

fn write_int(out: &mut String, ty: DType, bytes: &[u8]) {
    let signed = ty.class() == meshwright_ir::Class::Signed;
    let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let _ = write!(out, "{}", i128::from_le_bytes(wide));
}

fn bits_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn value_of(ty: DType, bits: u64) -> f64 {
    match ty {
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
        _ => small_float::decode(ty, bits as u8),
    }
}

fn write_float(out: &mut String, ty: DType, bytes: &[u8]) {
    let bits = bits_of(bytes);
    let value = value_of(ty, bits);
    if value.is_nan() {
        let (mantissa, quiet) = nan_parts(ty);
        let sign = if mantissa != 0 && bits >> (ty.bits() - 1) & 1 == 1 { "-" } else { "" };
        let payload = bits & mantissa;
        let _ = if payload == quiet & mantissa {
            write!(out, "{sign}nan")
        } else {
            write!(out, "{sign}nan({payload:#x})")
        };
        return;
    }
    let text = if value.is_infinite() { format!("{value}") } else { shortest(ty, value, bits) };
    out.push_str(&text);
}

/// The fewest digits that read back to the same bits.
fn shortest(ty: DType, value: f64, bits: u64) -> String {
    match ty {
        DType::F32 => tidy(format!("{:e}", f32::from_bits(bits as u32))),
        DType::F64 => tidy(format!("{value:e}")),
        _ => {
            let same = |text: &String| {
                let mut bytes = Vec::new();
                push_float(&mut bytes, ty, text, None);
                bits_of(&bytes) == bits
            };
            let digits = (0..9).map(|digits| format!("{value:.digits$e}")).find(same);
            tidy(digits.unwrap_or_else(|| format!("{value:e}")))
        }
    }
}

/// `1.5e0` as `1.5`, `1e-7` as `1e-07`: the way C prints, which XLA follows.
fn tidy(scientific: String) -> String {
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(power) = exponent.parse::<i32>() else { return scientific };
    if !(-5..17).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let figures: String = digits.chars().filter(char::is_ascii_digit).collect();
    let place = power + 1;
    if place <= 0 {
        return format!("{sign}0.{}{figures}", "0".repeat(place.unsigned_abs() as usize));
    }
    let place = place as usize;
    if figures.len() <= place {
        return format!("{sign}{figures}{}", "0".repeat(place - figures.len()));
    }
    format!("{sign}{}.{}", &figures[..place], &figures[place..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(ty: &TensorType, text: &str) -> String {
        print(&read(Piece { str: text, at: 0 }, ty).unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    fn error(ty: &TensorType, text: &str) -> String {
        read(Piece { str: text, at: 0 }, ty).unwrap_err().message
    }

    #[test]
    fn literals_print_as_they_were_read() {
        let cases = [
            (TensorType::scalar(DType::F32), "0.9"),
            (TensorType::new(DType::F32, [3]), "{1e-40, inf, -nan}"),
            (TensorType::new(DType::F32, [2]), "{nan(0x1), 123456790}"),
            (TensorType::new(DType::BF16, [2]), "{0.1, 1e+30}"),
            (TensorType::new(DType::C64, [2]), "{(1, 2), (nan, -inf)}"),
            (TensorType::new(DType::S4, [2]), "{1, -2}"),
            (TensorType::scalar(DType::U64), "18446744073709551615"),
            (TensorType::new(DType::F8E4M3FN, [2]), "{0.5, nan}"),
            (TensorType::new(DType::F64, [2, 2]), "{ {1e-300, -0.00015}, {2.5, 100} }"),
            (TensorType::scalar(DType::Pred), "true"),
            (TensorType::new(DType::Pred, [1, 2]), "{ {1, 0} }"),
            (TensorType::new(DType::F32, [0]), "{}"),
        ];
        for (ty, text) in cases {
            assert_eq!(round_trip(&ty, text), text);
        }
        assert_eq!(round_trip(&TensorType::new(DType::F32, [2, 0]), "{ {}, {} }"), "{  }");
    }

    #[test]
    fn every_half_precision_value_survives() {
        for ty in [DType::F16, DType::BF16, DType::F8E5M2] {
            let count = 1u32 << ty.bits();
            for bits in 0..count {
                let bytes = &bits.to_le_bytes()[..ty.bytes()];
                let mut text = String::new();
                write_float(&mut text, ty, bytes);
                if ty.bits() == 8 && text.contains("nan") {
                    continue;
                }
                let literal = read(Piece { str: &text, at: 0 }, &TensorType::scalar(ty)).unwrap();
                assert_eq!(literal.element(0), bytes, "{ty} {bits:#x} {text}");
            }
        }
    }

    #[test]
    fn wrong_literals_are_refused_with_their_numbers() {
        let ty = TensorType::new(DType::S8, [2, 2]);
        assert_eq!(error(&ty, "{ {1, 2}, {3} }"), "dim 1 has size 2, but 1 parts are given for `s8[2,2]`");
        assert_eq!(error(&ty, "{1, 2, 3, 4}"), "braces do not nest as deep as the shape `s8[2,2]`");
        assert_eq!(error(&ty, "{ {1, 200}, {3, 4} }"), "`200` is no value of type `s8`");
        assert_eq!(error(&ty, "{ {1, 2}"), "expected `}`, but this part ends here");
        assert_eq!(error(&ty, "}"), "a brace closes that was not opened in a literal of `s8[2,2]`");
        assert_eq!(error(&ty, "{ {1, ), 3}"), "expected a number, found `),`");
        assert_eq!(error(&ty, "{...}"), "the elements of this constant were left out of the dump");
        assert_eq!(
            error(&TensorType::scalar(DType::F32), "infinity"),
            "`infinity` is no value of type `f32`"
        );
        assert!(error(&ty, &"{".repeat(100_000)).starts_with("braces nest deeper"));
    }
}
