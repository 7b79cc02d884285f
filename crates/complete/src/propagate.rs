//! One visit of one step: carry the axes of factors from its sources to its targets.
//!
//! Forward the results learn from the operands; backward the operands learn from the results and from each other. A
//! factor's list in a target may only become longer, by axes that stand nowhere else in the target. Where the tensors
//! of a step disagree (different lists for a factor, or one axis on two factors)
//!
//! * *basic* takes what all agree on: the longest common beginning, without axes any tensor has on another factor;
//! * *aggressive* takes the axes of the largest tensor first, then whatever of the others still fits.
//!
//! The paper's merge of compatible shardings (GSPMD 3.5) is the case without disagreement: on one mesh it means
//! disjoint axes on different dims, and one list continuing the other on the same dim.

use crate::lists::{ListId, Lists, Mask};
use crate::project;
use crate::provenance::Provenance;
use crate::state::{Dim, DimId, SlotId, State};
use crate::steps::{DimPlace, Form, StepId, Steps, Tensor, TensorPlace};
use meshwright_base::Id;
use meshwright_ir::{FactorId, FactorKind};
use meshwright_shard::{AxisRef, MeshId, axis};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// How disagreement is resolved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mode {
    Basic,
    Aggressive,
}

/// How far propagation has come: which rules a visit follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub direction: Direction,
    pub mode: Mode,
    /// Dims of a higher user priority are not seen yet and not touched.
    pub priority: u32,
}

/// What visits of steps need and keep.
pub(crate) struct Propagator<'a> {
    pub state: &'a mut State,
    pub steps: &'a Steps,
    pub provenance: &'a mut Provenance,
    /// Slots the last visit changed.
    pub changed: Vec<SlotId>,
    table: Table,
}

/// Axes of the factors of the step that is visited. Kept between visits for its memory.
#[derive(Default)]
struct Table {
    /// Per tensor, per factor.
    axes: Vec<ListId>,
    /// Per factor: axes it has in any tensor.
    masks: Vec<Mask>,
    /// The target's, as they become.
    next: Vec<ListId>,
    /// Per factor of the target: from which tensor it got more.
    from: Vec<Option<TensorPlace>>,
    /// Factors of the target that may grow.
    growing: Vec<FactorId>,
    sizes: Vec<i64>,
    parts: Vec<ListId>,
}

/// One visit.
#[derive(Clone, Copy)]
struct Visit<'a> {
    id: StepId,
    form: &'a Form,
    tensors: &'a [Tensor],
    mesh: MeshId,
    sweep: Sweep,
}

impl<'a> Visit<'a> {
    fn factors(&self) -> usize {
        self.form.factors.len()
    }

    fn slot(&self, at: TensorPlace) -> SlotId {
        self.tensors[at.index()].slot
    }

    fn places(&self) -> impl Iterator<Item = TensorPlace> + use<> {
        (0..self.tensors.len()).map(TensorPlace::from_index)
    }

    /// Where the table has the axes of a tensor's factors.
    fn row(&self, at: TensorPlace) -> Range<usize> {
        let first = at.index() * self.factors();
        first..first + self.factors()
    }

    /// And those of one of them.
    #[inline]
    fn cell(&self, at: TensorPlace, factor: FactorId) -> usize {
        at.index() * self.factors() + factor.index()
    }

    /// Whom a target learns from, largest first. Among very many operands none learns from its siblings.
    fn sources(self, target: TensorPlace) -> impl Iterator<Item = TensorPlace> + 'a {
        const MANY: usize = 16;
        let operands = self.form.operands;
        let learns = move |at: &TensorPlace| match self.sweep.direction {
            Direction::Forward => at.index() < operands,
            Direction::Backward => *at != target && (at.index() >= operands || operands <= MANY),
        };
        self.form.by_size.iter().copied().filter(learns)
    }

    fn may_grow(&self, dim: &Dim) -> bool {
        dim.open && dim.priority <= self.sweep.priority
    }
}

impl<'a> Propagator<'a> {
    pub(crate) fn new(state: &'a mut State, steps: &'a Steps, provenance: &'a mut Provenance) -> Self {
        Propagator { state, steps, provenance, changed: Vec::new(), table: Table::default() }
    }

    /// Visit a step. Says whether basic mode left a disagreement; what changed is in [`Propagator::changed`].
    pub(crate) fn visit(&mut self, id: StepId, sweep: Sweep) -> bool {
        self.changed.clear();
        let steps: &'a Steps = self.steps;
        let step = &steps.steps[id];
        let (form, tensors) = (steps.form(step), steps.tensors_of(step));
        let Some(mesh) = self.mesh_of(form, tensors) else { return false };
        let visit = Visit { id, form, tensors, mesh, sweep };
        if self.agree(visit) || !self.project_all(visit) {
            return false;
        }
        let targets = match sweep.direction {
            Direction::Forward => form.operands..tensors.len(),
            Direction::Backward => 0..form.operands,
        };
        let targets = targets.map(TensorPlace::from_index);
        targets.fold(false, |disagreed, target| disagreed | self.visit_target(visit, target))
    }

    /// Whether it is plain to see that all tensors have the same lists already, so that none learns anything. Most
    /// visits find that.
    fn agree(&self, visit: Visit) -> bool {
        if visit.form.is_aligned && self.are_equal(visit) {
            return true;
        }
        let Some(single) = &visit.form.single else { return false };
        let list = |(tensor, dim): DimPlace| {
            let slot = visit.slot(tensor);
            let info = &self.state.dims[self.state.dim_id(slot, dim as usize)];
            let is_seen =
                info.priority <= visit.sweep.priority && self.state.slots[slot].mesh == Some(visit.mesh);
            if is_seen { info.axes } else { ListId::empty() }
        };
        visit.tensors.iter().all(|tensor| tensor.strip.is_empty())
            && single.iter().all(|[a, b]| list(*a) == list(*b))
    }

    /// Whether tensors of the same dims are split over the same axes, dim by dim.
    fn are_equal(&self, visit: Visit) -> bool {
        let Some((first, others)) = visit.tensors.split_first() else { return true };
        let dims = |tensor: &Tensor| {
            let of = &self.state.slots[tensor.slot];
            let is_plain =
                tensor.strip.is_empty() && (of.mesh == Some(visit.mesh) || self.state.is_bare(tensor.slot));
            is_plain.then(|| self.state.dims_of(tensor.slot))
        };
        let alike =
            |(a, b): (&Dim, &Dim)| a.axes == b.axes && (a.axes.is_empty() || a.priority == b.priority);
        let Some(own) = dims(first) else { return false };
        others.iter().all(|other| dims(other).is_some_and(|others| own.clone().zip(others).all(alike)))
    }

    /// The mesh the step is about: that of its largest tensor that is split.
    fn mesh_of(&self, form: &Form, tensors: &[Tensor]) -> Option<MeshId> {
        let slots = form.by_size.iter().map(|at| tensors[at.index()].slot);
        slots.filter(|slot| !self.state.is_bare(*slot)).find_map(|slot| self.state.slots[slot].mesh)
    }

    /// Fill in the axes of every factor in every tensor; whether there are any.
    fn project_all(&mut self, visit: Visit) -> bool {
        let factors = visit.factors();
        self.table.axes.clear();
        self.table.axes.resize(visit.tensors.len() * factors, ListId::empty());
        self.table.masks.clear();
        self.table.masks.resize(factors, 0);
        let mut any = false;
        for (at, tensor) in visit.tensors.iter().enumerate() {
            if self.state.slots[tensor.slot].mesh == Some(visit.mesh) {
                any |= self.project(visit, TensorPlace::from_index(at));
            }
        }
        any
    }

    fn project(&mut self, visit: Visit, at: TensorPlace) -> bool {
        let tensor = visit.tensors[at.index()];
        let mut any = false;
        for (dim, id) in self.state.dim_ids(tensor.slot).enumerate() {
            let info = self.state.dims[id];
            if info.axes.is_empty() || info.priority > visit.sweep.priority {
                continue;
            }
            let (_, axes) = stripped(&mut self.state.lists, info.axes, tensor.strip);
            any |= match visit.form.factors_of(at, dim) {
                [] => false,
                [only] => self.put(visit, at, *only, axes),
                product => self.project_product(visit, at, product, axes),
            };
        }
        any
    }

    fn project_product(&mut self, visit: Visit, at: TensorPlace, factors: &[FactorId], axes: ListId) -> bool {
        let mut parts = std::mem::take(&mut self.table.parts);
        parts.clear();
        parts.resize(factors.len(), ListId::empty());
        let sizes = sizes(&mut self.table.sizes, visit.form, factors);
        project::split(&mut self.state.lists, axes, sizes, |part, axes| parts[part] = axes);
        let each = factors.iter().zip(&parts);
        let any = each.fold(false, |any, (factor, axes)| any | self.put(visit, at, *factor, *axes));
        self.table.parts = parts;
        any
    }

    fn put(&mut self, visit: Visit, at: TensorPlace, factor: FactorId, axes: ListId) -> bool {
        if axes.is_empty() || visit.form.factors[factor].kind == FactorKind::Whole {
            return false;
        }
        self.table.axes[visit.cell(at, factor)] = axes;
        self.table.masks[factor.index()] |= self.state.lists.mask(axes);
        true
    }

    fn visit_target(&mut self, visit: Visit, at: TensorPlace) -> bool {
        let (slot, factors) = (visit.slot(at), visit.factors());
        if !self.state.may_join(slot, visit.mesh) || !self.find_growing(visit, at) {
            return false;
        }
        let Table { axes, next, from, .. } = &mut self.table;
        next.clear();
        next.extend_from_slice(&axes[visit.row(at)]);
        from.clear();
        from.resize(factors, None);
        let disagreed = match visit.sweep.mode {
            Mode::Basic => self.choose_basic(visit, at),
            Mode::Aggressive => self.choose_aggressive(visit, at),
        };
        if self.table.from.iter().any(Option::is_some) {
            self.write(visit, at);
        }
        disagreed
    }

    /// Note the factors of a target's dims that may grow and that some tensor splits further; whether there are any.
    fn find_growing(&mut self, visit: Visit, at: TensorPlace) -> bool {
        let Table { growing, masks, axes, .. } = &mut self.table;
        growing.clear();
        for (dim, id) in self.state.dim_ids(visit.slot(at)).enumerate() {
            if visit.may_grow(&self.state.dims[id]) {
                let factors = visit.form.factors_of(at, dim).iter().copied();
                let differs = |factor: FactorId| {
                    let own = axes[visit.cell(at, factor)];
                    visit.places().any(|other| axes[visit.cell(other, factor)] != own)
                };
                growing.extend(factors.filter(|factor| masks[factor.index()] != 0 && differs(*factor)));
            }
        }
        !growing.is_empty()
    }

    fn choose_basic(&mut self, visit: Visit, at: TensorPlace) -> bool {
        let mut disagreed = false;
        for index in 0..self.table.growing.len() {
            let factor = self.table.growing[index];
            let (mut best, mut cap, mut from) = (self.table.next[factor.index()], None, None);
            let lists = &mut self.state.lists;
            for source in visit.sources(at) {
                let list = self.table.axes[visit.cell(source, factor)];
                if lists.begins_with(best, list) {
                    continue;
                }
                if lists.begins_with(list, best) {
                    (best, from) = (list, Some(source));
                    continue;
                }
                let common = lists.common(best, list);
                cap = Some(cap.map_or(common, |cap| lists.common(cap, common)));
            }
            let best = cap.unwrap_or(best);
            disagreed |= cap.is_some();
            disagreed |= self.grow(visit, at, factor, best, from);
        }
        disagreed
    }

    fn choose_aggressive(&mut self, visit: Visit, at: TensorPlace) -> bool {
        for source in visit.sources(at) {
            for index in 0..self.table.growing.len() {
                let factor = self.table.growing[index];
                let list = self.table.axes[visit.cell(source, factor)];
                self.grow(visit, at, factor, list, Some(source));
            }
        }
        false
    }

    /// Let a factor of the target take this list as far as it may; whether it could not take all.
    fn grow(
        &mut self,
        visit: Visit,
        at: TensorPlace,
        factor: FactorId,
        list: ListId,
        from: Option<TensorPlace>,
    ) -> bool {
        let now = self.table.next[factor.index()];
        if list == now || list.is_empty() {
            return false;
        }
        let Some(added) = self.state.lists.after(list, now) else { return false };
        let allowed = self.allowed(visit, at, factor, added);
        if !allowed.is_empty() {
            self.table.next[factor.index()] = self.state.lists.concat(now, allowed);
            self.table.from[factor.index()] = from;
        }
        allowed != added
    }

    /// The beginning of `added` that stands nowhere else: not in the target, not on another of its factors, and in
    /// basic mode on no other factor of any tensor.
    fn allowed(&mut self, visit: Visit, at: TensorPlace, factor: FactorId, added: ListId) -> ListId {
        let Table { axes, masks, next, .. } = &self.table;
        let lists = &self.state.lists;
        let mask = lists.mask(added);
        let everywhere = visit.sweep.mode == Mode::Basic;
        let is_free = |axis: &AxisRef| {
            let taken = |list: ListId| !axis::line_up(lists.get(list), &[*axis]);
            let clashes = |other: FactorId| {
                taken(next[other.index()])
                    || (everywhere
                        && masks[other.index()] & mask != 0
                        && visit.places().any(|tensor| taken(axes[visit.cell(tensor, other)])))
            };
            self.state.is_free(visit.slot(at), axis)
                && !visit.form.factors.keys().any(|other| other != factor && clashes(other))
        };
        let list = lists.get(added);
        let keep = list.iter().take_while(|axis| is_free(axis)).count();
        if keep == list.len() {
            return added;
        }
        let kept = list[..keep].to_vec();
        self.state.lists.intern(&kept)
    }

    /// Write the factors' new lists back to the dims.
    fn write(&mut self, visit: Visit, at: TensorPlace) {
        let tensor = visit.tensors[at.index()];
        let mut changed = false;
        for (dim, id) in self.state.dim_ids(tensor.slot).enumerate() {
            let factors = visit.form.factors_of(at, dim);
            let grown = factors.iter().find_map(|factor| Some((factor, self.table.from[factor.index()]?)));
            if let Some((factor, source)) = grown
                && visit.may_grow(&self.state.dims[id])
                && let Some(axes) = self.joined(visit, at, dim, id)
                && let Some(source) = self.dim_with(visit, source, *factor)
                && self.suits(visit.form, *factor, axes, (source, id))
            {
                self.state.refine(tensor.slot, id, axes, visit.mesh);
                self.provenance.record(id, axes, visit.id, Some(source));
                changed = true;
            }
        }
        if changed {
            self.changed.push(tensor.slot);
            self.table.axes[visit.row(at)].fill(ListId::empty());
            self.project(visit, at);
        }
    }

    /// The list a dim gets from its factors, if it continues the one it has.
    fn joined(&mut self, visit: Visit, at: TensorPlace, dim: usize, id: DimId) -> Option<ListId> {
        let info = self.state.dims[id];
        let factors = visit.form.factors_of(at, dim);
        let lists = &mut self.state.lists;
        let (hidden, seen) = stripped(lists, info.axes, visit.tensors[at.index()].strip);
        let sizes = sizes(&mut self.table.sizes, visit.form, factors);
        let next = &self.table.next;
        let axes = project::join(lists, sizes, |part| next[factors[part].index()]);
        let continues = axes != seen && lists.begins_with(axes, seen);
        continues.then(|| lists.concat(hidden, axes))
    }

    /// Whether a split suits both ends of a factor that needs its neighbours: its sizes may differ, and where they do
    /// by much, a split that is even at one end may be all edges at the other (a kernel's gradient of 3x3 from an
    /// image). Even pieces are let pass up to a shrinkage that strides of real models reach.
    fn suits(&self, form: &Form, factor: FactorId, axes: ListId, (from, to): (DimId, DimId)) -> bool {
        const LARGEST_STRIDE: i64 = 32;
        let (from, to) = (self.state.dims[from].size, self.state.dims[to].size);
        let tiles = self.state.lists.tiles(axes);
        let shrinks_at_most = |by: i64| to.saturating_mul(by) >= from;
        form.factors[factor].kind != FactorKind::Permute
            || (tiles <= to && (shrinks_at_most(2) || (to % tiles == 0 && shrinks_at_most(LARGEST_STRIDE))))
    }

    /// The dim of a tensor that has a factor.
    fn dim_with(&self, visit: Visit, at: TensorPlace, factor: FactorId) -> Option<DimId> {
        let mut dims = self.state.dim_ids(visit.slot(at)).enumerate();
        dims.find(|(dim, _)| visit.form.factors_of(at, *dim).contains(&factor)).map(|(_, id)| id)
    }
}

fn sizes<'s>(buffer: &'s mut Vec<i64>, form: &Form, factors: &[FactorId]) -> &'s [i64] {
    buffer.clear();
    buffer.extend(factors.iter().map(|factor| form.factors[*factor].size));
    buffer
}

/// A dim's list as (leading axes that are among `strip`, the rest).
fn stripped(lists: &mut Lists, axes: ListId, strip: ListId) -> (ListId, ListId) {
    if strip.is_empty() {
        return (ListId::empty(), axes);
    }
    let hidden = lists.get(strip).to_vec();
    let prefix = lists.while_allowed(axes, |axis| hidden.iter().any(|other| axis.overlaps(*other)));
    let rest = lists.after(axes, prefix).unwrap_or(ListId::empty());
    (prefix, rest)
}
