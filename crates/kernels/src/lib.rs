//! What a step of the native CPU engine does: plain loops over buffers, cut into pieces by shape, and machine code for
//! elementwise programs where the CPU has AVX2 or AVX-512.
//!
//! ```text
//! Step::run: buffers in, buffers out        all that a step needs to know was settled when the program was compiled
//! ```
//!
//! Which steps a module becomes is `meshwright-cpu`'s to say. This crate is most of the engine's code and is compiled
//! for speed; it waits for no pass, so it is compiled beside them.

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub mod amx;
pub mod arg;
pub mod bands;
pub mod compiled;
mod convert;
pub mod convolution;
pub mod copy;
pub mod cumulate;
pub mod dot;
pub mod feed;
pub mod fold;
pub mod fourier;
pub mod fused;
pub mod gather;
pub mod gemm;
pub mod isa;
pub mod linalg;
mod load;
pub mod plain;
pub mod reduce;
pub mod rng;
pub mod sampled;
pub mod scalar;
pub mod scalar_loop;
pub mod scatter;
pub mod sort;
pub mod sparse;
pub mod step;
pub mod tile;
pub mod tiled;
pub mod unoptimized;
pub mod view;
pub mod window;

use meshwright_jit::math;
