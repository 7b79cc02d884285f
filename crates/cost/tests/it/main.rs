//! The integration tests of `meshwright-cost`: one binary, one module per subject.

mod networks;
mod pipelines;
mod steps;
