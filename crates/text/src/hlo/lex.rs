//! Reading HLO text byte by byte: a cursor that copies nothing, and pieces of the text that know where they stand.
//!
//! There is no token list. A reader asks the cursor for what it expects; brackets are skipped without recursion, so
//! text nested a million deep costs only its length.

use crate::codes;
use meshwright_base::{Code, Diagnostic, Span};

/// A result of reading: a value, or what is wrong and where.
pub(super) type Read<T> = Result<T, Box<Diagnostic>>;

/// A diagnostic about a span of the text.
pub(super) fn fault(code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).at(span))
}

pub(super) const CUT_OFF: &str = "the text looks cut off: check that it was written completely";

/// Part of the text and its offset in the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece<'t> {
    pub str: &'t str,
    pub at: usize,
}

impl<'t> Piece<'t> {
    pub fn span(self) -> Span {
        Span::new(self.at, self.at + self.str.len())
    }

    pub fn cursor(self) -> Cursor<'t> {
        Cursor { text: self.str, at: 0, base: self.at, is_part: true }
    }

    /// A syntax diagnostic about the whole piece.
    pub fn fault(self, message: impl Into<String>) -> Box<Diagnostic> {
        fault(codes::SYNTAX, self.span(), message)
    }

    /// Without blanks at both ends.
    pub fn trim(self) -> Piece<'t> {
        let start = self.str.len() - self.str.trim_start().len();
        Piece { str: self.str.trim(), at: self.at + start }
    }

    /// Without the given bracket at both ends, if it has them.
    pub fn inside(self, open: char, close: char) -> Option<Piece<'t>> {
        let str = self.str.strip_prefix(open)?.strip_suffix(close)?;
        Some(Piece { str, at: self.at + open.len_utf8() })
    }

    /// The text of a quoted string, escapes still in it.
    pub fn quoted(self) -> Read<&'t str> {
        self.inside('"', '"').map(|inner| inner.str).ok_or_else(|| self.fault("expected a quoted string"))
    }
}

/// A place in a text that moves forward.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    base: usize,
    /// Whether this reads a piece, which more text follows.
    is_part: bool,
}

/// What a byte may mean, as bits.
const NAME: u8 = 1;
/// A bracket, a quote, or the start of a comment.
const NESTS: u8 = 2;
/// The end of an attribute's value, where no bracket is open.
const ENDS: u8 = 4;
const BLANK: u8 = 8;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' => NAME,
            b'(' | b')' | b'[' | b']' | b'{' | b'"' | b'/' => NESTS,
            b'}' => NESTS | ENDS,
            b',' => ENDS,
            b'\n' => ENDS | BLANK,
            b' ' | b'\t' | b'\r' | 0x0c => BLANK,
            _ => 0,
        };
        byte += 1;
    }
    table
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str) -> Self {
        Cursor { text, at: 0, base: 0, is_part: false }
    }

    /// Go on to the first byte that has one of the given meanings, or none of them.
    fn skip(&mut self, class: u8, until: bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let found = rest.iter().position(|byte| (CLASS[usize::from(*byte)] & class != 0) == until);
        self.at += found.unwrap_or(rest.len());
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The text from an offset of this cursor to where it stands now.
    fn piece_from(&self, start: usize) -> Piece<'t> {
        Piece { str: self.text.get(start..self.at).unwrap_or(""), at: self.base + start }
    }

    /// Everything that is left.
    pub fn rest(&self) -> Piece<'t> {
        Piece { str: self.text.get(self.at..).unwrap_or(""), at: self.base + self.at }
    }

    /// Where the next token stands; at the end, the last byte.
    pub fn here(&mut self) -> Span {
        self.space();
        let width = self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span::new(self.base + self.at, self.base + self.at + width)
    }

    pub fn fault(&mut self, message: impl Into<String>) -> Box<Diagnostic> {
        fault(codes::SYNTAX, self.here(), message)
    }

    /// A diagnostic that names what was expected and what stands there.
    pub fn expected(&mut self, what: &str) -> Box<Diagnostic> {
        self.space();
        let found: String = self.rest().str.chars().take_while(|c| !c.is_whitespace()).take(24).collect();
        if found.is_empty() && self.is_part {
            self.fault(format!("expected {what}, but this part ends here"))
        } else if found.is_empty() {
            Box::new(self.fault(format!("expected {what}, but the text ends here")).help(CUT_OFF))
        } else {
            self.fault(format!("expected {what}, found `{}`", found.escape_debug()))
        }
    }

    /// Skip blanks and comments.
    pub fn space(&mut self) {
        loop {
            match self.byte(0) {
                Some(byte) if CLASS[usize::from(byte)] & BLANK != 0 => self.skip(BLANK, false),
                Some(b'/') if self.byte(1) == Some(b'*') => self.skip_past("*/", 2),
                Some(b'/') if self.byte(1) == Some(b'/') => self.skip_past("\n", 2),
                _ => return,
            }
        }
    }

    fn skip_past(&mut self, end: &str, from: usize) {
        let rest = self.text.get(self.at + from..).unwrap_or("");
        self.at = rest.find(end).map_or(self.text.len(), |found| self.at + from + found + end.len());
    }

    /// The next byte that is neither blank nor comment.
    pub fn peek(&mut self) -> Option<u8> {
        self.space();
        self.byte(0)
    }

    pub fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, byte: u8) -> Read<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// The given text, if it stands here.
    pub fn eat_str(&mut self, text: &str) -> bool {
        self.space();
        let found = self.rest().str.starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// A name with an optional `%`, which is left out; empty if there is none.
    pub fn name(&mut self) -> Piece<'t> {
        self.space();
        self.at += usize::from(self.byte(0) == Some(b'%'));
        let start = self.at;
        self.skip(NAME, false);
        // The `-` of an arrow belongs to no name.
        if self.byte(0) == Some(b'>')
            && self.at > start
            && self.text.as_bytes().get(self.at - 1) == Some(&b'-')
        {
            self.at -= 1;
        }
        self.piece_from(start)
    }

    pub fn expect_name(&mut self, what: &str) -> Read<Piece<'t>> {
        let name = self.name();
        if name.str.is_empty() { Err(self.expected(what)) } else { Ok(name) }
    }

    /// An integer with an optional minus.
    pub fn int(&mut self) -> Read<i64> {
        self.space();
        let start = self.at;
        self.at += usize::from(self.byte(0) == Some(b'-'));
        while self.byte(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let piece = self.piece_from(start);
        match piece.str.parse() {
            Ok(value) => Ok(value),
            Err(_) if piece.str.len() < 2 => {
                self.at = start;
                Err(self.expected("an integer"))
            }
            Err(_) => Err(piece.fault(format!("`{:.30}` does not fit 64 bits", piece.str))),
        }
    }

    /// Everything up to one of `stops` or the end.
    pub fn until(&mut self, stops: &[u8]) -> Piece<'t> {
        let start = self.at;
        while self.byte(0).is_some_and(|byte| !stops.contains(&byte)) {
            self.at += 1;
        }
        self.piece_from(start)
    }

    /// From an opening bracket to the one that closes it, both included. Strings and comments inside do not count.
    pub fn brackets(&mut self) -> Read<Piece<'t>> {
        self.space();
        let start = self.at;
        let mut depth = 0usize;
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'"' => self.end_string(),
                b'/' if self.byte(0) == Some(b'*') => self.skip_past("*/", 1),
                b'/' if self.byte(0) == Some(b'/') => self.skip_past("\n", 1),
                _ => {}
            }
            if depth == 0 {
                return Ok(self.piece_from(start));
            }
            self.skip(NESTS, true);
        }
        self.at = start;
        Err(Box::new(fault(codes::SYNTAX, self.here(), "this bracket is never closed").help(CUT_OFF)))
    }

    /// A quoted string, quotes included, escapes still in it.
    pub fn string(&mut self) -> Piece<'t> {
        self.space();
        let start = self.at;
        self.at = (self.at + 1).min(self.text.len());
        self.end_string();
        self.piece_from(start)
    }

    /// Past the closing quote of the string this stands in, or to the end.
    fn end_string(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let mut escaped = false;
        let close = rest.iter().position(|byte| {
            let closes = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            closes
        });
        self.at += close.map_or(rest.len(), |close| close + 1);
    }

    /// The value of an attribute: everything up to a comma, a comment, a line end or a closing brace outside of all
    /// brackets.
    pub fn value(&mut self) -> Read<Piece<'t>> {
        self.space();
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b',' | b'\n' | b'}' => break,
                b'/' if matches!(self.byte(1), Some(b'/' | b'*')) => break,
                b'(' | b'[' | b'{' => {
                    self.brackets()?;
                }
                b'"' => {
                    self.string();
                }
                _ => {
                    self.at += 1;
                    self.skip(NESTS | ENDS, true);
                }
            }
        }
        Ok(self.piece_from(start).trim())
    }

    /// Go to the start of the next line.
    pub fn next_line(&mut self) {
        self.skip_past("\n", 0);
    }
}

/// Undo the escapes of a quoted string.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_string();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'x') => out.push(digits(&mut bytes, 0, 16, 2)),
            Some(digit @ b'0'..=b'7') => out.push(digits(&mut bytes, digit - b'0', 8, 2)),
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Up to `most` further digits after a first value.
fn digits(bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>, first: u8, radix: u32, most: usize) -> u8 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = bytes.peek().and_then(|byte| char::from(*byte).to_digit(radix)) else { break };
        value = value.wrapping_mul(radix as u8).wrapping_add(digit as u8);
        bytes.next();
    }
    value
}

/// A quoted string as XLA escapes it.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\'' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..0x7f => out.push(char::from(byte)),
            other => out.push_str(&format!("\\{other:03o}")),
        }
    }
    out.push('"');
    out
}

/// Whether a text is one `{..}`.
pub(in crate::hlo) fn is_dictionary(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    text.starts_with('{') && cursor.brackets().is_ok() && cursor.is_done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_at_a_comma_outside_of_brackets_and_strings() {
        let mut cursor = Cursor::new("mesh['a'=4,'b'=2] {'a'}, next");
        assert_eq!(cursor.value().unwrap().str, "mesh['a'=4,'b'=2] {'a'}");
        let mut cursor = Cursor::new(r#"{op_name="a}\"b" x=1}, y"#);
        assert_eq!(cursor.value().unwrap().str, r#"{op_name="a}\"b" x=1}"#);
    }

    #[test]
    fn a_comment_is_no_part_of_a_value_and_its_brackets_close_nothing() {
        let mut cursor = Cursor::new("{0} // as before\n  next");
        assert_eq!(cursor.value().unwrap().str, "{0}");
        let mut cursor = Cursor::new("1 /* one */, next");
        assert_eq!(cursor.value().unwrap().str, "1");
        let mut cursor = Cursor::new("({1, // first }\n  2}), next");
        assert_eq!(cursor.brackets().unwrap().str, "({1, // first }\n  2})");
    }

    #[test]
    fn deep_brackets_cost_no_stack_and_open_ones_are_reported_where_they_open() {
        let deep = "(".repeat(200_000) + &")".repeat(200_000);
        assert_eq!(Cursor::new(&deep).brackets().unwrap().str.len(), 400_000);
        let error = Cursor::new("  {{}").brackets().unwrap_err();
        assert_eq!(error.place, Some(meshwright_base::diagnostic::Place::Span(Span::new(2, 3))));
    }

    #[test]
    fn escapes_round_trip() {
        for text in ["p['x']", "ü\n\"q\"\\", "plain"] {
            let quoted = quote(text);
            assert_eq!(unescape(&quoted[1..quoted.len() - 1]), text);
        }
    }

    #[test]
    fn comments_and_percent_signs_vanish() {
        let mut cursor = Cursor::new(" /*index=5*/ // note\n %add.1-b->");
        assert_eq!(cursor.name().str, "add.1-b");
    }
}
