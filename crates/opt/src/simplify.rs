//! Say what partitioning leaves in fewer and smaller instructions.
//!
//! ```text
//! movement   slice of pad, of concatenate, of broadcast, of slice; pad of pad; chains of reshapes, transposes,
//!            broadcasts, reversals; products turned round; kernels that are reversed; what moves nothing; pieces of nothing
//!                                                                                            simplify/movement.rs
//! number     sums with 0, products with 1, chains of conversions that lose nothing, constants that decide
//!                                                                                            simplify/number.rs
//! choice     selects and comparisons whose outcome is known on every device, masks under masks
//!                                                                                            simplify/choice.rs
//! range      between which whole numbers a value lies, which is what decides                  simplify/range.rs
//! ```
//!
//! Every element of every result keeps its bits, those of infinities and NaNs included: no float is computed otherwise
//! than before, no `x * 0` becomes 0. An instruction is rewritten where it stands, into one of the same type, or gives
//! way to a value there is already; no instruction is added, no order changed, and collectives are left alone. One walk
//! in program order, in which each rule looks at what defines the operands: these are simple already, so one walk is
//! enough but for what only a later use makes possible. What nobody uses any more is left to `dce`.

mod choice;
mod movement;
mod number;
mod range;

pub(crate) use number::computed;
pub(crate) use range::fits;

use crate::{Changed, uses};
use meshwright_base::IdMap;
use meshwright_ir::op::{Movement, ShardingOp};
use meshwright_ir::{Editor, Function, Inst, InstId, Literal, Module, Op, TensorType, ValueId};

/// Most rewrites of one instruction in a walk.
const MOST_STEPS: usize = 32;

pub fn simplify(module: &mut Module) -> Changed {
    rewrite(module, Rules::All)
}

/// Which rewrites are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    All,
    /// Those that come to a value there is already, or to a constant.
    Known,
}

pub(crate) fn rewrite(module: &mut Module, rules: Rules) -> Changed {
    let devices = module.num_partitions;
    let each = module.funcs.values_mut().map(|func| rewrite_function(func, devices, rules));
    each.fold(false, |any, changed| any | changed)
}

/// What stands for an instruction.
enum Now {
    Value(ValueId),
    Op(Box<Op>, Vec<ValueId>),
}

impl Now {
    fn op(op: Op, operands: Vec<ValueId>) -> Now {
        Now::Op(Box::new(op), operands)
    }

    fn constant(literal: Literal) -> Now {
        Now::op(Op::Constant(meshwright_ir::op::Constant(literal)), Vec::new())
    }

    fn is_made_by(&self, rules: Rules) -> bool {
        match self {
            Now::Value(_) => true,
            Now::Op(op, _) => rules == Rules::All || matches!(**op, Op::Constant(_)),
        }
    }
}

fn rewrite_function(func: &mut Function, devices: Option<i64>, rules: Rules) -> Changed {
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    // Only what takes the place of several others asks for them.
    let uses = if rules == Rules::All { uses::counts(func) } else { IdMap::new() };
    let grouped = members(func);
    let mut changed = false;
    for inst in func.insts_in_order() {
        if func.inst(inst).operands.iter().any(|value| replaced[*value].is_some()) {
            let current = |value: &ValueId| replaced[*value].unwrap_or(*value);
            let operands: Vec<ValueId> = func.inst(inst).operands.iter().map(current).collect();
            Editor::new(func).set_operands(inst, operands);
        }
        for _ in 0..MOST_STEPS {
            match step(View { func, devices, uses: &uses, grouped: &grouped }, inst)
                .filter(|now| now.is_made_by(rules))
            {
                None => break,
                Some(Now::Op(op, operands)) => {
                    let mut editor = Editor::new(func);
                    editor.set_op(inst, *op);
                    editor.set_operands(inst, operands);
                    changed = true;
                }
                Some(Now::Value(value)) => {
                    let result = func.inst(inst).results[0];
                    replaced[result] = Some(value);
                    changed = true;
                    break;
                }
            }
        }
    }
    if changed {
        Editor::new(func).map_uses(|value| replaced[value].unwrap_or(value));
    }
    changed
}

/// The values that are members of sharding groups. What a group says of one it says of nothing else.
fn members(func: &Function) -> IdMap<ValueId, bool> {
    let mut members = IdMap::filled(func.value_count(), false);
    for inst in func.insts_in_order().into_iter().map(|inst| func.inst(inst)) {
        if let Op::Sharding(ShardingOp::Group { .. }) = inst.op {
            inst.operands.iter().for_each(|value| members[*value] = true);
        }
    }
    members
}

/// One rewrite of an instruction with one result, if there is any.
fn step(view: View<'_>, id: InstId) -> Option<Now> {
    let inst = view.func.inst(id);
    let [result] = inst.results[..] else { return None };
    let annotated = view.func.value(result);
    if annotated.sharding.is_some() || annotated.valid.is_some() || view.grouped[result] {
        return None;
    }
    let ty = annotated.ty.as_tensor()?;
    let at = At { view, inst, ty };
    match &inst.op {
        Op::Movement(op) => movement::movement(at, op),
        Op::Dynamic(op) => movement::dynamic(at, op),
        Op::Convert(op) => number::convert(at, op),
        Op::Unary(op) => number::unary(at, *op),
        Op::Binary(op) => number::binary(at, *op),
        Op::Compare(op) => choice::compare(at, op),
        Op::Select => choice::select(at),
        Op::Clamp => choice::clamp(at),
        Op::Constant(_) | Op::Iota(_) | Op::Gather(_) | Op::Scatter(_) | Op::Dot(_) => None,
        Op::Convolution(op) => movement::convolution(at, op),
        Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) => None,
        Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) => None,
        Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) | Op::Scan(_) | Op::Call(_) => None,
        Op::Collective(_) | Op::PartitionId | Op::ReplicaId | Op::Foreign(_) => None,
        Op::OptimizationBarrier | Op::Token(_) | Op::Sharding(_) => None,
    }
}

/// A function as it is now, and what its instructions run on.
#[derive(Clone, Copy)]
struct View<'a> {
    func: &'a Function,
    devices: Option<i64>,
    /// How often each value was used before the walk, where all rules are asked.
    uses: &'a IdMap<ValueId, u32>,
    /// Which values are members of sharding groups.
    grouped: &'a IdMap<ValueId, bool>,
}

impl<'a> View<'a> {
    fn ty(self, value: ValueId) -> Option<&'a TensorType> {
        self.func.ty(value).as_tensor()
    }

    /// The instruction behind a value, if it has no other result.
    fn def(self, value: ValueId) -> Option<&'a Inst> {
        let inst = self.func.inst(self.func.def_inst(value)?);
        (inst.results.len() == 1).then_some(inst)
    }

    fn literal(self, value: ValueId) -> Option<&'a Literal> {
        let Op::Constant(constant) = &self.def(value)?.op else { return None };
        Some(&constant.0)
    }

    /// The bytes of every element of a constant.
    fn splat(self, value: ValueId) -> Option<&'a [u8]> {
        self.literal(value)?.as_splat()
    }

    /// The bytes of every element of a constant, or of one that is repeated.
    fn everywhere(self, value: ValueId) -> Option<&'a [u8]> {
        if let Some(element) = self.splat(value) {
            return Some(element);
        }
        let inst = self.def(value)?;
        let repeats = matches!(inst.op, Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)));
        self.splat(*inst.operands.first().filter(|_| repeats)?)
    }

    /// The number that every element of a constant is.
    fn number(self, value: ValueId) -> Option<i64> {
        self.literal(value)?.as_int()
    }
}

/// An instruction to be rewritten, with the type of its only result.
#[derive(Clone, Copy)]
struct At<'a> {
    view: View<'a>,
    inst: &'a Inst,
    ty: &'a TensorType,
}

impl<'a> At<'a> {
    fn operand(self, at: usize) -> Option<ValueId> {
        self.inst.operands.get(at).copied()
    }

    /// An operand, if it has the type of the result.
    fn same(self, at: usize) -> Option<Now> {
        self.instead(self.operand(at)?)
    }

    /// A value in place of the result, if their types are the same.
    fn instead(self, value: ValueId) -> Option<Now> {
        (self.view.ty(value)? == self.ty).then_some(Now::Value(value))
    }

    /// A constant of one element repeated in place of the result.
    fn all(self, element: &[u8]) -> Option<Now> {
        Some(Now::constant(Literal::splat(self.ty.clone(), element)?))
    }
}
