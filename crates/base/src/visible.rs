//! Text from files, made safe to print: a terminal obeys control characters, and bidirectional overrides reorder a
//! line.  ```text "w\x1b[2J"  ->  w\u{1b}[2J          "\u{202e}gnp"  ->  \u{202e}gnp ```

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal or a reader could be misled by this character: C0 and C1 controls, DEL, and overrides, embeddings
/// and isolates of the bidirectional algorithm. Line ends and tabs are harmless.
pub fn is_misleading(c: char) -> bool {
    let is_layout = matches!(c, '\n' | '\t');
    let is_bidi = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() && !is_layout || is_bidi
}

/// Replaces misleading characters by their escapes, as `\u{1b}`.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    replace(text, |out, c| {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// Replaces misleading characters in JSON by its own escapes. JSON has them in strings only.
pub fn escape_json(text: &str) -> Cow<'_, str> {
    replace(text, |out, c| {
        let _ = write!(out, "\\u{:04x}", u32::from(c));
    })
}

fn replace(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    // Of characters beyond ASCII, those meant begin with 0xC2 or 0xE2.
    let may_mislead = |byte: u8| {
        (byte < 0x20) & (byte != b'\n') & (byte != b'\t') | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xE2)
    };
    // Whole programs come through here: without an early end, a chunk is a few vector instructions.
    let is_suspect = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | may_mislead(*byte));
    if !text.as_bytes().chunks(256).any(is_suspect) || !text.chars().any(is_misleading) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_misleading(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_overrides_are_escaped_and_text_is_not() {
        for (text, expected) in [
            ("a\x1b[31m\u{7}", r"a\u{1b}[31m\u{7}"),
            ("a\u{9b}2J\u{7f}\r", r"a\u{9b}2J\u{7f}\u{d}"),
            ("\u{202e}gnp\u{2066}", r"\u{202e}gnp\u{2066}"),
            ("h\u{e9}llo \u{2192} \u{5d0}\n\t|", "h\u{e9}llo \u{2192} \u{5d0}\n\t|"),
        ] {
            assert_eq!(escape_controls(text), expected);
        }
        assert_eq!(escape_json("{\"a\": \"\u{9b}\u{202e}\"}\n"), "{\"a\": \"\\u009b\\u202e\"}\n");
    }
}
