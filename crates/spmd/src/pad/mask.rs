//! Masks: where a reduction runs over a padded dim, garbage becomes the identity of the reducer.
//!
//! Selects, never multiplications: garbage may be a NaN.

use crate::localize::emit::identity_literal;
use crate::pad::classes::takes_padding;
use crate::reshard::sharding_of;
use meshwright_ground::IdMap;
use meshwright_ir::op::{Compare, Constant, Direction, Iota, ReshardOp, ShardingOp};
use meshwright_ir::{
    Annotation, At, DType, Editor, FactorKind, Function, InstId, Literal, Op, TensorType, Type, ValueId,
    rule_of,
};
use meshwright_shard::{Reducer, Sharding};

/// What stands in for garbage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Filler {
    Identity(Reducer),
    /// An index that no dim has: the update is dropped.
    NoIndex,
}

/// One operand's dims that must not show garbage to an instruction.
#[derive(Clone, Debug)]
pub struct Mask {
    inst: InstId,
    operand: usize,
    dims: Vec<usize>,
    filler: Filler,
}

/// Masks the instructions may need, found on the unpadded program; those whose dims get no padding do nothing.
pub fn needed(func: &Function, insts: &[InstId]) -> Vec<Mask> {
    insts.iter().flat_map(|inst| of_inst(func, *inst)).collect()
}

fn of_inst(func: &Function, inst: InstId) -> Vec<Mask> {
    let info = func.inst(inst);
    if matches!(info.op, Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Sharding(_) | Op::Token(_)) {
        return Vec::new();
    }
    let rule = rule_of(func, inst);
    let mut masks = Vec::new();
    for (operand, dims) in rule.operands.iter().enumerate() {
        let reduced = |factors: &Vec<_>| match factors[..] {
            [factor] if takes_padding(&info.op, &rule, factor) => match rule.factors[factor].kind {
                FactorKind::Reduce(reducer) => Some((reducer, rule.factors[factor].by_hand)),
                _ => None,
            },
            _ => None,
        };
        let found: Vec<(usize, (Reducer, bool))> =
            dims.iter().enumerate().filter_map(|(dim, factors)| Some((dim, reduced(factors)?))).collect();
        let Some((_, (reducer, by_hand))) = found.first().copied() else { continue };
        let filler = match (&info.op, by_hand) {
            (_, false) => Filler::Identity(reducer),
            (Op::Scatter(_), true) if operand == info.operands.len() / 2 => Filler::NoIndex,
            // A gather's lookup is bounded by the real size; a scatter's other operands are dropped with their index.
            (_, true) => continue,
        };
        masks.push(Mask { inst, operand, dims: found.into_iter().map(|(dim, _)| dim).collect(), filler });
    }
    masks
}

impl Mask {
    /// Put the mask in, if a dim it guards is padded.
    pub fn apply(self, func: &mut Function, sizes: &IdMap<ValueId, Vec<i64>>) {
        let value = func.inst(self.inst).operands[self.operand];
        let Type::Tensor(ty) = func.ty(value).clone() else { return };
        let Some(sharding) = sharding_of(func, value) else { return };
        let real: Vec<i64> = match (&func.value(value).valid, sizes.get(value)) {
            (Some(valid), _) => valid.to_vec(),
            (None, _) => ty.dims.clone(),
        };
        let padded: Vec<usize> = self.dims.iter().copied().filter(|dim| real[*dim] < ty.dims[*dim]).collect();
        let valid = func.value(value).valid.clone();
        let mut writer = Writer { editor: Editor::new(func), at: At::Before(self.inst), sharding };
        let mut masked = value;
        for dim in padded {
            let keep = writer.inside(&ty, dim, real[dim]);
            let filler = writer.filler(self.filler.literal(ty.clone()));
            masked = writer.push(Op::Select, vec![keep, masked, filler], ty.clone(), true);
            writer.editor.set_valid(masked, valid.clone());
        }
        Editor::new(func).set_operand(self.inst, self.operand, masked);
    }
}

impl Filler {
    fn literal(self, ty: TensorType) -> Literal {
        match self {
            Filler::Identity(reducer) => identity_literal(reducer, ty),
            Filler::NoIndex => Literal::splat_int(ty, -1),
        }
    }
}

struct Writer<'a> {
    editor: Editor<'a>,
    at: At,
    sharding: Sharding,
}

impl Writer<'_> {
    /// Add an instruction sharded like the masked value; only what joins the value itself is partial with it.
    fn push(&mut self, op: Op, operands: Vec<ValueId>, ty: TensorType, partial: bool) -> ValueId {
        let mut sharding = self.sharding.clone();
        if !partial {
            sharding.partial.clear();
            sharding.reducer = Reducer::Sum;
        }
        let source = meshwright_ir::SourceId::unknown();
        let inst = self.editor.push_typed(self.at, op, operands, Vec::new(), vec![Type::Tensor(ty)], source);
        let value = self.editor.func().inst(inst).results[0];
        self.editor.set_sharding(value, Some(Annotation::Mesh(sharding)));
        value
    }

    fn constant(&mut self, literal: Literal) -> ValueId {
        let ty = literal.ty().clone();
        self.push(Op::Constant(Constant(literal)), Vec::new(), ty, false)
    }

    /// What replaces garbage; beside a partial value it is one part of a partial value too.
    fn filler(&mut self, literal: Literal) -> ValueId {
        let ty = literal.ty().clone();
        let filler = self.constant(literal);
        match self.sharding.partial.is_empty() {
            true => filler,
            false => self.push(Op::Sharding(ShardingOp::Reshard(ReshardOp::Any)), vec![filler], ty, true),
        }
    }

    /// Which positions along a dim are real.
    fn inside(&mut self, ty: &TensorType, dim: usize, size: i64) -> ValueId {
        let index = ty.with_dtype(DType::S32);
        let iota = self.push(Op::Iota(Iota { dim, ty: index.clone() }), Vec::new(), index.clone(), false);
        let limit = self.constant(Literal::splat_int(index, size));
        let compare = Op::Compare(Compare { direction: Direction::Lt, kind: None });
        self.push(compare, vec![iota, limit], ty.with_dtype(DType::Pred), false)
    }
}
