//! What a program takes and gives, as JSON for the package: names, types, how each is cut, what is given away.

use meshwright_ir::{Annotation, Donation, Module, Placement, TensorType, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Meshes, Sharding};
use serde_json::{Value, json};

/// Parameters and results on global shapes. With placements, those are how they are cut; without, annotations.
pub fn signature(module: &Module, placements: Option<(&[Placement], &[Placement])>) -> Value {
    let main = module.main();
    let ty = |value: &ValueId| main.ty(*value).as_array();
    let param = |(at, value): (usize, &ValueId)| {
        let info = main.params.get(at);
        let name = called(module, at, *value);
        let placed = placements.map(|(params, _)| &params[at]);
        let global = placed.map_or_else(|| ty(value), |placed| placed.global.clone());
        let sharding = match placed {
            Some(placed) => Some(&placed.sharding),
            None => on_mesh(main.value(*value).sharding.as_ref()),
        };
        let donated = info.and_then(|info| info.donation.as_ref()).map(donation);
        array(name, &global, sharding, &module.meshes, donated)
    };
    let result = |(at, value): (usize, &ValueId)| {
        let placed = placements.map(|(_, results)| &results[at]);
        let global = placed.map_or_else(|| ty(value), |placed| placed.global.clone());
        let sharding = match placed {
            Some(placed) => Some(&placed.sharding),
            None => on_mesh(main.results.get(at).and_then(|info| info.sharding.as_ref())),
        };
        array(None, &global, sharding, &module.meshes, None)
    };
    json!({
        "name": &*module.name,
        "inputs": main.param_values().iter().enumerate().map(param).collect::<Vec<_>>(),
        "outputs": main.result_values().iter().enumerate().map(result).collect::<Vec<_>>(),
        "meshes": module.meshes.values().map(mesh).collect::<Vec<_>>(),
    })
}

/// What the user's program calls a parameter, or else the text does.
fn called(module: &Module, at: usize, value: ValueId) -> Option<&str> {
    let main = module.main();
    let info = main.params.get(at);
    info.and_then(|info| info.name.as_deref()).or(main.value(value).name.as_deref())
}

/// The same of all parameters.
pub fn names(module: &Module) -> Vec<Option<String>> {
    let values = module.main().param_values().iter().enumerate();
    values.map(|(at, value)| called(module, at, *value).map(str::to_string)).collect()
}

fn on_mesh(annotation: Option<&Annotation>) -> Option<&Sharding> {
    match annotation {
        Some(Annotation::Mesh(sharding)) => Some(sharding),
        _ => None,
    }
}

fn array(
    name: Option<&str>,
    ty: &TensorType,
    sharding: Option<&Sharding>,
    meshes: &Meshes,
    donated: Option<Value>,
) -> Value {
    json!({
        "name": name,
        "dtype": ty.dtype.hlo_name(),
        "shape": ty.dims,
        "sharding": sharding.map(|sharding| cuts(sharding, meshes)),
        "mesh": sharding.and_then(|sharding| named(sharding.mesh, meshes)),
        "donated": donated,
    })
}

fn named(mesh: MeshId, meshes: &Meshes) -> Option<&str> {
    meshes.get(mesh).map(|mesh| &*mesh.name)
}

/// The axes of each dim, the outermost first.
fn cuts(sharding: &Sharding, meshes: &Meshes) -> Value {
    let Some(mesh) = meshes.get(sharding.mesh) else { return Value::Null };
    let name = |axis: &AxisRef| axis_name(axis, mesh);
    sharding.dims.iter().map(|dim| dim.axes.iter().map(name).collect::<Vec<_>>()).collect()
}

/// The name of an axis; a piece of one as `x:(2)4`, of size 4 behind a part of size 2.
fn axis_name(axis: &AxisRef, mesh: &Mesh) -> String {
    match mesh.axes.get(axis.axis) {
        Some(info) if info.size == axis.size => info.name.to_string(),
        Some(info) => format!("{}:({}){}", info.name, axis.pre, axis.size),
        None => "?".into(),
    }
}

fn donation(donation: &Donation) -> Value {
    match donation {
        Donation::Donor => json!(true),
        Donation::Alias { result, .. } => json!(result),
    }
}

fn mesh(mesh: &Mesh) -> Value {
    json!({
        "name": &*mesh.name,
        "axes": mesh.axes.values().map(|axis| json!([&*axis.name, axis.size])).collect::<Vec<_>>(),
        "order": mesh.order.as_deref(),
    })
}
