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
//! model has such a collective, so there is no kernel. A module without one is not copied.

use meshwright_base::arrange::map;
use meshwright_ir::op::{Collective, CollectiveKind, Convert, Map, Movement, Reshape, Slice};
use meshwright_ir::{
    At, BlockId, Class, DType, Editor, Function, InstId, Module, Op, SourceId, TensorType, Type, ValueId,
};
use meshwright_runtime::{collective, site};
use std::collections::BTreeMap;

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
    if module.funcs.values().all(|func| detours(func).is_empty()) {
        return None;
    }
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        for (inst, detour) in detours(func) {
            let results = match detour {
                Detour::Widen(wide) => widen(func, inst, wide),
                Detour::Fold => fold(func, inst),
            };
            let Some(results) = results else { continue };
            let old = func.inst(inst).results.clone();
            let new: BTreeMap<ValueId, ValueId> = map(old.into_iter().zip(results));
            let mut editor = Editor::new(func);
            editor.map_uses(|value| new.get(&value).copied().unwrap_or(value));
            editor.unlink(inst);
        }
    }
    Some(module)
}

fn detours(func: &Function) -> Vec<(InstId, Detour)> {
    func.insts_in_order().into_iter().filter_map(|inst| Some((inst, detour(func, inst)?))).collect()
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

/// Instructions before one place.
struct Before<'a> {
    editor: Editor<'a>,
    at: InstId,
    source: SourceId,
}

impl<'a> Before<'a> {
    fn new(func: &'a mut Function, at: InstId) -> Self {
        let source = func.inst(at).source;
        Before { editor: Editor::new(func), at, source }
    }

    fn push(
        &mut self,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
    ) -> Vec<ValueId> {
        let made = self.editor.push_typed(At::Before(self.at), op, operands, regions, types, self.source);
        self.editor.func().inst(made).results.clone()
    }

    fn one(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>, ty: TensorType) -> ValueId {
        self.push(op, operands, regions, vec![Type::Tensor(ty)])[0]
    }

    fn tensor(&self, value: ValueId) -> Option<TensorType> {
        self.editor.func().ty(value).as_tensor().cloned()
    }

    fn convert(&mut self, value: ValueId, to: DType) -> Option<ValueId> {
        let ty = self.tensor(value)?;
        if ty.dtype == to {
            return Some(value);
        }
        Some(self.one(Op::Convert(Convert::To(to)), vec![value], Vec::new(), ty.with_dtype(to)))
    }

    fn reshape(&mut self, value: ValueId, dims: Vec<i64>) -> Option<ValueId> {
        let ty = self.tensor(value)?.with_dims(dims.clone());
        let op = Op::Movement(Movement::Reshape(Reshape { shape: dims }));
        Some(self.one(op, vec![value], Vec::new(), ty))
    }

    /// Piece `index` along dim 0, without that dim.
    fn piece(&mut self, value: ValueId, index: i64) -> Option<ValueId> {
        let ty = self.tensor(value)?;
        let (mut start, mut limit) = (vec![0; ty.rank()], ty.dims.clone());
        (start[0], limit[0]) = (index, index + 1);
        let dims: Vec<i64> = std::iter::once(1).chain(ty.dims[1..].iter().copied()).collect();
        let stride = vec![1; ty.rank()];
        let op = Op::Movement(Movement::Slice(Slice { start, limit, stride }));
        let slice = self.one(op, vec![value], Vec::new(), ty.with_dims(dims));
        self.reshape(slice, ty.dims[1..].to_vec())
    }

    /// A copy of a region, each time another block.
    fn copy(&mut self, region: BlockId, known: &mut BTreeMap<ValueId, ValueId>) -> BlockId {
        let (from, into) = (self.editor.func().block(region).clone(), self.editor.block());
        for param in &from.params {
            let ty = self.editor.func().ty(*param).clone();
            known.insert(*param, self.editor.param(into, ty));
        }
        let of =
            |known: &BTreeMap<ValueId, ValueId>, value: &ValueId| known.get(value).copied().unwrap_or(*value);
        for inst in &from.insts {
            let info = self.editor.func().inst(*inst).clone();
            let regions = info.regions.iter().map(|region| self.copy(*region, known)).collect();
            let operands = info.operands.iter().map(|value| of(known, value)).collect();
            let types = info.results.iter().map(|value| self.editor.func().ty(*value).clone()).collect();
            let made = self.editor.push_typed(At::End(into), info.op, operands, regions, types, info.source);
            *self.editor.attrs_mut(made) = info.attrs;
            let results = self.editor.func().inst(made).results.clone();
            known.extend(info.results.into_iter().zip(results));
        }
        let results = from.results.iter().map(|value| of(known, value)).collect();
        self.editor.set_results(into, results);
        into
    }
}

fn widen(func: &mut Function, inst: InstId, wide: DType) -> Option<Vec<ValueId>> {
    let info = func.inst(inst).clone();
    let block = func.block(*info.regions.first()?);
    let op = func.inst(func.def_inst(*block.results.first()?)?).op.clone();
    let mut to = Before::new(func, inst);
    let region = to.editor.block();
    let scalar = || Type::Tensor(TensorType::scalar(wide));
    let params = vec![to.editor.param(region, scalar()), to.editor.param(region, scalar())];
    let made = to.editor.push_typed(At::End(region), op, params, Vec::new(), vec![scalar()], info.source);
    let results = to.editor.func().inst(made).results.clone();
    to.editor.set_results(region, results);
    let operands = info.operands.iter().map(|value| to.convert(*value, wide)).collect::<Option<Vec<_>>>()?;
    let types: Option<Vec<TensorType>> = info.results.iter().map(|value| to.tensor(*value)).collect();
    let types = types?;
    let widened = types.iter().map(|ty| Type::Tensor(ty.with_dtype(wide))).collect();
    let sums = to.push(info.op, operands, vec![region], widened);
    sums.into_iter().zip(types).map(|(sum, ty)| to.convert(sum, ty.dtype)).collect()
}

fn fold(func: &mut Function, inst: InstId) -> Option<Vec<ValueId>> {
    let info = func.inst(inst).clone();
    let (Op::Collective(op), Some(region)) = (&info.op, info.regions.first()) else { return None };
    let mut to = Before::new(func, inst);
    let each = info.operands.iter().zip(&info.results);
    each.map(|(operand, result)| {
        let ty = to.tensor(*result)?;
        let operand = to.convert(*operand, ty.dtype)?;
        let pieces = exchanged(&mut to, op, operand)?;
        let mut sum = to.piece(pieces, 0)?;
        for index in 1..op.group_size {
            let piece = to.piece(pieces, index)?;
            let region = to.copy(*region, &mut BTreeMap::new());
            let map = Op::Map(Map { dims: (0..ty.rank()).collect() });
            sum = to.one(map, vec![sum, piece], vec![region], ty.clone());
        }
        Some(sum)
    })
    .collect()
}

/// What each member has for this device, one below the other along a new dim 0.
fn exchanged(to: &mut Before<'_>, op: &Collective, operand: ValueId) -> Option<ValueId> {
    let ty = to.tensor(operand)?;
    let dims: Vec<i64> = std::iter::once(1).chain(ty.dims.iter().copied()).collect();
    let row = to.reshape(operand, dims.clone())?;
    let (kind, mut whole) = match op.kind {
        CollectiveKind::ReduceScatter { dim } => {
            let split_count = op.group_size;
            let mut piece = dims;
            piece[dim + 1] /= split_count.max(1);
            (CollectiveKind::AllToAll { split_dim: dim + 1, concat_dim: 0, split_count }, piece)
        }
        _ => (CollectiveKind::AllGather { dim: 0 }, dims),
    };
    whole[0] = op.group_size;
    let exchange = Op::Collective(Collective { kind, wide: None, ..op.clone() });
    Some(to.one(exchange, vec![row], Vec::new(), ty.with_dims(whole)))
}
