//! The binary `meshwright-lab`. Everything is in the library beside it, where tests reach it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use meshwright_cli::allocator::{Budgeted, Mimalloc};

/// Compilation makes and drops many small lists: a third of its time would go into the system's allocator.
#[global_allocator]
static ALLOCATOR: Budgeted<Mimalloc> = Budgeted(Mimalloc);

fn main() -> ExitCode {
    meshwright_lab::main()
}
