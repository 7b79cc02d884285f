//! Values without operands, element-wise ops, conversions.

use super::{check, f32};
use crate::table::Case;
use meshwright_ir::literal::Literal;
use meshwright_ir::op::*;
use meshwright_ir::{DType, Op, TensorType};

#[test]
fn values_without_operands_start_at_an_offset_where_elements_differ() {
    let dense = Literal::dense(TensorType::new(DType::S8, [2, 2]), vec![1, 2, 3, 4]).unwrap();
    check(&[
        (
            Case::new(Op::Constant(Constant(Literal::zeros(f32(&[4, 8])))), ""),
            "f32[4,8] | ()->([i, j]) {i=4, j=8}",
        ),
        (Case::new(Op::Constant(Constant(dense)), ""), "s8[2,2] | ()->([i, j]) {i=2, j=2} by_family={i, j}"),
        (
            Case::new(Op::Iota(Iota { dim: 1, ty: f32(&[4, 8]) }), ""),
            "f32[4,8] | ()->([i, j]) {i=4, j=8} by_family={j}",
        ),
        (
            Case::new(Op::Iota(Iota { dim: 2, ty: f32(&[4, 8]) }), ""),
            "error: iota counts along dim 2, but the rank is 2",
        ),
    ]);
}

#[test]
fn elementwise_ops_pass_every_dim_and_scalars_beside_them_have_none() {
    check(&[
        (
            Case::new(Op::Unary(UnaryOp::Negate), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8} Sum jointly [0]",
        ),
        (Case::new(Op::Unary(UnaryOp::Tanh), "f32[4,8]"), "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}"),
        (Case::new(Op::Unary(UnaryOp::Tanh), "s32[4,8]"), "error: tanh is not defined on s32"),
        (Case::new(Op::Unary(UnaryOp::Abs), "c64[4]"), "f32[4] | ([i])->([i]) {i=4}"),
        (Case::new(Op::Unary(UnaryOp::IsFinite), "f32[]"), "pred[] | ([])->([]) {}"),
        (
            Case::new(Op::Binary(BinaryOp::Add), "f32[4,1] f32[4,1]"),
            "f32[4,1] | ([i, j], [i, j])->([i, j]) {i=4, j=1} Sum jointly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Add), "f32[4] f32[5]"),
            "error: operand 1 is f32[5], but operand 0 is f32[4]: the types must agree",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Multiply), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Sum singly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Divide), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Sum singly [0]",
        ),
        (Case::new(Op::Binary(BinaryOp::Divide), "s32[4] s32[4]"), "s32[4] | ([i], [i])->([i]) {i=4}"),
        (
            Case::new(Op::Binary(BinaryOp::Maximum), "f32[4] f32[4]"),
            "f32[4] | ([i], [i])->([i]) {i=4} Max jointly [0, 1] singly [0, 1]",
        ),
        (
            Case::new(Op::Binary(BinaryOp::Complex), "f64[4] f64[4]"),
            "c128[4] | ([i], [i])->([i]) {i=4} Sum jointly [0, 1]",
        ),
        (
            Case::new(Op::Compare(Compare { direction: Direction::Lt, kind: None }), "s32[4] s32[4]"),
            "pred[4] | ([i], [i])->([i]) {i=4}",
        ),
        (
            Case::new(
                Op::Compare(Compare { direction: Direction::Lt, kind: Some(CompareKind::Float) }),
                "s32[] s32[]",
            ),
            "error: comparison kind Float does not fit s32",
        ),
        (
            Case::new(Op::Select, "pred[] f32[4] f32[4]"),
            "f32[4] | ([], [i], [i])->([i]) {i=4} any jointly [1, 2]",
        ),
        (
            Case::new(Op::Select, "pred[4] f32[4] f32[4]"),
            "f32[4] | ([i], [i], [i])->([i]) {i=4} any jointly [1, 2]",
        ),
        (
            Case::new(Op::Select, "pred[2] f32[4] f32[4]"),
            "error: operand 1 is f32[4], but operand 0 is pred[2]: the dims must agree",
        ),
        (Case::new(Op::Clamp, "f32[] f32[4] f32[4]"), "f32[4] | ([], [i], [i])->([i]) {i=4}"),
    ]);
}

#[test]
fn conversions_pass_and_keep_sums_only_where_nothing_is_rounded() {
    let bitcast = |dtype, dims: &[i64]| Op::Convert(Convert::Bitcast(TensorType::new(dtype, dims)));
    check(&[
        (
            Case::new(Op::Convert(Convert::To(DType::F32)), "bf16[4]"),
            "f32[4] | ([i])->([i]) {i=4} Sum jointly [0]",
        ),
        (Case::new(Op::Convert(Convert::To(DType::BF16)), "f32[4]"), "bf16[4] | ([i])->([i]) {i=4}"),
        (Case::new(Op::Convert(Convert::To(DType::S32)), "s8[4]"), "s32[4] | ([i])->([i]) {i=4}"),
        (Case::new(bitcast(DType::S32, &[4]), "f32[4]"), "s32[4] | ([i])->([i]) {i=4}"),
        (
            Case::new(bitcast(DType::U8, &[4, 4]), "f32[4]"),
            "u8[4,4] | ([i])->([i, j]) {i=4, j=4} need_replication={j}",
        ),
        (
            Case::new(bitcast(DType::F32, &[4]), "u8[4,4]"),
            "f32[4] | ([i, j])->([i]) {i=4, j=4} need_replication={j}",
        ),
        (
            Case::new(bitcast(DType::F32, &[2]), "u8[4,2]"),
            "error: the last dim of u8[4,2] must have 4 elements to be merged",
        ),
        (
            Case::new(
                Op::Convert(Convert::ReducePrecision { exponent_bits: 5, mantissa_bits: 10 }),
                "f32[4]",
            ),
            "f32[4] | ([i])->([i]) {i=4}",
        ),
    ]);
}
