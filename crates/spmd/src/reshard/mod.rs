//! Reshards: from a wish (`Any`) to steps that are one collective each.
//!
//! ```text
//! %b = reshard<any> %a : {"x"},{} -> {},{"x"}     =>     %b = reshard<all_to_all "x": 0->1> %a
//! ```

pub mod solve;

use meshwright_cost::Machine;
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::{Annotation, At, Editor, Function, InstId, Op, PlannedModule, ValueId};
use meshwright_shard::{Meshes, Sharding};
use solve::{Path, Subject};

/// The cheapest way between two shardings, also of different meshes over the same devices.
pub fn path(subject: Subject<'_>, from: &Sharding, to: &Sharding, meshes: &Meshes, machine: &Machine) -> Option<Path> {
    if from == to {
        return Some(Path::default());
    }
    if from.mesh == to.mesh {
        return solve::solve(subject, from, to, &meshes[from.mesh], machine);
    }
    // Replicated is the one layout that means the same on every mesh over the same devices.
    let rank = from.rank();
    let (out, into) = (Sharding::replicated(from.mesh, rank), Sharding::replicated(to.mesh, rank));
    let mut path = solve::solve(subject, from, &out, &meshes[from.mesh], machine)?;
    let rest = solve::solve(subject, &into, to, &meshes[to.mesh], machine)?;
    path.steps.extend(rest.steps);
    path.seconds += rest.seconds;
    path.sent += rest.sent;
    Some(path)
}

/// Replace every `Any` by its steps.
pub fn reshard(module: &mut PlannedModule, machine: &Machine) {
    let module = module.module_mut();
    let meshes = module.meshes.clone();
    for func in module.funcs.values_mut() {
        let mut replaced: Vec<Option<ValueId>> = vec![None; func.value_count()];
        for inst in func.insts_in_order() {
            if func.inst(inst).op == Op::Sharding(ShardingOp::Reshard(ReshardOp::Any)) {
                let (old, new) = expand(func, inst, &meshes, machine);
                replaced[meshwright_ground::Id::index(old)] = Some(new);
            }
        }
        let find = |mut value: ValueId| {
            while let Some(Some(next)) = replaced.get(meshwright_ground::Id::index(value)) {
                if *next == value {
                    break;
                }
                value = *next;
            }
            value
        };
        Editor::new(func).map_uses(find);
    }
}

/// Write the steps of one reshard before it and take it out; returns its result and what replaces it.
fn expand(func: &mut Function, inst: InstId, meshes: &Meshes, machine: &Machine) -> (ValueId, ValueId) {
    let (operand, result) = (func.inst(inst).operands[0], func.inst(inst).results[0]);
    let (Some(from), Some(to)) = (sharding_of(func, operand), sharding_of(func, result)) else {
        return (result, result);
    };
    let ty = func.ty(operand).clone();
    let bits = ty.as_tensor().map_or(0, |tensor| i64::from(tensor.dtype.bits()));
    let subject = Subject { dims: ty.dims(), element_bits: bits };
    let Some(path) = path(subject, &from, &to, meshes, machine) else { return (result, result) };
    let name = func.value(result).name.clone();
    let source = func.inst(inst).source;
    let mut value = operand;
    let mut editor = Editor::new(func);
    for step in path.steps {
        let op = Op::Sharding(ShardingOp::Reshard(step.op));
        let made = editor.push_typed(At::Before(inst), op, vec![value], Vec::new(), vec![ty.clone()], source);
        value = editor.func().inst(made).results[0];
        editor.set_sharding(value, Some(Annotation::Mesh(step.to)));
    }
    if value != operand {
        editor.set_name(value, name);
    }
    editor.unlink(inst);
    (result, value)
}

/// A value's sharding over a mesh.
pub fn sharding_of(func: &Function, value: ValueId) -> Option<Sharding> {
    func.value(value).sharding.as_ref()?.as_mesh().cloned()
}
