//! Regions on scalars, compiled to a list of steps: what makes reducers and comparators affordable.
//!
//! A region of scalar elementwise ops becomes a program over registers, built once per instruction and run once per
//! element. A region with anything else in it is run block by block by the machine instead.

use crate::convert::{scalar_by_bits, scalar_by_value};
use crate::elementwise::{Binary, Unary, binary, compare_one, unary};
use crate::fault::Fault;
use crate::tensor::{Scalar, Tensor};
use meshwright_base::Id;
use meshwright_ir::op::{BinaryOp, Compare, Convert, Movement, Op};
use meshwright_ir::{BlockId, DType, Function, Inst, TensorType, Type, ValueId};

/// One instruction: reads registers, writes register `into`.
struct RegisterInst {
    action: Action,
    out: DType,
    into: usize,
}

enum Action {
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Compare(Compare, usize, usize),
    Select(usize, usize, usize),
    Clamp { maximum: Binary, minimum: Binary, low: usize, x: usize, high: usize },
    Convert(usize),
    Bits(usize, DType),
    Copy(usize),
}

/// A compiled region.
pub(crate) struct Program {
    registers: Vec<Scalar>,
    steps: Vec<RegisterInst>,
    results: Vec<usize>,
}

impl Program {
    /// `None` if the region does more than scalar arithmetic. `captured` gives values from outside the region.
    pub fn compile(
        func: &Function,
        region: BlockId,
        captured: &dyn Fn(ValueId) -> Option<Scalar>,
    ) -> Option<Program> {
        let mut builder = ProgramBuilder {
            func,
            captured,
            known: Vec::new(),
            program: Program { registers: Vec::new(), steps: Vec::new(), results: Vec::new() },
        };
        let block = func.block(region);
        for param in &block.params {
            let ty = scalar_type(func, *param)?;
            builder.define(*param, Scalar::zero(ty.dtype));
        }
        for inst in &block.insts {
            builder.inst(func.inst(*inst))?;
        }
        for result in &block.results {
            let register = builder.register(*result)?;
            builder.program.results.push(register);
        }
        Some(builder.program)
    }

    /// Run on the parameters' values; results go to `out`, which is cleared first.
    pub fn run(&mut self, args: impl Iterator<Item = Scalar>, out: &mut Vec<Scalar>) -> Result<(), Fault> {
        for (register, arg) in self.registers.iter_mut().zip(args) {
            *register = arg;
        }
        for step in &self.steps {
            self.registers[step.into] =
                step.run(&self.registers).ok_or_else(|| Fault::unsound("a region mixes element types"))?;
        }
        out.clear();
        out.extend(self.results.iter().map(|register| self.registers[*register]));
        Ok(())
    }
}

impl RegisterInst {
    fn run(&self, registers: &[Scalar]) -> Option<Scalar> {
        let r = |register: usize| registers[register];
        match self.action {
            Action::Unary(kernel, x) => kernel.one(r(x), self.out),
            Action::Binary(kernel, a, b) => kernel.one(r(a), r(b), self.out),
            Action::Compare(op, a, b) => compare_one(op, r(a), r(b)).map(Scalar::Pred),
            Action::Select(pred, yes, no) => match r(pred) {
                Scalar::Pred(choice) => Some(if choice { r(yes) } else { r(no) }),
                _ => None,
            },
            Action::Clamp { maximum, minimum, low, x, high } => {
                minimum.one(maximum.one(r(x), r(low), self.out)?, r(high), self.out)
            }
            Action::Convert(x) => Some(scalar_by_value(r(x), self.out)),
            Action::Bits(x, from) => Some(scalar_by_bits(r(x), from, self.out)),
            Action::Copy(x) => Some(r(x)),
        }
    }
}

fn scalar_type(func: &Function, value: ValueId) -> Option<&TensorType> {
    func.ty(value).as_tensor().filter(|ty| ty.dims.is_empty())
}

struct ProgramBuilder<'a> {
    func: &'a Function,
    captured: &'a dyn Fn(ValueId) -> Option<Scalar>,
    /// Register of each value seen so far, sorted by value.
    known: Vec<(usize, usize)>,
    program: Program,
}

impl ProgramBuilder<'_> {
    fn define(&mut self, value: ValueId, initial: Scalar) -> usize {
        let register = self.program.registers.len();
        self.program.registers.push(initial);
        let at = self.known.partition_point(|(known, _)| *known < value.index());
        self.known.insert(at, (value.index(), register));
        register
    }

    fn register(&mut self, value: ValueId) -> Option<usize> {
        if let Ok(at) = self.known.binary_search_by_key(&value.index(), |(known, _)| *known) {
            return Some(self.known[at].1);
        }
        let captured = (self.captured)(value)?;
        Some(self.define(value, captured))
    }

    fn inst(&mut self, inst: &Inst) -> Option<()> {
        let [result] = inst.results[..] else { return None };
        let out = scalar_type(self.func, result)?.dtype;
        if let Op::Constant(constant) = &inst.op {
            let value = Tensor::from_literal(&constant.0)?.get(0)?;
            self.define(result, value);
            return Some(());
        }
        let mut args = Vec::new();
        for operand in &inst.operands {
            let dtype = scalar_type(self.func, *operand)?.dtype;
            args.push((self.register(*operand)?, dtype));
        }
        let action = action(&inst.op, &args, out)?;
        let into = self.define(result, Scalar::zero(out));
        self.program.steps.push(RegisterInst { action, out, into });
        Some(())
    }
}

/// The step of an op on scalar registers, if it is an elementwise one.
fn action(op: &Op, args: &[(usize, DType)], out: DType) -> Option<Action> {
    match (op, args) {
        (Op::Unary(op), [(x, dtype)]) => Some(Action::Unary(unary(*op, *dtype).ok()?, *x)),
        (Op::Binary(op), [(a, dtype), (b, _)]) => Some(Action::Binary(binary(*op, *dtype).ok()?, *a, *b)),
        (Op::Compare(op), [(a, _), (b, _)]) => Some(Action::Compare(*op, *a, *b)),
        (Op::Select, [(pred, _), (yes, _), (no, _)]) => Some(Action::Select(*pred, *yes, *no)),
        (Op::Clamp, [(low, _), (x, _), (high, _)]) => Some(Action::Clamp {
            maximum: binary(BinaryOp::Maximum, out).ok()?,
            minimum: binary(BinaryOp::Minimum, out).ok()?,
            low: *low,
            x: *x,
            high: *high,
        }),
        (Op::Convert(Convert::To(_)), [(x, _)]) => Some(Action::Convert(*x)),
        (Op::Convert(Convert::Bitcast(_)), [(x, from)]) if from.bits() == out.bits() => {
            Some(Action::Bits(*x, *from))
        }
        (Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)), [(x, _)]) => Some(Action::Copy(*x)),
        _ => None,
    }
}

/// The scalar in a rank-0 tensor.
pub(crate) fn scalar_of(tensor: &Tensor) -> Option<Scalar> {
    if tensor.dims().is_empty() { tensor.get(0) } else { None }
}

/// Whether a region returns its `index`-th parameter unchanged.
pub(crate) fn returns_param(func: &Function, region: BlockId, index: usize) -> bool {
    let block = func.block(region);
    matches!((&block.results[..], block.params.get(index)), ([result], Some(param)) if result == param)
}

/// The element type of a value that is a scalar tensor.
pub(crate) fn scalar_dtype(ty: &Type) -> Option<DType> {
    ty.as_tensor().filter(|ty| ty.dims.is_empty()).map(|ty| ty.dtype)
}
