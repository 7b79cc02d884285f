//! A sum of two paddings that fill each other up along a split dim, written as one that is put together.
//!
//! ```text
//! %a = pad %x, low 0, high 1              x: 3 rows, y: 1 row      each padding moves its rows between devices
//! %b = pad %y, low 3, high 0
//! %c = add %a, %b
//! =>
//! %d = concatenate %x, %y                                          rows that go round are one permute
//! %c = add %d, %fill
//! ```
//!
//! The gradient of a roll is such a sum where rolls have no gradient of their own (JAX). What both are padded with is
//! still added, so that each element is the sum it was.

use crate::blocks::program_blocks;
use crate::prepare::pad_slices::{only_read_by, reads};
use crate::reshard::sharding_of;
use meshwright_ir::op::{Movement, Pad};
use meshwright_ir::{Build, Builder, Dim, Editor, Function, InstId, Op, ValueId};
use meshwright_shard::{Reducer, Sharding};
use std::sync::Arc;

/// Rewrite the sums of a function.
pub fn join(func: &mut Function) {
    let blocks = program_blocks(func);
    let uses = reads(func, &blocks);
    let insts: Vec<InstId> = blocks.iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    for inst in insts {
        let [a, b] = func.inst(inst).operands[..] else { continue };
        let (Some(a), Some(b)) = (only_read_by(func, a, inst, &uses), only_read_by(func, b, inst, &uses))
        else {
            continue;
        };
        let Some(sum) = Halves::of(func, inst, a, b).or_else(|| Halves::of(func, inst, b, a)) else {
            continue;
        };
        sum.put_together(func, inst);
        [a, b].into_iter().for_each(|pad| Editor::new(func).unlink(pad));
    }
}

/// What comes first along a dim, what comes behind it, and what both are padded with.
struct Halves {
    dim: usize,
    parts: [ValueId; 2],
    fill: ValueId,
    /// Of the sum.
    sharding: Arc<Sharding>,
}

impl Halves {
    fn of(func: &Function, inst: InstId, first: InstId, last: InstId) -> Option<Halves> {
        let info = func.inst(inst);
        if info.op.reducer() != Some(Reducer::Sum) {
            return None;
        }
        let sharding = sharding_of(func, *info.results.first()?)?;
        let ((low, x, fill), (high, y, other)) = (padding(func, first)?, padding(func, last)?);
        let dim = high.low.iter().position(|low| *low != 0)?;
        let sizes = [func.dims(x)[dim], func.dims(y)[dim]];
        let only = |edges: &[i64], size: i64| {
            edges.iter().enumerate().all(|(at, edge)| *edge == if at == dim { size } else { 0 })
        };
        let fits = only(&low.low, 0)
            && only(&low.high, sizes[1])
            && only(&high.low, sizes[0])
            && only(&high.high, 0);
        let is_plain = [low, high].iter().all(|pad| pad.interior.iter().all(|between| *between == 0));
        let same = fill == other || is_same_constant(func, fill, other);
        let is_split = sharding.tiles()[dim] > 1;
        (fits && is_plain && same && is_split).then_some(Halves { dim, parts: [x, y], fill, sharding })
    }

    fn put_together(self, func: &mut Function, inst: InstId) {
        let dims = func.dims(func.inst(inst).results[0]).to_vec();
        let mut b = Builder::before(func, inst);
        let joined = b.split_as(&self.sharding).concatenate(self.parts.to_vec(), Dim::new(self.dim));
        let fill = b.split_as(&self.sharding).broadcast(self.fill, Vec::new(), &dims);
        b.editor.set_operands(inst, vec![joined, fill]);
    }
}

fn padding(func: &Function, inst: InstId) -> Option<(&Pad, ValueId, ValueId)> {
    let info = func.inst(inst);
    match (&info.op, &info.operands[..]) {
        (Op::Movement(Movement::Pad(pad)), [x, fill]) => Some((pad, *x, *fill)),
        _ => None,
    }
}

fn is_same_constant(func: &Function, a: ValueId, b: ValueId) -> bool {
    let literal = |value: ValueId| match &func.inst(func.def_inst(value)?).op {
        Op::Constant(literal) => Some(literal),
        _ => None,
    };
    literal(a).is_some_and(|a| literal(b) == Some(a))
}
