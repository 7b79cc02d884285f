//! The integration tests of the developer commands, in one binary.

mod bad_input;
#[path = "../../../cli/tests/it/diagnostics.rs"]
mod diagnostics;
mod docs;
mod m4;
mod papers;
mod planted;
mod studies;
#[path = "../../../cli/tests/it/train/support.rs"]
#[allow(dead_code, reason = "tests of `meshwright-cli` use the rest")]
mod support;
