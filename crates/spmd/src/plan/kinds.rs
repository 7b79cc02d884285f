//! Instructions that are alike: the same op on the same types.
//!
//! They share one rule, and strategies thought of for one are those of all: a model of many layers is planned in little
//! more than the time of one.

use crate::exchange::ties::{Ties, ties};
use crate::plan::strategy::Strategy;
use crate::plan::table::ShardingId;
use meshwright_base::hash::WordHasher;
use meshwright_base::{IdMap, InlineVec, LookupMap, define_id};
use meshwright_ir::{Function, Inst, InstId, Op, Rule, Type, ValueId, rule_of};
use meshwright_shard::{MeshId, Reducer};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

define_id!(
    /// A class of instructions that are alike.
    pub KindId, "kind"
);

/// Shardings at hand, each of one tensor of an instruction.
pub type Sources = InlineVec<(usize, ShardingId), 6>;

/// Rules of a function's instructions, where they were asked for.
pub type Rules = IdMap<InstId, Option<Rc<Rule>>>;

/// What a rule depends on.
struct Key {
    kind: KindId,
    op: Op,
    operands: Vec<Type>,
    results: Vec<Type>,
    reducers: Vec<Option<Reducer>>,
    ties: Option<Ties>,
}

impl Key {
    fn of(func: &Function, inst: InstId, kind: KindId) -> Key {
        let info = func.inst(inst);
        let types = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).clone()).collect();
        Key {
            kind,
            op: info.op.clone(),
            operands: types(&info.operands),
            results: types(&info.results),
            reducers: reducers(func, info).collect(),
            ties: ties(func, inst),
        }
    }

    /// Whether an instruction has it.
    fn fits(&self, func: &Function, inst: InstId) -> bool {
        let info = func.inst(inst);
        let are =
            |types: &[Type], values: &[ValueId]| types.iter().eq(values.iter().map(|value| func.ty(*value)));
        self.op == info.op
            && are(&self.operands, &info.operands)
            && are(&self.results, &info.results)
            && self.reducers.iter().copied().eq(reducers(func, info))
            && self.ties == ties(func, inst)
    }
}

fn reducers(func: &Function, info: &Inst) -> impl Iterator<Item = Option<Reducer>> {
    info.regions.iter().map(|region| func.region_reducer(*region))
}

/// Of the op and the types; the rest rarely tells instructions apart.
fn hash(func: &Function, info: &Inst) -> u64 {
    let mut hasher = WordHasher::default();
    info.op.hash(&mut hasher);
    info.operands.iter().chain(&info.results).for_each(|value| func.ty(*value).hash(&mut hasher));
    hasher.finish()
}

#[derive(Default)]
pub struct Kinds {
    /// By their hash.
    keys: LookupMap<u64, Vec<Key>>,
    rules: IdMap<KindId, Rc<Rule>>,
    strategies: LookupMap<(KindId, MeshId, Sources), Rc<[Strategy]>>,
}

impl Kinds {
    /// The kind of an instruction. One without operands (a constant's bytes are long) is of its own.
    pub fn of(&mut self, func: &Function, inst: InstId) -> KindId {
        let info = func.inst(inst);
        if info.operands.is_empty() {
            return self.rules.push(Rc::new(rule_of(func, inst)));
        }
        let keys = self.keys.entry(hash(func, info)).or_default();
        if let Some(key) = keys.iter().find(|key| key.fits(func, inst)) {
            return key.kind;
        }
        let kind = self.rules.push(Rc::new(rule_of(func, inst)));
        keys.push(Key::of(func, inst, kind));
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

    /// What was thought of such an instruction with these shardings around it.
    pub fn strategies(&self, kind: KindId, mesh: MeshId, sources: &Sources) -> Option<Rc<[Strategy]>> {
        self.strategies.get(&(kind, mesh, sources.clone())).cloned()
    }

    pub fn remember(&mut self, kind: KindId, mesh: MeshId, sources: Sources, strategies: Rc<[Strategy]>) {
        self.strategies.insert((kind, mesh, sources), strategies);
    }
}
