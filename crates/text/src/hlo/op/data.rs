//! Constants, iota, barriers. A large splat is printed as the broadcast of a scalar, as XLA has it.

use super::Made;
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::inst::{InstText, index, int_list};
use crate::hlo::lex::{Read, fault};
use crate::hlo::line::Line;
use crate::hlo::literal;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::write_type;
use meshwright_ir::op::{Constant, Iota};
use meshwright_ir::{DType, Literal, Op, TensorType, Type};

/// Splats of more elements are printed as a broadcast.
const LARGE_SPLAT: i64 = 1024;

pub(in crate::hlo) fn read_constant<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Constant(Constant(literal::read(text.raw.args, text.result(0)?)?))))
}

pub(super) fn read_iota<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dim = match text.get("iota_dimension") {
        Some(piece) => index(crate::hlo::inst::int(piece)?, piece)?,
        None => 0,
    };
    Ok(Made::of(Op::Iota(Iota { dim, ty: text.result(0)?.clone() })))
}

pub(super) fn read_barrier<'t>(_: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::OptimizationBarrier))
}

/// `get-dimension-size(x), dimensions={d}`: sizes are known, so it is a constant.
pub(super) fn dimension_size<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let types = operands.first().map(|operand| body.types(operand)).unwrap_or_default();
    builder.plain(body, scope, raw, &[], |text| {
        let piece = text.need("dimensions")?;
        let dim = int_list(piece)?.first().copied().and_then(|dim| usize::try_from(dim).ok());
        let size = dim.and_then(|dim| types.first()?.dims().get(dim));
        let Some(size) = size else {
            let rank = types.first().map_or(0, |ty| ty.dims().len());
            let message = format!("the operand has {rank} dims, and no dim `{}`", piece.str);
            return Err(fault(codes::BAD_ATTRIBUTE, piece.span(), message));
        };
        let size = Literal::splat_int(TensorType::scalar(DType::S32), *size);
        Ok(Made::of(Op::Constant(Constant(size))))
    })
}

pub(super) fn print_constant(op: &Constant, line: &mut Line<'_, '_, '_>) {
    let literal = &op.0;
    if let (Some(element), true) = (literal.as_splat(), literal.ty().elements() > LARGE_SPLAT) {
        let name = scalar(line, literal.ty().dtype, element);
        line.op("broadcast").list::<i64>("dimensions", &[]);
        line.args = Some(name);
        return;
    }
    line.args = Some(literal::print(literal));
    line.op("constant");
}

fn scalar(line: &mut Line<'_, '_, '_>, dtype: DType, element: &[u8]) -> String {
    let (mut shape, mut text) = (String::new(), String::new());
    write_type(&mut shape, &Type::Tensor(TensorType::scalar(dtype)), None);
    literal::write_element(&mut text, dtype, element, true);
    format!("%{}", line.comp.extra("constant", &shape, &format!("constant({text})")))
}

pub(super) fn print_iota(op: &Iota, line: &mut Line<'_, '_, '_>) {
    line.op("iota").attr("iota_dimension", op.dim);
}

/// Several values pass a barrier as one tuple.
pub(super) fn print_barrier(line: &mut Line<'_, '_, '_>) {
    let name = line.comp.bundle(&line.inst.operands);
    line.args = Some(format!("%{name}"));
    line.op("opt-barrier");
}
