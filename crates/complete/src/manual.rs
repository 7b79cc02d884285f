//! Over which axes each value is already local: a fact that is known before completion and never changes by it.
//!
//! Inside a manual region every value is local over the region's axes. Between FullToShard and ShardToFull there is no
//! region: there the fact flows with the values, from operands to results. What is made of global values alone stays
//! global, also where it is used among local ones.

use crate::edges::{Edge, End, Relation};
use crate::landmarks::{Landmark, op_of};
use crate::lists::ListId;
use crate::setup::Ports;
use crate::state::{SlotId, State};
use crate::walk::{Stop, walk};
use meshwright_ground::Id;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, ValueId};
use meshwright_shard::{MeshId, axis};

/// One relation between slots: all are local over the same axes.
struct Alike {
    sources: Vec<SlotId>,
    targets: Vec<SlotId>,
}

/// Set the manual axes of every slot.
pub(crate) fn mark(module: &Module, landmarks: &[Landmark], state: &mut State, ports: &Ports) {
    if !has_manual(module, landmarks, state) {
        return;
    }
    mark_regions(module, state);
    let alike = relations(module, state, ports);
    let mut changed = true;
    while changed {
        changed = alike.iter().fold(false, |any, alike| any | spread(state, alike));
    }
}

fn has_manual(module: &Module, landmarks: &[Landmark], state: &State) -> bool {
    let region =
        |landmark: &Landmark| matches!(op_of(module, *landmark), Op::Sharding(ShardingOp::Manual(_)));
    state.slots.values().any(|slot| !slot.manual.is_empty()) || landmarks.iter().any(region)
}

/// Values inside manual regions, nested ones with the axes of all around them.
fn mark_regions(module: &Module, state: &mut State) {
    for (id, func) in module.funcs.iter() {
        let mut axes_of = vec![ListId::empty(); func.block_count()];
        for block in func.blocks_in_order() {
            let Some(parent) = func.block(block).parent else { continue };
            let mut axes = axes_of[func.block_of(parent).index()];
            let mut mesh = None;
            if let Op::Sharding(ShardingOp::Manual(manual)) = &func.inst(parent).op {
                let all = axis::canonical_set(&[state.lists.get(axes), &manual.axes].concat());
                (axes, mesh) = (state.lists.intern(&all), Some(manual.mesh));
            }
            axes_of[block.index()] = axes;
            mark_block(state, (id, func), block, (axes, mesh));
        }
    }
}

fn mark_block(
    state: &mut State,
    (id, func): (FuncId, &Function),
    block: BlockId,
    (axes, mesh): (ListId, Option<MeshId>),
) {
    if axes.is_empty() {
        return;
    }
    let insts = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
    for value in func.block(block).params.iter().chain(insts) {
        set(state, state.slot(id, *value), axes, mesh);
    }
}

fn set(state: &mut State, slot: SlotId, axes: ListId, mesh: Option<MeshId>) {
    if state.dims_of(slot).any(|dim| state.lists.clash(dim.axes, axes)) {
        return;
    }
    if state.slots[slot].mesh.is_none() {
        state.slots[slot].mesh = mesh;
    }
    state.set_manual(slot, axes);
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

/// Edges between global and local values change the fact: nothing spreads over them.
fn of_edge(state: &State, ports: &Ports, edge: &Edge) -> Option<Alike> {
    match &edge.relation {
        Relation::Same | Relation::SourceStacked | Relation::TargetStacked => {}
        Relation::SourceGlobal(axes) | Relation::TargetGlobal(axes) if axes.is_empty() => {}
        Relation::SourceGlobal(..) | Relation::TargetGlobal(..) => return None,
    }
    let slot = |end: &End| ports.slot(state, *end);
    let sources = edge.sources.iter().filter_map(slot).collect();
    Some(Alike { sources, targets: vec![slot(&edge.target)?] })
}

/// Let unmarked results take over from marked operands.
fn spread(state: &mut State, alike: &Alike) -> bool {
    let marked = |slot: &&SlotId| !state.slots[**slot].manual.is_empty();
    let Some(known) = alike.sources.iter().find(marked) else { return false };
    let (axes, mesh) = (state.slots[*known].manual, state.slots[*known].mesh);
    let mut changed = false;
    for slot in &alike.targets {
        if state.slots[*slot].manual.is_empty() {
            set(state, *slot, axes, mesh);
            changed |= !state.slots[*slot].manual.is_empty();
        }
    }
    changed
}
