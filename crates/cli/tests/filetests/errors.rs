//! Expected diagnostics: `//~ ERROR text` on the line they point at, `//~^ ERROR text` one line below (a `^` per line),
//! `//~? ERROR text` for those that point at no line of the file.
//!
//! The text must be part of the diagnostic's head (`error[E0201]: message`). Each diagnostic must be expected, and
//! each expected one must come.

use super::case::Case;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, Severity, SourceText, render};
use std::fmt::Write;

/// A diagnostic that must come.
#[derive(PartialEq, Eq, Debug)]
pub struct Expected {
    /// Counted from 1; `None` for one that points nowhere in the file.
    pub line: Option<usize>,
    pub severity: Severity,
    pub text: String,
}

/// All that a text expects.
pub fn expected(text: &str) -> Result<Vec<Expected>, String> {
    let marked = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line.split_once("//~")?.1)));
    marked.map(|(line, rest)| parse(line, rest)).collect()
}

fn parse(line: usize, rest: &str) -> Result<Expected, String> {
    let up = rest.len() - rest.trim_start_matches('^').len();
    let (place, rest) = match rest.strip_prefix('?') {
        Some(rest) => (None, rest),
        None => (line.checked_sub(up), &rest[up..]),
    };
    let (word, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let severity = match word {
        "ERROR" => Severity::Error,
        "WARNING" => Severity::Warning,
        "NOTE" => Severity::Note,
        _ => return Err(format!("line {line}: `//~` goes with ERROR, WARNING or NOTE, not `{word}`")),
    };
    Ok(Expected { line: place, severity, text: text.trim().into() })
}

/// Check that the diagnostics are those the case expects.
pub fn check(case: &Case, diagnostics: &[Diagnostic]) -> Result<(), String> {
    let mut missing = expected(&case.text.text)?;
    let mut out = String::new();
    for diagnostic in diagnostics {
        let line = line(diagnostic, &case.text);
        let head = diagnostic.to_string();
        let fits = |one: &Expected| {
            one.line == line && one.severity == diagnostic.severity && head.contains(&one.text)
        };
        match missing.iter().position(fits) {
            Some(at) => drop(missing.remove(at)),
            None => {
                let _ = writeln!(out, "not expected:\n{}", render(diagnostic, Some(&case.text)));
            }
        }
    }
    for one in missing {
        let place = one.line.map_or("anywhere".into(), |line| format!("on line {line}"));
        let _ = writeln!(out, "expected {place}, but did not come: {:?} {}", one.severity, one.text);
    }
    if out.is_empty() { Ok(()) } else { Err(out) }
}

/// The line of the file a diagnostic points at.
fn line(diagnostic: &Diagnostic, text: &SourceText) -> Option<usize> {
    match diagnostic.place.as_ref()? {
        Place::Span(span) => Some(text.line_column(span.start).0),
        Place::Source { file, line, .. } => (*file == text.name).then_some(*line as usize),
    }
}
