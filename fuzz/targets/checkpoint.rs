//! Checkpoints as runs write them.

#![no_main]

meshwright_fuzz::attack!("checkpoint");
