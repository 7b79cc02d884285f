//! A thousand times: open a client, compile, run, fetch, let go. Every handle is given back, and the process does not
//! grow. The plugin stays loaded throughout.

#![allow(clippy::print_stdout)]

mod support;

use meshwright_interp::{Style, random_inputs};
use meshwright_pjrt::{PjrtDevices, Plugin};
use meshwright_runtime::{Devices, LoadOptions};
use support::{LAYERS, client, library, live, parsed, partitioned, placed, plugin, stale};

/// Bytes of this process in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}

#[test]
fn a_thousand_cycles_leave_no_handle_and_no_growth() {
    let program = partitioned(LAYERS);
    let inputs = random_inputs(&parsed(LAYERS), 5, Style::SmallInts).unwrap();
    let expected = meshwright_campaign::run_spmd(&program, &inputs).unwrap()[0].to_bytes();
    let cycle = || {
        let devices = PjrtDevices::new(client(&["devices=8"]), 8).unwrap();
        let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
        let results = loaded.launch(placed(&program, 8, &inputs), None).unwrap();
        let whole = results[0].to_host(&program.module().meshes, &program.results[0]).unwrap();
        assert_eq!(whole.bytes, expected);
        let refused = devices.load(&partitioned_for_too_many(), &LoadOptions::default());
        assert!(refused.is_err(), "an error is among what is given back");
    };
    let cycles = std::env::var("CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut after_some = 0;
    for at in 0..cycles {
        cycle();
        assert_eq!((live(), stale()), (0, 0), "behind cycle {at}");
        if at == cycles / 4 {
            after_some = resident();
        }
    }
    let grown = resident().saturating_sub(after_some);
    println!("{cycles} cycles: {} bytes are resident, {grown} more than after a quarter", resident());
    // The sanitizer keeps what was freed, and the first cycles fill what is kept for later ones.
    let tells_little = std::env::var_os("ASAN_OPTIONS").is_some() || cycles < 1000;
    assert!(tells_little || grown < 4 << 20, "{grown} bytes more than after a quarter of {cycles} cycles");
    assert!(std::ptr::eq(plugin(), Plugin::load(&library()).unwrap()), "it was loaded twice");
}

/// A program whose text the plugin refuses: it says a mesh of four, and is loaded for eight.
fn partitioned_for_too_many() -> meshwright_ir::SpmdModule {
    partitioned(&LAYERS.replace("\"x\"=2, \"y\"=4", "\"x\"=2, \"y\"=2"))
}
