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
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{
    At, Editor, Function, InstId, Op, Placement, PlannedModule, SpmdModule, Type, Value, ValueId,
};
use meshwright_shard::{MeshId, Meshes, Sharding};
use subject::{Local, Subject};

/// Localize a planned module, no einsum in a loop.
pub fn localize(planned: PlannedModule) -> Result<SpmdModule, Vec<Diagnostic>> {
    localize_with(planned, &Options { loops: einsum_loops::Loops::Never, ..Options::default() })
}

/// Localize a planned module.
pub fn localize_with(planned: PlannedModule, options: &Options) -> Result<SpmdModule, Vec<Diagnostic>> {
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
        sharding_of(func, *value).map(|sharding| Placement { global, sharding })
    };
    values.iter().filter_map(one).collect()
}

/// A value as it was before: global.
struct Global {
    sharding: Option<Sharding>,
    /// Dims without padding.
    whole: Vec<i64>,
    padded: Vec<i64>,
}

/// A function as it was before.
struct Before {
    values: IdMap<ValueId, Global>,
    /// What tells equal elements of its sorts apart.
    ties: IdMap<InstId, Option<Ties>>,
}

fn localize_function(func: &mut Function, meshes: &Meshes, channel: i64, loops: &[EinsumLoop]) -> i64 {
    let global = |(id, value): (ValueId, &Value)| Global {
        sharding: sharding_of(func, id),
        whole: value.valid.as_deref().unwrap_or(value.ty.dims()).to_vec(),
        padded: value.ty.dims().to_vec(),
    };
    let values = func.values().iter().map(global).collect();
    let mut ties = IdMap::filled(func.inst_count(), None);
    for inst in func.insts_in_order() {
        ties[inst] = ties::ties(func, inst);
    }
    let before = Before { values, ties };
    let blocks = program_blocks(func);
    let mut emit = Emit::new(func, meshes, channel);
    set_local_types(&mut emit.editor, &before);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(before.values.len(), None);
    let roles = Roles::new(emit.func(), loops);
    for block in blocks {
        emit.at = At::End(block);
        for inst in emit.editor.take_order(block) {
            let stays = match (roles.of[inst], subject(&emit, inst, &before, &replaced)) {
                (_, None) => true,
                (Role::Plain, Some(subject)) => localize_inst(&mut emit, subject, &mut replaced),
                (Role::Waits, Some(_)) => false,
                (Role::Loops(at), Some(last)) => {
                    let dots: Vec<Subject> = loops[at]
                        .dots
                        .iter()
                        .filter_map(|(dot, _)| subject(&emit, *dot, &before, &replaced))
                        .collect();
                    localize_loop(&mut emit, &loops[at], &dots, &last, &mut replaced);
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

fn set_local_types(editor: &mut Editor<'_>, before: &Before) {
    for (value, global) in before.values.iter() {
        let Some(sharding) = &global.sharding else { continue };
        if let Type::Tensor(ty) = editor.func().ty(value) {
            let local = ty.with_dims(sharding.shard_shape(&ty.dims));
            editor.set_type(value, Type::Tensor(local));
            editor.set_sharding(value, None);
            editor.set_valid(value, None);
        }
    }
}

fn subject(
    emit: &Emit<'_, '_>,
    inst: InstId,
    before: &Before,
    replaced: &IdMap<ValueId, Option<ValueId>>,
) -> Option<Subject> {
    let info = emit.func().inst(inst);
    // What localization itself has added is local already.
    let known = |value: &ValueId| before.values.get(*value).is_some();
    if !info.results.iter().all(known) {
        return None;
    }
    let of = |values: &[ValueId]| values.iter().map(|value| before.values[*value].sharding.clone()).collect();
    Some(Subject {
        inst,
        op: info.op.clone(),
        operands: info.operands.iter().map(|value| current(replaced, *value)).collect(),
        whole: info.operands.iter().map(|value| before.values[*value].whole.clone()).collect(),
        padded: info.operands.iter().map(|value| before.values[*value].padded.clone()).collect(),
        made: info.results.iter().map(|value| before.values[*value].padded.clone()).collect(),
        real: info.results.iter().map(|value| before.values[*value].whole.clone()).collect(),
        from: of(&info.operands),
        to: of(&info.results),
        types: info.results.iter().map(|value| emit.func().ty(*value).clone()).collect(),
        ties: before.ties.get(inst).copied().flatten(),
    })
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
    dots: &[Subject],
    last: &Subject,
    replaced: &mut IdMap<ValueId, Option<ValueId>>,
) {
    let scatters = last.inst == found.collective;
    let mut products = Vec::new();
    for (dot, (_, side)) in dots.iter().zip(&found.dots) {
        let (Op::Dot(op), [lhs, rhs]) = (&dot.op, &dot.operands[..]) else { return };
        let made = if scatters { last } else { dot };
        let Some(ty) = made.types.first().and_then(Type::as_tensor).cloned() else { return };
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
        replace(emit, last, &made, replaced);
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

/// Emit the local form of an instruction; whether that is the instruction itself.
fn localize_inst(
    emit: &mut Emit<'_, '_>,
    subject: Subject,
    replaced: &mut IdMap<ValueId, Option<ValueId>>,
) -> bool {
    let inst = subject.inst;
    emit.source = emit.func().inst(inst).source;
    emit.editor.set_operands(inst, subject.operands.clone());
    match op::localize(emit, &subject) {
        Local::Op(op) => {
            emit.editor.set_op(inst, op);
            return true;
        }
        Local::Nothing => {}
        Local::Value(value) => replace(emit, &subject, &[value], replaced),
        Local::Values(values) => replace(emit, &subject, &values, replaced),
    }
    false
}

/// Values stand for an instruction's results; they take over the names.
fn replace(
    emit: &mut Emit<'_, '_>,
    subject: &Subject,
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
