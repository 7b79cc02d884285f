//! Ops ordered by tokens. A transfer's start and done are one op here; what it gives is there at the start.

use super::Made;
use super::collective::{pairs, print_pairs};
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Scope};
use crate::hlo::common::{Parts, parts};
use crate::hlo::inst::{InstText, Sharded, no_shape};
use crate::hlo::lex::{Read, fault, quote};
use crate::hlo::line::Line;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, HloShape, Leaf};
use meshwright_ir::op::{ShardingOp, TokenOp, TransferAttrs};
use meshwright_ir::{Annotation, Op, Type, ValueId};
use meshwright_shard::{HloSharding, HloShardingKind};

pub(super) fn read_after_all<'t>(_: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Token(TokenOp::AfterAll)))
}

/// Result types without the token at the end.
fn data_types(text: &InstText<'_, '_>) -> Vec<Type> {
    text.result_types().into_iter().filter(|ty| *ty != Type::Token).collect()
}

pub(super) fn read_infeed<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    text.shape.ok_or_else(|| no_shape(text.raw))?;
    let config = text.string("infeed_config")?.unwrap_or_default();
    Ok(Made::of(Op::Token(TokenOp::Infeed { config, results: data_types(text) })))
}

/// `outfeed(data, token)`: its sharding has a part for each array that leaves, and one for the token.
pub(super) fn outfeed<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let (operands, sharded) = annotated(builder, body, scope, raw, (operands, 1))?;
    builder.plain(body, scope, raw, &operands, |text| {
        text.sharded = Some(sharded);
        let config = text.string("outfeed_config")?.unwrap_or_default();
        text.get("outfeed_shape");
        Ok(Made::of(Op::Token(TokenOp::Outfeed { config })))
    })
}

/// The operands with what the instruction's sharding says of its data, each where it is new by a constraint; the last
/// part is the token's. `beyond` is how many parts there are behind the data.
fn annotated<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &Scope<'t>,
    raw: &'b RawInst<'t>,
    (operands, beyond): (&[Bound], usize),
) -> Build<(Vec<Bound>, Sharded)> {
    let mut values: Vec<ValueId> =
        operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let data = values.len().saturating_sub(1);
    let last = data + beyond;
    let sharded = Sharded { parts: last, own: vec![last.saturating_sub(1)] };
    let attr = builder.outline.attrs(raw).iter().find(|attr| attr.key.str == "sharding");
    let Some(Parts::Tuple(list)) = attr.map(|attr| parts(attr.value)).transpose()? else {
        return Ok((operands.to_vec(), sharded));
    };
    if list.len() == last {
        for (value, sharding) in values.iter_mut().zip(list).take(data) {
            *value = constrained(builder, body, scope, raw, (*value, sharding));
        }
    }
    let forms: Vec<Form> = operands.iter().map(|operand| operand.form.clone()).collect();
    let mut values = values.into_iter();
    let bind = |form: Form| {
        let leaves = form.leaves();
        body.bind(form, values.by_ref().take(leaves))
    };
    Ok((forms.into_iter().map(bind).collect(), sharded))
}

/// A value with a sharding, unless it has it already or the sharding says nothing of how it is split.
fn constrained<'t>(
    builder: &mut ModuleBuilder<'_, 't>,
    body: &mut Body,
    scope: &Scope<'t>,
    raw: &RawInst<'t>,
    (value, sharding): (ValueId, HloSharding),
) -> ValueId {
    let annotation = Some(Annotation::from(sharding));
    let info = body.func.value(value);
    let is_new = match &annotation {
        Some(Annotation::Hlo(sharding)) => !matches!(
            sharding.kind,
            HloShardingKind::Unknown | HloShardingKind::Manual | HloShardingKind::Maximal { .. }
        ),
        _ => false,
    };
    let Some(ty) = info.ty.as_tensor().filter(|_| is_new && info.sharding != annotation).cloned() else {
        return value;
    };
    let constraint = Op::Sharding(ShardingOp::Constraint { unspecified: Vec::new() });
    let result = builder.pushing(body, scope, raw)(constraint, vec![value], &ty);
    body.editor().set_sharding(result, annotation);
    result
}

fn transfer(text: &mut InstText<'_, '_>) -> Read<TransferAttrs> {
    let is_host_transfer = text.flag("is_host_transfer")?;
    Ok(TransferAttrs {
        channel: text.int("channel_id")?.unwrap_or(0),
        channel_kind: if is_host_transfer { 2 } else { 1 },
        is_host_transfer,
        source_target_pairs: pairs(text)?,
    })
}

/// The leaves of a declared shape that have a meaning here.
fn kept_leaves<'t>(raw: &RawInst<'t>, keep: impl Fn(usize, &Leaf<'t>) -> bool) -> Build<HloShape<'t>> {
    let Some(shape) = &raw.shape else {
        return Err(no_shape(raw).into());
    };
    let leaves = shape.leaves.iter().enumerate();
    let leaves: Vec<_> = leaves.filter(|(i, leaf)| keep(*i, leaf)).map(|(_, leaf)| leaf.clone()).collect();
    Ok(HloShape { form: Form::of_count(leaves.len()), leaves })
}

/// `(data, u32[], token[]) send(data, token)`: only the token is left, which `send-done` gives.
pub(super) fn send<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let shape = kept_leaves(raw, |_, leaf| leaf.ty == Type::Token)?;
    // Data, a counter, and the token.
    let (operands, sharded) = annotated(builder, body, scope, raw, (operands, 2))?;
    let read = |text: &mut InstText<'_, 't>| {
        text.sharded = Some(sharded);
        Ok(Made::of(Op::Token(TokenOp::Send(transfer(text)?))))
    };
    let bound = builder.plain_as(body, scope, raw, &operands, &shape, read)?;
    Ok(Bound { pending: true, ..bound })
}

/// `(data, u32[], token[]) recv(token)`: data and token, which `recv-done` gives.
pub(super) fn recv<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let last = raw.shape.as_ref().map_or(0, |shape| shape.leaves.len().saturating_sub(2));
    let shape = kept_leaves(raw, |i, _| i != last)?;
    let data: Vec<Type> =
        shape.leaves.iter().map(|leaf| leaf.ty.clone()).filter(|ty| *ty != Type::Token).collect();
    // `((a, b), token)` for several tensors, as `recv-done` declares it.
    let form = Form::tuple([Form::of_count(data.len()), Form::Leaf]);
    let sharded = Sharded { parts: last + 2, own: (0..last).chain([last + 1]).collect() };
    let read = |text: &mut InstText<'_, 't>| {
        text.sharded = Some(sharded);
        Ok(Made::of(Op::Token(TokenOp::Recv { transfer: transfer(text)?, results: data.clone() })))
    };
    let bound = builder.plain_as(body, scope, raw, operands, &shape, read)?;
    Ok(Bound { pending: true, form, ..bound })
}

/// `add-dependency(x, token)`: a barrier that lets nothing of `x` be used before the token.
pub(super) fn add_dependency<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let [value, token] = operands else {
        let message = format!("`add-dependency` takes a value and a token, but {} are given", operands.len());
        return Err(fault(codes::WRONG_TYPE, raw.opcode.span(), message).into());
    };
    if body.types(token) != [Type::Token] {
        let message = "the second operand of `add-dependency` must be a token";
        return Err(fault(codes::WRONG_TYPE, raw.args.span(), message).into());
    }
    let kept = value.form.leaves();
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let leaves = values.iter().map(|value| Leaf { ty: body.func.ty(*value).clone(), layout: None }).collect();
    let shape = HloShape { form: Form::tuple(operands.iter().map(|operand| operand.form.clone())), leaves };
    let read = |_: &mut InstText<'_, 't>| Ok(Made::of(Op::OptimizationBarrier));
    let bound = builder.plain_as(body, scope, raw, operands, &shape, read)?;
    Ok(Bound { form: value.form.clone(), at: bound.at.start..bound.at.start + kept, pending: false })
}

pub(super) fn print(op: &TokenOp, line: &mut Line<'_, '_, '_>) {
    match op {
        TokenOp::AfterAll => line.op("after-all").end(),
        TokenOp::Infeed { config, results } => print_infeed(config, results, line),
        TokenOp::Outfeed { config } => print_outfeed(config, line),
        TokenOp::Send(transfer) => print_send(transfer, line),
        TokenOp::Recv { transfer, .. } => print_recv(transfer, line),
    }
}

/// Data and token: the form of what an infeed or a receive gives.
fn data_and_token(results: usize) -> Form {
    Form::tuple([Form::of_count(results.saturating_sub(1)), Form::Leaf])
}

fn print_infeed(config: &str, results: &[Type], line: &mut Line<'_, '_, '_>) {
    line.form = Some(data_and_token(results.len() + 1));
    line.op("infeed");
    if !config.is_empty() {
        line.attr("infeed_config", quote(config));
    }
}

fn print_outfeed(config: &str, line: &mut Line<'_, '_, '_>) {
    let Some((token, data)) = line.inst.operands.split_last() else { return };
    let name = line.comp.bundle(data);
    let shape = line.comp.shape(&Form::of_count(data.len()), data);
    line.args = Some(format!("%{name}, %{}", line.comp.name(*token)));
    line.op("outfeed").attr("outfeed_shape", shape);
    if !config.is_empty() {
        line.attr("outfeed_config", quote(config));
    }
}

fn transfer_attrs(transfer: &TransferAttrs) -> String {
    let host = if transfer.is_host_transfer { ", is_host_transfer=true" } else { "" };
    format!(", channel_id={}{host}", transfer.channel)
}

/// What only the start says, and what start and done both carry.
fn start_attrs(transfer: &TransferAttrs, line: &Line<'_, '_, '_>) -> String {
    let mut out = transfer_attrs(transfer);
    if !transfer.source_target_pairs.is_empty() {
        out += &format!(", source_target_pairs={}", print_pairs(&transfer.source_target_pairs));
    }
    out + &crate::hlo::printer::kept_attrs(&line.inst.attrs)
}

/// A start before, the done as the instruction itself.
fn print_send(transfer: &TransferAttrs, line: &mut Line<'_, '_, '_>) {
    let Some((token, data)) = line.inst.operands.split_last() else { return };
    let name = line.comp.bundle(data);
    let shape = format!("({}, u32[], token[])", line.comp.shape(&Form::of_count(data.len()), data));
    let rest = format!("send(%{name}, %{}){}", line.comp.name(*token), start_attrs(transfer, line));
    let start = line.comp.extra("send", &shape, &rest);
    line.args = Some(format!("%{start}"));
    line.op("send-done").attrs.push_str(&transfer_attrs(transfer));
}

fn print_recv(transfer: &TransferAttrs, line: &mut Line<'_, '_, '_>) {
    let Some((_, data)) = line.inst.results.split_last() else { return };
    let shape = format!("({}, u32[], token[])", line.comp.shape(&Form::of_count(data.len()), data));
    let operands = line.comp.operand_list(&line.inst.operands);
    let rest = format!("recv({operands}){}", start_attrs(transfer, line));
    let start = line.comp.extra("recv", &shape, &rest);
    line.args = Some(format!("%{start}"));
    line.form = Some(data_and_token(line.inst.results.len()));
    line.op("recv-done").attrs.push_str(&transfer_attrs(transfer));
}
