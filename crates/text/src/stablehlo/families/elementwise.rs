//! Unary, binary, compare, select, clamp.

use super::{bare, case, word_of};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use crate::{codes, expand};
use meshwright_base::Id;
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Direction, UnaryOp};
use meshwright_ir::{At, Editor, Op, SourceId, TensorType, ValueId};

pub fn unary<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, op: UnaryOp) -> Parsed<Op> {
    p.result_count(draft, 1)?;
    bare(p, draft, 1, Op::Unary(op))
}

pub fn binary<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, op: BinaryOp) -> Parsed<Op> {
    p.result_count(draft, 1)?;
    bare(p, draft, 2, Op::Binary(op))
}

/// `mulhi`: the upper half of a product, written out.
pub fn high_product<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let factors = p.operands_of(draft)?;
    let ty = p.result(draft, 0)?;
    let expanded = expand::high_product(&ty, factors, &mut pushing(p, draft));
    let Some((op, operands)) = expanded else {
        let message = format!("{} of {} is not supported", draft.name, ty.dtype);
        return Err(p.fail_help(codes::UNSUPPORTED, draft.at, message, "use integers of 8 to 64 bits"));
    };
    draft.operands = operands;
    Ok(op)
}

/// Adds the ops an expansion needs in front of the draft, under names that say which step they are.
pub fn pushing<'p, 'a>(
    p: &'p mut Parser<'a>,
    draft: &Draft<'a>,
) -> impl FnMut(Op, Vec<ValueId>, &TensorType) -> ValueId + use<'p, 'a> {
    let (at, block) = (draft.at, draft.block);
    move |op: Op, operands: Vec<ValueId>, ty: &TensorType| {
        let inst = p.push(
            At::End(block),
            op,
            operands,
            Vec::new(),
            vec![ty.clone().into()],
            SourceId::unknown(),
            at,
        );
        let value = p.func.inst(inst).results[0];
        Editor::new(&mut p.func).set_name(value, Some(format!("step.{}", value.index()).into()));
        value
    }
}

pub fn select<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    bare(p, draft, 3, Op::Select)
}

pub fn clamp<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    bare(p, draft, 3, Op::Clamp)
}

const DIRECTIONS: [(&str, Direction); 6] = [
    ("EQ", Direction::Eq),
    ("NE", Direction::Ne),
    ("GE", Direction::Ge),
    ("GT", Direction::Gt),
    ("LE", Direction::Le),
    ("LT", Direction::Lt),
];

const KINDS: [(&str, Option<CompareKind>); 5] = [
    ("FLOAT", Some(CompareKind::Float)),
    ("TOTALORDER", Some(CompareKind::TotalOrder)),
    ("SIGNED", Some(CompareKind::Signed)),
    ("UNSIGNED", Some(CompareKind::Unsigned)),
    ("NOTYPE", None),
];

pub fn compare<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let direction = p.case(draft, "comparison_direction", &DIRECTIONS)?;
    let kind = p.opt_case(draft, "compare_type", &KINDS)?.flatten();
    bare(p, draft, 2, Op::Compare(Compare { direction, kind }))
}

pub fn compare_props(compare: &Compare) -> Vec<Prop<'static>> {
    let direction = word_of(&DIRECTIONS, &compare.direction);
    let mut props = vec![case("comparison_direction", "comparison_direction", direction)];
    if compare.kind.is_some() {
        props.push(case("compare_type", "comparison_type", word_of(&KINDS, &compare.kind)));
    }
    props
}

pub fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Abs => "stablehlo.abs",
        UnaryOp::Acos => "chlo.acos",
        UnaryOp::Acosh => "chlo.acosh",
        UnaryOp::Asin => "chlo.asin",
        UnaryOp::Asinh => "chlo.asinh",
        UnaryOp::Atan => "chlo.atan",
        UnaryOp::Atanh => "chlo.atanh",
        UnaryOp::BesselI1e => "chlo.bessel_i1e",
        UnaryOp::Cbrt => "stablehlo.cbrt",
        UnaryOp::Ceil => "stablehlo.ceil",
        UnaryOp::Conj => "chlo.conj",
        UnaryOp::Copy => "mhlo.copy",
        UnaryOp::Cosh => "chlo.cosh",
        UnaryOp::Cosine => "stablehlo.cosine",
        UnaryOp::CountLeadingZeros => "stablehlo.count_leading_zeros",
        UnaryOp::Digamma => "chlo.digamma",
        UnaryOp::Erf => "chlo.erf",
        UnaryOp::Erfc => "chlo.erfc",
        UnaryOp::ErfInv => "chlo.erf_inv",
        UnaryOp::Exponential => "stablehlo.exponential",
        UnaryOp::ExponentialMinusOne => "stablehlo.exponential_minus_one",
        UnaryOp::Floor => "stablehlo.floor",
        UnaryOp::Imag => "stablehlo.imag",
        UnaryOp::IsFinite => "stablehlo.is_finite",
        UnaryOp::IsInf => "chlo.is_inf",
        UnaryOp::IsNegInf => "chlo.is_neg_inf",
        UnaryOp::IsPosInf => "chlo.is_pos_inf",
        UnaryOp::Lgamma => "chlo.lgamma",
        UnaryOp::Log => "stablehlo.log",
        UnaryOp::LogPlusOne => "stablehlo.log_plus_one",
        UnaryOp::Logistic => "stablehlo.logistic",
        UnaryOp::Negate => "stablehlo.negate",
        UnaryOp::Not => "stablehlo.not",
        UnaryOp::PopulationCount => "stablehlo.popcnt",
        UnaryOp::Real => "stablehlo.real",
        UnaryOp::RoundNearestAfz => "stablehlo.round_nearest_afz",
        UnaryOp::RoundNearestEven => "stablehlo.round_nearest_even",
        UnaryOp::Rsqrt => "stablehlo.rsqrt",
        UnaryOp::Sign => "stablehlo.sign",
        UnaryOp::Sine => "stablehlo.sine",
        UnaryOp::Sinh => "chlo.sinh",
        UnaryOp::Sqrt => "stablehlo.sqrt",
        UnaryOp::Square => "chlo.square",
        UnaryOp::Tan => "stablehlo.tan",
        UnaryOp::Tanh => "stablehlo.tanh",
    }
}

pub fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "stablehlo.add",
        BinaryOp::And => "stablehlo.and",
        BinaryOp::Atan2 => "stablehlo.atan2",
        BinaryOp::Complex => "stablehlo.complex",
        BinaryOp::Divide => "stablehlo.divide",
        BinaryOp::Maximum => "stablehlo.maximum",
        BinaryOp::Minimum => "stablehlo.minimum",
        BinaryOp::Multiply => "stablehlo.multiply",
        BinaryOp::NextAfter => "chlo.next_after",
        BinaryOp::Or => "stablehlo.or",
        BinaryOp::Polygamma => "chlo.polygamma",
        BinaryOp::Power => "stablehlo.power",
        BinaryOp::Remainder => "stablehlo.remainder",
        BinaryOp::ShiftLeft => "stablehlo.shift_left",
        BinaryOp::ShiftRightArithmetic => "stablehlo.shift_right_arithmetic",
        BinaryOp::ShiftRightLogical => "stablehlo.shift_right_logical",
        BinaryOp::Subtract => "stablehlo.subtract",
        BinaryOp::Xor => "stablehlo.xor",
        BinaryOp::Zeta => "chlo.zeta",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stablehlo::elementwise_named;

    #[test]
    fn every_elementwise_op_is_read_by_the_name_it_is_written_by() {
        let unary = UnaryOp::ALL.iter().map(|op| (unary_name(*op), Op::Unary(*op)));
        let binary = BinaryOp::ALL.iter().map(|op| (binary_name(*op), Op::Binary(*op)));
        for (name, op) in unary.chain(binary) {
            assert_eq!(elementwise_named(name), Some(op), "{name} has no row in table.rs, or another's");
        }
    }
}
