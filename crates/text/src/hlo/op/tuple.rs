//! Tuples: put together and taken apart without an instruction of ours.

use super::Made;
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Parts, Scope};
use crate::hlo::common::Common;
use crate::hlo::inst::InstText;
use crate::hlo::lex::{Read, fault};
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, depth_message, describe_shape};
use meshwright_ir::op::UnaryOp;
use meshwright_ir::{Op, Type, ValueId};

pub(super) fn tuple<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    _: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let form = Form::tuple(operands.iter().map(|operand| operand.form.clone()));
    if form.is_too_deep() {
        return Err(fault(codes::TOO_DEEP, raw.name.span(), depth_message()).into());
    }
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    builder.burn(raw, values.len())?;
    check_attrs(builder, body, raw, None)?;
    check_shape(raw, &form, values.iter().map(|value| body.func.ty(*value)))?;
    Ok(body.bind(form, values))
}

/// The declared shape must be the one there is.
pub(super) fn check_shape<'x>(
    raw: &RawInst<'_>,
    form: &Form,
    types: impl Iterator<Item = &'x Type>,
) -> Read<()> {
    let Some(shape) = &raw.shape else { return Ok(()) };
    let given: Vec<&Type> = types.collect();
    if shape.form == *form && shape.leaves.iter().map(|leaf| &leaf.ty).eq(given.iter().copied()) {
        return Ok(());
    }
    let (declared, given) = (shape.describe(), describe_shape(form, given));
    let message = format!("`{}` is declared as {declared}, but its operands give {given}", raw.name.str);
    Err(fault(codes::WRONG_TYPE, raw.name.span(), message))
}

/// Read what any instruction may carry, and report what is unknown; `own` is the op's own attribute.
fn check_attrs<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &Body,
    raw: &'b RawInst<'t>,
    own: Option<&str>,
) -> Read<(Common, Option<i64>)> {
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let index = own.map(|key| text.need_int(key)).transpose()?;
    let common = Common::read(&mut text, &mut builder.sources)?;
    common.unknown(&text)?;
    Ok((common, index))
}

pub(super) fn element<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    _: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let (common, index) = check_attrs(builder, body, raw, Some("index"))?;
    let index = usize::try_from(index.unwrap_or(-1)).unwrap_or(usize::MAX);
    let Some(found) = operands.first().and_then(|operand| operand.item(index)) else {
        let message = format!("the operand is not a tuple with an element {index}");
        return Err(fault(codes::WRONG_TYPE, raw.args.span(), message).into());
    };
    check_shape(raw, &found.form, body.values(&found).iter().map(|value| body.func.ty(*value)))?;
    if let (Form::Leaf, [value]) = (&found.form, body.values(&found)) {
        let value = *value;
        describe(body, value, raw, common);
    }
    Ok(found)
}

/// A tuple element's first taker names it, and annotates it if its maker did not.
fn describe(body: &mut Body, value: ValueId, raw: &RawInst<'_>, common: Common) {
    if body.func.value(value).name.is_none() {
        body.editor().set_name(value, Some(raw.name.str.into()));
    }
    if body.func.value(value).sharding.is_none() {
        body.editor().set_sharding(value, common.annotation(0));
    }
}

/// `copy` of a tensor is an op; of a tuple it is one for each leaf.
pub(super) fn copy<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let [operand] = operands else {
        return Err(raw.args.fault(format!("`copy` takes one operand, found {}", operands.len())).into());
    };
    if operand.form == Form::Leaf {
        return builder.plain(body, scope, raw, operands, |text| {
            text.get("cross_program_prefetch_index");
            Ok(Made::of(Op::Unary(UnaryOp::Copy)))
        });
    }
    let (common, _) = check_attrs(builder, body, raw, None)?;
    check_shape(raw, &operand.form, body.values(operand).iter().map(|value| body.func.ty(*value)))?;
    let mut copies = Vec::new();
    for value in body.values(operand).to_vec() {
        let types = vec![body.func.ty(value).clone()];
        let parts = Parts { operands: vec![value], types, source: common.source };
        let inst = builder.push_extra(body, scope, raw, Op::Unary(UnaryOp::Copy), parts);
        copies.extend_from_slice(&body.func.inst(inst).results);
    }
    Ok(body.bind(operand.form.clone(), copies))
}
