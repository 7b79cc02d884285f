//! Shardings over several meshes of the same devices, brought to one mesh so that their axes can be compared.
//!
//! ```text
//! %a: <["x"=4, "y"=2]> [x,y]     %b: <["all"=8]> [all]     =>     %a: [x,y]     %b: [x*y]
//! ```
//!
//! A module whose annotations use one mesh is left alone. Only the axes that annotations use have to go together; where
//! those have no common refinement (both axes of 2x3 and of 3x2), meshes stay apart and no axis travels between them.
//! Meshes stay in the table, whether used or not.

use crate::landmarks::{Landmark, op_of};
use meshwright_base::{Id, IdMap};
use meshwright_ir::op::{ManualComputation, ShardingOp};
use meshwright_ir::{Annotation, Editor, FuncId, Module, Op, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Sharding, common_mesh_of, rebase, rebase_axes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Move every sharding that can be to one mesh; that mesh, if any annotation uses one with axes.
pub(crate) fn bring_to_one_mesh(module: &mut Module, landmarks: &[Landmark]) -> Option<MeshId> {
    let used = used_meshes(module, landmarks);
    let (first, rest) = used.split_first()?;
    let mut together = vec![*first];
    let mut common: Option<Mesh> = None;
    if !rest.is_empty() {
        let axes = used_axes(module, landmarks);
        for mesh in rest {
            let uses: Vec<(&Mesh, Vec<AxisRef>)> =
                together.iter().chain([mesh]).map(|id| (&module.meshes[*id], axes[*id].clone())).collect();
            if let Some(found) = common_mesh_of(&uses) {
                common = Some(found);
                together.push(*mesh);
            }
        }
    }
    let home = match common {
        None => *first,
        Some(common) => {
            let known = module.meshes.iter().find(|(_, mesh)| **mesh == common).map(|(id, _)| id);
            known.unwrap_or_else(|| module.meshes.push(common))
        }
    };
    if together.len() > 1 || has_empty_mesh(module) {
        move_all(module, landmarks, (&together, home));
    }
    Some(home)
}

/// Meshes that annotations use and that have axes, in order. Every annotation's mesh must exist.
pub(crate) fn used_meshes(module: &mut Module, landmarks: &[Landmark]) -> Vec<MeshId> {
    let mut used = IdMap::filled(module.meshes.len(), false);
    visit(module, landmarks, &mut |place| {
        if place.mesh().index() < used.len() {
            used[place.mesh()] = true;
        }
        false
    });
    let has_axes = |id: &MeshId| !module.meshes[*id].axes.is_empty();
    used.iter().filter(|(_, used)| **used).map(|(id, _)| id).filter(has_axes).collect()
}

/// Axes, or pieces of axes, that annotations use of each mesh, once each.
fn used_axes(module: &mut Module, landmarks: &[Landmark]) -> IdMap<MeshId, Vec<AxisRef>> {
    let mut used = IdMap::filled(module.meshes.len(), BTreeSet::new());
    visit(module, landmarks, &mut |place| {
        let mesh = place.mesh();
        if mesh.index() < used.len() {
            used[mesh].extend(place.axes());
        }
        false
    });
    used.values().map(|axes| axes.iter().copied().collect()).collect()
}

/// A mesh without axes that is not one device: it says "replicated" and fits any other.
fn is_empty(mesh: &Mesh) -> bool {
    mesh.axes.is_empty() && !mesh.is_maximal()
}

fn has_empty_mesh(module: &Module) -> bool {
    module.meshes.values().any(is_empty)
}

fn move_all(module: &mut Module, landmarks: &[Landmark], (from, home): (&[MeshId], MeshId)) {
    let meshes = module.meshes.clone();
    visit(module, landmarks, &mut |place| {
        let id = place.mesh();
        let Some(mesh) = meshes.get(id) else { return false };
        if id == home || !(from.contains(&id) || is_empty(mesh)) {
            return false;
        }
        place.rebase(mesh, &meshes[home], home)
    });
}

/// What is over the mesh of one device, over another one instead, which it does not use.
pub(crate) fn leave_one_device(module: &mut Module, landmarks: &[Landmark], home: MeshId) {
    let meshes = module.meshes.clone();
    visit(module, landmarks, &mut |place| match meshes.get(place.mesh()) {
        Some(mesh) if mesh.is_maximal() => place.rebase(mesh, &meshes[home], home),
        _ => false,
    });
}

/// Something that names a mesh.
enum MeshUser<'a> {
    Sharding(&'a mut Sharding),
    /// One that others may share.
    Shared(&'a mut Arc<Sharding>),
    Manual(&'a mut ManualComputation),
}

impl MeshUser<'_> {
    fn mesh(&self) -> MeshId {
        match self {
            MeshUser::Sharding(sharding) => sharding.mesh,
            MeshUser::Shared(sharding) => sharding.mesh,
            MeshUser::Manual(manual) => manual.mesh,
        }
    }

    fn axes(&self) -> Vec<AxisRef> {
        match self {
            MeshUser::Sharding(sharding) => sharding.all_axes().collect(),
            MeshUser::Shared(sharding) => sharding.all_axes().collect(),
            MeshUser::Manual(manual) => manual.axes.clone(),
        }
    }

    /// Over another mesh from now on; whether that could be done.
    fn rebase(self, from: &Mesh, to: &Mesh, home: MeshId) -> bool {
        match self {
            MeshUser::Sharding(sharding) => {
                rebased(sharding, (from, to), home).map(|moved| *sharding = moved).is_some()
            }
            MeshUser::Shared(sharding) => {
                rebased(sharding, (from, to), home).map(|moved| *sharding = Arc::new(moved)).is_some()
            }
            MeshUser::Manual(manual) => {
                let moved: Option<Vec<AxisRef>> = if from.axes.is_empty() {
                    Some(manual.axes.clone())
                } else {
                    rebase_axes(&manual.axes, from, to)
                };
                moved.map(|axes| (manual.axes, manual.mesh) = (axes, home)).is_some()
            }
        }
    }
}

fn rebased(sharding: &Sharding, (from, to): (&Mesh, &Mesh), home: MeshId) -> Option<Sharding> {
    let moved = if from.axes.is_empty() { Some(sharding.clone()) } else { rebase(sharding, from, to) };
    moved.map(|moved| Sharding { mesh: home, ..moved })
}

/// Show every sharding of the module; what the visitor says it changed is written back.
fn visit(module: &mut Module, landmarks: &[Landmark], visitor: &mut dyn FnMut(MeshUser) -> bool) {
    for id in module.funcs.keys() {
        let values: Vec<ValueId> = module.funcs[id].values().keys().collect();
        for value in values {
            visit_value(module, id, value, visitor);
        }
        for info in Editor::new(&mut module.funcs[id]).result_info_mut() {
            if let Some(Annotation::Mesh(sharding)) = &mut info.sharding {
                visitor(MeshUser::Shared(sharding));
            }
        }
    }
    for (id, inst) in landmarks {
        if let Op::Sharding(op) = op_of(module, (*id, *inst))
            && let Some(op) = visit_op(op, visitor)
        {
            Editor::new(&mut module.funcs[*id]).set_op(*inst, Op::Sharding(op));
        }
    }
}

fn visit_value(module: &mut Module, id: FuncId, value: ValueId, visitor: &mut dyn FnMut(MeshUser) -> bool) {
    let Some(Annotation::Mesh(sharding)) = &module.funcs[id].value(value).sharding else { return };
    let mut sharding = sharding.clone();
    if visitor(MeshUser::Shared(&mut sharding)) {
        Editor::new(&mut module.funcs[id]).set_sharding(value, Some(Annotation::Mesh(sharding)));
    }
}

/// The op with what the visitor changed, if it changed anything.
fn visit_op(op: &ShardingOp, visitor: &mut dyn FnMut(MeshUser) -> bool) -> Option<ShardingOp> {
    let mut op = op.clone();
    let mut changed = false;
    let stated = match &mut op {
        ShardingOp::Manual(manual) => {
            changed |= visitor(MeshUser::Manual(manual));
            manual.in_shardings.iter_mut().chain(&mut manual.out_shardings)
        }
        ShardingOp::Named { in_shardings, out_shardings, .. } => in_shardings.iter_mut().chain(out_shardings),
        ShardingOp::Constraint { .. }
        | ShardingOp::FullToShard { .. }
        | ShardingOp::ShardToFull { .. }
        | ShardingOp::Group { .. }
        | ShardingOp::Barrier { .. }
        | ShardingOp::Reshard(_) => return None,
    };
    for sharding in stated {
        changed |= visitor(MeshUser::Sharding(sharding));
    }
    changed.then_some(op)
}
