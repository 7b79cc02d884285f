//! The derivative of a manual region: a manual region with the shardings of its edges.
//!
//! An operand that is not split over some manual axes was given to several devices: the sum of their cotangents is its
//! own. A result that is not split over some is one of equal values: each device gets its share of the cotangent. What
//! is kept for the backward region differs per device, so it leaves split over all manual axes along dim 0.

use crate::collective::apply;
use crate::scan::scratch_param;
use crate::tape::{FrameKind, From, ReverseFrame, Tape};
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{Collective, CollectiveKind, Groups, ManualComputation, Op, ShardingOp};
use meshwright_ir::{At, BlockId, Build, Builder, Editor, InstId, TensorType, ValueId};
use meshwright_shard::axis::{difference, product};
use meshwright_shard::{AxisRef, DimSharding, Sharding};

/// A value that enters the backward region: from outside as `operand` with a sharding, inside as `param`.
struct Edge {
    operand: ValueId,
    sharding: Sharding,
    param: ValueId,
}

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &ManualComputation, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let source = t.source;
    let region = it.regions[0];
    let block = t.func.block(region).clone();
    let scratch = Editor::new(&mut t.func).block();
    if !t.enter(ReverseFrame::new(region, scratch, FrameKind::Once)) {
        return;
    }
    let mut edges = Vec::new();
    for (at, result) in block.results.iter().enumerate() {
        let Some(operand) = cotangents.get(at).copied().flatten() else { continue };
        let param = scratch_param(t, *result);
        let sharding = op.out_shardings[at].clone();
        let copies = product(&unused(op, &sharding));
        let share = if copies == 1 { param } else { t.scale(param, 1.0 / copies as f64) };
        t.pull(*result, share);
        edges.push(Edge { operand, sharding, param });
    }
    t.walk();
    t.source = source;
    let mut given: Vec<(usize, ValueId)> = Vec::new();
    for (at, param) in block.params.iter().enumerate() {
        if let Some(cotangent) = t.take(*param) {
            given.push((at, sum_over(t, op, &unused(op, &op.in_shardings[at]), cotangent)));
        }
    }
    let outside = !t.frame().cotangents.is_empty();
    let Some(frame) = t.leave() else { return };
    if outside {
        // Manual regions use nothing from outside but what they are given.
        return t.no_derivative(inst);
    }
    for residual in &frame.residuals {
        edges.push(match residual.from {
            From::Param(at) => Edge {
                operand: it.operands[at],
                sharding: op.in_shardings[at].clone(),
                param: residual.param,
            },
            From::Value(value) => keep(t, inst, op, scratch, residual.param, value),
        });
    }
    write_region(t, inst, op, scratch, edges, given);
}

/// Manual axes that a sharding does not use.
fn unused(op: &ManualComputation, sharding: &Sharding) -> Vec<AxisRef> {
    let used: Vec<AxisRef> = sharding.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect();
    difference(&op.axes, &used)
}

fn sum_over(t: &mut Tape<'_>, op: &ManualComputation, axes: &[AxisRef], x: ValueId) -> ValueId {
    let group_size = product(axes);
    if group_size == 1 {
        return x;
    }
    let sum = Collective {
        kind: CollectiveKind::AllReduce,
        groups: Groups::Axes { mesh: op.mesh, axes: axes.to_vec() },
        group_size,
        channel: Channel { id: Some(1), kind: 1, use_global_device_ids: true },
        wide: None,
    };
    apply(t, &sum, x)
}

/// Return a value of the forward region split over all manual axes. A scalar leaves as a
/// vector of one element per device, and enters the backward region so.
fn keep(
    t: &mut Tape<'_>,
    inst: InstId,
    op: &ManualComputation,
    scratch: BlockId,
    param: ValueId,
    value: ValueId,
) -> Edge {
    let region = t.func.inst(inst).regions[0];
    let local = t.tensor(value);
    let source = t.source;
    let (kept, param) = if local.dims.is_empty() {
        vector_edge(t, region, scratch, param, value, source)
    } else {
        (value, param)
    };
    let mut dims = t.func.dims(kept).to_vec();
    let rank = dims.len();
    dims[0] = dims[0].saturating_mul(product(&op.axes));
    let mut sharding = Sharding::replicated(op.mesh, rank);
    sharding.dims[0] = DimSharding::closed(op.axes.clone());
    let mut results = t.func.block(region).results.clone();
    results.push(kept);
    let mut manual = op.clone();
    if let Op::Sharding(ShardingOp::Manual(now)) = &t.func.inst(inst).op {
        manual = now.clone();
    }
    manual.out_shardings.push(sharding.clone());
    let mut editor = Editor::new(&mut t.func);
    editor.set_results(region, results);
    editor.set_op(inst, Op::Sharding(ShardingOp::Manual(manual)));
    let operand = editor.add_result(inst, TensorType::new(local.dtype, dims).into());
    Edge { operand, sharding, param }
}

/// Write the reshapes of a scalar to a vector on its way out and back on its way in.
fn vector_edge(
    t: &mut Tape<'_>,
    region: BlockId,
    scratch: BlockId,
    param: ValueId,
    value: ValueId,
    source: meshwright_ir::SourceId,
) -> (ValueId, ValueId) {
    let out = Builder::new(&mut t.func, At::End(region), source).reshape(value, &[1]);
    let vector = t.func.ty(out).clone();
    let first = t.func.block(scratch).insts.first().copied();
    let mut b = Builder::new(&mut t.func, first.map_or(At::End(scratch), At::Before), source);
    let entered = b.editor.param(scratch, vector);
    let back = b.reshape(entered, &[]);
    // The scalar's own parameter gives way to the vector's.
    let params = b.func().block(scratch).params.iter().copied().filter(|other| *other != param).collect();
    b.editor.set_params(scratch, params);
    t.replaced.push((param, back));
    (out, entered)
}

fn write_region(
    t: &mut Tape<'_>,
    inst: InstId,
    op: &ManualComputation,
    scratch: BlockId,
    edges: Vec<Edge>,
    given: Vec<(usize, ValueId)>,
) {
    let operands = t.func.inst(inst).operands.clone();
    let mut passed = Vec::new();
    for edge in &edges {
        // Cotangents are there; what is kept may have to be brought.
        passed.push(t.primal(edge.operand));
    }
    let mut editor = Editor::new(&mut t.func);
    editor.set_params(scratch, edges.iter().map(|edge| edge.param).collect());
    editor.set_results(scratch, given.iter().map(|(_, cotangent)| *cotangent).collect());
    let manual = ManualComputation {
        in_shardings: edges.into_iter().map(|edge| edge.sharding).collect(),
        out_shardings: given.iter().map(|(at, _)| op.in_shardings[*at].clone()).collect(),
        ..op.clone()
    };
    let types = given.iter().map(|(at, _)| t.func.ty(operands[*at]).clone()).collect();
    let results = t.push_typed(Op::Sharding(ShardingOp::Manual(manual)), passed, vec![scratch], types);
    for ((at, _), result) in given.into_iter().zip(results) {
        t.pull(operands[at], result);
    }
}
