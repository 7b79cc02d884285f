//! The working shardings: one slot per value, one list of axes per dim.
//!
//! Values that must always be split alike (a loop's carry outside and inside, members of a sharding group) share a
//! slot. Slots that belong to no value (*ports*) stand for what an edge asks for: a function's results, the edges of a
//! manual region. A slot's dims only ever get longer lists; closed dims and axes said to be replicated, partial or
//! manual are never touched. Partial values come from annotations alone, none is made here.

use crate::alike::quick_hash;
use crate::lists::{ListId, Lists, Mask, axis_bit};
use meshwright_base::{Id, IdMap, define_id};
use meshwright_ir::{FuncId, Module, Type, ValueId};
use meshwright_shard::{AxisRef, DimSharding, MeshId, Reducer, Sharding, axis};

define_id!(
    /// The working sharding of one or more values.
    pub(crate) SlotId, "slot"
);
define_id!(
    /// One dim of one slot.
    pub(crate) DimId, "dim"
);

/// The priority of dims whose axes do not spread.
pub(crate) const NEVER: u32 = u32::MAX;

/// What is known of one value (or several that are split alike).
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    first: DimId,
    rank: usize,
    /// The mesh of its axes; `None` as long as nothing is known.
    pub mesh: Option<MeshId>,
    /// The user's statement, if there is one: axes to be kept off the dims, and what makes a value partial.
    pub replicated: ListId,
    pub partial: ListId,
    pub reducer: Reducer,
    /// Axes over which the value is already local.
    pub manual: ListId,
    /// Axes that nothing is said of, and that no dim may take: those a manual region does not name at its edge, as the
    /// local shape is that without them.
    barred: ListId,
    /// Axes that no dim may take, or that some dim has.
    used: Mask,
    /// Whether a user's annotation stands behind it.
    pub given: bool,
    /// Whether any dim is split.
    split: bool,
}

impl Slot {
    /// Axes that dims may not take, whatever they have.
    fn kept_off(&self) -> [ListId; 4] {
        [self.replicated, self.partial, self.manual, self.barred]
    }
}

/// One dim of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dim {
    pub axes: ListId,
    pub size: i64,
    pub open: bool,
    /// The user's priority of this dim; 0 unless said otherwise.
    pub priority: u32,
}

/// All slots of a module.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub lists: Lists,
    pub slots: IdMap<SlotId, Slot>,
    pub dims: IdMap<DimId, Dim>,
    /// Towards the slot that stands for this one.
    parent: IdMap<SlotId, SlotId>,
    /// Slot of each value, functions one after another.
    of_value: Vec<SlotId>,
    base: IdMap<FuncId, usize>,
}

impl State {
    /// An open, unsharded slot for every value.
    pub(crate) fn new(module: &Module) -> Self {
        let values = module.funcs.values().flat_map(|func| func.values().values());
        let (count, dims) = values.fold((0, 0), |(count, dims), value| (count + 1, dims + value.ty.rank()));
        // Ports come besides: results and edges of regions.
        let (more, more_dims) = (count + count / 8, dims + dims / 8);
        let mut state = State {
            lists: Lists::new(),
            slots: IdMap::with_capacity(more),
            dims: IdMap::with_capacity(more_dims),
            parent: IdMap::with_capacity(more),
            of_value: Vec::with_capacity(count),
            base: IdMap::new(),
        };
        for func in module.funcs.values() {
            state.base.push(state.of_value.len());
            for value in func.values().values() {
                let slot = state.add(&value.ty);
                state.of_value.push(slot);
            }
        }
        state
    }

    /// A new slot for a tensor of this type, every dim open.
    pub(crate) fn add(&mut self, ty: &Type) -> SlotId {
        let first = DimId::from_index(self.dims.len());
        for size in ty.dims() {
            self.dims.push(Dim { axes: ListId::empty(), size: *size, open: true, priority: 0 });
        }
        let slot = self.slots.push(Slot {
            first,
            rank: ty.rank(),
            mesh: None,
            replicated: ListId::empty(),
            partial: ListId::empty(),
            reducer: Reducer::Sum,
            manual: ListId::empty(),
            barred: ListId::empty(),
            used: 0,
            given: false,
            split: false,
        });
        self.parent.push(slot);
        slot
    }

    /// The slot of a value, if it was there when the state was made.
    pub(crate) fn slot_if_known(&self, func: FuncId, value: ValueId) -> Option<SlotId> {
        let (base, end) = (*self.base.get(func)?, self.base.values().nth(func.index() + 1));
        let at = base + value.index();
        (end.is_none_or(|end| at < *end)).then(|| self.of_value.get(at).copied()).flatten()
    }

    pub(crate) fn slot(&self, func: FuncId, value: ValueId) -> SlotId {
        self.of_value[self.base[func] + value.index()]
    }

    /// From [`State::point_to_roots`] on the two values (of one shape) share a slot: the one that was made first.
    pub(crate) fn unite(&mut self, a: (FuncId, ValueId), b: (FuncId, ValueId)) {
        let (a, b) = (self.root(self.slot(a.0, a.1)), self.root(self.slot(b.0, b.1)));
        if self.slots[a].rank == self.slots[b].rank {
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn root(&mut self, mut slot: SlotId) -> SlotId {
        while self.parent[slot] != slot {
            self.parent[slot] = self.parent[self.parent[slot]];
            slot = self.parent[slot];
        }
        slot
    }

    /// Make every value point to the slot it shares.
    pub(crate) fn point_to_roots(&mut self) {
        for at in 0..self.of_value.len() {
            self.of_value[at] = self.root(self.of_value[at]);
        }
    }

    pub(crate) fn rank(&self, slot: SlotId) -> usize {
        self.slots[slot].rank
    }

    pub(crate) fn dim_ids(&self, slot: SlotId) -> impl Iterator<Item = DimId> + Clone + use<> {
        let (first, rank) = (self.slots[slot].first.index(), self.slots[slot].rank);
        (first..first + rank).map(DimId::from_index)
    }

    pub(crate) fn dim_id(&self, slot: SlotId, dim: usize) -> DimId {
        DimId::from_index(self.slots[slot].first.index() + dim)
    }

    #[inline]
    pub(crate) fn dims_of(&self, slot: SlotId) -> impl Iterator<Item = &Dim> + Clone {
        let (first, rank) = (self.slots[slot].first.index(), self.slots[slot].rank);
        self.dims.values().as_slice()[first..first + rank].iter()
    }

    /// Whether nothing is split: such a slot has nothing to tell its neighbours.
    pub(crate) fn is_bare(&self, slot: SlotId) -> bool {
        !self.slots[slot].split
    }

    /// Whether nothing at all is known of a slot.
    pub(crate) fn is_untouched(&self, slot: SlotId) -> bool {
        let info = &self.slots[slot];
        info.mesh.is_none() && !info.split && info.used == 0
    }

    /// Write a user's annotation into a slot, whose rank it must have.
    pub(crate) fn give(&mut self, slot: SlotId, sharding: &Sharding) {
        for (dim, given) in self.dim_ids(slot).zip(&sharding.dims) {
            let axes = self.lists.intern(&given.axes);
            let priority = given.priority.unwrap_or(0);
            self.dims[dim] = Dim { axes, open: given.open, priority, ..self.dims[dim] };
        }
        let replicated = self.lists.intern(&sharding.replicated);
        let partial = self.lists.intern(&sharding.partial);
        let manual = self.lists.intern(&sharding.manual);
        let slot_info = &mut self.slots[slot];
        slot_info.mesh = Some(sharding.mesh);
        slot_info.reducer = sharding.reducer;
        slot_info.given = true;
        (slot_info.replicated, slot_info.partial, slot_info.manual) = (replicated, partial, manual);
        self.refresh(slot);
    }

    /// What annotations say of a slot, if any does. To be asked before anything is propagated.
    pub(crate) fn stated(&self, slot: SlotId) -> Option<Sharding> {
        let mesh = self.slots[slot].mesh.filter(|_| self.slots[slot].given)?;
        let stated = |dim: &Dim| DimSharding {
            axes: self.lists.get(dim.axes).to_vec(),
            open: dim.open,
            priority: (dim.priority != 0).then_some(dim.priority),
        };
        Some(Sharding { dims: self.dims_of(slot).map(stated).collect(), ..self.closed(slot, mesh) })
    }

    /// The value is local over these axes.
    pub(crate) fn set_manual(&mut self, slot: SlotId, manual: ListId) {
        self.slots[slot].manual = manual;
        self.refresh(slot);
    }

    /// No dim may take these axes.
    pub(crate) fn bar(&mut self, slot: SlotId, axes: ListId) {
        self.slots[slot].barred = axes;
        self.refresh(slot);
    }

    fn refresh(&mut self, slot: SlotId) {
        let kept_off = self.slots[slot].kept_off();
        let dims = self.dims_of(slot).map(|dim| dim.axes);
        let split = dims.clone().any(|axes| !axes.is_empty());
        self.slots[slot].used =
            kept_off.into_iter().chain(dims).fold(0, |mask, list| mask | self.lists.mask(list));
        self.slots[slot].split = split;
    }

    /// Give a dim a longer list.
    pub(crate) fn refine(&mut self, slot: SlotId, dim: DimId, axes: ListId, mesh: MeshId) {
        self.dims[dim].axes = axes;
        let mask = self.lists.mask(axes);
        let info = &mut self.slots[slot];
        info.used |= mask;
        info.split = true;
        info.mesh = Some(mesh);
    }

    /// Whether a slot is over this mesh or can still become so.
    pub(crate) fn may_join(&self, slot: SlotId, mesh: MeshId) -> bool {
        let info = &self.slots[slot];
        let tied = !info.replicated.is_empty() || !info.partial.is_empty() || !info.manual.is_empty();
        info.mesh.is_none_or(|own| own == mesh || (!tied && self.is_bare(slot)))
    }

    /// Whether the axis may be added somewhere in the slot: beside everything that is there.
    pub(crate) fn is_free(&self, slot: SlotId, axis: &AxisRef) -> bool {
        let info = &self.slots[slot];
        if info.used & axis_bit(axis) == 0 {
            return true;
        }
        let lists = self.dims_of(slot).map(|dim| dim.axes).chain(info.kept_off());
        lists.into_iter().all(|list| axis::line_up(self.lists.get(list), &[*axis]))
    }

    /// What [`State::closed`] makes of a slot, as a few words: equal shardings have equal ones.
    pub(crate) fn closed_hash(&self, slot: SlotId) -> u64 {
        let info = &self.slots[slot];
        let start = quick_hash(&(info.rank, info.partial, info.manual));
        self.dims_of(slot).fold(start, |hash, dim| quick_hash(&(hash, dim.axes)))
    }

    /// Whether [`State::closed`] makes the same of two slots.
    pub(crate) fn closes_alike(&self, a: SlotId, b: SlotId, mesh: MeshId) -> bool {
        let lists = |slot: SlotId| self.dims_of(slot).map(|dim| dim.axes);
        let (p, q) = (&self.slots[a], &self.slots[b]);
        let rest = |info: &Slot| {
            (info.rank, info.mesh.unwrap_or(mesh), info.replicated, info.partial, info.reducer, info.manual)
        };
        rest(p) == rest(q) && lists(a).eq(lists(b))
    }

    /// The slot as a sharding with every dim closed. Without a mesh of its own it is over `mesh`.
    pub(crate) fn closed(&self, slot: SlotId, mesh: MeshId) -> Sharding {
        let info = &self.slots[slot];
        let list = |list: ListId| self.lists.get(list).to_vec();
        Sharding {
            mesh: info.mesh.unwrap_or(mesh),
            dims: self.dims_of(slot).map(|dim| DimSharding::closed(list(dim.axes))).collect(),
            replicated: list(info.replicated),
            partial: list(info.partial),
            reducer: info.reducer,
            manual: list(info.manual),
        }
    }
}
