//! Sums that a loop carries and only ever adds to: they may stay partial until the loop is over.
//!
//! ```text
//! %w = while (%s = %zero) { ..                        %w = while (%s = to-partial %zero) { ..
//!   %d = dot %a, %b           partial over x    =>      %d = dot %a, %b           partial over x
//!   %d1 = all-reduce %d                                 return add %s, %d
//!   return add %s, %d1 }                              }
//!                                                     %w1 = all-reduce %w
//! ```
//!
//! One reduction instead of one each trip. Such a sum is a parameter of the body with one use, an addition whose result has
//! one use, and so on until the body returns it in the parameter's place. This file finds them; whether one pays is
//! the planner's question.

use crate::plan::Use;
use meshwright_ground::IdMap;
use meshwright_ir::op::{BinaryOp, Control};
use meshwright_ir::{BlockId, Function, InstId, Op, ValueId};

/// A sum carried by a loop.
pub struct CarriedSum {
    pub inst: InstId,
    /// Its place among the loop's operands, parameters and results.
    pub index: usize,
    pub body: BlockId,
    /// The parameter of the body, and that of the condition.
    pub params: Vec<ValueId>,
    /// The additions, in order, with what each adds.
    pub adds: Vec<(InstId, ValueId)>,
}

/// The sums an instruction carries.
pub fn carried_sums(func: &Function, inst: InstId, uses: &IdMap<ValueId, Vec<Use>>) -> Vec<CarriedSum> {
    let info = func.inst(inst);
    let (condition, body, count) = match (&info.op, &info.regions[..]) {
        (Op::Control(Control::While), [condition, body]) => (Some(*condition), *body, info.operands.len()),
        (Op::Scan(scan), [body]) => (None, *body, scan.carries),
        _ => return Vec::new(),
    };
    let sum = |index: usize| {
        let param = *func.block(body).params.get(index)?;
        let tested = condition.and_then(|block| func.block(block).params.get(index).copied());
        if tested.is_some_and(|param| !uses[param].is_empty()) {
            return None;
        }
        let adds = adds(func, param, Use::Result(body, index), uses)?;
        Some(CarriedSum { inst, index, body, params: std::iter::once(param).chain(tested).collect(), adds })
    };
    (0..count).filter_map(sum).collect()
}

/// The additions to a value on its only way to an end; `None` if it goes elsewhere or nothing is added.
fn adds(
    func: &Function,
    start: ValueId,
    end: Use,
    uses: &IdMap<ValueId, Vec<Use>>,
) -> Option<Vec<(InstId, ValueId)>> {
    let (mut value, mut adds) = (start, Vec::new());
    loop {
        match uses[value][..] {
            [of] if of == end => return (!adds.is_empty()).then_some(adds),
            [Use::Operand(inst, at)] if func.inst(inst).op == Op::Binary(BinaryOp::Add) => {
                adds.push((inst, *func.inst(inst).operands.get(1 - at)?));
                value = *func.inst(inst).results.first()?;
            }
            _ => return None,
        }
    }
}
