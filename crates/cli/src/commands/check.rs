//! `check`: read a module, verify it, and say what is in it.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::load::{Loaded, load, stated_devices};
use crate::report::Report;
use meshwright_base::units::grouped;
use meshwright_ir::{Function, Module, ValueId};
use meshwright_shard::Mesh;
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub fn check(args: &CheckArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.file)?;
    Ok(summary(&module, &text.name))
}

/// What is in a module.
fn summary(module: &Module, file: &str) -> Report {
    let main = module.main();
    let (params, results) = (bytes(main, main.param_values()), bytes(main, main.result_values()));
    let ops = meshwright_ir::summary(module);
    let functions: Vec<&str> = module.funcs.values().map(|func| &*func.name).collect();
    let meshes: Vec<String> = module.meshes.values().map(mesh_text).collect();

    let name = if module.name.is_empty() { String::new() } else { format!(" @{}", module.name) };
    let mut out = format!("{file}: module{name} is sound\n");
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:13} {value}");
    };
    row("devices", grouped(stated_devices(module)));
    for mesh in &meshes {
        row("mesh", mesh.clone());
    }
    row("functions", format!("{} ({})", functions.len(), shortened(&functions)));
    row("parameters", format!("{}, {} bytes", main.param_values().len(), grouped(params)));
    row("results", format!("{}, {} bytes", main.result_values().len(), grouped(results)));
    row("instructions", grouped(ops.total() as i64));
    for line in ops.to_string().lines() {
        let _ = writeln!(out, "    {line}");
    }
    Report::new(out)
        .with("file", file)
        .with("module", &*module.name)
        .with("devices", stated_devices(module))
        .with("meshes", meshes)
        .with("functions", functions)
        .with("parameters", json!({ "count": main.param_values().len(), "bytes": params }))
        .with("results", json!({ "count": main.result_values().len(), "bytes": results }))
        .with("instructions", ops.total())
        .with(
            "ops",
            ops.0.iter().map(|(op, count)| (op.to_string(), (*count).into())).collect::<Map<String, Value>>(),
        )
}

/// Bytes of some values, as XLA counts them.
fn bytes(func: &Function, values: &[ValueId]) -> i64 {
    values.iter().fold(0, |sum: i64, value| sum.saturating_add(func.ty(*value).byte_size()))
}

/// `@mesh <["x"=4, "y"=2]>`.
pub(super) fn mesh_text(mesh: &Mesh) -> String {
    let axes: Vec<String> =
        mesh.axes.values().map(|axis| format!("\"{}\"={}", axis.name, axis.size)).collect();
    let order = if mesh.order.is_some() { ", devices in an order of its own" } else { "" };
    format!("@{} <[{}]>{order}", mesh.name, axes.join(", "))
}

/// The first few names of a list.
fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|name| format!("@{name}")).collect();
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(shortened(&["a", "b"]), "@a, @b");
        assert_eq!(shortened(&["a"; 8]), "@a, @a, @a, @a, @a, @a, and 2 more");
    }
}
