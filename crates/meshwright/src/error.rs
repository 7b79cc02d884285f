//! What can go wrong between a trace and its results: the user's program, or running it.

use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::RunError;
use meshwright_tensor::Errors;
use std::fmt;
use std::panic::Location;

/// What a program of one's own returns: the traced function is wrong, or it cannot be partitioned, loaded or run.
///
/// Tracing alone gives [`Errors`], a list of all that is wrong with the function; `?` makes this of it.
///
/// ```
/// use meshwright::prelude::*;
/// fn main() -> Result<(), Error> {
///     let program = trace("f", |t| t.input("x", f32, [4]).relu())?;
///     program.partition()?;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub enum Error {
    /// The program is wrong; every place that was found.
    Program(Errors),
    /// It cannot run, or did not.
    Run(RunError),
}

/// Arrays that do not fit the program.
const ARRAYS: Code = Code(820);

/// An error about what is fed or fetched.
pub(crate) fn arrays(message: String, help: impl Into<String>) -> Error {
    Error::Program(Diagnostic::error(ARRAYS, message).help(help).into())
}

impl Error {
    /// The same, at a line of the user's if it is at none.
    pub(crate) fn at(self, line: &'static Location<'static>) -> Error {
        match self {
            Error::Program(errors) => Error::Program(errors.at(line)),
            Error::Run(error) => Error::Run(error),
        }
    }
}

impl From<Errors> for Error {
    fn from(errors: Errors) -> Error {
        Error::Program(errors)
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Error {
        Error::Program(diagnostics.into())
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Error {
        Error::Run(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(errors) => errors.fmt(f),
            Error::Run(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    /// As `Display`, so that `main` may return it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}
