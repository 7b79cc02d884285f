//! Failures as exceptions: `meshwright.Error`, with each diagnostic as programs read it and all of them as people do.

use meshwright_base::{Code, Diagnostic, budget};
use meshwright_cli::commands::run::{BAD_ARRAYS, memory};
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::guard;
use meshwright_cli::report::{Report, diagnostic_json};
use pyo3::prelude::*;
use serde_json::Value;

/// An argument of a call from Python is none of those that are understood.
const BAD_ARGUMENT: Code = Code(740);

/// Work that takes a while, without Python's lock: on a thread whose stack has room for nested input. It gives up when
/// a signal's handler raises, as Ctrl-C has it. What needs more than half of the memory that is free now is refused.
pub fn alone<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    budget::set_limit(budget::taken().saturating_add(memory::half_of_free()));
    watched(py, work)
}

/// The same, whatever it needs.
pub fn watched<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    // What a signal's handler raised: Python runs handlers in its main thread only, and only when asked there.
    let mut raised_meanwhile = None;
    let mut goes_on = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => raised_meanwhile.is_none(),
        Err(error) => {
            raised_meanwhile = Some(error);
            false
        }
    };
    let done = py.detach(|| guard::catch_while(&mut goes_on, work).unwrap_or_else(|ended| Err(ended.into())));
    match (done, raised_meanwhile) {
        // What came too late to end the work ends what comes behind it.
        (_, Some(error)) => Err(error),
        (done, None) => done.map_err(|failure| raised(py, &failure)),
    }
}

/// Work that is done often, without Python's lock, in this thread.
pub fn here<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    let done = py.detach(|| guard::catch_here(work).unwrap_or_else(|ended| Err(ended.into())));
    done.map_err(|failure| raised(py, &failure))
}

/// The exception of a failure.
pub fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    match made(py, failure) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

fn made<'py>(py: Python<'py>, failure: &Failure) -> PyResult<Bound<'py, PyAny>> {
    let kind = match failure.exit_code() {
        1 => "input",
        2 => "usage",
        3 => "environment",
        _ => "bug",
    };
    let told = failure.diagnostics.iter().map(|found| diagnostic_json(found, failure.text.as_ref()));
    let told = Value::Array(told.collect()).to_string();
    let make = py.import("meshwright._errors")?.getattr("_raised")?;
    make.call1((failure.to_text(), kind, told))
}

/// The failure of an argument.
pub fn bad_argument(message: impl Into<String>, help: impl Into<String>) -> Failure {
    Failure::new(Fault::Usage, Diagnostic::error(BAD_ARGUMENT, message).help(help))
}

/// The failure of arrays that do not fit the program.
pub fn bad_arrays(message: impl Into<String>, help: impl Into<String>) -> Failure {
    Failure::input(Diagnostic::error(BAD_ARRAYS, message).help(help))
}

/// What programs read of a report.
pub fn in_json(report: &Report) -> String {
    Value::Object(report.json.clone()).to_string()
}
