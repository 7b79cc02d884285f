//! Small modules in either form: verified, printed in both, run.

#![no_main]

meshwright_fuzz::attack!("modules");
