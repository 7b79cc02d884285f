//! The integration tests of `meshwright-interp`: one binary, one module per subject.

mod collectives;
mod control;
mod elementwise;
mod families;
mod numerics;
mod support;
