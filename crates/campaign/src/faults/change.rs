//! How an instruction is spoilt.

use meshwright_ir::op::{BinaryOp, Movement, Reshape};
use meshwright_ir::{
    At, Build, Builder, Editor, Function, InstId, Literal, Op, SourceId, TensorType, Type, ValueId,
};

/// One change to one instruction.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It does something else.
    Op(Op),
    /// It does something else that makes a value of another type with as many elements.
    OpOfType(Op, TensorType),
    /// Its result is a value there was before.
    Value(ValueId),
    /// An operand is a constant instead.
    Operand(usize, Literal),
    /// Two operands change places.
    Swap(usize, usize),
    /// An integer operand is one larger.
    Plus1(usize),
    /// Its region combines with another op.
    Reducer(BinaryOp),
}

pub(crate) fn apply(func: &mut Function, inst: InstId, change: Change) {
    match change {
        Change::Op(op) => Editor::new(func).set_op(inst, op),
        Change::OpOfType(op, ty) => reshaped(func, inst, op, ty),
        Change::Value(value) => replace(func, inst, value),
        Change::Operand(at, literal) => {
            let old = func.inst(inst).operands[at];
            let constant = before(func, inst, old).constant(literal);
            Editor::new(func).set_operand(inst, at, constant);
        }
        Change::Swap(a, b) => {
            let mut operands = func.inst(inst).operands.clone();
            operands.swap(a, b);
            Editor::new(func).set_operands(inst, operands);
        }
        Change::Plus1(at) => plus_1(func, inst, at),
        Change::Reducer(op) => {
            let region = func.inst(inst).regions[0];
            if let Some(inner) = func.block(region).insts.first().copied() {
                Editor::new(func).set_op(inner, Op::Binary(op));
            }
        }
    }
}

/// Every use of the only result becomes a use of another value.
fn replace(func: &mut Function, inst: InstId, value: ValueId) {
    let result = func.inst(inst).results[0];
    let mut editor = Editor::new(func);
    editor.map_uses(|old| if old == result { value } else { old });
    editor.unlink(inst);
}

/// Writes before an instruction what looks like a value.
fn before(func: &mut Function, inst: InstId, like: ValueId) -> Builder<'_> {
    let mut builder = Builder::new(func, At::Before(inst), SourceId::unknown());
    builder.looking_like(like);
    builder
}

fn plus_1(func: &mut Function, inst: InstId, at: usize) {
    let operand = func.inst(inst).operands[at];
    let Type::Tensor(ty) = func.ty(operand).clone() else { return };
    let mut b = before(func, inst, operand);
    let one = b.splat_int(&ty, 1);
    let sum = b.add(operand, one);
    Editor::new(func).set_operand(inst, at, sum);
}

/// The other op, and its result in the shape the first one had.
fn reshaped(func: &mut Function, inst: InstId, op: Op, ty: TensorType) {
    let result = func.inst(inst).results[0];
    let (operands, regions) = (func.inst(inst).operands.clone(), func.inst(inst).regions.clone());
    let Type::Tensor(wanted) = func.ty(result).clone() else { return };
    let source = func.inst(inst).source;
    let mut editor = Editor::new(func);
    let other = editor.push_typed(At::Before(inst), op, operands, regions, vec![Type::Tensor(ty)], source);
    let value = editor.func().inst(other).results[0];
    editor.set_op(inst, Op::Movement(Movement::Reshape(Reshape { shape: wanted.dims })));
    editor.set_operands(inst, vec![value]);
}
