//! Collectives in the forms that XLA's runtimes take inside a manual region.
//!
//! ```text
//! %a1, %b1 = all_reduce add %a, %b               %a1 = all_reduce add %a
//!                                       =>       %b1 = all_reduce add %b         XLA combines them again
//! %c1 = all_reduce xor %c : s32[4]               %g  = all_gather (reshape %c to [1,4]) : s32[n,4]
//!                                                %c1 = reduce xor %g over dim 0
//! %d = dot %x, %y                                %d = dot %x, %y
//! %e = all_to_all %d                             %b = optimization_barrier %d
//!                                                %e = all_to_all %b
//! ```
//!
//! Of the bitwise reducers XLA knows `and` and `or` of preds only, so others are gathered and reduced on every device. An
//! exchange becomes a reshape there, which XLA moves through the product to its operand, and what computes that can no
//! longer be fused with the product: on a step of 128 experts that took 3% more memory and 1% more time.

use crate::localize::emit::{identity_literal, reducer_block};
use meshwright_ir::op::{Collective, CollectiveKind, Constant, Movement, Reduce, Reshape};
use meshwright_ir::{
    At, BlockId, DType, Editor, Function, InstId, Module, Op, SourceId, TensorType, Type, ValueId,
};
use meshwright_shard::Reducer;

pub fn xla_form(module: &mut Module) {
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            rewrite(func, inst);
        }
        for inst in func.insts_in_order() {
            keep_apart(func, inst);
        }
    }
}

/// Keep the reshape that an exchange becomes behind the product that makes what is exchanged.
fn keep_apart(func: &mut Function, inst: InstId) {
    let info = func.inst(inst);
    let is_exchange =
        matches!(&info.op, Op::Collective(Collective { kind: CollectiveKind::AllToAll { .. }, .. }));
    let [operand] = info.operands[..] else { return };
    let is_product = func.def_inst(operand).is_some_and(|maker| matches!(func.inst(maker).op, Op::Dot(_)));
    if !is_exchange || !is_product {
        return;
    }
    let (ty, source) = (func.ty(operand).clone(), info.source);
    let mut editor = Editor::new(func);
    let barrier = Op::OptimizationBarrier;
    let barrier = editor.push_typed(At::Before(inst), barrier, vec![operand], Vec::new(), vec![ty], source);
    let behind = editor.func().inst(barrier).results[0];
    editor.set_operand(inst, 0, behind);
}

fn rewrite(func: &mut Function, inst: InstId) {
    let info = func.inst(inst);
    let Op::Collective(collective) = info.op.clone() else { return };
    let reducer = info.regions.first().and_then(|region| func.region_reducer(*region));
    let known = info.regions.is_empty() || reducer.is_some();
    if collective.kind == CollectiveKind::AllToAllTuple {
        return;
    }
    let odd = reducer.is_some_and(|by| info.operands.iter().any(|value| !is_taken(by, func.ty(*value))));
    if !known || (info.operands.len() == 1 && !odd) {
        return;
    }
    let (operands, results) = (info.operands.clone(), info.results.clone());
    let mut emit = Emit { source: info.source, at: At::Before(inst), editor: Editor::new(func) };
    let made: Vec<ValueId> =
        operands.iter().zip(&results).map(|pair| emit.one(&collective, reducer, *pair.0, *pair.1)).collect();
    let mut editor = emit.editor;
    editor.unlink(inst);
    editor.map_uses(|value| match results.iter().position(|result| *result == value) {
        Some(at) => made[at],
        None => value,
    });
}

fn is_taken(reducer: Reducer, ty: &Type) -> bool {
    let is_pred = ty.as_tensor().is_some_and(|ty| ty.dtype == DType::Pred);
    match reducer {
        Reducer::Sum | Reducer::Product | Reducer::Min | Reducer::Max => true,
        Reducer::And | Reducer::Or => is_pred,
        Reducer::Xor => false,
    }
}

struct Emit<'a> {
    editor: Editor<'a>,
    at: At,
    source: SourceId,
}

impl Emit<'_> {
    /// The part of a collective that is about one operand.
    fn one(
        &mut self,
        op: &Collective,
        reducer: Option<Reducer>,
        operand: ValueId,
        result: ValueId,
    ) -> ValueId {
        let func = self.editor.func();
        let name = func.value(result).name.clone();
        let ty = func.ty(result).clone();
        let (Some(to), Some(from)) = (ty.as_tensor().cloned(), func.ty(operand).as_tensor().cloned()) else {
            return result;
        };
        let made = match (reducer, op.kind.clone()) {
            (Some(by), CollectiveKind::AllReduce) if !is_taken(by, &ty) => {
                self.gathered(op, by, operand, &from)
            }
            (Some(by), CollectiveKind::ReduceScatter { dim }) if !is_taken(by, &ty) => {
                self.exchanged(op, by, operand, (&from, &to), dim)
            }
            (reducer, _) => {
                let regions = reducer.map(|by| vec![self.region(by, to.dtype)]).unwrap_or_default();
                self.push(Op::Collective(op.clone()), vec![operand], regions, to)
            }
        };
        self.editor.set_name(made, name);
        made
    }

    fn gathered(&mut self, op: &Collective, by: Reducer, operand: ValueId, ty: &TensorType) -> ValueId {
        let dims = |count: i64| std::iter::once(count).chain(ty.dims.iter().copied()).collect::<Vec<_>>();
        let rows = self.reshape(operand, ty.with_dims(dims(1)));
        let gather = Collective { kind: CollectiveKind::AllGather { dim: 0 }, ..op.clone() };
        let all =
            self.push(Op::Collective(gather), vec![rows], Vec::new(), ty.with_dims(dims(op.group_size)));
        self.reduce(all, 0, by, ty.clone())
    }

    /// Every device gets the others' parts of its own piece along a new dim, and reduces that.
    fn exchanged(
        &mut self,
        op: &Collective,
        by: Reducer,
        operand: ValueId,
        (from, to): (&TensorType, &TensorType),
        dim: usize,
    ) -> ValueId {
        let mut dims = from.dims.to_vec();
        dims.splice(dim..=dim, [op.group_size, to.dims[dim]]);
        let parts = self.reshape(operand, from.with_dims(dims.clone()));
        let kind = CollectiveKind::AllToAll { split_dim: dim, concat_dim: dim, split_count: op.group_size };
        let exchange = Op::Collective(Collective { kind, ..op.clone() });
        let mine = self.push(exchange, vec![parts], Vec::new(), from.with_dims(dims));
        self.reduce(mine, dim, by, to.clone())
    }

    fn reshape(&mut self, value: ValueId, ty: TensorType) -> ValueId {
        let op = Reshape { shape: ty.dims.to_vec() };
        self.push(Op::Movement(Movement::Reshape(op)), vec![value], Vec::new(), ty)
    }

    fn reduce(&mut self, value: ValueId, dim: usize, by: Reducer, ty: TensorType) -> ValueId {
        let scalar = TensorType::scalar(ty.dtype);
        let identity = Op::Constant(Constant(identity_literal(by, scalar.clone())));
        let identity = self.push(identity, Vec::new(), Vec::new(), scalar);
        let region = self.region(by, ty.dtype);
        self.push(Op::Reduce(Reduce { dims: vec![dim] }), vec![value, identity], vec![region], ty)
    }

    fn region(&mut self, by: Reducer, dtype: DType) -> BlockId {
        reducer_block(&mut self.editor, by, dtype, self.source)
    }

    fn push(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>, ty: TensorType) -> ValueId {
        let inst =
            self.editor.push_typed(self.at, op, operands, regions, vec![Type::Tensor(ty)], self.source);
        self.editor.func().inst(inst).results[0]
    }
}
