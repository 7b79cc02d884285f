//! Loops over one element a row become a part of the loops that read what they make.
//!
//! ```text
//! loop over rows: n = bf16(m);  loop: exp(x - n)        =>        loop: n = bf16(m), once for a row; exp(x - n)
//! ```
//!
//! Code computes what is the same for a row before the row (`kept.rs` of `jit`). Loops that take turns are at one or
//! two long rows at a time, and to enter a loop for so few numbers takes longer than to compute them wherever they are
//! read.

use crate::passes::keep_needed;
use meshwright_kernels::bands::Member;
use meshwright_kernels::fused::{Fused, Input, Source};
use meshwright_kernels::step::BufId;
use meshwright_kernels::tile::Reg;

/// Elements of the shortest rows for which this is done: of shorter ones, many belong to a turn.
const LONG: usize = if cfg!(test) { 64 } else { 512 };
/// Ops of such a loop at most.
const OPS: usize = 8;
/// Values of a loop with what it takes in, at most.
const VALUES: usize = 24;

/// Let loops over whole rows compute what loops over their elements leave for them; `own`: whether only the band uses a
/// value, which then need not be stored.
pub fn move_within(members: &mut Vec<Member>, row: usize, own: &dyn Fn(BufId) -> bool) {
    if row < LONG {
        return;
    }
    for at in 1..members.len() {
        let (first, rest) = members.split_at_mut(at);
        let Some(small) = first.last().and_then(as_small) else { continue };
        let whole = rest.iter_mut().filter(|member| member.per_row == row);
        whole.filter_map(Member::as_loop_mut).for_each(|fused| take_in(fused, small, row));
    }
    drop_unread(members, own);
}

/// A loop over one element a row that others may take in.
fn as_small(member: &Member) -> Option<&Fused> {
    let fused = member.as_loop().filter(|_| member.per_row == 1)?;
    let plain = fused.inputs.iter().all(|input| match &input.source {
        Source::View { dims, strides, offset, .. } => {
            dims[..] == [fused.count] && strides[..] == [1] && *offset == 0 && input.dtype.bytes() > 1
        }
        Source::Splat(_) => true,
        Source::Iota { .. } => false,
    });
    (plain && fused.sinks.is_empty() && fused.ops.len() <= OPS).then_some(fused)
}

/// What an operand is of another loop's results, if it is one, for each row.
fn result_of(input: &Input, small: &Fused, row: usize) -> Option<Reg> {
    let Source::View { buf, dims, strides, offset: 0 } = &input.source else { return None };
    let by_rows = dims[..] == [small.count, row] && strides[..] == [1, 0];
    let output = small.outputs.iter().find(|output| by_rows && output.buf == *buf);
    output.map(|output| output.reg)
}

/// Let a loop compute what it reads of a loop over an element for each of its rows.
fn take_in(fused: &mut Fused, small: &Fused, row: usize) {
    let first = fused.regs.len() as Reg;
    let results = fused.inputs.iter().filter_map(|input| Some((input.reg, result_of(input, small, row)?)));
    let results: Vec<(Reg, Reg)> = results.collect();
    if results.is_empty() || fused.regs.len() + small.regs.len() > VALUES {
        return;
    }
    let named = |reg: Reg| results.iter().find(|(own, _)| *own == reg).map_or(reg, |(_, made)| first + made);
    fused.inputs.retain(|input| named(input.reg) == input.reg);
    fused.inputs.extend(small.inputs.iter().map(|input| Input {
        reg: first + input.reg,
        dtype: input.dtype,
        source: by_rows(&input.source, row),
    }));
    let own = fused.ops.iter().map(|op| op.renamed(&named));
    fused.ops = small.ops.iter().map(|op| op.renamed(&|reg| first + reg)).chain(own).collect();
    fused.outputs.iter_mut().for_each(|output| output.reg = named(output.reg));
    fused.sinks.iter_mut().for_each(|sink| sink.reg = named(sink.reg));
    fused.regs.extend(&small.regs);
    keep_needed(fused);
}

/// An operand with one element a row as one with that element everywhere in the row.
fn by_rows(source: &Source, row: usize) -> Source {
    match source {
        Source::View { buf, dims, offset, .. } => {
            let dims = dims.iter().copied().chain([row]).collect();
            Source::View { buf: *buf, dims, strides: vec![1, 0], offset: *offset }
        }
        other => other.clone(),
    }
}

/// Drop what loops over one element a row store for nobody.
fn drop_unread(members: &mut Vec<Member>, own: &dyn Fn(BufId) -> bool) {
    let read: Vec<BufId> = members.iter().flat_map(Member::reads).collect();
    for member in members.iter_mut().filter(|member| member.per_row == 1) {
        let Some(fused) = member.as_loop_mut() else { continue };
        fused.outputs.retain(|output| read.contains(&output.buf) || !own(output.buf));
        keep_needed(fused);
    }
    members.retain(|member| !member.writes().is_empty());
}
