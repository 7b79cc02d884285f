//! One function per call: a function that is called more than once is copied for each further call.
//!
//! Shardings of different calls then do not meet in one body. A copy is named after its original (`relu_1`). Copying
//! stops at a number of instructions (a chain of functions each calling the next twice doubles with every link); what is
//! still shared then gets one sharding for all its calls.

use crate::landmarks::{Landmark, op_of};
use meshwright_ground::IdMap;
use meshwright_ir::op::Call;
use meshwright_ir::{Editor, FuncId, InstId, Module, Op};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most instructions copies may add.
const MOST_COPIED: usize = 1 << 20;

/// Copy functions so that each is called once; how many copies were made.
pub(crate) fn copy_per_call(module: &mut Module, landmarks: &[Landmark]) -> usize {
    if !landmarks.iter().any(|landmark| matches!(op_of(module, *landmark), Op::Call(_))) {
        return 0;
    }
    let mut names: Names = module.funcs.values().map(|func| (func.name.clone(), 1)).collect();
    let mut called = IdMap::<FuncId, bool>::filled(module.funcs.len(), false);
    called[module.entry] = true;
    let (mut copied, mut left, mut queue) = (0, MOST_COPIED, vec![module.entry]);
    while let Some(caller) = queue.pop() {
        for (inst, callee) in calls(module, caller) {
            if !std::mem::replace(&mut called[callee], true) {
                queue.push(callee);
                continue;
            }
            let size = module.funcs[callee].inst_count().max(1);
            if size > left {
                continue;
            }
            left -= size;
            let copy = copy_function(module, callee, &mut names);
            Editor::new(&mut module.funcs[caller]).set_op(inst, Op::Call(Call { callee: copy }));
            called.push(true);
            queue.push(copy);
            copied += 1;
        }
    }
    copied
}

fn calls(module: &Module, caller: FuncId) -> Vec<(InstId, FuncId)> {
    let func = &module.funcs[caller];
    let callee = |inst: &InstId| match &func.inst(*inst).op {
        Op::Call(call) if module.funcs.get(call.callee).is_some() => Some((*inst, call.callee)),
        _ => None,
    };
    func.insts_in_order().iter().filter_map(callee).collect()
}

/// Names in use, each with the number its next copy tries first.
type Names = BTreeMap<Arc<str>, usize>;

fn copy_function(module: &mut Module, original: FuncId, names: &mut Names) -> FuncId {
    let mut copy = module.funcs[original].clone();
    copy.is_public = false;
    copy.name = fresh_name(&copy.name, names);
    module.funcs.push(copy)
}

fn fresh_name(base: &Arc<str>, names: &mut Names) -> Arc<str> {
    let mut number = names.get(base).copied().unwrap_or(1);
    let mut name: Arc<str> = format!("{base}_{number}").into();
    while names.contains_key(&name) {
        number += 1;
        name = format!("{base}_{number}").into();
    }
    names.insert(base.clone(), number + 1);
    names.insert(name.clone(), 1);
    name
}
