//! What a user is told about their input: a code, the place, the numbers, and the way out.
//!
//! Message style: lower case, no full stop, the numbers in the text; `help` is something that can be followed.
//! Diagnostics are collected, not thrown: a pass that can go on after an error goes on and reports several.

use crate::source::{SourceText, Span};
use crate::visible::{escape_controls, is_misleading};
use std::fmt::{self, Write};

/// How bad it is. An `Error` means there is no result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A stable number for a kind of diagnostic, printed `E0304`. Hundreds tell the part: 00 the host, 01 text, 02
/// verifier, 03 shardings, 04 completion, 05 partitioner, 06 running and looking, 07 the program's surroundings, 08
/// the front end, 09 gradients, 11 configuration, data and machines, 12 checkpoints, 13 metrics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// Where a diagnostic points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the text that is being read.
    Span(Span),
    /// In the program the text was made from, as its locations tell: (file, line, column).
    Source { file: String, line: u32, column: u32 },
}

/// One thing to tell the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub message: String,
    pub place: Option<Place>,
    /// Further places with what is there.
    pub labels: Vec<(Place, String)>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            place: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    pub fn note_only(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    pub fn at(mut self, span: Span) -> Self {
        self.place = Some(Place::Span(span));
        self
    }

    pub fn at_place(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    pub fn label(mut self, place: Option<Place>, text: impl Into<String>) -> Self {
        if let Some(place) = place {
            self.labels.push((place, text.into()));
        }
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    /// The head alone, as `error[E0304]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, letter) = match self.severity {
            Severity::Error => ("error", 'E'),
            Severity::Warning => ("warning", 'W'),
            Severity::Note => ("note", 'N'),
        };
        write!(f, "{word}[{letter}{}]: {}", self.code, self.message)
    }
}

/// Render a diagnostic with its line of text and a caret under the place. Long lines are cut around the caret.
pub fn render(diagnostic: &Diagnostic, text: Option<&SourceText>) -> String {
    escape_controls(&render_raw(diagnostic, text)).into_owned()
}

fn render_raw(diagnostic: &Diagnostic, text: Option<&SourceText>) -> String {
    let mut out = format!("{diagnostic}\n");
    if let Some(place) = &diagnostic.place {
        render_place(&mut out, place, text, "");
    }
    for (place, label) in &diagnostic.labels {
        render_place(&mut out, place, text, label);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, "   = note: {note}");
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "   = help: {help}");
    }
    out
}

fn render_place(out: &mut String, place: &Place, text: Option<&SourceText>, label: &str) {
    let space = if label.is_empty() { "" } else { " " };
    match (place, text) {
        (Place::Source { file, line, column }, _) => {
            let _ = writeln!(out, "  --> {file}:{line}:{column}{space}{label}");
        }
        (Place::Span(span), Some(text)) => {
            let (line, column) = text.line_column(span.start);
            let _ = writeln!(out, "  --> {}:{line}:{column}", text.name);
            let (shown, caret_at) = window(text.line(line), column - 1);
            let width = (span.end.saturating_sub(span.start) as usize)
                .clamp(1, shown.chars().count().saturating_sub(caret_at).max(1));
            let gutter = line.to_string().len();
            let _ = writeln!(out, "{:gutter$} |", "");
            let _ = writeln!(out, "{line} | {shown}");
            let _ = writeln!(out, "{:gutter$} | {:caret_at$}{}{space}{label}", "", "", "^".repeat(width));
        }
        (Place::Span(span), None) => {
            let _ = writeln!(out, "  --> byte {}{space}{label}", span.start);
        }
    }
}

/// The part of a line worth showing around character `at`, and where `at` lies in it.
fn window(line: &str, at: usize) -> (String, usize) {
    const BEFORE: usize = 60;
    const WIDTH: usize = 120;
    let start = if at > WIDTH - 20 { at - BEFORE } else { 0 };
    let tidy = |c: char| if c == '\t' || is_misleading(c) { ' ' } else { c };
    let shown: String = line.chars().skip(start).take(WIDTH).map(tidy).collect();
    if start == 0 { (shown, at) } else { (format!("..{shown}"), at - start + 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_line_caret_note_and_help() {
        let text = SourceText::new("a.mlir", "one\n  two three\n");
        let diagnostic = Diagnostic::error(Code(101), "unknown word `two`")
            .at(Span::new(6, 9))
            .note("only `one` and `three` are known")
            .help("remove it");
        assert_eq!(
            render(&diagnostic, Some(&text)),
            "error[E0101]: unknown word `two`\n  --> a.mlir:2:3\n  |\n2 |   two three\n  |   ^^^\n   \
             = note: only `one` and `three` are known\n   = help: remove it\n"
        );
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let text = SourceText::new("a\x1b]0;x\x07", "one\x1b[2J\u{202e}two\n");
        let diagnostic = Diagnostic::error(Code(1), "bad `\x1b[31m\u{9b}1m`")
            .at(Span::new(0, 3))
            .label(Some(Place::Source { file: "\u{202e}f".into(), line: 1, column: 1 }), "\x08")
            .note("\x1bc")
            .help("\x7f");
        let shown = render(&diagnostic, Some(&text));
        assert!(!shown.chars().any(is_misleading), "{shown:?}");
        assert!(shown.contains(r"`\u{1b}[31m\u{9b}1m`") && shown.contains(r"--> \u{202e}f:1:1"), "{shown}");
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_caret() {
        let text = SourceText::new("a", "x".repeat(1000) + "!");
        let shown = render(&Diagnostic::error(Code(1), "bad").at(Span::new(1000, 1001)), Some(&text));
        assert!(shown.lines().all(|line| line.chars().count() < 140), "{shown}");
        assert!(shown.contains('!'));
    }
}
