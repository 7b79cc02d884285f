//! The binary `meshwright`. Everything is in the library beside it, where tests reach it.

use std::process::ExitCode;

/// Compilation makes and drops many small lists: a third of its time would go into the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    meshwright_cli::main()
}
