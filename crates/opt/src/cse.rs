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
use meshwright_ground::{IdMap, LookupMap};
use meshwright_ir::{Annotation, BlockId, Editor, Function, Inst, InstId, Module, Op, ValueId};
use meshwright_shard::Reducer;

pub fn cse(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(cse_function).fold(false, |any, changed| any | changed)
}

/// What two instructions must share to be one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    operands: Vec<ValueId>,
    regions: Vec<Reducer>,
    types: Vec<meshwright_ir::Type>,
    shardings: Vec<Option<Annotation>>,
}

struct Walk<'a> {
    func: &'a Function,
    replaced: IdMap<ValueId, Option<ValueId>>,
    /// One per open block.
    scopes: Vec<LookupMap<Key, InstId>>,
    dropped: IdMap<InstId, bool>,
}

fn cse_function(func: &mut Function) -> Changed {
    let mut walk = Walk {
        func,
        replaced: IdMap::filled(func.value_count(), None),
        scopes: Vec::new(),
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

impl Walk<'_> {
    fn block(&mut self, block: BlockId) {
        self.scopes.push(LookupMap::default());
        for inst in &self.func.block(block).insts {
            self.inst(*inst);
        }
        self.scopes.pop();
    }

    fn inst(&mut self, id: InstId) {
        let inst = self.func.inst(id);
        if let Some(key) = self.key(id, inst) {
            if let Some(earlier) = self.scopes.iter().rev().find_map(|scope| scope.get(&key)) {
                for (old, new) in inst.results.iter().zip(&self.func.inst(*earlier).results) {
                    self.replaced[*old] = Some(*new);
                }
                self.dropped[id] = true;
                return;
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(key, id);
            }
        }
        for region in &inst.regions {
            self.block(*region);
        }
    }

    fn key(&self, id: InstId, inst: &Inst) -> Option<Key> {
        let stays = matches!(inst.op, Op::Call(_) | Op::OptimizationBarrier);
        if !is_pure(self.func, id) || stays || inst.results.is_empty() {
            return None;
        }
        let regions: Option<Vec<Reducer>> =
            inst.regions.iter().map(|region| self.func.region_reducer(*region)).collect();
        let mut op = inst.op.clone();
        if let Op::Collective(collective) = &mut op {
            collective.channel.id = None;
        }
        Some(Key {
            op,
            operands: inst.operands.iter().map(|value| self.replaced[*value].unwrap_or(*value)).collect(),
            regions: regions?,
            types: inst.results.iter().map(|value| self.func.ty(*value).clone()).collect(),
            shardings: inst.results.iter().map(|value| self.func.value(*value).sharding.clone()).collect(),
        })
    }
}
