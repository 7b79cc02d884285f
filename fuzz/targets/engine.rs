//! Programs made of choices, partitioned, on the engine and on the interpreter.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    meshwright_fuzz::engine::engine(data);
});
