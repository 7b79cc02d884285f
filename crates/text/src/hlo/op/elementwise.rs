//! Elementwise ops. Of those HLO has no opcode for some are composed (square, atan, conj, is_inf and the like), the
//! others are custom calls `chlo.<name>`; `mulhi`, which we lack, is written out.

use super::Made;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::inst::InstText;
use crate::hlo::lex::{Read, fault};
use crate::hlo::line::Line;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::write_type;
use crate::{codes, expand};
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Direction, UnaryOp};
use meshwright_ir::{Op, TensorType, ValueId};

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

/// `mulhi`: the upper half of a product, written out.
pub(super) fn high_product<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let ty = values.first().and_then(|value| body.func.ty(*value).as_tensor()).cloned();
    let (Some(ty), [lhs, rhs]) = (ty, &values[..]) else {
        let message = format!("`mulhi` takes two tensors, but {} values are given", values.len());
        return Err(fault(codes::WRONG_TYPE, raw.opcode.span(), message).into());
    };
    let last = expand::high_product(&ty, [*lhs, *rhs], &mut builder.pushing(body, scope, raw));
    let Some(last) = last else {
        let message = format!("`mulhi` of {} is not supported", ty.dtype);
        let error = fault(codes::UNSUPPORTED, raw.opcode.span(), message);
        return Err(Box::new(error.help("use integers of 8 to 64 bits")).into());
    };
    builder.last_step(body, scope, raw, last, &[])
}

/// How HLO says a unary or binary op.
enum Spelling {
    Opcode(&'static str),
    /// Simpler ops together.
    Composed(fn(&mut Line<'_, '_, '_>)),
    /// A custom call of this target.
    Target(&'static str),
}

pub(super) fn print_unary(op: UnaryOp, line: &mut Line<'_, '_, '_>) {
    print_spelling(spelling(op), line);
}

fn print_spelling(spelling: Spelling, line: &mut Line<'_, '_, '_>) {
    match spelling {
        Spelling::Opcode(opcode) => line.op(opcode).end(),
        Spelling::Composed(print) => print(line),
        Spelling::Target(target) => {
            line.op("custom-call").attr("custom_call_target", format_args!("\"{target}\"")).end();
        }
    }
}

fn spelling(op: UnaryOp) -> Spelling {
    Spelling::Opcode(match op {
        UnaryOp::Abs => "abs",
        UnaryOp::Acos => "acos",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Asin => "asin",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Atan => return Spelling::Composed(print_atan),
        UnaryOp::Atanh => "atanh",
        UnaryOp::BesselI1e => return Spelling::Target("chlo.bessel_i1e"),
        UnaryOp::Cbrt => "cbrt",
        UnaryOp::Ceil => "ceil",
        UnaryOp::Conj => return Spelling::Composed(print_conj),
        UnaryOp::Copy => "copy",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Cosine => "cosine",
        UnaryOp::CountLeadingZeros => "count-leading-zeros",
        UnaryOp::Digamma => return Spelling::Target("chlo.digamma"),
        UnaryOp::Erf => "erf",
        UnaryOp::Erfc => return Spelling::Target("chlo.erfc"),
        UnaryOp::ErfInv => return Spelling::Target("chlo.erf_inv"),
        UnaryOp::Exponential => "exponential",
        UnaryOp::ExponentialMinusOne => "exponential-minus-one",
        UnaryOp::Floor => "floor",
        UnaryOp::Imag => "imag",
        UnaryOp::IsFinite => "is-finite",
        UnaryOp::IsInf => return Spelling::Composed(print_is_inf),
        UnaryOp::IsNegInf => return Spelling::Composed(print_is_neg_inf),
        UnaryOp::IsPosInf => return Spelling::Composed(print_is_pos_inf),
        UnaryOp::Lgamma => return Spelling::Target("chlo.lgamma"),
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
        UnaryOp::Square => return Spelling::Composed(print_square),
        UnaryOp::Tan => "tan",
        UnaryOp::Tanh => "tanh",
    })
}

/// The operand by name and type.
fn operand(line: &Line<'_, '_, '_>) -> Option<(String, TensorType)> {
    let value = line.operand(0)?;
    Some((format!("%{}", line.comp.name(value)), line.comp.func.ty(value).as_tensor()?.clone()))
}

/// A line before; the name of its value.
fn before(line: &mut Line<'_, '_, '_>, opcode: &str, ty: &TensorType, rest: &str) -> String {
    let mut shape = String::new();
    write_type(&mut shape, &ty.clone().into(), None);
    format!("%{}", line.comp.extra(opcode, &shape, &format!("{opcode}({rest}")))
}

/// A constant of the operand's shape.
fn filled(line: &mut Line<'_, '_, '_>, ty: &TensorType, number: &str) -> String {
    let scalar = before(line, "constant", &TensorType::scalar(ty.dtype), &format!("{number})"));
    if ty.rank() == 0 {
        scalar
    } else {
        before(line, "broadcast", ty, &format!("{scalar}), dimensions={{}}"))
    }
}

fn print_square(line: &mut Line<'_, '_, '_>) {
    let Some((name, _)) = operand(line) else { return };
    line.args = Some(format!("{name}, {name}"));
    line.op("multiply");
}

fn print_atan(line: &mut Line<'_, '_, '_>) {
    let Some((name, ty)) = operand(line) else { return };
    let one = filled(line, &ty, if ty.dtype.is_complex() { "(1, 0)" } else { "1" });
    line.args = Some(format!("{name}, {one}"));
    line.op("atan2");
}

fn print_conj(line: &mut Line<'_, '_, '_>) {
    let Some((name, ty)) = operand(line) else { return };
    let part = ty.with_dtype(ty.dtype.part());
    let real = before(line, "real", &part, &format!("{name})"));
    let imaginary = before(line, "imag", &part, &format!("{name})"));
    let negated = before(line, "negate", &part, &format!("{imaginary})"));
    line.args = Some(format!("{real}, {negated}"));
    line.op("complex");
}

fn print_is_inf(line: &mut Line<'_, '_, '_>) {
    let Some((name, ty)) = operand(line) else { return };
    let size = before(line, "abs", &ty, &format!("{name})"));
    print_equal(line, &size, &ty, "inf");
}

fn print_is_pos_inf(line: &mut Line<'_, '_, '_>) {
    let Some((name, ty)) = operand(line) else { return };
    print_equal(line, &name, &ty, "inf");
}

fn print_is_neg_inf(line: &mut Line<'_, '_, '_>) {
    let Some((name, ty)) = operand(line) else { return };
    print_equal(line, &name, &ty, "-inf");
}

fn print_equal(line: &mut Line<'_, '_, '_>, name: &str, ty: &TensorType, number: &str) {
    let other = filled(line, ty, number);
    line.args = Some(format!("{name}, {other}"));
    line.op("compare").attr("direction", "EQ");
}

pub(super) fn print_binary(op: BinaryOp, line: &mut Line<'_, '_, '_>) {
    print_spelling(binary_spelling(op), line);
}

fn binary_spelling(op: BinaryOp) -> Spelling {
    Spelling::Opcode(match op {
        BinaryOp::Add => "add",
        BinaryOp::And => "and",
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Complex => "complex",
        BinaryOp::Divide => "divide",
        BinaryOp::Maximum => "maximum",
        BinaryOp::Minimum => "minimum",
        BinaryOp::Multiply => "multiply",
        BinaryOp::NextAfter => return Spelling::Target("chlo.next_after"),
        BinaryOp::Or => "or",
        BinaryOp::Polygamma => return Spelling::Target("chlo.polygamma"),
        BinaryOp::Power => "power",
        BinaryOp::Remainder => "remainder",
        BinaryOp::ShiftLeft => "shift-left",
        BinaryOp::ShiftRightArithmetic => "shift-right-arithmetic",
        BinaryOp::ShiftRightLogical => "shift-right-logical",
        BinaryOp::Subtract => "subtract",
        BinaryOp::Xor => "xor",
        BinaryOp::Zeta => return Spelling::Target("chlo.zeta"),
    })
}

/// The op that a custom call of such a target stands for: it is called as in StableHLO's text.
pub(super) fn of_target(target: &str) -> Option<Op> {
    target.starts_with("chlo.").then(|| crate::stablehlo::elementwise_named(target)).flatten()
}

pub(super) fn print_compare(op: &Compare, line: &mut Line<'_, '_, '_>) {
    line.op("compare").attr("direction", word_of(&op.direction, &DIRECTIONS));
    if let Some(kind) = op.kind {
        line.attr("type", word_of(&kind, &KINDS));
    }
}
