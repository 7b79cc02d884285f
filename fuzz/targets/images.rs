//! Images: PNG, PGM, PPM.

#![no_main]

meshwright_fuzz::attack!("images");
