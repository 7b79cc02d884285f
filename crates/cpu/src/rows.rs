//! Neighbouring loops over the same rows become one step.
//!
//! ```text
//! loop: m = max(x)                              rows:  loop: m = max(x)
//! loop: s = sum(exp(x - m))            =>              loop: e = exp(x - m), s = sum(e)
//! loop: y = exp(x - m) / s                             loop: y = e / s
//! ```
//!
//! That is sound where each loop reads, of what loops before it made, only the rows it is at. An exponential (or another
//! function that takes long) that two of the loops compute is kept for the second one.

use crate::finish::keep_needed;
use crate::kernel::fused::{Fused, Input, Output, Source};
use crate::kernel::rows::{Local, Member, RowsStep, fitting};
use crate::lower::{BufInfo, Kind, Lowered};
use crate::step::{BufId, Step};
use crate::tile::{Reg, TileOp};
use meshwright_ground::IdMap;
use meshwright_ir::op::UnaryOp;
use std::collections::{BTreeMap, BTreeSet};

/// Loops of one step at most.
const MOST: usize = 24;

/// The rows that a first loop goes by: how many, and how long.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    row: usize,
}

impl Shape {
    /// Elements that a loop has for each row, if it goes by rows.
    fn per_row(self, fused: &Fused) -> Option<usize> {
        let whole = fused.count == self.rows * self.row && (fused.sinks.is_empty() || fused.row == self.row);
        let one = fused.count == self.rows && fused.sinks.is_empty();
        if whole { Some(self.row) } else { one.then_some(1) }
    }

    /// Whether an operand is read row by row from a value with so many elements a row.
    fn reads_own_rows(self, per_row: usize, source: &Source, value: usize) -> bool {
        let Source::View { dims, strides, offset: 0, .. } = source else { return false };
        match value == per_row {
            true => dims[..] == [self.rows * per_row] && strides[..] == [1],
            false => value == 1 && dims[..] == [self.rows, self.row] && strides[..] == [1, 0],
        }
    }
}

/// Join the loops of a program that go by the same rows.
pub fn join_rows(lowered: &mut Lowered) {
    let mut targets: BTreeSet<usize> =
        lowered.loops.iter().flat_map(|(first, last)| [*first, *last]).collect();
    for step in &mut lowered.steps {
        targets.extend(step.targets_mut().into_iter().map(|target| *target));
    }
    let mut at = 0;
    while at < lowered.steps.len() {
        at = match run_of(&lowered.steps, at, &targets) {
            Some((shape, end)) => {
                join(lowered, shape, at, end);
                end
            }
            None => at + 1,
        };
    }
    drop_locals(lowered);
}

/// The loops from `first` on that go by the same rows: two at least.
fn run_of(steps: &[Step], first: usize, targets: &BTreeSet<usize>) -> Option<(Shape, usize)> {
    let Step::Fused(start) = steps.get(first)? else { return None };
    let shape = Shape { rows: start.count.checked_div(start.row)?, row: start.row };
    if start.sinks.is_empty() || shape.rows < 2 {
        return None;
    }
    let mut made: BTreeMap<BufId, usize> = BTreeMap::new();
    let mut read: BTreeSet<BufId> = BTreeSet::new();
    let (mut at, mut useful) = (first, first);
    while let Some(Step::Fused(fused)) = steps.get(at)
        && let Some(per_row) = shape.per_row(fused)
        && (at == first || !targets.contains(&at))
        && at - first < MOST
    {
        let views = fused.inputs.iter().filter_map(|input| match &input.source {
            Source::View { buf, .. } => Some((*buf, &input.source)),
            Source::Splat(_) | Source::Iota { .. } => None,
        });
        let views: Vec<(BufId, &Source)> = views.collect();
        let own = |(buf, source): &(BufId, &Source)| {
            made.get(buf).is_none_or(|value| shape.reads_own_rows(per_row, source, *value))
        };
        let again = |buf: &BufId| made.contains_key(buf) || read.contains(buf);
        if !views.iter().all(own) || fused.writes().iter().any(again) {
            break;
        }
        if at > first && per_row == shape.row && views.iter().any(|(buf, _)| again(buf)) {
            useful = at;
        }
        read.extend(views.iter().map(|(buf, _)| *buf));
        made.extend(fused.outputs.iter().map(|output| (output.buf, per_row)));
        made.extend(fused.sinks.iter().map(|sink| (sink.buf, 1)));
        at += 1;
    }
    (useful > first).then_some((shape, useful + 1))
}

fn join(lowered: &mut Lowered, shape: Shape, first: usize, end: usize) {
    let mut members = Vec::new();
    for step in &mut lowered.steps[first..end] {
        if let Step::Fused(fused) = std::mem::replace(step, Step::Nothing) {
            let per_row = shape.per_row(&fused).unwrap_or(1);
            members.push(Member { fused, per_row });
        }
    }
    for at in 1..members.len() {
        let (before, rest) = members.split_at_mut(at);
        if let Some(member) = rest.first_mut() {
            keep_for(before, member, &mut lowered.bufs);
        }
    }
    lowered.names[first] = format!("{} loops over {} rows of {}", members.len(), shape.rows, shape.row);
    let (rows, row) = (shape.rows, shape.row);
    lowered.steps[first] = Step::Rows(RowsStep { rows, row, members, locals: Vec::new() });
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
    for maker in before.iter_mut().filter(|maker| maker.per_row == member.per_row) {
        let known = equal_values(&maker.fused, &member.fused);
        let fused = &mut member.fused;
        let kept: Vec<(usize, Reg, Reg)> = fused
            .ops
            .iter()
            .enumerate()
            .filter(|(_, op)| takes_long(op))
            .filter_map(|(at, op)| Some((at, op.target(), *known.get(&op.target())?)))
            .collect();
        for (at, reg, made) in kept.into_iter().rev() {
            let buf = stored(&mut maker.fused, made, bufs);
            let (dims, strides) = (vec![fused.count], vec![1]);
            let source = Source::View { buf, dims, strides, offset: 0 };
            fused.ops.remove(at);
            fused.inputs.push(Input { reg, dtype: fused.regs[reg as usize], source });
        }
        keep_needed(fused);
    }
}

/// The buffer where a loop stores one of its values.
fn stored(fused: &mut Fused, reg: Reg, bufs: &mut IdMap<BufId, BufInfo>) -> BufId {
    if let Some(output) = fused.outputs.iter().find(|output| output.reg == reg) {
        return output.buf;
    }
    let dtype = fused.regs[reg as usize];
    let (bytes, name) = (fused.count * dtype.bytes(), format!("fused {dtype}[{}]", fused.count));
    let buf = bufs.push(BufInfo { bytes, kind: Kind::Arena, name });
    fused.outputs.push(Output { reg, dtype, buf, alone: false });
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

/// Values that only one step uses need no place outside of it.
fn drop_locals(lowered: &mut Lowered) {
    let mut readers: IdMap<BufId, u32> = IdMap::filled(lowered.bufs.len(), 0);
    for step in &lowered.steps {
        let bufs: BTreeSet<BufId> = step.reads().into_iter().collect();
        bufs.into_iter().for_each(|buf| readers[buf] += 1);
    }
    for step in &mut lowered.steps {
        let Step::Rows(rows) = step else { continue };
        let read: BTreeSet<BufId> = rows.reads().into_iter().collect();
        let mut wanted = Vec::new();
        for Member { fused, per_row } in &rows.members {
            let stored = fused.outputs.iter().map(|output| (output.buf, per_row * output.dtype.bytes()));
            let stored = stored.chain(fused.sinks.iter().map(|sink| (sink.buf, 4)));
            wanted.extend(stored.map(|(buf, bytes)| Local { buf, bytes }));
        }
        wanted.retain(|local| {
            let arena = lowered.bufs[local.buf].kind == Kind::Arena;
            arena && read.contains(&local.buf) && readers[local.buf] == 1
        });
        rows.locals = fitting(wanted, rows.row);
    }
}
