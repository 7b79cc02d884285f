//! The integration tests of `meshwright-cpu`: one binary, one module per subject.

mod attention;
mod columns;
mod conformance;
mod convolutions;
mod counts;
mod golden;
mod home;
mod interrupt;
mod layout;
mod linalg;
mod memory;
mod narrow;
mod nonfinite;
mod norms;
mod ops;
mod parts;
mod pieces;
mod random_convolutions;
mod refusals;
mod rows;
mod scalar_loops;
mod sparse;
mod support;
mod volumes;
mod windows;
mod yardstick;
