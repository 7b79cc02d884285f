//! Gathers and scatters whose indices count along dims of their own, as gathers and scatters in batches.
//!
//! ```text
//! %i = iota dim = 0 : [8, 5, 1]                        row b of the operand is looked up for b, always; or a constant 0, 1, ..
//! %c = concatenate %i, %j, dim = 2 : [8, 5, 2]
//! %g = gather %x : [8, 64, 4], %c, index map [0, 1]
//! =>
//! %g = gather %x, %j, index map [1], dims 0 and 0 in batches
//! ```
//!
//! What was written before these ops had batching dims is in this form, and so are the gradients of it. In batches the
//! dim passes through: it can be split without anybody looking for rows that others have. Runs before completion, which
//! takes it from there. Indices that are annotated stay as they are, and so do windows of more than one element. One
//! walk.

use crate::Changed;
use meshwright_base::IdMap;
use meshwright_ir::op::{Concatenate, Convert, Direction, Gather, Movement, Scatter};
use meshwright_ir::{
    Build, Builder, Class, Dim, Editor, Function, Inst, InstId, Literal, Module, Op, TensorType, ValueId,
};

pub fn batch_indices(module: &mut Module) -> Changed {
    let mut changed = false;
    for func in module.funcs.values_mut() {
        let mut parted = Vec::new();
        for inst in func.insts_in_order() {
            if let Some(found) = Found::of(func, inst) {
                parted.extend(func.def_inst(func.inst(inst).operands[found.operand]));
                found.rewrite(func, inst);
                changed = true;
            }
        }
        drop_unused(func, &parted);
    }
    changed
}

/// Concatenations that nobody reads any more go, before somebody thinks they need a sharding.
fn drop_unused(func: &mut Function, parted: &[InstId]) {
    if parted.is_empty() {
        return;
    }
    let mut used: IdMap<ValueId, bool> = IdMap::filled(func.value_count(), false);
    for block in func.blocks_in_order() {
        let block = func.block(block);
        let read = block.insts.iter().flat_map(|inst| &func.inst(*inst).operands);
        read.chain(&block.results).for_each(|value| used[*value] = true);
    }
    for inst in parted {
        if func.inst(*inst).results.iter().all(|value| !used[*value]) {
            Editor::new(func).unlink(*inst);
        }
    }
}

/// Indices that can go in batches.
struct Found {
    /// Which operand the indices are.
    operand: usize,
    op: Op,
    /// What is left of their parts.
    parts: Vec<ValueId>,
    /// The dim that they are along.
    dim: usize,
}

impl Found {
    fn of(func: &Function, inst: InstId) -> Option<Found> {
        let info = func.inst(inst);
        match &info.op {
            Op::Gather(op) => {
                let (operand, indices) = (*info.operands.first()?, *info.operands.get(1)?);
                let mut op = op.clone();
                let (parts, dim) = op.batched(func, operand, indices)?;
                Some(Found { operand: 1, op: Op::Gather(op), parts, dim })
            }
            Op::Scatter(op) => {
                let inputs = (info.operands.len() - 1) / 2;
                let (input, indices) = (*info.operands.first()?, *info.operands.get(inputs)?);
                let mut op = op.clone();
                let (parts, dim) = op.batched(func, input, indices)?;
                Some(Found { operand: inputs, op: Op::Scatter(op), parts, dim })
            }
            _ => None,
        }
    }

    fn rewrite(self, func: &mut Function, inst: InstId) {
        let indices = match self.parts[..] {
            [only] => only,
            _ => Builder::before(func, inst).concatenate(self.parts, Dim::new(self.dim)),
        };
        let mut editor = Editor::new(func);
        editor.set_operand(inst, self.operand, indices);
        editor.set_op(inst, self.op);
    }
}

/// What gather and scatter share.
trait Looks {
    /// Take out the components of the indices that count along a dim of theirs; what parts are left, and along which
    /// dim.
    fn batched(
        &mut self,
        func: &Function,
        operand: ValueId,
        indices: ValueId,
    ) -> Option<(Vec<ValueId>, usize)>;
}

impl Looks for Gather {
    fn batched(
        &mut self,
        func: &Function,
        operand: ValueId,
        indices: ValueId,
    ) -> Option<(Vec<ValueId>, usize)> {
        let mut numbers = Numbers {
            dropped: &mut self.collapsed_slice_dims,
            batching: &mut self.operand_batching_dims,
            index_batching: &mut self.start_indices_batching_dims,
            index_map: &mut self.start_index_map,
        };
        let parts = numbers.take_out(func, operand, indices, self.index_vector_dim)?;
        self.indices_are_sorted = false;
        Some((parts, self.index_vector_dim))
    }
}

impl Looks for Scatter {
    fn batched(
        &mut self,
        func: &Function,
        operand: ValueId,
        indices: ValueId,
    ) -> Option<(Vec<ValueId>, usize)> {
        let mut numbers = Numbers {
            dropped: &mut self.inserted_window_dims,
            batching: &mut self.input_batching_dims,
            index_batching: &mut self.scatter_indices_batching_dims,
            index_map: &mut self.scatter_dims_to_operand_dims,
        };
        let parts = numbers.take_out(func, operand, indices, self.index_vector_dim)?;
        self.indices_are_sorted = false;
        Some((parts, self.index_vector_dim))
    }
}

/// The dimension numbers that change, under one set of names.
struct Numbers<'a> {
    dropped: &'a mut Vec<usize>,
    batching: &'a mut Vec<usize>,
    index_batching: &'a mut Vec<usize>,
    index_map: &'a mut Vec<usize>,
}

impl Numbers<'_> {
    fn take_out(
        &mut self,
        func: &Function,
        operand: ValueId,
        indices: ValueId,
        dim: usize,
    ) -> Option<Vec<ValueId>> {
        let made = func.inst(func.def_inst(indices)?);
        let Op::Movement(Movement::Concatenate(Concatenate { dim: along })) = &made.op else { return None };
        if *along != dim || func.value(indices).sharding.is_some() {
            return None;
        }
        let mut parts = Vec::new();
        let mut component = 0;
        for (at, part) in made.operands.iter().enumerate() {
            let count = *func.dims(*part).get(dim)?;
            let is_last = parts.is_empty() && at + 1 == made.operands.len();
            let counted = counts_along(func, *part).filter(|along| count == 1 && !is_last && *along != dim);
            match counted.filter(|counted| self.batch(func, operand, component, (*part, *counted))) {
                Some(_) => {}
                None => {
                    parts.push(*part);
                    component += count as usize;
                }
            }
        }
        (parts.len() < made.operands.len()).then_some(parts)
    }

    /// Put the operand's dim of a component in a batch with the dim it counts along; whether that can be.
    fn batch(
        &mut self,
        func: &Function,
        operand: ValueId,
        component: usize,
        (part, along): (ValueId, usize),
    ) -> bool {
        let Some(dim) = self.index_map.get(component).copied() else { return false };
        let has_all = func.dims(operand).get(dim) == func.dims(part).get(along);
        let Some(place) = self.dropped.iter().position(|dropped| *dropped == dim) else { return false };
        if !has_all || self.index_batching.contains(&along) {
            return false;
        }
        self.dropped.remove(place);
        self.index_map.remove(component);
        let at = self.batching.partition_point(|other| *other < dim);
        self.batching.insert(at, dim);
        self.index_batching.insert(at, along);
        true
    }
}

/// How many instructions behind an iota are looked at: an index is made of it in a few.
const STEPS: usize = 16;

/// Longer constants are data.
const MOST_LISTED: i64 = 1 << 16;

/// The dim whose places a value counts: every element is its own place along it.
fn counts_along(func: &Function, value: ValueId) -> Option<usize> {
    let (mut path, mut value) = (Vec::new(), value);
    let mut dim = loop {
        let inst = func.inst(func.def_inst(value)?);
        match &inst.op {
            Op::Iota(iota) => break holds(func.ty(value).as_tensor()?, iota.dim).then_some(iota.dim)?,
            Op::Constant(constant) => break counted_by(&constant.0)?,
            _ => {}
        }
        path.push(value);
        value = (path.len() < STEPS).then(|| counted_before(func, inst))??;
    };
    for next in path.into_iter().rev() {
        dim = carried(func, next, func.dims(value), dim)?;
        value = next;
    }
    Some(dim)
}

/// The dim whose places a constant lists.
fn counted_by(literal: &Literal) -> Option<usize> {
    let dims = &literal.ty().dims;
    let listed = literal.ty().elements() <= MOST_LISTED && !literal.is_splat();
    let places = listed.then(|| literal.to_ints())??;
    let counts = |dim: &usize| {
        let below: i64 = dims[dim + 1..].iter().product();
        (0..).zip(&places).all(|(at, place)| at / below.max(1) % dims[*dim].max(1) == *place)
    };
    (0..dims.len()).filter(|dim| dims[*dim] > 1).find(counts)
}

/// The operand that an instruction passes on.
fn counted_before(func: &Function, inst: &Inst) -> Option<ValueId> {
    match &inst.op {
        Op::Convert(Convert::To(_))
        | Op::Movement(Movement::Broadcast(_) | Movement::Transpose(_) | Movement::Reshape(_)) => {
            inst.operands.first().copied()
        }
        // `where(i < 0, i + n, i)`: places are never below zero.
        Op::Select => {
            let [test, _, counted] = inst.operands[..] else { return None };
            (is_zero(func, test) || is_below_zero(func, test, counted)).then_some(counted)
        }
        _ => None,
    }
}

/// Whether a test is whether this value is below zero.
fn is_below_zero(func: &Function, test: ValueId, tested: ValueId) -> bool {
    let Some(inst) = func.def_inst(test).map(|inst| func.inst(inst)) else { return false };
    let [a, b] = inst.operands[..] else { return false };
    matches!(&inst.op, Op::Compare(compare) if compare.direction == Direction::Lt)
        && a == tested
        && is_zero(func, b)
}

/// Where the counted dim of an operand of dims `from` is in what an instruction makes of it.
fn carried(func: &Function, made: ValueId, from: &[i64], dim: usize) -> Option<usize> {
    let ty = func.ty(made).as_tensor()?;
    match &func.inst(func.def_inst(made)?).op {
        Op::Movement(Movement::Broadcast(op)) => {
            let to = *op.dims.get(dim)?;
            (ty.dims.get(to) == from.get(dim)).then_some(to)
        }
        Op::Movement(Movement::Transpose(op)) => op.permutation.iter().position(|from| *from == dim),
        Op::Movement(Movement::Reshape(_)) => {
            same_but_ones(from, &ty.dims).then(|| placed(from, &ty.dims, dim))?
        }
        _ => holds(ty, dim).then_some(dim),
    }
}

/// Whether the type holds all places of the dim.
fn holds(ty: &TensorType, dim: usize) -> bool {
    let bits = match ty.dtype.class() {
        Class::Signed => ty.dtype.bits() - 1,
        Class::Unsigned => ty.dtype.bits(),
        Class::Pred | Class::Float | Class::Complex => return false,
    };
    bits >= 63 || ty.dims.get(dim).is_some_and(|size| *size <= 1 << bits)
}

fn is_zero(func: &Function, mut value: ValueId) -> bool {
    for _ in 0..STEPS {
        let Some(inst) = func.def_inst(value).map(|inst| func.inst(inst)) else { return false };
        match (&inst.op, &inst.operands[..]) {
            (Op::Constant(constant), _) => {
                return constant.0.as_splat().is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
            }
            (Op::Movement(Movement::Broadcast(_)), [from]) => value = *from,
            _ => return false,
        }
    }
    false
}

fn same_but_ones(a: &[i64], b: &[i64]) -> bool {
    a.iter().filter(|size| **size != 1).eq(b.iter().filter(|size| **size != 1))
}

/// Where a dim of more than one element is when dims of one come or go.
fn placed(from: &[i64], to: &[i64], dim: usize) -> Option<usize> {
    let before = from[..dim].iter().filter(|size| **size != 1).count();
    let mut kept = (0..to.len()).filter(|at| to[*at] != 1);
    (from[dim] != 1).then(|| kept.nth(before))?
}
