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
    (Isa::Neon, "loops and products on AArch64"),
    (Isa::Avx2, "loops and products of 8 numbers at a time"),
    (Isa::Avx512, "loops and products of 16 numbers at a time"),
    (Isa::Amx, "products of bf16 on tiles"),
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
        "machines by name: `--target NAME:SHAPE`, in chips of TPUs, in GPUs of a host and hosts; shapes of each size are\n",
    );
    for Nameable { name, device, machine, shapes } in machines {
        let memory = units::bytes(machine.capacity);
        let _ = writeln!(out, "  {name:12} {memory:>10} a {device:5} {}", shapes.join(", "));
    }
    out + "  others are taken too, the first two directions of a TPU 1 or even; `plan` and `compile` take them\n"
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
        let here = if vector["here"] == json!(true) { "here" } else { "not on this CPU" };
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
        (true, true) => "`mpirun -n N meshwright .. --backend mpi` runs over ranks\n",
        (true, false) => "built in, but there is no `mpirun`\n",
        (false, _) => "not built in: `--backend mpi` is refused\n",
    };
    if !has("mpirun") || !has("mpicc") && !has("built_in") {
        out += "  get it: `apt-get install openmpi-bin libopenmpi-dev libclang-dev`\n";
    }
    if !has("built_in") {
        out += "  build it in: `cargo install --locked --path crates/cli --features mpi`\n";
    }
    out
}

/// Where a program lies that a shell would find.
fn on_path(name: &str) -> Option<String> {
    let paths = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    Some(found.display().to_string())
}

const GET: &str = "  get one: `pip install libtpu` compiles for TPUs that are not here, `pip install jax-cuda13-pjrt nvidia-cuda-nvcc \
                   nvidia-nvvm` for NVIDIA GPUs; `pip install \"jax[cuda13]\"` runs on those\n";

fn plugins_text(plugins: &[Value]) -> String {
    if plugins.is_empty() {
        return format!("PJRT: no plugin\n{GET}");
    }
    let mut out = String::from("PJRT: plugins\n");
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
            let _ = writeln!(out, "    PJRT {version}{}", more.collect::<String>());
        }
        for device in plugin["devices"].as_array().into_iter().flatten() {
            let memory = device["memory"]
                .as_i64()
                .map_or(String::new(), |bytes| format!(", {} each", units::bytes(bytes)));
            let _ = writeln!(out, "    {} of {}{memory}", device["count"], text_of(&device["kind"]));
        }
        let kind = Kind::of(Path::new(text_of(&plugin["path"])));
        let example = match kind {
            Kind::Tpu => "TPUs that are not here: `meshwright compile FILE --target tpu-v4:2x2x1`",
            Kind::Cuda => "GPUs that are not here: `meshwright compile FILE --target h100:8`",
            Kind::Other => continue,
        };
        if plugin["api"].is_string() {
            let _ = writeln!(out, "    compiles for {example}");
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
        Err(error) => return trouble(format!("this program does not find itself: {error}")),
    };
    let mut command = Command::new(program);
    command.args(["doctor", "--json", "--open"]).arg(path);
    for (name, value) in options {
        command.args(["--plugin-option", &format!("{name}={value}")]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return trouble(format!("this program does not start: {error}")),
    };
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return trouble(format!("it did not open its devices within {} s", PATIENCE.as_secs()));
            }
        }
    };
    let mut told = String::new();
    let read = child.stdout.take().map(|mut stdout| stdout.read_to_string(&mut told));
    let told: Option<Value> = read.and_then(Result::ok).and_then(|_| serde_json::from_str(&told).ok());
    match told {
        Some(told) if told["ok"] == json!(true) => told["plugin"].clone(),
        Some(told) => trouble(text_of(&told["diagnostics"][0]["message"]).to_string()),
        None => trouble(format!("it ended the process that opened it: {status}")),
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
        for part in [
            "8 of H100, 1.074 GB each",
            "    it says: none",
            "xla_version 2",
            "tpu-v4:2x2x1",
            "    no plugin",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
