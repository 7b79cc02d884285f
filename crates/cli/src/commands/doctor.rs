//! `doctor`: what this machine has for programs to run on, and how to get what is missing.
//!
//! A plugin is opened in a process of its own: what ends that, or keeps it for ever, is told and ends nothing else.

use crate::failure::Failure;
use crate::plan_args::DoctorArgs;
use crate::plugins::{self, Kind};
use crate::report::Report;
use crate::units;
use meshwright_cost::machine::target::{Nameable, nameable};
use meshwright_cpu::Isa;
use meshwright_pjrt::{Client, NamedValue, Plugin, PluginError, Tried};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a plugin may take to open its devices.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// What vector instructions there can be, and what each is for.
const VECTORS: [(Isa, &str); 4] = [
    (Isa::Neon, "elementwise loops and matrix products on AArch64"),
    (Isa::Avx2, "elementwise loops and matrix products, 8 lanes"),
    (Isa::Avx512, "elementwise loops and matrix products, 16 lanes"),
    (Isa::Amx, "bf16 matrix products on tiles"),
];

pub fn doctor(args: &DoctorArgs) -> Result<Report, Failure> {
    if let Some(path) = &args.open {
        return opened(path, &args.plugin.plugin_option);
    }
    let plugins: Vec<Value> = plugins::found(&args.plugin)
        .iter()
        .map(|found| {
            let mut told = asked(&found.path, &args.plugin.plugin_option);
            told["path"] = json!(found.path.display().to_string());
            told["from"] = json!(found.from);
            told
        })
        .collect();
    let (cpu, mpi, machines) = (cpu(), mpi(), nameable());
    let text = cpu_text(&cpu) + &mpi_text(&mpi) + &plugins_text(&plugins) + &machines_text(&machines);
    let machines: Vec<Value> = machines.iter().map(machine_json).collect();
    Ok(Report::new(text)
        .with("cpu", cpu)
        .with("mpi", mpi)
        .with("plugins", plugins)
        .with("machines", machines))
}

/// Machines that `--target` takes by their names, whether they are there or not.
fn machines_text(machines: &[Nameable]) -> String {
    let mut out = String::from(
        "targets: `--target NAME:SHAPE` for `plan` and `compile`, with the shape in TPU chips, or GPUs per host x hosts\n",
    );
    for Nameable { name, device, machine, shapes } in machines {
        let memory = units::bytes(machine.capacity);
        let _ = writeln!(out, "  {name:12} {memory:>8} per {device:5} {}", shapes.join(", "));
    }
    out + "  one shape per size is listed; others work too, if the first two dimensions of a TPU shape are 1 or even\n"
}

fn machine_json(of: &Nameable) -> Value {
    json!({
        "name": of.name,
        "device": of.device,
        "memory": of.machine.capacity,
        "shapes": of.shapes,
    })
}

fn cpu() -> Value {
    let vectors = VECTORS.iter().filter(|(isa, _)| (*isa == Isa::Neon) == cfg!(target_arch = "aarch64"));
    let vectors =
        vectors.map(|(isa, what)| json!({ "name": isa.name(), "for": what, "here": isa.is_there() }));
    json!({
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "vectors": vectors.collect::<Vec<_>>(),
        "used": Isa::used().name(),
    })
}

fn cpu_text(cpu: &Value) -> String {
    let mut out = format!("CPU: {} cores; `--backend cpu` uses {}\n", cpu["cores"], text_of(&cpu["used"]));
    for vector in cpu["vectors"].as_array().into_iter().flatten() {
        let here = if vector["here"] == json!(true) { "available" } else { "not on this CPU" };
        let _ = writeln!(out, "  {:8} {here:16} {}", text_of(&vector["name"]), text_of(&vector["for"]));
    }
    out
}

fn mpi() -> Value {
    json!({
        "built_in": cfg!(feature = "mpi"),
        "mpirun": on_path("mpirun"),
        "mpicc": on_path("mpicc"),
    })
}

fn mpi_text(mpi: &Value) -> String {
    let has = |key: &str| !matches!(mpi[key], Value::Null | Value::Bool(false));
    let mut out = String::from("MPI: ");
    out += match (has("built_in"), has("mpirun")) {
        (true, true) => "available: `mpirun -n N meshwright .. --backend mpi` runs one process per rank\n",
        (true, false) => "built in, but `mpirun` is not on the PATH\n",
        (false, _) => "not built in, so `--backend mpi` is an error\n",
    };
    if !has("mpirun") || !has("mpicc") && !has("built_in") {
        out += "  install: `apt-get install openmpi-bin libopenmpi-dev libclang-dev`\n";
    }
    if !has("built_in") {
        out += "  enable: `cargo install --locked --path crates/cli --features mpi`\n";
    }
    out
}

/// Where a program lies that a shell would find.
fn on_path(name: &str) -> Option<String> {
    let paths = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    Some(found.display().to_string())
}

const GET: &str = "  install: `pip install libtpu` compiles for TPUs without having one, `pip install jax-cuda13-pjrt nvidia-cuda-nvcc \
                   nvidia-nvvm` for NVIDIA GPUs; `pip install \"jax[cuda13]\"` also runs on NVIDIA GPUs\n";

fn plugins_text(plugins: &[Value]) -> String {
    if plugins.is_empty() {
        return format!("PJRT plugins: none\n{GET}");
    }
    let mut out = String::from("PJRT plugins\n");
    for plugin in plugins {
        let _ = writeln!(out, "  {} (from {})", text_of(&plugin["path"]), text_of(&plugin["from"]));
        for trouble in ["trouble", "no_device"] {
            if let Some(why) = plugin[trouble].as_str() {
                let _ = writeln!(out, "    {}", why.trim().replace('\n', "\n    "));
            }
        }
        if let Some(version) = plugin["api"].as_str() {
            let told = |key: &str| plugin["attributes"][key].as_str().map(|value| format!(", {key} {value}"));
            let more = ["xla_version", "stablehlo_current_version"].iter().filter_map(|key| told(key));
            let _ = writeln!(out, "    PJRT API {version}{}", more.collect::<String>());
        }
        for device in plugin["devices"].as_array().into_iter().flatten() {
            let memory = device["memory"]
                .as_i64()
                .map_or(String::new(), |bytes| format!(", {} each", units::bytes(bytes)));
            let _ = writeln!(out, "    {} x {}{memory}", device["count"], text_of(&device["kind"]));
        }
        let kind = Kind::of(Path::new(text_of(&plugin["path"])));
        let example = match kind {
            Kind::Tpu => "TPUs: `meshwright compile FILE --target tpu-v4:2x2x1`",
            Kind::Cuda => "GPUs: `meshwright compile FILE --target h100:8`",
            Kind::Other => continue,
        };
        if plugin["api"].is_string() {
            let _ = writeln!(out, "    compiles ahead of time for {example}");
        }
    }
    out
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// What a plugin tells of itself and its devices, in a process of its own.
fn asked(path: &Path, options: &[(String, NamedValue)]) -> Value {
    let trouble = |why: String| json!({ "trouble": why });
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return trouble(format!("cannot locate the running program: {error}")),
    };
    let mut command = Command::new(program);
    command.args(["doctor", "--json", "--open"]).arg(path);
    for (name, value) in options {
        command.args(["--plugin-option", &format!("{name}={value}")]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return trouble(format!("cannot start a process to open it: {error}")),
    };
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return trouble(format!("its devices did not open within {} s", PATIENCE.as_secs()));
            }
        }
    };
    let mut told = String::new();
    let read = child.stdout.take().map(|mut stdout| stdout.read_to_string(&mut told));
    let told: Option<Value> = read.and_then(Result::ok).and_then(|_| serde_json::from_str(&told).ok());
    match told {
        Some(told) if told["ok"] == json!(true) => told["plugin"].clone(),
        Some(told) => trouble(text_of(&told["diagnostics"][0]["message"]).to_string()),
        None => trouble(format!("opening it ended the process: {status}")),
    }
}

/// This process opens a plugin and tells of it.
fn opened(path: &Path, options: &[(String, NamedValue)]) -> Result<Report, Failure> {
    let plugin = plugins::loaded(path, false)?;
    let (major, minor) = plugin.version();
    let attributes: serde_json::Map<String, Value> =
        plugin.attributes().iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect();
    let mut told = json!({ "api": format!("{major}.{minor}"), "attributes": attributes });
    match devices(plugin, options) {
        Ok(devices) => told["devices"] = json!(devices),
        Err(error) => {
            let diagnostic = error.diagnostic(Tried::Devices);
            told["no_device"] = json!([vec![diagnostic.message], diagnostic.notes].concat().join("\n"));
        }
    }
    Ok(Report::default().with("plugin", told))
}

/// Devices by kind, with their memory.
fn devices(plugin: &'static Plugin, options: &[(String, NamedValue)]) -> Result<Vec<Value>, PluginError> {
    let client = Client::new(plugin, options)?;
    let memory = client.memory().ok().and_then(|all| all.first().and_then(|first| first.limit));
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for device in client.devices()? {
        *kinds.entry(device.kind).or_default() += 1;
    }
    Ok(kinds.iter().map(|(kind, count)| json!({ "kind": kind, "count": count, "memory": memory })).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_a_way_to_get_it() {
        assert!(plugins_text(&[]).contains("pip install libtpu"));
        let none = json!({ "built_in": false, "mpirun": null, "mpicc": null });
        assert!(mpi_text(&none).contains("apt-get install") && mpi_text(&none).contains("--features mpi"));
        let all = json!({ "built_in": true, "mpirun": "/usr/bin/mpirun", "mpicc": null });
        assert!(!mpi_text(&all).contains("apt-get"), "{}", mpi_text(&all));
    }

    #[test]
    fn a_plugin_is_told_with_its_devices_or_why_there_are_none() {
        let plugins = [
            json!({ "path": "a/xla_cuda_plugin.so", "from": "--plugin", "api": "0.100", "attributes": {},
                    "devices": [{ "kind": "H100", "count": 8, "memory": 1i64 << 30 }] }),
            json!({ "path": "b/libtpu.so", "from": "--plugin", "api": "0.117", "attributes": { "xla_version": "2" },
                    "no_device": "there is no device\nit says: none" }),
            json!({ "path": "c.so", "from": "--plugin", "trouble": "no plugin" }),
        ];
        let text = plugins_text(&plugins);
        for part in
            ["8 x H100, 1.07 GB each", "    it says: none", "xla_version 2", "tpu-v4:2x2x1", "    no plugin"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
