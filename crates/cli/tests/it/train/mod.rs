//! Training by the binary, as a user starts it: to its end, killed, interrupted, out of space, and with every kind of
//! wrong input.

mod bad_input;
mod dumped;
mod foreign;
mod going_on;
mod kill;
mod mpi;
mod owners;
mod routing;
mod screen;
pub mod support;
pub mod translate;
mod whole;
