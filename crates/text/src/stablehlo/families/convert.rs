//! convert, bitcast_convert, reduce_precision.

use super::bare;
use crate::codes;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::Op;
use meshwright_ir::op::Convert;

pub fn convert<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let ty = p.result(draft, 0)?;
    bare(p, draft, 1, Op::Convert(Convert::To(ty.dtype)))
}

pub fn bitcast<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let ty = p.result(draft, 0)?;
    bare(p, draft, 1, Op::Convert(Convert::Bitcast(ty)))
}

pub fn reduce_precision<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let at = draft.at;
    let exponent = p.int(draft, "exponent_bits")?;
    let mantissa = p.int(draft, "mantissa_bits")?;
    let (Ok(exponent_bits), Ok(mantissa_bits)) = (u32::try_from(exponent), u32::try_from(mantissa)) else {
        return Err(p.fail(
            codes::BAD_ATTRIBUTE,
            at,
            format!("no format has {exponent} and {mantissa} bits"),
        ));
    };
    bare(p, draft, 1, Op::Convert(Convert::ReducePrecision { exponent_bits, mantissa_bits }))
}

pub fn name(convert: &Convert) -> &'static str {
    match convert {
        Convert::To(_) => "stablehlo.convert",
        Convert::Bitcast(_) => "stablehlo.bitcast_convert",
        Convert::ReducePrecision { .. } => "stablehlo.reduce_precision",
    }
}

pub fn props(convert: &Convert) -> Vec<Prop<'static>> {
    match convert {
        Convert::To(_) | Convert::Bitcast(_) => Vec::new(),
        Convert::ReducePrecision { exponent_bits, mantissa_bits } => {
            let bits = |name, bits: u32| Prop::made(name, Tree::Int(i64::from(bits), "i32".into()));
            vec![bits("exponent_bits", *exponent_bits), bits("mantissa_bits", *mantissa_bits)]
        }
    }
}
