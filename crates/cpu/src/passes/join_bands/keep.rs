//! An exponential, or another function that takes long, that two loops of a band compute is kept for the second one.

use crate::lower::{BufInfo, Kind};
use crate::passes::keep_needed;
use meshwright_base::IdMap;
use meshwright_ir::op::UnaryOp;
use meshwright_kernels::bands::Member;
use meshwright_kernels::fused::{Fused, Input, Output, Source};
use meshwright_kernels::step::BufId;
use meshwright_kernels::tile::{Reg, TileOp};
use std::collections::BTreeMap;

/// Let each loop read what one before it computed as well.
pub fn keep_values(members: &mut [Member], bufs: &mut IdMap<BufId, BufInfo>) {
    for at in 1..members.len() {
        let (first, rest) = members.split_at_mut(at);
        if let Some(member) = rest.first_mut() {
            keep_for(first, member, bufs);
        }
    }
}

/// Whether a value is better read from the cache than computed again.
fn takes_long(op: &TileOp) -> bool {
    matches!(
        op,
        TileOp::Unary {
            op: UnaryOp::Exponential | UnaryOp::Tanh | UnaryOp::Logistic | UnaryOp::Log | UnaryOp::Rsqrt,
            ..
        }
    )
}

/// What a loop computes that a loop before it computed as well is read from there.
fn keep_for(before: &mut [Member], member: &mut Member, bufs: &mut IdMap<BufId, BufInfo>) {
    let per_row = member.per_row;
    let Some(fused) = member.as_loop_mut() else { return };
    for maker in before.iter_mut().filter(|maker| maker.per_row == per_row) {
        let Some(maker) = maker.as_loop_mut() else { continue };
        let known = equal_values(maker, fused);
        let kept: Vec<(usize, Reg, Reg)> = fused
            .ops
            .iter()
            .enumerate()
            .filter(|(_, op)| takes_long(op) && !stores(fused, op.target()))
            .filter_map(|(at, op)| Some((at, op.target(), *known.get(&op.target())?)))
            .collect();
        for (at, reg, made) in kept.into_iter().rev() {
            let buf = stored(maker, made, bufs);
            let (dims, strides) = (vec![fused.count], vec![1]);
            let source = Source::View { buf, dims, strides, offset: 0 };
            fused.ops.remove(at);
            fused.inputs.push(Input { reg, dtype: fused.regs[reg as usize], source });
        }
        keep_needed(fused);
    }
}

/// Whether a loop stores one of its values: then it computes it, as an operand cannot be a result too.
fn stores(fused: &Fused, reg: Reg) -> bool {
    fused.outputs.iter().any(|output| output.reg == reg)
}

/// The buffer where a loop stores one of its values.
fn stored(fused: &mut Fused, reg: Reg, bufs: &mut IdMap<BufId, BufInfo>) -> BufId {
    if let Some(output) = fused.outputs.iter().find(|output| output.reg == reg) {
        return output.buf;
    }
    let dtype = fused.regs[reg as usize];
    let (bytes, name) = (fused.count * dtype.bytes(), format!("fused {dtype}[{}]", fused.count));
    let buf = bufs.push(BufInfo { bytes, kind: Kind::Arena, name });
    fused.outputs.push(Output { reg, dtype, buf, runs: None, alone: false });
    buf
}

/// Values of the second loop that the first one has too.
fn equal_values(maker: &Fused, user: &Fused) -> BTreeMap<Reg, Reg> {
    let mut known: BTreeMap<Reg, Reg> = BTreeMap::new();
    for input in &user.inputs {
        let same = maker.inputs.iter().find(|own| own.source == input.source && own.dtype == input.dtype);
        known.extend(same.map(|own| (input.reg, own.reg)));
    }
    for op in &user.ops {
        if !op.sources().iter().all(|reg| known.contains_key(reg)) {
            continue;
        }
        let same = |own: &&TileOp| {
            let name = |reg: Reg| if reg == op.target() { own.target() } else { known[&reg] };
            op.renamed(&name) == **own
        };
        let same = maker.ops.iter().find(same).map(TileOp::target);
        known.extend(same.map(|own| (op.target(), own)));
    }
    known
}
