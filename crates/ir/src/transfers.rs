//! A send and the receive of its channel, between devices, as the one permute that they are.
//!
//! ```text
//! %s = send %x, %t   channel 3, pairs {{0,1}}             %y = collective_permute %x, pairs {{0,1}}
//! %y, %r = recv %s   channel 3, pairs {{0,1}}      =>
//! ```
//!
//! All devices run one program, so where it sends and then receives on a channel, with the same pairs, nobody needs to
//! wait for what stands between. A device that no pair names as a target gets zeros, as from a permute. Transfers that
//! have no partner in their block, or one that comes first, stay as they are.

use crate::edit::{At, Editor};
use crate::module::{Function, InstId, Module, ValueId};
use crate::op::collective::{Channel, Collective, CollectiveKind, Groups};
use crate::op::{Op, TokenOp, TransferAttrs};
use crate::types::Type;
use meshwright_base::arrange::map;
use std::collections::BTreeMap;

/// The module with each such pair joined, if it has any.
pub fn join_transfers(module: &Module) -> Option<Module> {
    if module.funcs.values().all(|func| pairs(func).is_empty()) {
        return None;
    }
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        for (send, receive) in pairs(func) {
            join(func, send, receive);
        }
    }
    Some(module)
}

/// Sends with the receives that belong to them.
fn pairs(func: &Function) -> Vec<(InstId, InstId)> {
    let mut found = Vec::new();
    for block in func.blocks_in_order() {
        let mut sent: BTreeMap<i64, InstId> = BTreeMap::new();
        for inst in &func.block(block).insts {
            match &func.inst(*inst).op {
                Op::Token(TokenOp::Send(transfer)) if is_between_devices(transfer) => {
                    sent.insert(transfer.channel, *inst);
                }
                Op::Token(TokenOp::Recv { transfer, .. }) if is_between_devices(transfer) => {
                    let send = sent.remove(&transfer.channel).filter(|send| fits(func, *send, *inst));
                    found.extend(send.map(|send| (send, *inst)));
                }
                _ => {}
            }
        }
    }
    found
}

fn is_between_devices(transfer: &TransferAttrs) -> bool {
    !transfer.is_host_transfer && !transfer.source_target_pairs.is_empty()
}

/// The same pairs and types.
fn fits(func: &Function, send: InstId, receive: InstId) -> bool {
    let (sent, received) = (func.inst(send), func.inst(receive));
    let (Op::Token(TokenOp::Send(a)), Op::Token(TokenOp::Recv { transfer: b, results })) =
        (&sent.op, &received.op)
    else {
        return false;
    };
    let data: Vec<&Type> = data(&sent.operands).iter().map(|value| func.ty(*value)).collect();
    a.source_target_pairs == b.source_target_pairs && data == results.iter().collect::<Vec<_>>()
}

/// Values without the token behind them.
fn data(values: &[ValueId]) -> &[ValueId] {
    values.split_last().map_or(&[], |(_, data)| data)
}

fn join(func: &mut Function, send: InstId, receive: InstId) {
    let sent = func.inst(send).clone();
    // The receive's token may be the send's, so that goes first.
    forward(func, &sent.results, sent.operands.last().copied().into_iter().collect());
    let received = func.inst(receive).clone();
    let Op::Token(TokenOp::Recv { transfer, results }) = received.op else { return };
    let channel = Channel { id: Some(transfer.channel), kind: 1, use_global_device_ids: false };
    let kind = CollectiveKind::Permute { pairs: transfer.source_target_pairs };
    let op = Op::Collective(Collective { kind, groups: Groups::All, group_size: 1, channel, wide: None });
    let mut editor = Editor::new(func);
    let operands = data(&sent.operands).to_vec();
    let made = editor.push_typed(At::Before(receive), op, operands, Vec::new(), results, received.source);
    let mut given = editor.func().inst(made).results.clone();
    given.extend(received.operands.last());
    forward(func, &received.results, given);
    let mut editor = Editor::new(func);
    editor.unlink(send);
    editor.unlink(receive);
}

/// Whoever used the old values uses the new ones.
fn forward(func: &mut Function, old: &[ValueId], new: Vec<ValueId>) {
    let map: BTreeMap<ValueId, ValueId> = map(old.iter().copied().zip(new));
    Editor::new(func).map_uses(|value| map.get(&value).copied().unwrap_or(value));
}
