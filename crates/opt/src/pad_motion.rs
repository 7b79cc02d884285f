//! Compute first, pad then; and pad what is put together with a piece of padding.
//!
//! ```text
//! %p = pad %a, %v                        %e = exponential %a
//! %r = exponential %p         =>         %w = exponential %v
//!                                        %r = pad %e, %w
//!
//! %c = concatenate %a, %b                %w = broadcast %v
//! %r = pad %c, %v             =>         %r = concatenate %a, %b, %w
//! ```
//!
//! The first for elementwise ops all of whose operands are padded alike, or the same number everywhere, where nothing
//! else uses what is padded: less is computed, and of several pads one is left. The second where the padding is along
//! the dim in which pieces are put together, and nothing else uses the whole: one copy less of it. Each element is
//! computed from the same elements. One walk over the instructions, in order, so that a pad moves as far down as it
//! can.

use crate::Changed;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_ir::op::{Concatenate, Movement, Pad};
use meshwright_ir::{
    Build, Builder, Editor, Function, Inst, InstId, Literal, Module, Op, TensorType, ValueId,
};

pub fn pad_motion(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(move_pads).fold(false, |any, changed| any | changed)
}

fn move_pads(func: &mut Function) -> Changed {
    let insts = func.insts_in_order();
    if !insts.iter().any(|inst| as_pad(func, *inst).is_some()) {
        return false;
    }
    let mut counts = uses::counts(func);
    let mut changed = false;
    for inst in insts {
        let moved = match joined(func, &counts, inst) {
            Some(pieces) => put_together(func, inst, pieces),
            None => alike(func, &counts, inst).and_then(|pads| compute_first(func, inst, &pads)),
        };
        for _ in counts.len()..func.value_count() {
            counts.push(1);
        }
        changed |= moved.is_some();
    }
    changed
}

fn as_pad(func: &Function, inst: InstId) -> Option<&Pad> {
    match &func.inst(inst).op {
        Op::Movement(Movement::Pad(pad)) => Some(pad),
        _ => None,
    }
}

/// The instruction that makes a value which nothing else uses and nothing is said of, in the same block.
fn only(func: &Function, counts: &IdMap<ValueId, u32>, value: ValueId, user: InstId) -> Option<InstId> {
    let inst = func.def_inst(value).filter(|inst| func.block_of(*inst) == func.block_of(user))?;
    let known = func.value(value);
    (counts[value] == 1 && known.sharding.is_none() && known.valid.is_none()).then_some(inst)
}

fn tensor(func: &Function, value: ValueId) -> Option<&TensorType> {
    func.ty(value).as_tensor()
}

/// The pieces of what a pad lengthens, if they can take a piece of padding.
struct Pieces {
    dim: usize,
    pieces: Vec<ValueId>,
    low: i64,
    high: i64,
}

fn joined(func: &Function, counts: &IdMap<ValueId, u32>, inst: InstId) -> Option<Pieces> {
    let pad = as_pad(func, inst)?;
    let whole = only(func, counts, *func.inst(inst).operands.first()?, inst)?;
    let Op::Movement(Movement::Concatenate(Concatenate { dim })) = func.inst(whole).op else { return None };
    let lengthens = |at: usize| pad.low[at] != 0 || pad.high[at] != 0 || pad.interior[at] != 0;
    let is_along = (0..pad.low.len()).all(|at| at == dim || !lengthens(at));
    let is_plain = pad.low[dim] >= 0 && pad.high[dim] >= 0 && pad.interior[dim] == 0;
    let pieces = func.inst(whole).operands.clone();
    (is_along && is_plain).then_some(Pieces { dim, pieces, low: pad.low[dim], high: pad.high[dim] })
}

fn put_together(func: &mut Function, pad: InstId, mut with: Pieces) -> Option<()> {
    let info = func.inst(pad).clone();
    let (value, ty) = (*info.operands.get(1)?, tensor(func, *info.results.first()?)?.clone());
    let piece = |func: &mut Function, size: i64| {
        let mut dims = ty.dims.clone();
        dims[with.dim] = size;
        Builder::before(func, pad).broadcast(value, Vec::new(), &dims)
    };
    if with.low > 0 {
        with.pieces.insert(0, piece(func, with.low));
    }
    if with.high > 0 {
        with.pieces.push(piece(func, with.high));
    }
    let mut editor = Editor::new(func);
    editor.set_op(pad, Op::Movement(Movement::Concatenate(Concatenate { dim: with.dim })));
    editor.set_operands(pad, with.pieces);
    Some(())
}

/// The pads among an elementwise op's operands, if they are alike and the other operands are one number everywhere.
fn alike(func: &Function, counts: &IdMap<ValueId, u32>, inst: InstId) -> Option<Vec<InstId>> {
    let info = func.inst(inst);
    if !info.op.facts().is_shapeless {
        return None;
    }
    let known = func.value(*info.results.first()?);
    let mut pads = Vec::new();
    for value in &info.operands {
        match only(func, counts, *value, inst).filter(|made| as_pad(func, *made).is_some()) {
            Some(pad) => pads.push(pad),
            None => number(func, *value).map(drop)?,
        }
    }
    let first = as_pad(func, *pads.first()?)?;
    let smaller = |pad: &InstId| func.inst(*pad).operands.first().map(|value| func.dims(*value));
    let of = smaller(pads.first()?)?;
    let is_same = pads.iter().all(|pad| as_pad(func, *pad) == Some(first) && smaller(pad) == Some(of));
    let adds = first.low.iter().chain(&first.high).all(|size| *size >= 0) && !of.contains(&0);
    (is_same && adds && known.sharding.is_none() && known.valid.is_none()).then_some(pads)
}

/// The scalar that a value is everywhere.
fn number(func: &Function, value: ValueId) -> Option<Number> {
    let info: &Inst = func.inst(func.def_inst(value)?);
    match &info.op {
        Op::Constant(constant) => constant.0.as_splat().map(|element| Number::Constant(element.to_vec())),
        Op::Movement(Movement::Broadcast(_)) => {
            let scalar = *info.operands.first()?;
            func.dims(scalar).is_empty().then_some(Number::Scalar(scalar))
        }
        _ => None,
    }
}

enum Number {
    Constant(Vec<u8>),
    Scalar(ValueId),
}

impl Number {
    /// Everywhere in a shape, before an instruction.
    fn fill(&self, func: &mut Function, before: InstId, ty: &TensorType) -> Option<ValueId> {
        let mut b = Builder::before(func, before);
        match self {
            Number::Constant(element) => Some(b.constant(Literal::splat(ty.clone(), element)?)),
            Number::Scalar(scalar) => Some(b.broadcast(*scalar, Vec::new(), &ty.dims)),
        }
    }
}

/// The op on what is padded and on the padding; then one pad, where the op stood.
fn compute_first(func: &mut Function, inst: InstId, pads: &[InstId]) -> Option<()> {
    let info = func.inst(inst).clone();
    let pad = as_pad(func, *pads.first()?)?.clone();
    let dims = func.dims(*func.inst(*pads.first()?).operands.first()?).to_vec();
    let of = |func: &mut Function, at: usize, dims: &[i64]| -> Option<ValueId> {
        let made = |value: ValueId| func.def_inst(value).filter(|made| pads.contains(made));
        let mut operands = Vec::new();
        for value in &info.operands {
            match made(*value) {
                Some(pad) => operands.push((Some(*func.inst(pad).operands.get(at)?), *value)),
                None => operands.push((None, *value)),
            }
        }
        let mut now = Vec::new();
        for (known, value) in operands {
            let ty = tensor(func, value)?.with_dims(dims.to_vec());
            match known {
                Some(value) => now.push(value),
                // An operand of another rank, as the bounds of a clamp, is what it is.
                None if func.dims(value).is_empty() => now.push(value),
                None => now.push(number(func, value)?.fill(func, inst, &ty)?),
            }
        }
        Some(Builder::before(func, inst).push(info.op.clone(), now))
    };
    let value = of(func, 0, &dims)?;
    let padding = of(func, 1, &[])?;
    let mut editor = Editor::new(func);
    editor.set_op(inst, Op::Movement(Movement::Pad(pad)));
    editor.set_operands(inst, vec![value, padding]);
    Some(())
}
