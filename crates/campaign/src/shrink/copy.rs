//! A copy of a module that keeps only what some results need.

use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{At, BlockId, Editor, Function, InstId, Module, Op, ResultInfo, ValueId};

/// The module with these of the entry's results; the named values become parameters instead of being computed.
pub(super) fn copied(module: &Module, results: &[usize], inputs: &[ValueId]) -> Module {
    let old = module.main();
    let mut new = Function::new(&old.name, old.is_public);
    let root = new.root();
    let mut copy = Copy { old, values: IdMap::filled(old.value_count(), None), new: &mut new };
    let kept: Vec<ValueId> = results.iter().filter_map(|at| old.result_values().get(*at).copied()).collect();
    let (needed, params) = needed(old, &kept, inputs);
    for value in params {
        copy.param(root, value);
    }
    for inst in &old.block(old.root()).insts {
        if needed.contains(inst) {
            copy.inst(root, *inst);
        }
    }
    copy.returns(root, &kept);
    let infos: Vec<ResultInfo> = results.iter().filter_map(|at| old.results.get(*at).cloned()).collect();
    for (new, old) in Editor::new(&mut new).result_info_mut().iter_mut().zip(infos) {
        new.sharding = old.sharding;
    }
    let mut module = module.clone();
    let entry = module.entry;
    module.funcs[entry] = new;
    drop_functions(&mut module);
    module
}

/// Functions nobody calls, if nobody calls any.
fn drop_functions(module: &mut Module) {
    let main = module.main().clone();
    let calls = |inst: InstId| matches!(main.inst(inst).op, Op::Call(_));
    if module.entry == meshwright_base::Id::from_index(0) && !main.insts_in_order().into_iter().any(calls) {
        module.funcs = [main].into_iter().collect();
    }
}

/// Instructions of the root block that the values need, and values that are or become parameters, in order.
fn needed(func: &Function, values: &[ValueId], inputs: &[ValueId]) -> (Vec<InstId>, Vec<ValueId>) {
    let (mut insts, mut params) = (Vec::new(), Vec::new());
    let mut work = values.to_vec();
    let mut seen = IdMap::filled(func.value_count(), false);
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut seen[value], true) {
            continue;
        }
        match func.def_inst(value).filter(|_| !inputs.contains(&value)) {
            None => params.push(value),
            Some(inst) => {
                insts.push(inst);
                work.extend(used_by(func, inst));
            }
        }
    }
    params.arrange();
    (insts, params)
}

/// Operands of an instruction and what its regions use from outside.
fn used_by(func: &Function, inst: InstId) -> Vec<ValueId> {
    let mut used = func.inst(inst).operands.clone();
    let (mut inside, mut blocks) = (Vec::new(), func.inst(inst).regions.clone());
    while let Some(block) = blocks.pop() {
        let block = func.block(block);
        inside.extend(block.params.iter().copied());
        used.extend(block.results.iter().copied());
        for inner in &block.insts {
            let inner = func.inst(*inner);
            inside.extend(inner.results.iter().copied());
            used.extend(inner.operands.iter().copied());
            blocks.extend(inner.regions.iter().copied());
        }
    }
    used.retain(|value| !inside.contains(value));
    used
}

struct Copy<'a> {
    old: &'a Function,
    new: &'a mut Function,
    values: IdMap<ValueId, Option<ValueId>>,
}

impl Copy<'_> {
    fn param(&mut self, block: BlockId, value: ValueId) {
        let param = Editor::new(self.new).param(block, self.old.ty(value).clone());
        self.name(value, param);
    }

    fn name(&mut self, old: ValueId, new: ValueId) {
        let sharding = self.old.value(old).sharding.clone();
        Editor::new(self.new).set_sharding(new, sharding);
        self.values[old] = Some(new);
    }

    fn of(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().filter_map(|value| self.values[*value]).collect()
    }

    fn inst(&mut self, block: BlockId, inst: InstId) {
        let old = self.old.inst(inst);
        let regions: Vec<BlockId> = old.regions.iter().map(|region| self.block(*region)).collect();
        let operands = self.of(&old.operands);
        let types = old.results.iter().map(|value| self.old.ty(*value).clone()).collect();
        let mut editor = Editor::new(self.new);
        let made = editor.push_typed(At::End(block), old.op.clone(), operands, regions, types, old.source);
        let results = self.new.inst(made).results.clone();
        for (old, new) in old.results.iter().zip(results) {
            self.name(*old, new);
        }
    }

    fn block(&mut self, old: BlockId) -> BlockId {
        let new = Editor::new(self.new).block();
        let body = self.old.block(old);
        for param in &body.params {
            self.param(new, *param);
        }
        for inst in &body.insts {
            self.inst(new, *inst);
        }
        self.returns(new, &body.results);
        new
    }

    fn returns(&mut self, block: BlockId, values: &[ValueId]) {
        let values = self.of(values);
        Editor::new(self.new).set_results(block, values);
    }
}
