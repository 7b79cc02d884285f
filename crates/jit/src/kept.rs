//! What is the same for all elements of a row: computed once, before the row, and kept in a register.
//!
//! ```text
//! for each element:  (x - m) * rsqrt(v + 1e-6)     =>     r = rsqrt(v + 1e-6);  for each element:  (x - m) * r
//! ```
//!
//! Results of ops come first, then operands with one element, then numbers that are known: as many as there are
//! registers for. What has none is computed, or read, for each vector.

use super::{From, Loop};
use crate::op::{Reg, TileOp};
use std::collections::BTreeMap;

/// Ops of a loop, parted.
pub struct Parted {
    /// Once for each row.
    pub before: Vec<TileOp>,
    pub within: Vec<TileOp>,
    /// What those within use of what is there before.
    pub kept: Vec<Reg>,
}

/// Part the ops of a loop so that at most so many values are kept.
pub fn parted(part: &Loop<'_>, most: usize) -> Parted {
    let all = if most == 0 { None } else { each_its_own(part) };
    let Some(ops) = all else {
        return Parted { before: Vec::new(), within: part.ops.to_vec(), kept: Vec::new() };
    };
    let part = &Loop { ops: &ops, ..*part };
    let mut unwanted: Vec<Reg> = Vec::new();
    loop {
        let same = same(part, &unwanted);
        let used = used(part, &same);
        let once = part.ops.iter().zip(&same).filter(|(_, same)| **same).map(|(op, _)| op.target());
        let mut kept: Vec<Reg> = once.filter(|reg| used.contains(reg)).collect();
        if let Some(last) = kept.get(most) {
            unwanted.push(*last);
            continue;
        }
        kept.extend(operands(part, &used, false).chain(operands(part, &used, true)));
        kept.truncate(most);
        let of = |wanted: bool| {
            let ops = part.ops.iter().zip(&same).filter(move |(_, same)| **same == wanted);
            ops.map(|(op, _)| op.clone()).collect()
        };
        return Parted { before: of(true), within: of(false), kept };
    }
}

/// The ops with a number of its own for each result, as one tile may hold one after the other; `None` if such a tile is
/// stored or folded.
fn each_its_own(part: &Loop<'_>) -> Option<Vec<TileOp>> {
    let regs = part.ops.iter().flat_map(|op| op.sources().into_iter().chain([op.target()]));
    let regs = regs.chain(part.inputs.iter().map(|port| port.reg));
    let mut next = regs.chain(part.outputs.iter().map(|port| port.reg)).max()?;
    let mut now: BTreeMap<Reg, Reg> = part.inputs.iter().map(|port| (port.reg, port.reg)).collect();
    let seen = |reg: Reg| {
        part.outputs.iter().any(|port| port.reg == reg) || part.folds.iter().any(|port| port.reg == reg)
    };
    let mut ops = Vec::with_capacity(part.ops.len());
    for op in part.ops {
        let target = op.target();
        let mut own = target;
        if now.contains_key(&target) {
            next = next.checked_add(1)?;
            own = next;
        }
        if op.sources().contains(&target) || (own != target && seen(target)) {
            return None;
        }
        let name = |reg: Reg| if reg == target { own } else { now.get(&reg).copied().unwrap_or(reg) };
        ops.push(op.renamed(&name));
        now.insert(target, own);
    }
    Some(ops)
}

/// Operands with one element that are used: those that are known, or those that are read.
fn operands<'a>(part: &'a Loop<'_>, used: &'a [Reg], known: bool) -> impl Iterator<Item = Reg> + 'a {
    let inputs = part.inputs.iter().filter(move |port| match port.at {
        From::One => !known,
        From::Known(_) => known,
        From::Memory | From::Tile | From::Count => false,
    });
    inputs.map(|port| port.reg).filter(|reg| used.contains(reg))
}

/// Which ops are the same for all elements, and nothing but operands of others; some are not wanted.
fn same(part: &Loop<'_>, unwanted: &[Reg]) -> Vec<bool> {
    let one = |reg: Reg| {
        let input = part.inputs.iter().find(|port| port.reg == reg);
        input.is_some_and(|port| matches!(port.at, From::One | From::Known(_)))
    };
    let mut found: Vec<bool> = Vec::with_capacity(part.ops.len());
    for op in part.ops {
        let made = |reg: Reg| part.ops.iter().zip(&found).any(|(op, same)| *same && op.target() == reg);
        let inner = !unwanted.contains(&op.target())
            && part.outputs.iter().all(|port| port.reg != op.target())
            && part.folds.iter().all(|port| port.reg != op.target());
        found.push(inner && op.sources().into_iter().all(|reg| one(reg) || made(reg)));
    }
    found
}

/// Operands of the ops that are not the same for all elements.
fn used(part: &Loop<'_>, same: &[bool]) -> Vec<Reg> {
    let within = part.ops.iter().zip(same).filter(|(_, same)| !**same);
    within.flat_map(|(op, _)| op.sources()).collect()
}
