//! What a command found out, for people and for programs.

use meshwright_base::diagnostic::Place;
use meshwright_base::visible::{escape_controls, escape_json};
use meshwright_base::{Diagnostic, Severity, SourceText};
use serde_json::{Map, Value, json};
use std::io::{self, ErrorKind, IsTerminal, Write};

/// A command's result. Only this goes to stdout, but for the notes.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What people should know beside the result: goes to stderr.
    pub notes: String,
    /// For people; ends with a newline unless empty.
    pub text: String,
    /// For programs: the members of the object that `--json` prints, after `"ok": true`.
    pub json: Map<String, Value>,
    /// What the process exits with: over 0 where there is a result, and it is not all that was asked for.
    pub exit: u8,
    /// Another process prints the result.
    pub is_told_elsewhere: bool,
}

impl Report {
    pub fn new(text: String) -> Self {
        Report { text, ..Report::default() }
    }

    /// Of a process that leaves the telling to another.
    pub fn elsewhere() -> Self {
        Report { is_told_elsewhere: true, ..Report::default() }
    }

    /// The same with more to tell, first.
    pub fn noted(self, notes: impl Into<String>) -> Self {
        Report { notes: notes.into() + &self.notes, ..self }
    }

    /// Add a member for programs.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.json.insert(key.into(), value.into());
        self
    }

    /// To stdout, or to stderr where stdout has what the command was to write.
    pub fn print(&self, json: bool, is_stdout_taken: bool) -> io::Result<()> {
        io::stderr().write_all(escape_controls(&self.notes).as_bytes())?;
        if self.is_told_elsewhere {
            return Ok(());
        }
        let write = |text: &str| {
            if is_stdout_taken {
                io::stderr().write_all(text.as_bytes())
            } else {
                write_stdout(text.as_bytes())
            }
        };
        if !json {
            return write(&escape_controls(&self.text));
        }
        let mut object = Map::from_iter([("ok".to_string(), Value::Bool(true))]);
        object.extend(self.json.clone());
        write(&escape_json(&format!("{:#}\n", Value::Object(object))))
    }
}

/// Write results. A reader that has gone away (`| head`) has what it wanted.
pub fn write_stdout(text: &[u8]) -> io::Result<()> {
    stream(text).map(|_| ())
}

/// Prints a part of a result as text; false if its reader has gone away. A terminal gets no control characters.
pub fn stream_text(text: &str) -> io::Result<bool> {
    let text = if io::stdout().is_terminal() { escape_controls(text) } else { text.into() };
    stream(text.as_bytes())
}

fn stream(text: &[u8]) -> io::Result<bool> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        other => other.map(|()| true),
    }
}

/// Tell people of something while a command goes on.
pub fn told(diagnostic: &Diagnostic) -> io::Result<()> {
    io::stderr().write_all(meshwright_base::render(diagnostic, None).as_bytes())
}

/// A diagnostic with its places resolved to lines and columns.
pub fn diagnostic_json(diagnostic: &Diagnostic, text: Option<&SourceText>) -> Value {
    let (severity, letter) = match diagnostic.severity {
        Severity::Error => ("error", 'E'),
        Severity::Warning => ("warning", 'W'),
        Severity::Note => ("note", 'N'),
    };
    let labels = diagnostic
        .labels
        .iter()
        .map(|(place, label)| json!({ "place": place_json(place, text), "text": label }));
    json!({
        "severity": severity,
        "code": format!("{letter}{}", diagnostic.code),
        "message": diagnostic.message,
        "place": diagnostic.place.as_ref().map(|place| place_json(place, text)),
        "labels": labels.collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

pub fn place_json(place: &Place, text: Option<&SourceText>) -> Value {
    match (place, text) {
        (Place::Source { file, line, column }, _) => json!({ "file": file, "line": line, "column": column }),
        (Place::Span(span), Some(text)) => {
            let (line, column) = text.line_column(span.start);
            json!({ "file": text.name, "line": line, "column": column, "bytes": [span.start, span.end] })
        }
        (Place::Span(span), None) => json!({ "bytes": [span.start, span.end] }),
    }
}
