//! Tests of the crate through its public interface, in one binary.

mod build;
mod function;
mod rules;
mod same;
mod scan;
mod table;
mod verify;
