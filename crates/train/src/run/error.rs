//! What ends a run before its time: the user's input, the environment, or an engine.

use crate::anchor::MOVED;
use crate::checkpoint::{DISK, LOCKED, MEMORY};
use crate::metrics::LOG;
use meshwright_base::Diagnostic;
use meshwright_nn::tensor::Errors;
use meshwright_runtime::RunError;

/// An error of a run.
#[derive(Clone, Debug)]
pub enum Error {
    /// Configuration, data or a checkpoint; all that was found.
    Input(Vec<Diagnostic>),
    /// A file that cannot be read or written, or is another's, or memory.
    Environment(Diagnostic),
    /// An engine, or devices.
    Run(RunError),
}

impl From<Diagnostic> for Error {
    fn from(found: Diagnostic) -> Self {
        match found.code {
            DISK | LOCKED | LOG | MEMORY | MOVED => Error::Environment(found),
            _ => Error::Input(vec![found]),
        }
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(found: Vec<Diagnostic>) -> Self {
        Error::Input(found)
    }
}

impl From<Errors> for Error {
    fn from(found: Errors) -> Self {
        Error::Input(found.diagnostics())
    }
}

impl From<RunError> for Error {
    fn from(found: RunError) -> Self {
        Error::Run(found)
    }
}
