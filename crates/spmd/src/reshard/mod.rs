//! Reshards: from a wish (`Any`) to steps that are one collective each.
//!
//! ```text
//! %b = reshard<any> %a : {"x"},{} -> {},{"x"}     =>     %b = reshard<all_to_all "x": 0->1> %a
//! ```

mod bound;
mod layouts;
mod moves;
mod opened;
pub mod path;
mod question;
mod search;
mod setting;
pub mod solve;
mod way;

use crate::atoms::{AtomSize, push_pieces};
use meshwright_base::{Code, Diagnostic, IdMap, cancel};
use meshwright_cost::{CollectiveCost, Machine, Pattern};
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::verify::value_name;
use meshwright_ir::{At, Build, Builder, Editor, Function, InstId, Op, PlannedModule, Type, ValueId};
use meshwright_shard::sdy_text::print_sharding;
use meshwright_shard::{AxisRef, Mesh, MeshId, Meshes, Reducer, Sharding, rebase};
use path::{Path, ReshardStep, Subject};
use solve::Answers;
use std::sync::Arc;

/// Looks for paths, and remembers what it found.
pub struct Paths<'a> {
    pub meshes: &'a Meshes,
    pub machine: &'a Machine,
    pub answers: &'a mut Answers,
}

impl Paths<'_> {
    /// The cheapest way between two shardings, also of different meshes over the same devices.
    pub fn find(&mut self, subject: Subject<'_>, from: &Sharding, to: &Sharding) -> Option<Path> {
        if from == to {
            return Some(Path::default());
        }
        if let Some(outside) = before_entering(from, to) {
            return self.find(subject, from, &outside);
        }
        if from.mesh == to.mesh {
            return self.within(subject, from, to);
        }
        self.across(subject, from, to)
    }

    /// Over the mesh that both are of.
    fn within(&mut self, subject: Subject<'_>, from: &Sharding, to: &Sharding) -> Option<Path> {
        solve::solve(subject, [from, to], &self.meshes[to.mesh], self.machine, self.answers)
    }

    /// Between meshes over the same devices: by a common way of naming axes where there is one, else by one permute
    /// into as many tiles of the target's mesh; a partial value is finished before. Only what is manual goes by way of
    /// the replicated value.
    fn across(&mut self, subject: Subject<'_>, from: &Sharding, to: &Sharding) -> Option<Path> {
        let (source, target) = (&self.meshes[from.mesh], &self.meshes[to.mesh]);
        if source.device_count() != target.device_count() {
            return None;
        }
        let in_mesh = |mut sharding: Sharding, of: &Sharding| {
            sharding.mesh = of.mesh;
            sharding
        };
        if let Some(named) = rebase(to, target, source) {
            let path = self.within(subject, from, &in_mesh(named, from))?;
            return Some(then_relabel(path, to));
        }
        if let Some(named) = rebase(from, source, target) {
            let named = in_mesh(named, to);
            let rest = self.within(subject, &named, to)?;
            return Some(join(then_relabel(Path::default(), &named), rest));
        }
        if !from.partial.is_empty() && to.partial.is_empty() {
            let finished = Sharding { partial: Vec::new(), reducer: Reducer::Sum, ..from.clone() };
            let summed = self.within(subject, from, &finished)?;
            return Some(join(summed, self.across(subject, &finished, to)?));
        }
        let moved = same_tiles(from, to.mesh, whole_axes(target));
        if let Some(moved) = moved.or_else(|| same_tiles(from, to.mesh, prime_axes(target))) {
            let bytes = subject.local_bytes(from);
            let cost = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, self.machine);
            let mut path = then_relabel(Path::default(), &moved);
            (path.seconds, path.sent) = (cost.seconds, cost.sent);
            return Some(join(path, self.within(subject, &moved, to)?));
        }
        let rank = from.rank();
        let (out, into) = (Sharding::replicated(from.mesh, rank), Sharding::replicated(to.mesh, rank));
        let gathered = self.within(subject, from, &out)?;
        Some(join(then_relabel(gathered, &into), self.within(subject, &into, to)?))
    }
}

/// A global value used among local ones is one that is not split over the manual axes: every device has the same, and
/// being local over them is no more than a word.
fn before_entering(from: &Sharding, to: &Sharding) -> Option<Sharding> {
    let enters = from.mesh == to.mesh && from.manual.is_empty() && !to.manual.is_empty();
    enters.then(|| Sharding { manual: Vec::new(), ..to.clone() })
}

/// A step that moves nothing if both names mean the same placement, and permutes if they do not.
fn then_relabel(mut path: Path, to: &Sharding) -> Path {
    if path.steps.last().is_none_or(|step| step.to != *to) {
        path.steps.push(ReshardStep { op: ReshardOp::Permute, to: to.clone() });
    }
    path
}

fn join(mut path: Path, rest: Path) -> Path {
    path.steps.extend(rest.steps);
    path.seconds += rest.seconds;
    path.sent += rest.sent;
    path
}

/// A sharding over another mesh with as many tiles on each dim: axes, or pieces of them, of fitting sizes, in order.
fn same_tiles(sharding: &Sharding, id: MeshId, mut free: Vec<AxisRef>) -> Option<Sharding> {
    if !sharding.partial.is_empty() || !sharding.manual.is_empty() {
        return None;
    }
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
    Some(moved.canonical())
}

fn whole_axes(mesh: &Mesh) -> Vec<AxisRef> {
    mesh.axes.iter().map(|(axis, info)| AxisRef { axis, pre: 1, size: info.size }).collect()
}

/// All axes cut into pieces of prime size: meshes over as many devices have the same primes.
fn prime_axes(mesh: &Mesh) -> Vec<AxisRef> {
    let mut pieces = Vec::new();
    for axis in whole_axes(mesh) {
        push_pieces(&mut pieces, axis.axis, 1, axis.size, AtomSize::Prime);
    }
    pieces
}

/// Replace every `Any` by its steps. A change of sharding that no collective can make is a diagnostic.
pub fn reshard(module: &mut PlannedModule, machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    let module = module.module_mut();
    let (meshes, mut errors) = (module.meshes.clone(), Vec::new());
    let mut answers = Answers::default();
    let ids: Vec<_> = module.funcs.keys().collect();
    for id in ids {
        let mut done = Vec::new();
        for block in module.funcs[id].blocks_in_order() {
            for inst in Editor::new(&mut module.funcs[id]).take_order(block) {
                cancel::look();
                let func = &mut module.funcs[id];
                if func.inst(inst).op != ANY {
                    Editor::new(func).append(block, inst);
                    continue;
                }
                done.push(inst);
                if let Err(error) =
                    expand(func, inst, &mut Paths { meshes: &meshes, machine, answers: &mut answers })
                {
                    let place = module.place(module.funcs[id].inst(inst).source);
                    errors.push(error.at_place(place));
                }
            }
        }
        forward(&mut module.funcs[id], &done);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A change of sharding as planning leaves it.
const ANY: Op = Op::Sharding(ShardingOp::Reshard(ReshardOp::Any));

/// Write the steps of one reshard at the end of its block; it is a name for the last of them, and in no block any more.
fn expand(func: &mut Function, inst: InstId, paths: &mut Paths<'_>) -> Result<(), Diagnostic> {
    let ([operand], [result]) = (&func.inst(inst).operands[..], &func.inst(inst).results[..]) else {
        return Ok(());
    };
    let (operand, result) = (*operand, *result);
    let (Some(from), Some(to)) = (sharding_of(func, operand), sharding_of(func, result)) else {
        return Ok(());
    };
    let ty = func.ty(operand).clone();
    let bits = ty.as_tensor().map_or(0, |tensor| i64::from(tensor.dtype.bits()));
    let subject = Subject { dims: ty.dims(), element_bits: bits };
    let path = paths.find(subject, &from, &to);
    let path = path.ok_or_else(|| no_path(&value_name(func, operand), &ty, [&from, &to], paths.meshes))?;
    let (name, valid) = (func.value(result).name.clone(), func.value(operand).valid.clone());
    let source = func.inst(inst).source;
    let mut value = operand;
    let at = At::End(func.block_of(inst));
    let mut b = Builder::new(func, at, source);
    for step in path.steps {
        value = b.split_as(&step.to).push(Op::Sharding(ShardingOp::Reshard(step.op)), [value]);
        b.editor.set_valid(value, valid.clone());
    }
    let mut editor = b.editor;
    if value != operand {
        editor.set_name(value, name);
    }
    editor.set_operand(inst, 0, value);
    Ok(())
}

/// Users of the expanded reshards use what they name.
fn forward(func: &mut Function, done: &[InstId]) {
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for inst in done {
        let info = func.inst(*inst);
        replaced[info.results[0]] = Some(info.operands[0]);
    }
    Editor::new(func).map_uses(|mut value| {
        while let Some(Some(next)) = replaced.get(value) {
            value = *next;
        }
        value
    });
}

fn no_path(name: &str, ty: &Type, [from, to]: [&Sharding; 2], meshes: &Meshes) -> Diagnostic {
    let (from, to) = (print_sharding(from, meshes), print_sharding(to, meshes));
    Diagnostic::error(Code(510), format!("`{name}`: no collective brings {ty} from {from} to {to}"))
        .note("a reshard changes neither manual axes nor reducers, and stays among the devices of one mesh")
        .help("annotate the value, or what it is made from, so that both are over one mesh")
}

/// A value's sharding over a mesh.
pub fn sharding_of(func: &Function, value: ValueId) -> Option<Arc<Sharding>> {
    func.value(value).sharding.as_ref()?.as_shared().cloned()
}
