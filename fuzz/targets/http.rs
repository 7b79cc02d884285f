//! Requests to `train --serve`.

#![no_main]

meshwright_fuzz::attack!("http");
