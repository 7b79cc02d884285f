//! The oracle: what a program means, by loops over indices and nothing clever.
//!
//! Three ways to run a module: [`run()`] on one device, [`run_devices`] as the one program that N simulated devices run
//! in lockstep with real collectives, [`run_global`] with global arrays that are cut only inside manual regions.
//!
//! Numbers are held wide and rounded to their element type after every op; contractions and reductions over narrow
//! floats add up in `f32` and round once; orders are fixed, so equal inputs give equal bits everywhere.
//!
//! Modules are expected to have passed the verifier. One that has not ends in a diagnostic, as do endless loops,
//! oversized values and devices that do not meet at a collective.

#![forbid(unsafe_code)]

mod batch_norm;
mod bits;
mod collective;
mod complex;
mod contract;
mod control;
mod convert;
mod convolution;
mod data;
mod dynamic;
mod elementwise;
mod eval;
mod fault;
mod feed;
mod fft;
mod foreign;
mod gather;
pub mod global;
mod inputs;
mod lanes;
mod layout;
mod linalg;
mod liveness;
mod machine;
mod manual;
mod meter;
mod movement;
mod name;
mod random;
mod reduce;
mod region;
mod round;
mod run;
mod scalar;
mod scatter;
mod sort;
mod special;
mod tensor;
mod view;
mod window;

pub use complex::Complex;
pub use fault::{
    BAD_DEVICES, BAD_INPUTS, DIVERGED, GLOBAL_ONLY, NOT_RUN, TOO_DEEP, TOO_MANY_BYTES, TOO_MANY_STEPS,
    UNSOUND,
};
pub use feed::Feed;
pub use foreign::knows;
pub use inputs::{Style, random_array, random_input, random_inputs};
pub use machine::{Options, storage};
pub use round::{next_after, round};
pub use run::{
    check_devices, run, run_devices, run_devices_fed, run_devices_with, run_global, run_global_fed,
    run_global_with, run_views, run_with,
};
pub use tensor::{Data, Scalar, Tensor};
