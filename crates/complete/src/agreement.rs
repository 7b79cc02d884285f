//! How far two completions of one program agree: value by value, by which device holds which slice.

use crate::foreign::import_hlo;
use meshwright_ir::{Annotation, Module, ShardedModule, Type, ValueId};
use meshwright_shard::{Mesh, Sharding, same_placement};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The comparison of two completions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    /// Compared values whose placements are equal.
    pub equal: usize,
    /// Compared values: tensors of rank 1 and above that both have, and that at least one side splits.
    pub total: usize,
    /// The same in bytes of whole values.
    pub equal_bytes: i64,
    pub total_bytes: i64,
    pub differences: Vec<Difference>,
}

/// A value that the two sides split differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name, with `#n` for one of several results.
    pub name: String,
    pub shape: Vec<i64>,
    /// Axes per dim, as `[x,-,y]`.
    pub ours: String,
    pub theirs: String,
}

/// A value's place in a module, by its name.
type Named = BTreeMap<(Arc<str>, usize), (Type, Sharding)>;

/// Compare by name. Values of theirs without a sharding are not compared; a sharding theirs that cannot be imported
/// makes all of them so.
pub fn agreement(ours: &ShardedModule, mut theirs: Module) -> Agreement {
    if import_hlo(&mut theirs, None).is_err() {
        return Agreement::default();
    }
    let (ours, theirs) = ((ours.module(), named(ours.module())), (&theirs, named(&theirs)));
    let mut found = Agreement::default();
    for (name, (ty, sharding)) in &ours.1 {
        let Some((other_ty, other)) = theirs.1.get(name) else { continue };
        if ty.dims() != other_ty.dims() || (sharding.is_replicated() && other.is_replicated()) {
            continue;
        }
        let meshes = (ours.0.meshes.get(sharding.mesh), theirs.0.meshes.get(other.mesh));
        let (Some(mesh), Some(other_mesh)) = meshes else { continue };
        found.total += 1;
        found.total_bytes = found.total_bytes.saturating_add(ty.byte_size());
        if same_placement(sharding, mesh, other, other_mesh) {
            found.equal += 1;
            found.equal_bytes = found.equal_bytes.saturating_add(ty.byte_size());
        } else {
            let name = if name.1 == 0 { name.0.to_string() } else { format!("{}#{}", name.0, name.1) };
            let (ours, theirs) = (show(sharding, mesh), show(other, other_mesh));
            found.differences.push(Difference { name, shape: ty.dims().to_vec(), ours, theirs });
        }
    }
    found
}

fn named(module: &Module) -> Named {
    let mut out = Named::new();
    for func in module.funcs.values() {
        for block in func.blocks_in_order() {
            let insts = func.block(block).insts.iter().map(|inst| func.inst(*inst));
            let results = insts.flat_map(|inst| {
                let several = inst.name.clone();
                inst.results.iter().enumerate().map(move |(at, value)| (several.clone(), at, *value))
            });
            let params = func.block(block).params.iter().map(|value| (None, 0, *value));
            for (several, at, value) in params.chain(results) {
                if let Some(entry) = entry(func, several, at, value) {
                    out.entry(entry.0).or_insert(entry.1);
                }
            }
        }
    }
    out
}

type Entry = ((Arc<str>, usize), (Type, Sharding));

fn entry(
    func: &meshwright_ir::Function,
    several: Option<Arc<str>>,
    at: usize,
    value: ValueId,
) -> Option<Entry> {
    let info = func.value(value);
    let name = info.name.clone().map(|name| (name, 0)).or(several.map(|name| (name, at)))?;
    let sharding = info.sharding.as_ref().and_then(Annotation::as_mesh)?;
    let dims = info.ty.dims();
    (!dims.is_empty() && sharding.rank() == dims.len()).then(|| (name, (info.ty.clone(), sharding.clone())))
}

fn show(sharding: &Sharding, mesh: &Mesh) -> String {
    let axis = |axis: &meshwright_shard::AxisRef| match mesh.axes.get(axis.axis) {
        Some(info) if info.size == axis.size => info.name.to_string(),
        Some(info) => format!("{}:({}){}", info.name, axis.pre, axis.size),
        None => "?".to_string(),
    };
    let dim = |dim: &meshwright_shard::DimSharding| {
        if dim.axes.is_empty() {
            "-".to_string()
        } else {
            dim.axes.iter().map(axis).collect::<Vec<_>>().join("*")
        }
    };
    format!("[{}]", sharding.dims.iter().map(dim).collect::<Vec<_>>().join(","))
}
