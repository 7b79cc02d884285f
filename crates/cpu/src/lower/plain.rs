//! Ops without a kernel of their own run as one instruction on the reference interpreter.
//!
//! ```text
//! %r = fft %x        =>        func(%x) { return fft %x }   run as a step
//! ```
//!
//! Values that regions use from around them become parameters.

use super::{Frame, Lower, Val};
use meshwright_base::IdMap;
use meshwright_ir::op::{Foreign, Random};
use meshwright_ir::{
    At, BlockId, Editor, Function, Inst, InstId, Module, Op, SourceId, TensorType, Type, ValueId,
};
use meshwright_kernels::plain::PlainStep;
use meshwright_kernels::step::Step;
use meshwright_runtime::RunError;
use std::sync::Arc;

/// Whether an op that the engine refuses may run as a step of its own: it has no control flow that contains
/// collectives, and takes and gives arrays.
pub(super) fn may_run_plain(op: &Op) -> bool {
    match op {
        Op::Foreign(Foreign::CustomCall(call)) => meshwright_interp::knows(call),
        op => !op.facts().is_elsewhere,
    }
}

/// A copy of one instruction in a function of its own.
struct Copier<'a, 'm> {
    from: &'m Function,
    to: Editor<'a>,
    known: IdMap<ValueId, Option<ValueId>>,
    /// Values from around the instruction, in order of their parameters.
    params: Vec<ValueId>,
    root: BlockId,
}

impl Copier<'_, '_> {
    fn value(&mut self, value: ValueId) -> ValueId {
        if let Some(known) = self.known[value] {
            return known;
        }
        let param = self.to.param(self.root, self.from.ty(value).clone());
        self.known[value] = Some(param);
        self.params.push(value);
        param
    }

    fn inst(&mut self, inst: InstId, into: BlockId) -> InstId {
        let body = self.from.inst(inst);
        let operands = body.operands.iter().map(|value| self.value(*value)).collect();
        let regions = body.regions.iter().map(|region| self.region(*region)).collect();
        let types: Vec<Type> = body.results.iter().map(|value| self.from.ty(*value).clone()).collect();
        let made =
            self.to.push_typed(At::End(into), body.op.clone(), operands, regions, types, SourceId::unknown());
        *self.to.attrs_mut(made) = body.attrs.clone();
        let results = self.to.func().inst(made).results.clone();
        for (own, made) in body.results.iter().zip(results) {
            self.known[*own] = Some(made);
        }
        made
    }

    /// Regions nest as deep as the verifier allows.
    fn region(&mut self, region: BlockId) -> BlockId {
        let body = self.from.block(region);
        let into = self.to.block();
        for param in &body.params {
            let ty = self.from.ty(*param).clone();
            self.known[*param] = Some(self.to.param(into, ty));
        }
        for inst in &body.insts {
            self.inst(*inst, into);
        }
        let results = body.results.iter().map(|value| self.value(*value)).collect();
        self.to.set_results(into, results);
        into
    }
}

impl<'m> Lower<'m> {
    /// Run an instruction as a step of its own.
    pub fn plain(&mut self, frame: &Frame<'m>, id: InstId, inst: &'m Inst) -> Result<Vec<Val>, RunError> {
        let mut alone = Function::new("plain", true);
        let root = alone.root();
        let known = IdMap::filled(frame.func.value_count(), None);
        let mut copier =
            Copier { from: frame.func, to: Editor::new(&mut alone), known, params: Vec::new(), root };
        for value in &inst.operands {
            copier.value(*value);
        }
        let made = copier.inst(id, root);
        let params = std::mem::take(&mut copier.params);
        let results = copier.to.func().inst(made).results.clone();
        copier.to.set_results(root, results);
        let operands =
            params.iter().map(|value| self.operand(frame, *value)).collect::<Result<Vec<_>, _>>()?;
        let (mut results, mut vals) = (Vec::new(), Vec::new());
        for i in 0..inst.results.len() {
            let (dtype, dims) = self.result(frame, inst, i)?;
            let (buf, val) = self.fresh(dtype, &dims)?;
            results.push((buf, self.tensor_type(frame, inst.results[i])?));
            vals.push(val);
        }
        let module = Arc::new(self.around(frame.func, id, alone));
        let draws = matches!(inst.op, Op::Random(Random::Rng { .. }));
        self.push(Step::Plain(PlainStep { module, operands, results, draws }));
        Ok(vals)
    }

    fn operand(
        &mut self,
        frame: &Frame<'m>,
        value: ValueId,
    ) -> Result<(meshwright_kernels::step::BufId, TensorType), RunError> {
        let ty = self.tensor_type(frame, value)?;
        let val = self.get(frame, value)?;
        Ok((self.dense(&val)?, ty))
    }

    fn tensor_type(&self, frame: &Frame<'m>, value: ValueId) -> Result<TensorType, RunError> {
        frame.func.ty(value).as_tensor().cloned().ok_or_else(|| self.refuse("a token"))
    }

    /// A module for the function: with the others, if it calls any.
    fn around(&self, func: &Function, inst: InstId, alone: Function) -> Module {
        let mut module = if calls(func, inst) { self.module.clone() } else { Module::new("plain") };
        module.num_partitions = None;
        module.num_replicas = None;
        module.entry = module.funcs.push(alone);
        module
    }
}

/// Whether an instruction or one in its regions names a function.
fn calls(func: &Function, inst: InstId) -> bool {
    let body = func.inst(inst);
    let named = !body.op.callees().is_empty();
    named || body.regions.iter().any(|region| func.block(*region).insts.iter().any(|inst| calls(func, *inst)))
}
