//! Instructions and edges as steps: a rule over slots, laid out flat, with the level at which each direction may run.
//!
//! A step holds what one visit needs and nothing else: for each tensor its slot and the factors of its dims. Rules are
//! asked for once; a rule whose tensors fall into groups that share no factor (operand i to result i of a barrier)
//! becomes one step per group. Instructions on scalars make no step.

use crate::lists::ListId;
use crate::state::{SlotId, State};
use meshwright_ground::{Id, IdMap, define_id};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{Factor, FactorKind, FuncId, InstId, Rule};
use std::ops::Range;

define_id!(
    /// A step, in program order.
    pub(crate) StepId, "step"
);

/// When a direction of a step comes to its turn (GSPMD 3.5: the most intuitive first).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// Every dim stays: elementwise, transposes, reshapes, edges. Both ways.
    Keep,
    /// Dims are added, removed or cut: contractions, reductions, gathers, windows. Both ways.
    Change,
    /// From the result of a broadcast to its operand.
    BroadcastBack,
    /// From the operand of a broadcast to its result.
    BroadcastOn,
    Never,
}

/// The levels that run, in their order.
pub(crate) const LEVELS: [Level; 4] = [Level::Keep, Level::Change, Level::BroadcastBack, Level::BroadcastOn];

/// One tensor of a step.
#[derive(Clone, Copy)]
pub(crate) struct Tensor {
    pub slot: SlotId,
    /// Where its dims begin in the table; it has as many as its slot.
    pub first_dim: usize,
    /// Leading axes of each dim that the step does not see: those that are manual on the other side.
    pub strip: ListId,
}

/// What a step is made of.
pub(crate) struct Step {
    pub tensors: Range<usize>,
    /// How many of the tensors are operands; the rest are results.
    pub operands: usize,
    pub factors: Range<usize>,
    pub forward: Level,
    pub backward: Level,
    pub func: FuncId,
    /// `None`: the return of the function.
    pub inst: Option<InstId>,
}

/// All steps of a module.
#[derive(Default)]
pub(crate) struct Steps {
    pub steps: IdMap<StepId, Step>,
    pub tensors: Vec<Tensor>,
    /// Tensors of each step by falling size, positions within the step.
    pub by_size: Vec<u32>,
    dims: Vec<Range<u32>>,
    factor_of: Vec<u32>,
    pub factors: Vec<Factor>,
}

/// A tensor on its way into a step.
pub(crate) struct Part<'a> {
    pub slot: SlotId,
    pub dims: &'a [DimFactors],
    pub strip: ListId,
}

impl Steps {
    /// Factors of a dim of a tensor, as positions within the step.
    pub(crate) fn factors_of(&self, tensor: &Tensor, dim: usize) -> &[u32] {
        let range = &self.dims[tensor.first_dim + dim];
        &self.factor_of[range.start as usize..range.end as usize]
    }

    /// Sizes of the given factors of a step.
    pub(crate) fn sizes<'a>(&self, step: &Step, of: &'a [u32], buffer: &'a mut Vec<i64>) -> &'a [i64] {
        buffer.clear();
        buffer.extend(of.iter().map(|factor| self.factors[step.factors.start + *factor as usize].size));
        buffer
    }

    /// The rule of an instruction over the slots of its operands and results.
    pub(crate) fn add_rule(
        &mut self,
        state: &State,
        (func, inst): (FuncId, InstId),
        rule: &Rule,
        (operands, results): (&[SlotId], &[SlotId]),
    ) {
        let part = |(slot, dims): (&SlotId, _)| Part { slot: *slot, dims, strip: ListId::empty() };
        let operands: Vec<Part> =
            operands.iter().zip(&rule.operands).map(|(slot, dims)| part((slot, dims))).collect();
        let results: Vec<Part> =
            results.iter().zip(&rule.results).map(|(slot, dims)| part((slot, dims))).collect();
        for (operands, results) in connected(rule.factors.len(), operands, results) {
            let levels = levels(rule, &operands, &results);
            self.add(state, (func, Some(inst)), levels, &rule.factors, &operands, &results);
        }
    }

    /// A step from its parts. One that connects nothing is left out.
    pub(crate) fn add(
        &mut self,
        state: &State,
        (func, inst): (FuncId, Option<InstId>),
        (forward, backward): (Level, Level),
        factors: &IdMap<meshwright_ir::FactorId, Factor>,
        operands: &[Part],
        results: &[Part],
    ) {
        let parts =
            || operands.iter().chain(results).filter(|part| part.dims.iter().any(|dim| !dim.is_empty()));
        if parts().count() < 2 {
            return;
        }
        let first_tensor = self.tensors.len();
        for part in parts() {
            self.add_tensor(part);
        }
        let first_factor = self.factors.len();
        self.factors.extend(factors.values());
        let has_factors = |part: &&Part| part.dims.iter().any(|dim| !dim.is_empty());
        self.steps.push(Step {
            tensors: first_tensor..self.tensors.len(),
            operands: operands.iter().filter(has_factors).count(),
            factors: first_factor..self.factors.len(),
            forward,
            backward,
            func,
            inst,
        });
        let tensors = &self.tensors[first_tensor..];
        let mut order: Vec<u32> = (0..tensors.len() as u32).collect();
        order.sort_by_key(|at| std::cmp::Reverse(state.slots[tensors[*at as usize].slot].bytes));
        self.by_size.extend(order);
    }

    fn add_tensor(&mut self, part: &Part) {
        let first_dim = self.dims.len();
        for factors in part.dims {
            let start = self.factor_of.len() as u32;
            self.factor_of.extend(factors.iter().map(|factor| factor.index() as u32));
            self.dims.push(start..self.factor_of.len() as u32);
        }
        self.tensors.push(Tensor { slot: part.slot, first_dim, strip: part.strip });
    }
}

/// Operands and results of one step.
type Parts<'a> = (Vec<Part<'a>>, Vec<Part<'a>>);

/// Groups of tensors that share factors, in order of their first tensor.
fn connected<'a>(factors: usize, operands: Vec<Part<'a>>, results: Vec<Part<'a>>) -> Vec<Parts<'a>> {
    const FEW: usize = 4;
    let count = operands.len();
    if count + results.len() <= FEW {
        return vec![(operands, results)];
    }
    let mut groups = Groups { parent: (0..count + results.len()).collect() };
    let mut first_with: Vec<Option<usize>> = vec![None; factors];
    for (at, part) in operands.iter().chain(&results).enumerate() {
        for factor in part.dims.iter().flatten() {
            let first = *first_with[factor.index()].get_or_insert(at);
            groups.join(first, at);
        }
    }
    let mut place = vec![None; count + results.len()];
    let mut out: Vec<Parts> = Vec::new();
    for (at, part) in operands.into_iter().chain(results).enumerate() {
        let group = *place[groups.root(at)].get_or_insert_with(|| {
            out.push((Vec::new(), Vec::new()));
            out.len() - 1
        });
        let (operands, results) = &mut out[group];
        if at < count { operands.push(part) } else { results.push(part) }
    }
    out
}

/// Disjoint sets of tensors; the root of a set is its first member.
struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// When a rule's directions run, told from its factors alone.
fn levels(rule: &Rule, operands: &[Part], results: &[Part]) -> (Level, Level) {
    let Some(sets) = Sets::of(rule, operands, results) else { return (Level::Change, Level::Change) };
    if sets.operands != 0 && sets.results & !sets.operands & sets.passing & sets.long != 0 {
        return (Level::BroadcastOn, Level::BroadcastBack);
    }
    let keeps = sets.all_pass && sets.same_or_apart();
    if keeps { (Level::Keep, Level::Keep) } else { (Level::Change, Level::Change) }
}

/// Which factors stand where, as bits. Factors that must not be split count for nothing.
struct Sets {
    of: Vec<u128>,
    operands: u128,
    results: u128,
    passing: u128,
    /// Factors of size above 1.
    long: u128,
    all_pass: bool,
}

impl Sets {
    /// `None` if there are too many factors to number.
    fn of(rule: &Rule, operands: &[Part], results: &[Part]) -> Option<Sets> {
        let split = |factor: &&meshwright_ir::FactorId| rule.kind(**factor) != FactorKind::Whole;
        let bit = |factor: &meshwright_ir::FactorId| 1u128.checked_shl(factor.index() as u32).unwrap_or(0);
        if rule.factors.len() > 128 {
            return None;
        }
        let set =
            |part: &Part| part.dims.iter().flatten().filter(split).fold(0, |set, factor| set | bit(factor));
        let join = |parts: &[Part]| parts.iter().fold(0, |all, part| all | set(part));
        let (all_operands, all_results) = (join(operands), join(results));
        let those = |keep: &dyn Fn(&Factor) -> bool| {
            let ids = rule.factors.iter().filter(|(_, factor)| keep(factor));
            ids.fold(0, |set, (id, _)| set | bit(&id)) & (all_operands | all_results)
        };
        let passing = those(&|factor| factor.kind == FactorKind::Pass);
        Some(Sets {
            of: operands.iter().chain(results).map(set).filter(|set| *set != 0).collect(),
            operands: all_operands,
            results: all_results,
            passing,
            long: those(&|factor| factor.size > 1),
            all_pass: passing == all_operands | all_results,
        })
    }

    /// Whether two tensors have the same factors of size above 1 or none in common, and no factor stands alone.
    fn same_or_apart(&self) -> bool {
        let of = |at: usize| self.of[at] & self.long;
        let alike = |a: usize, b: usize| of(a) == of(b) || of(a) & of(b) == 0;
        let all = |at: usize| (0..self.of.len()).filter(move |other| *other != at);
        (0..self.of.len())
            .all(|at| all(at).all(|other| alike(at, other)) && all(at).any(|other| of(at) == of(other)))
    }
}
