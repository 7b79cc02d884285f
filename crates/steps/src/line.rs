//! Steps one after another, with jumps: what a device runs, and what says which step comes before which.
//!
//! ```text
//! trips:   set counter;  top: exit-loop end;  body;  next-trip top;  end:
//! while:   top: head;  jump-unless end;  body;  jump top;  end:
//! branch:  jump-unless other;  arm;  jump end;  other: arm;  jump end;  end:
//! ```

use crate::body::{Body, Branch, Item, Loop, On, StepId, Steps, Test};
use crate::region::{BufId, Counter};

/// A step, or a jump to a place in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Point<W> {
    Step(W),
    SetCounter {
        counter: Counter,
        value: i64,
    },
    /// Go to `target` unless the counter is below `trips`.
    ExitLoop {
        counter: Counter,
        trips: i64,
        target: usize,
    },
    /// Count up and go to `target`.
    NextTrip {
        counter: Counter,
        target: usize,
    },
    Jump {
        target: usize,
    },
    /// Go to `target` if the pred is false.
    JumpUnless {
        pred: BufId,
        target: usize,
    },
    /// Go to the target of the index; out of range is the last.
    Switch {
        index: BufId,
        targets: Vec<usize>,
    },
}

/// A loop in the list: its first and its last place, both included.
pub type LoopSpan = (usize, usize);

/// From which place of the list to which a buffer keeps its bytes, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life {
    pub first: usize,
    pub last: usize,
}

impl Life {
    pub(crate) fn has(self, at: usize) -> bool {
        self.first <= at && at <= self.last
    }

    pub(crate) fn meets(self, other: Life) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// The flat list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub points: Vec<Point<StepId>>,
    /// Inner ones before outer ones.
    pub loops: Vec<LoopSpan>,
    /// Arms of each branch, each with the jump that ends it; inner ones before outer ones.
    pub branches: Vec<Vec<LoopSpan>>,
}

impl<W> Point<W> {
    pub fn step(&self) -> Option<&W> {
        match self {
            Point::Step(step) => Some(step),
            _ => None,
        }
    }

    /// What it looks at to choose where to go.
    pub fn test(&self) -> Option<BufId> {
        match self {
            Point::JumpUnless { pred, .. } => Some(*pred),
            Point::Switch { index, .. } => Some(*index),
            _ => None,
        }
    }

    pub fn targets(&self) -> &[usize] {
        match self {
            Point::ExitLoop { target, .. }
            | Point::NextTrip { target, .. }
            | Point::Jump { target }
            | Point::JumpUnless { target, .. } => std::slice::from_ref(target),
            Point::Switch { targets, .. } => targets,
            Point::Step(_) | Point::SetCounter { .. } => &[],
        }
    }

    /// Whether the next one in the list may come next.
    pub fn goes_on(&self) -> bool {
        match self {
            Point::Step(_) | Point::SetCounter { .. } | Point::ExitLoop { .. } | Point::JumpUnless { .. } => {
                true
            }
            Point::NextTrip { .. } | Point::Jump { .. } => false,
            Point::Switch { targets, .. } => targets.is_empty(),
        }
    }

    fn jump_to(&mut self, to: usize) {
        match self {
            Point::ExitLoop { target, .. }
            | Point::NextTrip { target, .. }
            | Point::Jump { target }
            | Point::JumpUnless { target, .. } => *target = to,
            Point::Switch { .. } | Point::Step(_) | Point::SetCounter { .. } => {}
        }
    }

    /// The same place with other work.
    pub fn map<V>(self, work: impl FnOnce(W) -> V) -> Point<V> {
        match self {
            Point::Step(step) => Point::Step(work(step)),
            Point::SetCounter { counter, value } => Point::SetCounter { counter, value },
            Point::ExitLoop { counter, trips, target } => Point::ExitLoop { counter, trips, target },
            Point::NextTrip { counter, target } => Point::NextTrip { counter, target },
            Point::Jump { target } => Point::Jump { target },
            Point::JumpUnless { pred, target } => Point::JumpUnless { pred, target },
            Point::Switch { index, targets } => Point::Switch { index, targets },
        }
    }
}

/// The list while it grows, with the name of each place.
struct Flattening<'a> {
    line: Line,
    names: Vec<&'a str>,
}

impl<'a> Flattening<'a> {
    fn push(&mut self, point: Point<StepId>, name: &'a str) -> usize {
        self.line.points.push(point);
        self.names.push(name);
        self.line.points.len() - 1
    }

    fn body<W>(&mut self, steps: &'a Steps<W>, body: &'a Body) {
        for item in body {
            match item {
                Item::Step(step) => drop(self.push(Point::Step(*step), &steps.arena[*step].name)),
                Item::Loop(one) => self.turns(steps, one),
                Item::Branch(branch) => self.arms(steps, branch),
            }
        }
    }

    fn turns<W>(&mut self, steps: &'a Steps<W>, one: &'a Loop) {
        let name = &one.name;
        let (first, exit) = match &one.test {
            Test::Trips { counter, trips } => {
                self.push(Point::SetCounter { counter: *counter, value: 0 }, name);
                let exit = Point::ExitLoop { counter: *counter, trips: *trips, target: 0 };
                let exit = self.push(exit, name);
                (exit, exit)
            }
            Test::While { head, pred } => {
                let first = self.line.points.len();
                self.body(steps, head);
                (first, self.push(Point::JumpUnless { pred: *pred, target: 0 }, name))
            }
        };
        self.body(steps, &one.body);
        let last = self.push(
            match &one.test {
                Test::Trips { counter, .. } => Point::NextTrip { counter: *counter, target: first },
                Test::While { .. } => Point::Jump { target: first },
            },
            name,
        );
        self.line.loops.push((first, last));
        self.line.points[exit].jump_to(last + 1);
    }

    fn arms<W>(&mut self, steps: &'a Steps<W>, branch: &'a Branch) {
        let head = self.push(Point::Jump { target: 0 }, &branch.name);
        let (mut starts, mut exits) = (Vec::new(), Vec::new());
        for arm in &branch.arms {
            starts.push(self.line.points.len());
            self.body(steps, arm);
            exits.push(self.push(Point::Jump { target: 0 }, &branch.name));
        }
        let end = self.line.points.len();
        self.line.branches.push(starts.iter().copied().zip(exits.iter().copied()).collect());
        exits.into_iter().for_each(|exit| self.line.points[exit].jump_to(end));
        self.line.points[head] = match branch.on {
            On::Pred(pred) => Point::JumpUnless { pred, target: starts.get(1).copied().unwrap_or(end) },
            On::Index(index) => Point::Switch { index, targets: starts },
        };
    }
}

impl<W> Steps<W> {
    fn flattened(&self) -> Flattening<'_> {
        let mut made = Flattening { line: Line::default(), names: Vec::new() };
        made.body(self, &self.body);
        made
    }

    /// All steps one after another.
    pub fn line(&self) -> Line {
        self.flattened().line
    }

    /// What each place of [`Steps::line`] is called.
    pub fn names(&self) -> Vec<String> {
        self.flattened().names.into_iter().map(str::to_string).collect()
    }
}
