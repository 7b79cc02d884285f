//! Ops ordered by tokens: after_all, infeed, outfeed, send, recv.

use super::collective::{device_pairs, handle_prop, pairs_prop};
use super::flag;
use crate::codes;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_ir::op::{TokenOp, TransferAttrs};
use meshwright_ir::{Op, Type};

/// `create_token` joins no tokens.
pub fn after_all<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let tokens = draft.operands.iter().all(|value| *p.func.ty(*value) == Type::Token);
    if !tokens {
        return Err(p.fail(codes::WRONG_TYPE, draft.at, format!("{} takes tokens only", draft.name)));
    }
    Ok(Op::Token(TokenOp::AfterAll))
}

pub fn infeed<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let config = p.opt_string(draft, "infeed_config")?.unwrap_or_default().into_owned();
    Ok(Op::Token(TokenOp::Infeed { config, results: data_types(p, draft)? }))
}

pub fn outfeed<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let config = p.opt_string(draft, "outfeed_config")?.unwrap_or_default().into_owned();
    Ok(Op::Token(TokenOp::Outfeed { config }))
}

pub fn send<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    Ok(Op::Token(TokenOp::Send(transfer(p, draft)?)))
}

pub fn recv<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let transfer = transfer(p, draft)?;
    Ok(Op::Token(TokenOp::Recv { transfer, results: data_types(p, draft)? }))
}

/// All result types but the token at the end.
fn data_types<'a>(p: &mut Parser<'a>, draft: &Draft<'a>) -> Parsed<Vec<Type>> {
    match draft.types.split_last() {
        Some((Type::Token, data)) => Ok(data.to_vec()),
        _ => {
            Err(p.fail(codes::WRONG_TYPE, draft.at, format!("the last result of {} is a token", draft.name)))
        }
    }
}

fn transfer<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<TransferAttrs> {
    let mut fields = p.struct_fields(draft, "channel_handle", "stablehlo.channel_handle")?;
    let (channel, channel_kind) = (p.int(&mut fields, "handle")?, p.int(&mut fields, "type")?);
    p.no_more_fields(&fields)?;
    let pairs = draft.has("source_target_pairs");
    Ok(TransferAttrs {
        channel,
        channel_kind,
        is_host_transfer: p.flag(draft, "is_host_transfer")?,
        source_target_pairs: if pairs { device_pairs(p, draft)? } else { Vec::new() },
    })
}

pub fn name(op: &TokenOp, operands: usize) -> &'static str {
    match op {
        TokenOp::AfterAll if operands == 0 => "stablehlo.create_token",
        TokenOp::AfterAll => "stablehlo.after_all",
        TokenOp::Infeed { .. } => "stablehlo.infeed",
        TokenOp::Outfeed { .. } => "stablehlo.outfeed",
        TokenOp::Send(_) => "stablehlo.send",
        TokenOp::Recv { .. } => "stablehlo.recv",
    }
}

pub fn props(op: &TokenOp) -> Vec<Prop<'static>> {
    let text = |name, text: &str| Prop::made(name, Tree::Str(text.to_string().into()));
    match op {
        TokenOp::AfterAll => Vec::new(),
        TokenOp::Infeed { config, .. } => vec![text("infeed_config", config)],
        TokenOp::Outfeed { config } => vec![text("outfeed_config", config)],
        TokenOp::Send(transfer) | TokenOp::Recv { transfer, .. } => transfer_props(transfer),
    }
}

fn transfer_props(transfer: &TransferAttrs) -> Vec<Prop<'static>> {
    let mut props = vec![
        handle_prop(transfer.channel, transfer.channel_kind),
        flag("is_host_transfer", transfer.is_host_transfer),
    ];
    if !transfer.source_target_pairs.is_empty() {
        props.push(pairs_prop(&transfer.source_target_pairs));
    }
    props
}
