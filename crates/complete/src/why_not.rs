//! Why a dim is not split, or not further: what its neighbours have there and did not pass on.
//!
//! Looks at every step a value takes part in, at the end of completion. Nothing is kept during propagation for it.

use crate::edges;
use crate::levels::Level;
use crate::lists::ListId;
use crate::provenance::{Trace, name_of_end, quoted};
use crate::state::{DimId, SlotId};
use crate::steps::{FlowStep, Form, TensorPlace};
use meshwright_base::Id;
use meshwright_base::cancel;
use meshwright_base::diagnostic::Place;
use meshwright_ir::{Dim, FactorId, FactorKind, FuncId, Module, ValueId};
use meshwright_shard::{AxisRef, axis};
use std::fmt;

/// Why an axis was not taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// An annotation says how the dim is split and does not leave it open.
    Closed,
    /// A parameter of the program, which is split as its annotation says, and whole without one.
    Given,
    /// The axis, or a piece that does not line up with it, splits another dim of the value already.
    Taken(usize),
    /// An annotation keeps the axis off every dim, or the value is partial or local over it.
    KeptOff,
    /// The neighbour is split over another mesh.
    OtherMesh,
    /// The op needs the dim whole.
    Whole,
    /// A barrier lets nothing pass this way.
    Barrier,
    /// The neighbour's dim and this one are cut differently: shards of one would not be shards of the other.
    Cut,
    /// The dim got another axis first, which is named; without a name, neighbours pull different ways.
    Disagreement(Option<String>),
}

/// An axis that a neighbour has on the same dim, and why it was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    pub axis_name: String,
    /// The neighbour and its dim.
    pub name: String,
    pub dim: usize,
    /// The op between the two, and where it stands.
    pub op: &'static str,
    pub inst: Option<(FuncId, meshwright_ir::InstId)>,
    pub place: Option<Place>,
    pub reason: Reason,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocked { axis_name, name, dim, op, .. } = self;
        write!(f, "dimension {dim} of {} is sharded over `{axis_name}` across `{op}`, but ", quoted(name))?;
        match &self.reason {
            Reason::Closed => f.write_str("the annotation here is closed"),
            Reason::Given => f.write_str(
                "a parameter takes shardings only from its own annotation unless \
                 `--propagate-to-parameters` is on",
            ),
            Reason::Taken(dim) => write!(f, "`{axis_name}` conflicts with the axes of dimension {dim} here"),
            Reason::KeptOff => write!(f, "this value is replicated, partial or local over `{axis_name}`"),
            Reason::OtherMesh => f.write_str("it uses another mesh"),
            Reason::Whole => write!(f, "`{op}` needs this dimension unsharded"),
            Reason::Barrier => f.write_str("a propagation barrier separates them"),
            Reason::Cut => f.write_str("the tiles of the two dimensions do not match"),
            Reason::Disagreement(Some(first)) => write!(f, "this dimension got `{first}` first"),
            Reason::Disagreement(None) => f.write_str("other neighbors are sharded differently"),
        }
    }
}

/// One dim of one tensor of a step.
#[derive(Clone, Copy)]
struct End {
    tensor: TensorPlace,
    dim: usize,
    slot: SlotId,
}

impl Trace {
    /// What neighbours of a dim are split over there that the dim is not, at most [`Trace::MOST_BLOCKED`].
    pub(crate) fn why_not(&self, module: &Module, func: FuncId, value: ValueId, dim: Dim) -> Vec<Blocked> {
        let mut found: Vec<Blocked> = Vec::new();
        let Some(slot) = self.state.slot_if_known(func, value) else { return found };
        let Some(id) = self.state.dim_ids(slot).nth(dim.index()) else { return found };
        for step in self.steps.steps.values() {
            let tensors = self.steps.tensors_of(step);
            for at in (0..tensors.len()).filter(|at| tensors[*at].slot == slot).map(TensorPlace::from_index) {
                for blocked in self.blocked_in(module, step, at, (dim.index(), id)) {
                    if found.len() < Self::MOST_BLOCKED && !found.contains(&blocked) {
                        found.push(blocked);
                    }
                }
            }
        }
        found
    }

    const MOST_BLOCKED: usize = 16;

    fn blocked_in(
        &self,
        module: &Module,
        step: &FlowStep,
        at: TensorPlace,
        (dim, id): (usize, DimId),
    ) -> Vec<Blocked> {
        let (form, tensors) = (self.steps.form(step), self.steps.tensors_of(step));
        let factors = form.factors_of(at, dim);
        let (own, mut found) = (tensors[at.index()].slot, Vec::new());
        for (other, tensor) in tensors.iter().enumerate().filter(|(_, other)| other.slot != own) {
            let other = TensorPlace::from_index(other);
            for (number, there) in self.state.dim_ids(tensor.slot).enumerate() {
                let shared = form.factors_of(other, number).iter().find(|factor| factors.contains(factor));
                let (Some(factor), Some(axis)) = (shared, self.first_beyond(there, id)) else { continue };
                let here = End { tensor: at, dim, slot: own };
                let beyond = End { tensor: other, dim: number, slot: tensor.slot };
                let reason = self.reason(module, form, (here, id), beyond, (*factor, axis));
                found.push(Blocked {
                    axis_name: self.axis_name(module, there, axis),
                    name: self.owner_name(module, tensor.slot, step),
                    dim: number,
                    op: step.inst.map_or("return", |inst| module.funcs[step.func].inst(inst).op.mnemonic()),
                    inst: step.inst.map(|inst| (step.func, inst)),
                    place: step.inst.and_then(|inst| module.place(module.funcs[step.func].inst(inst).source)),
                    reason,
                });
            }
        }
        found
    }

    /// The first axis one dim has and the other has not at that place.
    fn first_beyond(&self, there: DimId, here: DimId) -> Option<AxisRef> {
        let list = |dim: DimId| self.state.lists.get(self.state.dims[dim].axes);
        list(there).iter().find(|axis| !axis::overlap(&[**axis], list(here))).copied()
    }

    fn owner_name(&self, module: &Module, slot: SlotId, step: &FlowStep) -> String {
        let func = || format!("@{}", module.funcs[step.func].name);
        self.owner[slot].map_or_else(func, |owner| name_of_end(module, owner))
    }

    fn is_given(&self, module: &Module, slot: SlotId) -> bool {
        let Some(edges::End::Value(func, value)) = self.owner[slot] else { return false };
        func == module.entry && module.main().param_values().contains(&value)
    }

    fn reason(
        &self,
        module: &Module,
        form: &Form,
        (here, id): (End, DimId),
        there: End,
        (factor, axis): (FactorId, AxisRef),
    ) -> Reason {
        let direction = if form.is_operand(there.tensor) && !form.is_operand(here.tensor) {
            form.forward
        } else {
            form.backward
        };
        let slots = &self.state.slots;
        let taken = |other: DimId| !axis::line_up(self.state.lists.get(self.state.dims[other].axes), &[axis]);
        let taken_by =
            self.state.dim_ids(here.slot).enumerate().find(|(_, other)| *other != id && taken(*other));
        if form.factors[factor].kind == FactorKind::Whole {
            Reason::Whole
        } else if !self.state.dims[id].open {
            if self.is_given(module, here.slot) { Reason::Given } else { Reason::Closed }
        } else if slots[here.slot].mesh.is_some_and(|mesh| slots[there.slot].mesh != Some(mesh)) {
            Reason::OtherMesh
        } else if let Some((dim, _)) = taken_by {
            Reason::Taken(dim)
        } else if !self.state.is_free(here.slot, &axis) {
            Reason::KeptOff
        } else if direction == Level::Never {
            Reason::Barrier
        } else if form.factors_of(here.tensor, here.dim).len() > 1
            || form.factors_of(there.tensor, there.dim).len() > 1
        {
            Reason::Cut
        } else {
            let list = self.state.lists.get(self.state.dims[id].axes);
            Reason::Disagreement(list.first().map(|first| self.axis_name(module, id, *first)))
        }
    }

    /// How many dims of values each annotated axis reached, in the order of the annotated values.
    pub(crate) fn reach(&self, module: &Module) -> Vec<(crate::OriginStep, usize)> {
        let mut reached: std::collections::BTreeMap<(DimId, AxisRef), usize> = Default::default();
        let is_value = |owner: &Option<edges::End>| matches!(owner, Some(edges::End::Value(..)));
        for slot in self.owner.iter().filter(|(_, owner)| is_value(owner)).map(|(slot, _)| slot) {
            cancel::look();
            for dim in self.state.dim_ids(slot) {
                let list: ListId = self.state.dims[dim].axes;
                for axis in self.state.lists.get(list) {
                    *reached.entry((self.origin(dim, *axis), *axis)).or_default() += 1;
                }
            }
        }
        reached.into_iter().map(|((dim, axis), count)| (self.step(module, dim, axis, None), count)).collect()
    }
}
