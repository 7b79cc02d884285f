//! Whether the lives that a plan declares are long enough, and kept apart.
//!
//! ```text
//! %2 = arena, 256 bytes, at 0, alive 0 to 3      its bytes are its own from place 0 of the flat list to place 3
//! ```
//!
//! A parameter, a result and a constant live from the start to the end; a buffer of the arena lives as long as the plan
//! declares. What must hold:
//!
//! 1. A buffer of the arena that anything touches has a declared life.
//! 2. It is touched only within that, and its value is needed only within that: on no way from a place outside is it
//!    read before it is written anew.
//! 3. Two buffers whose lives have a place in common have no byte in common.
//!
//! What a value is needed for is found here by one walk backwards along all jumps, until nothing changes. Who declares
//! lives takes the ends of loops instead, so neither repeats the other's mistakes. [`crate::check()`] knows no lives.

use crate::body::{Effects, Kind, StepId, Steps};
use crate::check::{Fault, PlacedAt, Places};
use crate::flow::Pieces;
use crate::line::{Life, Line, Point};
use crate::region::{BufId, Mode};
use meshwright_base::{Id, IdMap};
use std::collections::{BTreeMap, BTreeSet};

struct Needs<'a, W> {
    steps: &'a Steps<W>,
    line: &'a Line,
    places: &'a Places,
    /// Where a buffer is touched first, by its own name: what is written piece by piece begins there.
    first: BTreeMap<BufId, usize>,
}

/// What is wrong with the lives that a plan declares; nothing, if it declares none.
pub fn lives<W: Effects>(steps: &Steps<W>, line: &Line, places: &Places) -> Vec<Fault> {
    if places.lives.values().all(Option::is_none) {
        return Vec::new();
    }
    let mut needs = Needs { steps, line, places, first: BTreeMap::new() };
    needs.find_first();
    let mut faults = needs.too_short();
    faults.extend(needs.shared());
    faults
}

impl<W: Effects> Needs<'_, W> {
    /// The buffer whose place it has, if that is in the arena.
    fn root(&self, buf: BufId) -> Option<BufId> {
        let root = self.steps.shared.root(self.steps.memory_of(buf));
        matches!(self.places.of[root], PlacedAt::Arena(_)).then_some(root)
    }

    /// What a step touches of the arena.
    fn touched(&self, at: usize, mode: Option<Mode>) -> Vec<BufId> {
        let point = &self.line.points[at];
        let accesses = point.step().map(|step| self.steps.work(*step).accesses()).unwrap_or_default();
        let touched = accesses.into_iter().filter(|access| mode.is_none_or(|mode| access.mode == mode));
        let test = point.test().filter(|_| mode != Some(Mode::Write));
        touched.map(|access| access.region.buf).chain(test).filter_map(|buf| self.root(buf)).collect()
    }

    fn find_first(&mut self) {
        for (at, point) in self.line.points.iter().enumerate() {
            let accesses = point.step().map(|step| self.steps.work(*step).accesses()).unwrap_or_default();
            let touched = accesses.into_iter().map(|access| access.region.buf);
            for buf in touched.chain(point.test()) {
                self.first.entry(buf).or_insert(at);
            }
        }
    }

    /// What a step writes anew, whatever was there.
    fn begun(&self, at: usize, step: StepId) -> Vec<BufId> {
        let work = self.steps.work(step);
        let accesses = work.accesses();
        let writes = accesses.iter().filter(|access| access.mode == Mode::Write).map(|access| &access.region);
        let own = writes.filter(|region| !matches!(self.steps.bufs[region.buf].kind, Kind::PartOf(_)));
        let anew = own.filter(|region| {
            region.extent.is_all(self.steps.bufs[region.buf].bytes)
                || self.first.get(&region.buf) == Some(&at)
        });
        anew.filter_map(|region| self.root(region.buf)).collect()
    }

    /// From what is needed behind a place to what is needed before it.
    fn back(&self, at: usize, needed: &mut BTreeSet<BufId>) {
        let step = self.line.points[at].step().copied();
        if step.is_some_and(|step| self.steps.work(step).renames().is_some()) {
            // Nothing runs: the value goes on where it is.
            return;
        }
        let begun = step.map(|step| self.begun(at, step)).unwrap_or_default();
        needed.retain(|root| !begun.contains(root));
        needed.extend(self.touched(at, Some(Mode::Read)));
    }

    /// What is needed where each piece of the list begins.
    fn at_pieces(&self, pieces: &Pieces<'_>) -> BTreeMap<usize, BTreeSet<BufId>> {
        let mut needed: BTreeMap<usize, BTreeSet<BufId>> = BTreeMap::new();
        loop {
            let before = needed.clone();
            for first in pieces.starts().rev() {
                let piece = pieces.from(first);
                let mut here = behind(pieces, &piece, &needed);
                piece.rev().for_each(|at| self.back(at, &mut here));
                needed.insert(first, here);
            }
            if needed == before {
                return needed;
            }
        }
    }

    /// Places where a buffer is touched or its value needed, and that its life does not have; one for each buffer.
    fn too_short(&self) -> Vec<Fault> {
        let pieces = Pieces::of(self.line);
        let at_pieces = self.at_pieces(&pieces);
        let mut faults: BTreeMap<BufId, Fault> = BTreeMap::new();
        for first in pieces.starts().rev() {
            let piece = pieces.from(first);
            let mut needed = behind(&pieces, &piece, &at_pieces);
            for at in piece.rev() {
                self.back(at, &mut needed);
                let here = needed.iter().copied().chain(self.touched(at, None));
                for root in here.filter(|root| !self.places.lives[*root].is_some_and(|life| life.has(at))) {
                    faults.insert(root, self.fault(at, self.needs(root)));
                }
            }
        }
        faults.into_values().collect()
    }

    fn needs(&self, root: BufId) -> String {
        let shown = self.show(root);
        match self.places.lives[root] {
            Some(Life { first, last }) => {
                format!("needs {shown}, whose declared life is from {first} to {last}")
            }
            None => format!("needs {shown}, which has no declared life"),
        }
    }

    /// Buffers that are alive together and have bytes in common.
    fn shared(&self) -> Vec<Fault> {
        let roots = self.steps.bufs.keys().filter(|buf| self.steps.shared.root(*buf) == *buf);
        let mut all: Vec<(usize, usize, BufId, Life)> = roots
            .filter_map(|buf| match (self.places.of[buf], self.places.lives[buf]) {
                (PlacedAt::Arena(at), Some(life)) if self.steps.bufs[buf].bytes > 0 => {
                    Some((at, at + self.steps.bufs[buf].bytes, buf, life))
                }
                _ => None,
            })
            .collect();
        all.sort_by_key(|(from, to, buf, _)| (*from, *to, *buf));
        let (mut open, mut faults): (Vec<(usize, BufId, Life)>, Vec<Fault>) = (Vec::new(), Vec::new());
        for (from, to, buf, life) in all {
            open.retain(|(end, ..)| *end > from);
            for (end, other, its) in open.iter().filter(|(.., its)| its.meets(life)) {
                let (shown, also, end) = (self.show(buf), self.show(*other), to.min(*end));
                let message = format!(
                    "{also} and {shown} are both alive here and share bytes {from}..{end} of the arena"
                );
                faults.push(self.fault(life.first.max(its.first), message));
            }
            open.push((to, buf, life));
        }
        faults
    }

    fn show(&self, buf: BufId) -> String {
        format!("%{} ({})", buf.index(), self.steps.bufs[buf].name)
    }

    fn fault(&self, at: usize, message: String) -> Fault {
        let step = self.line.points.get(at).and_then(Point::step);
        let step = step.map_or("control".to_string(), |step| self.steps.arena[*step].name.clone());
        Fault { at, step, message }
    }
}

/// What any way behind a piece needs.
fn behind(
    pieces: &Pieces<'_>,
    piece: &std::ops::Range<usize>,
    needed: &BTreeMap<usize, BTreeSet<BufId>>,
) -> BTreeSet<BufId> {
    pieces.behind(piece).iter().filter_map(|next| needed.get(next)).flatten().copied().collect()
}

/// No buffer has a declared life.
pub fn undeclared<W>(steps: &Steps<W>) -> IdMap<BufId, Option<Life>> {
    IdMap::filled(steps.bufs.len(), None)
}
