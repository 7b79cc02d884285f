//! Drop instructions whose results nobody uses and that do nothing else.

use crate::residual::may_repeat;
use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Editor, Function, InstId, Op, ValueId};

/// One walk from the results back. Calls are kept only if used: derivatives call nothing for its effects.
pub(crate) fn prune(func: &mut Function) {
    let mut live = Live {
        func,
        values: IdMap::filled(func.value_count(), false),
        insts: IdMap::filled(func.inst_count(), false),
        work: Vec::new(),
    };
    live.block(func.root());
    live.run();
    let insts = live.insts;
    for block in func.blocks_in_order() {
        let kept: Vec<InstId> = func.block(block).insts.iter().copied().filter(|inst| insts[*inst]).collect();
        if kept.len() != func.block(block).insts.len() {
            Editor::new(func).set_order(block, kept);
        }
    }
}

struct Live<'a> {
    func: &'a Function,
    values: IdMap<ValueId, bool>,
    insts: IdMap<InstId, bool>,
    work: Vec<ValueId>,
}

impl Live<'_> {
    fn block(&mut self, block: BlockId) {
        let func = self.func;
        for result in &func.block(block).results {
            self.value(*result);
        }
        for inst in &func.block(block).insts {
            if !may_repeat(func, *inst)
                || matches!(func.inst(*inst).op, Op::Sharding(_)) && no_result(func, *inst)
            {
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
        let func = self.func;
        for operand in &func.inst(inst).operands {
            self.value(*operand);
        }
        for region in &func.inst(inst).regions {
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

fn no_result(func: &Function, inst: InstId) -> bool {
    func.inst(inst).results.is_empty()
}
