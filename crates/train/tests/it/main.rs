//! The integration tests of `meshwright-train`: one binary, one module per subject.

mod answers;
mod docs;
mod foreign;
mod runs;
mod tokenizers;
