//! The integration tests of `meshwright-runtime`: one binary, one module per subject.

mod faults;
mod sums;
