//! Debian packages.

#![no_main]

meshwright_fuzz::attack!("deb");
