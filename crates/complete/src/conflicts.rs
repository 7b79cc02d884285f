//! Places where two annotations pull different ways: told at the end, as notes, once per pair of annotations.
//!
//! A disagreement is two lists for one factor of a step of which neither continues the other. One axis on different
//! factors is none: that is how experts and batch share an axis, and costs the all-to-all that is wanted there. Nor is
//! one around an op that changes dims told: a weight that is split otherwise than the activations it meets is gathered
//! on demand, by the user's plan (GSPMD table 1).
//!
//! Told is as well where an annotation stands in its own way: it leaves a dim open, and splits another over the axis
//! that this dim would get. A pipeline's stage that splits its rows over the stages' axis does that.

use crate::levels::Level;
use crate::lists::ListId;
use crate::provenance::{Trace, quoted};
use crate::state::DimId;
use crate::steps::{FlowStep, Steps, Tensor, TensorPlace};
use crate::{Report, codes};
use meshwright_base::{Diagnostic, Id};
use meshwright_ir::Module;
use meshwright_shard::AxisRef;
use std::collections::BTreeSet;

/// The notes of all disagreements that are left.
pub(crate) fn conflicts(module: &Module, trace: &Trace) -> Vec<Diagnostic> {
    let steps = &trace.steps;
    let mut seen: BTreeSet<(DimId, DimId)> = BTreeSet::new();
    let (mut notes, mut first) = (Vec::new(), Vec::new());
    let is_told = |step: &&FlowStep| !matches!(steps.form(step).forward, Level::Change | Level::Never);
    // Where all tensors are split alike nobody pulls another way; mostly they are.
    let differ = |step: &&FlowStep| !(steps.form(step).is_aligned && are_equal(steps, trace, step));
    let differing: Vec<&FlowStep> = steps.steps.values().filter(differ).collect();
    for step in differing.iter().copied().filter(is_told) {
        for (a, b) in disagreements(steps, trace, step, &mut first) {
            let origins = (trace.origin(a.0, a.1), trace.origin(b.0, b.1));
            let key = (origins.0.min(origins.1), origins.0.max(origins.1));
            if notes.len() < Report::MOST_CONFLICTS && seen.insert(key) {
                notes.push(note(module, trace, step, [a, b]));
            }
        }
    }
    let mut told = BTreeSet::new();
    for step in differing {
        for standing in own_ways(trace, step) {
            if notes.len() < Report::MOST_CONFLICTS && told.insert((standing.dim, standing.open)) {
                notes.push(standing.note(module, trace, step));
            }
        }
    }
    notes
}

/// An annotation that splits a dim over an axis which another dim of the same value would get, and is open for.
struct OwnWay {
    /// The annotated dim.
    dim: DimId,
    number: usize,
    /// The open one, by its number.
    open: usize,
    /// What has the axis on the open one's factor.
    there: DimId,
    axis: AxisRef,
}

fn own_ways(trace: &Trace, step: &FlowStep) -> Vec<OwnWay> {
    let (form, tensors) = (trace.steps.form(step), trace.steps.tensors_of(step));
    let is_open = |dim: DimId| trace.state.dims[dim].open && trace.axes(dim).is_empty();
    let mut found = Vec::new();
    let placed = || (0..).map(TensorPlace::from_index).zip(tensors);
    for (at, tensor) in placed().filter(|(_, tensor)| trace.state.slots[tensor.slot].given) {
        let dims = trace.state.dim_ids(tensor.slot).enumerate();
        for (open, _) in dims.filter(|(_, id)| is_open(*id)) {
            let [factor] = form.factors_of(at, open) else { continue };
            for (other, neighbour) in placed() {
                let dims = trace.state.dim_ids(neighbour.slot).enumerate();
                let same = dims.filter(|(number, _)| form.factors_of(other, *number) == [*factor]);
                let wanted = same.filter_map(|(_, there)| Some((there, *trace.axes(there).first()?)));
                found.extend(wanted.filter_map(|(there, axis)| {
                    let mut own = trace.state.dim_ids(tensor.slot).enumerate();
                    let (number, dim) = own.find(|(_, dim)| {
                        trace.axes(*dim).contains(&axis) && trace.origin(*dim, axis) == *dim
                    })?;
                    Some(OwnWay { dim, number, open, there, axis })
                }));
            }
        }
    }
    found
}

impl OwnWay {
    fn note(&self, module: &Module, trace: &Trace, step: &FlowStep) -> Diagnostic {
        let here = trace.way(module, self.dim, self.axis);
        let [Some((here, _)), Some((there, origin))] =
            [ends(here), ends(trace.way(module, self.there, self.axis))]
        else {
            return Diagnostic::note_only(codes::OWN_WAY, "an annotation stands in its own way");
        };
        let (axis, value) = (&here.axis_name, quoted(&here.name));
        let op = step.inst.map_or("return", |inst| module.funcs[step.func].inst(inst).op.mnemonic());
        let OwnWay { number, open, .. } = self;
        let message = format!(
            "{value} is annotated over `{axis}` along dim {number}, so dim {open}, which is open, stays whole along it"
        );
        Diagnostic::note_only(codes::OWN_WAY, message)
            .at_place(here.place.clone())
            .label(origin.place.clone(), format!("`{axis}` comes from here"))
            .note(format!("dim {} of {} has `{axis}`, across `{op}`", there.dim, quoted(&there.name)))
            .help(format!(
                "an axis splits one dim of a value: annotate dim {number} over another axis, or leave it whole; inside a \
                 pipeline's stage the stages' axis is not to be had"
            ))
    }
}

/// A dim and the first of its axes the other side does not share.
type Side = (DimId, AxisRef);

/// Pairs of dims that stand for one whole factor and are split in ways that do not continue each other.
/// `first` is used again for its memory.
fn disagreements(
    steps: &Steps,
    trace: &Trace,
    step: &FlowStep,
    first: &mut Vec<Option<(DimId, ListId)>>,
) -> Vec<(Side, Side)> {
    first.clear();
    first.resize(steps.form(step).factors.len(), None);
    let mut found = Vec::new();
    for (at, tensor) in steps.tensors_of(step).iter().enumerate() {
        for (dim, id) in trace.state.dim_ids(tensor.slot).enumerate() {
            let axes = trace.state.dims[id].axes;
            let [factor] = steps.form(step).factors_of(TensorPlace::from_index(at), dim) else { continue };
            if axes.is_empty() || !tensor.strip.is_empty() {
                continue;
            }
            match first[factor.index()] {
                None => first[factor.index()] = Some((id, axes)),
                Some(other) => found.extend(sides(trace, other, (id, axes))),
            }
        }
    }
    found
}

/// Whether all tensors of a step have the same axes, dim by dim.
fn are_equal(steps: &Steps, trace: &Trace, step: &FlowStep) -> bool {
    let axes = |tensor: &Tensor| trace.state.dims_of(tensor.slot).map(|dim| dim.axes);
    let Some((first, others)) = steps.tensors_of(step).split_first() else { return true };
    others.iter().all(|other| axes(first).eq(axes(other)))
}

fn sides(trace: &Trace, a: (DimId, ListId), b: (DimId, ListId)) -> Option<(Side, Side)> {
    let lists = &trace.state.lists;
    if lists.begins_with(a.1, b.1) || lists.begins_with(b.1, a.1) {
        return None;
    }
    let at = lists.get(a.1).iter().zip(lists.get(b.1)).position(|(a, b)| a != b)?;
    Some(((a.0, lists.get(a.1)[at]), (b.0, lists.get(b.1)[at])))
}

fn note(module: &Module, trace: &Trace, step: &FlowStep, sides: [Side; 2]) -> Diagnostic {
    let ways = sides.map(|(dim, axis)| trace.way(module, dim, axis));
    let [Some((here_a, origin_a)), Some((here_b, origin_b))] = ways.map(ends) else {
        return Diagnostic::note_only(codes::CONFLICT, "two annotations pull different ways");
    };
    let (name_a, name_b) = (&here_a.axis_name, &here_b.axis_name);
    let at = |step: &crate::OriginStep| format!("dim {} of {}", step.dim, quoted(&step.name));
    let place = step.inst.and_then(|inst| module.place(module.funcs[step.func].inst(inst).source));
    let message = format!(
        "{} is split over `{name_a}` and {} over `{name_b}`, though they are one dim here",
        at(&here_a),
        at(&here_b)
    );
    Diagnostic::note_only(codes::CONFLICT, message)
        .at_place(place)
        .label(origin_a.place.clone(), format!("`{name_a}` comes from here"))
        .label(origin_b.place.clone(), format!("`{name_b}` comes from here"))
        .note(format!("`{name_a}` comes from {}; `{name_b}` comes from {}", at(&origin_a), at(&origin_b)))
        .help("annotate one of the values between them to say where the sharding changes")
}

/// Where a way begins and where it leads back to.
fn ends(way: Vec<crate::OriginStep>) -> Option<(crate::OriginStep, crate::OriginStep)> {
    Some((way.first()?.clone(), way.last()?.clone()))
}
