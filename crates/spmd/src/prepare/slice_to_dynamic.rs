//! Single elements of split dims, written as slices at computed places.
//!
//! ```text
//! %a = slice %x [63:64]                   x: 64 rows over 8        the one row moves to the first device
//! =>
//! %a = dynamic_slice %x, 63, sizes 1                               who has it, has it; the others zeros: a partial sum
//! ```
//!
//! A row that only the first device has is sent on to all as soon as somebody asks for it; a sum of one row and of
//! zeros gets to them at once, or stays where it is. Nothing is moved here: the planner has the choice that slices at
//! computed places have. What becomes part of the same dim again (rotations, shifted buffers) is better sent along it.

use crate::blocks::program_blocks;
use crate::reshard::sharding_of;
use meshwright_ir::op::{Movement, Slice};
use meshwright_ir::{Build, Builder, DType, Function, InstId, Op, TensorType, ValueId};
use meshwright_shard::Sharding;
use std::collections::BTreeSet;

/// Rewrite the slices of a function.
pub fn rewrite(func: &mut Function) {
    let insts: Vec<InstId> =
        program_blocks(func).iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    let joined = joined(func, &insts);
    for inst in insts {
        let Some(pick) = Pick::of(func, inst, &joined) else { continue };
        let mut b = Builder::before(func, inst);
        let made = pick.rewritten(&mut b);
        let mut editor = b.editor;
        let name = editor.func().value(pick.result).name.clone();
        editor.set_name(made, name);
        editor.map_uses(|value| if value == pick.result { made } else { value });
        editor.unlink(inst);
    }
}

/// Values that become part of a longer dim, and which.
fn joined(func: &Function, insts: &[InstId]) -> BTreeSet<(ValueId, usize)> {
    let mut joined = BTreeSet::new();
    for inst in insts {
        let info = func.inst(*inst);
        match &info.op {
            Op::Movement(Movement::Concatenate(op)) => {
                joined.extend(info.operands.iter().map(|value| (*value, op.dim)));
            }
            Op::Movement(Movement::Pad(op)) => {
                let dims = (0..op.low.len()).filter(|dim| !op.keeps(*dim, 1));
                if let Some(value) = info.operands.first() {
                    joined.extend(dims.map(|dim| (*value, dim)));
                }
            }
            _ => {}
        }
    }
    joined
}

struct Pick {
    op: Slice,
    operand: ValueId,
    result: ValueId,
    from: Sharding,
    to: Sharding,
    whole: TensorType,
    taken: TensorType,
    /// The dims that are taken from at a place.
    dims: Vec<usize>,
}

impl Pick {
    fn of(func: &Function, inst: InstId, joined: &BTreeSet<(ValueId, usize)>) -> Option<Pick> {
        let info = func.inst(inst);
        let (Op::Movement(Movement::Slice(op)), [operand], [result]) =
            (&info.op, &info.operands[..], &info.results[..])
        else {
            return None;
        };
        let (whole, taken) = (func.ty(*operand).as_tensor()?, func.ty(*result).as_tensor()?);
        let (from, to) = (sharding_of(func, *operand)?.closed(), sharding_of(func, *result)?.closed());
        let is_picked = |dim: &usize| {
            let is_one = taken.dims[*dim] == 1 && whole.dims[*dim] > 1;
            is_one && from.dims[*dim].tiles() > 1 && !joined.contains(&(*result, *dim))
        };
        let dims: Vec<usize> = (0..whole.rank()).filter(is_picked).collect();
        let is_plain = from.partial.is_empty() && to.partial.is_empty() && !taken.dims.contains(&0);
        let pick = Pick {
            op: op.clone(),
            operand: *operand,
            result: *result,
            from,
            to,
            whole: whole.clone(),
            taken: taken.clone(),
            dims,
        };
        (is_plain && !pick.dims.is_empty()).then_some(pick)
    }

    /// The slice along the other dims, if there is one, then along these.
    fn rewritten(&self, b: &mut Builder<'_>) -> ValueId {
        let operand = self.along_others(b);
        let index = TensorType::scalar(DType::S32);
        let whole = Sharding::replicated(self.from.mesh, 0);
        let whole = Sharding { manual: self.from.manual.clone(), ..whole };
        let start = |dim: usize| if self.dims.contains(&dim) { self.op.start[dim] } else { 0 };
        b.split_as(&whole);
        let starts: Vec<ValueId> =
            (0..self.whole.rank()).map(|dim| b.splat_int(&index, start(dim))).collect();
        let mut to = self.to.clone();
        self.dims.iter().for_each(|dim| to.dims[*dim].axes.clear());
        b.split_as(&to).dynamic_slice(operand, &starts, &self.taken.dims)
    }

    fn along_others(&self, b: &mut Builder<'_>) -> ValueId {
        let mut op = self.op.clone();
        for dim in &self.dims {
            (op.start[*dim], op.limit[*dim], op.stride[*dim]) = (0, self.whole.dims[*dim], 1);
        }
        b.split_as(&self.from).slice(self.operand, op)
    }
}
