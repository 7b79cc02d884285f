//! Over which axes each value is already local: a fact that is known before completion and never changes by it.
//!
//! Inside a manual region every value is local over the region's axes. Between FullToShard and ShardToFull there is no
//! region: there the fact flows with the values, from operands to results. What is made of global values alone and used
//! by others than local ones stays global; what local values alone are made from is local, unless it is annotated.

use crate::codes;
use crate::edges::{Edge, End, Relation, outputs};
use crate::landmarks::{Landmark, op_of};
use crate::lists::ListId;
use crate::ports::Ports;
use crate::provenance::name_of;
use crate::state::{SlotId, State};
use crate::walk::{Stop, walk};
use meshwright_base::{Diagnostic, Id, IdMap};
use meshwright_ir::op::{ManualComputation, ShardingOp};
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, ValueId};
use meshwright_shard::sdy_text::{print_axes, print_sharding};
use meshwright_shard::{AxisRef, DimSharding, MeshId, Sharding, axis};

/// One relation between slots: all are local over the same axes.
struct Alike {
    sources: Vec<SlotId>,
    targets: Vec<SlotId>,
}

/// Set the manual axes of every slot; what is annotated inside a region as it cannot be.
pub(crate) fn mark(
    module: &Module,
    landmarks: &[Landmark],
    state: &mut State,
    ports: &Ports,
) -> Vec<Diagnostic> {
    if !has_manual(module, landmarks, state) {
        return Vec::new();
    }
    let mut errors = mark_regions(module, state);
    errors.extend(landmarks.iter().flat_map(|landmark| check_results(module, state, *landmark)));
    let alike = relations(module, state, ports);
    let mut changed = true;
    while changed {
        changed = alike.iter().fold(false, |any, alike| any | spread(state, alike));
    }
    spread_back(module, state, &alike);
    errors
}

/// What the users of a value are.
#[derive(Clone, Copy, PartialEq)]
enum Used {
    NotYet,
    Local(ListId, Option<MeshId>),
    Otherwise,
}

/// Mark what is used by local values only, last users first: a value's users stand behind it.
fn spread_back(module: &Module, state: &mut State, alike: &[Alike]) {
    let mut used = IdMap::filled(state.slots.len(), Used::NotYet);
    for alike in alike.iter().rev() {
        if alike
            .targets
            .iter()
            .all(|target| is_local(state, *target) || may_adopt(state, &used, *target).is_some())
        {
            alike.targets.iter().for_each(|target| adopt(state, &used, *target));
        }
        let of_target = |target: &SlotId| match state.slots[*target] {
            ref slot if slot.manual.is_empty() => Used::Otherwise,
            ref slot => Used::Local(slot.manual, slot.mesh),
        };
        let mut uses = alike.targets.iter().map(of_target);
        let first = uses.next().unwrap_or(Used::Otherwise);
        let by = if uses.all(|other| other == first) { first } else { Used::Otherwise };
        for source in &alike.sources {
            used[*source] = if [Used::NotYet, by].contains(&used[*source]) { by } else { Used::Otherwise };
        }
    }
    let params = module.main().param_values().iter();
    params.for_each(|param| adopt(state, &used, state.slot(module.entry, *param)));
}

fn adopt(state: &mut State, used: &IdMap<SlotId, Used>, slot: SlotId) {
    if let Some((axes, mesh)) = may_adopt(state, used, slot) {
        set(state, slot, axes, mesh);
    }
}

/// What only local values use, where nothing else is said of it.
fn may_adopt(state: &State, used: &IdMap<SlotId, Used>, slot: SlotId) -> Option<(ListId, Option<MeshId>)> {
    match used[slot] {
        Used::Local(axes, mesh) => is_free(state, slot).then_some((axes, mesh)),
        Used::NotYet | Used::Otherwise => None,
    }
}

fn is_local(state: &State, slot: SlotId) -> bool {
    !state.slots[slot].manual.is_empty()
}

fn is_free(state: &State, slot: SlotId) -> bool {
    !is_local(state, slot) && state.stated(slot).is_none()
}

fn has_manual(module: &Module, landmarks: &[Landmark], state: &State) -> bool {
    let region =
        |landmark: &Landmark| matches!(op_of(module, *landmark), Op::Sharding(ShardingOp::Manual(_)));
    state.slots.values().any(|slot| !slot.manual.is_empty()) || landmarks.iter().any(region)
}

/// Values inside manual regions, nested ones with the axes of all around them; those of a function with the axes of
/// where it is called, which is one place.
fn mark_regions(module: &Module, state: &mut State) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut seen = IdMap::filled(module.funcs.len(), false);
    // What nobody calls comes last.
    let mut work: Vec<(FuncId, Option<(ListId, MeshId)>)> =
        module.funcs.keys().map(|id| (id, None)).collect();
    work.push((module.entry, None));
    while let Some((id, called)) = work.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        let func = &module.funcs[id];
        let mut around: Vec<Option<(ListId, MeshId)>> = vec![None; func.block_count()];
        for block in func.blocks_in_order() {
            let local = match func.block(block).parent {
                None => called,
                Some(parent) => {
                    let outer = around[func.block_of(parent).index()];
                    match &func.inst(parent).op {
                        Op::Sharding(ShardingOp::Manual(manual)) => Some(within(state, outer, manual)),
                        _ => outer,
                    }
                }
            };
            around[block.index()] = local;
            let ops = func.block(block).insts.iter().map(|inst| &func.inst(*inst).op);
            work.extend(
                ops.filter_map(|op| if let Op::Call(call) = op { Some((call.callee, local)) } else { None }),
            );
            let Some(local) = local.filter(|(axes, _)| !axes.is_empty()) else { continue };
            let stubborn = mark_block(state, (id, func), block, local);
            errors.extend(stubborn.into_iter().map(|value| contradiction(module, state, (id, value), local)));
        }
    }
    errors
}

/// Checks that annotations leave the manual axes of a region's results as its `out_shardings` have them: the local type
/// is the global one cut by these.
fn check_results(module: &Module, state: &State, landmark: Landmark) -> Vec<Diagnostic> {
    let (id, inst) = landmark;
    let Op::Sharding(ShardingOp::Manual(manual)) = op_of(module, landmark) else { return Vec::new() };
    let func = &module.funcs[id];
    let manual_axes = |sharding: &Sharding| {
        // An axis of one device cuts nothing, so annotations may leave it out.
        let is_manual =
            |axis: &&AxisRef| axis.size > 1 && manual.axes.iter().any(|manual| manual.contains(**axis));
        let of_dim = |dim: &DimSharding| dim.axes.iter().filter(is_manual).copied().collect::<Vec<_>>();
        sharding.dims.iter().map(of_dim).collect::<Vec<_>>()
    };
    let check = |(value, edge): (&ValueId, &Sharding)| {
        let stated = state.stated(state.slot(id, *value))?;
        let is_alike = stated.mesh == edge.mesh || stated.is_replicated();
        if is_alike && manual_axes(&stated) == manual_axes(edge) {
            return None;
        }
        let message = format!(
            "`{}` is annotated {}, but it is a result of a manual region, which states {}",
            name_of(module, (id, *value)),
            print_sharding(&stated, &module.meshes),
            print_sharding(edge, &module.meshes)
        );
        let error = Diagnostic::error(codes::MANUAL, message)
            .at_place(module.place(func.inst(inst).source))
            .help("annotate the result as `out_shardings` does, or constrain its sharding after the region");
        Some(error)
    };
    func.inst(inst).results.iter().zip(outputs(op_of(module, landmark))).filter_map(check).collect()
}

/// Axes of a region with those of the ones around it.
fn within(
    state: &mut State,
    outer: Option<(ListId, MeshId)>,
    manual: &ManualComputation,
) -> (ListId, MeshId) {
    let outer = outer.filter(|(_, mesh)| *mesh == manual.mesh);
    let axes = outer.map_or(&[] as &[AxisRef], |(axes, _)| state.lists.get(axes));
    let all = axis::canonical_set(&[axes, &manual.axes].concat());
    (state.lists.intern(&all), manual.mesh)
}

/// Mark the values of a block; those that say otherwise.
fn mark_block(
    state: &mut State,
    (id, func): (FuncId, &Function),
    block: BlockId,
    (axes, mesh): (ListId, MeshId),
) -> Vec<ValueId> {
    let insts = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
    let values = func.block(block).params.iter().chain(insts).copied();
    values.filter(|value| !set(state, state.slot(id, *value), axes, Some(mesh))).collect()
}

fn contradiction(
    module: &Module,
    state: &State,
    (id, value): (FuncId, ValueId),
    (axes, mesh): (ListId, MeshId),
) -> Diagnostic {
    let func = &module.funcs[id];
    let name = name_of(module, (id, value));
    let stated = state.closed(state.slot(id, value), MeshId::from_index(0));
    let place = func.def_inst(value).and_then(|inst| module.place(func.inst(inst).source));
    let message = format!(
        "`{name}` is annotated {}, but stands in a manual region and is local over {} already",
        print_sharding(&stated, &module.meshes),
        print_axes(state.lists.get(axes), &module.meshes[mesh])
    );
    Diagnostic::error(codes::MANUAL, message)
        .at_place(place)
        .help("inside a manual region annotate over its mesh, and leave out the axes it is manual over")
}

/// Mark a slot, unless it says otherwise: split over these axes already, or over another mesh. Whether it is marked.
fn set(state: &mut State, slot: SlotId, axes: ListId, mesh: Option<MeshId>) -> bool {
    let clash = state.dims_of(slot).any(|dim| state.lists.clash(dim.axes, axes));
    if clash || !mesh.is_none_or(|mesh| state.may_join(slot, mesh)) {
        return false;
    }
    state.slots[slot].mesh = mesh.or(state.slots[slot].mesh);
    state.set_manual(slot, axes);
    true
}

fn relations(module: &Module, state: &State, ports: &Ports) -> Vec<Alike> {
    let mut alike = Vec::new();
    walk(module, |stop| match stop {
        Stop::Rule(func, inst) => alike.push(of_inst(module, state, func, inst)),
        Stop::Edges(_, _, edges) => alike.extend(edges.iter().filter_map(|edge| of_edge(state, ports, edge))),
    });
    alike
}

fn of_inst(module: &Module, state: &State, id: FuncId, inst: InstId) -> Alike {
    let info = module.funcs[id].inst(inst);
    let slots = |values: &[ValueId]| values.iter().map(|value| state.slot(id, *value)).collect();
    Alike { sources: slots(&info.operands), targets: slots(&info.results) }
}

/// Edges between global and local values change the fact: nothing spreads over them, and who is used there is used by
/// others than its like.
fn of_edge(state: &State, ports: &Ports, edge: &Edge) -> Option<Alike> {
    let mut is_crossed = false;
    match &edge.relation {
        Relation::Same | Relation::SourceStacked | Relation::TargetStacked => {}
        Relation::SourceGlobal(axes) | Relation::TargetGlobal(axes) if axes.is_empty() => {}
        Relation::SourceGlobal(..) | Relation::TargetGlobal(..) => is_crossed = true,
    }
    let slot = |end: &End| ports.slot(state, *end);
    let sources = edge.sources.iter().filter_map(slot).collect();
    let target = slot(&edge.target)?;
    Some(Alike { sources, targets: if is_crossed { Vec::new() } else { vec![target] } })
}

/// Let unmarked results take over from marked operands, or from marked results beside them: an op is local as a whole.
fn spread(state: &mut State, alike: &Alike) -> bool {
    let marked = |slots: &[SlotId]| slots.iter().find(|slot| is_local(state, **slot)).copied();
    let (above, beside) = (marked(&alike.sources), marked(&alike.targets));
    let Some(known) = above.or(beside) else { return false };
    let (axes, mesh) = (state.slots[known].manual, state.slots[known].mesh);
    let mut changed = false;
    for slot in &alike.targets {
        let takes = if above.is_some() { !is_local(state, *slot) } else { is_free(state, *slot) };
        if takes {
            changed |= set(state, *slot, axes, mesh);
        }
    }
    changed
}
