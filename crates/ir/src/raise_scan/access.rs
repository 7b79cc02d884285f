//! Reads and writes of one row of a stack: in place, or in a function of their own.
//!
//! ```text
//! read:   reshape(dynamic_slice(%stack, %row, 0..), sizes=[1, rest..])
//! write:  dynamic_update_slice(%stack, broadcast or reshape(%slice), %row, 0..)
//! ```
//!
//! Along the other dims the slice has the full size, so where it starts there does not matter.

use super::index::{Index, Linear};
use crate::module::{FuncId, Function, InstId, Module, ValueId};
use crate::op::{Dynamic, Movement, Op};
use crate::types::TensorType;
use meshwright_base::IdMap;

/// What a function does, if it is an accessor. Indices are those of its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accessor {
    Read { stack: usize, row: ValueId },
    Write { stack: usize, slice: usize, row: ValueId },
}

pub type Accessors = IdMap<FuncId, Option<Accessor>>;

pub fn accessors(module: &Module) -> Accessors {
    module.funcs.values().map(accessor).collect()
}

/// Small functions only: anything longer is not looked at.
const LONGEST: usize = 24;

fn accessor(func: &Function) -> Option<Accessor> {
    let body = func.block(func.root());
    let [result] = func.result_values() else { return None };
    if body.insts.len() > LONGEST || !body.insts.iter().all(|inst| is_scalar_work(func, *inst)) {
        return None;
    }
    let inst = func.def_inst(*result)?;
    let param = |value: ValueId| func.param_values().iter().position(|param| *param == value);
    if let Some(write) = write_at(func, inst) {
        return Some(Accessor::Write {
            stack: param(write.stack)?,
            slice: param(write.slice?)?,
            row: write.row,
        });
    }
    let read = read_at(func, unreshaped(func, inst, *result)?)?;
    Some(Accessor::Read { stack: param(read.stack)?, row: read.row })
}

/// Nothing but moving data and working out indices.
fn is_scalar_work(func: &Function, inst: InstId) -> bool {
    let op = &func.inst(inst).op;
    matches!(
        op,
        Op::Constant(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select
            | Op::Clamp
            | Op::Convert(_)
            | Op::Movement(_)
            | Op::Dynamic(_)
    )
}

/// The slice under a reshape that drops its leading dim of 1.
fn unreshaped(func: &Function, inst: InstId, result: ValueId) -> Option<InstId> {
    let body = func.inst(inst);
    let Op::Movement(Movement::Reshape(_)) = &body.op else { return None };
    let row = *body.operands.first()?;
    is_row_of(func, row, result).then(|| func.def_inst(row)).flatten()
}

/// Whether `row` is `slice` with a leading dim of 1.
pub fn is_row_of(func: &Function, row: ValueId, slice: ValueId) -> bool {
    func.dims(row).split_first() == Some((&1, func.dims(slice)))
}

/// A slice of one row; the result still has its leading dim.
pub struct Read {
    pub stack: ValueId,
    pub row: ValueId,
}

/// Match a `dynamic_slice` of one row.
pub fn read_at(func: &Function, inst: InstId) -> Option<Read> {
    let body = func.inst(inst);
    let (Op::Dynamic(Dynamic::Slice { sizes }), [stack, row, ..]) = (&body.op, &body.operands[..]) else {
        return None;
    };
    let full = func.dims(*stack);
    let one_row = sizes.first() == Some(&1) && sizes.get(1..) == full.get(1..);
    one_row.then_some(Read { stack: *stack, row: *row })
}

/// A store of one row. `slice` is the value without the leading dim, if there is one.
pub struct Write {
    pub stack: ValueId,
    /// The stored value, with its leading dim.
    pub update: ValueId,
    pub slice: Option<ValueId>,
    pub row: ValueId,
}

/// Match a `dynamic_update_slice` of one row.
pub fn write_at(func: &Function, inst: InstId) -> Option<Write> {
    let body = func.inst(inst);
    let (Op::Dynamic(Dynamic::UpdateSlice), [stack, update, row, ..]) = (&body.op, &body.operands[..]) else {
        return None;
    };
    let (full, part) = (func.dims(*stack), func.dims(*update));
    let one_row = part.first() == Some(&1) && part.get(1..) == full.get(1..);
    one_row.then(|| Write { stack: *stack, update: *update, slice: unbroadcast(func, *update), row: *row })
}

/// What a row was made of by giving it a leading dim.
fn unbroadcast(func: &Function, row: ValueId) -> Option<ValueId> {
    let body = func.inst(func.def_inst(row)?);
    let slice = *body.operands.first()?;
    let leads = match &body.op {
        Op::Movement(Movement::Reshape(_)) => true,
        Op::Movement(Movement::Broadcast(op)) => op.dims.iter().copied().eq(1..1 + op.dims.len()),
        _ => false,
    };
    (leads && is_row_of(func, row, slice)).then_some(slice)
}

/// The row a called accessor takes, seen from the caller.
pub fn called_row(index: &Index<'_>, callee: FuncId, row: ValueId, operands: &[ValueId]) -> Option<Linear> {
    let func = index.module.funcs.get(callee)?;
    let params = func.param_values();
    let known = |value: ValueId| {
        let at = params.iter().position(|param| *param == value)?;
        index.of(*operands.get(at)?)
    };
    Index { module: index.module, func, counter: index.counter, known: &known }.of(row)
}

/// Rows of a stack; `None` for scalars and tokens.
pub fn rows(func: &Function, stack: ValueId) -> Option<i64> {
    func.ty(stack).as_tensor().and_then(|ty: &TensorType| ty.dims.first().copied())
}
