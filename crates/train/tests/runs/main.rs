//! Runs on the CPU engine: the same losses on every mesh, exact resuming, checkpoints on other meshes, and how runs end.

mod endings;
mod gradients;
mod meshes;
mod pairs;
mod resume;
mod support;
