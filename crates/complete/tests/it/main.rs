//! The integration tests of `meshwright-complete`: one binary, one module per subject.

mod agreement;
mod diagnostics;
mod models;
mod properties;
mod support;
mod table_1;
