//! Texts of HLO: read, verified, printed, read again.

#![no_main]

meshwright_fuzz::attack!("hlo");
