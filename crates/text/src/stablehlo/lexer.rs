//! Tokens of MLIR text, made one at a time from the source without copying.
//!
//! A token is a kind and a byte range. Names keep their sigil (`%x`, `@f`, `#loc1`, `!stablehlo.token`). Anything that
//! is no token (a control byte, an unfinished string) is [`Kind::Bad`]; the parser says so when it meets it.

use meshwright_base::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    End,
    Bad,
    /// `stablehlo.add`, `dense`, `f32`.
    Word,
    /// `%x`, `%3`.
    Value,
    /// `^bb0`.
    Block,
    /// `@f`, `@"a b"`.
    Symbol,
    /// `#loc1`, `#stablehlo.gather`; also the `#1` of `%3#1`.
    Hash,
    /// `!stablehlo.token`.
    Bang,
    /// Digits, or `0x` and hex digits.
    Int,
    Float,
    Str,
    Arrow,
    /// One of the single-byte marks; the byte itself.
    Mark(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    pub fn is(self, mark: u8) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// The token that starts at or after byte `at`, with blanks and comments before it skipped.
pub fn lex(text: &str, at: usize) -> Token {
    let bytes = text.as_bytes();
    let start = skip_blank(bytes, at);
    let Some(&first) = bytes.get(start) else {
        return Token { kind: Kind::End, start: bytes.len(), end: bytes.len() };
    };
    let (kind, end) = match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Word, end_of(bytes, start + 1, is_word)),
        b'%' => named(bytes, start, Kind::Value),
        b'^' => named(bytes, start, Kind::Block),
        b'#' => named(bytes, start, Kind::Hash),
        b'!' => named(bytes, start, Kind::Bang),
        b'@' => symbol(bytes, start),
        b'0'..=b'9' => number(bytes, start),
        b'"' => string(bytes, start),
        b'-' if bytes.get(start + 1) == Some(&b'>') => (Kind::Arrow, start + 2),
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'-' | b'+' | b'?'
        | b'*' | b'/' | b'|' | b'.' => (Kind::Mark(first), start + 1),
        _ => (Kind::Bad, next_char(text, start)),
    };
    Token { kind, start, end }
}

fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\t' | b'\r') => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => at = end_of(bytes, at, |byte| byte != b'\n'),
            _ => return at,
        }
    }
}

fn end_of(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

/// Names after a sigil may also hold `-`.
fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// All digits, or a name that does not start with a digit.
fn named(bytes: &[u8], start: usize, kind: Kind) -> (Kind, usize) {
    let first = bytes.get(start + 1).copied().unwrap_or(b' ');
    if first.is_ascii_digit() {
        return (kind, end_of(bytes, start + 1, |byte| byte.is_ascii_digit()));
    }
    match end_of(bytes, start + 1, is_name) {
        end if end == start + 1 => (Kind::Bad, end),
        end => (kind, end),
    }
}

fn symbol(bytes: &[u8], start: usize) -> (Kind, usize) {
    if bytes.get(start + 1) != Some(&b'"') {
        return named(bytes, start, Kind::Symbol);
    }
    match string(bytes, start + 1) {
        (Kind::Str, end) => (Kind::Symbol, end),
        bad => bad,
    }
}

fn number(bytes: &[u8], start: usize) -> (Kind, usize) {
    let hex = bytes.get(start) == Some(&b'0') && bytes.get(start + 1) == Some(&b'x');
    if hex && bytes.get(start + 2).is_some_and(u8::is_ascii_hexdigit) {
        return (Kind::Int, end_of(bytes, start + 2, |byte| byte.is_ascii_hexdigit()));
    }
    let digit = |byte: u8| byte.is_ascii_digit();
    let whole = end_of(bytes, start, digit);
    if bytes.get(whole) != Some(&b'.') {
        return (Kind::Int, whole);
    }
    let fraction = end_of(bytes, whole + 1, digit);
    if !matches!(bytes.get(fraction), Some(b'e' | b'E')) {
        return (Kind::Float, fraction);
    }
    let sign = usize::from(matches!(bytes.get(fraction + 1), Some(b'+' | b'-')));
    match end_of(bytes, fraction + 1 + sign, digit) {
        end if end == fraction + 1 + sign => (Kind::Float, fraction),
        end => (Kind::Float, end),
    }
}

/// A string ends at its quote and never spans lines.
fn string(bytes: &[u8], start: usize) -> (Kind, usize) {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return (Kind::Str, at + 1),
            Some(b'\\') => at += 2,
            Some(b'\n') | None => return (Kind::Bad, at.min(bytes.len())),
            Some(_) => at += 1,
        }
    }
}

fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut out = Vec::new();
        let mut at = 0;
        loop {
            let token = lex(text, at);
            if token.kind == Kind::End {
                return out;
            }
            out.push((token.kind, &text[token.start..token.end]));
            at = token.end;
        }
    }

    #[test]
    fn names_numbers_and_marks_are_told_apart() {
        use Kind::*;
        let text = "%3#1 = a.b @\"x y\" -> 1.5e-3 0x7F 12:f !t.u // end";
        let expected = [
            (Value, "%3"),
            (Hash, "#1"),
            (Mark(b'='), "="),
            (Word, "a.b"),
            (Symbol, "@\"x y\""),
            (Arrow, "->"),
            (Float, "1.5e-3"),
            (Int, "0x7F"),
            (Int, "12"),
            (Mark(b':'), ":"),
            (Word, "f"),
            (Bang, "!t.u"),
        ];
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn what_is_no_token_is_bad_and_still_moves_on() {
        assert_eq!(kinds("ä\u{1}"), [(Kind::Bad, "ä"), (Kind::Bad, "\u{1}")]);
        assert_eq!(kinds("\"open\nx")[0].0, Kind::Bad);
        assert_eq!(kinds("\"a\\").first().map(|t| t.0), Some(Kind::Bad));
        assert_eq!(kinds("% x")[0].0, Kind::Bad);
    }
}
