//! Derivatives of Fourier transforms. As matrices they are symmetric, so a complex one is its own derivative; a real
//! one sees only part of a complex one.

use crate::elementwise::conj;
use crate::tape::Tape;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{BinaryOp, Constant, Op, Pad, UnaryOp};
use meshwright_ir::{Build, InstId, Literal, TensorType, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Fft, c: ValueId) {
    let operand = t.func.inst(inst).operands[0];
    let given = match op.kind {
        FftKind::Fft | FftKind::Ifft => t.push(Op::Fft(op.clone()), vec![c]),
        FftKind::Rfft => from_half(t, op, c),
        FftKind::Irfft => to_half(t, op, operand, c),
    };
    t.pull(operand, given);
}

/// The half that was returned, zeros for the rest, transformed; of real inputs the real part counts.
fn from_half(t: &mut Tape<'_>, op: &Fft, c: ValueId) -> ValueId {
    let dims = t.func.dims(c).to_vec();
    let (rank, last) = (dims.len(), dims.len() - 1);
    let mut rest = Pad::nothing(rank);
    rest.high[last] = op.length.last().copied().unwrap_or(0) - dims[last];
    let full = t.pad(c, rest);
    let transform = Fft { kind: FftKind::Fft, length: op.length.clone() };
    let back = t.push(Op::Fft(transform), vec![full]);
    t.unary(UnaryOp::Real, back)
}

/// `conj(rfft(c)) * w / n`: elements that stand for two of the full transform count twice.
fn to_half(t: &mut Tape<'_>, op: &Fft, operand: ValueId, c: ValueId) -> ValueId {
    let transform = Fft { kind: FftKind::Rfft, length: op.length.clone() };
    let half = t.push(Op::Fft(transform), vec![c]);
    let half = conj(t, half);
    let ty = t.tensor(operand);
    let (Some(size), Some(length)) = (ty.dims.last().copied(), op.length.last().copied()) else {
        return half;
    };
    let count = op.length.iter().fold(1i64, |n, length| n.saturating_mul(*length));
    let weight = |at: i64| if at == 0 || 2 * at == length { 1.0 } else { 2.0 };
    let bytes = (0..size).flat_map(|at| float_bytes(ty.dtype, weight(at) / count.max(1) as f64)).collect();
    let vector = TensorType::new(ty.dtype, [size]);
    let literal = Literal::dense(vector.clone(), bytes).unwrap_or_else(|| Literal::zeros(vector));
    let weights = t.push(Op::Constant(Constant(literal)), Vec::new());
    let weights = t.broadcast(weights, vec![ty.rank() - 1], &ty.dims);
    t.binary(BinaryOp::Multiply, half, weights)
}
