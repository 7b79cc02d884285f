//! Merge instructions that compute the same.
//!
//! ```text
//! %a = add %x, %y
//! %b = add %x, %y               =>      %a = add %x, %y
//! return %a, %b                         return %a, %a
//! ```
//!
//! One walk in program order; a block sees what the blocks around it have. Instructions with regions are compared by
//! their regions' text only if these are plain reducers. Collectives on equal operands merge too: every device drops
//! the same one. Barriers stay: what is behind one is made again on purpose.

use crate::Changed;
use crate::effects::is_pure;
use meshwright_base::hash::WordHasher;
use meshwright_base::{IdMap, LookupMap};
use meshwright_ir::{BlockId, Editor, Function, Inst, InstId, Module, Op, ValueId};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};

pub fn cse(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(cse_function).fold(false, |any, changed| any | changed)
}

struct CseWalk<'a> {
    func: &'a Function,
    replaced: IdMap<ValueId, Option<ValueId>>,
    /// One per open block: the instructions that stay, by their hash.
    scopes: Vec<LookupMap<u64, InstId>>,
    /// The instruction before one of the same hash in its block.
    before: IdMap<InstId, Option<InstId>>,
    dropped: IdMap<InstId, bool>,
}

fn cse_function(func: &mut Function) -> Changed {
    let mut walk = CseWalk {
        func,
        replaced: IdMap::filled(func.value_count(), None),
        scopes: Vec::new(),
        before: IdMap::filled(func.inst_count(), None),
        dropped: IdMap::filled(func.inst_count(), false),
    };
    walk.block(func.root());
    let (replaced, dropped) = (walk.replaced, walk.dropped);
    if !dropped.values().any(|dropped| *dropped) {
        return false;
    }
    let blocks = func.blocks_in_order();
    let mut editor = Editor::new(func);
    for block in blocks {
        let order = editor.func().block(block).insts.iter().copied().filter(|inst| !dropped[*inst]).collect();
        editor.set_order(block, order);
    }
    editor.map_uses(|value| replaced[value].unwrap_or(value));
    true
}

impl CseWalk<'_> {
    fn block(&mut self, block: BlockId) {
        let insts = &self.func.block(block).insts;
        self.scopes.push(LookupMap::with_capacity_and_hasher(insts.len(), Default::default()));
        for inst in insts {
            self.inst(*inst);
        }
        self.scopes.pop();
    }

    fn inst(&mut self, id: InstId) {
        let inst = self.func.inst(id);
        if self.may_merge(id, inst) {
            let hash = self.hash(inst);
            if let Some(earlier) = self.scopes.iter().rev().find_map(|scope| self.equal_in(scope, hash, inst))
            {
                for (old, new) in inst.results.iter().zip(&self.func.inst(earlier).results) {
                    self.replaced[*old] = Some(*new);
                }
                self.dropped[id] = true;
                return;
            }
            if let Some(scope) = self.scopes.last_mut() {
                self.before[id] = scope.insert(hash, id);
            }
        }
        for region in &inst.regions {
            self.block(*region);
        }
    }

    fn may_merge(&self, id: InstId, inst: &Inst) -> bool {
        let stays = matches!(inst.op, Op::Call(_) | Op::OptimizationBarrier);
        let is_plain = |region: &BlockId| self.func.region_reducer(*region).is_some();
        is_pure(self.func, id) && !stays && !inst.results.is_empty() && inst.regions.iter().all(is_plain)
    }

    fn operands<'i>(&'i self, inst: &'i Inst) -> impl Iterator<Item = ValueId> + 'i {
        inst.operands.iter().map(|value| self.replaced[*value].unwrap_or(*value))
    }

    /// Of the op, the operands and the types; the rest rarely tells instructions apart.
    fn hash(&self, inst: &Inst) -> u64 {
        let mut hasher = WordHasher::default();
        comparable(&inst.op).hash(&mut hasher);
        self.operands(inst).for_each(|value| value.hash(&mut hasher));
        inst.results.iter().for_each(|value| self.func.ty(*value).hash(&mut hasher));
        hasher.finish()
    }

    /// The instruction of a block that is the same as one.
    fn equal_in(&self, scope: &LookupMap<u64, InstId>, hash: u64, inst: &Inst) -> Option<InstId> {
        let chain = std::iter::successors(scope.get(&hash).copied(), |earlier| self.before[*earlier]);
        chain.into_iter().find(|earlier| self.equal(self.func.inst(*earlier), inst))
    }

    /// Whether two instructions compute the same and say the same of it.
    fn equal(&self, a: &Inst, b: &Inst) -> bool {
        let reducers = |inst: &Inst| -> Vec<_> {
            inst.regions.iter().map(|region| self.func.region_reducer(*region)).collect()
        };
        let results =
            a.results.iter().zip(&b.results).map(|(a, b)| (self.func.value(*a), self.func.value(*b)));
        self.operands(a).eq(self.operands(b))
            && a.results.len() == b.results.len()
            && results.into_iter().all(|(a, b)| a.ty == b.ty && a.sharding == b.sharding)
            && comparable(&a.op) == comparable(&b.op)
            && reducers(a) == reducers(b)
    }
}

/// An op without the number of its channel, by which collectives that send the same differ.
fn comparable(op: &Op) -> Cow<'_, Op> {
    let Op::Collective(collective) = op else { return Cow::Borrowed(op) };
    let mut collective = collective.clone();
    collective.channel.id = None;
    Cow::Owned(Op::Collective(collective))
}
