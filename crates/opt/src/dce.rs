//! Remove instructions whose results nobody uses.
//!
//! ```text
//! %a = add %x, %y
//! %b = multiply %x, %y          =>      %b = multiply %x, %y
//! return %b
//! ```
//!
//! One walk from the results back. Side effects stay, also those in functions that are called.

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
        work: Vec::new(),
    };
    live.block(func.root());
    live.run();
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
    work: Vec<ValueId>,
}

impl Liveness<'_> {
    /// A block that runs: what it returns and what has effects is live.
    fn block(&mut self, block: BlockId) {
        for result in &self.func.block(block).results {
            self.value(*result);
        }
        for inst in &self.func.block(block).insts {
            if self.effects.has_effect(self.func, *inst) {
                self.inst(*inst);
            }
        }
    }

    fn value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.values[value], true) {
            self.work.push(value);
        }
    }

    fn inst(&mut self, inst: InstId) {
        if std::mem::replace(&mut self.insts[inst], true) {
            return;
        }
        for operand in &self.func.inst(inst).operands {
            self.value(*operand);
        }
        for region in &self.func.inst(inst).regions {
            self.block(*region);
        }
    }

    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            if let Some(inst) = self.func.def_inst(value) {
                self.inst(inst);
            }
        }
    }
}
