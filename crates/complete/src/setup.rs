//! From a module to its working state: slots that are one, ports, annotations, and the steps between them.

use crate::edges::{Edge, End, Relation, carries, inputs, outputs};
use crate::lists::ListId;
use crate::state::{SlotId, State};
use crate::steps::{Part, Steps};
use crate::walk::{Stop, walk};
use meshwright_ground::{Id, IdMap};
use meshwright_ir::{
    Annotation, Factor, FactorKind, FuncId, Function, InstId, Module, Type, ValueId, rule_of,
};
use std::collections::BTreeMap;

/// Slots that stand for what an edge states, not for a value.
#[derive(Default)]
pub(crate) struct Ports {
    pub results: IdMap<FuncId, Vec<SlotId>>,
    pub inputs: BTreeMap<(FuncId, InstId), Vec<SlotId>>,
}

impl Ports {
    /// The slot of an end of an edge.
    pub(crate) fn slot(&self, state: &State, end: End) -> Option<SlotId> {
        match end {
            End::Value(func, value) => Some(state.slot(func, value)),
            End::Input(func, inst, at) => self.inputs.get(&(func, inst))?.get(at).copied(),
            End::Result(func, at) => self.results.get(func)?.get(at).copied(),
        }
    }
}

/// Make the slots of a module and write its annotations into them.
pub(crate) fn slots(module: &Module, groups: &[Vec<(FuncId, ValueId)>]) -> (State, Ports) {
    let mut state = State::new(module);
    for group in groups {
        join(&mut state, group);
    }
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            for carry in carries(func, inst) {
                let carry: Vec<_> = carry.into_iter().map(|value| (id, value)).collect();
                join(&mut state, &carry);
            }
        }
    }
    state.settle();
    let mut ports = Ports::default();
    for (id, func) in module.funcs.iter() {
        give_values(&mut state, id, func);
        for inst in func.insts_in_order() {
            give_stated(&mut state, &mut ports, (id, func), inst);
        }
        let results = func.results.iter().map(|info| {
            let slot = state.add(&info.ty);
            give(&mut state, slot, info.sharding.as_ref(), &info.ty);
            slot
        });
        let results = results.collect();
        ports.results.push(results);
    }
    (state, ports)
}

fn join(state: &mut State, members: &[(FuncId, ValueId)]) {
    if let Some((first, rest)) = members.split_first() {
        rest.iter().for_each(|(func, value)| state.unite((first.0, first.1), (*func, *value)));
    }
}

fn give_values(state: &mut State, id: FuncId, func: &Function) {
    for (value, info) in func.values().iter() {
        let slot = state.slot(id, value);
        give(state, slot, info.sharding.as_ref(), &info.ty);
    }
}

/// The first annotation of a slot holds; import has told the user if another differs.
fn give(state: &mut State, slot: SlotId, annotation: Option<&Annotation>, ty: &Type) {
    if let Some(sharding) = annotation.and_then(Annotation::as_mesh)
        && sharding.rank() == ty.rank()
        && !state.slots[slot].given
    {
        state.give(slot, sharding);
    }
}

/// What a manual or named region states at its edges.
fn give_stated(state: &mut State, ports: &mut Ports, (id, func): (FuncId, &Function), inst: InstId) {
    let info = func.inst(inst);
    for (value, stated) in info.results.iter().zip(outputs(&info.op)) {
        let slot = state.slot(id, *value);
        give(state, slot, Some(&Annotation::Mesh(stated.clone())), func.ty(*value));
    }
    let stated = inputs(&info.op);
    if stated.is_empty() {
        return;
    }
    let slots = info.operands.iter().zip(stated).map(|(operand, stated)| {
        let slot = state.add(func.ty(*operand));
        give(state, slot, Some(&Annotation::Mesh(stated.clone())), func.ty(*operand));
        slot
    });
    let slots = slots.collect();
    ports.inputs.insert((id, inst), slots);
}

/// All steps of a module, in program order.
pub(crate) fn steps(module: &Module, state: &mut State, ports: &Ports) -> Steps {
    let mut steps = Steps::default();
    walk(module, |stop| match stop {
        Stop::Rule(func, inst) => rule_step(module, state, &mut steps, (func, inst)),
        Stop::Edges(func, inst, edges) => {
            for edge in &edges {
                edge_step(state, ports, &mut steps, (func, inst), edge);
            }
        }
    });
    steps
}

fn rule_step(module: &Module, state: &State, steps: &mut Steps, (id, inst): (FuncId, InstId)) {
    let func = &module.funcs[id];
    let info = func.inst(inst);
    let has_dims = |value: &&ValueId| !func.dims(**value).is_empty();
    if info.operands.iter().chain(&info.results).filter(has_dims).count() < 2 {
        return;
    }
    let rule = rule_of(func, inst);
    let slots = |values: &[ValueId]| values.iter().map(|value| state.slot(id, *value)).collect::<Vec<_>>();
    steps.add_rule(state, (id, inst), &rule, (&slots(&info.operands), &slots(&info.results)));
}

fn edge_step(state: &mut State, ports: &Ports, steps: &mut Steps, at: (FuncId, Option<InstId>), edge: &Edge) {
    let Some(target) = ports.slot(state, edge.target) else { return };
    let sources: Vec<SlotId> = edge.sources.iter().filter_map(|end| ports.slot(state, *end)).collect();
    let none = ListId::empty();
    let (stacked_source, stacked_target, strip_source, strip_target) = match &edge.relation {
        Relation::Same => (0, 0, none, none),
        Relation::SourceStacked => (1, 0, none, none),
        Relation::TargetStacked => (0, 1, none, none),
        Relation::SourceGlobal(axes) => (0, 0, state.lists.intern(axes), none),
        Relation::TargetGlobal(axes) => (0, 0, none, state.lists.intern(axes)),
    };
    let local = if stacked_target > 0 { sources.first().copied().unwrap_or(target) } else { target };
    let factors: IdMap<_, _> = state
        .dims_of(local)
        .map(|dim| Factor { size: dim.size, kind: FactorKind::Pass, by_hand: false })
        .collect();
    let dims = |slot: SlotId, stacked: usize| -> Vec<Vec<meshwright_ir::FactorId>> {
        let rank = state.rank(slot);
        (0..rank)
            .map(|dim| {
                dim.checked_sub(stacked).map(meshwright_ir::FactorId::from_index).into_iter().collect()
            })
            .collect()
    };
    let fits = |slot: SlotId, stacked: usize| state.rank(slot) == factors.len() + stacked;
    if !fits(target, stacked_target) || !sources.iter().all(|slot| fits(*slot, stacked_source)) {
        return;
    }
    let source_dims: Vec<_> = sources.iter().map(|slot| dims(*slot, stacked_source)).collect();
    let target_dims = dims(target, stacked_target);
    let part = |slot: SlotId, dims, strip| Part { slot, dims, strip };
    let operands: Vec<Part> =
        sources.iter().zip(&source_dims).map(|(slot, dims)| part(*slot, dims, strip_source)).collect();
    let results = [part(target, &target_dims, strip_target)];
    steps.add(state, at, (edge.forward, edge.backward), &factors, &operands, &results);
}
