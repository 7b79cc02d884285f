//! Which parameters should not be negative: those of which a root or a logarithm is taken, as of Adam's second moments.
//!
//! ```text
//! sqrt(0.999 * %nu + 0.001 * (%g * %g))      %nu must not be negative; a square is not, whatever %g is
//! ```
//!
//! Followed backward from roots and logarithms through what keeps numbers that are not negative so: sums, products,
//! quotients, larger ones, copies, other shapes, loops and calls. Differences and contractions end the way.

use meshwright_ir::op::{BinaryOp, Control, Dynamic, UnaryOp};
use meshwright_ir::{BlockId, Def, FuncId, Function, InstId, Module, Op, ValueId};
use std::collections::BTreeSet;

/// For each parameter of the entry function, whether a root or a logarithm of it is taken.
pub fn nonnegative_params(module: &Module) -> Vec<bool> {
    let mut way = Way { module, seen: BTreeSet::new(), open: Vec::new() };
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            let info = func.inst(inst);
            if matches!(info.op, Op::Unary(UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Log)) {
                info.operands.iter().for_each(|operand| way.go(id, *operand));
            }
        }
    }
    while let Some((id, value)) = way.open.pop() {
        way.back(id, value);
    }
    let params = module.main().param_values().iter();
    params.map(|param| way.seen.contains(&(module.entry, *param))).collect()
}

struct Way<'m> {
    module: &'m Module,
    seen: BTreeSet<(FuncId, ValueId)>,
    open: Vec<(FuncId, ValueId)>,
}

impl Way<'_> {
    fn go(&mut self, func: FuncId, value: ValueId) {
        if self.seen.insert((func, value)) {
            self.open.push((func, value));
        }
    }

    fn back(&mut self, id: FuncId, value: ValueId) {
        let module = self.module;
        let func = &module.funcs[id];
        match func.value(value).def {
            Def::Param { block, index } => self.go_to_givers(id, func, block, index),
            Def::Result { inst, index } => self.go_to_operands(id, func, inst, index),
        }
    }

    /// From a parameter to what is given for it: by callers, or by a loop at its start.
    fn go_to_givers(&mut self, id: FuncId, func: &Function, block: BlockId, index: usize) {
        if let Some(parent) = func.block(block).parent {
            let operand = func.inst(parent).operands.get(index).copied();
            operand.into_iter().for_each(|operand| self.go(id, operand));
            return;
        }
        for (caller, other) in self.module.funcs.iter() {
            for inst in other.insts_in_order().into_iter().map(|inst| other.inst(inst)) {
                if let Op::Call(call) = &inst.op
                    && call.callee == id
                {
                    inst.operands.get(index).into_iter().for_each(|operand| self.go(caller, *operand));
                }
            }
        }
    }

    fn go_to_operands(&mut self, id: FuncId, func: &Function, inst: InstId, index: usize) {
        let info = func.inst(inst);
        if let Op::Call(call) = &info.op {
            let results = self.module.funcs.get(call.callee).map_or(&[][..], Function::result_values);
            results.get(index).into_iter().for_each(|result| self.go(call.callee, *result));
        } else if matches!(info.op, Op::Control(_) | Op::Scan(_)) {
            let is_loop = matches!(info.op, Op::Control(Control::While) | Op::Scan(_));
            let results = info.regions.iter().filter_map(|region| func.block(*region).results.get(index));
            let start = info.operands.get(index).filter(|_| is_loop);
            results.chain(start).for_each(|value| self.go(id, *value));
        } else if keeps_sign(&info.op) && !is_square(&info.op, &info.operands) {
            info.operands.iter().for_each(|operand| self.go(id, *operand));
        }
    }
}

fn is_square(op: &Op, operands: &[ValueId]) -> bool {
    matches!(op, Op::Binary(BinaryOp::Multiply)) && matches!(operands, [a, b] if a == b)
}

fn keeps_sign(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary(BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Maximum)
            | Op::Unary(UnaryOp::Copy)
            | Op::Select
            | Op::Convert(_)
            | Op::Movement(_)
            | Op::Dynamic(Dynamic::Slice { .. })
            | Op::OptimizationBarrier
    )
}
