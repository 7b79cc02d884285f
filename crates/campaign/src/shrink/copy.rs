//! A copy of a module that keeps only what some results need.

use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::copy::{Renaming, copy_inst};
use meshwright_ir::{Editor, Function, InstId, Module, Op, ResultInfo, ValueId};

/// The module with these of the entry's results; the named values become parameters instead of being computed.
pub(super) fn copied(module: &Module, results: &[usize], inputs: &[ValueId]) -> Module {
    let old = module.main();
    let mut new = Function::new(&old.name, old.is_public);
    let root = new.root();
    let mut now = IdMap::filled(old.value_count(), None);
    let kept: Vec<ValueId> = results.iter().filter_map(|at| old.result_values().get(*at).copied()).collect();
    let (needed, params) = needed(old, &kept, inputs);
    for value in params {
        let mut editor = Editor::new(&mut new);
        let param = editor.param(root, old.ty(value).clone());
        editor.set_sharding(param, old.value(value).sharding.clone());
        now.rename(value, param);
    }
    for inst in old.block(old.root()).insts.iter().filter(|inst| needed.contains(inst)) {
        copy_inst(Some(old), &mut new, *inst, root, &mut now);
    }
    Editor::new(&mut new).set_results(root, kept.iter().map(|value| now.now(*value)).collect());
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
