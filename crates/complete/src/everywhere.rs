//! What is said to lie on one device, for partitioning: one program runs on all devices, so all of them have it.
//!
//! ```text
//! %a: <@maximal_mesh_3, [{}]>     =>     %a: <@mesh, [{}]>
//! ```
//!
//! Completion keeps such a sharding as it was written; only programs cannot. Device 3 has the value then as before, and
//! the others have it too. What is not the same is a call with effects: it runs on every device, and a note says so.
//! Costs nothing in a module without such a mesh.

use crate::codes;
use crate::landmarks::landmarks;
use crate::one_mesh::leave_one_device;
use crate::provenance::name_of;
use meshwright_base::Diagnostic;
use meshwright_ir::op::Foreign;
use meshwright_ir::{Annotation, FuncId, Module, Op, ShardedModule, ValueId};
use meshwright_shard::{DeviceId, Mesh, MeshId};

/// The module with everything over meshes of all devices, and a note for each call that runs more often than was said.
pub fn everywhere(sharded: ShardedModule) -> Result<(ShardedModule, Vec<Diagnostic>), Vec<Diagnostic>> {
    if !sharded.module().meshes.values().any(Mesh::is_maximal) {
        return Ok((sharded, Vec::new()));
    }
    let mut module = sharded.into_module();
    let notes = calls_of_one(&module);
    if let Some(home) = home(&module) {
        let landmarks = landmarks(&module);
        leave_one_device(&mut module, &landmarks, home);
    }
    Ok((ShardedModule::new(module)?, notes))
}

/// The first mesh of several devices that a value is over; else the first with axes.
fn home(module: &Module) -> Option<MeshId> {
    let is_home = |id: &MeshId| module.meshes.get(*id).is_some_and(|mesh| !mesh.axes.is_empty());
    let values = module.funcs.values().flat_map(|func| func.values().values());
    let used = values.filter_map(|value| Some(value.sharding.as_ref()?.as_mesh()?.mesh)).find(is_home);
    used.or_else(|| module.meshes.keys().find(is_home))
}

fn calls_of_one(module: &Module) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            let info = func.inst(inst);
            let acts = match &info.op {
                Op::Foreign(Foreign::CustomCall(call)) => call.has_side_effect,
                Op::Token(_) => true,
                _ => false,
            };
            let alone =
                info.results.iter().find_map(|value| alone(module, id, *value).map(|on| (*value, on)));
            if let (true, Some((value, device))) = (acts, alone) {
                notes.push(note(module, (id, value), device).at_place(module.place(info.source)));
            }
        }
    }
    notes
}

/// The one device that a value is said to be on.
fn alone(module: &Module, func: FuncId, value: ValueId) -> Option<DeviceId> {
    let Some(Annotation::Mesh(sharding)) = &module.funcs[func].value(value).sharding else { return None };
    module.meshes.get(sharding.mesh).filter(|mesh| mesh.is_maximal())?.device_at(0)
}

fn note(module: &Module, value: (FuncId, ValueId), device: DeviceId) -> Diagnostic {
    let (name, device) = (name_of(module, value), device.number());
    let message = format!("what makes `{name}` is to run on device {device} alone, but runs on every device");
    Diagnostic::note_only(codes::EVERYWHERE, message)
        .note("one program runs on all devices, and each of them has the value")
        .help(format!("guard its effects with `partition_id` equal to {device} where they must happen once"))
}
