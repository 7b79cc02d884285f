//! Where every axis on every dim came from: the annotation, and the way it took.
//!
//! Each refinement leaves one event: which dim got which list, in which step, from which dim of a neighbour. Events are
//! in the order they happened and refer only backwards, so a trace always ends at an annotation.

use crate::edges::End;
use crate::lists::ListId;
use crate::ports::Ports;
use crate::state::{DimId, SlotId, State};
use crate::steps::{StepId, Steps};
use meshwright_base::diagnostic::Place;
use meshwright_base::{Id, IdMap};
use meshwright_ir::{Def, Dim, FuncId, InstId, Module, ValueId};
use meshwright_shard::AxisRef;
use std::fmt;

/// A dim got a longer list.
#[derive(Clone, Copy, Debug)]
struct Event {
    axes: ListId,
    step: StepId,
    source: Option<DimId>,
    /// The event before this one on the same dim.
    before: Option<u32>,
}

/// All events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance {
    events: Vec<Event>,
    /// The last event of each dim.
    last: Vec<Option<u32>>,
}

impl Provenance {
    pub(crate) fn new(state: &State) -> Self {
        let dims = state.dims.len();
        Provenance { events: Vec::with_capacity(dims), last: vec![None; dims] }
    }

    pub(crate) fn record(&mut self, dim: DimId, axes: ListId, step: StepId, source: Option<DimId>) {
        let at = self.events.len() as u32;
        let Some(last) = self.last.get_mut(dim.index()) else { return };
        let before = last.replace(at);
        self.events.push(Event { axes, step, source, before });
    }

    /// The event before `limit` that first gave a dim an axis. `None`: it had it from the start.
    fn first_with(&self, lists: &crate::lists::Lists, dim: DimId, axis: &AxisRef, limit: u32) -> Option<u32> {
        let mut found = None;
        let mut at = self.last.get(dim.index()).copied().flatten();
        while let Some(event) = at {
            let info = &self.events[event as usize];
            if event < limit && lists.get(info.axes).iter().any(|has| has.overlaps(*axis)) {
                found = Some(event);
            }
            at = info.before;
        }
        found
    }
}

/// One dim on the way of an axis, from the value asked about back to the annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginStep {
    /// The axis this way is about, and as the user calls it.
    pub axis: AxisRef,
    pub axis_name: String,
    pub func: FuncId,
    /// The value, or `None` where a function or a manual region states the sharding of its edge.
    pub value: Option<ValueId>,
    pub dim: usize,
    /// Name of the value, or what stands for it.
    pub name: String,
    /// The instruction through which the axis came here, and its op's name; `None` at the annotation, where the way
    /// ends.
    pub through: Option<(FuncId, InstId)>,
    pub op: Option<&'static str>,
    /// Where that instruction stands; at the annotation, where the value is defined.
    pub place: Option<Place>,
}

impl OriginStep {
    /// Whether this is the annotation the axis came from.
    pub fn is_origin(&self) -> bool {
        self.op.is_none()
    }
}

impl fmt::Display for OriginStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OriginStep { dim, name, axis_name, .. } = self;
        match self.op {
            Some(op) => write!(f, "dim {dim} of {} got `{axis_name}` through `{op}`", quoted(name))?,
            None => write!(f, "dim {dim} of {} is annotated with `{axis_name}`", quoted(name))?,
        }
        match &self.place {
            Some(Place::Source { file, line, .. }) => write!(f, " ({file}:{line})"),
            Some(Place::Span(_)) | None => Ok(()),
        }
    }
}

/// What is kept after completion to answer where an axis came from.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub state: State,
    pub provenance: Provenance,
    pub steps: Steps,
    /// What each slot stands for: a value of it, or what a function or region states of its edge.
    pub owner: IdMap<SlotId, Option<End>>,
    slot_of_dim: Vec<SlotId>,
}

impl Trace {
    pub(crate) fn new(
        module: &Module,
        (state, ports): (State, &Ports),
        steps: Steps,
        provenance: Provenance,
    ) -> Self {
        let mut owner = IdMap::filled(state.slots.len(), None);
        for (func, body) in module.funcs.iter() {
            for value in body.values().keys() {
                owner[state.slot(func, value)].get_or_insert(End::Value(func, value));
            }
        }
        for (func, slots) in ports.results.iter() {
            slots.iter().enumerate().for_each(|(at, slot)| owner[*slot] = Some(End::Result(func, at)));
        }
        for ((func, inst), slots) in &ports.inputs {
            slots.iter().enumerate().for_each(|(at, slot)| owner[*slot] = Some(End::Input(*func, *inst, at)));
        }
        let mut slot_of_dim = Vec::with_capacity(state.dims.len());
        slot_of_dim.extend(state.slots.keys().flat_map(|slot| std::iter::repeat_n(slot, state.rank(slot))));
        Trace { state, provenance, steps, owner, slot_of_dim }
    }

    pub(crate) fn why(&self, module: &Module, func: FuncId, value: ValueId, dim: Dim) -> Vec<OriginStep> {
        let slot = self.state.slot_if_known(func, value);
        let Some(dim) = slot.and_then(|slot| self.state.dim_ids(slot).nth(dim.index())) else {
            return Vec::new();
        };
        let axes = self.state.lists.get(self.state.dims[dim].axes).to_vec();
        axes.into_iter().flat_map(|axis| self.way(module, dim, axis)).collect()
    }

    /// The dims that the axes of a dim came by, back to annotated ones.
    pub(crate) fn passed(&self, func: FuncId, value: ValueId, dim: Dim) -> Vec<DimId> {
        let slot = self.state.slot_if_known(func, value);
        let Some(dim) = slot.and_then(|slot| self.state.dim_ids(slot).nth(dim.index())) else {
            return Vec::new();
        };
        let axes = self.state.lists.get(self.state.dims[dim].axes);
        axes.iter().flat_map(|axis| self.dims_of_way(dim, *axis)).map(|(dim, _)| dim).collect()
    }

    /// The way of one axis to a dim, back to its annotation.
    pub(crate) fn way(&self, module: &Module, dim: DimId, axis: AxisRef) -> Vec<OriginStep> {
        let way = self.dims_of_way(dim, axis).into_iter();
        way.map(|(dim, through)| self.step(module, dim, axis, through)).collect()
    }

    /// The dims of that way, each with the step through which the axis came to it.
    fn dims_of_way(&self, dim: DimId, axis: AxisRef) -> Vec<(DimId, Option<StepId>)> {
        let (mut at, mut limit, mut way) = (dim, u32::MAX, Vec::new());
        loop {
            let event = self.provenance.first_with(&self.state.lists, at, &axis, limit);
            let info = event.map(|event| self.provenance.events[event as usize]);
            way.push((at, info.map(|info| info.step)));
            let (Some(event), Some(source)) = (event, info.and_then(|info| info.source)) else {
                return way;
            };
            (at, limit) = (source, event);
        }
    }

    /// The dim whose annotation an axis of a dim goes back to.
    pub(crate) fn origin(&self, dim: DimId, axis: AxisRef) -> DimId {
        self.dims_of_way(dim, axis).last().map_or(dim, |(dim, _)| *dim)
    }

    pub(crate) fn step(
        &self,
        module: &Module,
        dim: DimId,
        axis: AxisRef,
        through: Option<StepId>,
    ) -> OriginStep {
        let slot = self.slot_of_dim[dim.index()];
        let number = self.state.dim_ids(slot).position(|id| id == dim).unwrap_or(0);
        let through = through.map(|step| (self.steps.steps[step].func, self.steps.steps[step].inst));
        let owner = self.owner[slot];
        let own_func = owner.map(|owner| match owner {
            End::Value(func, _) | End::Input(func, ..) | End::Result(func, _) => func,
        });
        let func = own_func.or(through.map(|through| through.0)).unwrap_or(module.entry);
        let inst = through.and_then(|(func, inst)| Some((func, inst?)));
        let (value, defined) = match owner {
            Some(End::Value(func, value)) => {
                (Some(value), module.funcs[func].def_inst(value).map(|inst| (func, inst)))
            }
            Some(End::Input(func, inst, _)) => (None, Some((func, inst))),
            Some(End::Result(..)) | None => (None, None),
        };
        let source = inst.or(defined).map(|(func, inst)| module.funcs[func].inst(inst).source);
        OriginStep {
            axis,
            axis_name: self.axis_name(module, dim, axis),
            func,
            value,
            dim: number,
            name: owner
                .map_or_else(|| format!("@{}", module.funcs[func].name), |owner| name_of_end(module, owner)),
            through: inst,
            op: through
                .map(|_| inst.map_or("return", |(func, inst)| module.funcs[func].inst(inst).op.mnemonic())),
            place: source.and_then(|source| module.place(source)),
        }
    }

    /// The axes a dim is split over.
    pub(crate) fn axes(&self, dim: DimId) -> &[AxisRef] {
        self.state.lists.get(self.state.dims[dim].axes)
    }

    /// An axis as the user calls it.
    pub(crate) fn axis_name(&self, module: &Module, dim: DimId, axis: AxisRef) -> String {
        let mesh =
            self.state.slots[self.slot_of_dim[dim.index()]].mesh.and_then(|mesh| module.meshes.get(mesh));
        let info = mesh.and_then(|mesh| mesh.axes.get(axis.axis));
        match info {
            Some(info) if info.size == axis.size => info.name.to_string(),
            Some(info) => format!("{}:({}){}", info.name, axis.pre, axis.size),
            None => format!("axis {}", axis.axis.index()),
        }
    }
}

/// How an end of an edge is called: the value's name, or in words.
pub(crate) fn name_of_end(module: &Module, end: End) -> String {
    match end {
        End::Value(func, value) => name_of(module, (func, value)),
        End::Result(func, at) => format!("result {at} of @{}", module.funcs[func].name),
        End::Input(func, inst, at) => {
            let info = module.funcs[func].inst(inst);
            let name = info.results.first().map(|value| name_of(module, (func, *value)));
            let name =
                name.as_deref().map_or(info.op.mnemonic(), |name| name.split('#').next().unwrap_or(name));
            format!("operand {at} of {name}")
        }
    }
}

/// A value's name in backticks; words as they are.
pub(crate) fn quoted(name: &str) -> String {
    if name.starts_with('%') { format!("`{name}`") } else { name.to_string() }
}

/// How a value is called in messages: as texts call it, results of one instruction by number.
pub(crate) fn name_of(module: &Module, (func, value): (FuncId, ValueId)) -> String {
    let Some(func) = module.funcs.get(func).filter(|func| func.values().get(value).is_some()) else {
        return format!("%{value:?}");
    };
    let info = func.value(value);
    let several = match info.def {
        Def::Result { inst, index } => func.inst(inst).name.as_ref().map(|name| (name, index)),
        Def::Param { .. } => None,
    };
    match (&info.name, several) {
        (Some(name), _) => format!("%{name}"),
        (None, Some((name, index))) => format!("%{name}#{index}"),
        (None, None) => format!("%{value:?}"),
    }
}
