//! What fails on purpose reaches whoever called, in the plugin's words and with what to do: options that are wrong,
//! compilers, devices and memories that fail, machines that nobody knows.

mod support;

use meshwright_interp::{Style, random_inputs};
use meshwright_pjrt::abi::ErrorCode;
use meshwright_pjrt::{
    Client, CompileOptions, NamedValue, PjrtDevices, PluginError, Topology, Tried, Trouble,
};
use meshwright_runtime::{Devices, LoadOptions, RunErrorKind};
use support::{Counted, LAYERS, client, parsed, partitioned, placed, plugin};

fn refused(error: &PluginError) -> (ErrorCode, &str) {
    match &error.trouble {
        Trouble::Refused { code, message, .. } => (*code, message),
        other => panic!("{other:?}"),
    }
}

fn options(texts: &[&str]) -> Vec<(String, NamedValue)> {
    texts.iter().map(|text| NamedValue::parse(text).unwrap()).collect()
}

#[test]
fn options_that_are_wrong_are_named() {
    let _counted = Counted::new(0);
    let told = |text: &str| {
        let error = Client::new(plugin(), &options(&[text])).unwrap_err();
        let (code, message) = refused(&error);
        assert_eq!(code, ErrorCode::INVALID_ARGUMENT);
        message.to_string()
    };
    assert!(
        told("device=8").starts_with("there is no option `device`; there are devices, "),
        "{}",
        told("device=8")
    );
    assert_eq!(told("devices=0"), "option `devices` is 0, not 1 to 4096");
    assert_eq!(told("devices=true"), "option `devices` is a whole number");
    assert_eq!(told("fail_compile=3"), "option `fail_compile` is a text");
}

#[test]
fn a_machine_that_nobody_knows_is_said_with_those_there_are() {
    let _counted = Counted::new(0);
    let error = Topology::named(plugin(), "v4:2x2x1", &[]).err().unwrap();
    let shown = error.diagnostic(Tried::Topology("v4:2x2x1"));
    assert!(shown.notes[0].contains("no machine `v4:2x2x1`: they are `cpu:N`"), "{shown:?}");
    assert_eq!(refused(&error).0, ErrorCode::NOT_FOUND);
}

#[test]
fn a_topology_compiles_without_a_client_and_says_what_a_device_needs() {
    let _counted = Counted::new(0);
    let machine = Topology::named(plugin(), "cpu:8", &[]).unwrap();
    assert_eq!(machine.platform().unwrap(), "meshwright_interpreter");
    assert_eq!(machine.devices().unwrap().len(), 8);
    let to = CompileOptions { devices: (0..8).collect() };
    let compiled = machine.compile(LAYERS, &to).unwrap();
    let memory = compiled.memory().unwrap();
    // Arguments are f32[2,8], f32[8,4] and f32[4,8], the result is f32[2,8].
    assert_eq!((memory.arguments, memory.results), (Some(4 * (16 + 32 + 32)), Some(64)));
    assert_eq!((compiled.partitions().unwrap(), compiled.results().unwrap()), (8, 1));
    let text = String::from_utf8(compiled.optimized().unwrap().code).unwrap();
    assert!(text.contains("stablehlo.all_reduce"), "{text}");
    // Two products of 2x8x4 in each device.
    let flops =
        compiled.costs().unwrap().iter().find(|(name, _)| name == "flops").and_then(|(_, v)| v.number());
    assert!(flops.is_some_and(|flops| flops >= 256.0), "{flops:?}");
    let small = Topology::named(plugin(), "cpu:4", &[]).unwrap();
    let error = small.compile(LAYERS, &to).err().unwrap();
    assert!(refused(&error).1.contains("8 partitions, `cpu:4` 4 devices"), "{error}");
}

#[test]
fn a_compiler_that_fails_is_heard() {
    let _counted = Counted::new(0);
    let opened = client(&["fail_compile=out of ideas"]);
    let devices = PjrtDevices::new(opened, 8).unwrap();
    let error = devices.load(&partitioned(LAYERS), &LoadOptions::default()).err().unwrap();
    assert_eq!(error.kind, RunErrorKind::Plugin);
    assert!(error.to_string().contains("INTERNAL: out of ideas"), "{error}");
}

#[test]
fn a_device_that_fails_in_a_later_run_ends_that_run_and_leaves_nothing_behind() {
    let _counted = Counted::new(0);
    let program = partitioned(LAYERS);
    let devices = PjrtDevices::new(client(&["fail_execute_after=2"]), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    let args = placed(&program, 8, &inputs);
    for _ in 0..2 {
        loaded.launch(args.clone(), None).unwrap()[0].ready().unwrap();
    }
    let made = loaded.launch(args, None).unwrap();
    let error = made[0].shards().err().unwrap();
    assert_eq!((error.kind, made[0].ready()), (RunErrorKind::Plugin, Err(error.clone())));
    assert!(error.to_string().contains("device 7 failed in run 2"), "{error}");
}

#[test]
fn what_failed_first_is_told_of_all_that_came_after() {
    let _counted = Counted::new(0);
    let program = partitioned(LAYERS);
    let devices = PjrtDevices::new(client(&["fail_execute_after=1", "execute_ms=50"]), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    let [x, up, down] = placed(&program, 8, &inputs).try_into().unwrap();
    let mut x = x;
    for _ in 0..4 {
        x = loaded.launch(vec![x, up.clone(), down.clone()], None).unwrap().remove(0);
    }
    let error = x.shards().err().unwrap();
    assert!(error.to_string().contains("device 7 failed in run 1"), "{error}");
}

#[test]
fn more_launches_than_may_stand_in_line_end_with_what_they_compute() {
    let _counted = Counted::new(0);
    let program = partitioned(LAYERS);
    let devices = PjrtDevices::new(client(&["execute_ms=1"]), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    let [x, up, down] = placed(&program, 8, &inputs).try_into().unwrap();
    let mut by_turns = x.clone();
    let mut in_line = x;
    for _ in 0..100 {
        in_line = loaded.launch(vec![in_line, up.clone(), down.clone()], None).unwrap().remove(0);
        by_turns = loaded.launch(vec![by_turns, up.clone(), down.clone()], None).unwrap().remove(0);
        by_turns.ready().unwrap();
    }
    let bytes = |array: &meshwright_runtime::DeviceArray| {
        array.to_host(&program.module().meshes, &program.results[0]).unwrap().bytes
    };
    assert_eq!(bytes(&in_line), bytes(&by_turns));
}

#[test]
fn a_program_that_does_not_fit_is_told_with_its_bytes() {
    let _counted = Counted::new(0);
    let opened = client(&["memory_bytes=300"]);
    let devices = PjrtDevices::new(opened, 8).unwrap();
    let error = devices.load(&partitioned(LAYERS), &LoadOptions::default()).err().unwrap();
    assert_eq!(error.kind, RunErrorKind::TooMuchMemory);
    assert!(error.to_string().contains("(320 arguments, 64 results, "), "{error}");
    assert!(error.to_string().contains("which has 300"), "{error}");
    assert_eq!(error.notes[0], "parameter 1, f32[8,4], takes 128 bytes of each device");
}

#[test]
fn an_array_that_does_not_fit_is_told_with_what_is_in_use() {
    let _counted = Counted::new(0);
    let program = partitioned(LAYERS);
    let opened = client(&["memory_bytes=700"]);
    let devices = PjrtDevices::new(opened.clone(), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    // Each run takes 320 bytes for arguments and 64 for a result that is held.
    let mut held = Vec::new();
    let error = loop {
        let made = loaded.launch(placed(&program, 8, &inputs), None);
        match made.and_then(|made| made[0].ready().map(|()| made)) {
            Ok(results) => held.extend(results),
            Err(error) => break error,
        }
        assert!(held.len() < 20);
    };
    assert_eq!(held.len(), 5, "700 bytes are 5 results and 320 bytes of arguments");
    assert_eq!(error.kind, RunErrorKind::TooMuchMemory);
    assert!(error.to_string().contains("of 700 are in use"), "{error}");
    drop(held);
    loaded.launch(placed(&program, 8, &inputs), None).unwrap()[0].ready().unwrap();
}

#[test]
fn more_devices_than_there_are_is_told_with_both_numbers() {
    let _counted = Counted::new(0);
    let error = PjrtDevices::new(client(&["devices=2"]), 8).err().unwrap();
    assert_eq!(error.kind, RunErrorKind::BadDevices);
    assert!(error.to_string().contains("the program has 8 devices, the plugin 2"), "{error}");
}
