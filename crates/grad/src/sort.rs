//! Derivatives of ops that pick elements: sort, top-k, and reductions that carry an index along (argmax).
//!
//! An element's cotangent goes back to where the element came from. A sort that does not say where gets an iota to sort
//! along.

use crate::gather::put_along;
use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Direction, Movement, Op, Reduce, Sort, TopK};
use meshwright_ir::{
    BlockId, Build, Builder, DType, Dim, Editor, Function, InstId, TensorType, Type, ValueId,
};

pub(crate) fn sort(t: &mut Tape<'_>, inst: InstId, op: &Sort, cotangents: &[Option<ValueId>]) {
    let operands = t.func.inst(inst).operands.clone();
    let places = match operands.iter().position(|operand| counts_along(t, *operand, op.dim)) {
        Some(at) => t.func.inst(inst).results[at],
        None => sort_along(t, inst, op),
    };
    let places = t.primal(places);
    for (operand, c) in operands.iter().zip(cotangents) {
        if let Some(c) = c.filter(|_| t.is_varied(*operand)) {
            let given = put_along(t, *operand, places, op.dim, c);
            t.pull(*operand, given);
        }
    }
}

/// Whether a value is the position along a dim: an iota, which may have been repeated along others.
fn counts_along(t: &Tape<'_>, mut value: ValueId, mut dim: usize) -> bool {
    if !t.dtype(value).is_integer() {
        return false;
    }
    while let Some(inst) = t.func.def_inst(value) {
        let it = t.func.inst(inst);
        let (Op::Movement(Movement::Broadcast(broadcast)), [from]) = (&it.op, &it.operands[..]) else {
            return matches!(&it.op, Op::Iota(iota) if iota.dim == dim);
        };
        let Some(own) = broadcast.dims.iter().position(|to| *to == dim) else { return false };
        if t.func.dims(*from).get(own) != broadcast.shape.get(dim) {
            return false;
        }
        (value, dim) = (*from, own);
    }
    false
}

/// Give a sort one more operand, the positions; its result.
fn sort_along(t: &mut Tape<'_>, inst: InstId, op: &Sort) -> ValueId {
    let it = t.func.inst(inst).clone();
    let ty = TensorType::new(DType::S32, t.func.dims(it.operands[0]));
    let region = it.regions[0];
    let positions = Builder::before(&mut t.func, inst).iota(DType::S32, &ty.dims, Dim::new(op.dim));
    let mut editor = Editor::new(&mut t.func);
    editor.set_operands(inst, it.operands.into_iter().chain([positions]).collect());
    for _ in 0..2 {
        editor.param(region, Type::tensor(DType::S32, []));
    }
    editor.add_result(inst, ty.into())
}

pub(crate) fn top_k(t: &mut Tape<'_>, inst: InstId, _: &TopK, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([operand], [_, indices], Some(Some(c))) = (&it.operands[..], &it.results[..], cotangents.first())
    else {
        return;
    };
    let dim = t.func.dims(*operand).len() - 1;
    let places = t.primal(*indices);
    let given = put_along(t, *operand, places, dim, *c);
    t.pull(*operand, given);
}

/// A reduction of two operands, the second their positions, that picks one pair: its value's cotangent goes to the
/// element with that value at that position.
pub(crate) fn picked(t: &mut Tape<'_>, inst: InstId, op: &Reduce, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([x, positions, _, _], [Some(c), None]) = (&it.operands[..], cotangents) else {
        return t.no_derivative(inst);
    };
    let counts = op.dims.iter().any(|dim| counts_along(t, *positions, *dim));
    if op.dims.len() != 1 || !counts || !picks(&t.func, it.regions[0]) {
        return t.no_derivative(inst);
    }
    let place = t.primal(it.results[1]);
    let positions = t.primal(*positions);
    let shape = t.func.dims(*x).to_vec();
    let place = t.spread(place, &op.dims, &shape);
    let hit = t.compare(Direction::Eq, positions, place);
    let c = t.spread(*c, &op.dims, &shape);
    let given = t.keep(hit, c);
    t.pull(*x, given);
}

/// Whether a region's first result is one of the two values it compares.
pub(crate) fn picks(func: &Function, region: BlockId) -> bool {
    let block = func.block(region);
    let ([a, _, b, _], Some(result)) = (&block.params[..], block.results.first()) else { return false };
    let Some(inst) = func.def_inst(*result) else { return false };
    let it = func.inst(inst);
    match &it.op {
        Op::Select => it.operands[1..].contains(a) && it.operands[1..].contains(b),
        Op::Binary(BinaryOp::Maximum | BinaryOp::Minimum) => {
            it.operands.contains(a) && it.operands.contains(b)
        }
        _ => false,
    }
}
