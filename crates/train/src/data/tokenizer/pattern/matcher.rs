//! Matches a pattern in time linear in the text: a program of small instructions, walked with an explicit stack.
//!
//! ```text
//! ` ?\p{L}+|\s+(?!\S)`
//!
//!  0 split 6                       6 one \s
//!  1 split 3                       7 run \s
//!  2 one ' '                       8 look, fits: false, next: 11
//!  3 join                          9   one \S
//!  4 one \p{L}                    10   accept the look
//!  5 run \p{L}, jump 11           11 join, match
//! ```
//!
//! The walk tries alternatives in order and backtracks, as the engines do that such patterns were written for. Whether
//! the rest of a pattern fits depends only on the instruction and the position: no group repeats without end, so a
//! repeated group is written out, and instructions are only ever entered from smaller ones. Once a walk takes
//! [`STEPS_PER_BYTE`], the matcher therefore notes every pair that failed, at the instructions that several paths reach
//! ([`Marks`]), and never tries one twice. A look ahead notes its successes too. The marks outlive a match: cutting a
//! whole text takes at most a constant number of steps for each instruction and byte.

use super::{MOST_PARTS, Node, Repeat, Set};
use std::ops::Range;

/// Instructions that a mark can be set at: 64 bytes of marks for each byte of text.
pub const MOST_SLOTS: usize = 256;

/// Steps that a match may take before failures are noted: ordinary patterns take about ten for each byte of text.
const STEPS_PER_BYTE: usize = 64;
const FREE_STEPS: usize = 1 << 16;

/// A compiled pattern.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    insts: Vec<Inst>,
    slots: usize,
}

#[derive(Clone, PartialEq, Debug)]
enum Inst {
    One(Class),
    /// As many characters as there are, then one less, and so on.
    Run(Class, Slot),
    /// As many characters as there are, at most `most`, and never less.
    Keep {
        class: Class,
        most: usize,
        slot: Slot,
    },
    /// The next instruction, or else the target.
    Split(usize),
    Jump(usize),
    /// Several paths meet here.
    Join(Slot),
    /// Whether the instructions from here to an `AcceptLook` fit; they take nothing.
    Look {
        fits: bool,
        next: usize,
    },
    AcceptLook,
    Match,
}

/// The place of an instruction in [`Marks`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot(usize);

/// A set of characters, with the answers for ASCII.
#[derive(Clone, PartialEq, Debug)]
struct Class {
    ascii: u128,
    set: Set,
}

impl Class {
    fn of(set: &Set) -> Class {
        let bit = |code: u8| u128::from(set.has(char::from(code))) << code;
        Class { ascii: (0..128).fold(0, |bits, code| bits | bit(code)), set: set.clone() }
    }

    fn has(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii >> u32::from(c) & 1 == 1 } else { self.set.has(c) }
    }
}

impl Program {
    /// Compiles a pattern, unless it has too many parts.
    pub fn of(node: &Node) -> Option<Program> {
        let mut program = Program::default();
        program.emit(node)?;
        program.push(Inst::Match)?;
        Some(program)
    }

    fn push(&mut self, inst: Inst) -> Option<usize> {
        self.insts.push(inst);
        (self.insts.len() <= MOST_PARTS).then(|| self.insts.len() - 1)
    }

    fn slot(&mut self) -> Option<Slot> {
        self.slots += 1;
        (self.slots <= MOST_SLOTS).then(|| Slot(self.slots - 1))
    }

    fn emit(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::One(set) => self.push(Inst::One(Class::of(set))).map(|_| ()),
            Node::Row(nodes) => nodes.iter().try_for_each(|node| self.emit(node)),
            Node::Any(nodes) => self.alternatives(nodes),
            Node::Repeat(repeat, node) => self.repeat(*repeat, node),
            Node::Look { fits, node } => {
                let look = self.push(Inst::Look { fits: *fits, next: 0 })?;
                self.emit(node)?;
                let next = self.push(Inst::AcceptLook)? + 1;
                self.insts[look] = Inst::Look { fits: *fits, next };
                Some(())
            }
        }
    }

    fn alternatives(&mut self, nodes: &[Node]) -> Option<()> {
        let mut jumps = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.emit(node)?;
                break;
            }
            let split = self.push(Inst::Split(0))?;
            self.emit(node)?;
            jumps.push(self.push(Inst::Jump(0))?);
            self.insts[split] = Inst::Split(self.insts.len());
        }
        let end = self.insts.len();
        jumps.into_iter().for_each(|jump| self.insts[jump] = Inst::Jump(end));
        self.join()
    }

    fn join(&mut self) -> Option<()> {
        let slot = self.slot()?;
        self.push(Inst::Join(slot)).map(|_| ())
    }

    /// `x{2,4}` as `x x (x (x)?)?`.
    fn repeat(&mut self, repeat: Repeat, node: &Node) -> Option<()> {
        (0..repeat.least).try_for_each(|_| self.emit(node))?;
        let more = repeat.most - repeat.least;
        match node {
            Node::One(set) if repeat.keeps => {
                let most = if repeat.most == usize::MAX { usize::MAX } else { more.min(MOST_PARTS) };
                let (class, slot) = (Class::of(set), self.slot()?);
                return self.push(Inst::Keep { class, most, slot }).map(|_| ());
            }
            Node::One(set) if repeat.most == usize::MAX => {
                let slot = self.slot()?;
                return self.push(Inst::Run(Class::of(set), slot)).map(|_| ());
            }
            _ => {}
        }
        let mut splits = Vec::new();
        for _ in 0..more {
            splits.push(self.push(Inst::Split(0))?);
            self.emit(node)?;
        }
        let end = self.insts.len();
        splits.into_iter().for_each(|split| self.insts[split] = Inst::Split(end));
        self.join()
    }
}

/// Pairs of a slot and a position from which the rest is known not to fit, or, inside of a look ahead, to fit.
struct Marks {
    base: usize,
    slots: usize,
    failed: Vec<u64>,
    fitted: Vec<u64>,
}

impl Marks {
    fn new(program: &Program, text: Range<usize>) -> Marks {
        let words = (text.len() + 1).saturating_mul(program.slots).div_ceil(64);
        let looks = program.insts.iter().any(|inst| matches!(inst, Inst::Look { .. }));
        Marks {
            base: text.start,
            slots: program.slots,
            failed: vec![0; words],
            fitted: vec![0; if looks { words } else { 0 }],
        }
    }

    fn bit(&self, slot: Slot, position: usize) -> (usize, u64) {
        let bit = (position - self.base) * self.slots + slot.0;
        (bit / 64, 1 << (bit % 64))
    }

    fn has_failed(&self, slot: Slot, position: usize) -> bool {
        let (word, bit) = self.bit(slot, position);
        self.failed[word] & bit != 0
    }

    fn has_fitted(&self, slot: Slot, position: usize) -> bool {
        let (word, bit) = self.bit(slot, position);
        self.fitted.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn set_failed(&mut self, slot: Slot, position: usize) {
        let (word, bit) = self.bit(slot, position);
        self.failed[word] |= bit;
    }

    fn set_fitted(&mut self, slot: Slot, position: usize) {
        let (word, bit) = self.bit(slot, position);
        self.fitted[word] |= bit;
    }
}

/// A place to go back to, or a pair that failed once the walk is back at it.
enum ChoicePoint {
    Resume {
        inst: usize,
        at: usize,
    },
    /// A run from `low` that now ends at `at`.
    Run {
        inst: usize,
        low: usize,
        at: usize,
    },
    Keep {
        inst: usize,
        low: usize,
        end: usize,
    },
    Join {
        slot: Slot,
        at: usize,
    },
    Look {
        inst: usize,
        at: usize,
    },
}

/// The next instruction and its position.
type NextInst = (usize, usize);

/// A walk over one text.
pub struct Matcher<'a> {
    program: &'a Program,
    text: &'a str,
    stack: Vec<ChoicePoint>,
    marks: Option<Marks>,
    /// Where the present match begins.
    start: usize,
    pub steps: usize,
}

impl<'a> Matcher<'a> {
    pub fn new(program: &'a Program, text: &'a str) -> Matcher<'a> {
        Matcher { program, text, stack: Vec::new(), marks: None, start: 0, steps: 0 }
    }

    /// A matcher that notes every failure.
    #[cfg(test)]
    pub fn noting(program: &'a Program, text: &'a str) -> Matcher<'a> {
        let marks = Some(Marks::new(program, 0..text.len()));
        Matcher { marks, ..Matcher::new(program, text) }
    }

    /// Returns the end of the match that begins at `start`. Starts must ascend.
    pub fn end(&mut self, start: usize) -> Option<usize> {
        self.start = start;
        self.stack.clear();
        let mut place = (0, start);
        loop {
            self.count_step();
            let (inst, at) = place;
            let next = match &self.program.insts[inst] {
                Inst::One(class) => {
                    self.char_at(at).filter(|c| class.has(*c)).map(|c| (inst + 1, at + c.len_utf8()))
                }
                Inst::Run(class, slot) => self.run(inst, class, *slot, at),
                Inst::Keep { class, most, slot } => self.keep(inst, (class, *most, *slot), at),
                Inst::Split(target) => {
                    self.stack.push(ChoicePoint::Resume { inst: *target, at });
                    Some((inst + 1, at))
                }
                Inst::Jump(target) => Some((*target, at)),
                Inst::Join(slot) => self.meet(inst, *slot, at),
                Inst::Look { .. } => {
                    self.stack.push(ChoicePoint::Look { inst, at });
                    Some((inst + 1, at))
                }
                Inst::AcceptLook => self.accept_look(),
                Inst::Match => return Some(at),
            };
            place = next.or_else(|| self.backtrack())?;
        }
    }

    fn count_step(&mut self) {
        self.steps += 1;
        if self.marks.is_none() && self.steps > FREE_STEPS + STEPS_PER_BYTE * self.start {
            self.marks = Some(Marks::new(self.program, self.start..self.text.len()));
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn has_failed(&self, slot: Slot, at: usize) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.has_failed(slot, at))
    }

    fn has_fitted(&self, slot: Slot, at: usize) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.has_fitted(slot, at))
    }

    fn run(&mut self, inst: usize, class: &Class, slot: Slot, low: usize) -> Option<NextInst> {
        if self.has_failed(slot, low) {
            return None;
        }
        let mut at = low;
        loop {
            if self.has_fitted(slot, at) {
                // The positions before it fit too; the frame marks them.
                self.stack.push(ChoicePoint::Run { inst, low, at });
                return self.accept_look();
            }
            let Some(c) = self.char_at(at).filter(|c| class.has(*c)) else { break };
            if self.has_failed(slot, at + c.len_utf8()) {
                break;
            }
            at += c.len_utf8();
            self.count_step();
        }
        self.stack.push(ChoicePoint::Run { inst, low, at });
        Some((inst + 1, at))
    }

    fn keep(
        &mut self,
        inst: usize,
        (class, most, slot): (&Class, usize, Slot),
        low: usize,
    ) -> Option<NextInst> {
        if self.has_failed(slot, low) {
            return None;
        }
        let (mut end, mut count) = (low, 0);
        if self.has_fitted(slot, low) {
            return self.accept_look();
        }
        while let Some(c) = self.char_at(end).filter(|c| count < most && class.has(*c)) {
            // A run that begins at `end` ends where this one does.
            if most == usize::MAX && (self.has_failed(slot, end) || self.has_fitted(slot, end)) {
                self.stack.push(ChoicePoint::Keep { inst, low, end });
                return if self.has_fitted(slot, end) { self.accept_look() } else { None };
            }
            (end, count) = (end + c.len_utf8(), count + 1);
            self.count_step();
        }
        self.stack.push(ChoicePoint::Keep { inst, low, end });
        Some((inst + 1, end))
    }

    fn meet(&mut self, inst: usize, slot: Slot, at: usize) -> Option<NextInst> {
        if self.has_failed(slot, at) {
            return None;
        }
        if self.has_fitted(slot, at) {
            return self.accept_look();
        }
        if self.marks.is_some() {
            self.stack.push(ChoicePoint::Join { slot, at });
        }
        Some((inst + 1, at))
    }

    /// Leaves the innermost look-ahead after its instructions matched.
    fn accept_look(&mut self) -> Option<NextInst> {
        while let Some(frame) = self.stack.pop() {
            self.steps += 1;
            match frame {
                ChoicePoint::Resume { .. } => {}
                ChoicePoint::Run { inst, low, at } => self.mark_range(inst, low..at, Marks::set_fitted),
                ChoicePoint::Keep { inst, low, end } => self.mark_range(inst, low..end, Marks::set_fitted),
                ChoicePoint::Join { slot, at } => self.mark(slot, at, Marks::set_fitted),
                ChoicePoint::Look { inst, at } => {
                    let Inst::Look { fits, next } = self.program.insts[inst] else { return None };
                    return fits.then_some((next, at));
                }
            }
        }
        None
    }

    /// Goes back to the last place that leaves another way.
    fn backtrack(&mut self) -> Option<NextInst> {
        while let Some(frame) = self.stack.pop() {
            self.steps += 1;
            match frame {
                ChoicePoint::Resume { inst, at } => return Some((inst, at)),
                ChoicePoint::Run { inst, low, at } => {
                    self.mark_range(inst, at..at, Marks::set_failed);
                    let before = self.text.get(low..at).and_then(|taken| taken.chars().next_back());
                    if let Some(c) = before {
                        self.stack.push(ChoicePoint::Run { inst, low, at: at - c.len_utf8() });
                        return Some((inst + 1, at - c.len_utf8()));
                    }
                }
                ChoicePoint::Keep { inst, low, end } => self.mark_range(inst, low..end, Marks::set_failed),
                ChoicePoint::Join { slot, at } => self.mark(slot, at, Marks::set_failed),
                ChoicePoint::Look { inst, at } => {
                    let Inst::Look { fits, next } = self.program.insts[inst] else { return None };
                    if !fits {
                        return Some((next, at));
                    }
                }
            }
        }
        None
    }

    fn mark(&mut self, slot: Slot, at: usize, set: fn(&mut Marks, Slot, usize)) {
        if let Some(marks) = &mut self.marks {
            set(marks, slot, at);
        }
    }

    /// Marks the positions of a run, both ends among them.
    fn mark_range(&mut self, inst: usize, positions: Range<usize>, set: fn(&mut Marks, Slot, usize)) {
        let Some(marks) = &mut self.marks else { return };
        match self.program.insts[inst] {
            Inst::Run(_, slot) | Inst::Keep { slot, most: usize::MAX, .. } => {
                self.steps += positions.len();
                (positions.start..=positions.end).for_each(|at| set(marks, slot, at));
            }
            // From a later position it would take other characters.
            Inst::Keep { slot, .. } => set(marks, slot, positions.start),
            _ => {}
        }
    }
}
