//! A module on a smaller mesh: every device is simulated, so two thousand of them would take two thousand times as
//! long.
//!
//! ```text
//! sdy.mesh @m = <["data"=128, "expert"=16]>     =>     sdy.mesh @m = <["data"=2, "expert"=4]>
//! ```
//!
//! Done in the module's text, where a mesh says the sizes of its axes once and shardings name whole axes. A module with
//! parts of axes or with lists of devices does not read back so, and keeps its mesh.

use meshwright_base::SourceText;
use meshwright_ir::Module;
use std::collections::BTreeMap;

/// The most devices of a mesh that is made smaller, unless it has more axes than that.
const MOST_DEVICES: i64 = 8;

/// The module on a mesh of few devices, and the axes that are smaller: name, size and smaller size.
pub fn on_fewer_devices(module: Module) -> (Module, Vec<(String, i64, i64)>) {
    let axes = smaller_axes(&module);
    if axes.is_empty() {
        return (module, Vec::new());
    }
    let text = meshwright_text::stablehlo::print(&module);
    let line = |line: &str| {
        if line.trim_start().starts_with("sdy.mesh ") {
            axes.iter().fold(line.to_string(), |line, (name, full, small)| {
                line.replace(&format!("\"{name}\"={full}"), &format!("\"{name}\"={small}"))
            })
        } else {
            line.to_string()
        }
    };
    let text: Vec<String> = text.lines().map(line).collect();
    match crate::read::read(&SourceText::new("scaled", text.join("\n"))) {
        Ok(small) => (small, axes),
        Err(_) => (module, Vec::new()),
    }
}

/// The largest axis halved until the devices are few, over all meshes: axes of one name shrink alike.
fn smaller_axes(module: &Module) -> Vec<(String, i64, i64)> {
    let mut full: BTreeMap<String, i64> = BTreeMap::new();
    for mesh in module.meshes.values() {
        for axis in mesh.axes.values() {
            let size = full.entry(axis.name.to_string()).or_insert(axis.size);
            *size = axis.size.max(*size);
        }
    }
    let mut small = full.clone();
    let devices = |small: &BTreeMap<String, i64>| small.values().fold(1i64, |all, n| all.saturating_mul(*n));
    while devices(&small) > MOST_DEVICES {
        let largest = small.values_mut().filter(|size| **size > 2 && **size % 2 == 0).max();
        let Some(size) = largest else { break };
        *size /= 2;
    }
    let both = full.into_iter().zip(small.into_values());
    both.filter(|((_, full), small)| full != small).map(|((name, full), small)| (name, full, small)).collect()
}
