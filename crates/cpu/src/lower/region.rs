//! Regions on scalars as tile programs: reducers, comparators, update computations, maps.

use super::{Frame, Lower, Where};
use meshwright_base::IdMap;
use meshwright_ir::op::{BinaryOp, CompareKind, Convert, UnaryOp};
use meshwright_ir::{BlockId, DType, Op, ValueId};
use meshwright_kernels::tile::{Reg, TileOp};
use meshwright_runtime::RunError;

/// A region as ops on tiles; its parameters are tiles 0, 1, ..
pub(crate) struct RegionProgram {
    pub regs: Vec<DType>,
    pub ops: Vec<TileOp>,
    pub results: Vec<Reg>,
}

impl<'m> Lower<'m> {
    /// Compile a region of elementwise ops on scalars.
    pub fn region(&mut self, frame: &Frame<'m>, region: BlockId) -> Result<RegionProgram, RunError> {
        let func = frame.func;
        let block = func.block(region);
        let mut regs = Vec::new();
        let mut known: IdMap<ValueId, Option<Reg>> = IdMap::filled(func.value_count(), None);
        let dtype = |value: ValueId| func.ty(value).as_tensor().map(|ty| ty.dtype);
        for param in &block.params {
            known[*param] = Some(regs.len() as Reg);
            regs.push(dtype(*param).ok_or_else(|| self.refuse("a region that takes a token"))?);
        }
        let mut ops = Vec::new();
        for inst in &block.insts {
            let inst = func.inst(*inst);
            let Some(result) = inst.results.first() else {
                return Err(self.refuse("a region without results"));
            };
            let ty = dtype(*result).ok_or_else(|| self.refuse("a region with tokens"))?;
            for value in &inst.operands {
                if known[*value].is_none() {
                    let (ty, element) = self.captured(frame, *value)?;
                    known[*value] = Some(regs.len() as Reg);
                    ops.push(TileOp::Splat { ty, element, to: regs.len() as Reg });
                    regs.push(ty);
                }
            }
            let args = inst.operands.iter().filter_map(|value| known[*value]).collect::<Vec<_>>();
            let from = inst.operands.first().and_then(|value| dtype(*value)).unwrap_or(ty);
            let to = regs.len() as Reg;
            let op = match (&inst.op, &args[..]) {
                (Op::Unary(op), [a]) => TileOp::Unary { op: *op, ty: from, to, a: *a },
                (Op::Binary(op), [a, b]) => TileOp::Binary { op: *op, ty: from, to, a: *a, b: *b },
                (Op::Compare(op), [a, b]) => TileOp::Compare {
                    direction: op.direction,
                    total: op.kind == Some(CompareKind::TotalOrder),
                    ty: from,
                    to,
                    a: *a,
                    b: *b,
                },
                (Op::Select, [p, a, b]) => TileOp::Select { ty, to, p: *p, a: *a, b: *b },
                (Op::Clamp, [low, x, high]) => {
                    regs.push(ty);
                    ops.push(TileOp::Binary { op: BinaryOp::Maximum, ty, to, a: *low, b: *x });
                    TileOp::Binary { op: BinaryOp::Minimum, ty, to: to + 1, a: to, b: *high }
                }
                (Op::Convert(Convert::To(_)), [a]) => TileOp::Convert { from, to_ty: ty, to, a: *a },
                (Op::Convert(Convert::Bitcast(_)), [a]) if from.bytes() == ty.bytes() => {
                    TileOp::Bitcast { from, to_ty: ty, to, a: *a }
                }
                (Op::Movement(_), [a]) => TileOp::Unary { op: UnaryOp::Copy, ty: from, to, a: *a },
                (Op::Constant(constant), []) if constant.0.ty().elements() == 1 => {
                    match splat_op(ty, constant.0.element(0), to) {
                        Some(op) => op,
                        None => return Err(self.refuse("a constant of this type in a region")),
                    }
                }
                (other, _) => return Err(self.refuse(format!("{} in a region", other.mnemonic()))),
            };
            known[*result] = Some(op.target());
            regs.push(ty);
            ops.push(op);
        }
        for value in &block.results {
            if known[*value].is_none() {
                let (ty, element) = self.captured(frame, *value)?;
                known[*value] = Some(regs.len() as Reg);
                ops.push(TileOp::Splat { ty, element, to: regs.len() as Reg });
                regs.push(ty);
            }
        }
        let results = block.results.iter().map(|value| known[*value]).collect::<Option<Vec<_>>>();
        let results = results.ok_or_else(|| self.refuse("a region that returns a value around it"))?;
        Ok(RegionProgram { regs, ops, results })
    }

    /// A constant of the blocks around a region.
    fn captured(&self, frame: &Frame<'m>, value: ValueId) -> Result<(DType, [u8; 16]), RunError> {
        match frame.values[value].as_ref().map(|val| (val.dtype, &val.at)) {
            Some((dtype, Where::Splat(element))) => Ok((dtype, *element)),
            _ => Err(self.refuse("a region that uses a value around it which is no constant")),
        }
    }
}

/// A constant made of another tile's elements is not needed: it is written as an op.
fn splat_op(ty: DType, element: &[u8], to: Reg) -> Option<TileOp> {
    let mut bytes = [0; 16];
    bytes.get_mut(..element.len())?.copy_from_slice(element);
    Some(TileOp::Splat { ty, element: bytes, to })
}
