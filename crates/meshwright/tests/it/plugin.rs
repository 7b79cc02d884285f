//! Programs on the devices of a plugin give what they give on this machine's cores, step by step, and what stays there
//! stays there. The plugin is the one for tests, whose devices the interpreter simulates.

use meshwright::pjrt::{Client, NamedValue, PjrtDevices, Plugin};
use meshwright::prelude::*;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::PathBuf;
use std::sync::Arc;

/// It is made with this test, which depends on it, in the same folder.
fn library() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name(format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}"))
}

fn step() -> Partitioned {
    let mesh = Mesh::new([("x", 2), ("y", 4)]).unwrap();
    let program = trace("step", |t| {
        let x = t.input("x", f32, [8, 16]).mesh_split(&mesh, ("x", ()));
        let table = t.param("table", [8, 16]).mesh_split(&mesh, ("x", ()));
        let w = t.state("w", f32, [16, 32]).mesh_split(&mesh, ((), "y"));
        let y = (x + table).matmul(w);
        [("w", w + 0.0009765625 * y.sum(..)), ("loss", y.square().mean(..))]
    });
    program.unwrap().partition().unwrap()
}

/// Losses of some steps.
fn losses(mut loaded: Loaded) -> Vec<f32> {
    loaded.set("w", &Array::filled([16, 32], 0.5f32)).unwrap();
    loaded.set("table", &Array::filled([8, 16], -0.25f32)).unwrap();
    let x = Array::filled([8, 16], 0.125f32);
    let step = |_| loaded.run(&[("x", &x)]).unwrap().number("loss").unwrap() as f32;
    (0..4).map(step).collect()
}

#[test]
fn steps_on_a_plugins_devices_are_those_of_the_cores_and_send_their_inputs_alone() {
    let log = std::env::temp_dir().join(format!("meshwright-facade-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    let plugin = Plugin::load(&library()).unwrap();
    let option = ("log".to_string(), NamedValue::Text(log.display().to_string()));
    let devices = PjrtDevices::new(Arc::new(Client::new(plugin, &[option]).unwrap()), 8).unwrap();
    assert_eq!(losses(step().load_on(&devices).unwrap()), losses(step().load(8).unwrap()));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    let puts: Vec<usize> = text.split("run ").map(|part| part.matches("put ").count()).collect();
    assert_eq!(puts, [24, 8, 8, 8, 0], "{text}");
}

#[test]
fn a_plugin_is_opened_by_its_library_alone() {
    assert_eq!(losses(step().load_on_plugin(library()).unwrap()), losses(step().load(8).unwrap()));
    let none = step().load_on_plugin("no/such/plugin.so").err().unwrap();
    assert!(none.to_string().contains("cannot be loaded"), "{none}");
}
