//! What is made of a value that dies there is made in its place.
//!
//! ```text
//! %b = copy %a;  %b[i] = ..           =>        %b is %a;  %b[i] = ..
//! %c = loop of %a (read no more)      =>        %c = loop of %a, in the bytes of %a
//! ```
//!
//! A value dies at a step if its life ends there. Copies may be left out always, loops may write over what they read
//! element by element. Parameters that were given away go first into results. One walk over the steps.

use super::lives::Lives;
use crate::lower::{Kind, Lowered};
use meshwright_base::arrange::Arrange;
use meshwright_kernels::fused::{Fused, Input, Source};
use meshwright_kernels::step::{BufId, Step};
use meshwright_steps::StepId;

/// Copies of dying values need not be made; elementwise results take the place of a dying operand.
pub fn in_place(lowered: &mut Lowered) {
    let mut lives = Lives::of(lowered);
    for at in 0..lives.line.points.len() {
        let Some(id) = lives.id(at) else { continue };
        match lowered.steps.work(id) {
            Step::Copy(copy) if copy.whole && lives.follows(lowered, copy.from, copy.to, at) => {
                let (from, to) = (copy.from, copy.to);
                lives.join(lowered, from, to);
                *lowered.steps.work_mut(id) = Step::Rename { from, to };
            }
            Step::Fused(_) | Step::Band(_) => lives.loops_in_place(lowered, id, at),
            _ => {}
        }
    }
}

impl Lives {
    /// Whether `to` may live on in the buffer of `from`, which dies at step `at` where `to` begins.
    fn follows(&self, lowered: &Lowered, from: BufId, to: BufId, at: usize) -> bool {
        let (from, to) = (lowered.steps.shared.root(from), lowered.steps.shared.root(to));
        let kinds = match (lowered.kind(from), lowered.kind(to)) {
            (Kind::Arena, Kind::Arena | Kind::Result(_)) => true,
            (Kind::Input(param), Kind::Arena | Kind::Result(_)) => lowered.may_write(param),
            _ => false,
        };
        kinds
            && from != to
            && self.used[from]
            && self.used[to]
            && self.last[from] == at
            && self.first[to] == at
            && lowered.bytes(from) == lowered.bytes(to)
    }

    fn join(&mut self, lowered: &mut Lowered, from: BufId, to: BufId) {
        let (from, to) = (lowered.steps.shared.root(from), lowered.steps.shared.root(to));
        // A donated parameter keeps its name; the result found in it is noted by the kind of `to`.
        let (keep, drop) = match lowered.kind(from) {
            Kind::Input(_) => (from, to),
            _ => (to, from),
        };
        self.first[keep] = self.first[from];
        self.last[keep] = self.last[to];
        lowered.steps.shared.put(drop, keep);
    }

    fn loops_in_place(&mut self, lowered: &mut Lowered, id: StepId, at: usize) {
        for place in 0..lowered.steps.work(id).loops().len() {
            let loops = lowered.steps.work(id).loops();
            for (from, to) in self.pairs(lowered, &loops[..=place], at) {
                let step = lowered.steps.work(id);
                let loops = step.loops();
                let others = loops.iter().enumerate().filter(|(other, _)| *other != place);
                let free = |(other, fused): (usize, &&Fused)| {
                    let mut reads = fused.inputs.iter().filter(|input| reads_from(lowered, input, from));
                    reads.all(|input| other < place && input.is_whole(fused.count))
                };
                let free = others.into_iter().all(free) && !multiplies(lowered, step, from);
                if free && self.follows(lowered, from, to, at) {
                    self.join(lowered, from, to);
                }
            }
        }
    }

    /// Pairs of an operand and a result of the last of these loops that walk the same way; donated parameters first.
    /// The loops before it are done with the rows it is at: what only they read may go as well.
    fn pairs(&self, lowered: &Lowered, loops: &[&Fused], at: usize) -> Vec<(BufId, BufId)> {
        let Some((fused, before)) = loops.split_last() else { return Vec::new() };
        let root = |buf: BufId| lowered.steps.shared.root(buf);
        let read: Vec<BufId> = fused.reads().into_iter().map(root).collect();
        let own = fused.inputs.iter().map(|input| (input, 1));
        let alike = before.iter().filter(|other| other.count == fused.count);
        let others = alike.flat_map(|other| &other.inputs).map(|input| (input, 0));
        let mut pairs = Vec::new();
        for (input, wanted) in own.chain(others) {
            let Source::View { buf, .. } = &input.source else { continue };
            let uses = read.iter().filter(|other| **other == root(*buf)).count();
            if !input.is_whole(fused.count) || uses != wanted {
                continue;
            }
            for output in fused.outputs.iter().filter(|output| output.runs.is_none()) {
                let fits = output.dtype.bytes() == input.dtype.bytes();
                if fits && self.follows(lowered, *buf, output.buf, at) {
                    pairs.push((*buf, output.buf));
                }
            }
        }
        let is_param = |buf: BufId| matches!(lowered.kind(root(buf)), Kind::Input(_));
        let is_result = |buf: BufId| matches!(lowered.kind(root(buf)), Kind::Result(_));
        pairs.arrange_by_key(|(from, to)| match (is_param(*from), is_result(*to)) {
            (true, true) => 0,
            (false, false) => 1,
            _ => 2,
        });
        pairs
    }
}

/// Whether a product of a band reads a value, of whatever rows.
fn multiplies(lowered: &Lowered, step: &Step, buf: BufId) -> bool {
    let Step::Band(band) = step else { return false };
    let mut operands = band.products().flat_map(|product| [product.dot().lhs.buf, product.dot().rhs.buf]);
    operands.any(|operand| lowered.steps.shared.root(operand) == lowered.steps.shared.root(buf))
}

fn reads_from(lowered: &Lowered, input: &Input, buf: BufId) -> bool {
    matches!(&input.source, Source::View { buf: own, .. } if lowered.steps.shared.root(*own) == lowered.steps.shared.root(buf))
}
