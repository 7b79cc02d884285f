//! Instructions that are alike: the same op on the same types, or what only its name tells from it.
//!
//! They share one rule, and strategies thought of for one are those of all: a model of many layers is planned in little
//! more than the time of one.

use crate::exchange::ties::{Ties, ties};
use crate::plan::strategy::{Strategy, StrategyId};
use crate::plan::table::ShardingId;
use meshwright_base::hash::WordHasher;
use meshwright_base::{IdMap, InlineVec, LookupMap, define_id};
use meshwright_ir::{Factor, Facts, Function, Inst, InstId, Localize, Op, Rule, Type, ValueId, rule_of};
use meshwright_shard::{MeshId, Reducer};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

define_id!(
    /// A class of instructions that are alike.
    pub KindId, "kind"
);

/// A sharding at hand, of one tensor of an instruction (operands first).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtHand {
    pub tensor: u32,
    pub sharding: ShardingId,
}

pub type Sources = InlineVec<AtHand, 6>;

/// Rules of a function's instructions, where they were asked for.
pub type Rules = IdMap<InstId, Option<Rc<Rule>>>;

/// What a rule depends on.
struct Key {
    kind: KindId,
    op: Op,
    types: Types,
    reducers: Vec<Option<Reducer>>,
    ties: Option<Ties>,
}

impl Key {
    /// Whether an instruction has it.
    fn fits(&self, func: &Function, inst: InstId) -> bool {
        let info = func.inst(inst);
        self.op == info.op
            && self.types.fit(func, info)
            && self.reducers.iter().copied().eq(reducers(func, info))
            && self.ties == ties(func, inst)
    }
}

/// Types of an instruction's operands, then of its results.
struct Types {
    operands: usize,
    all: Vec<Type>,
}

impl Types {
    fn of(func: &Function, info: &Inst) -> Types {
        let all = values(info).map(|value| func.ty(value).clone()).collect();
        Types { operands: info.operands.len(), all }
    }

    fn fit(&self, func: &Function, info: &Inst) -> bool {
        let count = info.operands.len() + info.results.len();
        (self.operands, self.all.len()) == (info.operands.len(), count)
            && self.all.iter().zip(values(info)).all(|(ty, value)| ty == func.ty(value))
    }
}

fn values(info: &Inst) -> impl Iterator<Item = ValueId> {
    info.operands.iter().chain(&info.results).copied()
}

fn reducers(func: &Function, info: &Inst) -> impl Iterator<Item = Option<Reducer>> {
    info.regions.iter().map(|region| func.region_reducer(*region))
}

/// Of the dims: element types rarely tell instructions apart.
fn hash(func: &Function, info: &Inst) -> u64 {
    let mut hasher = WordHasher::default();
    for value in values(info) {
        func.dims(value).iter().for_each(|size| hasher.write_u64(*size as u64));
    }
    hasher.finish()
}

/// A kind that is told from others by its rule and its types alone: no piece needs elements of another, and nothing
/// else of the op matters.
struct Plain {
    kind: KindId,
    facts: Facts,
    types: Types,
}

/// Strategies made from some shardings at hand.
pub struct Thought {
    mesh: MeshId,
    pub sources: Sources,
    pub strategies: Rc<[StrategyId]>,
}

/// What was thought of a kind.
#[derive(Default)]
struct Ideas {
    /// By the shardings at hand: these are few.
    thoughts: Vec<Thought>,
    strategies: Vec<StrategyId>,
}

#[derive(Default)]
pub struct Kinds {
    /// By the hash of their op and types.
    keys: LookupMap<u64, Vec<Key>>,
    /// By the hash of their types.
    plain: LookupMap<u64, Vec<Plain>>,
    rules: IdMap<KindId, Rc<Rule>>,
    ideas: IdMap<KindId, Ideas>,
    strategies: IdMap<StrategyId, Rc<Strategy>>,
}

impl Kinds {
    /// The kind of an instruction.
    pub fn of(&mut self, func: &Function, inst: InstId) -> KindId {
        let info = func.inst(inst);
        if info.operands.is_empty() {
            // A constant's bytes are long.
            return self.of_rule(func, inst, hash(func, info));
        }
        let types = hash(func, info);
        let mut hasher = WordHasher::default();
        (types, &info.op).hash(&mut hasher);
        let hash = hasher.finish();
        let key = self.keys.get(&hash).and_then(|keys| keys.iter().find(|key| key.fits(func, inst)));
        if let Some(key) = key {
            return key.kind;
        }
        let kind = self.of_rule(func, inst, types);
        let key = Key {
            kind,
            op: info.op.clone(),
            types: Types::of(func, info),
            reducers: reducers(func, info).collect(),
            ties: ties(func, inst),
        };
        self.keys.entry(hash).or_default().push(key);
        kind
    }

    /// The kind of an instruction that is none of those with the same op.
    fn of_rule(&mut self, func: &Function, inst: InstId, hash: u64) -> KindId {
        let (rule, info) = (rule_of(func, inst), func.inst(inst));
        let facts = info.op.facts();
        let is_plain = |factor: &Factor| factor.localize == Localize::Plain;
        if facts.regroups || !rule.factors.values().all(is_plain) {
            return self.rules.push(Rc::new(rule));
        }
        let (plain, rules) = (self.plain.entry(hash).or_default(), &mut self.rules);
        let same = |plain: &&Plain| {
            plain.facts == facts && plain.types.fit(func, info) && *rules[plain.kind] == rule
        };
        if let Some(plain) = plain.iter().find(same) {
            return plain.kind;
        }
        let kind = rules.push(Rc::new(rule));
        plain.push(Plain { kind, facts, types: Types::of(func, info) });
        kind
    }

    /// The rule of each of these instructions, read once for all that are alike.
    pub fn rules(func: &Function, insts: &[InstId]) -> Rules {
        let mut kinds = Kinds::default();
        let mut rules = IdMap::filled(func.inst_count(), None);
        for inst in insts {
            let kind = kinds.of(func, *inst);
            rules[*inst] = Some(kinds.rule(kind).clone());
        }
        rules
    }

    pub fn rule(&self, kind: KindId) -> &Rc<Rule> {
        &self.rules[kind]
    }

    /// What was thought of such an instruction with these shardings around it: its number.
    pub fn thought_of(&self, kind: KindId, mesh: MeshId, sources: &Sources) -> Option<usize> {
        let same = |thought: &Thought| thought.mesh == mesh && thought.sources == *sources;
        self.ideas.get(kind)?.thoughts.iter().position(same)
    }

    /// A thought by its number.
    pub fn thought(&self, kind: KindId, number: usize) -> &Thought {
        &self.ideas[kind].thoughts[number]
    }

    pub fn strategy(&self, id: StrategyId) -> &Rc<Strategy> {
        &self.strategies[id]
    }

    /// Note what was thought; its number.
    pub fn remember(&mut self, kind: KindId, mesh: MeshId, sources: Sources, made: Vec<Strategy>) -> usize {
        while self.ideas.get(kind).is_none() {
            self.ideas.push(Ideas::default());
        }
        let (ideas, all) = (&mut self.ideas[kind], &mut self.strategies);
        let numbered = made.into_iter().map(|strategy| {
            let known = ideas.strategies.iter().copied().find(|id| *all[*id] == strategy);
            known.unwrap_or_else(|| {
                let id = all.push(Rc::new(strategy));
                ideas.strategies.push(id);
                id
            })
        });
        let strategies = numbered.collect();
        ideas.thoughts.push(Thought { mesh, sources, strategies });
        ideas.thoughts.len() - 1
    }
}
