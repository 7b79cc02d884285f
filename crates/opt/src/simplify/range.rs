//! Between which whole numbers the elements of a value lie, on every device.
//!
//! ```text
//! iota of 8                                [0, 7]
//! partition_id of 4 devices                [0, 3]
//! broadcast(partition_id * 8) + iota       [0, 31]
//! ```
//!
//! Looks at most at [`MOST_LOOKS`] instructions, and gives up where a number might not fit its type.

use super::View;
use meshwright_ir::op::{BinaryOp, Convert, Movement, Slice};
use meshwright_ir::{Class, DType, Inst, Op, ValueId};

/// Most instructions that one question looks at.
const MOST_LOOKS: usize = 24;

/// Least and largest, both included.
pub(super) type Range = (i64, i64);

/// The range of all elements; `None` if nothing is known, or if there are none.
pub(super) fn range(view: View<'_>, value: ValueId) -> Option<Range> {
    let all = view.ty(value)?.dims.iter().map(|size| (0, *size)).collect();
    within(view, value, all)
}

/// The range of the elements of a window: positions `[from, to)` of every dim.
pub(super) fn within(view: View<'_>, value: ValueId, window: Vec<(i64, i64)>) -> Option<Range> {
    let is_empty = window.iter().any(|(from, to)| from >= to);
    if is_empty { None } else { Search { view, looks: MOST_LOOKS }.range(value, &window) }
}

struct Search<'a> {
    view: View<'a>,
    looks: usize,
}

impl Search<'_> {
    fn range(&mut self, value: ValueId, window: &[(i64, i64)]) -> Option<Range> {
        self.looks = self.looks.checked_sub(1)?;
        let ty = self.view.ty(value)?;
        let inst = self.view.def(value)?;
        let found = match &inst.op {
            Op::Constant(constant) => constant.0.as_int().map(|number| (number, number)),
            Op::Iota(iota) => window.get(iota.dim).map(|(from, to)| (*from, to - 1)),
            Op::PartitionId => Some((0, self.view.devices?.max(1) - 1)),
            Op::Binary(op) => {
                let [a, b] = inst.operands[..] else { return None };
                combined(*op, self.range(a, window)?, self.range(b, window)?)
            }
            Op::Convert(Convert::To(_)) => self.range(*inst.operands.first()?, window),
            Op::Movement(op) => self.moved(inst, op, window),
            Op::Convert(Convert::Bitcast(_) | Convert::ReducePrecision { .. }) => None,
            Op::Unary(_) | Op::Compare(_) | Op::Select | Op::Clamp | Op::Dynamic(_) | Op::Gather(_) => None,
            Op::Scatter(_) | Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) => None,
            Op::ReduceWindow(_) | Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) => None,
            Op::Random(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) => None,
            Op::Scan(_) | Op::Call(_) | Op::Collective(_) | Op::ReplicaId | Op::Foreign(_) => None,
            Op::OptimizationBarrier | Op::Token(_) | Op::Sharding(_) => None,
        };
        found.filter(|range| fits(ty.dtype, *range))
    }

    fn moved(&mut self, inst: &Inst, op: &Movement, window: &[(i64, i64)]) -> Option<Range> {
        let operand = *inst.operands.first()?;
        let sizes = &self.view.ty(operand)?.dims;
        let whole = |dim: usize| (0, sizes[dim]);
        let window: Vec<(i64, i64)> = match op {
            Movement::Broadcast(op) => {
                let stretched = |(dim, to): (usize, &usize)| {
                    if sizes[dim] == op.shape[*to] { window[*to] } else { whole(dim) }
                };
                op.dims.iter().enumerate().map(stretched).collect()
            }
            Movement::Transpose(op) => {
                let place = |dim| op.permutation.iter().position(|from| *from == dim);
                (0..sizes.len()).map(|dim| Some(window[place(dim)?])).collect::<Option<_>>()?
            }
            Movement::Slice(op) => (0..sizes.len()).map(|dim| taken(op, dim, window[dim])).collect(),
            Movement::Reshape(_) => (0..sizes.len()).map(whole).collect(),
            Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_) => return None,
        };
        self.range(operand, &window)
    }
}

fn taken(op: &Slice, dim: usize, (from, to): (i64, i64)) -> (i64, i64) {
    let (start, stride) = (op.start[dim], op.stride[dim]);
    (start + from * stride, start + (to - 1) * stride + 1)
}

/// Only ops that neither wrap, if the result fits, nor depend on signs.
fn combined(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    let is_natural = a.0 >= 0 && b.0 >= 0;
    match op {
        BinaryOp::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        BinaryOp::Subtract => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        BinaryOp::Multiply if is_natural => Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
        BinaryOp::Divide if is_natural && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        BinaryOp::Remainder if is_natural && b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        BinaryOp::Minimum => Some((a.0.min(b.0), a.1.min(b.1))),
        BinaryOp::Maximum => Some((a.0.max(b.0), a.1.max(b.1))),
        _ => None,
    }
}

/// Whether a type of whole numbers has all of a range; of `u64`, what is no `i64` is not looked at.
pub(crate) fn fits(dtype: DType, (low, high): Range) -> bool {
    let bits = dtype.bits();
    match dtype.class() {
        Class::Signed => low >= i64::MIN >> (64 - bits) && high <= i64::MAX >> (64 - bits),
        Class::Unsigned => low >= 0 && (bits == 64 || high < 1 << bits),
        Class::Pred | Class::Float | Class::Complex => false,
    }
}
