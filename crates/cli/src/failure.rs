//! Why a command gave no result: whose fault it is decides the exit code, and the kinds are never mixed.

use crate::guard::Ended;
use crate::report::{diagnostic_json, write_stdout};
use meshwright_base::visible::escape_json;
use meshwright_base::{Code, Diagnostic, SourceText, budget, render};
use serde_json::{Value, json};
use std::io::{self, Write};

const OUR_BUG: Code = Code(700);
const NO_THREAD: Code = Code(707);

/// Whose fault it is. The number is the process's exit code; 0 is success, and 2 also what `clap` exits with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The user's input is wrong.
    Input = 1,
    /// The arguments do not go together, or do not go with the input.
    Usage = 2,
    /// A file, the disk, memory, another program.
    Environment = 3,
    /// Ours.
    Bug = 70,
}

/// Why there is no result.
#[derive(Debug)]
pub struct Failure {
    pub fault: Fault,
    pub diagnostics: Vec<Diagnostic>,
    /// What the diagnostics' spans lie in.
    pub text: Option<SourceText>,
}

impl Failure {
    pub fn new(fault: Fault, diagnostic: Diagnostic) -> Self {
        Failure { fault, diagnostics: vec![diagnostic], text: None }
    }

    pub fn input(diagnostic: Diagnostic) -> Self {
        Failure::new(Fault::Input, diagnostic)
    }

    /// Wrong input, pointing into its text.
    pub fn in_text(text: SourceText, diagnostics: Vec<Diagnostic>) -> Self {
        let diagnostics = crate::pointed::pointed(diagnostics, &text);
        Failure::found(diagnostics, Some(text))
    }

    /// What a stage complains of: wrong input, unless a stage says that it went wrong itself.
    pub fn found(diagnostics: Vec<Diagnostic>, text: Option<SourceText>) -> Self {
        let is_ours = diagnostics.iter().any(|diagnostic| diagnostic.code == meshwright_compile::DEFECT);
        Failure { fault: if is_ours { Fault::Bug } else { Fault::Input }, diagnostics, text }
    }

    /// The same of no place in a text.
    pub fn without_places(mut self) -> Self {
        self.diagnostics.iter_mut().for_each(|found| found.place = None);
        self
    }

    /// A panic, by what it said and where.
    pub fn bug(panic: &str) -> Self {
        let message = format!("bug in meshwright {}: {panic}", env!("CARGO_PKG_VERSION"));
        let report = concat!(
            "please report it with the command and its input: ",
            env!("CARGO_PKG_REPOSITORY"),
            "/issues"
        );
        let note = "this is our fault, not that of the input";
        Failure::new(Fault::Bug, Diagnostic::error(OUR_BUG, message).note(note).help(report))
    }

    /// What does not fit the host is the environment's fault, wherever it was found.
    pub fn exit_code(&self) -> u8 {
        let is_too_large = self.diagnostics.iter().any(|diagnostic| diagnostic.code == budget::CODE);
        (if is_too_large { Fault::Environment } else { self.fault }) as u8
    }

    /// For people to stderr; with `json` also for programs to stdout.
    pub fn print(&self, json: bool) -> io::Result<()> {
        if json {
            write_stdout(escape_json(&format!("{:#}\n", self.to_json())).as_bytes())?;
        }
        io::stderr().write_all(self.to_text().as_bytes())
    }

    /// What people read.
    pub fn to_text(&self) -> String {
        self.diagnostics.iter().map(|diagnostic| render(diagnostic, self.text.as_ref())).collect()
    }

    fn to_json(&self) -> Value {
        let diagnostics =
            self.diagnostics.iter().map(|diagnostic| diagnostic_json(diagnostic, self.text.as_ref()));
        json!({ "ok": false, "exit_code": self.exit_code(), "diagnostics": diagnostics.collect::<Vec<_>>() })
    }
}

impl From<Ended> for Failure {
    fn from(ended: Ended) -> Failure {
        match ended {
            Ended::Panicked(panic) => Failure::bug(&panic),
            Ended::NoThread(error) => no_thread(&error),
            Ended::GivenUp => crate::engine::failed(&meshwright_runtime::interrupt::error()),
        }
    }
}

/// The system starts no thread: too many of them, or too little memory.
pub fn no_thread(error: &dyn std::fmt::Display) -> Failure {
    let help = "raise the limits of this process (`ulimit -u`, `ulimit -v`), or end other programs";
    let message = format!("the system starts no thread: {error}");
    Failure::new(Fault::Environment, Diagnostic::error(NO_THREAD, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_our_fault_and_asks_for_a_report() {
        let failure = Failure::bug("index out of bounds (at crates/x.rs:1:2)");
        assert_eq!(failure.exit_code(), 70);
        let text = failure.to_text();
        for expected in
            ["bug in meshwright", "crates/x.rs:1:2", "not that of the input", "= help: please report it"]
        {
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_stage_that_went_wrong_is_our_fault() {
        let wrong = || Diagnostic::error(Code(203), "x");
        let ours = || Diagnostic::error(meshwright_compile::DEFECT, "y");
        let text = || SourceText::new("test", "z");
        assert_eq!(Failure::in_text(text(), vec![ours(), wrong()]).exit_code(), 70);
        assert_eq!(Failure::in_text(text(), vec![wrong()]).exit_code(), 1);
    }

    #[test]
    fn what_does_not_fit_and_a_missing_thread_are_the_environments_fault() {
        let found = Failure::input(Diagnostic::error(budget::CODE, "8 bytes do not fit"));
        assert_eq!([found.exit_code(), no_thread(&"none left").exit_code()], [3, 3]);
    }

    #[test]
    fn each_fault_has_its_exit_code() {
        let code = |fault| Failure::new(fault, Diagnostic::error(OUR_BUG, "x")).exit_code();
        assert_eq!([Fault::Input, Fault::Usage, Fault::Environment, Fault::Bug].map(code), [1, 2, 3, 70]);
    }
}
