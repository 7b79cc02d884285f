//! `dense<..>` literals: a splat, nested lists, or a hex string of all bytes.
//!
//! A splat stays one element whatever the shape, so a constant of gigabytes costs nothing. Lists are read without
//! recursion; the memory needed is proportional to the text.

use super::parser::{Failed, Parsed, Parser, clip};
use super::types::write_tensor_type;
use crate::{codes, float};
use meshwright_base::Span;
use meshwright_ir::types::Class;
use meshwright_ir::{DType, Literal, TensorType};
use std::fmt::Write;

/// More elements than this are written as one hex string, as MLIR does.
const HEX_ABOVE: i64 = 100;

impl<'a> Parser<'a> {
    /// `dense<..> : tensor<..>`, or with the type already known from elsewhere.
    pub fn dense(&mut self) -> Parsed<Literal> {
        self.expect_word("dense")?;
        let open = self.peek();
        if !open.is(b'<') {
            return Err(self.expected("`<`"));
        }
        let body = self.text.get(open.end..).unwrap_or("");
        let Some(len) = body.find('>') else {
            return Err(self.fail(codes::SYNTAX, open.span(), "this `dense<` is never closed"));
        };
        self.jump(open.end + len + 1);
        self.expect(b':')?;
        let ty = self.tensor_ty()?;
        let body = body.get(..len).unwrap_or("");
        read_body(body, ty).map_err(|problem| self.bad_literal(open.end, len, problem))
    }

    fn bad_literal(&mut self, start: usize, len: usize, problem: Problem) -> Failed {
        let at = start + problem.at.min(len);
        let end = if problem.whole { start + len } else { at + 1 };
        let help = "write one item per element, nested as the type's dims, or one alone for all of them";
        self.fail_help(codes::BAD_LITERAL, Span::new(at, end), problem.message, help)
    }
}

/// What is wrong with a literal, and at which byte.
struct Problem {
    at: usize,
    /// Whether everything from there on is meant.
    whole: bool,
    message: String,
}

impl Problem {
    fn at(at: usize, message: impl Into<String>) -> Problem {
        Problem { at, whole: false, message: message.into() }
    }

    fn whole(message: impl Into<String>) -> Problem {
        Problem { at: 0, whole: true, message: message.into() }
    }
}

fn read_body(body: &str, ty: TensorType) -> Result<Literal, Problem> {
    let trimmed = body.trim();
    if let Some(hex) = trimmed.strip_prefix("\"0x").and_then(|rest| rest.strip_suffix('"')) {
        return read_hex(hex, ty);
    }
    if trimmed.starts_with('"') {
        return Err(Problem::whole("a string literal here must be hex bytes, as \"0x00FF\""));
    }
    if trimmed.is_empty() || ty.dims.contains(&0) {
        return empty(ty, trimmed);
    }
    if !trimmed.starts_with('[') {
        let mut element = Vec::new();
        let end = read_element(body, 0, ty.dtype, &mut element)?;
        if let Some(extra) = body.get(end..).and_then(|rest| rest.find(|c: char| !c.is_whitespace())) {
            return Err(Problem::at(end + extra, "a splat is one element; lists are written in brackets"));
        }
        return literal(ty, element);
    }
    let bytes = read_lists(body, &ty)?;
    literal(ty, bytes)
}

/// The bytes of all elements, or of one that stands for all.
fn literal(ty: TensorType, bytes: Vec<u8>) -> Result<Literal, Problem> {
    let width = ty.dtype.bytes();
    let (found, shown, count) = (bytes.len(), ty.to_string(), ty.elements());
    let literal = if found == width { Literal::splat(ty, &bytes) } else { Literal::dense(ty, bytes) };
    literal.ok_or_else(|| {
        Problem::whole(format!(
            "the data has {found} bytes, but {shown} has {count} elements of {width} bytes"
        ))
    })
}

/// No elements: any text that holds none, or a splat of nothing.
fn empty(ty: TensorType, text: &str) -> Result<Literal, Problem> {
    let count = ty.elements();
    let shown = ty.to_string();
    let nothing =
        text.bytes().all(|byte| matches!(byte, b'[' | b']' | b',' | b' ')) || !text.starts_with('[');
    match Literal::dense(ty, Vec::new()) {
        Some(literal) if nothing => Ok(literal),
        _ => Err(Problem::whole(format!("found elements that do not fit {shown}, which has {count}"))),
    }
}

fn read_hex(hex: &str, ty: TensorType) -> Result<Literal, Problem> {
    let Some(bytes) = hex_bytes(hex) else {
        return Err(Problem::whole("hex data must be an even number of hex digits"));
    };
    let bytes = tidy_elements(ty.dtype, bytes, ty.elements());
    literal(ty, bytes)
}

fn hex_bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

/// Bring raw bytes into the form of a [`Literal`]: predicates as 0 and 1 (older MLIR packs eight to a byte), sub-byte
/// integers extended to their byte.
fn tidy_elements(dtype: DType, bytes: Vec<u8>, count: i64) -> Vec<u8> {
    match dtype {
        DType::Pred
            if bytes.len() as i64 != count
                && bytes.len() as i64 == count.saturating_add(7) / 8
                && bytes.len() > 1 =>
        {
            (0..count as usize).map(|i| bytes.get(i / 8).map_or(0, |byte| byte >> (i % 8) & 1)).collect()
        }
        DType::Pred => bytes.iter().map(|byte| u8::from(*byte != 0)).collect(),
        DType::S2 | DType::S4 => {
            let unused = 8 - dtype.bits();
            bytes.iter().map(|byte| ((byte << unused) as i8 >> unused) as u8).collect()
        }
        DType::U2 | DType::U4 | DType::F4E2M1FN => {
            bytes.iter().map(|byte| byte & ((1 << dtype.bits()) - 1)).collect()
        }
        _ => bytes,
    }
}

/// Nested lists in the shape of the type. `counts` holds how many items each open list has so far.
fn read_lists(body: &str, ty: &TensorType) -> Result<Vec<u8>, Problem> {
    let mut out = Vec::new();
    let mut counts: Vec<i64> = Vec::new();
    let mut expect_item = true;
    let mut at = 0;
    while let Some(byte) = body.as_bytes().get(at) {
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' => at += 1,
            b'[' if expect_item && counts.len() < ty.rank() => {
                counts.push(0);
                at += 1;
            }
            b'[' => {
                return Err(Problem::at(
                    at,
                    format!("lists nest deeper than {ty}, which has {} dims", ty.rank()),
                ));
            }
            b']' => {
                close_list(&mut counts, ty, at)?;
                expect_item = false;
                at += 1;
            }
            b',' if !expect_item && !counts.is_empty() => {
                expect_item = true;
                at += 1;
            }
            _ if expect_item && counts.len() == ty.rank() => {
                at = read_element(body, at, ty.dtype, &mut out)?;
                count_item(&mut counts);
                expect_item = false;
            }
            _ => return Err(Problem::at(at, format!("does not fit the nesting of {ty}"))),
        }
    }
    if counts.is_empty() { Ok(out) } else { Err(Problem::at(at, "a list is not closed")) }
}

fn count_item(counts: &mut [i64]) {
    if let Some(count) = counts.last_mut() {
        *count += 1;
    }
}

fn close_list(counts: &mut Vec<i64>, ty: &TensorType, at: usize) -> Result<(), Problem> {
    let Some(count) = counts.pop() else { return Err(Problem::at(at, "no list is open here")) };
    let expected = ty.dims.get(counts.len()).copied().unwrap_or(0);
    if count != expected {
        let message =
            format!("this list has {count} items, but dim {} of {ty} has size {expected}", counts.len());
        return Err(Problem::at(at, message));
    }
    count_item(counts);
    Ok(())
}

/// One element at `at`, appended to `out`; gives the byte after it.
fn read_element(body: &str, at: usize, dtype: DType, out: &mut Vec<u8>) -> Result<usize, Problem> {
    let start = at + body.get(at..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    if !dtype.is_complex() {
        return read_scalar(body, start, dtype, out);
    }
    if body.as_bytes().get(start) != Some(&b'(') {
        return Err(Problem::at(start, "a complex element is written `(re,im)`"));
    }
    let comma = skip_spaces(body, read_element(body, start + 1, dtype.part(), out)?);
    if body.as_bytes().get(comma) != Some(&b',') {
        return Err(Problem::at(comma, "expected `,` between the two parts of a complex element"));
    }
    let close = skip_spaces(body, read_element(body, comma + 1, dtype.part(), out)?);
    if body.as_bytes().get(close) != Some(&b')') {
        return Err(Problem::at(close, "expected `)` after a complex element"));
    }
    Ok(close + 1)
}

fn skip_spaces(body: &str, at: usize) -> usize {
    at + body.bytes().skip(at).take_while(u8::is_ascii_whitespace).count()
}

fn read_scalar(body: &str, at: usize, dtype: DType, out: &mut Vec<u8>) -> Result<usize, Problem> {
    let len = body.bytes().skip(at).take_while(|byte| is_scalar_byte(*byte)).count();
    let word = body.get(at..at + len).unwrap_or("");
    if push_scalar(word, dtype, out) {
        return Ok(at + len);
    }
    let shown = if word.is_empty() { body.get(at..).map(clip).unwrap_or_default() } else { clip(word) };
    Err(Problem::at(at, format!("`{shown}` is no value of type {dtype}")))
}

fn is_scalar_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Append one scalar. `false` if the word is no value of the type.
pub fn push_scalar(word: &str, dtype: DType, out: &mut Vec<u8>) -> bool {
    let known = match (word, dtype.class()) {
        ("true", Class::Pred) => Some(1),
        ("false", Class::Pred) => Some(0),
        _ => None,
    };
    if let Some(byte) = known {
        out.push(byte);
        return true;
    }
    if dtype.is_float() {
        return push_float(word, dtype, out);
    }
    let Some(value) = parse_int(word) else { return false };
    if !int_fits(value, dtype) {
        return false;
    }
    out.extend(value.to_le_bytes().iter().take(dtype.bytes()));
    extend_sign(out, dtype);
    true
}

/// Signed sub-byte values are kept sign extended, also where the text gave the bits.
fn extend_sign(out: &mut [u8], dtype: DType) {
    if let (DType::S2 | DType::S4, Some(last)) = (dtype, out.last_mut()) {
        let unused = 8 - dtype.bits();
        *last = ((*last << unused) as i8 >> unused) as u8;
    }
}

fn push_float(word: &str, dtype: DType, out: &mut Vec<u8>) -> bool {
    if let Some(hex) = word.strip_prefix("0x") {
        let Ok(bits) = u64::from_str_radix(hex, 16) else { return false };
        let width = dtype.bits();
        let fits = width >= 64 || bits >> width == 0;
        out.extend(bits.to_le_bytes().iter().take(if fits { dtype.bytes() } else { 0 }));
        return fits;
    }
    let numeric = word.bytes().all(|byte| !byte.is_ascii_alphabetic() || matches!(byte, b'e' | b'E'));
    match word.parse::<f64>() {
        Ok(value) if numeric => out.extend(float::encode(dtype, value)),
        _ => return false,
    }
    true
}

fn parse_int(word: &str) -> Option<i128> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { -value } else { value })
}

/// A signless integer may also be written by its bit pattern.
fn int_fits(value: i128, dtype: DType) -> bool {
    let bits = if dtype == DType::Pred { 1 } else { dtype.bits() };
    let limit = 1i128 << bits;
    match dtype.class() {
        Class::Signed => (-limit / 2..limit).contains(&value),
        Class::Pred => (-1..limit).contains(&value),
        _ => (0..limit).contains(&value),
    }
}

/// Write `dense<..> : tensor<..>`.
pub fn write_dense(out: &mut String, literal: &Literal) {
    write_dense_body(out, literal);
    out.push_str(" : ");
    write_tensor_type(out, literal.ty());
}

fn write_dense_body(out: &mut String, literal: &Literal) {
    let ty = literal.ty();
    out.push_str("dense<");
    match literal.as_splat() {
        _ if ty.elements() == 0 => {}
        Some(element) => write_element(out, ty.dtype, element),
        None if ty.elements() > HEX_ABOVE => write_hex(out, literal),
        None => write_lists(out, literal),
    }
    out.push('>');
}

fn write_hex(out: &mut String, literal: &Literal) {
    let bits = literal.ty().dtype.bits();
    let mask = if bits < 8 { (1u8 << bits) - 1 } else { 0xff };
    out.push_str("\"0x");
    for byte in literal.to_bytes().iter() {
        put!(out, "{:02X}", byte & mask);
    }
    out.push('"');
}

fn write_lists(out: &mut String, literal: &Literal) {
    let ty = literal.ty();
    for index in 0..ty.elements().max(0) {
        let opened = starting(index, &ty.dims);
        if index > 0 {
            (0..opened).for_each(|_| out.push(']'));
            out.push_str(", ");
        }
        (0..opened).for_each(|_| out.push('['));
        write_element(out, ty.dtype, literal.element(index as usize));
    }
    ty.dims.iter().for_each(|_| out.push(']'));
}

/// How many lists begin at an element: all at the first, else those whose block it starts.
fn starting(index: i64, dims: &[i64]) -> usize {
    let mut block = 1;
    let starts = dims.iter().rev().take_while(|size| {
        block *= **size;
        index % block == 0
    });
    starts.count()
}

pub fn write_element(out: &mut String, dtype: DType, element: &[u8]) {
    let bits = float::bits(element);
    match dtype.class() {
        Class::Pred => out.push_str(if bits == 0 { "false" } else { "true" }),
        Class::Unsigned => put!(out, "{bits}"),
        Class::Signed => {
            let unused = 64 - 8 * element.len() as u32;
            let value = if unused < 64 { (bits << unused) as i64 >> unused } else { 0 };
            put!(out, "{value}");
        }
        Class::Float => float::write_mlir(out, dtype, element),
        Class::Complex => {
            let (re, im) = element.split_at(element.len() / 2);
            out.push('(');
            float::write_mlir(out, dtype.part(), re);
            out.push(',');
            float::write_mlir(out, dtype.part(), im);
            out.push(')');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, ty: TensorType) -> Result<Literal, String> {
        read_body(body, ty).map_err(|problem| problem.message)
    }

    fn round_trip(body: &str, ty: TensorType) -> String {
        let mut out = String::new();
        write_dense_body(&mut out, &read(body, ty).unwrap());
        out
    }

    #[test]
    fn lists_splats_complex_and_hex_round_trip() {
        let ty = |dtype, dims: &[i64]| TensorType::new(dtype, dims);
        let same = |body: &str, ty| assert_eq!(round_trip(body, ty), format!("dense<{body}>"));
        same("[[1, -2], [3, 4]]", ty(DType::S32, &[2, 2]));
        same("[[[1], [2]]]", ty(DType::U8, &[1, 2, 1]));
        same("true", ty(DType::Pred, &[1000, 1000, 1000, 1000]));
        same("(1.000000e+00,-2.500000e-01)", ty(DType::C64, &[7]));
        same("[0x7FC00000, 1.000000e+00]", ty(DType::F32, &[2]));
        same("", ty(DType::F32, &[0, 3]));
        assert_eq!(round_trip("\"0x0F07\"", ty(DType::S4, &[2])), "dense<[-1, 7]>");
        assert_eq!(round_trip("[[5,5],[5,5]]", ty(DType::S16, &[2, 2])), "dense<5>");
    }

    #[test]
    fn long_literals_are_written_as_hex_and_read_back() {
        let ty = TensorType::new(DType::S16, [101]);
        let bytes: Vec<u8> = (0..101i16).flat_map(i16::to_le_bytes).collect();
        let literal = Literal::dense(ty.clone(), bytes).unwrap();
        let mut out = String::new();
        write_dense_body(&mut out, &literal);
        let body = out.strip_prefix("dense<").unwrap().strip_suffix('>').unwrap();
        assert!(body.starts_with("\"0x000001000200"), "{body}");
        assert_eq!(read(body, ty), Ok(literal));
    }

    #[test]
    fn packed_predicates_of_older_mlir_are_read() {
        let literal = read("\"0x0502\"", TensorType::new(DType::Pred, [12])).unwrap();
        assert_eq!(literal.to_ints().unwrap(), [1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn what_does_not_fit_is_said_with_its_numbers() {
        let ty = || TensorType::new(DType::S8, [2, 2]);
        let message = |body: &str| read(body, ty()).unwrap_err();
        assert_eq!(message("[[1, 2], [3]]"), "this list has 1 items, but dim 1 of s8[2,2] has size 2");
        assert_eq!(message("[[1, 2]]"), "this list has 1 items, but dim 0 of s8[2,2] has size 2");
        assert_eq!(message("[[1, 300], [3, 4]]"), "`300` is no value of type s8");
        assert_eq!(message("[[1.5, 2], [3, 4]]"), "`1.5` is no value of type s8");
        assert_eq!(message(&"[".repeat(100_000)), "lists nest deeper than s8[2,2], which has 2 dims");
        assert_eq!(message("\"0x0011\""), "the data has 2 bytes, but s8[2,2] has 4 elements of 1 bytes");
        assert_eq!(message("[1, 2]"), "does not fit the nesting of s8[2,2]");
        assert!(read("[[1, 2], [3, 4]", ty()).is_err());
    }
}
