//! Runs on the CPU engine: the same losses on every mesh, exact resuming, checkpoints on other meshes, and how runs
//! end.

#![expect(clippy::print_stdout, reason = "tests that measure say what they measured")]

mod classes;
mod decoding;
mod endings;
mod gradients;
mod images;
mod live;
mod meshes;
mod pairs;
mod resume;
mod speech;
mod support;
mod tuning;
