//! Files of safetensors.

#![no_main]

meshwright_fuzz::attack!("safetensors");
