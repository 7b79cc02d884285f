//! Every op on local shapes: mostly itself, with the attributes that name sizes adapted.

use crate::localize::emit::Emit;
use crate::localize::{collective, gather};
use meshwright_ir::op::{Constant, Dynamic, Foreign, Iota, Movement, Random, ShardingOp, Slice};
use meshwright_ir::{InstId, Op, TensorType, Type, ValueId};
use meshwright_shard::Sharding;

/// An instruction before and after: global types, shardings, local result types.
pub struct Subject {
    pub inst: InstId,
    pub op: Op,
    pub operands: Vec<ValueId>,
    /// Global dims of the operands.
    pub whole: Vec<Vec<i64>>,
    pub from: Vec<Option<Sharding>>,
    pub to: Vec<Option<Sharding>>,
    /// Local types of the results.
    pub types: Vec<Type>,
}

/// What becomes of an instruction.
pub enum Local {
    /// It stays, with this op.
    Op(Op),
    /// Its only result is this value now.
    Value(ValueId),
}

/// The local form of an instruction. Operands have their local types already.
pub fn localize(emit: &mut Emit<'_, '_>, subject: &Subject) -> Local {
    let ty = subject.types.first().and_then(Type::as_tensor).cloned();
    let keep = || Local::Op(subject.op.clone());
    let Some(ty) = ty else { return keep() };
    match &subject.op {
        Op::Constant(constant) => Local::Value(constant_piece(emit, subject, constant, ty)),
        Op::Iota(iota) => Local::Value(iota_piece(emit, subject, iota, ty)),
        Op::Movement(movement) => Local::Op(Op::Movement(movement_piece(movement, subject, ty))),
        Op::Dynamic(Dynamic::Slice { .. }) => Local::Op(Op::Dynamic(Dynamic::Slice { sizes: ty.dims })),
        Op::Dynamic(Dynamic::UpdateSlice) => keep(),
        Op::Gather(op) => match (&subject.operands[..], &subject.from[..]) {
            ([operand, indices], [Some(sharding), ..]) => {
                Local::Value(gather::gather(emit, op, *operand, *indices, &subject.whole[0], sharding, ty))
            }
            _ => keep(),
        },
        Op::Scatter(op) => {
            let inputs = subject.operands.len() / 2;
            if let (Some(Some(sharding)), Some(indices)) = (subject.from.first(), subject.operands.get(inputs)) {
                let local = gather::scatter_indices(emit, op, subject.operands[0], *indices, sharding);
                emit.editor.set_operand(subject.inst, inputs, local);
            }
            keep()
        }
        Op::Random(Random::Rng { distribution, .. }) => {
            Local::Op(Op::Random(Random::Rng { distribution: *distribution, shape: ty.dims }))
        }
        Op::Foreign(Foreign::CustomCall(call)) => {
            let mut call = call.clone();
            call.results = subject.types.clone();
            Local::Op(Op::Foreign(Foreign::CustomCall(call)))
        }
        Op::Sharding(op) => sharding_op(emit, subject, op),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select
        | Op::Clamp
        | Op::Convert(_)
        | Op::Dot(_)
        | Op::Convolution(_)
        | Op::Reduce(_)
        | Op::Map(_)
        | Op::ReduceWindow(_)
        | Op::SelectAndScatter(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::Random(Random::BitGenerator { .. })
        | Op::Fft(_)
        | Op::Linalg(_)
        | Op::BatchNorm(_)
        | Op::Control(_)
        | Op::Scan(_)
        | Op::Call(_)
        | Op::Collective(_)
        | Op::PartitionId
        | Op::ReplicaId
        | Op::Foreign(Foreign::Composite(_))
        | Op::OptimizationBarrier
        | Op::Token(_) => keep(),
    }
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

fn constant_piece(emit: &mut Emit<'_, '_>, subject: &Subject, constant: &Constant, ty: TensorType) -> ValueId {
    let literal = &constant.0;
    if literal.is_splat() || literal.ty().dims == ty.dims {
        return emit.constant(literal.reshaped(ty.dims).unwrap_or_else(|| literal.clone()));
    }
    let whole = emit.constant(literal.clone());
    match &subject.to[..] {
        [Some(sharding), ..] => {
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

fn movement_piece(movement: &Movement, subject: &Subject, ty: TensorType) -> Movement {
    match movement.clone() {
        Movement::Broadcast(op) => {
            Movement::Broadcast(meshwright_ir::op::Broadcast { shape: ty.dims, ..op })
        }
        Movement::Reshape(_) => Movement::Reshape(meshwright_ir::op::Reshape { shape: ty.dims }),
        Movement::Slice(op) => Movement::Slice(slice_piece(op, subject, &ty)),
        other @ (Movement::Transpose(_) | Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_)) => other,
    }
}

/// A split dim is taken whole, so the local slice takes the whole piece.
fn slice_piece(mut op: Slice, subject: &Subject, ty: &TensorType) -> Slice {
    let Some(Some(sharding)) = subject.from.first() else { return op };
    for (dim, split) in sharding.dims.iter().enumerate() {
        if !split.axes.is_empty() {
            op.start[dim] = 0;
            op.limit[dim] = ty.dims[dim];
            op.stride[dim] = 1;
        }
    }
    op
}
