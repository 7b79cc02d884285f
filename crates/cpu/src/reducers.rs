//! Collectives whose computation shared memory does not do, as exchanges and maps that it does.
//!
//! ```text
//! %r = all_reduce %x { f }           =>   %g = all_gather %x       n pieces in order of position
//!                                         %r = f(.. f(f(%g[0], %g[1]), %g[2]) .., %g[n-1])
//! %r = reduce_scatter %x { f }       =>   %g = all_to_all %x, then the same
//! %r = all_reduce %x: f8e3m4 { + }   =>   %r = convert(all_reduce(convert %x: f32) { + })
//! ```
//!
//! Elements combine in ascending position, as everywhere. Costs a copy of every member's operand on each device; no
//! model has such a collective, so there is no kernel.

use crate::replace::replaced;
use meshwright_ir::copy::{ValueMap, copy_region};
use meshwright_ir::op::{Collective, CollectiveKind, Map};
use meshwright_ir::{
    Build, Builder, Class, DType, Dim, Function, InstId, Module, Op, TensorType, Type, ValueId,
};
use meshwright_runtime::{collective, site};

/// How a collective is done instead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detour {
    /// In a wider type.
    Widen(DType),
    /// By exchanging the pieces.
    Fold,
}

/// The module with each such collective spelled out, if it has any.
pub fn spelled_out(module: &Module) -> Option<Module> {
    replaced(module, detour, |func, inst, detour| match detour {
        Detour::Widen(wide) => widen(func, inst, wide),
        Detour::Fold => fold(func, inst),
    })
}

fn detour(func: &Function, inst: InstId) -> Option<Detour> {
    let info = func.inst(inst);
    let Op::Collective(op) = &info.op else { return None };
    let region = *info.regions.first().filter(|_| op.has_reducer())?;
    let types: Option<Vec<&TensorType>> = info.operands.iter().map(|x| func.ty(*x).as_tensor()).collect();
    let types = types?;
    let plain = func.region_reducer(region);
    let is_plain = plain.is_some_and(|reducer| types.iter().all(|ty| site::is_plain(reducer, ty.dtype)));
    if !is_plain {
        return Some(Detour::Fold);
    }
    let narrow = types.iter().find(|ty| !collective::reduces(ty.dtype))?;
    match narrow.dtype.class() {
        Class::Float => Some(Detour::Widen(DType::F32)),
        Class::Signed => Some(Detour::Widen(DType::S32)),
        Class::Unsigned => Some(Detour::Widen(DType::U32)),
        Class::Pred | Class::Complex => None,
    }
}

/// Piece `index` along dim 0, without that dim.
fn piece(b: &mut Builder<'_>, value: ValueId, index: i64) -> ValueId {
    let slice = b.slice_dim(value, Dim::new(0), index..index + 1);
    let dims = b.func().dims(value)[1..].to_vec();
    b.reshape(slice, &dims)
}

fn widen(func: &mut Function, inst: InstId, wide: DType) -> Option<Vec<ValueId>> {
    let info = func.inst(inst).clone();
    let block = func.block(*info.regions.first()?);
    let op = func.inst(func.def_inst(*block.results.first()?)?).op.clone();
    let types: Option<Vec<TensorType>> =
        info.results.iter().map(|x| func.ty(*x).as_tensor().cloned()).collect();
    let types = types?;
    let mut b = Builder::before(func, inst);
    let scalars = [wide; 2].map(TensorType::scalar).map(Type::from);
    let region = b.region(scalars, |b, params| vec![b.push(op, params)]);
    let operands = info.operands.iter().map(|value| b.convert(*value, wide)).collect();
    let sums = b.push_all(info.op, operands, vec![region]);
    Some(sums.into_iter().zip(types).map(|(sum, ty)| b.convert(sum, ty.dtype)).collect())
}

fn fold(func: &mut Function, inst: InstId) -> Option<Vec<ValueId>> {
    let info = func.inst(inst).clone();
    let (Op::Collective(op), Some(region)) = (&info.op, info.regions.first()) else { return None };
    let mut b = Builder::before(func, inst);
    let each = info.operands.iter().zip(&info.results);
    let fold = |(operand, result): (&ValueId, &ValueId)| {
        let ty = b.tensor(*result);
        let operand = b.convert(*operand, ty.dtype);
        let pieces = exchanged(&mut b, op, operand);
        let mut sum = piece(&mut b, pieces, 0);
        for index in 1..op.group_size {
            let next = piece(&mut b, pieces, index);
            let region = copy_region(None, b.editor.func_mut(), *region, &mut ValueMap::default());
            let map = Op::Map(Map { dims: (0..ty.rank()).collect() });
            sum = b.push_in(map, vec![sum, next], vec![region]);
        }
        sum
    };
    Some(each.map(fold).collect())
}

/// What each member has for this device, one below the other along a new dim 0.
fn exchanged(b: &mut Builder<'_>, op: &Collective, operand: ValueId) -> ValueId {
    let dims = [&[1], b.func().dims(operand)].concat();
    let row = b.reshape(operand, &dims);
    let kind = match op.kind {
        CollectiveKind::ReduceScatter { dim } => {
            CollectiveKind::AllToAll { split_dim: dim + 1, concat_dim: 0, split_count: op.group_size }
        }
        _ => CollectiveKind::AllGather { dim: 0 },
    };
    b.push(Op::Collective(Collective { kind, wide: None, ..op.clone() }), [row])
}
