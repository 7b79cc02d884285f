//! A word on stderr, once a process, where the engine was compiled without optimization.
//!
//! That happens to whoever depends on it and writes `cargo run`: Cargo takes the profile of the crate that is built,
//! not of the ones it depends on, and its `dev` optimizes nothing. Kernels then take about a hundred times as long.

use std::io::{self, Write};
use std::sync::Once;

const IS_UNOPTIMIZED: bool = matches!(env!("MESHWRIGHT_OPT_LEVEL").as_bytes(), b"0");

const NOTE: &str = "\
note: meshwright was compiled without optimization and runs about 100 times slower for it
  = help: use `cargo run --release`, or write into your Cargo.toml
            [profile.dev.package.\"*\"]
            opt-level = 1
            [profile.dev.package.meshwright-kernels]
            opt-level = 3
";

/// Says so at the first call. Nobody listens: the program goes on.
pub fn told_once() {
    static TOLD: Once = Once::new();
    if IS_UNOPTIMIZED {
        TOLD.call_once(|| drop(io::stderr().write_all(NOTE.as_bytes())));
    }
}
