//! From global shapes to the program of one device.
//!
//! Every value gets its local type, every op its local form, every reshard step its collective; manual regions are
//! inlined, annotations vanish. Afterwards nothing refers to a sharding any more: how parameters and results are cut
//! from global arrays is kept beside the module.

pub mod collective;
pub mod combine;
pub mod dynamic;
pub mod einsum_loops;
pub mod emit;
pub mod gather;
pub mod halo;
pub mod looped;
pub mod op;
pub mod random;
pub mod scatter_windows;
pub mod shift;
pub mod sort;
pub mod subject;
pub mod window;

use crate::Options;
use crate::blocks::program_blocks;
use crate::exchange::ties::{self, Ties};
use crate::reshard::sharding_of;
use einsum_loops::EinsumLoop;
use emit::Emit;
use looped::{Product, Ring, Side};
use meshwright_base::arrange::Arrange;
use meshwright_base::{Diagnostic, IdMap, cancel};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{
    At, Build, Editor, Function, InstId, Op, Placement, PlannedModule, SpmdModule, Type, ValueId,
};
use meshwright_shard::{MeshId, Meshes, Sharding};
use subject::{Global, Globals, Local, Subject};

/// Localize a planned module.
pub fn localize(planned: PlannedModule, options: &Options) -> Result<SpmdModule, Vec<Diagnostic>> {
    let mut module = planned.into_module();
    let loops = einsum_loops::chosen(&module, &options.machine, options.loops);
    let main = module.main();
    let mesh = module.meshes.iter().next().map(|(id, _)| id);
    let params = placements(main, main.param_values(), mesh);
    let results = placements(main, main.result_values(), mesh);
    let meshes = module.meshes.clone();
    let mut channel = 1;
    for (func, loops) in module.funcs.values_mut().zip(loops.values()) {
        channel = localize_function(func, &meshes, channel, loops);
    }
    let devices = meshes.values().map(|mesh| mesh.axes.values().map(|axis| axis.size).product()).max();
    // A module that says 1 was lowered without its mesh: the mesh decides, as in completion.
    module.num_partitions = module.num_partitions.filter(|said| *said > 1).or(devices);
    module.num_replicas = module.num_replicas.or(Some(1));
    SpmdModule::new(module, params, results)
}

/// How values are cut; a token is on every device of a mesh.
fn placements(func: &Function, values: &[ValueId], mesh: Option<MeshId>) -> Vec<Placement> {
    let one = |value: &ValueId| {
        let info = func.value(*value);
        let ty = info.ty.as_array();
        if info.ty == Type::Token {
            return Some(Placement { sharding: Sharding::replicated(mesh?, ty.rank()), global: ty });
        }
        let global = ty.with_dims(info.valid.as_deref().unwrap_or(&ty.dims));
        sharding_of(func, *value).map(|sharding| Placement { global, sharding: Sharding::clone(&sharding) })
    };
    values.iter().filter_map(one).collect()
}

/// A function as it was before.
struct Before {
    values: IdMap<ValueId, Global>,
    /// What tells equal elements of its sorts apart.
    ties: IdMap<InstId, Option<Ties>>,
}

fn localize_function(func: &mut Function, meshes: &Meshes, channel: i64, loops: &[EinsumLoop]) -> i64 {
    let mut ties = IdMap::filled(func.inst_count(), None);
    for inst in func.insts_in_order() {
        ties[inst] = ties::ties(func, inst);
    }
    let values = func.values().keys();
    let mut editor = Editor::new(func);
    let values = values.map(|value| Global::take(&mut editor, value)).collect();
    let before = Before { values, ties };
    let blocks = program_blocks(func);
    let mut emit = Emit::new(func, meshes, channel);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(before.values.len(), None);
    let roles = Roles::new(emit.func(), loops);
    for block in blocks {
        emit.at = At::End(block);
        for inst in emit.editor.take_order(block) {
            cancel::look();
            let stays = match roles.of[inst] {
                _ if !before.has(emit.func(), inst) => true,
                Role::Plain => localize_inst(&mut emit, inst, &before, &mut replaced),
                Role::Waits => false,
                Role::Loops(at) => {
                    localize_loop(&mut emit, &loops[at], inst, &before, &mut replaced);
                    false
                }
            };
            if stays {
                emit.editor.append(block, inst);
            }
        }
    }
    let channel = emit.next_channel;
    let mut editor = Editor::new(func);
    editor.map_uses(|value| current(&replaced, value));
    inline_regions(func);
    refresh_signature(func);
    channel
}

impl Before {
    /// Whether an instruction was there: what localization itself has added is local already.
    fn has(&self, func: &Function, inst: InstId) -> bool {
        func.inst(inst).results.iter().all(|value| self.values.get(*value).is_some())
    }

    fn globals(&self, values: &[ValueId]) -> Globals<'_> {
        values.iter().map(|value| &self.values[*value]).collect()
    }

    fn subject<'a>(
        &'a self,
        func: &Function,
        (inst, op): (InstId, &'a Op),
        replaced: &IdMap<ValueId, Option<ValueId>>,
    ) -> Subject<'a> {
        let info = func.inst(inst);
        Subject {
            inst,
            op,
            operands: info.operands.iter().map(|value| current(replaced, *value)).collect(),
            from: self.globals(&info.operands),
            to: self.globals(&info.results),
            ties: self.ties.get(inst).copied().flatten(),
        }
    }
}

/// What an instruction is to the loops of a function.
#[derive(Clone, Copy)]
enum Role {
    Plain,
    /// It is done in a loop that a later instruction becomes.
    Waits,
    Loops(usize),
}

struct Roles {
    of: IdMap<InstId, Role>,
}

impl Roles {
    /// Of the collective and the einsums of a loop, one becomes the loop; the others wait for it, or are done by then.
    fn new(func: &Function, loops: &[EinsumLoop]) -> Self {
        let mut of = IdMap::filled(func.inst_count(), Role::Plain);
        for (at, found) in loops.iter().enumerate() {
            of[found.collective] = Role::Waits;
            found.dots.iter().for_each(|(dot, _)| of[*dot] = Role::Waits);
            of[found.at] = Role::Loops(at);
        }
        Roles { of }
    }
}

/// Put a loop in the place of einsums and their collective.
fn localize_loop(
    emit: &mut Emit<'_, '_>,
    found: &EinsumLoop,
    last: InstId,
    before: &Before,
    replaced: &mut IdMap<ValueId, Option<ValueId>>,
) {
    let op_of = |inst: InstId| emit.func().inst(inst).op.clone();
    let ops: Vec<(InstId, Op)> = found.dots.iter().map(|(dot, _)| (*dot, op_of(*dot))).collect();
    let last = (last, op_of(last));
    let subject = |of| before.subject(emit.func(), of, replaced);
    let dots: Vec<Subject<'_>> = ops.iter().map(|(dot, op)| subject((*dot, op))).collect();
    let last = subject((last.0, &last.1));
    let scatters = last.inst == found.collective;
    let mut products = Vec::new();
    for (dot, (_, side)) in dots.iter().zip(&found.dots) {
        let (Op::Dot(op), [lhs, rhs]) = (dot.op, &dot.operands[..]) else { return };
        let made = if scatters { &last } else { dot };
        let Some(ty) = made.local(emit) else { return };
        let mut operands = [*lhs, *rhs];
        if let Side::Gather { operand, .. } = side {
            // The gather has not been made: its operand is this device's piece.
            let piece = emit.func().inst(found.collective).operands[0];
            operands[*operand] = current(replaced, piece);
        }
        products.push(Product { dot: op.clone(), operands, side: *side, ty });
    }
    emit.source = dots.first().map_or(emit.source, |dot| emit.func().inst(dot.inst).source);
    let ring = Ring { mesh: found.mesh, axes: &found.axes };
    let made = looped::einsums(emit, products, ring, found.form);
    if scatters {
        replace(emit, &last, &made, replaced);
        return;
    }
    for (dot, made) in dots.iter().zip(made) {
        replace(emit, dot, &[made], replaced);
    }
}

fn current(replaced: &IdMap<ValueId, Option<ValueId>>, mut value: ValueId) -> ValueId {
    while let Some(Some(next)) = replaced.get(value) {
        value = *next;
    }
    value
}

/// Give an instruction what its operands are now.
fn update_operands(emit: &mut Emit<'_, '_>, inst: InstId, replaced: &IdMap<ValueId, Option<ValueId>>) {
    for at in 0..emit.func().inst(inst).operands.len() {
        let old = emit.func().inst(inst).operands[at];
        emit.editor.set_operand(inst, at, current(replaced, old));
    }
}

/// Emit the local form of an instruction; whether that is the instruction itself.
fn localize_inst(
    emit: &mut Emit<'_, '_>,
    inst: InstId,
    before: &Before,
    replaced: &mut IdMap<ValueId, Option<ValueId>>,
) -> bool {
    if emit.func().inst(inst).op.facts().is_shapeless {
        update_operands(emit, inst, replaced);
        return true;
    }
    let op = emit.editor.take_op(inst);
    let from = before.globals(&emit.func().inst(inst).operands);
    let subject = before.subject(emit.func(), (inst, &op), replaced);
    emit.source = emit.func().inst(inst).source;
    for (at, operand) in subject.operands.iter().enumerate() {
        emit.editor.set_operand(inst, at, *operand);
    }
    let local = op::by_hand(emit, &subject);
    match &local {
        None | Some(Local::Op(_) | Local::Nothing) => {}
        Some(Local::Value(value)) => replace(emit, &subject, &[*value], replaced),
        Some(Local::Values(values)) => replace(emit, &subject, values, replaced),
    }
    let operands = subject.operands;
    let (op, stays) = match local {
        None => (op::plain(emit, inst, op, &operands, &from), true),
        Some(Local::Op(op)) => (op, true),
        Some(Local::Value(_) | Local::Values(_) | Local::Nothing) => (op, false),
    };
    emit.editor.set_op(inst, op);
    stays
}

/// Values stand for an instruction's results; they take over the names.
fn replace(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    values: &[ValueId],
    replaced: &mut IdMap<ValueId, Option<ValueId>>,
) {
    let results = emit.func().inst(subject.inst).results.clone();
    for (result, value) in results.into_iter().zip(values) {
        if !subject.operands.contains(value) {
            let name = emit.func().value(result).name.clone();
            emit.editor.set_name(*value, name);
        }
        replaced[result] = Some(*value);
    }
}

/// Put the bodies of manual and named regions in the place of their instruction.
fn inline_regions(func: &mut Function) {
    loop {
        let found = func.insts_in_order().into_iter().find(|inst| {
            matches!(func.inst(*inst).op, Op::Sharding(ShardingOp::Manual(_) | ShardingOp::Named { .. }))
        });
        let Some(inst) = found else { break };
        inline(func, inst);
    }
}

fn inline(func: &mut Function, inst: InstId) {
    let info = func.inst(inst).clone();
    let Some(region) = info.regions.first().map(|region| func.block(*region).clone()) else { return };
    let block = func.block_of(inst);
    let mut order = func.block(block).insts.clone();
    let at = order.iter().position(|other| *other == inst).unwrap_or(order.len());
    order.splice(at..(at + 1).min(order.len()), region.insts.iter().copied());
    let mut editor = Editor::new(func);
    editor.set_order(block, order);
    let mut from: Vec<(ValueId, ValueId)> =
        region.params.iter().copied().zip(info.operands.iter().copied()).collect();
    let lookup = |from: &[(ValueId, ValueId)], value: ValueId| {
        from.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
    };
    let results: Vec<_> = region.results.iter().map(|value| lookup(&from, *value)).collect();
    from.extend(info.results.iter().copied().zip(results));
    from.arrange();
    editor
        .map_uses(|value| from.binary_search_by_key(&value, |(old, _)| *old).map_or(value, |at| from[at].1));
}

/// Parameter and result infos follow the local types.
fn refresh_signature(func: &mut Function) {
    let (root, results) = (func.root(), func.result_values().to_vec());
    let mut editor = Editor::new(func);
    editor.set_results(root, results);
    for info in editor.result_info_mut() {
        info.sharding = None;
    }
}
