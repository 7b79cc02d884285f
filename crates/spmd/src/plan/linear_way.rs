//! What a partial sum passes on its way, because it is linear in it: ops, and loops that carry it on.
//!
//! ```text
//! %d = dot %a, %b          partial over x         the way to %e is: reshape, the loop, convert
//! while (%s = %zero) { return dynamic-update-slice %s, reshape %d }
//! %e = convert %while
//! ```
//!
//! Nothing is decided here: [`postpone`](super::postpone) and [`carried`](super::carried) try a way and keep it if the
//! plan is better.

use crate::plan::Planner;
use crate::plan::strategy::Strategy;
use crate::plan::table::ShardingId;
use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Function, InstId, ValueId};
use std::collections::BTreeMap;

/// Most values that are looked at on the way to a partial one.
const MOST_SEEN: usize = 64;

/// What a partial sum passes on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinearStep {
    /// An op that is linear in this operand.
    Op(InstId, usize),
    /// A loop that carries a sum to which it is added: its number among all.
    Loop(usize),
}

/// A sum carried by a loop, or the stack of what its trips make.
pub(super) struct CarriedSum {
    pub(super) inst: InstId,
    /// Its place among the loop's results and what the body returns; of a carried one, among operands and parameters.
    pub(super) index: usize,
    pub(super) body: BlockId,
    /// The parameter of the body, and that of the condition; none of a stack.
    pub(super) params: Vec<ValueId>,
    /// The ops on its way through the body, in order.
    pub(super) steps: Vec<LinearStep>,
    /// What they add to it.
    pub(super) added: Vec<ValueId>,
}

/// All of a function, inner loops first.
#[derive(Default)]
pub(super) struct CarriedSums {
    pub(super) all: Vec<CarriedSum>,
    /// Which is carried from an operand of a loop, and which one a loop's result is.
    pub(super) from: BTreeMap<(InstId, usize), usize>,
    of: BTreeMap<ValueId, usize>,
}

impl CarriedSums {
    pub(super) fn get(&self, value: ValueId) -> Option<(usize, &CarriedSum)> {
        let at = *self.of.get(&value)?;
        Some((at, self.all.get(at)?))
    }

    pub(super) fn push(&mut self, sum: CarriedSum, func: &Function) {
        if !sum.params.is_empty() {
            self.from.insert((sum.inst, sum.index), self.all.len());
        }
        self.of.extend(func.inst(sum.inst).results.get(sum.index).map(|value| (*value, self.all.len())));
        self.all.push(sum);
    }
}

/// Values from which no way leads to a partial one, and how many values it takes to see that. They stay so for whoever
/// goes through a program once, in order, and makes partial only what lies on a way that was found, or the instruction
/// he stands at: neither lies before a barren value.
pub(super) struct Barren(IdMap<ValueId, Option<usize>>);

impl Barren {
    pub(super) fn unknown(func: &Function) -> Self {
        Barren(IdMap::filled(func.value_count(), None))
    }
}

/// A search for a partial value.
struct WaySearch<'w> {
    sums: &'w CarriedSums,
    /// How many values may still be looked at.
    left: usize,
    way: Vec<LinearStep>,
    barren: Option<&'w mut Barren>,
}

impl Planner<'_> {
    /// The steps between a value that is made partial and this one, in order, each linear in what the one before gives;
    /// and the partial sharding. No steps, if the value itself is partial. Searches with the same sums may share what
    /// they found `barren`.
    pub(super) fn way_from_partial(
        &self,
        value: ValueId,
        sums: &CarriedSums,
        barren: Option<&mut Barren>,
    ) -> Option<(Vec<LinearStep>, ShardingId)> {
        let mut walk = WaySearch { sums, left: MOST_SEEN, way: Vec::new(), barren };
        let made = self.walk_to_partial(value, &mut walk)?;
        Some((walk.way, made))
    }

    fn walk_to_partial(&self, value: ValueId, walk: &mut WaySearch<'_>) -> Option<ShardingId> {
        if let Some(made) = self.partial_of(value) {
            return Some(made);
        }
        if let Some(takes) = walk.barren.as_ref().and_then(|barren| barren.0[value]) {
            walk.left = walk.left.saturating_sub(takes);
            return None;
        }
        let before = walk.left;
        walk.left = walk.left.checked_sub(1)?;
        let found = self.walk_behind(value, walk);
        // Where it is given up at last, there may be more to see.
        if let Some(barren) = walk.barren.as_mut().filter(|_| found.is_none() && walk.left > 0) {
            barren.0[value] = Some(before - walk.left);
        }
        found
    }

    fn walk_behind(&self, value: ValueId, walk: &mut WaySearch<'_>) -> Option<ShardingId> {
        if let Some((at, sum)) = walk.sums.get(value) {
            let made = sum.added.iter().find_map(|added| self.walk_to_partial(*added, walk))?;
            walk.way.push(LinearStep::Loop(at));
            return Some(made);
        }
        let inst = self.known.func.def_inst(value)?;
        let linear = &self.kinds.rule(self.known.kind[inst]?).linear;
        let operands = &self.known.func.inst(inst).operands;
        linear.jointly.iter().chain(&linear.singly).find_map(|at| {
            let made = self.walk_to_partial(*operands.get(*at)?, walk)?;
            walk.way.push(LinearStep::Op(inst, *at));
            Some(made)
        })
    }

    /// The sharding a value is made with, if that is partial.
    pub(super) fn partial_of(&self, value: ValueId) -> Option<ShardingId> {
        self.draft.have[value].filter(|have| !self.table.sharding(*have).partial.is_empty())
    }

    /// Have an op take an operand that is partial as it is made, and give it on as partial; whether it can.
    pub(super) fn pass_partial(&mut self, inst: InstId, at: usize) -> bool {
        let operand = self.known.func.inst(inst).operands.get(at).copied();
        let Some(made) = operand.and_then(|operand| self.partial_of(operand)) else { return false };
        self.think(inst);
        let partial = &self.table.sharding(made).partial;
        let gives = |strategy: &Strategy| {
            strategy.operands[at] == made
                && strategy.results.iter().all(|result| self.table.sharding(*result).partial == *partial)
        };
        let found = self.ideas_of(inst).find(|(_, strategy)| gives(strategy)).map(|(id, _)| id);
        let Some(strategy) = found else { return false };
        self.adopt(inst, strategy);
        true
    }
}
