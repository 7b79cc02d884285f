//! From which step to which each buffer keeps its bytes, in the order of the flat list.
//!
//! Buffers that are one ([`meshwright_steps::Shared`]) have one life. What comes into a loop from before lives until
//! the loop's end; what parts are seen of lives until no part is read any more. Made anew by each pass that asks: one
//! walk over all steps, and one over all buffers for each loop.

use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{Line, StepId};

/// When each buffer is alive; of buffers that are one, asked of the root.
pub struct Lives {
    pub line: Line,
    pub first: IdMap<BufId, usize>,
    pub last: IdMap<BufId, usize>,
    pub used: IdMap<BufId, bool>,
}

impl Lives {
    pub fn of(lowered: &Lowered) -> Lives {
        let line = lowered.steps.line();
        let count = lowered.steps.bufs.len();
        let mut lives = Lives {
            first: IdMap::filled(count, usize::MAX),
            last: IdMap::filled(count, 0),
            used: IdMap::filled(count, false),
            line: Line::default(),
        };
        for (at, point) in line.points.iter().enumerate() {
            let touched = point.step().map(|step| lowered.steps.work(*step).accesses()).unwrap_or_default();
            let touched = touched.into_iter().map(|access| access.region.buf);
            touched.chain(point.test()).for_each(|buf| lives.touch(buf, at));
        }
        lives.line = line;
        lives.follow_parts(lowered);
        lives.follow_loops();
        lives.follow_kinds(lowered);
        lives.fold(lowered);
        lives
    }

    fn touch(&mut self, buf: BufId, at: usize) {
        self.first[buf] = self.first[buf].min(at);
        self.last[buf] = self.last[buf].max(at);
        self.used[buf] = true;
    }

    /// Of what parts are seen of lives on until nobody reads them, and one step longer: it is not written by the last
    /// step that does. Parts of parts come after those.
    fn follow_parts(&mut self, lowered: &Lowered) {
        for (buf, info) in lowered.steps.bufs.iter().rev() {
            if let (Kind::PartOf(of), true) = (info.kind, self.used[buf]) {
                self.last[of] = self.last[of].max(self.last[buf] + 1);
            }
        }
    }

    /// What comes into a loop from before stays until its end. Inner loops are listed before outer ones.
    fn follow_loops(&mut self) {
        for (first, last) in &self.line.loops {
            for (from, to) in self.first.values().zip(self.last.values_mut()) {
                if *from < *first && *to >= *first {
                    *to = (*to).max(*last);
                }
            }
        }
    }

    fn follow_kinds(&mut self, lowered: &Lowered) {
        let end = self.line.points.len();
        for (buf, info) in lowered.steps.bufs.iter() {
            match info.kind {
                Kind::Input(param) => {
                    self.first[buf] = 0;
                    self.used[buf] = true;
                    if !lowered.may_write(param) {
                        self.last[buf] = end;
                    }
                }
                Kind::Result(_) => {
                    self.last[buf] = end;
                    self.used[buf] = true;
                }
                Kind::Constant(_) => (self.first[buf], self.last[buf]) = (0, end),
                Kind::Arena | Kind::PartOf(_) => {}
            }
        }
    }

    /// Buffers that are one live from the first to the last of them.
    fn fold(&mut self, lowered: &Lowered) {
        for buf in lowered.steps.bufs.keys() {
            let root = lowered.steps.shared.root(buf);
            if root != buf && self.used[buf] {
                self.first[root] = self.first[root].min(self.first[buf]);
                self.last[root] = self.last[root].max(self.last[buf]);
                self.used[root] = true;
            }
        }
    }

    /// The step at a place of the list.
    pub fn step<'l>(&self, lowered: &'l Lowered, at: usize) -> Option<&'l Step> {
        self.id(at).map(|id| lowered.steps.work(id))
    }

    pub fn id(&self, at: usize) -> Option<StepId> {
        self.line.points.get(at)?.step().copied()
    }
}
