//! The native half of the Python package `meshwright`: modules parsed, completed, partitioned and run, for the classes
//! that `python/meshwright` shows its users.
//!
//! Everything here is what the command line does, with texts and arrays in memory instead of files. Nothing here is
//! public: names begin in `meshwright._native`, and only the package uses them. Python's lock is let go of while work
//! goes on. What goes wrong is raised as `meshwright.Error` with its diagnostics; a panic becomes one too.

mod array;
mod executable;
mod explanation;
mod failure;
mod judge;
mod partitioned;
mod program;
mod settings;
mod signature;
mod writing;

use meshwright_base::Caller;
use meshwright_cli::allocator::Mimalloc;
use pyo3::prelude::*;

/// As in the binary: compilation makes and drops many small lists.
#[global_allocator]
static ALLOCATOR: Mimalloc = Mimalloc;

/// The exception for arrays that do not fit: for the package, which looks at them first.
#[pyfunction]
fn bad_arrays(py: Python<'_>, message: &str, help: &str) -> PyErr {
    failure::raised(py, &failure::bad_arrays(message, help))
}

/// The same for an argument that is not understood.
#[pyfunction]
fn bad_argument(py: Python<'_>, message: &str, help: &str) -> PyErr {
    failure::raised(py, &failure::bad_argument(message, help))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    Caller::Python.set();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(bad_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(bad_argument, module)?)?;
    module.add_function(wrap_pyfunction!(judge::random_program, module)?)?;
    module.add_class::<array::Array>()?;
    module.add_class::<array::Bytes>()?;
    module.add_class::<executable::Executable>()?;
    module.add_class::<explanation::Explanation>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<partitioned::Partitioned>()
}
