//! The integration tests of `meshwright-meshwright`: one binary, one module per subject.

mod annotations;
mod deep;
mod diagnostics;
mod errors;
mod examples;
mod foreign_modules;
mod gradients;
mod manual;
mod matrices;
mod pipelines;
mod plugin;
mod slips;
mod weights;
mod yardstick;
