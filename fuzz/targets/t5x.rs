//! Checkpoints of T5X, with arrays of Zarr.

#![no_main]

meshwright_fuzz::attack!("t5x");
