//! Stored programs.

#![no_main]

meshwright_fuzz::attack!("stored");
