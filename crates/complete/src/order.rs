//! Which annotations spread first.
//!
//! Dims that a rule gives one factor stand or fall together: the batch through all layers, the model dim, the hidden
//! dim of one layer. What annotations say of such a group is a *claim*: these axes for this group. Where a value that
//! nobody annotated has dims of two groups that claim one axis, one of them gets it: the one that spreads first. Claims
//! of equal layers are one: they are on dims of the same sizes at the same places.
//!
//! ```text
//! tokens [batch:x, _], table [_, model:x], weights [model:x, hidden], ..
//!   claims: batch over x; model over x          contested: activations [batch, model]
//! ```

use crate::addition::Addition;
use crate::decision::{Choice, Chosen, Decision};
use crate::lists::{ListId, Mask};
use crate::provenance::Trace;
use crate::state::{DimId, NEVER, SlotId, State};
use crate::steps::{DimPlace, Steps};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_base::arrange::set;
use meshwright_ir::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What annotations say of dims that stand or fall together.
#[derive(Clone, Debug)]
pub struct Claim {
    dims: Vec<DimId>,
    /// Elements of the values where it meets another claim to one of its axes.
    pub contested: i64,
    axes: ListId,
}

/// How claims spread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// Claims (as numbers of [`Draft::contested`](crate::Draft::contested)) that spread before all others, first first.
    pub first: Vec<usize>,
    /// Whether the others do not spread at all: what they annotate is gathered where it is used.
    pub alone: bool,
    /// Splits that no annotation asks for; they spread behind all that do.
    pub added: Vec<Addition>,
}

/// All contested claims of a module.
pub(crate) struct Claims {
    contested: Vec<Claim>,
    /// Every annotated dim.
    dims: Vec<DimId>,
    groups: DimGroups,
}

/// A claim while it is made: of one group of dims.
struct Single {
    root: usize,
    axes: ListId,
    /// With the slots they are of.
    dims: Vec<(SlotId, DimId)>,
    contested: i64,
}

/// What claims of equal layers have in common: the size of each annotated dim, and its place in the tensor it is of.
type Signature = (ListId, Vec<(Vec<i64>, usize, u32)>);

impl Claims {
    /// Read off the annotations, before anything has spread.
    pub(crate) fn of(state: &State, steps: &Steps) -> Claims {
        let groups = DimGroups::of(state, steps);
        let mut singles = singles(state, &groups);
        weigh(state, &groups, &mut singles);
        let dims = singles.iter().flat_map(|single| single.dims.iter().map(|(_, dim)| *dim)).collect();
        let mut classes: BTreeMap<Signature, Claim> = BTreeMap::new();
        for single in singles.into_iter().filter(|single| single.contested > 0) {
            let place = |(slot, dim): &(SlotId, DimId)| {
                let slot = *slot;
                let sizes = state.dims_of(slot).map(|dim| dim.size).collect();
                let at = state.dim_ids(slot).position(|id| id == *dim).unwrap_or(0);
                (sizes, at, state.dims[*dim].priority)
            };
            let mut places: Vec<_> = single.dims.iter().map(place).collect();
            places.arrange();
            let empty = Claim { dims: Vec::new(), contested: 0, axes: single.axes };
            let class = classes.entry((single.axes, places)).or_insert(empty);
            class.dims.extend(single.dims.iter().map(|(_, dim)| *dim));
            class.contested += single.contested;
        }
        let mut contested: Vec<Claim> = classes.into_values().collect();
        contested.arrange_by_key(|claim| std::cmp::Reverse(claim.contested));
        Claims { contested, dims, groups }
    }

    pub(crate) fn contested(&self) -> &[Claim] {
        &self.contested
    }

    /// For each contested claim the share of what nobody annotated where it did not get all its axes, by elements.
    pub(crate) fn lost(&self, before: &State, after: &State) -> Vec<f64> {
        if self.contested.is_empty() {
            return Vec::new();
        }
        // The claims to the dims of each group that has any: the first list is that of all others.
        let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
        let mut list_of: Vec<u32> = vec![0; self.groups.parent.len()];
        for (at, claim) in self.contested.iter().enumerate() {
            let roots: BTreeSet<usize> = set(claim.dims.iter().map(|dim| self.groups.root(*dim)));
            for root in roots {
                if list_of[root] == 0 {
                    list_of[root] = lists.len() as u32;
                    lists.push(Vec::new());
                }
                lists[list_of[root] as usize].push(at);
            }
        }
        let (mut all, mut lost) = (0.0, vec![0.0; self.contested.len()]);
        for slot in before.slots.keys().filter(|slot| !before.slots[*slot].given) {
            let elements = elements(before, slot) as f64;
            all += elements;
            for dim in before.dim_ids(slot) {
                for at in &lists[list_of[self.groups.root(dim)] as usize] {
                    let has = after.lists.mask(after.dims[dim].axes);
                    if after.lists.mask(self.contested[*at].axes) & !has != 0 {
                        lost[*at] += elements;
                    }
                }
            }
        }
        lost.into_iter().map(|lost| lost / f64::max(all, 1.0)).collect()
    }

    /// A choice for a reader; `added` are the additions of its order.
    pub(crate) fn decision(
        &self,
        module: &Module,
        trace: &Trace,
        (choice, added): (Choice, &[Addition]),
    ) -> Option<Decision> {
        match choice.chosen {
            Chosen::Alone => Some(Decision { of: None, more: 0, choice, dims: BTreeSet::new() }),
            Chosen::Claim(claim) => {
                let claim = self.contested.get(claim)?;
                let axis = *trace.state.lists.get(claim.axes).first()?;
                let of = Some(trace.step(module, *claim.dims.first()?, axis, None));
                Some(Decision {
                    of,
                    more: claim.dims.len() - 1,
                    choice,
                    dims: claim.dims.iter().copied().collect(),
                })
            }
            Chosen::Addition(at) => {
                let (dim, step, axis, more) = added.get(at)?.example()?;
                let of = Some(trace.step(module, dim, axis, Some(step)));
                Some(Decision { of, more, choice, dims: added.get(at)?.dims().collect() })
            }
        }
    }

    /// Have the claims of an order spread before the others, within each priority of the user's.
    pub(crate) fn rank(&self, state: &mut State, order: &Order) {
        let ranks = order.first.len() as u32 + 1;
        let ranked = |priority: u32, rank: u32| priority.saturating_mul(ranks).saturating_add(rank);
        let mut rank_of: BTreeMap<DimId, u32> = BTreeMap::new();
        for (rank, claim) in order.first.iter().enumerate() {
            let dims = self.contested.get(*claim).map_or(&[][..], |claim| &claim.dims);
            rank_of.extend(dims.iter().map(|dim| (*dim, rank as u32)));
        }
        for dim in &self.dims {
            let priority = &mut state.dims[*dim].priority;
            *priority = match rank_of.get(dim) {
                Some(rank) => ranked(*priority, *rank),
                None if order.alone => NEVER,
                None => ranked(*priority, ranks - 1),
            };
        }
    }
}

/// One claim per group and list of axes.
fn singles(state: &State, groups: &DimGroups) -> Vec<Single> {
    let mut singles: BTreeMap<(usize, ListId), Vec<(SlotId, DimId)>> = BTreeMap::new();
    for slot in state.slots.keys().filter(|slot| state.slots[*slot].given) {
        for id in state.dim_ids(slot).filter(|id| !state.dims[*id].axes.is_empty()) {
            singles.entry((groups.root(id), state.dims[id].axes)).or_default().push((slot, id));
        }
    }
    let single = |((root, axes), dims)| Single { root, axes, dims, contested: 0 };
    singles.into_iter().map(single).collect()
}

/// Add up the elements where claims meet.
fn weigh(state: &State, groups: &DimGroups, singles: &mut [Single]) {
    // Singles are in the order of their roots: those of one stand together.
    let mut claimed: Vec<(Mask, Range<usize>)> = vec![(0, 0..0); state.dims.len()];
    for (at, single) in singles.iter().enumerate() {
        let (mask, claims) = &mut claimed[single.root];
        *mask |= state.lists.mask(single.axes);
        *claims = if claims.end == 0 { at..at + 1 } else { claims.start..at + 1 };
    }
    let mut roots: Vec<usize> = Vec::new();
    for slot in state.slots.keys().filter(|slot| !state.slots[*slot].given) {
        roots.clear();
        roots.extend(state.dim_ids(slot).map(|dim| groups.root(dim)).filter(|root| claimed[*root].0 != 0));
        if roots.len() < 2 {
            continue;
        }
        let weight = elements(state, slot);
        for root in &roots {
            let others = roots.iter().filter(|other| *other != root);
            let wanted = others.fold(0, |mask, other| mask | claimed[*other].0);
            for single in &mut singles[claimed[*root].1.clone()] {
                if state.lists.mask(single.axes) & wanted != 0 {
                    single.contested = single.contested.saturating_add(weight);
                }
            }
        }
    }
}

fn elements(state: &State, slot: SlotId) -> i64 {
    state.dims_of(slot).fold(1, |all, dim| all.saturating_mul(dim.size))
}

/// Dims that one factor ties together, through all steps.
struct DimGroups {
    parent: Vec<u32>,
}

impl DimGroups {
    fn of(state: &State, steps: &Steps) -> DimGroups {
        let mut groups = DimGroups { parent: (0..state.dims.len() as u32).collect() };
        for step in steps.steps.values() {
            let tensors = steps.tensors_of(step);
            let id = |(tensor, dim): DimPlace| state.dim_id(tensors[tensor.index()].slot, dim as usize);
            for [first, other] in &steps.form(step).tied {
                groups.join(id(*first), id(*other));
            }
        }
        groups.flatten();
        groups
    }

    fn find(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    fn join(&mut self, a: DimId, b: DimId) {
        if self.parent[a.index()] == self.parent[b.index()] {
            return;
        }
        let (a, b) = (self.find(a.index() as u32), self.find(b.index() as u32));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn flatten(&mut self) {
        for at in 0..self.parent.len() as u32 {
            self.parent[at as usize] = self.find(at);
        }
    }

    fn root(&self, dim: DimId) -> usize {
        self.parent[dim.index()] as usize
    }
}
