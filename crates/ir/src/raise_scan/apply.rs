//! Rewrite one loop by its plan. Uses of what is replaced are mapped by the caller, all at once.

use super::plan::{ScanPlan, Stored};
use crate::build::{Build, Builder};
use crate::edit::{At, Editor};
use crate::lower_scan::{copy_looks, reshape};
use crate::module::{BlockId, Function, ValueId};
use crate::op::{Op, Scan};
use crate::types::Type;

pub fn apply(func: &mut Function, plan: &ScanPlan, replaced: &mut Vec<(ValueId, ValueId)>) {
    let while_ = func.inst(plan.inst).clone();
    let Some(old_body) = while_.regions.get(1).copied() else { return };
    let mut editor = Editor::new(func);
    let body = new_body(&mut editor, plan, old_body, replaced);
    let state = &while_.operands;
    let operands: Vec<ValueId> = (plan.carries.iter().map(|at| state[*at]))
        .chain(plan.inputs.iter().map(|input| input.stack))
        .collect();
    let kept = || plan.carries.iter().copied().chain(plan.outputs.iter().map(|output| output.0));
    let types: Vec<Type> = kept().map(|at| editor.func().ty(state[at]).clone()).collect();
    let scan = Scan { trips: plan.trips, carries: plan.carries.len(), reverse: plan.reverse };
    let results = editor.replace(plan.inst, Op::Scan(scan), operands, vec![body], types);
    for (at, result) in kept().zip(results) {
        copy_looks(&mut editor, while_.results[at], result);
        // An invariant that is carried as well gets its initial value below: the last entry counts.
        replaced.push((while_.results[at], result));
    }
    for at in &plan.invariants {
        replaced.push((while_.results[*at], state[*at]));
    }
}

/// The body on carried values and slices.
fn new_body(
    editor: &mut Editor<'_>,
    plan: &ScanPlan,
    old: BlockId,
    replaced: &mut Vec<(ValueId, ValueId)>,
) -> BlockId {
    let old = editor.func().block(old).clone();
    let body = editor.block();
    editor.set_block_name(body, old.name.clone());
    for at in &plan.carries {
        let param = editor.param(body, editor.func().ty(old.params[*at]).clone());
        copy_looks(editor, old.params[*at], param);
        replaced.push((old.params[*at], param));
    }
    for input in &plan.inputs {
        let ty = slice_type(editor.func().ty(input.stack));
        let slice = editor.param(body, ty);
        if let Some(first) = input.slices.first() {
            copy_looks(editor, *first, slice);
        }
        replaced.extend(input.slices.iter().map(|old| (*old, slice)));
        for row in &input.rows {
            let result = editor.func().inst(*row).results[0];
            let dims = editor.func().dims(result).to_vec();
            editor.set_op(*row, reshape(&dims));
            editor.set_operands(*row, vec![slice]);
        }
    }
    editor.set_order(body, plan.insts.clone());
    let carried: Vec<ValueId> = plan.carries.iter().map(|at| old.results[*at]).collect();
    let stored: Vec<ValueId> =
        plan.outputs.iter().map(|(_, write, stored)| slice_of(editor, body, *write, *stored)).collect();
    editor.set_results(body, [carried, stored].concat());
    body
}

/// One slice of a stack.
fn slice_type(stack: &Type) -> Type {
    match stack {
        Type::Tensor(ty) => ty.with_dims(ty.dims.get(1..).unwrap_or(&[])).into(),
        Type::Token => Type::Token,
    }
}

/// What the body returns for a write.
fn slice_of(editor: &mut Editor<'_>, body: BlockId, write: crate::module::InstId, stored: Stored) -> ValueId {
    let row = match stored {
        Stored::Slice(slice) => return slice,
        Stored::Row(row) => row,
    };
    let ty = slice_type(editor.func().ty(row));
    let source = editor.func().inst(write).source;
    Builder::new(editor.func_mut(), At::End(body), source).reshape(row, ty.dims())
}
