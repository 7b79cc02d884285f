//! The walk over one function: rules 2 to 5 and 11, and at each instruction those that need more than types.
//!
//! Blocks are entered and left as they nest; a value is visible from its definition to the end of its block.

use super::calls::Calls;
use super::{Report, groups, sharding, value_name};
use crate::codes;
use crate::infer::{InferCx, Operands, RegionTypes};
use crate::module::{BlockId, Def, FuncId, Function, Inst, InstId, ValueId};
use crate::op::Op;
use crate::types::Type;
use meshwright_base::{Diagnostic, Id};

/// Check one function.
pub(super) fn check_function<'a>(
    report: &mut Report<'a>,
    id: FuncId,
    func: &'a Function,
    cx: &'a InferCx<'a>,
    calls: &mut Calls,
) {
    let visible = vec![false; func.value_count()];
    let (insts, blocks) = (vec![false; func.inst_count()], vec![false; func.block_count()]);
    let mut walk = VerifyWalk { report, id, func, cx, calls, visible, insts, blocks, types: Vec::new() };
    walk.run();
}

struct VerifyWalk<'r, 'a> {
    report: &'r mut Report<'a>,
    id: FuncId,
    func: &'a Function,
    cx: &'a InferCx<'a>,
    calls: &'r mut Calls,
    /// Per value: whether it can be used here.
    visible: Vec<bool>,
    /// Per instruction and block: whether the walk has been there.
    insts: Vec<bool>,
    blocks: Vec<bool>,
    /// Operand types of the current instruction; kept to spare allocations.
    types: Vec<&'a Type>,
}

/// A block that has been entered: the next instruction, and the next of its regions.
struct Open {
    block: BlockId,
    inst: usize,
    region: usize,
}

impl<'a> VerifyWalk<'_, 'a> {
    fn run(&mut self) {
        let mut stack = Vec::new();
        self.enter(self.func.root(), None, &mut stack);
        while let Some(open) = stack.last_mut() {
            let block = open.block;
            let Some(&inst) = self.func.block(block).insts.get(open.inst) else {
                self.leave(block);
                stack.pop();
                continue;
            };
            if open.region == 0 && !self.begin(block, inst) {
                open.inst += 1;
                continue;
            }
            if let Some(&region) = self.func.inst(inst).regions.get(open.region) {
                open.region += 1;
                self.enter(region, Some(inst), &mut stack);
                continue;
            }
            (open.inst, open.region) = (open.inst + 1, 0);
            self.finish(inst);
            if self.report.is_full() {
                return;
            }
        }
    }

    fn enter(&mut self, block: BlockId, parent: Option<InstId>, stack: &mut Vec<Open>) {
        let Some(seen) = self.blocks.get_mut(block.index()) else {
            return self.broken(format!("region {block:?} is no block of the function"));
        };
        if std::mem::replace(seen, true) {
            return self.broken(format!("block {block:?} is a region twice"));
        }
        if self.func.block(block).parent != parent {
            self.broken(format!("block {block:?} does not know the instruction whose region it is"));
        }
        for (index, param) in self.func.block(block).params.iter().enumerate() {
            self.define(*param, Def::Param { block, index });
        }
        stack.push(Open { block, inst: 0, region: 0 });
    }

    /// What the block returns must be visible; afterwards what it defined is not.
    fn leave(&mut self, block: BlockId) {
        let body = self.func.block(block);
        for (index, result) in body.results.iter().enumerate() {
            if !self.sees(*result) {
                let message = format!(
                    "result {index} of a block is `{}`, which is not defined there",
                    self.name(*result)
                );
                self.report_in_block(block, message);
            }
        }
        for param in &body.params {
            self.hide(*param);
        }
        for inst in &body.insts {
            if self.func.insts.get(*inst).is_some() {
                self.func.inst(*inst).results.iter().for_each(|result| self.hide(*result));
            }
        }
    }

    fn report_in_block(&mut self, block: BlockId, message: String) {
        match self.func.block(block).parent {
            Some(inst) => self.report.at_inst(codes::DEFINED, self.id, inst, message, None),
            None => self.report.at_function(codes::DEFINED, self.id, message),
        }
    }

    fn hide(&mut self, value: ValueId) {
        if let Some(visible) = self.visible.get_mut(value.index()) {
            *visible = false;
        }
    }

    fn sees(&self, value: ValueId) -> bool {
        self.visible.get(value.index()).is_some_and(|visible| *visible)
    }

    fn name(&self, value: ValueId) -> String {
        value_name(self.func, value)
    }

    fn broken(&mut self, message: String) {
        self.report.at_function(codes::STRUCTURE, self.id, message);
    }

    /// The instruction is reached for the first time: check its operands. False: it must not be looked into.
    fn begin(&mut self, block: BlockId, inst: InstId) -> bool {
        let Some(seen) = self.insts.get_mut(inst.index()) else {
            self.broken(format!("{inst:?} in {block:?} is no instruction of the function"));
            return false;
        };
        if std::mem::replace(seen, true) {
            self.report.at_inst(codes::STRUCTURE, self.id, inst, "the instruction stands twice", None);
            return false;
        }
        if self.func.block_of(inst) != block {
            let message = format!(
                "the instruction stands in {block:?}, but thinks it is in {:?}",
                self.func.block_of(inst)
            );
            self.report.at_inst(codes::STRUCTURE, self.id, inst, message, None);
        }
        let operands = &self.func.inst(inst).operands;
        for (index, operand) in operands.iter().enumerate() {
            if self.sees(*operand) {
                continue;
            }
            let message = format!("operand {index} is `{}`, which is not defined there", self.name(*operand));
            let help = "a value can be used after its definition, in the same block or in regions inside it";
            self.report.at_inst(codes::DEFINED, self.id, inst, message, Some(help.into()));
        }
        true
    }

    /// All regions have been walked: check types, then let the results be seen.
    fn finish(&mut self, inst: InstId) {
        let body = self.func.inst(inst);
        self.check_types(inst, body);
        for (index, result) in body.results.iter().enumerate() {
            self.define(*result, Def::Result { inst, index });
        }
        sharding::check_inst(self.report, self.id, inst, body);
        match &body.op {
            Op::Call(call) => self.calls.add(self.id, call.callee, inst),
            Op::Foreign(op) => op.callees().iter().for_each(|callee| self.calls.add(self.id, *callee, inst)),
            Op::Collective(op) => groups::check(self.report, self.id, inst, op),
            _ => {}
        }
    }

    fn define(&mut self, value: ValueId, def: Def) {
        let Some(visible) = self.visible.get_mut(value.index()) else {
            return self.broken(format!("{value:?} is no value of the function"));
        };
        *visible = true;
        let info = self.func.value(value);
        if info.def != def {
            self.broken(format!(
                "`{}` is defined by {def:?}, but thinks it is by {:?}",
                self.name(value),
                info.def
            ));
        }
        if let Some(wrong) = wrong_type(&info.ty) {
            let message = format!("`{}`: {wrong}", self.name(value));
            self.report.add(self.report.in_function(self.id, Diagnostic::error(codes::TYPE, message)));
        }
        if let Some(valid) = &info.valid {
            self.check_valid(value, valid);
        }
        sharding::check_value(self.report, self.id, self.func, value);
    }

    fn check_valid(&mut self, value: ValueId, valid: &[i64]) {
        let dims = self.func.dims(value);
        let inside = valid.iter().zip(dims).all(|(valid, size)| (0..=*size).contains(valid));
        if !inside || valid.len() != dims.len() {
            let message = format!("`{}`: {valid:?} of {dims:?} cannot be its valid part", self.name(value));
            self.report.at_function(codes::VALID, self.id, message);
        }
    }

    /// Rule 5.
    fn check_types(&mut self, inst: InstId, body: &'a Inst) {
        let known = |values: &[ValueId]| values.iter().all(|value| self.func.values().get(*value).is_some());
        let all_known = known(&body.operands)
            && known(&body.results)
            && body.regions.iter().all(|region| self.blocks.get(region.index()).is_some());
        if !all_known {
            return;
        }
        let func = self.func;
        self.types.clear();
        self.types.extend(body.operands.iter().map(|value| func.ty(*value)));
        let list = |values: &[ValueId]| -> Vec<&'a Type> {
            values.iter().filter_map(|value| func.values().get(*value)).map(|value| &value.ty).collect()
        };
        let regions: Vec<RegionTypes<'a>> = (body.regions.iter())
            .map(|region| (list(&func.block(*region).params), list(&func.block(*region).results)))
            .collect();
        match body.op.infer(Operands { types: &self.types, regions: &regions }, self.cx) {
            Err(error) => self.report.at_inst(codes::OP, self.id, inst, error.message, error.help),
            Ok(types) => self.compare(inst, body, &types),
        }
    }

    fn compare(&mut self, inst: InstId, body: &Inst, types: &[Type]) {
        let (has, needs) = (body.results.len(), types.len());
        if has != needs {
            let message = format!("it has {has} results, but {needs} come out");
            return self.report.at_inst(codes::OP, self.id, inst, message, None);
        }
        for (value, ty) in body.results.iter().zip(types).filter(|(value, ty)| self.func.ty(**value) != *ty) {
            let message =
                format!("`{}` is declared {}, but is {ty}", self.name(*value), self.func.ty(*value));
            self.report.at_inst(codes::OP, self.id, inst, message, Some(format!("declare it as {ty}")));
        }
    }
}

/// Rule 2.
fn wrong_type(ty: &Type) -> Option<String> {
    let tensor = ty.as_tensor()?;
    if let Some(dim) = tensor.dims.iter().position(|size| *size < 0) {
        return Some(format!("dim {dim} has a negative size, {}", tensor.dims[dim]));
    }
    let bits = tensor
        .dims
        .iter()
        .try_fold(i64::from(tensor.dtype.bits()), |bits, size| bits.checked_mul((*size).max(1)));
    bits.is_none().then(|| format!("{tensor} has more bytes than can be counted"))
}
