//! From a module to its working state: slots that are one, ports, annotations, and the steps between them.

use crate::bar_manual_axes::bar_manual_axes;
use crate::edges::{Edge, Relation, inputs, outputs};
use crate::landmarks::Landmark;
use crate::lists::ListId;
use crate::ports::Ports;
use crate::state::{SlotId, State};
use crate::steps::{EdgeForms, EdgeShape, Known, Steps, Tensor, add_instruction};
use crate::ties::Tie;
use crate::walk::{Stop, walk};
use meshwright_ir::raise_scan::rows_read;
use meshwright_ir::{Annotation, FuncId, Function, InstId, Module, Type, ValueId};
use meshwright_shard::agree;

/// Make the slots of a module and write its annotations into them.
pub(crate) fn slots(module: &Module, landmarks: &[Landmark], ties: &[Tie]) -> (State, Ports) {
    let mut state = State::new(module);
    for tie in ties {
        join(&mut state, &tie.members);
    }
    state.point_to_roots();
    for (id, func) in module.funcs.iter() {
        give_values(&mut state, id, func);
    }
    close_rows(module, &mut state);
    let mut ports = Ports::default();
    for landmark in landmarks {
        give_stated(module, &mut state, &mut ports, *landmark);
        bar_manual_axes(module, &mut state, &ports, *landmark);
    }
    for func in module.funcs.values() {
        let slots = func.results.iter().map(|info| {
            let slot = state.add(&info.ty);
            give(&mut state, slot, info.sharding.as_ref(), &info.ty);
            slot
        });
        let slots = slots.collect();
        ports.results.push(slots);
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

/// Write an annotation into a slot. What several values of one slot state must agree; where it does not, the first
/// holds.
fn give(state: &mut State, slot: SlotId, annotation: Option<&Annotation>, ty: &Type) {
    if let Some(sharding) = annotation.and_then(Annotation::as_mesh)
        && sharding.rank() == ty.rank()
    {
        match state.stated(slot) {
            None => state.give(slot, sharding),
            Some(before) => agree(&before, sharding).into_iter().for_each(|both| state.give(slot, &both)),
        }
    }
}

/// What a loop reads row by row is whole along its rows, unless an annotation says otherwise: were they split, each
/// trip would have to ask all devices for its row. Rows that are only written may be split: each device keeps those it
/// holds.
fn close_rows(module: &Module, state: &mut State) {
    for ((id, inst), positions) in rows_read(module) {
        for at in positions {
            let slot = state.slot(id, module.funcs[id].inst(inst).results[at]);
            if state.stated(slot).is_none() {
                let rows = state.dim_id(slot, 0);
                state.dims[rows].open = false;
            }
        }
    }
}

/// What a manual or named region states at its edges.
fn give_stated(module: &Module, state: &mut State, ports: &mut Ports, (id, inst): Landmark) {
    let func = &module.funcs[id];
    let info = func.inst(inst);
    for (value, stated) in info.results.iter().zip(outputs(&info.op)) {
        let slot = state.slot(id, *value);
        give(state, slot, Some(&Annotation::from(stated.clone())), func.ty(*value));
    }
    let stated = inputs(&info.op);
    if stated.is_empty() {
        return;
    }
    let slots = info.operands.iter().zip(stated).map(|(operand, stated)| {
        let slot = state.add(func.ty(*operand));
        give(state, slot, Some(&Annotation::from(stated.clone())), func.ty(*operand));
        slot
    });
    let slots = slots.collect();
    ports.inputs.insert((id, inst), slots);
}

/// All steps of a module, in program order.
pub(crate) fn steps(module: &Module, state: &mut State, ports: &Ports) -> Steps {
    let (mut steps, mut known, mut edge_forms) = (Steps::default(), Known::new(), EdgeForms::new());
    walk(module, |stop| match stop {
        Stop::Rule(func, inst) => {
            let slot = |value: ValueId| state.slot(func, value);
            add_instruction(&mut steps, &mut known, &module.funcs, (func, inst), slot);
        }
        Stop::Edges(func, inst, edges) => {
            for edge in &edges {
                add_edge(state, ports, (&mut steps, &mut edge_forms), (func, inst), edge);
            }
        }
    });
    steps
}

fn add_edge(
    state: &mut State,
    ports: &Ports,
    (steps, known): (&mut Steps, &mut EdgeForms),
    at: (FuncId, Option<InstId>),
    edge: &Edge,
) {
    let Some(target) = ports.slot(state, edge.target) else { return };
    let sources: Vec<SlotId> = edge.sources.iter().filter_map(|end| ports.slot(state, *end)).collect();
    let none = ListId::empty();
    let (stacked, strip) = match &edge.relation {
        Relation::Same => ((0, 0), (none, none)),
        Relation::SourceStacked => ((1, 0), (none, none)),
        Relation::TargetStacked => ((0, 1), (none, none)),
        Relation::SourceGlobal(axes) => ((0, 0), (state.lists.intern(axes), none)),
        Relation::TargetGlobal(axes) => ((0, 0), (none, state.lists.intern(axes))),
    };
    let sizes: Vec<i64> = state.dims_of(target).skip(stacked.1).map(|dim| dim.size).collect();
    let fits = sources.iter().all(|slot| state.rank(*slot) == sizes.len() + stacked.0);
    if !fits || sizes.is_empty() || sources.is_empty() {
        return;
    }
    let shape = EdgeShape { sizes, sources: sources.len(), stacked, levels: (edge.forward, edge.backward) };
    let form = shape.form(known, &mut steps.forms);
    let tensors = sources.into_iter().map(|slot| Tensor { slot, strip: strip.0 });
    steps.add(form, at, tensors.chain([Tensor { slot: target, strip: strip.1 }]));
}
