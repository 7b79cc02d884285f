//! The native half of the Python package `meshwright`: modules parsed, completed, partitioned and run, for the classes
//! that `python/meshwright` shows its users.
//!
//! Everything here is what the command line does, with texts and arrays in memory instead of files. Nothing here is
//! public: names begin in `meshwright._native`, and only the package uses them. Python's lock is let go of while work
//! goes on. What goes wrong is raised as `meshwright.Error` with its diagnostics; a panic becomes one too.

#![forbid(unsafe_code)]

mod failure;
mod partitioned;
mod program;
mod settings;
mod signature;
mod writing;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<program::Program>()?;
    module.add_class::<partitioned::Partitioned>()
}
