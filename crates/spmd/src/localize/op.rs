//! Every op on local shapes: mostly itself on other sizes, and by hand where a rule says so.

use crate::localize::emit::Emit;
use crate::localize::subject::{Local, Subject};
use crate::localize::{collective, combine, dynamic, gather, random, scatter_windows, shift, sort, window};
use crate::resize::{Sizes, resized};
use meshwright_ir::op::{Constant, Iota, ShardingOp};
use meshwright_ir::{Op, TensorType, Type, ValueId};

/// The local form of an instruction. Operands have their local types already.
pub fn localize(emit: &mut Emit<'_, '_>, subject: &Subject) -> Local {
    if let Op::Sharding(ShardingOp::Group { .. }) = subject.op {
        return Local::Nothing;
    }
    let Some(ty) = subject.types.first().and_then(Type::as_tensor).cloned() else {
        return plain(emit, subject);
    };
    match (&subject.op, &subject.operands[..], &subject.from[..]) {
        (Op::Constant(constant), ..) if !constant.0.is_splat() => {
            Local::Value(constant_piece(emit, subject, constant, ty))
        }
        (Op::Iota(iota), ..) => Local::Value(iota_piece(emit, subject, iota, ty)),
        (Op::Gather(op), [operand, indices], [Some(sharding), ..]) => {
            let sizes = gather::Sizes { whole: &subject.whole[0], padded: &subject.padded[0] };
            Local::Value(gather::gather(emit, op, [*operand, *indices], sizes, sharding, ty))
        }
        (Op::Scatter(op), ..) => or_plain(gather::scatter(emit, subject, op), emit, subject),
        (Op::Sharding(op), ..) => sharding_op(emit, subject, op),
        (Op::Movement(op), ..) => or_plain(shift::movement(emit, subject, op), emit, subject),
        (Op::Convolution(op), ..) => or_plain(window::convolution(emit, subject, op), emit, subject),
        (Op::Sort(op), ..) => or_plain(sort::sort(emit, subject, op), emit, subject),
        (Op::TopK(op), ..) => or_plain(combine::top_k(emit, subject, op), emit, subject),
        (Op::Reduce(op), ..) => or_plain(combine::reduce(emit, subject, op), emit, subject),
        (Op::Random(op), ..) => or_plain(random::random(emit, subject, op), emit, subject),
        (Op::Dynamic(op), ..) => or_plain(dynamic::dynamic(emit, subject, op), emit, subject),
        (Op::SelectAndScatter(op), ..) => {
            or_plain(scatter_windows::select_and_scatter(emit, subject, op), emit, subject)
        }
        (Op::ReduceWindow(op), ..) => or_plain(window::reduce_window(emit, subject, op), emit, subject),
        _ => plain(emit, subject),
    }
}

fn or_plain(local: Option<Local>, emit: &Emit<'_, '_>, subject: &Subject) -> Local {
    local.unwrap_or_else(|| plain(emit, subject))
}

/// Most ops on pieces are the op itself: whatever the rule lets be split by hand is handled before this.
fn plain(emit: &Emit<'_, '_>, subject: &Subject) -> Local {
    let after: Vec<Vec<i64>> =
        subject.operands.iter().map(|value| emit.func().dims(*value).to_vec()).collect();
    Local::Op(resized(
        &subject.op,
        &Sizes { before: &subject.padded, after: &after, results: &subject.types },
    ))
}

/// Annotations vanish, reshards become collectives. Manual regions are inlined by the caller.
fn sharding_op(emit: &mut Emit<'_, '_>, subject: &Subject, op: &ShardingOp) -> Local {
    let [operand, ..] = subject.operands[..] else { return Local::Op(subject.op.clone()) };
    match (op, &subject.from[..], &subject.to[..]) {
        (ShardingOp::Reshard(step), [Some(from), ..], [Some(to), ..]) => {
            Local::Value(collective::localize(emit, step, operand, from, to))
        }
        (ShardingOp::Manual(_) | ShardingOp::Named { .. }, ..) => Local::Op(subject.op.clone()),
        _ => Local::Value(operand),
    }
}

fn constant_piece(
    emit: &mut Emit<'_, '_>,
    subject: &Subject,
    constant: &Constant,
    ty: TensorType,
) -> ValueId {
    let literal = &constant.0;
    let whole = emit.constant(literal.clone());
    match &subject.to[..] {
        [Some(sharding), ..] if literal.ty().dims != ty.dims => {
            let axes: Vec<_> = sharding.dims.iter().map(|dim| dim.axes.clone()).collect();
            emit.slice_by_axes(whole, sharding.mesh, &axes)
        }
        _ => whole,
    }
}

fn iota_piece(emit: &mut Emit<'_, '_>, subject: &Subject, iota: &Iota, ty: TensorType) -> ValueId {
    let axes = match &subject.to[..] {
        [Some(sharding), ..] if !sharding.dims[iota.dim].axes.is_empty() => {
            Some((sharding.mesh, sharding.dims[iota.dim].axes.clone()))
        }
        _ => None,
    };
    let piece = emit.iota(ty.clone(), iota.dim);
    let Some((mesh, axes)) = axes else { return piece };
    let offset = emit.offset(mesh, &axes, ty.dims[iota.dim]);
    let offset = emit.convert(offset, ty.dtype);
    let offset = emit.broadcast(offset, Vec::new(), &ty.dims);
    emit.binary(meshwright_ir::op::BinaryOp::Add, piece, offset)
}
