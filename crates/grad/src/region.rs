//! Derivatives of regions that run once where they stand: fusions and named computations. The backward instructions
//! stand where the region's do not: in the block around.

use crate::tape::{FrameKind, From, ReverseFrame, Tape};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Editor, InstId, Op, ValueId};
use meshwright_shard::Sharding;

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let Some(region) = it.regions.first().copied() else { return };
    let source = t.source;
    let scratch = Editor::new(&mut t.func).block();
    if !t.enter(ReverseFrame::new(region, scratch, FrameKind::Once)) {
        return;
    }
    let block = t.func.block(region).clone();
    for (result, cotangent) in block.results.iter().zip(cotangents) {
        t.pull_some(*result, *cotangent);
    }
    t.walk();
    t.source = source;
    let given: Vec<Option<ValueId>> = block.params.iter().map(|param| t.take(*param)).collect();
    let captured = t.all_plain();
    let Some(frame) = t.leave() else { return };
    for residual in &frame.residuals {
        let kept = match residual.from {
            From::Param(at) => it.operands[at],
            From::Value(value) => keep(t, inst, value),
        };
        let here = t.primal(kept);
        t.replaced.push((residual.param, here));
    }
    let around = t.block();
    let inner = t.func.block(scratch).insts.clone();
    let order = t.func.block(around).insts.iter().copied().chain(inner).collect();
    let mut editor = Editor::new(&mut t.func);
    editor.set_order(scratch, Vec::new());
    editor.set_order(around, order);
    editor.set_params(scratch, Vec::new());
    for (operand, cotangent) in it.operands.iter().zip(given) {
        t.pull_some(*operand, cotangent);
    }
    for (value, cotangent) in captured {
        t.pull(value, cotangent);
    }
}

/// The result of a region's owner that is a value of the region; one more if there is none.
pub(crate) fn keep(t: &mut Tape<'_>, inst: InstId, value: ValueId) -> ValueId {
    let region = t.func.inst(inst).regions[0];
    let mut results = t.func.block(region).results.clone();
    if let Some(at) = results.iter().position(|result| *result == value) {
        return t.func.inst(inst).results[at];
    }
    results.push(value);
    let ty = t.func.ty(value).clone();
    let named = one_more_edge(&t.func.inst(inst).op, ty.rank());
    let mut editor = Editor::new(&mut t.func);
    editor.set_results(region, results);
    if let Some(named) = named {
        editor.set_op(inst, named);
    }
    editor.add_result(inst, ty)
}

/// A named computation with one more result, which may be split in any way.
fn one_more_edge(op: &Op, rank: usize) -> Option<Op> {
    let Op::Sharding(ShardingOp::Named { name, in_shardings, out_shardings }) = op else { return None };
    let mesh = out_shardings.first()?.mesh;
    let mut out_shardings = out_shardings.clone();
    out_shardings.push(Sharding::open(mesh, rank));
    let (name, in_shardings) = (name.clone(), in_shardings.clone());
    Some(Op::Sharding(ShardingOp::Named { name, in_shardings, out_shardings }))
}
