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

use super::{Lives, bytes, is_whole};
use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_kernels::fused::{Input, Source};
use meshwright_kernels::step::{BufId, Step};

impl Lives {
    /// Make values of bodies in the place of carries.
    pub(super) fn carry(&mut self, lowered: &mut Lowered) {
        if lowered.loops.is_empty() {
            return;
        }
        let mut uses = uses(lowered);
        let edges = edges(lowered);
        for at in 0..lowered.loops.len() {
            let (first, last) = lowered.loops[at];
            for end in first..=last {
                let Step::Copy(copy) = &lowered.steps[end] else { continue };
                let (from, to) = (self.root(copy.from), self.root(copy.to));
                if !copy.whole || from == to || !self.is_carried(lowered, (from, to), first) {
                    continue;
                }
                let Some(begin) = begin(lowered, &uses, (from, to), (first, end), &edges) else { continue };
                for step in [begin, end] {
                    let whole = matches!(&lowered.steps[step], Step::Copy(copy) if copy.whole);
                    if whole && self.copies(lowered, step, from, to) {
                        lowered.steps[step] = Step::Nothing;
                    }
                }
                self.same[from] = to;
                let more = std::mem::take(&mut uses[from]);
                uses[to].extend(more);
                uses[to].arrange();
                uses[to].dedup();
            }
        }
    }

    /// Whether a copy is between these two, either way.
    fn copies(&self, lowered: &Lowered, step: usize, a: BufId, b: BufId) -> bool {
        let Step::Copy(copy) = &lowered.steps[step] else { return false };
        let ends = (self.root(copy.from), self.root(copy.to));
        ends == (a, b) || ends == (b, a)
    }

    /// Whether the second is there before the loop begins, and both can be one.
    fn is_carried(&self, lowered: &Lowered, (from, to): (BufId, BufId), first: usize) -> bool {
        self.kind[from] == Kind::Arena
            && matches!(self.kind[to], Kind::Arena | Kind::Result(_))
            && self.first[to] < first
            && bytes(lowered, from) == bytes(lowered, to)
    }
}

/// The steps that touch each buffer, or a part of it, ascending.
fn uses(lowered: &Lowered) -> IdMap<BufId, Vec<usize>> {
    let mut uses: IdMap<BufId, Vec<usize>> = IdMap::filled(lowered.bufs.len(), Vec::new());
    for (at, step) in lowered.steps.iter().enumerate() {
        for buf in step.reads().into_iter().chain(step.writes()) {
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
    if let Kind::Alias(of) = lowered.bufs[part].kind { Some(of) } else { None }
}

/// Jumps: from and to.
fn edges(lowered: &mut Lowered) -> Vec<(usize, usize)> {
    let steps = lowered.steps.iter_mut().enumerate();
    steps
        .flat_map(|(at, step)| step.targets_mut().into_iter().map(|to| (at, *to)).collect::<Vec<_>>())
        .collect()
}

/// The step in which `from` begins, if from there to `end` it may lie where `to` does.
fn begin(
    lowered: &Lowered,
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
    (fits && (!reads_old || keeps_pace(lowered, begin, from, to))).then_some(begin)
}

/// Whether a step reads each element of `old` before it writes the same element of `new`, and no other one later.
fn keeps_pace(lowered: &Lowered, at: usize, new: BufId, old: BufId) -> bool {
    let in_old =
        |buf: BufId| std::iter::successors(Some(buf), |buf| whole_of(lowered, *buf)).any(|buf| buf == old);
    match &lowered.steps[at] {
        Step::Copy(copy) => copy.whole && copy.from == old && copy.to == new,
        Step::Fused(fused) => {
            let reads = |input: &&Input| matches!(&input.source, Source::View { buf, .. } if in_old(*buf));
            let mut read = fused.inputs.iter().filter(reads);
            let (Some(input), None) = (read.next(), read.next()) else { return false };
            let written = fused.outputs.iter().find(|output| output.buf == new && output.runs.is_none());
            let alike = written.is_some_and(|output| output.dtype.bytes() == input.dtype.bytes());
            let reads_old = matches!(&input.source, Source::View { buf, .. } if *buf == old);
            alike && reads_old && is_whole(input, fused.count)
        }
        _ => false,
    }
}
