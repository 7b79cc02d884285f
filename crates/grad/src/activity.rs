//! Which values depend on given parameters: at all, for batching, or in a differentiable way.
//!
//! One walk forward; the bodies of loops are walked until their carried values settle. Only floats and complex numbers
//! have derivatives: what passes through an integer or a comparison has the derivative zero.

use crate::shared::Shared;
use crate::tape::{MOST_DEPTH, stops};
use meshwright_base::IdMap;
use meshwright_ir::op::{BinaryOp, Convert, Random, UnaryOp};
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, Type, ValueId, mark};
use std::collections::BTreeSet;

/// What counts as depending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Derivative,
    /// A value that has one element per case of a batch.
    Batch,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    varied: IdMap<ValueId, bool>,
}

/// Whether values of a type have derivatives.
pub(crate) fn is_differentiable(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|ty| ty.dtype.is_float() || ty.dtype.is_complex())
}

impl Activity {
    /// Of a function whose parameters vary as said.
    pub(crate) fn of(
        module: &Module,
        shared: &mut Shared,
        func: &Function,
        params: &[bool],
        kind: Kind,
    ) -> Self {
        let varied = IdMap::filled(func.value_count(), false);
        let mut walk = ActivityWalk { module, shared, func, varied, depth: 0, kind };
        for (param, varies) in func.param_values().iter().zip(params) {
            walk.mark(*param, *varies);
        }
        walk.block(func.root());
        Activity { varied: walk.varied }
    }

    pub(crate) fn is_varied(&self, value: ValueId) -> bool {
        self.varied.get(value).copied().unwrap_or(false)
    }
}

struct ActivityWalk<'a> {
    module: &'a Module,
    shared: &'a mut Shared,
    func: &'a Function,
    varied: IdMap<ValueId, bool>,
    depth: usize,
    kind: Kind,
}

impl ActivityWalk<'_> {
    /// Whether the mark is new.
    fn mark(&mut self, value: ValueId, varies: bool) -> bool {
        let may = match self.kind {
            Kind::Derivative => is_differentiable(self.func.ty(value)),
            Kind::Batch => true,
        };
        varies && may && !std::mem::replace(&mut self.varied[value], true)
    }

    fn is(&self, value: &ValueId) -> bool {
        self.varied[*value]
    }

    fn block(&mut self, block: BlockId) {
        let func = self.func;
        for inst in &func.block(block).insts {
            self.inst(*inst);
        }
    }

    fn inst(&mut self, inst: InstId) {
        let func = self.func;
        let it = func.inst(inst);
        let smooth = self.kind == Kind::Derivative;
        if smooth && (stops(func, inst) || has_zero_derivative(&it.op)) {
            return;
        }
        match &it.op {
            Op::Scan(scan) => self.scan(inst, scan.carries),
            Op::Control(control) => self.control(control, inst),
            Op::Sharding(_) if !it.regions.is_empty() => self.region_once(inst),
            Op::Call(call) if it.attrs.get(mark::BACKWARD).is_none() => self.call(call.callee, inst),
            Op::OptimizationBarrier => self.each(&it.operands, &it.results),
            _ => {
                let any = self.any_use(inst);
                self.all(&it.results, any);
            }
        }
    }

    /// Whether anything an instruction uses varies, what its regions use from outside included.
    fn any_use(&self, inst: InstId) -> bool {
        let it = self.func.inst(inst);
        let operands = it.operands.iter().any(|value| self.is(value));
        operands || !it.regions.is_empty() && self.func.captures(inst).iter().any(|value| self.is(value))
    }

    fn all(&mut self, values: &[ValueId], vary: bool) {
        for value in values {
            self.mark(*value, vary);
        }
    }

    /// Value by value; whether any mark is new.
    fn each(&mut self, from: &[ValueId], to: &[ValueId]) {
        self.each_new(from, to);
    }

    fn each_new(&mut self, from: &[ValueId], to: &[ValueId]) -> bool {
        let pairs = from.iter().zip(to);
        pairs.fold(false, |any, (from, to)| {
            let varies = self.is(from);
            self.mark(*to, varies) | any
        })
    }

    fn inner(&mut self, block: BlockId) {
        self.depth += 1;
        if self.depth < MOST_DEPTH {
            self.block(block)
        } else {
            self.shared.refuse_depth()
        }
        self.depth -= 1;
    }

    fn scan(&mut self, inst: InstId, carries: usize) {
        let func = self.func;
        let it = func.inst(inst);
        let Some(body) = it.regions.first().copied() else { return };
        let (params, results) = (&func.block(body).params, &func.block(body).results);
        self.each(&it.operands, params);
        loop {
            self.inner(body);
            let carried = carries.min(results.len());
            if !self.each_new(&results[..carried], params) {
                break;
            }
        }
        self.each(results, &it.results);
        // A loop that may not run returns what it was given.
        self.each(&it.operands[..carries.min(it.operands.len())], &it.results);
    }

    fn control(&mut self, control: &meshwright_ir::op::Control, inst: InstId) {
        use meshwright_ir::op::Control;
        let func = self.func;
        let it = func.inst(inst);
        match control {
            Control::While => self.while_loop(inst),
            Control::If | Control::Case => {
                let chosen = self.kind == Kind::Batch && self.is(&it.operands[0]);
                self.all(&it.results, chosen);
                for region in &it.regions {
                    self.inner(*region);
                    self.each(&func.block(*region).results, &it.results);
                }
            }
            Control::Fusion { .. } => self.region_once(inst),
        }
    }

    /// A loop that goes on for each case as long as that wants goes on for none together.
    fn while_loop(&mut self, inst: InstId) {
        let func = self.func;
        let it = func.inst(inst);
        let [cond, body] = it.regions[..] else { return };
        if self.kind == Kind::Derivative {
            let any = self.any_use(inst);
            return self.all(&it.results, any);
        }
        self.each(&it.operands, &func.block(body).params);
        loop {
            self.inner(body);
            if !self.each_new(&func.block(body).results, &func.block(body).params) {
                break;
            }
        }
        self.each(&func.block(body).params, &func.block(cond).params);
        self.inner(cond);
        let apart = func.block(cond).results.iter().any(|value| self.is(value));
        self.each(&func.block(body).params, &it.results);
        self.all(&it.results, apart);
    }

    fn region_once(&mut self, inst: InstId) {
        let func = self.func;
        let it = func.inst(inst);
        let Some(body) = it.regions.first().copied() else { return };
        self.each(&it.operands, &func.block(body).params);
        self.inner(body);
        self.each(&func.block(body).results, &it.results);
    }

    fn call(&mut self, callee: FuncId, inst: InstId) {
        let func = self.func;
        let it = func.inst(inst);
        let params: Vec<bool> = it.operands.iter().map(|value| self.is(value)).collect();
        if !params.contains(&true) {
            return;
        }
        let results = varied_results(self.module, self.shared, callee, params, self.kind);
        for (result, varies) in it.results.iter().zip(results) {
            self.mark(*result, varies);
        }
    }
}

/// Which results of a function vary if its parameters vary as said.
pub(crate) fn varied_results(
    module: &Module,
    shared: &mut Shared,
    callee: FuncId,
    params: Vec<bool>,
    kind: Kind,
) -> Vec<bool> {
    let Some(func) = module.funcs.get(callee) else { return Vec::new() };
    let key = (callee, params, kind);
    if let Some(known) = shared.varied.get(&key) {
        return known.clone();
    }
    if shared.depth >= MOST_DEPTH {
        shared.refuse_depth();
        return vec![true; func.result_values().len()];
    }
    shared.depth += 1;
    let activity = Activity::of(module, shared, func, &key.1, kind);
    shared.depth -= 1;
    let varied: Vec<bool> = func.result_values().iter().map(|value| activity.is_varied(*value)).collect();
    shared.varied.insert(key, varied.clone());
    varied
}

/// Ops whose derivative is zero wherever it exists, though their result is a float.
fn has_zero_derivative(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(
            UnaryOp::Ceil
                | UnaryOp::Floor
                | UnaryOp::RoundNearestAfz
                | UnaryOp::RoundNearestEven
                | UnaryOp::Sign
        ) | Op::Binary(BinaryOp::NextAfter)
            | Op::Convert(Convert::Bitcast(_))
            | Op::Random(Random::BitGenerator { .. } | Random::Rng { .. })
    )
}

/// The varied values of a block and around it that given varied values depend on.
pub(crate) fn reached(
    func: &Function,
    activity: &Activity,
    block: BlockId,
    from: impl IntoIterator<Item = ValueId>,
) -> BTreeSet<ValueId> {
    let mut reached: BTreeSet<ValueId> =
        from.into_iter().filter(|value| activity.is_varied(*value)).collect();
    for inst in func.block(block).insts.iter().rev() {
        let it = func.inst(*inst);
        if it.results.iter().any(|result| reached.contains(result)) {
            let uses = it.operands.iter().copied().chain(func.captures(*inst));
            reached.extend(uses.filter(|value| activity.is_varied(*value)));
        }
    }
    reached
}
