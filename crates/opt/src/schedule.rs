//! Order instructions so that less is alive at a time.
//!
//! ```text
//! %big = broadcast %a                        %s = reduce %old
//! %s = reduce %old               =>          ..
//! ..                                         %big = broadcast %a        what adds bytes: right before its first use
//! use %big                                   use %big
//!
//! %g = all-gather %x                         %g = all-gather %x
//! %r = reduce %g                             %r = reduce %g
//! ..                                         %d = dot %y, %g            what frees bytes: as soon as it can be run
//! %d = dot %y, %g                =>          ..
//! ```
//!
//! First what makes more than it frees goes down to its first use, or as far as what it needs is alive anyway;
//! collectives do not, so that one that was started early still travels while others compute. What makes only what goes
//! down goes with it, where the peak is lower for that. Then what frees more than it makes goes up, with the few it
//! needs, where that passes no bytes that were not alive before. So at no place more is alive than was, and the program
//! peak (`meshwright_cost::peak`) never rises. Views go down too, to let what they show do so. Small differences
//! (`SHARE`) move nothing: the user's order is as good.
//!
//! What is large is also used up as soon as all is there that its users need, if less is alive behind them
//! (`finish`): the parameters of a stack of layers are updated one by one, as soon as their gradients are there. What
//! would be more than the peak for a moment is tried again where less is alive.
//!
//! Nothing goes up in front of a permute that travels while a product is computed (`spmd`'s loops over pieces are made
//! of these).
//!
//! Nothing is computed otherwise, and all devices still run the same order. What has effects or regions stays where it
//! is. The order as it is given is one of those compared. Costs six walks over each block.

mod finish;

use crate::Changed;
use crate::effects::is_pure;
use crate::uses::{self, Lists};
use meshwright_base::arrange::Arrange;
use meshwright_base::{Id, IdMap, InlineVec, define_id};
use meshwright_cost::peak::{room, storage, viewed};
use meshwright_ir::op::{Collective, CollectiveKind};
use meshwright_ir::{BlockId, Def, Editor, Function, InstId, Module, Op, ValueId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A smaller share of the program's peak is not worth another order. Of a small program fewer bytes are not either, of
/// a large one more always are.
const SHARE: i64 = 256;
const LEAST: i64 = 1 << 16;
const ENOUGH: i64 = 1 << 20;

/// Instructions that go up together at most.
const MOST_AT_ONCE: usize = 16;

/// How often something is tried again that waits for room.
const MOST_TRIES: u8 = 4;

/// Of a value with more users, only the last is looked at.
const MOST_WAITING: usize = 4;

pub fn schedule(module: &mut Module) -> Changed {
    let least = meshwright_cost::program_peak(module) / SHARE;
    schedule_from(module, least.clamp(LEAST, ENOUGH))
}

/// The same for differences of this many bytes at least.
pub fn schedule_from(module: &mut Module, least: i64) -> Changed {
    let each = module.funcs.values_mut().map(|func| {
        let blocks = func.blocks_in_order().into_iter();
        blocks.map(|block| schedule_block(func, block, least)).fold(false, |any, changed| any | changed)
    });
    each.fold(false, |any, changed| any | changed)
}

fn schedule_block(func: &mut Function, block: BlockId, least: i64) -> Changed {
    let old = func.block(block).insts.clone();
    let is_large =
        |inst: &InstId| func.inst(*inst).results.iter().any(|value| func.ty(*value).byte_size() >= least);
    if !old.iter().any(is_large) {
        return false;
    }
    let uses = Uses::of(func, block, least);
    let [alone, chains] = [1, MOST_AT_ONCE].map(|most| sink(&uses, &old, most));
    let users = users(&uses);
    let orders = [Some(&alone), Some(&chains).filter(|chains| **chains != alone), Some(&old)];
    let with_peaks = orders.into_iter().flatten().map(|order| (peak(&uses, users.clone(), order), order));
    let least_alive = with_peaks.min_by_key(|(peak, _)| *peak);
    let Some((peak, late)) = least_alive else { return false };
    let new = Raise::new(&uses, users, late, peak).run(late);
    let changed = new != old;
    if changed {
        Editor::new(func).set_order(block, new);
    }
    changed
}

/// Who uses what in one block. A view's users use what it is a view of.
struct Uses<'f> {
    func: &'f Function,
    /// Bytes from which on an order matters.
    least: i64,
    /// For every instruction of the block, the values that it and its regions need, each once.
    needed: Lists<InstId, ValueId>,
    /// The storage of these.
    used: Lists<InstId, ValueId>,
    /// For every value, the instructions of the block that need it.
    needers: Lists<ValueId, InstId>,
    /// For every storage, the instructions of the block that use it.
    users: Lists<ValueId, InstId>,
    /// Room that values take until their last use: those made here, or given away by the caller.
    bytes: IdMap<ValueId, i64>,
    /// The room of what an instruction makes.
    made: IdMap<InstId, i64>,
    is_returned: IdMap<ValueId, bool>,
    is_here: IdMap<InstId, bool>,
    /// Whether an instruction may change places with its neighbours: it has no effect, and needs no room of its own.
    moves: IdMap<InstId, bool>,
}

impl<'f> Uses<'f> {
    fn of(func: &'f Function, block: BlockId, least: i64) -> Self {
        let info = func.block(block);
        let (values, insts) = (func.value_count(), func.inst_count());
        let (needed, used) = pairs(func, &info.insts);
        let mut uses = Uses {
            func,
            least,
            needed: Lists::new(insts, &needed),
            used: Lists::new(insts, &used),
            needers: Lists::new(values, &inverted(&needed)),
            users: Lists::new(values, &inverted(&used)),
            bytes: IdMap::filled(values, 0),
            made: IdMap::filled(insts, 0),
            is_returned: IdMap::filled(values, false),
            is_here: IdMap::filled(insts, false),
            moves: IdMap::filled(insts, false),
        };
        if block == func.root() {
            for (value, param) in info.params.iter().zip(&func.params) {
                uses.bytes[*value] = if param.donation.is_some() { room(func, *value) } else { 0 };
            }
        }
        for inst in &info.insts {
            uses.is_here[*inst] = true;
            uses.moves[*inst] = moves(func, *inst);
            for value in &func.inst(*inst).results {
                uses.bytes[*value] = room(func, *value);
                uses.made[*inst] += uses.bytes[*value];
            }
        }
        info.results.iter().for_each(|value| uses.is_returned[storage(func, *value)] = true);
        uses
    }

    fn bytes(&self, value: ValueId) -> i64 {
        self.bytes[value]
    }

    fn made(&self, inst: InstId) -> i64 {
        self.made[inst]
    }

    /// Whether an instruction only lets another value be seen otherwise, a large one.
    fn is_large_view(&self, inst: InstId) -> bool {
        let is_view = |value: &ValueId| {
            viewed(self.func, *value).is_some() && self.func.ty(*value).byte_size() >= self.least
        };
        self.func.inst(inst).results.iter().all(is_view)
    }

    /// Whether an instruction goes down with the only user of its one result.
    fn follows(&self, maker: InstId, value: ValueId) -> bool {
        let is_collective = matches!(self.func.inst(maker).op, Op::Collective(_));
        !is_collective
            && self.moves(maker)
            && self.func.inst(maker).results == [value]
            && !self.is_returned[value]
    }

    fn moves(&self, inst: InstId) -> bool {
        self.moves[inst]
    }
}

fn moves(func: &Function, inst: InstId) -> bool {
    let has_inside = matches!(
        func.inst(inst).op,
        Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Sharding(_) | Op::OptimizationBarrier
    );
    !has_inside && is_pure(func, inst)
}

define_id!(
    /// Behind which instruction's place another goes.
    Place, "place"
);

type Pairs = Vec<(InstId, ValueId)>;

/// What each of some instructions needs, and the storage of that: each value once.
fn pairs(func: &Function, insts: &[InstId]) -> (Pairs, Pairs) {
    let room = Pairs::with_capacity(2 * insts.len());
    let (mut needed, mut used) = (room.clone(), room);
    for inst in insts {
        let (first_needed, first_used) = (needed.len(), used.len());
        uses::each(func, *inst, &mut |value| needed.push((*inst, value)));
        sort_from(&mut needed, first_needed);
        used.extend(needed[first_needed..].iter().map(|(inst, value)| (*inst, storage(func, *value))));
        sort_from(&mut used, first_used);
    }
    (needed, used)
}

/// Sort the end of a list and drop what it has twice.
fn sort_from(pairs: &mut Pairs, first: usize) {
    pairs[first..].sort_unstable();
    let mut kept = first;
    for at in first..pairs.len() {
        if kept == first || pairs[kept - 1] != pairs[at] {
            pairs[kept] = pairs[at];
            kept += 1;
        }
    }
    pairs.truncate(kept);
}

fn inverted(pairs: &[(InstId, ValueId)]) -> Vec<(ValueId, InstId)> {
    pairs.iter().map(|(inst, value)| (*value, *inst)).collect()
}

/// Move what makes more than it frees down to its first use, as one does from the last to the first, with at most so
/// many in a group.
fn sink(uses: &Uses<'_>, order: &[InstId], most: usize) -> Vec<InstId> {
    // Behind which instruction's place each one goes: its own, or that of its first user.
    let mut places: IdMap<InstId, usize> = IdMap::filled(uses.func.inst_count(), usize::MAX);
    for (place, inst) in order.iter().enumerate().rev() {
        places[*inst] = first_use(uses, &places, *inst)
            .and_then(|first| lowest(uses, &places, &chain(uses, *inst, most), (place, first)))
            .unwrap_or(place);
    }
    let placed: Vec<(Place, InstId)> =
        order.iter().map(|inst| (Place::from_index(places[*inst]), *inst)).collect();
    Lists::new(order.len(), &placed).into_items()
}

/// Place of the first user, if the instruction may go there.
fn first_use(uses: &Uses<'_>, places: &IdMap<InstId, usize>, inst: InstId) -> Option<usize> {
    let is_collective = matches!(uses.func.inst(inst).op, Op::Collective(_));
    if is_collective || !uses.moves(inst) || uses.made(inst) < uses.least && !uses.is_large_view(inst) {
        return None;
    }
    let users = uses.func.inst(inst).results.iter().flat_map(|value| uses.needers.of(*value));
    users.map(|user| places[*user]).min()
}

/// How far down the first of a chain should go, alone or with those that make only what it needs.
fn lowest(
    uses: &Uses<'_>,
    places: &IdMap<InstId, usize>,
    chain: &[InstId],
    (place, first): (usize, usize),
) -> Option<usize> {
    let groups = [&chain[..1], chain].into_iter().take(chain.len());
    let each = groups.filter_map(|group| lowest_of(uses, places, group, first));
    each.max().filter(|lowest| *lowest > place)
}

/// How far down a group should go, of which the first makes what others use: to the first use, if that is more than
/// what would be kept alive until there; else as far as others keep alive what the group needs.
fn lowest_of(
    uses: &Uses<'_>,
    places: &IdMap<InstId, usize>,
    group: &[InstId],
    first: usize,
) -> Option<usize> {
    let inst = group[0];
    let made_within = |value: &ValueId| {
        uses.func.def_inst(*value).is_some_and(|maker| maker != inst && group.contains(&maker))
    };
    let needed =
        group.iter().flat_map(|member| uses.used.of(*member).iter().map(move |value| (*member, *value)));
    let ends = needed
        .filter(|(_, value)| uses.bytes(*value) > 0 && !uses.is_returned[*value] && !made_within(value))
        .map(|(member, value)| (last_other_use(uses, places, member, value).unwrap_or(0), uses.bytes(value)))
        .filter(|(last, _)| *last < first);
    let (all, least) = ends.fold((0, None), |(all, least), (last, bytes)| {
        (all + bytes, Some(least.map_or(last, |least: usize| least.min(last))))
    });
    let adds = |kept: i64| uses.made(inst) - kept >= uses.least || uses.is_large_view(inst);
    if adds(all) { Some(first) } else { least.filter(|_| adds(0)) }
}

type Chain = InlineVec<InstId, 4>;

/// An instruction, and those before it that make only what it needs: they follow it down.
fn chain(uses: &Uses<'_>, inst: InstId, most: usize) -> Chain {
    let mut chain: Chain = [inst].into_iter().collect();
    let mut next = 0;
    while next < chain.len() && chain.len() < most {
        for value in uses.used.of(chain[next]) {
            let maker = uses
                .func
                .def_inst(*value)
                .filter(|maker| uses.is_here[*maker] && uses.users.of(*value).len() == 1);
            chain.extend(maker.filter(|maker| uses.follows(*maker, *value)));
        }
        next += 1;
    }
    chain
}

/// Where a value is used last by others than an instruction. A user in front of this one has no place yet.
fn last_other_use(
    uses: &Uses<'_>,
    places: &IdMap<InstId, usize>,
    inst: InstId,
    value: ValueId,
) -> Option<usize> {
    let others = uses.users.of(value).iter().filter(|user| **user != inst);
    others.map(|user| places[*user]).filter(|place| *place != usize::MAX).max()
}

/// Places of permutes with a product between them and their first use: whoever put it there wants both at once.
fn early(uses: &Uses<'_>, places: &IdMap<InstId, usize>, order: &[InstId]) -> Vec<usize> {
    let is_product = |inst: &InstId| matches!(uses.func.inst(*inst).op, Op::Dot(_) | Op::Convolution(_));
    let mut early = Vec::new();
    for (place, inst) in order.iter().enumerate() {
        if !matches!(
            &uses.func.inst(*inst).op,
            Op::Collective(Collective { kind: CollectiveKind::Permute { .. }, .. })
        ) {
            continue;
        }
        let users = uses.func.inst(*inst).results.iter().flat_map(|value| uses.needers.of(*value));
        let first = users.map(|user| places[*user]).min().unwrap_or(order.len());
        if order[place..first].iter().any(is_product) {
            early.push(place);
        }
    }
    early
}

/// How many users each value has; what is returned has one more.
fn users(uses: &Uses<'_>) -> IdMap<ValueId, u32> {
    let count =
        |(value, returned): (ValueId, &bool)| uses.users.of(value).len() as u32 + u32::from(*returned);
    uses.is_returned.iter().map(count).collect()
}

/// The most that is alive in an order.
fn peak(uses: &Uses<'_>, mut left: IdMap<ValueId, u32>, order: &[InstId]) -> i64 {
    let (mut alive, mut peak) = (0, 0);
    for inst in order {
        peak = peak.max(alive + uses.made(*inst));
        alive += added(uses, &mut left, *inst);
    }
    peak
}

/// How much more is alive behind an instruction than in front of it; `left` are users that did not run yet.
fn added(uses: &Uses<'_>, left: &mut IdMap<ValueId, u32>, inst: InstId) -> i64 {
    let mut added = uses.made(inst);
    for value in uses.used.of(inst) {
        let left = &mut left[*value];
        *left -= 1;
        added -= if *left == 0 { uses.bytes(*value) } else { 0 };
    }
    let unused = uses.func.inst(inst).results.iter().filter(|value| left[**value] == 0);
    added - unused.map(|value| uses.bytes(*value)).sum::<i64>()
}

/// Emits instructions in order, and between them those behind that free more than they make.
struct Raise<'u, 'f> {
    uses: &'u Uses<'f>,
    /// Place of every instruction in the order it is given.
    places: IdMap<InstId, usize>,
    is_out: IdMap<InstId, bool>,
    /// Users of each value that are not out yet.
    left: IdMap<ValueId, u32>,
    alive: i64,
    /// The most that is alive in the order as given.
    peak: i64,
    /// Places of the permutes that travel while products are computed: nothing goes up in front of one.
    early: Vec<usize>,
    out: Vec<InstId>,
    marks: finish::Marks,
    /// What pays as soon as no more is alive than this, the one that can go up first at the top.
    later: BinaryHeap<(i64, Reverse<u32>, Waiting)>,
    /// How many of these there ever were, so that equal ones go in order.
    waited: u32,
    /// Lists that are empty between two questions, kept for their memory.
    spare: Spare,
}

#[derive(Default)]
struct Spare {
    work: Vec<InstId>,
    gone: Vec<(ValueId, u32)>,
}

/// What goes up later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    tries: u8,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// An instruction, with those it waits for.
    User(InstId),
    /// All users of a value.
    Users(ValueId),
}

/// Whether a group goes up.
enum Pays {
    Now,
    /// Once so much is alive at most: for a moment it makes more than the peak leaves room for.
    Later(i64),
    Never,
}

impl<'u, 'f> Raise<'u, 'f> {
    /// For an order with this peak; `left` are the users of each value.
    fn new(uses: &'u Uses<'f>, left: IdMap<ValueId, u32>, order: &[InstId], peak: i64) -> Self {
        let mut places = IdMap::filled(uses.func.inst_count(), usize::MAX);
        for (place, inst) in order.iter().enumerate() {
            places[*inst] = place;
        }
        Raise {
            uses,
            is_out: IdMap::filled(uses.func.inst_count(), false),
            left,
            alive: 0,
            peak,
            early: early(uses, &places, order),
            places,
            out: Vec::with_capacity(order.len()),
            marks: finish::Marks::default(),
            later: BinaryHeap::new(),
            waited: 0,
            spare: Spare::default(),
        }
    }

    fn run(mut self, order: &[InstId]) -> Vec<InstId> {
        self.early.reverse();
        for inst in order {
            if self.early.last() == Some(&self.places[*inst]) {
                self.early.pop();
            }
            self.go_on(*inst);
            self.try_again();
        }
        self.out
    }

    /// Have an instruction run, if it did not, and what goes up behind it.
    fn go_on(&mut self, inst: InstId) {
        if !self.is_out[inst] {
            self.emit(inst);
            self.raise_behind(inst);
            self.finish_behind(inst);
        }
    }

    /// Have what waited for room go up, where there is room now.
    fn try_again(&mut self) {
        while let Some((level, _, waiting)) = self.later.peek().copied()
            && level >= self.alive
        {
            self.later.pop();
            match waiting.what {
                What::User(inst) => {
                    let raised = self.raise(inst, waiting.tries);
                    raised.into_iter().for_each(|member| self.raise_behind(member));
                }
                What::Users(value) => self.finish(value, waiting.tries),
            }
        }
    }

    fn emit(&mut self, inst: InstId) {
        self.out.push(inst);
        self.is_out[inst] = true;
        self.peak = self.peak.max(self.alive + self.uses.made(inst));
        self.alive += added(self.uses, &mut self.left, inst);
    }

    /// Whether a group pays now; if it will later, it is tried again.
    fn pays_now(&mut self, group: &[InstId], what: What, tries: u8) -> bool {
        let pays = self.pays(group);
        if let Pays::Later(level) = pays
            && tries < MOST_TRIES
        {
            self.later.push((level, Reverse(self.waited), Waiting { tries: tries + 1, what }));
            self.waited += 1;
        }
        matches!(pays, Pays::Now)
    }

    /// Have what can be run now, and frees more than it makes, run now; and what that makes possible.
    fn raise_behind(&mut self, inst: InstId) {
        let (mut next, mut work) = (Some(inst), Vec::new());
        while let Some(inst) = next {
            for user in self.candidates(inst) {
                work.extend(self.raise(user, 0));
            }
            next = work.pop();
        }
    }

    /// Have an instruction run now, with those it waits for, if that pays; all that ran.
    fn raise(&mut self, user: InstId, tries: u8) -> Vec<InstId> {
        let Some(group) = self.group(user) else { return Vec::new() };
        if !self.pays_now(&group, What::User(user), tries) {
            return Vec::new();
        }
        group.iter().for_each(|member| self.emit(*member));
        group
    }

    /// The last users of what an instruction used or made, and those that waited for what it made.
    fn candidates(&self, inst: InstId) -> Vec<InstId> {
        let results = &self.uses.func.inst(inst).results;
        let touched = self.uses.used.of(inst).iter().chain(results);
        let last =
            touched.filter(|value| self.left[**value] == 1 && self.uses.bytes(**value) >= self.uses.least);
        let last = last.flat_map(|value| self.uses.users.of(*value));
        let waiting = results.iter().map(|value| self.uses.needers.of(*value));
        let waiting = waiting.filter(|users| users.len() <= MOST_WAITING).flatten();
        let users = last.chain(waiting).copied();
        let mut users: Vec<InstId> = users.filter(|user| !self.is_out[*user] && self.frees(*user)).collect();
        users.arrange_by_key(|user| self.places[*user]);
        users.dedup();
        users
    }

    /// Whether an instruction is the last to use something large.
    fn frees(&self, inst: InstId) -> bool {
        let is_last = |value: &ValueId| self.left[*value] == 1 && self.uses.bytes(*value) >= self.uses.least;
        self.uses.used.of(inst).iter().any(is_last)
    }

    /// An instruction with those it waits for, in order; `None` if they are many, or one may not move.
    fn group(&mut self, inst: InstId) -> Option<Vec<InstId>> {
        let mut work = std::mem::take(&mut self.spare.work);
        work.push(inst);
        let group = self.group_of(&mut work);
        work.clear();
        self.spare.work = work;
        group
    }

    fn group_of(&self, work: &mut Vec<InstId>) -> Option<Vec<InstId>> {
        let mut group = Vec::new();
        while let Some(inst) = work.pop() {
            if self.is_out[inst] || group.contains(&inst) {
                continue;
            }
            let passes = self.early.last().is_some_and(|early| *early < self.places[inst]);
            if passes || !self.uses.moves(inst) || group.len() >= MOST_AT_ONCE {
                return None;
            }
            group.push(inst);
            let made = |value: &ValueId| match self.uses.func.value(*value).def {
                Def::Result { inst, .. } if self.uses.is_here[inst] => Some(inst),
                Def::Result { .. } | Def::Param { .. } => None,
            };
            work.extend(self.uses.needed.of(inst).iter().filter_map(made));
        }
        group.arrange_by_key(|inst| self.places[*inst]);
        Some(group)
    }

    /// Whether fewer bytes are alive behind a group, and at no time more than there were anyway.
    fn pays(&mut self, group: &[InstId]) -> Pays {
        let mut gone = std::mem::take(&mut self.spare.gone);
        let pays = self.pays_with(group, &mut gone);
        gone.clear();
        self.spare.gone = gone;
        pays
    }

    fn pays_with(&self, group: &[InstId], gone: &mut Vec<(ValueId, u32)>) -> Pays {
        let (mut alive, mut most) = (self.alive, self.alive);
        for inst in group {
            alive += self.uses.made(*inst);
            most = most.max(alive);
            for value in self.uses.used.of(*inst) {
                let count = match gone.iter_mut().find(|(other, _)| other == value) {
                    Some((_, count)) => {
                        *count += 1;
                        *count
                    }
                    None => {
                        gone.push((*value, 1));
                        1
                    }
                };
                alive -= if count == self.left[*value] { self.uses.bytes(*value) } else { 0 };
            }
        }
        match (self.alive - alive >= self.uses.least, most <= self.peak) {
            (true, true) => Pays::Now,
            (true, false) => Pays::Later(self.alive - (most - self.peak)),
            (false, _) => Pays::Never,
        }
    }
}
