//! The binary `meshwright`. Everything is in the library beside it, where tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    meshwright_cli::main()
}
