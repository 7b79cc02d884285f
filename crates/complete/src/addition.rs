//! Splits that no annotation asks for, of what a contraction sums up over devices.
//!
//! ```text
//! x [batch:d, model:y], w [model:y, vocabulary]  ->  logits [batch:d, vocabulary], a part of each sum per device of y
//!   additions: logits [batch:d*y, vocabulary] and [batch:d, vocabulary:y]
//! ```
//!
//! The annotations say nothing of `y` on the logits, so every device along it would have the whole sum, and what
//! follows would be computed by all of them. Where a dim of the result is split over `y` besides, each device needs
//! its part alone. Axes that are added spread behind all annotations, so they take nothing from any.

use crate::provenance::Provenance;
use crate::state::{DimId, SlotId, State};
use crate::steps::{FlowStep, Form, StepId, Steps, Tensor, TensorPlace};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{FactorKind, Module};
use meshwright_shard::{AxisRef, MeshId, axis};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Axes for a dim of a sum's result, or for the same dim of several alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addition {
    places: Vec<Spot>,
    axes: Vec<AxisRef>,
    /// Bytes each device sends for the sums as they are.
    pub bytes: i64,
}

/// A dim of a contraction's result, and one of what it sums over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spot {
    slot: SlotId,
    dim: DimId,
    step: StepId,
    summed: DimId,
    mesh: MeshId,
}

/// What additions of equal layers have in common: axes, sizes and lists of the result's dims, and which dim it is.
type Signature = (Vec<AxisRef>, Vec<i64>, Vec<Vec<AxisRef>>, usize);

/// All additions to what has spread, most bytes first.
pub(crate) fn additions(module: &Module, state: &State, steps: &Steps) -> Vec<Addition> {
    let mut alike: BTreeMap<Signature, Addition> = BTreeMap::new();
    for (id, step) in steps.steps.iter() {
        let (form, tensors) = (steps.form(step), steps.tensors_of(step));
        let [result] = &tensors[form.operands..] else { continue };
        if state.slots[result.slot].given {
            continue;
        }
        let Some(Summed { dim: summed, mesh, axes }) = summed(state, form, tensors, result.slot) else {
            continue;
        };
        let bytes = sent(module, state, step, result.slot, &axes);
        for (at, dim) in state.dim_ids(result.slot).enumerate().filter(|(_, dim)| takes(state, *dim, &axes)) {
            let place = Spot { slot: result.slot, dim, step: id, summed, mesh };
            let dims = state.dims_of(result.slot);
            let lists = dims.clone().map(|dim| state.lists.get(dim.axes).to_vec()).collect();
            let signature = (axes.clone(), dims.map(|dim| dim.size).collect(), lists, at);
            let empty = || Addition { places: Vec::new(), axes: axes.clone(), bytes: 0 };
            let addition = alike.entry(signature).or_insert_with(empty);
            addition.places.push(place);
            addition.bytes = addition.bytes.saturating_add(bytes);
        }
    }
    let mut additions: Vec<Addition> = alike.into_values().collect();
    additions.arrange_by_key(|addition| Reverse(addition.bytes));
    additions
}

/// A dim that a step sums over, and those of its axes that the result has nowhere.
struct Summed {
    dim: DimId,
    mesh: MeshId,
    axes: Vec<AxisRef>,
}

/// What the largest operand is summed over that has such axes.
fn summed(state: &State, form: &Form, tensors: &[Tensor], result: SlotId) -> Option<Summed> {
    let is_summed = |dim: &(TensorPlace, usize)| {
        let factors = form.factors_of(dim.0, dim.1);
        matches!(factors, [only] if matches!(form.factors[*only].kind, FactorKind::Reduce(_)))
    };
    let operands = form.by_size.iter().copied().filter(|at| form.is_operand(*at));
    let dims = operands.flat_map(|at| (0..state.rank(tensors[at.index()].slot)).map(move |dim| (at, dim)));
    let summed = |(at, dim): (TensorPlace, usize)| {
        let slot = tensors[at.index()].slot;
        let (dim, mesh) = (state.dim_id(slot, dim), state.slots[slot].mesh?);
        let axes = state.lists.get(state.dims[dim].axes).iter().copied();
        let axes: Vec<AxisRef> = axes.filter(|axis| state.is_free(result, axis)).collect();
        (!axes.is_empty() && state.may_join(result, mesh)).then_some(Summed { dim, mesh, axes })
    };
    dims.filter(is_summed).find_map(summed)
}

/// Whether a dim can be split further into even pieces.
fn takes(state: &State, dim: DimId, axes: &[AxisRef]) -> bool {
    let info = state.dims[dim];
    let tiles = state.lists.tiles(info.axes).saturating_mul(axis::product(axes));
    info.open && info.size > 0 && info.size % tiles.max(1) == 0
}

/// What each device sends where the sum is made whole on all devices along the axes.
fn sent(module: &Module, state: &State, step: &FlowStep, result: SlotId, axes: &[AxisRef]) -> i64 {
    let func = &module.funcs[step.func];
    let results = step.inst.map_or(&[][..], |inst| &func.inst(inst).results);
    let bytes: i64 = results.iter().map(|value| func.ty(*value).byte_size()).sum();
    let tiles: i64 = state.dims_of(result).map(|dim| state.lists.tiles(dim.axes)).product();
    let along = axis::product(axes).max(1);
    bytes / tiles.max(1) * 2 * (along - 1) / along
}

impl Addition {
    /// Split the dims further, where nothing has taken the axes by now.
    pub(crate) fn make(&self, state: &mut State, provenance: &mut Provenance) {
        let added = state.lists.intern(&self.axes);
        for Spot { slot, dim, step, summed, mesh } in &self.places {
            if self.axes.iter().all(|axis| state.is_free(*slot, axis)) && state.may_join(*slot, *mesh) {
                let axes = state.lists.concat(state.dims[*dim].axes, added);
                state.refine(*slot, *dim, axes, *mesh);
                provenance.record(*dim, axes, *step, Some(*summed));
            }
        }
    }

    /// The dims it splits.
    pub(crate) fn dims(&self) -> impl Iterator<Item = DimId> {
        self.places.iter().map(|place| place.dim)
    }

    /// A dim it splits, the step that sums, an axis, and how many more dims there are.
    pub(crate) fn example(&self) -> Option<(DimId, StepId, AxisRef, usize)> {
        let place = self.places.first()?;
        Some((place.dim, place.step, *self.axes.first()?, self.places.len() - 1))
    }
}
