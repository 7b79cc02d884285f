//! What a scan keeps of each trip for its derivative: of all values between what is at hand anyway and what the
//! backward block asks for, those of the fewest bytes.
//!
//! ```text
//! asked for: %hot, %masked, %h       %hot = (iota == broadcast %index)    %masked = select %mask, %h, 0
//! kept:      %index, %mask, %h       the rest is written again in the backward block
//! ```
//!
//! What is asked for may be computed again from what was kept, as long as that takes no more than elementwise work and
//! views of the same elements: no contractions, sums, random bits or anything that may need another device. So between
//! the values that cannot be written again and those that are asked for there are many sets to keep, each of which
//! does. The one taken is a minimum cut ([`crate::cut`]): bytes of what is kept, plus [`KEPT`] times less per byte
//! written again, so that what takes more to compute than to store stays kept. Of equal sets it is the one that leaves
//! the least to write.
//!
//! An annotation may be written again if all that leads to it is split as it says or not annotated; behind another one
//! it may stand for an exchange, which is made once.
//!
//! Free are the values that are there already: constants, what is the same on every trip, stacked inputs and results.
//! Bytes are those of global shapes. Costs about one walk over what is asked for and what it is made of.

use crate::cut::{ENDLESS, MinCut, Node, SINK, SOURCE};
use crate::residual::is_cheap;
use crate::tape::{FrameKind, Tape};
use meshwright_base::LookupMap;
use meshwright_ir::op::{Effort, Movement, ShardingOp};
use meshwright_ir::{Def, Function, InstId, Op, ValueId};

/// What it takes to keep a byte, if one byte of an addition takes 1.
const KEPT: i64 = 32;

/// What it takes to write a byte again, of a division or a root, of a function, and of what is annotated.
const DIVISION: i64 = 2;
const FUNCTION: i64 = 8;
const ANNOTATION: i64 = 4;

/// How many values that lead to an annotation are looked at.
const MOST_LEADING: usize = 256;

impl Tape<'_> {
    /// Have the innermost frame, if it is a scan's, keep as little as it can of what was asked for.
    pub(crate) fn keep_least(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let FrameKind::Scan { carries } = frame.kind else { return };
        let asked: Vec<ValueId> = frame.residuals.iter().filter_map(|residual| residual.value()).collect();
        let mut graph = Graph::new(self, carries);
        asked.iter().for_each(|value| graph.ask(*value));
        graph.explore();
        let Some(again) = graph.again() else { return };
        // What is kept and asked for alike is there as it stands.
        let is_again =
            |value: &ValueId| self.func.def_inst(*value).is_some_and(|inst| again.contains_key(&inst));
        if asked.iter().any(is_again) {
            self.recompute(Again::These(again));
        }
    }
}

/// What is written again instead of asked for, of what can be.
pub(crate) enum Again {
    /// Only what is cheap wherever it stands.
    Cheap,
    These(LookupMap<InstId, ()>),
    /// All that is not a parameter.
    All,
}

impl Again {
    pub(crate) fn has(&self, inst: InstId) -> bool {
        match self {
            Again::Cheap => false,
            Again::These(insts) => insts.contains_key(&inst),
            Again::All => true,
        }
    }
}

struct Graph<'t, 'm> {
    tape: &'t Tape<'m>,
    frame: usize,
    carries: usize,
    /// Values that the scan stacks for its user.
    stacked: LookupMap<ValueId, ()>,
    cut: MinCut,
    /// Values that take something to have: where they are given out.
    given: LookupMap<ValueId, Option<Node>>,
    /// Instructions that may be written again, in the order they were found: where they take what they need.
    made: Vec<(InstId, Node)>,
    explored: usize,
}

impl<'t, 'm> Graph<'t, 'm> {
    fn new(tape: &'t Tape<'m>, carries: usize) -> Self {
        let frame = tape.frames.len() - 1;
        let results = &tape.func.block(tape.frames[frame].forward).results;
        let stacked = results.iter().skip(carries).map(|value| (*value, ())).collect();
        Graph {
            tape,
            frame,
            carries,
            stacked,
            cut: MinCut::new(),
            given: LookupMap::default(),
            made: Vec::new(),
            explored: 0,
        }
    }

    fn ask(&mut self, value: ValueId) {
        if let Some(node) = self.of(value) {
            self.cut.edge(node, SINK, ENDLESS);
        }
    }

    /// Follow what was asked for to what it is made of.
    fn explore(&mut self) {
        while let Some((inst, node)) = self.made.get(self.explored).copied() {
            self.explored += 1;
            for operand in &self.tape.func.inst(inst).operands {
                if let Some(given) = self.of(*operand) {
                    self.cut.edge(given, node, ENDLESS);
                }
            }
        }
    }

    /// The instructions on the far side of the cut.
    fn again(self) -> Option<LookupMap<InstId, ()>> {
        let side = self.cut.sink_side()?;
        Some(self.made.into_iter().filter(|(_, node)| side.has(*node)).map(|(inst, _)| (inst, ())).collect())
    }

    /// Where a value is given out; `None` if it is free.
    fn of(&mut self, value: ValueId) -> Option<Node> {
        if let Some(known) = self.given.get(&value) {
            return *known;
        }
        let node = self.add(value);
        self.given.insert(value, node);
        node
    }

    fn add(&mut self, value: ValueId) -> Option<Node> {
        let func = &self.tape.func;
        if self.is_free(value) {
            return None;
        }
        let bytes = func.ty(value).byte_size();
        let given = self.cut.node();
        let work = func.def_inst(value).and_then(|inst| Some((inst, work(func, inst)?)));
        let Some((inst, work)) = work else {
            self.cut.edge(SOURCE, given, bytes.saturating_mul(KEPT));
            return Some(given);
        };
        let taken = self.cut.node();
        let kept = if is_cheap(func, inst) { ENDLESS } else { bytes.saturating_mul(KEPT) };
        self.cut.edge(SOURCE, taken, bytes.saturating_mul(work));
        self.cut.edge(taken, given, kept);
        self.made.push((inst, taken));
        Some(given)
    }

    fn is_free(&self, value: ValueId) -> bool {
        let tape = self.tape;
        let is_outside = tape.func.def_block(value) != tape.frames[self.frame].forward;
        let is_input =
            matches!(tape.func.value(value).def, Def::Param { index, .. } if index >= self.carries);
        is_outside
            || is_input
            || self.stacked.contains_key(&value)
            || tape.is_invariant(self.frame, value, &mut 0)
    }
}

/// What it takes to write a byte of an instruction's result again; `None` if it must not be.
fn work(func: &Function, inst: InstId) -> Option<i64> {
    let it = func.inst(inst);
    let [result] = it.results[..] else { return None };
    let is_constraint = matches!(it.op, Op::Sharding(ShardingOp::Constraint { .. }));
    match func.value(result).sharding.is_some() {
        true if is_constraint => is_alone(func, inst, result).then_some(ANNOTATION),
        true if !is_cheap(func, inst) => None,
        _ => work_of(func, inst),
    }
}

/// Whether nothing that leads to an annotated value is split in another way.
fn is_alone(func: &Function, inst: InstId, annotated: ValueId) -> bool {
    let wanted = &func.value(annotated).sharding;
    let mut seen: LookupMap<ValueId, ()> = LookupMap::default();
    let mut work = func.inst(inst).operands.clone();
    let mut count = 0;
    while let Some(value) = work.pop() {
        if seen.insert(value, ()).is_some() {
            continue;
        }
        count += 1;
        let found = &func.value(value).sharding;
        if count > MOST_LEADING || found.is_some() && found != wanted {
            return false;
        }
        if let Some(inst) = func.def_inst(value).filter(|_| found.is_none())
            && work_of(func, inst).is_some()
        {
            work.extend(&func.inst(inst).operands);
        }
    }
    true
}

/// The same, whatever it is annotated with.
fn work_of(func: &Function, inst: InstId) -> Option<i64> {
    let it = func.inst(inst);
    match &it.op {
        Op::Constant(_) | Op::Iota(_) => Some(0),
        // Other movement takes elements from other devices, along a split dim.
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => Some(0),
        Op::Movement(Movement::Transpose(_)) => Some(1),
        Op::Unary(op) => Some(work_at(op.effort())),
        Op::Binary(op) => Some(work_at(op.effort())),
        // Without a sum it is elementwise.
        Op::Dot(dot) => dot.contract.is_empty().then_some(1),
        op => op.facts().is_elementwise.then_some(1),
    }
}

fn work_at(effort: Effort) -> i64 {
    match effort {
        Effort::Step => 1,
        Effort::Division => DIVISION,
        Effort::Function => FUNCTION,
    }
}
