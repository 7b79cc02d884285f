//! Archives of numpy.

#![no_main]

meshwright_fuzz::attack!("npz");
