//! The native CPU engine: a compiler from a partitioned module to a list of steps with planned buffers.
//!
//! ```text
//! lower (views, fused loops, loops and branches of steps) -> passes (prune, .., place) -> line of steps and jumps
//! ```
//!
//! Transposes, broadcasts and slices are views; elementwise ops join into tile programs, which run as machine code
//! where the CPU has AVX2, AVX-512 or NEON; neighbours that go over the same rows, batched products among them, become
//! one band, which runs block of rows by block of rows with what only it uses in the cache; at last loops and branches
//! become jumps in one flat list, so a device stands still at a collective by remembering one number. An op without a
//! kernel is refused when the program is loaded, never when it runs.

#![forbid(unsafe_code)]

mod batch_norm;
mod info;
mod lower;
mod parted_folds;
mod passes;
mod program;
mod reducers;
mod replace;
mod sparse;
mod watch;

pub use meshwright_kernels::isa::{Isa, VARIABLE};
pub use passes::{PASSES, StepPass};
pub use program::{Cpu, steps_after_each};
