//! Masks: where a reduction runs over a padded dim, garbage becomes the identity of the reducer.
//!
//! Selects, never multiplications: garbage may be a NaN.

use crate::pad::classes::takes_padding;
use crate::plan::kinds::Rules;
use crate::reshard::sharding_of;
use meshwright_base::IdMap;
use meshwright_ir::op::{Direction, ReshardOp, Scatter, ShardingOp};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{
    At, Build, Builder, Class, DType, Dim, Editor, FactorKind, Function, InstId, Literal, Localize, Op,
    SourceId, TensorType, Type, ValueId,
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
pub fn needed(func: &Function, insts: &[InstId], rules: &Rules) -> Vec<Mask> {
    insts.iter().flat_map(|inst| of_inst(func, *inst, rules)).collect()
}

fn of_inst(func: &Function, inst: InstId, rules: &Rules) -> Vec<Mask> {
    let info = func.inst(inst);
    if matches!(info.op, Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Sharding(_) | Op::Token(_)) {
        return Vec::new();
    }
    let Some(rule) = &rules[inst] else { return Vec::new() };
    let mut masks = Vec::new();
    for (operand, dims) in rule.operands.iter().enumerate() {
        let reduced = |factors: &DimFactors| match factors[..] {
            [factor] if takes_padding(&info.op, rule, factor) => match rule.factors[factor].kind {
                FactorKind::Reduce(reducer) => {
                    Some((reducer, rule.factors[factor].localize == Localize::ByFamily))
                }
                _ => None,
            },
            _ => None,
        };
        let found: Vec<(usize, (Reducer, bool))> =
            dims.iter().enumerate().filter_map(|(dim, factors)| Some((dim, reduced(factors)?))).collect();
        let Some((_, (reducer, by_family))) = found.first().copied() else { continue };
        let filler = match (&info.op, by_family) {
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
    /// Put the mask in, if a dim it guards is padded. What is gathered for this instruction alone is masked before:
    /// there it is smaller, and nothing stands between the gather and its user.
    pub fn apply(self, func: &mut Function, sizes: &IdMap<ValueId, Vec<i64>>) {
        let value = func.inst(self.inst).operands[self.operand];
        let real: Vec<i64> = match (&func.value(value).valid, sizes.get(value)) {
            (Some(valid), _) => valid.to_vec(),
            (None, _) => func.dims(value).to_vec(),
        };
        let is_padded = |dim: &usize| real[*dim] < func.dims(value)[*dim];
        let padded: Vec<(usize, i64)> =
            self.dims.iter().copied().filter(is_padded).map(|dim| (dim, real[dim])).collect();
        if padded.is_empty() {
            return;
        }
        let widened = self.widen(func);
        let gather = if widened { None } else { gathered(func, value) };
        let (user, operand) = gather.map_or((self.inst, self.operand), |gather| (gather, 0));
        self.mask(func, user, operand, &padded);
        self.release(func);
    }

    /// Indices that no dim has are all the same, and stand behind greater ones.
    fn release(&self, func: &mut Function) {
        if let (Filler::NoIndex, Op::Scatter(scatter)) = (self.filler, func.inst(self.inst).op.clone()) {
            let op = Scatter { indices_are_sorted: false, unique_indices: false, ..scatter };
            Editor::new(func).set_op(self.inst, Op::Scatter(op));
        }
    }

    /// Give indices a type that has one which no dim has, where all of theirs are some dim's; whether it was so.
    fn widen(&self, func: &mut Function) -> bool {
        let info = func.inst(self.inst);
        let (Filler::NoIndex, Op::Scatter(scatter)) = (self.filler, &info.op) else { return false };
        let value = info.operands[self.operand];
        let Type::Tensor(ty) = func.ty(value) else { return false };
        let (class, bits) = (ty.dtype.class(), ty.dtype.bits());
        let sizes = func.dims(info.operands[0]);
        let reaches = |dim: &usize| bits < 63 && sizes[*dim] >= 1 << bits;
        if class != Class::Unsigned || !scatter.scatter_dims_to_operand_dims.iter().any(reaches) {
            return false;
        }
        let Some(sharding) = sharding_of(func, value) else { return false };
        let valid = func.value(value).valid.clone();
        let mut b = Builder::new(func, At::Before(self.inst), SourceId::unknown());
        let wide = b.split_as(&sharding).convert(value, if bits < 32 { DType::S32 } else { DType::S64 });
        b.editor.set_valid(wide, valid);
        Editor::new(func).set_operand(self.inst, self.operand, wide);
        true
    }

    /// Mask an operand of an instruction beyond the real size of some dims.
    fn mask(&self, func: &mut Function, user: InstId, operand: usize, padded: &[(usize, i64)]) {
        let value = func.inst(user).operands[operand];
        let Type::Tensor(ty) = func.ty(value).clone() else { return };
        let Some(sharding) = sharding_of(func, value) else { return };
        let valid = func.value(value).valid.clone();
        // Only what joins the value itself is partial with it.
        let complete = Sharding { partial: Vec::new(), reducer: Reducer::Sum, ..Sharding::clone(&sharding) };
        let mut b = Builder::new(func, At::Before(user), SourceId::unknown());
        let mut masked = value;
        for (dim, real) in padded {
            let keep = inside(b.split_as(&complete), &ty, Dim::new(*dim), *real);
            let filler = filled(&mut b, self.filler.literal(ty.clone()), &sharding);
            masked = b.split_as(&sharding).select(keep, masked, filler);
            b.editor.set_valid(masked, valid.clone());
        }
        Editor::new(func).set_operand(user, operand, masked);
    }
}

/// The reshard that makes a value, if it puts pieces together and has one user.
fn gathered(func: &Function, value: ValueId) -> Option<InstId> {
    let reshard = func.def_inst(value)?;
    let Op::Sharding(ShardingOp::Reshard(_)) = func.inst(reshard).op else { return None };
    let from = sharding_of(func, *func.inst(reshard).operands.first()?)?;
    let tiles = |sharding: &Sharding| sharding.tiles().iter().product::<i64>();
    let gathers = from.partial.is_empty() && tiles(&from) >= tiles(&*sharding_of(func, value)?);
    (gathers && has_one_use(func, value)).then_some(reshard)
}

fn has_one_use(func: &Function, value: ValueId) -> bool {
    let operands = func.insts_in_order().into_iter().flat_map(|inst| &func.inst(inst).operands);
    let results = func.blocks_in_order().into_iter().flat_map(|block| &func.block(block).results);
    operands.chain(results).filter(|used| **used == value).take(2).count() == 1
}

impl Filler {
    fn literal(self, ty: TensorType) -> Literal {
        match self {
            Filler::Identity(reducer) => Literal::identity(reducer, ty),
            Filler::NoIndex => Literal::splat_int(ty, -1),
        }
    }
}

/// What replaces garbage; beside a partial value it is one part of a partial value too.
fn filled(b: &mut Builder<'_>, literal: Literal, partial: &Sharding) -> ValueId {
    let filler = b.constant(literal);
    if partial.partial.is_empty() {
        return filler;
    }
    b.split_as(partial).push(Op::Sharding(ShardingOp::Reshard(ReshardOp::Any)), [filler])
}

/// Which positions along a dim are real.
fn inside(b: &mut Builder<'_>, ty: &TensorType, dim: Dim, size: i64) -> ValueId {
    let index = ty.with_dtype(DType::S32);
    let iota = b.iota(DType::S32, &ty.dims, dim);
    let limit = b.splat_int(&index, size);
    b.compare(Direction::Lt, iota, limit)
}
