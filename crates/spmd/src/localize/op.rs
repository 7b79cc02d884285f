//! Every op on local shapes: mostly itself on other sizes, and by hand where a rule says so.

use crate::localize::emit::Emit;
use crate::localize::subject::{Globals, Local, Subject};
use crate::localize::{collective, combine, dynamic, gather, random, scatter_windows, shift, sort, window};
use crate::resize::{Sizes, resized};
use meshwright_base::InlineVec;
use meshwright_ir::op::{Constant, Gather, Iota, ShardingOp};
use meshwright_ir::{Build, Dim, InstId, Op, Type, ValueId};

/// The local form of an instruction that is written by hand; `None` for the op itself on other sizes. Operands have
/// their local types already.
pub fn by_hand(emit: &mut Emit<'_, '_>, subject: &Subject<'_>) -> Option<Local> {
    match subject.op {
        Op::Constant(constant) => constant_piece(emit, subject, constant),
        Op::Iota(iota) => iota_piece(emit, subject, iota),
        Op::Gather(op) => gather_piece(emit, subject, op),
        Op::Scatter(op) => gather::scatter(emit, subject, op),
        Op::Sharding(op) => sharding_op(emit, subject, op),
        Op::Movement(op) => shift::movement(emit, subject, op),
        Op::Convolution(op) => window::convolution(emit, subject, op),
        Op::Sort(op) => sort::sort(emit, subject, op),
        Op::TopK(op) => combine::top_k(emit, subject, op),
        Op::Reduce(op) => combine::reduce(emit, subject, op),
        Op::Random(op) => random::random(emit, subject, op),
        Op::Dynamic(op) => dynamic::dynamic(emit, subject, op),
        Op::SelectAndScatter(op) => scatter_windows::select_and_scatter(emit, subject, op),
        Op::ReduceWindow(op) => window::reduce_window(emit, subject, op),
        // The op itself: no factor of these is localized in another way.
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Clamp | Op::Convert(_) => None,
        Op::Dot(_) | Op::Map(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) => None,
        Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Collective(_) | Op::Foreign(_) => None,
        Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier | Op::Token(_) => None,
    }
}

/// Most ops on pieces are the op itself: whatever the rule lets be split by hand is handled before this.
pub fn plain(emit: &Emit<'_, '_>, inst: InstId, op: Op, operands: &[ValueId], from: &Globals<'_>) -> Op {
    let func = emit.func();
    let before: InlineVec<&[i64], 3> = from.iter().map(|operand| operand.padded()).collect();
    let after: InlineVec<&[i64], 3> = operands.iter().map(|value| func.dims(*value)).collect();
    let results: InlineVec<&Type, 3> = func.inst(inst).results.iter().map(|value| func.ty(*value)).collect();
    resized(op, &Sizes { before: &before, after: &after, results: &results })
}

fn gather_piece(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Gather) -> Option<Local> {
    let (&[operand, indices], table) = (&subject.operands[..], subject.from.first()?) else { return None };
    let sizes = gather::Sizes { whole: table.whole(), padded: table.padded() };
    let ty = subject.local(emit)?;
    let found = gather::gather(emit, op, [operand, indices], sizes, table.sharding.as_ref()?, ty);
    Some(Local::Value(found))
}

/// Annotations vanish, reshards become collectives. Manual regions are inlined by the caller.
fn sharding_op(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &ShardingOp) -> Option<Local> {
    if let ShardingOp::Group { .. } = op {
        return Some(Local::Nothing);
    }
    subject.local(emit)?;
    let operand = *subject.operands.first()?;
    let shardings =
        || Some((subject.from.first()?.sharding.as_ref()?, subject.to.first()?.sharding.as_ref()?));
    match (op, shardings()) {
        (ShardingOp::Reshard(step), Some((from, to))) => {
            Some(Local::Value(collective::localize(emit, step, operand, from, to)))
        }
        (ShardingOp::Manual(_) | ShardingOp::Named { .. }, _) => None,
        _ => Some(Local::Value(operand)),
    }
}

fn constant_piece(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, constant: &Constant) -> Option<Local> {
    let (ty, literal) = (subject.local(emit)?, &constant.0);
    if literal.is_splat() {
        return None;
    }
    let whole = emit.constant(literal.clone());
    let piece = match &subject.to.first()?.sharding {
        Some(sharding) if literal.ty().dims != ty.dims => {
            let axes: Vec<_> = sharding.dims.iter().map(|dim| dim.axes.clone()).collect();
            emit.slice_by_axes(whole, sharding.mesh, &axes)
        }
        _ => whole,
    };
    Some(Local::Value(piece))
}

fn iota_piece(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, iota: &Iota) -> Option<Local> {
    let ty = subject.local(emit)?;
    let piece = emit.iota(ty.dtype, &ty.dims, Dim::new(iota.dim));
    let split = subject.to.first()?.sharding.as_ref();
    let Some(sharding) = split.filter(|sharding| !sharding.dims[iota.dim].axes.is_empty()) else {
        return Some(Local::Value(piece));
    };
    let offset = emit.offset(sharding.mesh, &sharding.dims[iota.dim].axes, ty.dims[iota.dim]);
    let offset = emit.convert(offset, ty.dtype);
    let offset = emit.broadcast(offset, Vec::new(), &ty.dims);
    Some(Local::Value(emit.binary(meshwright_ir::op::BinaryOp::Add, piece, offset)))
}
