//! The flat list in straight pieces, and a walk over them along every jump until nothing changes.

use crate::line::Line;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where straight pieces of a list begin: behind jumps, where they lead, and at the end.
pub(crate) struct Pieces<'a> {
    line: &'a Line,
    begins: Vec<bool>,
}

impl<'a> Pieces<'a> {
    pub fn of(line: &'a Line) -> Pieces<'a> {
        let mut begins = vec![false; line.points.len() + 1];
        for (at, point) in line.points.iter().enumerate() {
            point.targets().iter().for_each(|target| begins[*target] = true);
            begins[at + 1] |= !point.targets().is_empty() || !point.goes_on();
        }
        begins[line.points.len()] = true;
        Pieces { line, begins }
    }

    /// The piece that begins at a place; behind the last one, an empty one.
    pub fn from(&self, first: usize) -> Range<usize> {
        let mut ends = first + 1..self.begins.len();
        first..ends.find(|at| self.begins[*at]).unwrap_or(first)
    }

    /// Where each piece begins, in order; the one behind the list is empty.
    pub fn starts(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.begins.len()).filter(|at| self.begins[*at] || *at == 0)
    }

    /// Where the list goes on behind a piece.
    pub fn behind(&self, piece: &Range<usize>) -> Vec<usize> {
        let Some(last) = self.line.points[piece.clone()].last() else { return Vec::new() };
        last.targets().iter().copied().chain(last.goes_on().then_some(piece.end)).collect()
    }

    /// What holds where each piece begins, if this holds at the start; `meet` says what holds on both of two ways, and
    /// whether that is other than the first.
    pub fn reach<S: Clone>(
        &self,
        start: S,
        walk: &mut dyn FnMut(Range<usize>, &mut S),
        meet: fn(&mut S, &S) -> bool,
    ) -> BTreeMap<usize, S> {
        let mut reached = BTreeMap::from([(0, start)]);
        let mut open = BTreeSet::from([0]);
        while let Some(first) = open.pop_first() {
            let (piece, mut state) = (self.from(first), reached[&first].clone());
            walk(piece.clone(), &mut state);
            for next in self.behind(&piece) {
                let changed = match reached.get_mut(&next) {
                    Some(known) => meet(known, &state),
                    None => reached.insert(next, state.clone()).is_none(),
                };
                if changed {
                    open.insert(next);
                }
            }
        }
        reached
    }
}
