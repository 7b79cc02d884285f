//! Texts of StableHLO: read, verified, printed, read again.

#![no_main]

meshwright_fuzz::attack!("stablehlo");
