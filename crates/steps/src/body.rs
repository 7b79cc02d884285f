//! The program of a device: buffers, steps, and the order they run in.
//!
//! ```text
//! body = [ step, step, loop { trips | head, pred; body }, step, branch { on; arms }, .. ]
//! ```
//!
//! Steps lie in an arena and are named by their ids; a body is a list of ids, loops and branches. There are no jumps
//! here: those are made when the program is ([`crate::Line`]).

use crate::region::{Access, BufId, Counter, Mode};
use crate::shared::Shared;
use meshwright_base::IdMap;
use std::collections::BTreeMap;

meshwright_base::define_id!(
    /// A step of the program.
    pub StepId, "step"
);

/// Where a buffer lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Arena,
    Input(usize),
    Result(usize),
    Constant(usize),
    /// Inside another one, at a place that is known when the program runs.
    PartOf(BufId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct BufInfo {
    pub bytes: usize,
    pub kind: Kind,
    pub name: String,
}

/// What a step does, as far as the order of steps and memory go.
pub trait Effects {
    /// Everything it touches.
    fn accesses(&self) -> Vec<Access>;

    /// Whether it must run even if nobody reads what it writes.
    fn has_effect(&self) -> bool;

    /// The family that traces count it under.
    fn kind(&self) -> &'static str;

    /// What it is called in text: one word.
    fn word(&self) -> &'static str {
        self.kind()
    }

    /// What else text says of it, in parentheses.
    fn detail(&self) -> String {
        String::new()
    }

    /// A value that lives on in the same bytes under another name: from and to.
    fn renames(&self) -> Option<(BufId, BufId)>;

    /// The part of another buffer whose place it finds.
    fn finds(&self) -> Option<BufId>;

    /// Whether the step is right with `to` lying exactly where `from` does.
    fn may_share(&self, from: BufId, to: BufId) -> bool;

    fn reads(&self) -> Vec<BufId> {
        touched(self.accesses(), Mode::Read)
    }

    fn writes(&self) -> Vec<BufId> {
        touched(self.accesses(), Mode::Write)
    }
}

fn touched(accesses: Vec<Access>, mode: Mode) -> Vec<BufId> {
    accesses.iter().filter(|access| access.mode == mode).map(|access| access.region.buf).collect()
}

/// A step with what traces call it.
#[derive(Clone, Debug)]
pub struct Named<W> {
    pub work: W,
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Step(StepId),
    Loop(Loop),
    Branch(Branch),
}

/// What runs in order.
pub type Body = Vec<Item>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub name: String,
    pub test: Test,
    pub body: Body,
}

/// When a loop goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    Trips {
        counter: Counter,
        trips: i64,
    },
    /// The head runs before each turn; the turn is made if the pred is true then.
    While {
        head: Body,
        pred: BufId,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    pub name: String,
    pub on: On,
    pub arms: Vec<Body>,
}

/// What chooses an arm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum On {
    /// The first if true, else the second.
    Pred(BufId),
    /// By number; what is out of range is the last.
    Index(BufId),
}

impl Item {
    /// The bodies inside, in the order of the list.
    fn bodies(&self) -> Vec<&Body> {
        match self {
            Item::Step(_) => Vec::new(),
            Item::Loop(Loop { test: Test::While { head, .. }, body, .. }) => vec![head, body],
            Item::Loop(Loop { body, .. }) => vec![body],
            Item::Branch(branch) => branch.arms.iter().collect(),
        }
    }

    pub(crate) fn bodies_mut(&mut self) -> Vec<&mut Body> {
        match self {
            Item::Step(_) => Vec::new(),
            Item::Loop(Loop { test: Test::While { head, .. }, body, .. }) => vec![head, body],
            Item::Loop(Loop { body, .. }) => vec![body],
            Item::Branch(branch) => branch.arms.iter_mut().collect(),
        }
    }

    /// What it looks at itself.
    fn test(&self) -> Option<BufId> {
        match self {
            Item::Loop(Loop { test: Test::While { pred, .. }, .. }) => Some(*pred),
            Item::Branch(Branch { on: On::Pred(buf) | On::Index(buf), .. }) => Some(*buf),
            Item::Step(_) | Item::Loop(_) => None,
        }
    }
}

/// The steps of items and of what is inside them, in order.
pub(crate) fn steps_in(items: &[Item]) -> Vec<StepId> {
    fn walk(items: &[Item], found: &mut Vec<StepId>) {
        for item in items {
            if let Item::Step(step) = item {
                found.push(*step);
            }
            item.bodies().into_iter().for_each(|body| walk(body, found));
        }
    }
    let mut found = Vec::new();
    walk(items, &mut found);
    found
}

/// What these items look at, and those inside them.
pub(crate) fn tests_in(items: &[Item]) -> Vec<BufId> {
    let inner = |item: &Item| item.bodies().into_iter().flat_map(|body| tests_in(body)).collect::<Vec<_>>();
    items.iter().flat_map(|item| item.test().into_iter().chain(inner(item))).collect()
}

/// Buffers, steps, and their order.
#[derive(Clone, Debug)]
pub struct Steps<W> {
    pub bufs: IdMap<BufId, BufInfo>,
    pub arena: IdMap<StepId, Named<W>>,
    pub body: Body,
    /// Which buffers have one place.
    pub shared: Shared,
    /// Which step does now what another one did that is no part of the program any more.
    handed_over: BTreeMap<StepId, StepId>,
}

impl<W> Steps<W> {
    pub fn new(bufs: IdMap<BufId, BufInfo>, arena: IdMap<StepId, Named<W>>, body: Body) -> Steps<W> {
        Steps { bufs, arena, body, shared: Shared::default(), handed_over: BTreeMap::new() }
    }

    /// From here on `by` does what `step` did, which is taken out.
    pub fn hand_over(&mut self, step: StepId, by: StepId) {
        self.handed_over.insert(step, by);
    }

    /// The step that does now what this one did.
    pub fn doer(&self, mut step: StepId) -> StepId {
        while let Some(by) = self.handed_over.get(&step) {
            step = *by;
        }
        step
    }

    pub fn work(&self, step: StepId) -> &W {
        &self.arena[step].work
    }

    pub fn work_mut(&mut self, step: StepId) -> &mut W {
        &mut self.arena[step].work
    }

    /// The steps that are part of the program, in order.
    pub fn order(&self) -> Vec<StepId> {
        steps_in(&self.body)
    }

    /// What control flow reads.
    pub fn tests(&self) -> Vec<BufId> {
        tests_in(&self.body)
    }

    /// Hand over each run of steps with no loop or branch between them; what is left in the list runs.
    pub fn each_run(&mut self, change: &mut dyn FnMut(&mut Self, &mut Vec<StepId>)) {
        let body = std::mem::take(&mut self.body);
        self.body = self.runs_of(body, change);
    }

    fn runs_of(&mut self, body: Body, change: &mut dyn FnMut(&mut Self, &mut Vec<StepId>)) -> Body {
        let mut made = Body::new();
        let mut run = Vec::new();
        for item in body {
            let item = match item {
                Item::Step(step) => {
                    run.push(step);
                    continue;
                }
                other => other,
            };
            self.close_run(&mut run, &mut made, change);
            made.push(match item {
                Item::Loop(Loop { name, test, body }) => {
                    let test = match test {
                        Test::While { head, pred } => Test::While { head: self.runs_of(head, change), pred },
                        trips @ Test::Trips { .. } => trips,
                    };
                    Item::Loop(Loop { name, test, body: self.runs_of(body, change) })
                }
                Item::Branch(Branch { name, on, arms }) => {
                    let arms = arms.into_iter().map(|arm| self.runs_of(arm, change)).collect();
                    Item::Branch(Branch { name, on, arms })
                }
                step @ Item::Step(_) => step,
            });
        }
        self.close_run(&mut run, &mut made, change);
        made
    }

    fn close_run(
        &mut self,
        run: &mut Vec<StepId>,
        made: &mut Body,
        change: &mut dyn FnMut(&mut Self, &mut Vec<StepId>),
    ) {
        if !run.is_empty() {
            change(self, run);
        }
        made.extend(run.drain(..).map(Item::Step));
    }

    /// Take steps out of the program.
    pub fn retain(&mut self, keep: &dyn Fn(StepId, &W) -> bool) {
        self.each_run(&mut |steps, run| run.retain(|step| keep(*step, steps.work(*step))));
    }

    /// The buffer in whose memory another one lies.
    pub fn memory_of(&self, mut buf: BufId) -> BufId {
        while let Kind::PartOf(of) = self.bufs[buf].kind {
            buf = of;
        }
        buf
    }
}
