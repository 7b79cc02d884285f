//! Let loops over whole numbers of 64 bits compute with 32, where no number can need more.
//!
//! ```text
//! t0 = iota u64;  t1 = t0 * 1024;  t2 = t1 >> 32;  t3 = convert t1 to u32
//!     =>        t0 = iota u32;  t1 = t0 * 1024;  t2 = t1 >> 32;  t3 = copy t1
//! ```
//!
//! Random bits are made of such counts. A number of 32 bits takes half of a register, and CPUs without masks have no
//! code for loops that hold both sizes. What a loop counts to and what it is given is known, so the largest number that
//! each op can make is too. All numbers of 64 bits of a loop become `u32`, or none do. One walk over its ops.

use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};
use meshwright_kernels::fused::{Fused, Source};
use meshwright_kernels::tile::{Reg, TileOp};

/// The largest number that is narrow.
const MOST: u64 = u32::MAX as u64;

/// Compute with 32 bits, if that gives the same numbers.
pub fn narrow_counts(fused: &mut Fused) {
    let has_long = fused.regs.iter().any(|ty| is_long(*ty));
    if !has_long || fused.outputs.iter().any(|output| is_long(output.dtype)) {
        return;
    }
    let Some(ops) = narrowed(fused) else { return };
    fused.ops = ops;
    fused.regs.iter_mut().for_each(|ty| *ty = narrow(*ty));
    for input in &mut fused.inputs {
        if let (true, Source::Splat(element)) = (is_long(input.dtype), &mut input.source) {
            element[4..].fill(0);
        }
        input.dtype = narrow(input.dtype);
    }
}

fn is_long(ty: DType) -> bool {
    matches!(ty, DType::S64 | DType::U64)
}

fn narrow(ty: DType) -> DType {
    if is_long(ty) { DType::U32 } else { ty }
}

/// What is known of numbers: none is larger, and all are equal if one is known.
#[derive(Clone, Copy)]
struct Known {
    most: u64,
    exact: bool,
}

impl Known {
    fn exactly(x: u64) -> Option<Known> {
        (x <= MOST).then_some(Known { most: x, exact: true })
    }

    fn up_to(most: u64) -> Option<Known> {
        (most <= MOST).then_some(Known { most, exact: false })
    }

    /// One number of 64 bits; what is below zero is no small number.
    fn element(bytes: &[u8; 16]) -> Option<Known> {
        let [a, b, c, d, e, f, g, h, ..] = *bytes;
        Known::exactly(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

/// The ops on narrow numbers; `None` if one of them might make a number that is not narrow.
fn narrowed(fused: &Fused) -> Option<Vec<TileOp>> {
    let mut known: Vec<Option<Known>> = vec![None; fused.regs.len()];
    for input in fused.inputs.iter().filter(|input| is_long(input.dtype)) {
        let of = match &input.source {
            Source::View { .. } => return None,
            Source::Splat(element) => Known::element(element)?,
            Source::Iota { size, .. } => Known::up_to(size.saturating_sub(1) as u64)?,
        };
        known[input.reg as usize] = Some(of);
    }
    fused.ops.iter().map(|op| narrowed_op(op, &mut known)).collect()
}

fn narrowed_op(op: &TileOp, known: &mut [Option<Known>]) -> Option<TileOp> {
    let of = |reg: Reg| known[reg as usize];
    let (made, op) = match op.clone() {
        TileOp::Unary { op: UnaryOp::Copy, ty, to, a } if is_long(ty) => {
            (of(a), TileOp::Unary { op: UnaryOp::Copy, ty: DType::U32, to, a })
        }
        TileOp::Binary { op, ty, to, a, b } if is_long(ty) => {
            let made = binary(op, of(a)?, of(b)?)?;
            // Numbers of either type are alike here: none is below zero.
            let op = if op == BinaryOp::ShiftRightArithmetic { BinaryOp::ShiftRightLogical } else { op };
            (Some(made), TileOp::Binary { op, ty: DType::U32, to, a, b })
        }
        TileOp::Compare { direction, ty, to, a, b, .. } if is_long(ty) => {
            (None, TileOp::Compare { direction, total: false, ty: DType::U32, to, a, b })
        }
        TileOp::Select { ty, to, p, a, b } if is_long(ty) => {
            let made = Known::up_to(of(a)?.most.max(of(b)?.most));
            (made, TileOp::Select { ty: DType::U32, to, p, a, b })
        }
        TileOp::Splat { ty, element, to } if is_long(ty) => {
            let mut short = element;
            short[4..].fill(0);
            (Some(Known::element(&element)?), TileOp::Splat { ty: DType::U32, element: short, to })
        }
        TileOp::Convert { from, to_ty, to, a } if is_long(from) || is_long(to_ty) => {
            let made = match from {
                DType::Pred => Known::up_to(1),
                DType::U32 => Known::up_to(MOST),
                from if is_long(from) => of(a),
                _ => return None,
            };
            let (from, into) = (narrow(from), narrow(to_ty));
            let op = if from == into {
                TileOp::Unary { op: UnaryOp::Copy, ty: from, to, a }
            } else {
                TileOp::Convert { from, to_ty: into, to, a }
            };
            (made.filter(|_| is_long(to_ty)), op)
        }
        op if involves_long(&op) => return None,
        op => (None, op),
    };
    known[op.target() as usize] = made;
    Some(op)
}

/// Whether an op that has no narrow form here takes or gives numbers of 64 bits.
fn involves_long(op: &TileOp) -> bool {
    match op {
        TileOp::Unary { ty, .. } | TileOp::Precision { ty, .. } => is_long(*ty),
        TileOp::Bitcast { from, to_ty, .. } => is_long(*from) || is_long(*to_ty),
        TileOp::Binary { .. }
        | TileOp::Compare { .. }
        | TileOp::Select { .. }
        | TileOp::Convert { .. }
        | TileOp::Splat { .. } => false,
    }
}

/// What an op makes of narrow numbers, if that is narrow.
fn binary(op: BinaryOp, a: Known, b: Known) -> Option<Known> {
    let all_bits = |x: u64| if x == 0 { 0 } else { u64::MAX >> x.leading_zeros() };
    match op {
        BinaryOp::Add => Known::up_to(a.most + b.most),
        BinaryOp::Multiply => Known::up_to(a.most.saturating_mul(b.most)),
        BinaryOp::Maximum => Known::up_to(a.most.max(b.most)),
        BinaryOp::Minimum | BinaryOp::And => Known::up_to(a.most.min(b.most)),
        BinaryOp::Or | BinaryOp::Xor => Known::up_to(all_bits(a.most) | all_bits(b.most)),
        // By 32 to 63 leaves nothing, in 32 bits as in 64.
        BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic => {
            let by = if b.exact { b.most } else { 0 };
            Known::up_to(if by < 64 { a.most >> by } else { 0 })
        }
        BinaryOp::ShiftLeft if b.exact && b.most < 32 => Known::up_to(a.most << b.most),
        _ => None,
    }
}
