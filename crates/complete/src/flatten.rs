//! One function per call: a function that is called more than once is copied for each further call.
//!
//! Shardings of different calls then do not meet in one body. A copy is named after its original (`relu_1`). Copying
//! stops at a number of instructions (a chain of functions each calling the next twice doubles with every link); what
//! is still shared then gets one sharding for all its calls. A composite becomes a call of its decomposition, which
//! means the same and can be split.

use crate::landmarks::{Landmark, op_of};
use meshwright_base::IdMap;
use meshwright_ir::op::{Call, Foreign};
use meshwright_ir::{Editor, FuncId, InstId, Module, Op};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most instructions copies may add.
const MOST_COPIED: usize = 1 << 20;

/// Copy functions so that each is called once; how many copies were made.
pub(crate) fn copy_per_call(module: &mut Module, landmarks: &[Landmark]) -> usize {
    if !landmarks.iter().any(|landmark| callee_of(module, op_of(module, *landmark)).is_some()) {
        return 0;
    }
    let mut names: Names = module.funcs.values().map(|func| (func.name.clone(), 1)).collect();
    let mut called = IdMap::<FuncId, bool>::filled(module.funcs.len(), false);
    called[module.entry] = true;
    let (mut copied, mut left, mut queue) = (0, MOST_COPIED, vec![module.entry]);
    while let Some(caller) = queue.pop() {
        for (inst, callee) in calls(module, caller) {
            let first = !std::mem::replace(&mut called[callee], true);
            let size = module.funcs[callee].inst_count().max(1);
            let mut target = callee;
            if !first && size <= left {
                left -= size;
                copied += 1;
                target = copy_function(module, callee, &mut names);
                called.push(true);
            }
            if first || target != callee {
                queue.push(target);
            }
            Editor::new(&mut module.funcs[caller]).set_op(inst, Op::Call(Call { callee: target }));
        }
    }
    copied
}

fn calls(module: &Module, caller: FuncId) -> Vec<(InstId, FuncId)> {
    let func = &module.funcs[caller];
    let insts = func.insts_in_order().into_iter();
    insts.filter_map(|inst| Some((inst, callee_of(module, &func.inst(inst).op)?))).collect()
}

/// The function an op calls.
fn callee_of(module: &Module, op: &Op) -> Option<FuncId> {
    let callee = if let Op::Call(call) = op {
        call.callee
    } else if let Op::Foreign(Foreign::Composite(composite)) = op {
        composite.decomposition
    } else {
        return None;
    };
    module.funcs.get(callee).map(|_| callee)
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
