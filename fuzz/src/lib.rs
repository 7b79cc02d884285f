//! Fuzz targets: one line each, since a target is a row of [`meshwright_attack::TARGETS`].
//!
//! libFuzzer changes bytes blindly. Half of all changes are made by [`change`](meshwright_attack::change) instead,
//! which knows lines, words and bundles.

#![forbid(unsafe_code)]

use meshwright_attack::change::{Dice, change, cross};
use meshwright_attack::{Target, target};
pub use {libfuzzer_sys, meshwright_cli};

/// Returns the row of a target's name.
pub fn find(name: &str) -> &'static Target {
    target(name).unwrap_or_else(|| panic!("no target is named `{name}`"))
}

/// Changes `data[..size]` in place. Returns the new size.
pub fn mutate(target: &Target, data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    if !target.is_text || seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max);
    }
    let changed = change(&data[..size], &mut Dice::new(u64::from(seed)));
    put(data, &changed, max)
}

/// Writes a mixture of two inputs. Returns its size.
pub fn mix(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mixed = cross(first, second, &mut Dice::new(u64::from(seed)));
    let max = out.len();
    put(out, &mixed, max)
}

fn put(data: &mut [u8], bytes: &[u8], max: usize) -> usize {
    let size = bytes.len().min(max).min(data.len());
    data[..size].copy_from_slice(&bytes[..size]);
    size
}

/// The program of a target. Its allocator ends the process where a reader takes more than its input may.
#[macro_export]
macro_rules! attack {
    ($name:literal) => {
        #[global_allocator]
        static ALLOCATOR: $crate::meshwright_cli::allocator::Budgeted<std::alloc::System> =
            $crate::meshwright_cli::allocator::Budgeted(std::alloc::System);

        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::find($name).run(data);
        });
        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
            $crate::mutate($crate::find($name), data, size, max, seed)
        });
        $crate::libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
            $crate::mix(first, second, out, seed)
        });
    };
}
