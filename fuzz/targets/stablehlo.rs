//! Texts of StableHLO: read, verified, printed, read again.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use meshwright_fuzz::{change, check};
use meshwright_text::Format;

fuzz_target!(|data: &[u8]| {
    check::text(data, Format::Stablehlo);
});
fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    change::change(data, size, max, seed)
});
fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
    change::cross(first, second, out, seed)
});
