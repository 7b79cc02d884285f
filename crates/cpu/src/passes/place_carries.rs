//! What a loop's body makes for the next turn is made where the carry lies, if nothing needs the old value any more.
//!
//! ```text
//! top:  %t = copy %c;  %t[i] = ..;  %c = copy %t;  jump top        =>        top:  %c[i] = ..;  jump top
//! top:  %t = loop of %c ..;         %c = copy %t;  jump top        =>        top:  %c = loop of %c ..;  jump top
//! ```
//!
//! Without that, a loop that writes one row of an array per turn copies all of the array twice per turn. From the step
//! that begins `%t` to the copy at the end, nobody else may touch the carry or `%t` afterwards, and all steps between
//! run when one does. One walk over the steps for each loop.

use super::lives::Lives;
use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_kernels::fused::{Input, Source};
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::Line;

/// Make values of bodies in the place of carries.
pub fn place_carries(lowered: &mut Lowered) {
    let lives = Lives::of(lowered);
    if lives.line.loops.is_empty() {
        return;
    }
    let mut uses = uses(lowered, &lives.line);
    let edges = edges(&lives.line);
    for (first, last) in &lives.line.loops {
        for end in *first..=*last {
            let Some(Step::Copy(copy)) = lives.step(lowered, end) else { continue };
            let (from, to) = (lowered.steps.shared.root(copy.from), lowered.steps.shared.root(copy.to));
            if !copy.whole || from == to || !is_carried(lowered, &lives, (from, to), *first) {
                continue;
            }
            let Some(begin) = begin(lowered, &lives, &uses, (from, to), (*first, end), &edges) else {
                continue;
            };
            for at in [begin, end] {
                leave_out(lowered, &lives, at, (from, to));
            }
            lowered.steps.shared.put(from, to);
            let more = std::mem::take(&mut uses[from]);
            uses[to].extend(more);
            uses[to].arrange();
            uses[to].dedup();
        }
    }
}

/// A copy between two buffers that are one, either way, need not be made.
fn leave_out(lowered: &mut Lowered, lives: &Lives, at: usize, (a, b): (BufId, BufId)) {
    let Some(id) = lives.id(at) else { return };
    let Step::Copy(copy) = lowered.steps.work(id) else { return };
    let (from, to) = (copy.from, copy.to);
    let ends = (lowered.steps.shared.root(from), lowered.steps.shared.root(to));
    if copy.whole && (ends == (a, b) || ends == (b, a)) {
        *lowered.steps.work_mut(id) = Step::Rename { from, to };
    }
}

/// Whether the second is there before the loop begins, and both can be one.
fn is_carried(lowered: &Lowered, lives: &Lives, (from, to): (BufId, BufId), first: usize) -> bool {
    lowered.kind(from) == Kind::Arena
        && matches!(lowered.kind(to), Kind::Arena | Kind::Result(_))
        && lives.first[to] < first
        && lowered.bytes(from) == lowered.bytes(to)
}

/// The places of the list that touch each buffer, or a part of it, ascending.
fn uses(lowered: &Lowered, line: &Line) -> IdMap<BufId, Vec<usize>> {
    let mut uses: IdMap<BufId, Vec<usize>> = IdMap::filled(lowered.steps.bufs.len(), Vec::new());
    for (at, point) in line.points.iter().enumerate() {
        let touched = point.step().map(|step| lowered.steps.work(*step).accesses()).unwrap_or_default();
        for buf in touched.into_iter().map(|access| access.region.buf).chain(point.test()) {
            let mut seen = Some(buf);
            while let Some(buf) = seen {
                if uses[buf].last() != Some(&at) {
                    uses[buf].push(at);
                }
                seen = whole_of(lowered, buf);
            }
        }
    }
    uses
}

/// What a buffer is a part of.
fn whole_of(lowered: &Lowered, part: BufId) -> Option<BufId> {
    if let Kind::PartOf(of) = lowered.kind(part) { Some(of) } else { None }
}

/// Jumps: from and to.
fn edges(line: &Line) -> Vec<(usize, usize)> {
    let points = line.points.iter().enumerate();
    points.flat_map(|(at, point)| point.targets().iter().map(move |to| (at, *to))).collect()
}

/// The step in which `from` begins, if from there to `end` it may lie where `to` does.
fn begin(
    lowered: &Lowered,
    lives: &Lives,
    uses: &IdMap<BufId, Vec<usize>>,
    (from, to): (BufId, BufId),
    (first, end): (usize, usize),
    edges: &[(usize, usize)],
) -> Option<usize> {
    let (begin, last) = (*uses[from].first()?, *uses[from].last()?);
    let within = |step: usize| begin < step && step <= end;
    let straight = edges.iter().all(|(a, b)| within(*a) == within(*b) || (*a == begin && within(*b)));
    let untouched = uses[to].iter().all(|step| *step <= begin || *step >= end);
    let fits = begin >= first && last == end && straight && untouched;
    let reads_old = uses[to].contains(&begin);
    (fits && (!reads_old || keeps_pace(lowered, lives.step(lowered, begin), from, to))).then_some(begin)
}

/// Whether a step reads each element of `old` before it writes the same element of `new`, and no other one later.
fn keeps_pace(lowered: &Lowered, step: Option<&Step>, new: BufId, old: BufId) -> bool {
    let in_old =
        |buf: BufId| std::iter::successors(Some(buf), |buf| whole_of(lowered, *buf)).any(|buf| buf == old);
    match step {
        Some(Step::Copy(copy)) => copy.whole && copy.from == old && copy.to == new,
        Some(Step::Fused(fused)) => {
            let reads = |input: &&Input| matches!(&input.source, Source::View { buf, .. } if in_old(*buf));
            let mut read = fused.inputs.iter().filter(reads);
            let (Some(input), None) = (read.next(), read.next()) else { return false };
            let written = fused.outputs.iter().find(|output| output.buf == new && output.runs.is_none());
            let alike = written.is_some_and(|output| output.dtype.bytes() == input.dtype.bytes());
            let reads_old = matches!(&input.source, Source::View { buf, .. } if *buf == old);
            alike && reads_old && input.is_whole(fused.count)
        }
        _ => false,
    }
}
