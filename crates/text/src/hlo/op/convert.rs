//! Changes of element type.

use super::Made;
use crate::hlo::inst::{InstText, int};
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::Convert;

pub(super) fn read_convert<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Convert(Convert::To(text.result_dtype()?))))
}

pub(super) fn read_bitcast_convert<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Convert(Convert::Bitcast(text.result(0)?.clone()))))
}

pub(super) fn read_reduce_precision<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let mut bits = |key: &str| -> Read<u32> {
        let piece = text.need(key)?;
        u32::try_from(int(piece)?).map_err(|_| super::super::inst::bad(piece, "a number of bits"))
    };
    let (exponent_bits, mantissa_bits) = (bits("exponent_bits")?, bits("mantissa_bits")?);
    Ok(Made::of(Op::Convert(Convert::ReducePrecision { exponent_bits, mantissa_bits })))
}

pub(super) fn print(op: &Convert, line: &mut Line<'_, '_, '_>) {
    match op {
        Convert::To(_) => line.op("convert"),
        Convert::Bitcast(_) => line.op("bitcast-convert"),
        Convert::ReducePrecision { exponent_bits, mantissa_bits } => line
            .op("reduce-precision")
            .attr("exponent_bits", exponent_bits)
            .attr("mantissa_bits", mantissa_bits),
    };
}
