//! Add a piece where it belongs, not a whole that is zero elsewhere.
//!
//! ```text
//! %u = dynamic_update_slice %zeros, %g, %at          %s = dynamic_slice %acc, %at
//! %r = add %acc, %u                            =>    %t = add %s, %g
//!                                                    %r = dynamic_update_slice %acc, %t, %at
//!
//! %u = scatter add %zeros, %at, %g             =>    %r = scatter add %acc, %at, %g
//! %r = add %acc, %u
//! ```
//!
//! As a loop sums gradients of what each trip reads a piece of: the weights of one round of a circular pipeline, a
//! layer out of a pile. Any op with an identity is meant, such as a maximum over negative infinities. Only where
//! nothing else uses the whole, and a scatter's indices meet no element twice, or floats would be added in another
//! order.
//!
//! Every element keeps its bits. `0 + -0` is `0`, so floats that are zero elsewhere must be added to what is never
//! `-0`: a value that a loop carries, that begins as `0` and to which only is added. With `-0` elsewhere anything
//! will do. One walk over the instructions.

use crate::Changed;
use crate::hoist::body_of;
use crate::uses;
use meshwright_base::{Id, IdMap};
use meshwright_ir::op::{BinaryOp, Control, Dynamic, Movement, Scatter};
use meshwright_ir::{
    Build, Builder, Class, Def, Editor, Function, InstId, Literal, Module, Op, TensorType, ValueId,
};

/// How many instructions back it is looked whether a value can be `-0`.
const DEPTH: usize = 16;

pub fn sum_pieces(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(sum_in_function).fold(false, |any, changed| any | changed)
}

fn sum_in_function(func: &mut Function) -> Changed {
    let is_sum = |inst: &InstId| matches!(&func.inst(*inst).op, Op::Binary(op) if op.reducer().is_some());
    let sums: Vec<InstId> = func.insts_in_order().into_iter().filter(is_sum).collect();
    if sums.is_empty() {
        return false;
    }
    let counts = uses::counts(func);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let mut changed = false;
    for sum in sums {
        let Some(found) = (0..2).rev().find_map(|at| piece(func, &counts, sum, at)) else { continue };
        match found.made {
            Made::Update => update(func, &found),
            Made::Scatter => {
                let old = func.inst(sum).results[0];
                replaced[old] = Some(scatter(func, &found));
            }
        }
        changed = true;
    }
    if changed {
        let known = |value: ValueId| (value.index() < replaced.len()).then(|| replaced[value]).flatten();
        Editor::new(func).map_uses(|value| known(value).unwrap_or(value));
    }
    changed
}

/// What makes the whole that is added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Update,
    Scatter,
}

/// A sum, and the whole among its operands that is a piece and an identity elsewhere.
struct Piece {
    sum: InstId,
    /// Which operand the whole is.
    at: usize,
    whole: InstId,
    made: Made,
}

fn piece(func: &Function, counts: &IdMap<ValueId, u32>, sum: InstId, at: usize) -> Option<Piece> {
    let info = func.inst(sum);
    let Op::Binary(op) = info.op else { return None };
    let (value, other) = (*info.operands.get(at)?, *info.operands.get(1 - at)?);
    let whole = func.def_inst(value).filter(|whole| func.block_of(*whole) == func.block_of(sum))?;
    let is_annotated = |value: ValueId| {
        let value = func.value(value);
        value.sharding.is_some() || value.valid.is_some()
    };
    if counts.get(value).copied() != Some(1) || is_annotated(value) || is_annotated(info.results[0]) {
        return None;
    }
    let made = match &func.inst(whole).op {
        Op::Dynamic(Dynamic::UpdateSlice) => Made::Update,
        Op::Scatter(scatter) if sums_apart(func, whole, scatter, op) => Made::Scatter,
        _ => return None,
    };
    let fill = everywhere(func, *func.inst(whole).operands.first()?)?;
    leaves(func, op, fill, other).then_some(Piece { sum, at, whole, made })
}

/// Whether a scatter of one operand combines by this op, and meets each element once at most.
fn sums_apart(func: &Function, inst: InstId, scatter: &Scatter, op: BinaryOp) -> bool {
    let info = func.inst(inst);
    let ([_, _, updates], [region]) = (&info.operands[..], &info.regions[..]) else { return false };
    let windows = func.dims(*updates).iter().enumerate();
    // Windows of an index each; those of batches lie apart.
    let outside = windows.filter(|(dim, _)| !scatter.update_window_dims.contains(dim));
    let indices: i64 = outside.map(|(_, size)| *size).product();
    let exact = func.ty(*updates).as_tensor().is_some_and(|ty| !ty.dtype.is_float());
    func.region_reducer(*region) == op.reducer() && (exact || scatter.unique_indices || indices <= 1)
}

/// What every element of a value is, if it is a constant that is one number, or such a one repeated.
fn everywhere(func: &Function, value: ValueId) -> Option<&[u8]> {
    let inst = func.inst(func.def_inst(value)?);
    match &inst.op {
        Op::Constant(constant) => constant.0.as_splat(),
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => {
            let inner = func.inst(func.def_inst(*inst.operands.first()?)?);
            let Op::Constant(constant) = &inner.op else { return None };
            constant.0.as_splat()
        }
        _ => None,
    }
}

/// Whether combining with this number leaves every bit of a value as it is.
fn leaves(func: &Function, op: BinaryOp, fill: &[u8], value: ValueId) -> bool {
    let (Some(reducer), Some(ty)) = (op.reducer(), func.ty(value).as_tensor()) else { return false };
    let is = |literal: Literal| literal.as_splat() == Some(fill);
    let one = TensorType::new(ty.dtype, Vec::<i64>::new());
    match (ty.dtype.class(), op) {
        (Class::Complex, _) => false,
        (Class::Float, BinaryOp::Add) => {
            let zero = is(Literal::identity(reducer, one.clone()));
            is(Literal::splat_number(one, -0.0))
                || (zero && is_never_negative_zero(func, value, &mut Vec::new()))
        }
        _ => is(Literal::identity(reducer, one)),
    }
}

/// Whether no element of a value can be `-0`, given that none of these carried ones is.
fn is_never_negative_zero(func: &Function, value: ValueId, carried: &mut Vec<ValueId>) -> bool {
    if carried.contains(&value) {
        return true;
    }
    if carried.len() > DEPTH {
        return false;
    }
    let (inst, index) = match func.value(value).def {
        Def::Result { inst, index } => (inst, index),
        Def::Param { block, index } => {
            let Some(inst) = func.block(block).parent else { return false };
            return carries_none(func, inst, index, carried);
        }
    };
    let info = func.inst(inst);
    let mut operand =
        |at: usize| info.operands.get(at).is_some_and(|value| is_never_negative_zero(func, *value, carried));
    match &info.op {
        Op::Constant(constant) => {
            let dtype = constant.0.ty().dtype;
            let negative = Literal::splat_number(TensorType::new(dtype, Vec::<i64>::new()), -0.0);
            constant.0.as_splat().is_some_and(|element| Some(element) != negative.as_splat())
        }
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => operand(0),
        // Two numbers come to `-0` only if both are that.
        Op::Binary(BinaryOp::Add) => operand(0) || operand(1),
        Op::Dynamic(Dynamic::UpdateSlice) => operand(0) && operand(1),
        Op::Dynamic(Dynamic::Slice { .. }) => operand(0),
        Op::Control(Control::While) | Op::Scan(_) => carries_none(func, inst, index, carried),
        _ => false,
    }
}

/// The same of what a loop carries at a place: it begins so, and stays so if it was so before.
fn carries_none(func: &Function, inst: InstId, index: usize, carried: &mut Vec<ValueId>) -> bool {
    let Some((body, _)) = body_of(func, inst).filter(|(_, carries)| index < *carries) else { return false };
    let info = func.inst(inst);
    let at = |values: &[ValueId]| values.get(index).copied();
    let (first, next) = (at(&info.operands), at(&func.block(body).results));
    let known = carried.len();
    carried.extend(info.regions.iter().filter_map(|region| at(&func.block(*region).params)));
    let mut holds =
        |value: Option<ValueId>| value.is_some_and(|value| is_never_negative_zero(func, value, carried));
    let found = holds(next) && holds(first);
    if !found {
        carried.truncate(known);
    }
    found
}

/// The sum as an update of what is added to; the whole goes.
fn update(func: &mut Function, found: &Piece) {
    let (sum, whole) = (func.inst(found.sum).clone(), func.inst(found.whole).clone());
    let [_, piece, starts @ ..] = &whole.operands[..] else { return };
    let acc = sum.operands[1 - found.at];
    let sizes = func.dims(*piece).to_vec();
    let mut build = Builder::before(func, found.sum);
    let operands = [&[acc], starts].concat();
    let cut = build.push(Op::Dynamic(Dynamic::Slice { sizes }), operands);
    let both = if found.at == 1 { [cut, *piece] } else { [*piece, cut] };
    let summed = build.push(sum.op.clone(), both.to_vec());
    let mut editor = Editor::new(func);
    editor.set_op(found.sum, Op::Dynamic(Dynamic::UpdateSlice));
    editor.set_operands(found.sum, [&[acc, summed], starts].concat());
    editor.unlink(found.whole);
}

/// The scatter into what is added to, where the sum stood: its result.
fn scatter(func: &mut Function, found: &Piece) -> ValueId {
    let acc = func.inst(found.sum).operands[1 - found.at];
    let block = func.block_of(found.sum);
    let order = func.block(block).insts.iter().copied().filter(|inst| *inst != found.whole);
    let order = order.map(|inst| if inst == found.sum { found.whole } else { inst }).collect();
    let (result, name) =
        (func.inst(found.whole).results[0], func.value(func.inst(found.sum).results[0]).name.clone());
    let mut editor = Editor::new(func);
    editor.set_operand(found.whole, 0, acc);
    editor.set_name(result, name);
    editor.set_order(block, order);
    result
}
