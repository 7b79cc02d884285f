//! One visit of one step: carry the axes of factors from its sources to its targets.
//!
//! Forward the results learn from the operands; backward the operands learn from the results and from each other. A
//! factor's list in a target may only become longer, by axes that stand nowhere else in the target. Where the tensors of
//! a step disagree (different lists for a factor, or one axis on two factors)
//!
//! * *basic* takes what all agree on: the longest common beginning, without axes any tensor has on another factor;
//! * *aggressive* takes the axes of the largest tensor first, then whatever of the others still fits.
//!
//! The paper's merge of compatible shardings (GSPMD 3.5) is the case without disagreement: on one mesh it means
//! disjoint axes on different dims, and one list continuing the other on the same dim.

use crate::lists::{ListId, Mask};
use crate::project;
use crate::provenance::Provenance;
use crate::state::{DimId, SlotId, State};
use crate::steps::{Step, StepId, Steps, Tensor};
use meshwright_ir::FactorKind;
use meshwright_shard::{AxisRef, MeshId};

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
pub(crate) struct Turn {
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
    axes: Vec<ListId>,
    masks: Vec<Mask>,
    next: Vec<ListId>,
    from: Vec<usize>,
    sizes: Vec<i64>,
    parts: Vec<ListId>,
}

impl<'a> Propagator<'a> {
    pub(crate) fn new(state: &'a mut State, steps: &'a Steps, provenance: &'a mut Provenance) -> Self {
        Propagator {
            state,
            steps,
            provenance,
            changed: Vec::new(),
            axes: Vec::new(),
            masks: Vec::new(),
            next: Vec::new(),
            from: Vec::new(),
            sizes: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Visit a step. Says whether basic mode left a disagreement; what changed is in [`Propagator::changed`].
    pub(crate) fn visit(&mut self, id: StepId, turn: Turn) -> bool {
        self.changed.clear();
        let steps = self.steps;
        let step = &steps.steps[id];
        let Some(mesh) = self.mesh_of(step) else { return false };
        if !self.project_all(step, mesh, turn) {
            return false;
        }
        let count = step.tensors.len();
        let targets = match turn.direction {
            Direction::Forward => step.operands..count,
            Direction::Backward => 0..step.operands,
        };
        let mut disagreed = false;
        for target in targets {
            disagreed |= self.visit_target(id, target, mesh, turn);
        }
        disagreed
    }

    /// The mesh the step is about: that of its largest tensor that is split.
    fn mesh_of(&self, step: &Step) -> Option<MeshId> {
        let slots = self.steps.by_size[step.tensors.clone()].iter();
        let slots = slots.map(|at| self.steps.tensors[step.tensors.start + *at as usize].slot);
        slots.filter(|slot| !self.state.is_bare(*slot)).find_map(|slot| self.state.slots[slot].mesh)
    }

    fn tensor(&self, step: &Step, at: usize) -> Tensor {
        self.steps.tensors[step.tensors.start + at]
    }

    fn at(&self, step: &Step, tensor: usize, factor: usize) -> ListId {
        self.axes[tensor * step.factors.len() + factor]
    }

    /// Fill in the axes of every factor in every tensor; whether there are any.
    fn project_all(&mut self, step: &Step, mesh: MeshId, turn: Turn) -> bool {
        let factors = step.factors.len();
        self.axes.clear();
        self.axes.resize(step.tensors.len() * factors, ListId::empty());
        self.masks.clear();
        self.masks.resize(factors, 0);
        let mut any = false;
        for at in 0..step.tensors.len() {
            let tensor = self.tensor(step, at);
            if self.state.slots[tensor.slot].mesh == Some(mesh) {
                any |= self.project(step, at, tensor, turn);
            }
        }
        any
    }

    fn project(&mut self, step: &Step, at: usize, tensor: Tensor, turn: Turn) -> bool {
        let base = at * step.factors.len();
        let mut any = false;
        for (dim, id) in self.state.dim_ids(tensor.slot).enumerate() {
            let info = self.state.dims[id];
            let factors = self.steps.factors_of(&tensor, dim);
            if info.axes.is_empty() || info.priority > turn.priority || factors.is_empty() {
                continue;
            }
            let (_, axes) = self.stripped(info.axes, tensor.strip);
            let sizes = self.steps.sizes(step, factors, &mut self.sizes);
            let (out, masks, lists) = (&mut self.axes, &mut self.masks, &mut self.state.lists);
            self.parts.clear();
            self.parts.resize(factors.len(), ListId::empty());
            project::split(lists, axes, sizes, |part, axes| self.parts[part] = axes);
            for (factor, axes) in factors.iter().zip(&self.parts).filter(|(_, axes)| !axes.is_empty()) {
                let factor = *factor as usize;
                if self.steps.factors[step.factors.start + factor].kind != FactorKind::Whole {
                    out[base + factor] = *axes;
                    masks[factor] |= lists.mask(*axes);
                    any = true;
                }
            }
        }
        any
    }

    /// A dim's list as (leading axes of `strip`, the rest).
    fn stripped(&mut self, axes: ListId, strip: ListId) -> (ListId, ListId) {
        if strip.is_empty() {
            return (ListId::empty(), axes);
        }
        let hidden = self.state.lists.get(strip).to_vec();
        let is_hidden = |axis: &AxisRef| hidden.iter().any(|other| axis.overlaps(*other));
        let prefix = self.state.lists.while_allowed(axes, is_hidden);
        let rest = self.state.lists.after(axes, prefix).unwrap_or(ListId::empty());
        (prefix, rest)
    }

    fn visit_target(&mut self, id: StepId, at: usize, mesh: MeshId, turn: Turn) -> bool {
        let step = &self.steps.steps[id];
        let tensor = self.tensor(step, at);
        if !self.may_join(tensor.slot, mesh) {
            return false;
        }
        let factors = step.factors.len();
        self.next.clear();
        self.next.extend_from_slice(&self.axes[at * factors..(at + 1) * factors]);
        self.from.clear();
        self.from.resize(factors, usize::MAX);
        let disagreed = match turn.mode {
            Mode::Basic => self.choose_basic(step, at, tensor, turn),
            Mode::Aggressive => {
                self.choose_aggressive(step, at, tensor, turn);
                false
            }
        };
        if self.from.iter().any(|from| *from != usize::MAX) {
            self.write(id, at, tensor, mesh, turn);
        }
        disagreed
    }

    /// Whether a slot is over this mesh or can still become so.
    fn may_join(&self, slot: SlotId, mesh: MeshId) -> bool {
        let info = &self.state.slots[slot];
        let tied = !info.replicated.is_empty() || !info.partial.is_empty() || !info.manual.is_empty();
        info.mesh.is_none_or(|own| own == mesh || (!tied && self.state.is_bare(slot)))
    }

    /// Whom a target learns from, largest first: positions in the step.
    fn sources(&self, step: &Step, target: usize, turn: Turn) -> impl Iterator<Item = usize> + use<'a> {
        const MANY: usize = 16;
        let (operands, direction) = (step.operands, turn.direction);
        let siblings = operands <= MANY;
        let steps: &'a Steps = self.steps;
        steps.by_size[step.tensors.clone()].iter().map(|at| *at as usize).filter(move |at| match direction {
            Direction::Forward => *at < operands,
            Direction::Backward => *at != target && (*at >= operands || siblings),
        })
    }

    /// Factors of a target's dims that may still grow.
    fn growing(&self, tensor: Tensor, turn: Turn) -> impl Iterator<Item = usize> + use<'a> {
        let dims = self.state.dim_ids(tensor.slot).enumerate();
        let open: Vec<usize> = dims
            .filter(|(_, id)| self.state.dims[*id].open && self.state.dims[*id].priority <= turn.priority)
            .map(|(dim, _)| dim)
            .collect();
        let steps: &'a Steps = self.steps;
        open.into_iter().flat_map(move |dim| steps.factors_of(&tensor, dim)).map(|factor| *factor as usize)
    }

    fn choose_basic(&mut self, step: &Step, at: usize, tensor: Tensor, turn: Turn) -> bool {
        let mut disagreed = false;
        for factor in self.growing(tensor, turn) {
            let (mut best, mut cap, mut from) = (self.next[factor], None, usize::MAX);
            for source in self.sources(step, at, turn) {
                let list = self.at(step, source, factor);
                if self.state.lists.begins_with(best, list) {
                    continue;
                }
                if !self.state.lists.begins_with(list, best) {
                    let common = self.state.lists.common(best, list);
                    cap = Some(cap.map_or(common, |cap| self.state.lists.common(cap, common)));
                    continue;
                }
                (best, from) = (list, source);
            }
            disagreed |= cap.is_some();
            let best = cap.unwrap_or(best);
            disagreed |= self.grow(step, factor, best, from, tensor, Mode::Basic);
        }
        disagreed
    }

    fn choose_aggressive(&mut self, step: &Step, at: usize, tensor: Tensor, turn: Turn) {
        for source in self.sources(step, at, turn) {
            for factor in self.growing(tensor, turn) {
                let list = self.at(step, source, factor);
                self.grow(step, factor, list, source, tensor, Mode::Aggressive);
            }
        }
    }

    /// Let a factor of the target take this list as far as it may; whether it could not take all.
    fn grow(
        &mut self,
        step: &Step,
        factor: usize,
        list: ListId,
        from: usize,
        tensor: Tensor,
        mode: Mode,
    ) -> bool {
        let now = self.next[factor];
        if list == now || list.is_empty() {
            return false;
        }
        let Some(added) = self.state.lists.after(list, now) else { return false };
        let allowed = self.allowed(step, factor, added, tensor, mode);
        if !allowed.is_empty() {
            self.next[factor] = self.state.lists.concat(now, allowed);
            self.from[factor] = from;
        }
        allowed != added
    }

    /// The beginning of `added` that stands nowhere else: not in the target, not on another of its factors, and in basic
    /// mode on no other factor of any tensor.
    fn allowed(&mut self, step: &Step, factor: usize, added: ListId, tensor: Tensor, mode: Mode) -> ListId {
        let others = (0..step.factors.len()).filter(|other| *other != factor);
        let mut taken: Vec<ListId> = others.clone().map(|other| self.next[other]).collect();
        let mask = self.state.lists.mask(added);
        if mode == Mode::Basic && others.clone().any(|other| self.masks[other] & mask != 0) {
            let tensors = 0..step.tensors.len();
            taken.extend(
                tensors
                    .flat_map(|at| others.clone().map(move |other| (at, other)))
                    .map(|(at, other)| self.axes[at * step.factors.len() + other]),
            );
        }
        taken.retain(|list| self.state.lists.mask(*list) & mask != 0);
        let axes = self.state.lists.get(added);
        let is_free = |axis: &AxisRef| {
            self.state.is_free(tensor.slot, axis)
                && !taken
                    .iter()
                    .any(|list| self.state.lists.get(*list).iter().any(|used| used.overlaps(*axis)))
        };
        let keep = axes.iter().take_while(|axis| is_free(axis)).count();
        if keep == axes.len() {
            return added;
        }
        let kept = axes[..keep].to_vec();
        self.state.lists.intern(&kept)
    }

    /// Write the factors' new lists back to the dims.
    fn write(&mut self, id: StepId, at: usize, tensor: Tensor, mesh: MeshId, turn: Turn) {
        let step = &self.steps.steps[id];
        let mut changed = false;
        for (dim, dim_id) in self.state.dim_ids(tensor.slot).enumerate() {
            let factors = self.steps.factors_of(&tensor, dim);
            let info = self.state.dims[dim_id];
            let grown = factors.iter().copied().find(|factor| self.from[*factor as usize] != usize::MAX);
            let Some(grown) = grown else { continue };
            if !info.open || info.priority > turn.priority {
                continue;
            }
            let (prefix, seen) = self.stripped(info.axes, tensor.strip);
            let sizes = self.steps.sizes(step, factors, &mut self.sizes);
            let next = &self.next;
            let axes = project::join(&mut self.state.lists, sizes, |part| next[factors[part] as usize]);
            if axes == seen || !self.state.lists.begins_with(axes, seen) {
                continue;
            }
            if self.cuts_too_fine(step, factors, info.size, axes) {
                continue;
            }
            let axes = self.state.lists.concat(prefix, axes);
            self.state.refine(tensor.slot, dim_id, axes, mesh);
            let source = self.source_dim(step, self.from[grown as usize], grown);
            self.provenance.record(dim_id, axes, id, source);
            changed = true;
        }
        if changed {
            self.changed.push(tensor.slot);
            self.project_again(step, at, tensor, turn);
        }
    }

    /// A window's or slice's result may have fewer elements than tiles: splitting it would only make empty shards.
    fn cuts_too_fine(&self, step: &Step, factors: &[u32], size: i64, axes: ListId) -> bool {
        let kind = |factor: &u32| self.steps.factors[step.factors.start + *factor as usize].kind;
        factors.iter().any(|factor| kind(factor) == FactorKind::Permute)
            && self.state.lists.tiles(axes) > size
    }

    /// The next targets of the same visit see what this one has become.
    fn project_again(&mut self, step: &Step, at: usize, tensor: Tensor, turn: Turn) {
        let base = at * step.factors.len();
        self.axes[base..base + step.factors.len()].fill(ListId::empty());
        self.project(step, at, tensor, turn);
    }

    /// The dim of a source that has a factor.
    fn source_dim(&self, step: &Step, source: usize, factor: u32) -> Option<DimId> {
        let tensor = self.steps.tensors.get(step.tensors.start.checked_add(source)?)?;
        let has = |dim: &(usize, DimId)| self.steps.factors_of(tensor, dim.0).contains(&factor);
        self.state.dim_ids(tensor.slot).enumerate().find(has).map(|(_, id)| id)
    }
}
