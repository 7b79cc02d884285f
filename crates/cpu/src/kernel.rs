//! The kernels: plain loops over buffers, cut into pieces by shape.

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub mod amx;
pub mod arg;
pub mod bands;
pub mod compiled;
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
pub mod linalg;
pub mod load;
pub mod plain;
pub mod reduce;
pub mod rng;
pub mod sampled;
pub mod scatter;
pub mod sort;
pub mod sparse;
pub mod tiled;
pub mod window;
