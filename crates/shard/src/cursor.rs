//! A place in a text that is being read: the little that both sharding languages need of a lexer.
//!
//! Blanks and `/* .. */` comments may stand between any two tokens. Every error carries the span of what was found,
//! counted from where the text stands in its file.

use meshwright_base::{Code, Diagnostic, Span};

pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    base: u32,
    code: Code,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, base: u32, code: Code) -> Self {
        Cursor { text, at: 0, base, code }
    }

    /// Bytes read so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What has been read since `start`.
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Steps over the next `length` bytes.
    pub fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.at += length;
        self.since(start)
    }

    /// The next byte that is no blank, if any is left.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest().bytes().next()
    }

    /// Steps over `token` if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub fn expect(&mut self, token: &str) -> Result<(), Diagnostic> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    /// The word that comes next: letters, digits and `_`, not beginning with a digit. Empty if there is none.
    pub fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let word = self.peek_word();
        self.at += word.len();
        word
    }

    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return "";
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Steps over `word` if it comes next and ends there.
    pub fn eat_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let found = self.peek_word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    pub fn integer(&mut self) -> Result<i64, Diagnostic> {
        self.skip_blanks();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.expected("a number"));
        }
        let start = self.at;
        self.at += sign + digits;
        let text = self.since(start);
        text.parse().map_err(|_| {
            self.error_at(start, format!("number {text} is too large")).help("use a number below 2^63")
        })
    }

    /// Numbers with commas between them; none if `end` comes first. Steps over `end`.
    pub fn integers_until(&mut self, end: &str) -> Result<Vec<i64>, Diagnostic> {
        self.list_until(end, |cursor| cursor.integer())
    }

    /// Items with commas between them; none if `end` comes first. Steps over `end`.
    pub fn list_until<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = Vec::new();
        while !self.eat(end) {
            if !items.is_empty() && !self.eat(",") {
                return Err(self.expected(&format!("`,` or `{end}`")));
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The text up to the `}` that closes what is open here, not included. Braces in strings do not count.
    pub fn until_closing_brace(&mut self) -> Result<&'a str, Diagnostic> {
        let start = self.at;
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_string,
                b'"' => in_string = !in_string,
                b'{' if !in_string => depth += 1,
                b'}' if !in_string && depth == 0 => {
                    self.at += at;
                    return Ok(self.since(start));
                }
                b'}' if !in_string => depth -= 1,
                _ => {}
            }
        }
        Err(self.error_at(start, "this is never closed").help("add the missing `}`"))
    }

    /// The text up to `quote`, not included, stepping over it; from right after an opening quote.
    pub fn until_quote(&mut self, quote: &str) -> Result<&'a str, Diagnostic> {
        let start = self.at;
        let Some(length) = self.rest().find(quote) else {
            return Err(self
                .error_at(start, "this name is never closed")
                .help(format!("add the missing `{quote}`")));
        };
        self.at += length;
        let name = self.since(start);
        self.at += quote.len();
        Ok(name)
    }

    /// An error unless only blanks are left.
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end")),
        }
    }

    /// An error at what comes next: it is not what was expected.
    pub fn expected(&mut self, what: &str) -> Diagnostic {
        self.skip_blanks();
        let found: String = match self.rest().chars().next() {
            None => "the end".to_string(),
            Some(_) if !self.peek_word().is_empty() => format!("`{}`", clip(self.peek_word())),
            Some(c) => format!("`{c}`"),
        };
        let start = self.at;
        let width = self.peek_word().len().max(self.rest().chars().next().map_or(0, char::len_utf8));
        let span = self.span(start, start + width);
        Diagnostic::error(self.code, format!("expected {what}, found {found}")).at(span)
    }

    /// An error about what was read since `start`.
    pub fn error_at(&self, start: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.code, message).at(self.span(start, self.at))
    }

    pub fn span(&self, start: usize, end: usize) -> Span {
        let base = self.base as usize;
        Span::new(base + start, base + end.max(start))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let Some(comment) = trimmed.strip_prefix("/*") else { return };
            self.at += comment.find("*/").map_or(trimmed.len(), |end| end + 4);
        }
    }
}

/// A word short enough to show.
fn clip(word: &str) -> String {
    const MOST: usize = 40;
    if word.chars().count() <= MOST {
        return word.to_string();
    }
    word.chars().take(MOST).chain("..".chars()).collect()
}
