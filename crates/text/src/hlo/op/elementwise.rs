//! Elementwise ops. Those HLO has no opcode for are custom calls `chlo.<name>`; `mulhi`, which we lack, is read as a
//! product in a wider type.

use super::Made;
use crate::hlo::build::{Body, Bound, Build, Builder, Parts, Scope};
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::Form;
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Constant, Convert, Direction, UnaryOp};
use meshwright_ir::{DType, Literal, Op, SourceId, ValueId};

const DIRECTIONS: [(Direction, &str); 6] = [
    (Direction::Eq, "EQ"),
    (Direction::Ne, "NE"),
    (Direction::Ge, "GE"),
    (Direction::Gt, "GT"),
    (Direction::Le, "LE"),
    (Direction::Lt, "LT"),
];

const KINDS: [(CompareKind, &str); 4] = [
    (CompareKind::Float, "FLOAT"),
    (CompareKind::TotalOrder, "TOTALORDER"),
    (CompareKind::Signed, "SIGNED"),
    (CompareKind::Unsigned, "UNSIGNED"),
];

/// The word of a value in a list of words.
pub(super) fn word_of<T: PartialEq>(value: &T, words: &[(T, &'static str)]) -> &'static str {
    words.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word)
}

pub(super) fn read_compare<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let direction = text.word("direction", &DIRECTIONS)?;
    let direction = direction.ok_or_else(|| text.fault("`compare` needs the attribute `direction`"))?;
    let kind = text.word("type", &KINDS)?;
    Ok(Made::of(Op::Compare(Compare { direction, kind })))
}

pub(super) fn read_select<'t>(_: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Select))
}

pub(super) fn read_clamp<'t>(_: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Clamp))
}

/// `mulhi`: the upper half of a product of twice as many bits, for types that have such a double.
pub(super) fn high_product<'b, 't>(
    builder: &mut Builder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let narrow = values.first().and_then(|value| body.func.ty(*value).as_tensor()).cloned();
    let wide = narrow.as_ref().and_then(|ty| double(ty.dtype));
    let (Some(narrow), Some(wide), [lhs, rhs]) = (narrow, wide, &values[..]) else {
        return Err(super::refuse(raw.opcode, "it is expanded for integers of 8 to 32 bits").into());
    };
    let bits = i64::from(narrow.dtype.bits());
    let wide = narrow.with_dtype(wide);
    let mut step = |op: Op, operands: Vec<ValueId>| {
        let parts = Parts { operands, types: vec![wide.clone().into()], source: SourceId::unknown() };
        let inst = builder.push_extra(body, scope, raw, op, parts);
        body.func.inst(inst).results.clone()
    };
    let to_wide = || Op::Convert(Convert::To(wide.dtype));
    let factors = [step(to_wide(), vec![*lhs]), step(to_wide(), vec![*rhs])].concat();
    let product = step(Op::Binary(BinaryOp::Multiply), factors);
    let count = step(Op::Constant(Constant(Literal::splat_int(wide.clone(), bits))), Vec::new());
    let high = step(Op::Binary(BinaryOp::ShiftRightLogical), [product, count].concat());
    let high = body.bind(Form::Leaf, high);
    builder.plain(body, scope, raw, &[high], |_| Ok(Made::of(Op::Convert(Convert::To(narrow.dtype)))))
}

/// The integer type of twice as many bits.
fn double(dtype: DType) -> Option<DType> {
    match dtype {
        DType::S8 => Some(DType::S16),
        DType::S16 => Some(DType::S32),
        DType::S32 => Some(DType::S64),
        DType::U8 => Some(DType::U16),
        DType::U16 => Some(DType::U32),
        DType::U32 => Some(DType::U64),
        _ => None,
    }
}

pub(super) fn print_unary(op: UnaryOp, line: &mut Line<'_, '_, '_>) {
    match unary_opcode(op) {
        Ok(opcode) => line.op(opcode),
        Err(target) => line.op("custom-call").attr("custom_call_target", format_args!("\"{target}\"")),
    };
}

/// The opcode, or the target of the custom call that stands for it.
fn unary_opcode(op: UnaryOp) -> Result<&'static str, &'static str> {
    Ok(match op {
        UnaryOp::Abs => "abs",
        UnaryOp::Acos => "acos",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Asin => "asin",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Atan => return Err("chlo.atan"),
        UnaryOp::Atanh => "atanh",
        UnaryOp::BesselI1e => return Err("chlo.bessel_i1e"),
        UnaryOp::Cbrt => "cbrt",
        UnaryOp::Ceil => "ceil",
        UnaryOp::Conj => return Err("chlo.conj"),
        UnaryOp::Copy => "copy",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Cosine => "cosine",
        UnaryOp::CountLeadingZeros => "count-leading-zeros",
        UnaryOp::Digamma => return Err("chlo.digamma"),
        UnaryOp::Erf => "erf",
        UnaryOp::Erfc => return Err("chlo.erfc"),
        UnaryOp::ErfInv => return Err("chlo.erf_inv"),
        UnaryOp::Exponential => "exponential",
        UnaryOp::ExponentialMinusOne => "exponential-minus-one",
        UnaryOp::Floor => "floor",
        UnaryOp::Imag => "imag",
        UnaryOp::IsFinite => "is-finite",
        UnaryOp::IsInf => return Err("chlo.is_inf"),
        UnaryOp::IsNegInf => return Err("chlo.is_neg_inf"),
        UnaryOp::IsPosInf => return Err("chlo.is_pos_inf"),
        UnaryOp::Lgamma => return Err("chlo.lgamma"),
        UnaryOp::Log => "log",
        UnaryOp::LogPlusOne => "log-plus-one",
        UnaryOp::Logistic => "logistic",
        UnaryOp::Negate => "negate",
        UnaryOp::Not => "not",
        UnaryOp::PopulationCount => "popcnt",
        UnaryOp::Real => "real",
        UnaryOp::RoundNearestAfz => "round-nearest-afz",
        UnaryOp::RoundNearestEven => "round-nearest-even",
        UnaryOp::Rsqrt => "rsqrt",
        UnaryOp::Sign => "sign",
        UnaryOp::Sine => "sine",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Sqrt => "sqrt",
        UnaryOp::Square => return Err("chlo.square"),
        UnaryOp::Tan => "tan",
        UnaryOp::Tanh => "tanh",
    })
}

pub(super) fn print_binary(op: BinaryOp, line: &mut Line<'_, '_, '_>) {
    match binary_opcode(op) {
        Ok(opcode) => line.op(opcode),
        Err(target) => line.op("custom-call").attr("custom_call_target", format_args!("\"{target}\"")),
    };
}

fn binary_opcode(op: BinaryOp) -> Result<&'static str, &'static str> {
    Ok(match op {
        BinaryOp::Add => "add",
        BinaryOp::And => "and",
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Complex => "complex",
        BinaryOp::Divide => "divide",
        BinaryOp::Maximum => "maximum",
        BinaryOp::Minimum => "minimum",
        BinaryOp::Multiply => "multiply",
        BinaryOp::NextAfter => return Err("chlo.next_after"),
        BinaryOp::Or => "or",
        BinaryOp::Polygamma => return Err("chlo.polygamma"),
        BinaryOp::Power => "power",
        BinaryOp::Remainder => "remainder",
        BinaryOp::ShiftLeft => "shift-left",
        BinaryOp::ShiftRightArithmetic => "shift-right-arithmetic",
        BinaryOp::ShiftRightLogical => "shift-right-logical",
        BinaryOp::Subtract => "subtract",
        BinaryOp::Xor => "xor",
        BinaryOp::Zeta => return Err("chlo.zeta"),
    })
}

/// The op that a custom call of such a target stands for.
pub(super) fn of_target(target: &str) -> Option<Op> {
    Some(match target {
        "chlo.atan" => Op::Unary(UnaryOp::Atan),
        "chlo.bessel_i1e" => Op::Unary(UnaryOp::BesselI1e),
        "chlo.conj" => Op::Unary(UnaryOp::Conj),
        "chlo.digamma" => Op::Unary(UnaryOp::Digamma),
        "chlo.erfc" => Op::Unary(UnaryOp::Erfc),
        "chlo.erf_inv" => Op::Unary(UnaryOp::ErfInv),
        "chlo.is_inf" => Op::Unary(UnaryOp::IsInf),
        "chlo.is_neg_inf" => Op::Unary(UnaryOp::IsNegInf),
        "chlo.is_pos_inf" => Op::Unary(UnaryOp::IsPosInf),
        "chlo.lgamma" => Op::Unary(UnaryOp::Lgamma),
        "chlo.square" => Op::Unary(UnaryOp::Square),
        "chlo.next_after" => Op::Binary(BinaryOp::NextAfter),
        "chlo.polygamma" => Op::Binary(BinaryOp::Polygamma),
        "chlo.zeta" => Op::Binary(BinaryOp::Zeta),
        _ => return None,
    })
}

pub(super) fn print_compare(op: &Compare, line: &mut Line<'_, '_, '_>) {
    line.op("compare").attr("direction", word_of(&op.direction, &DIRECTIONS));
    if let Some(kind) = op.kind {
        line.attr("type", word_of(&kind, &KINDS));
    }
}
