//! Source text and places in it.

/// A half-open byte range of one [`SourceText`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Offsets beyond four gigabytes saturate: such a place is only ever shown, never used to index.
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clip(start), end: clip(end) }
    }

    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A text with a name, as read from a file or from standard input (`-`).
#[derive(Clone, Debug)]
pub struct SourceText {
    pub name: String,
    pub text: String,
}

impl SourceText {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        SourceText { name: name.into(), text: text.into() }
    }

    /// Line and column of a byte offset, both counted from 1; columns count characters.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The text of a line counted from 1, without its end.
    pub fn line(&self, line: usize) -> &str {
        self.text.lines().nth(line.saturating_sub(1)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_past_the_end_clamp() {
        let text = SourceText::new("t", "ab\nçd\n");
        assert_eq!(text.line_column(0), (1, 1));
        assert_eq!(text.line_column(5), (2, 2));
        assert_eq!(text.line_column(4), (2, 1), "inside a character: its start");
        assert_eq!(text.line_column(999), (3, 1));
        assert_eq!(text.line(2), "çd");
        assert_eq!(text.line(9), "");
    }
}
