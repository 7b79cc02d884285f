//! Whether two buffers may be one: the one answer that passes ask for before they unite them.
//!
//! ```text
//! step            0      1      2      3      4
//! %c  loop {   carried   read                 written } ..        needed to 1, and from 4 on
//! %t                            written read  read                needed from 2 to 4: both may be one
//! ```
//!
//! Two values may share bytes if no step needs both, and each step that reads one and writes the other is right with
//! that ([`meshwright_steps::Steps::may_lie_over`]). A value is needed from where it is written to where it is read
//! last; between that and the step that writes all of it anew nobody needs it, though [`Lives`] goes on; and what one
//! arm of a branch reads last, no other arm needs behind its own last look at it, unless it is needed behind the
//! branch. Places are counted twice: a step reads at `2 * at`, and writes at `2 * at + 1`. Each question costs one walk
//! over the steps that touch either.

use super::lives::Lives;
use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{Access, LoopSpan, Mode, StepId};
use std::collections::BTreeMap;

/// What one place of the list does with a buffer, those that are one with it, and parts of them.
#[derive(Clone, Copy)]
struct Touch {
    at: usize,
    reads: bool,
    writes: bool,
    /// It writes all of it and reads nothing of it.
    anew: bool,
    /// By a part of it.
    part: bool,
}

/// From one half step to another, both included.
type Span = (usize, usize);

/// When each buffer is needed.
pub struct Spans {
    pub lives: Lives,
    touches: IdMap<BufId, Vec<Touch>>,
    /// Jumps, from and to, by where they are from.
    edges: Vec<(usize, usize)>,
}

impl Spans {
    pub fn of(lowered: &Lowered) -> Spans {
        let lives = Lives::of(lowered);
        let points = lives.line.points.iter().enumerate();
        let edges = points.flat_map(|(at, point)| point.targets().iter().map(move |to| (at, *to))).collect();
        let mut touches = IdMap::filled(lowered.steps.bufs.len(), Vec::new());
        for (at, point) in lives.line.points.iter().enumerate() {
            let step = point.step().map(|id| lowered.steps.work(*id));
            for (buf, touch) in touches_of(lowered, at, step, point.test()) {
                touches[buf].push(touch);
            }
        }
        Spans { lives, touches, edges }
    }

    /// Whether both may have one place, and which of them keeps its own: kept and moved.
    pub fn may_unite(&self, lowered: &Lowered, from: BufId, to: BufId) -> Option<(BufId, BufId)> {
        let (from, to) = (lowered.steps.shared.root(from), lowered.steps.shared.root(to));
        let used = self.lives.used[from] && self.lives.used[to];
        if from == to || !used || lowered.bytes(from) != lowered.bytes(to) {
            return None;
        }
        let (keep, moved) = keeps(lowered, from, to)?;
        (self.apart(lowered, from, to) && self.steps_agree(lowered, from, to)).then_some((keep, moved))
    }

    /// Let both be one; copies from one to the other are not made any more.
    pub fn unite(&mut self, lowered: &mut Lowered, (keep, moved): (BufId, BufId)) {
        let both =
            std::mem::take(&mut self.touches[moved]).into_iter().chain(self.touches[keep].iter().copied());
        let mut merged: BTreeMap<usize, Touch> = BTreeMap::new();
        for touch in both {
            merged.entry(touch.at).and_modify(|own| *own = own.beside(touch)).or_insert(touch);
        }
        lowered.steps.shared.put(moved, keep);
        merged.retain(|at, _| !self.lives.id(*at).is_some_and(|step| leave_out(lowered, step)));
        self.touches[keep] = merged.into_values().collect();
        self.lives.first[keep] = self.lives.first[keep].min(self.lives.first[moved]);
        self.lives.last[keep] = self.lives.last[keep].max(self.lives.last[moved]);
    }

    /// The first place in a range that writes a buffer.
    pub fn begin(&self, lowered: &Lowered, buf: BufId, (first, last): Span) -> Option<usize> {
        let touches = &self.touches[lowered.steps.shared.root(buf)];
        let mut within = touches.iter().filter(|touch| (first..=last).contains(&touch.at));
        within.find(|touch| touch.writes).map(|touch| touch.at)
    }

    /// The steps in a range that read a buffer before it is written; `None` if some place does more than read.
    pub fn readers(&self, lowered: &Lowered, buf: BufId, (first, last): Span) -> Option<Vec<StepId>> {
        let touches = &self.touches[lowered.steps.shared.root(buf)];
        let within = touches.iter().filter(|touch| (first..=last).contains(&touch.at));
        let mut found = Vec::new();
        for touch in within.take_while(|touch| !touch.anew) {
            found.push(self.lives.id(touch.at).filter(|_| !touch.writes)?);
        }
        Some(found)
    }

    /// Whether no step needs both.
    fn apart(&self, lowered: &Lowered, one: BufId, other: BufId) -> bool {
        let (ones, others) = (self.spans(lowered, one), self.spans(lowered, other));
        let meet = |a: &Span, b: &Span| a.0 <= b.1 && b.0 <= a.1;
        // What a step writes and does not keep may lie where it writes what it keeps: that is for the step to say.
        let passed = |a: &Span, b: &Span| a.0 == a.1 && a.1 == b.0 && a.1 % 2 == 1;
        ones.iter().all(|a| others.iter().all(|b| !meet(a, b) || passed(a, b) || passed(b, a)))
    }

    /// Whether each step that touches both is right with them being one.
    fn steps_agree(&self, lowered: &Lowered, one: BufId, other: BufId) -> bool {
        let both = self.touches[one].iter().filter_map(|touch| {
            let beside = self.touches[other].binary_search_by_key(&touch.at, |touch| touch.at);
            beside.is_ok().then(|| self.lives.id(touch.at))
        });
        both.into_iter().all(|step| {
            let Some(step) = step else { return true };
            let moves = moved_by(lowered.steps.work(step)).map(|(from, to)| {
                let root = |buf: BufId| lowered.steps.shared.root(buf);
                [(one, other), (other, one)].contains(&(root(from), root(to)))
            });
            moves == Some(true)
                || (lowered.steps.may_lie_over(step, one, other)
                    && lowered.steps.may_lie_over(step, other, one))
        })
    }

    /// From where to where a buffer is needed.
    fn spans(&self, lowered: &Lowered, root: BufId) -> Vec<Span> {
        let touches = &self.touches[root];
        let (first, last) = (self.lives.first[root], self.lives.last[root]);
        let mut begin = match lowered.kind(root) {
            Kind::Input(_) | Kind::Constant(_) => 0,
            Kind::Arena | Kind::Result(_) | Kind::PartOf(_) => 2 * first + 1,
        };
        let end = match touches.last() {
            Some(touch) if touch.at == last => touch.end(),
            _ => 2 * last + 1,
        };
        let mut found = Vec::new();
        for pair in touches.windows(2) {
            let [before, anew] = pair else { continue };
            let dead = if anew.anew { self.dead_from(before, anew.at) } else { usize::MAX };
            if dead <= 2 * anew.at && dead > begin {
                found.push((begin, dead - 1));
                begin = 2 * anew.at + 1;
            }
        }
        found.push((begin, end.max(begin)));
        self.lives.line.branches.iter().for_each(|arms| self.leave_arms(touches, arms, &mut found));
        found
    }

    /// Arms of a branch do not follow each other: where a value from before ends within one of them, it ends in those
    /// listed before that where they look at it last. Unless what it lies in is needed behind the branch: then the arm
    /// in which it ends makes another value of it, and out of those it goes on as it is.
    fn leave_arms(&self, touches: &[Touch], arms: &[LoopSpan], spans: &mut Vec<Span>) {
        let (Some((first, _)), Some((_, last))) = (arms.first(), arms.last()) else { return };
        let behind = 2 * last + 2;
        if spans.iter().any(|(begin, end)| *begin < behind && behind <= *end) {
            return;
        }
        let mut left = Vec::new();
        for (begin, end) in spans.drain(..) {
            let last = arms.iter().position(|(from, to)| (2 * from..=2 * to + 1).contains(&end));
            let (mut from, earlier) = match last {
                Some(last) if begin < 2 * first => (begin, &arms[..last]),
                _ => (begin, &arms[..0]),
            };
            for arm in earlier {
                let look = self.last_look(touches, *arm);
                left.extend((from <= look).then_some((from, look)));
                from = 2 * arm.1 + 2;
            }
            left.push((from, end));
        }
        *spans = left;
    }

    /// The last half step of an arm that needs a value from before it; the one before the arm, if none does. Inner
    /// loops need it to their ends.
    fn last_look(&self, touches: &[Touch], (from, to): LoopSpan) -> usize {
        let Some(touch) = touches.iter().rev().find(|touch| (from..=to).contains(&touch.at)) else {
            return 2 * from - 1;
        };
        let within = |one: &&LoopSpan| from <= one.0 && one.1 <= to && one.0 <= touch.at && touch.at <= one.1;
        let ends = self.lives.line.loops.iter().filter(within).map(|one| 2 * one.1 + 1);
        ends.max().unwrap_or(touch.end())
    }

    /// From where on all ways lead to the place that writes a buffer anew, past nobody who reads it.
    fn dead_from(&self, before: &Touch, anew: usize) -> usize {
        let after = self.edges.partition_point(|(from, _)| *from <= before.at);
        let within = self.edges[after..].iter().take_while(|(from, _)| *from < anew);
        // A jump may go back only to what is dead as well.
        let mut dead = before.at;
        for (from, to) in within {
            if *to <= dead || *to > anew {
                dead = *from;
            }
        }
        if dead == before.at { before.end() + 1 } else { 2 * dead + 2 }
    }
}

impl Touch {
    /// The last half step that needs what was there.
    fn end(self) -> usize {
        2 * self.at + usize::from(self.writes || self.part)
    }

    /// Both at one place.
    fn beside(self, other: Touch) -> Touch {
        Touch {
            at: self.at,
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            anew: (self.anew || other.anew) && !self.reads && !other.reads,
            part: self.part || other.part,
        }
    }
}

/// What a place of the list does with each buffer that has a place of its own.
fn touches_of(
    lowered: &Lowered,
    at: usize,
    step: Option<&Step>,
    test: Option<BufId>,
) -> BTreeMap<BufId, Touch> {
    let mut found: BTreeMap<BufId, Touch> = BTreeMap::new();
    let accesses = match step {
        Some(Step::Rename { from, to })
            if lowered.steps.shared.root(*from) == lowered.steps.shared.root(*to) =>
        {
            Vec::new()
        }
        Some(step) => step.accesses(),
        None => Vec::new(),
    };
    let tests = test.into_iter().map(|buf| (buf, Mode::Read, false));
    let all = |access: &Access| access.region.extent.is_all(lowered.bytes(access.region.buf));
    let touched = accesses.iter().map(|access| (access.region.buf, access.mode, all(access)));
    for (buf, mode, all) in touched.chain(tests) {
        let part = matches!(lowered.kind(buf), Kind::PartOf(_));
        let writes = mode == Mode::Write && !part;
        let touch = Touch { at, reads: !writes, writes, anew: writes && all, part };
        let storage = lowered.steps.storage_of(buf);
        found.entry(storage).and_modify(|own| *own = own.beside(touch)).or_insert(touch);
    }
    found
}

/// Which of two keeps its place: a parameter that was given away, then a result, else the second.
fn keeps(lowered: &Lowered, from: BufId, to: BufId) -> Option<(BufId, BufId)> {
    let given_away = |param: usize| lowered.may_write(param);
    match (lowered.kind(from), lowered.kind(to)) {
        (Kind::Arena, Kind::Arena | Kind::Result(_)) => Some((to, from)),
        (Kind::Result(_), Kind::Arena) => Some((from, to)),
        (Kind::Input(param), Kind::Arena | Kind::Result(_)) if given_away(param) => Some((from, to)),
        (Kind::Arena | Kind::Result(_), Kind::Input(param)) if given_away(param) => Some((to, from)),
        _ => None,
    }
}

/// What a step moves as it is, all of it: from and to.
fn moved_by(step: &Step) -> Option<(BufId, BufId)> {
    match step {
        Step::Copy(copy) if copy.whole => Some((copy.from, copy.to)),
        Step::Rename { from, to } => Some((*from, *to)),
        _ => None,
    }
}

/// Make a rename of a copy between two buffers that are one; whether it is one.
fn leave_out(lowered: &mut Lowered, step: StepId) -> bool {
    let Some((from, to)) = moved_by(lowered.steps.work(step)) else { return false };
    let one = lowered.steps.shared.root(from) == lowered.steps.shared.root(to);
    if one {
        *lowered.steps.work_mut(step) = Step::Rename { from, to };
    }
    one
}
