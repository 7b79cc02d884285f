//! The integration tests of `meshwright-tensor`: one binary, one module per subject.

mod errors;
mod ops;
mod pipeline;
mod trees;
