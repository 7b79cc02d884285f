//! Shardings and axes in few letters: `[x, _, y*z]`.

use meshwright_shard::{AxisRef, Mesh, Meshes, Sharding};

/// `[x, _]`, with `sum over y` where the value is partial.
pub fn short_sharding(sharding: &Sharding, meshes: &Meshes) -> String {
    let Some(mesh) = meshes.get(sharding.mesh) else { return "[]".into() };
    let dims: Vec<String> = sharding.dims.iter().map(|dim| short_axes(&dim.axes, mesh)).collect();
    let partial = match sharding.partial.as_slice() {
        [] => String::new(),
        axes => format!(" sum over {}", short_axes(axes, mesh)),
    };
    format!("[{}]{partial}", dims.join(", "))
}

/// `x*y`, a piece of an axis as `x:(2)4`; `_` for none.
pub fn short_axes(axes: &[AxisRef], mesh: &Mesh) -> String {
    let name = |axis: &AxisRef| match mesh.axes.get(axis.axis) {
        Some(info) if info.size == axis.size => info.name.to_string(),
        Some(info) => format!("{}:({}){}", info.name, axis.pre, axis.size),
        None => "?".into(),
    };
    match axes {
        [] => "_".into(),
        axes => axes.iter().map(name).collect::<Vec<_>>().join("*"),
    }
}
