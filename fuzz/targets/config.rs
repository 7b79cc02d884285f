//! Configurations of training.

#![no_main]

meshwright_fuzz::attack!("config");
