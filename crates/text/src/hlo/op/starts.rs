//! Asynchronous pairs, read as one op that stands where the start stood. What `done` gives is what `start` made.
//!
//! ```text
//! %s = (f32[4], f32[8]) all-gather-start(%x), ..        ->  %s = f32[8] all-gather(%x), ..
//! %d = f32[8] all-gather-done(%s)                       ->  (another name of %s)
//! %s = ((f32[4]), f32[4], u32[]) async-start(%x), calls=%c      ->  the instructions of %c
//! %s = ((f32[4]), f32[4], s32[]) custom-call-start(%x), ..      ->  %s = f32[4] custom-call(%x), ..
//! ```

use super::tuple::check_shape;
use super::{Entry, Made, collective, known};
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::common::Common;
use crate::hlo::inst::{InstText, no_shape};
use crate::hlo::lex::{Piece, Read, fault};
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, HloShape};
use meshwright_ir::Op;
use meshwright_ir::op::UnaryOp;

/// Element `index` of the declared shape: what the done will give.
fn part<'t>(raw: &RawInst<'t>, index: usize) -> Build<HloShape<'t>> {
    let found = raw.shape.as_ref().and_then(|shape| {
        let (form, before) = shape.form.item(index)?;
        let leaves = shape.leaves.get(before..before + form.leaves())?.to_vec();
        Some(HloShape { form: form.clone(), leaves })
    });
    found.ok_or_else(|| {
        let message = format!("`{}` needs a tuple shape with an element {index}", raw.opcode.str);
        fault(codes::WRONG_TYPE, raw.name.span(), message).into()
    })
}

fn start<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    (body, scope): (&mut Body, &Scope<'t>),
    raw: &'b RawInst<'t>,
    operands: &[Bound],
    shape: &HloShape<'t>,
    read: impl FnOnce(&mut InstText<'_, 't>) -> Read<Made<'t>>,
) -> Build<Bound> {
    let bound = builder.plain_as(body, scope, raw, operands, shape, |text| {
        text.get("async_execution_thread");
        read(text)
    })?;
    Ok(Bound { pending: true, ..bound })
}

pub(super) fn all_gather<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let shape = part(raw, 1)?;
    start(builder, (body, scope), raw, operands, &shape, collective::read_all_gather)
}

pub(super) fn all_reduce<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let Some(shape) = &raw.shape else { return Err(no_shape(raw).into()) };
    start(builder, (body, scope), raw, operands, shape, collective::read_all_reduce)
}

pub(super) fn permute<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let shape = part(raw, 1)?;
    start(builder, (body, scope), raw, operands, &shape, collective::read_permute)
}

pub(super) fn copy<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let shape = part(raw, 0)?;
    start(builder, (body, scope), raw, operands, &shape, |text| {
        text.get("cross_program_prefetch_index");
        Ok(Made::of(Op::Unary(UnaryOp::Copy)))
    })
}

/// `async-start(..), calls=%c`: the computation's instructions, here.
pub(super) fn wrapped<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let name = match text.get("calls") {
        Some(name) => name,
        None => text.need("called_computation")?,
    };
    let bound = builder.inline_named(body, scope.block, name, operands)?;
    Ok(Bound { pending: true, ..bound })
}

/// `x-start` of an op `x` that has no start of its own.
pub(super) fn sugared<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let opcode = Piece { str: raw.opcode.str.trim_end_matches("-start"), at: raw.opcode.at };
    let shape = part(raw, 1)?;
    match known(opcode.str) {
        Some(Entry::Op(read)) => start(builder, (body, scope), raw, operands, &shape, |text| read(text)),
        Some(Entry::Unary(op)) => {
            start(builder, (body, scope), raw, operands, &shape, |_| Ok(Made::of(Op::Unary(op))))
        }
        Some(Entry::Binary(op)) => {
            start(builder, (body, scope), raw, operands, &shape, |_| Ok(Made::of(Op::Binary(op))))
        }
        Some(Entry::Special(_)) if opcode.str == "custom-call" => {
            let bound = super::foreign::custom_call_as(builder, (body, scope), raw, operands, &shape)?;
            Ok(Bound { pending: true, ..bound })
        }
        Some(Entry::Special(_) | Entry::Constant) | None => {
            let why = "write it without the asynchronous start and done";
            Err(super::refuse(raw.opcode, why).into())
        }
        Some(Entry::Refused(why)) => Err(super::refuse(opcode, why).into()),
    }
}

pub(super) fn update<'b, 't>(
    _: &mut ModuleBuilder<'b, 't>,
    _: &mut Body,
    _: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    match operands {
        [operand] if operand.pending => Ok(operand.clone()),
        _ => Err(not_a_start(raw).into()),
    }
}

pub(super) fn done<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    _: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let [operand] = operands else { return Err(not_a_start(raw).into()) };
    if !operand.pending {
        return Err(not_a_start(raw).into());
    }
    check_shape(raw, &operand.form, body.values(operand).iter().map(|value| body.func.ty(*value)))?;
    let mut text = InstText::new(raw, builder.outline.attrs(raw), &body.func, &[]);
    let common = Common::read(&mut text, &mut builder.sources)?;
    rename(body, raw, operand, &common);
    Ok(Bound { pending: false, ..operand.clone() })
}

/// The done's name is what the rest of the text uses. What only the done carries is kept too.
fn rename(body: &mut Body, raw: &RawInst<'_>, operand: &Bound, common: &Common) {
    let Some(value) = body.values(operand).first().copied() else { return };
    let Some(inst) = body.func.def_inst(value) else { return };
    match operand.form {
        Form::Leaf => body.editor().set_name(value, Some(raw.name.str.into())),
        Form::Tuple(_) => body.editor().set_inst_name(inst, Some(raw.name.str.into())),
    }
    let known = &body.func.inst(inst).attrs;
    let news: Vec<_> = common.attrs.0.iter().filter(|(key, _)| known.get(key).is_none()).cloned().collect();
    body.editor().attrs_mut(inst).0.extend(news);
}

fn not_a_start(raw: &RawInst<'_>) -> Box<meshwright_base::Diagnostic> {
    let message = format!("`{}` takes the result of an asynchronous start", raw.opcode.str);
    fault(codes::WRONG_TYPE, raw.args.span(), message)
}
