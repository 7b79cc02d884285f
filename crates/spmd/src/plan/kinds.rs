//! Instructions that are alike: the same op on the same types, or what only its name tells from it.
//!
//! They share one rule, and strategies thought of for one are those of all: a model of many layers is planned in little
//! more than the time of one.

use crate::exchange::ties::{Ties, ties};
use crate::plan::strategy::{Strategy, StrategyId};
use crate::plan::table::ShardingId;
use meshwright_base::hash::WordHasher;
use meshwright_base::{Id, IdMap, InlineVec, LookupMap, define_id};
use meshwright_ir::{Factor, Facts, Function, Inst, InstId, Localize, Op, Rule, Type, ValueId, rule_of};
use meshwright_shard::{MeshId, Reducer};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

define_id!(
    /// A class of instructions that are alike.
    pub KindId, "kind"
);

define_id!(
    /// A type, of those that were met.
    TypeId, "type"
);

/// Numbers of the types of a function's values, as far as they were asked for: each type is read once for a value, and
/// then compared as a number.
pub struct TypesOfValues(IdMap<ValueId, Option<TypeId>>);

impl TypesOfValues {
    pub fn unread(func: &Function) -> Self {
        TypesOfValues(IdMap::filled(func.value_count(), None))
    }
}

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
    /// Whether an instruction on these types has it.
    fn fits(&self, func: &Function, inst: InstId, types: &Types) -> bool {
        let info = func.inst(inst);
        self.types == *types
            && self.op == info.op
            && self.reducers.iter().copied().eq(reducers(func, info))
            && self.ties == ties(func, inst)
    }
}

/// Types of an instruction's operands, then of its results.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Types {
    operands: usize,
    all: InlineVec<TypeId, 5>,
}

fn values(info: &Inst) -> impl Iterator<Item = ValueId> {
    info.operands.iter().chain(&info.results).copied()
}

fn reducers(func: &Function, info: &Inst) -> impl Iterator<Item = Option<Reducer>> {
    info.regions.iter().map(|region| func.region_reducer(*region))
}

fn hash(thing: &impl Hash) -> u64 {
    let mut hasher = WordHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// A kind that is told from others by its rule and its types alone: no piece needs elements of another, and nothing
/// else of the op matters.
struct Plain {
    kind: KindId,
    facts: Facts,
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
    types: LookupMap<Type, TypeId>,
    /// By the hash of their op and types.
    keys: LookupMap<u64, Vec<Key>>,
    plain: LookupMap<Types, Vec<Plain>>,
    rules: IdMap<KindId, Rc<Rule>>,
    ideas: IdMap<KindId, Ideas>,
    strategies: IdMap<StrategyId, Rc<Strategy>>,
}

impl Kinds {
    /// The kind of an instruction.
    pub fn of(&mut self, func: &Function, inst: InstId, values: &mut TypesOfValues) -> KindId {
        let info = func.inst(inst);
        let types = self.types_of(func, info, values);
        if info.operands.is_empty() {
            // A constant's bytes are long.
            return self.of_rule(func, inst, types);
        }
        let hash = hash(&(&types, &info.op));
        let key = self.keys.get(&hash).and_then(|keys| keys.iter().find(|key| key.fits(func, inst, &types)));
        if let Some(key) = key {
            return key.kind;
        }
        let kind = self.of_rule(func, inst, types.clone());
        let key = Key {
            kind,
            op: info.op.clone(),
            types,
            reducers: reducers(func, info).collect(),
            ties: ties(func, inst),
        };
        self.keys.entry(hash).or_insert_with(|| Vec::with_capacity(1)).push(key);
        kind
    }

    fn types_of(&mut self, func: &Function, info: &Inst, known: &mut TypesOfValues) -> Types {
        let number = |value| *known.0[value].get_or_insert_with(|| self.type_of(func.ty(value)));
        Types { operands: info.operands.len(), all: values(info).map(number).collect() }
    }

    fn type_of(&mut self, ty: &Type) -> TypeId {
        if let Some(id) = self.types.get(ty) {
            return *id;
        }
        let id = TypeId::from_index(self.types.len());
        self.types.insert(ty.clone(), id);
        id
    }

    /// The kind of an instruction that is none of those with the same op.
    fn of_rule(&mut self, func: &Function, inst: InstId, types: Types) -> KindId {
        let (rule, info) = (rule_of(func, inst), func.inst(inst));
        let facts = info.op.facts();
        let is_plain = |factor: &Factor| factor.localize == Localize::Plain;
        if facts.regroups || !rule.factors.values().all(is_plain) {
            return self.rules.push(Rc::new(rule));
        }
        let (plain, rules) = (self.plain.entry(types).or_default(), &mut self.rules);
        let same = |plain: &&Plain| plain.facts == facts && *rules[plain.kind] == rule;
        if let Some(plain) = plain.iter().find(same) {
            return plain.kind;
        }
        let kind = rules.push(Rc::new(rule));
        plain.push(Plain { kind, facts });
        kind
    }

    /// The rule of each of these instructions, read once for all that are alike.
    pub fn rules(func: &Function, insts: &[InstId]) -> Rules {
        let mut kinds = Kinds::default();
        let mut rules = IdMap::filled(func.inst_count(), None);
        let mut types = TypesOfValues::unread(func);
        for inst in insts {
            let kind = kinds.of(func, *inst, &mut types);
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
