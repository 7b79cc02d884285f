//! Remove instructions whose results nobody uses.
//!
//! ```text
//! %a = add %x, %y
//! %b = multiply %x, %y          =>      %b = multiply %x, %y
//! return %b
//! ```
//!
//! One walk over instructions, the last first: what uses a value stands behind what makes it, so all uses are known
//! when the walk comes to it. Side effects stay, also those in functions that are called.

use crate::Changed;
use crate::effects::Effects;
use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Editor, Function, InstId, Module, ValueId};

pub fn dce(module: &mut Module) -> Changed {
    let effects = Effects::of(module);
    module
        .funcs
        .values_mut()
        .map(|func| dce_function(func, &effects))
        .fold(false, |any, changed| any | changed)
}

fn dce_function(func: &mut Function, effects: &Effects) -> Changed {
    let mut live = Liveness {
        func,
        effects,
        values: IdMap::filled(func.value_count(), false),
        insts: IdMap::filled(func.inst_count(), false),
    };
    live.block(func.root());
    let insts = live.insts;
    let mut changed = false;
    for block in func.blocks_in_order() {
        let old = &func.block(block).insts;
        if !old.iter().all(|inst| insts[*inst]) {
            changed = true;
            let new = old.iter().copied().filter(|inst| insts[*inst]).collect();
            Editor::new(func).set_order(block, new);
        }
    }
    changed
}

struct Liveness<'a> {
    func: &'a Function,
    effects: &'a Effects,
    values: IdMap<ValueId, bool>,
    insts: IdMap<InstId, bool>,
}

impl Liveness<'_> {
    /// A block that runs: what it returns is live, and what has effects.
    fn block(&mut self, block: BlockId) {
        let block = self.func.block(block);
        self.used(&block.results);
        for inst in block.insts.iter().rev() {
            let info = self.func.inst(*inst);
            let is_used = info.results.iter().any(|result| self.values[*result]);
            if is_used || self.effects.has_effect(self.func, *inst) {
                self.insts[*inst] = true;
                self.used(&info.operands);
                for region in &info.regions {
                    self.block(*region);
                }
            }
        }
    }

    fn used(&mut self, values: &[ValueId]) {
        for value in values {
            self.values[*value] = true;
        }
    }
}
