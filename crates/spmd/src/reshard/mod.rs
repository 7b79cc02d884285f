//! Reshards: from a wish (`Any`) to steps that are one collective each.
//!
//! ```text
//! %b = reshard<any> %a : {"x"},{} -> {},{"x"}     =>     %b = reshard<all_to_all "x": 0->1> %a
//! ```

pub mod solve;

use meshwright_cost::{CollectiveCost, Machine, Pattern};
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::{Annotation, At, Editor, Function, InstId, Op, PlannedModule, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Meshes, Sharding, rebase};
use solve::{Path, Subject};

/// The cheapest way between two shardings, also of different meshes over the same devices.
pub fn path(
    subject: Subject<'_>,
    from: &Sharding,
    to: &Sharding,
    meshes: &Meshes,
    machine: &Machine,
) -> Option<Path> {
    if from == to {
        return Some(Path::default());
    }
    if from.mesh == to.mesh {
        return solve::solve(subject, from, to, &meshes[from.mesh], machine);
    }
    across(subject, from, to, meshes, machine)
}

/// Between meshes over the same devices: by a common way of naming axes where there is one, else by one permute into the
/// target's device order, else (sizes without a common refinement) by way of the replicated value.
fn across(
    subject: Subject<'_>,
    from: &Sharding,
    to: &Sharding,
    meshes: &Meshes,
    machine: &Machine,
) -> Option<Path> {
    let (source, target) = (&meshes[from.mesh], &meshes[to.mesh]);
    if source.device_count() != target.device_count() {
        return None;
    }
    let in_mesh = |mut sharding: Sharding, of: &Sharding| {
        sharding.mesh = of.mesh;
        sharding
    };
    if let Some(named) = rebase(to, target, source) {
        let named = in_mesh(named, from);
        let path = solve::solve(subject, from, &named, source, machine)?;
        return Some(then_relabel(path, to));
    }
    if let Some(named) = rebase(from, source, target) {
        let named = in_mesh(named, to);
        let rest = solve::solve(subject, &named, to, target, machine)?;
        return Some(join(then_relabel(Path::default(), &named), rest));
    }
    if let Some(moved) = same_tiles(from, to.mesh, target) {
        let bytes = subject.local_bytes(from);
        let cost = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, machine);
        let mut path = then_relabel(Path::default(), &moved);
        (path.seconds, path.sent) = (cost.seconds, cost.sent);
        return Some(join(path, solve::solve(subject, &moved, to, target, machine)?));
    }
    let rank = from.rank();
    let (out, into) = (Sharding::replicated(from.mesh, rank), Sharding::replicated(to.mesh, rank));
    let gathered = solve::solve(subject, from, &out, source, machine)?;
    Some(join(then_relabel(gathered, &into), solve::solve(subject, &into, to, target, machine)?))
}

/// A step that moves nothing if both names mean the same placement, and permutes if they do not.
fn then_relabel(mut path: Path, to: &Sharding) -> Path {
    if path.steps.last().is_none_or(|step| step.to != *to) {
        path.steps.push(solve::Step { op: ReshardOp::Permute, to: to.clone() });
    }
    path
}

fn join(mut path: Path, rest: Path) -> Path {
    path.steps.extend(rest.steps);
    path.seconds += rest.seconds;
    path.sent += rest.sent;
    path
}

/// A sharding over another mesh with as many tiles on each dim: whole axes of fitting sizes, in order.
fn same_tiles(sharding: &Sharding, id: MeshId, mesh: &Mesh) -> Option<Sharding> {
    if !sharding.partial.is_empty() || !sharding.manual.is_empty() {
        return None;
    }
    let mut free: Vec<AxisRef> =
        mesh.axes.iter().map(|(axis, info)| AxisRef { axis, pre: 1, size: info.size }).collect();
    let mut moved = Sharding::replicated(id, sharding.rank());
    for (dim, old) in moved.dims.iter_mut().zip(&sharding.dims) {
        let mut left = old.tiles();
        while left > 1 {
            let at = free.iter().position(|axis| axis.size > 1 && left % axis.size == 0)?;
            let axis = free.remove(at);
            left /= axis.size;
            dim.axes.push(axis);
        }
    }
    Some(moved)
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
