//! One function while it is differentiated: its instructions run forward as they stand, and the tape writes the ones
//! that run backward, from the last result to the first parameter.
//!
//! A *frame* is a block with its backward block. At the root both are one block, so a derivative uses forward values as
//! they are. In a region the backward block runs elsewhere, so what it uses of the forward block has to get there: see
//! [`crate::residual`]. Cotangents are symbolic: a value without one has the cotangent zero and nothing is written for
//! it. Contributions are added in the order in which the walk finds them, so the sum is the same on every run.
//!
//! Kept: the forward instructions, their order and their values. Cost: linear in the function.

use crate::activity::{Activity, Kind};
use crate::expand::expand;
use crate::frontier::Again;
use crate::shared::Shared;
use meshwright_base::{Diagnostic, LookupMap};
use meshwright_ir::{BlockId, Build, Editor, Function, InstId, Literal, Module, Op, SourceId, ValueId, mark};
use std::collections::BTreeMap;

/// How deeply regions and calls may nest together.
pub(crate) const MOST_DEPTH: usize = 64;

pub(crate) struct Tape<'m> {
    pub(crate) module: &'m mut Module,
    pub(crate) shared: &'m mut Shared,
    pub(crate) func: Function,
    pub(crate) activity: Activity,
    pub(crate) frames: Vec<ReverseFrame>,
    /// The frame whose backward block is written.
    pub(crate) current: usize,
    /// Location of what is written.
    pub(crate) source: SourceId,
    /// Values that others stand for; uses are mapped once at the end.
    pub(crate) replaced: Vec<(ValueId, ValueId)>,
    /// Whether what is pulled now counts negative.
    minus: bool,
}

/// A forward block and the block that is written for it.
pub(crate) struct ReverseFrame {
    pub(crate) forward: BlockId,
    pub(crate) backward: BlockId,
    pub(crate) kind: FrameKind,
    /// Cotangents so far, of values of the forward block and of captured ones.
    pub(crate) cotangents: BTreeMap<ValueId, Cotangent>,
    /// Forward values and what stands for them in the backward block.
    pub(crate) known: LookupMap<ValueId, ValueId>,
    /// What the backward block asks for, in order, with the scratch parameters that stand for it.
    pub(crate) residuals: Vec<Residual>,
    /// What is written again instead of asked for.
    pub(crate) again: Again,
    splats: LookupMap<Literal, ValueId>,
}

/// A cotangent so far: a value, or what negating it would give. Backward instructions are linear, so a sign is carried
/// along to where it meets another and costs nothing there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cotangent {
    pub(crate) value: ValueId,
    minus: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FrameKind {
    /// Backward and forward are one block.
    Direct,
    /// A region or function that runs once: residuals are further results of it.
    Once,
    /// The body of a scan: residuals are stacked.
    Scan { carries: usize },
}

/// A value of the forward block, or parameter `index` of it, that the backward block uses as `param`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    pub(crate) from: From,
    pub(crate) param: ValueId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    Value(ValueId),
    Param(usize),
}

impl Residual {
    /// The value, if it has to be kept for this.
    pub(crate) fn value(&self) -> Option<ValueId> {
        match self.from {
            From::Value(value) => Some(value),
            From::Param(_) => None,
        }
    }
}

impl ReverseFrame {
    pub(crate) fn new(forward: BlockId, backward: BlockId, kind: FrameKind) -> Self {
        ReverseFrame {
            forward,
            backward,
            kind,
            cotangents: BTreeMap::new(),
            known: LookupMap::default(),
            residuals: Vec::new(),
            again: Again::Cheap,
            splats: LookupMap::default(),
        }
    }
}

impl<'m> Tape<'m> {
    /// A tape for a copy of a function. `varied` says which parameters the differentiation is by.
    pub(crate) fn new(
        module: &'m mut Module,
        shared: &'m mut Shared,
        mut func: Function,
        varied: &[bool],
    ) -> Self {
        let mut activity = Activity::of(module, shared, &func, varied, Kind::Derivative);
        if expand(module, shared, &mut func, &activity) {
            activity = Activity::of(module, shared, &func, varied, Kind::Derivative);
        }
        Tape::with_activity(module, shared, func, activity)
    }

    /// A tape for a function that is written anew.
    pub(crate) fn with_activity(
        module: &'m mut Module,
        shared: &'m mut Shared,
        func: Function,
        activity: Activity,
    ) -> Self {
        Tape {
            module,
            shared,
            func,
            activity,
            frames: Vec::new(),
            current: 0,
            source: SourceId::unknown(),
            replaced: Vec::new(),
            minus: false,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.shared.diagnostics.push(diagnostic);
    }

    pub(crate) fn frame(&mut self) -> &mut ReverseFrame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The block that is written.
    pub(crate) fn block(&self) -> BlockId {
        self.frames[self.current].backward
    }

    pub(crate) fn known_splat(&self, literal: &Literal) -> Option<ValueId> {
        self.frames[self.current].splats.get(literal).copied()
    }

    pub(crate) fn keep_splat(&mut self, literal: Literal, value: ValueId) {
        self.frames[self.current].splats.insert(literal, value);
    }

    /// Whether a value depends on what is differentiated by.
    pub(crate) fn is_varied(&self, value: ValueId) -> bool {
        self.activity.is_varied(value)
    }

    /// Start a frame. False, and nothing started, where nesting goes too deep.
    pub(crate) fn enter(&mut self, frame: ReverseFrame) -> bool {
        if self.shared.depth >= MOST_DEPTH {
            self.shared.refuse_depth();
            return false;
        }
        self.shared.depth += 1;
        self.frames.push(frame);
        self.current = self.frames.len() - 1;
        true
    }

    /// End the innermost frame.
    pub(crate) fn leave(&mut self) -> Option<ReverseFrame> {
        let frame = self.frames.pop()?;
        self.shared.depth -= 1;
        self.current = self.frames.len().saturating_sub(1);
        Some(frame)
    }

    /// Add to the cotangent of a forward value. Nothing for one that does not depend on what is differentiated by.
    pub(crate) fn pull(&mut self, value: ValueId, cotangent: ValueId) {
        self.pull_signed(value, Cotangent { value: cotangent, minus: self.minus });
    }

    /// Subtract from the cotangent of a forward value.
    pub(crate) fn pull_minus(&mut self, value: ValueId, cotangent: ValueId) {
        self.pull_signed(value, Cotangent { value: cotangent, minus: !self.minus });
    }

    fn pull_signed(&mut self, value: ValueId, new: Cotangent) {
        if !self.is_varied(value) {
            return;
        }
        let sum = match self.frame().cotangents.get(&value).copied() {
            Some(before) => self.sum_signed(before, new),
            None => new,
        };
        self.frame().cotangents.insert(value, sum);
    }

    fn sum_signed(&mut self, a: Cotangent, b: Cotangent) -> Cotangent {
        match (a.minus, b.minus) {
            (false, true) => Cotangent { value: self.sub(a.value, b.value), minus: false },
            (true, false) => Cotangent { value: self.sub(b.value, a.value), minus: false },
            (minus, _) => Cotangent { value: self.add(a.value, b.value), minus },
        }
    }

    /// The value of a cotangent, negated if it has to be.
    pub(crate) fn plain(&mut self, cotangent: Cotangent) -> ValueId {
        if cotangent.minus { self.neg(cotangent.value) } else { cotangent.value }
    }

    /// All cotangents of the innermost frame, each negated if it has to be.
    pub(crate) fn all_plain(&mut self) -> BTreeMap<ValueId, ValueId> {
        let all = std::mem::take(&mut self.frame().cotangents);
        all.into_iter().map(|(value, cotangent)| (value, self.plain(cotangent))).collect()
    }

    /// [`Tape::pull`], if there is anything to pull.
    pub(crate) fn pull_some(&mut self, value: ValueId, cotangent: Option<ValueId>) {
        if let Some(cotangent) = cotangent {
            self.pull(value, cotangent);
        }
    }

    /// Take the cotangent of a value out of the innermost frame.
    pub(crate) fn take(&mut self, value: ValueId) -> Option<ValueId> {
        let cotangent = self.frame().cotangents.remove(&value)?;
        Some(self.plain(cotangent))
    }

    /// Write the backward instructions of the innermost frame's forward block.
    pub(crate) fn walk(&mut self) {
        self.walk_after(0);
    }

    /// [`Tape::walk`] without the first `count` instructions.
    pub(crate) fn walk_after(&mut self, count: usize) {
        let forward = self.frame().forward;
        let insts = self.func.block(forward).insts.clone();
        for inst in insts.into_iter().skip(count).rev() {
            self.step(inst);
        }
    }

    fn step(&mut self, inst: InstId) {
        let results = self.func.inst(inst).results.clone();
        let mut signed: Vec<Option<Cotangent>> =
            results.into_iter().map(|result| self.frame().cotangents.remove(&result)).collect();
        // Nothing comes back from a value without elements.
        for cotangent in &mut signed {
            *cotangent = cotangent.filter(|cotangent| !self.func.dims(cotangent.value).contains(&0));
        }
        if signed.iter().all(Option::is_none) {
            return;
        }
        self.source = self.shared.transposed(self.module, self.func.inst(inst).source);
        let minus = signed.iter().flatten().all(|cotangent| cotangent.minus) && is_linear(&self.func, inst);
        let each = |cotangent: Option<Cotangent>, t: &mut Self| match cotangent {
            Some(cotangent) if minus => Some(cotangent.value),
            Some(cotangent) => Some(t.plain(cotangent)),
            None => None,
        };
        let cotangents: Vec<Option<ValueId>> = signed.into_iter().map(|c| each(c, self)).collect();
        self.minus = minus;
        crate::backward::backward(self, inst, &cotangents);
        self.minus = false;
    }

    /// Map the uses of values that others stand for, and drop what nobody uses.
    pub(crate) fn finish(&mut self) {
        let map: LookupMap<ValueId, ValueId> = self.replaced.drain(..).collect();
        if map.is_empty() {
            return;
        }
        Editor::new(&mut self.func).map_uses(|mut value| {
            while let Some(next) = map.get(&value) {
                value = *next;
            }
            value
        });
    }
}

/// Whether the backward instructions of an op stand in its own block, so that a sign may be carried over them. What a
/// called function has for a derivative may be the user's, who need not be linear.
fn is_linear(func: &Function, inst: InstId) -> bool {
    let it = func.inst(inst);
    let frames = matches!(it.op, Op::Scan(_) | Op::Control(_) | Op::Call(_) | Op::Foreign(_));
    let body = matches!(it.op, Op::Sharding(_)) && !it.regions.is_empty();
    !frames && !body
}

/// Whether an instruction ends gradients by its mark.
pub(crate) fn stops(func: &Function, inst: InstId) -> bool {
    func.inst(inst).attrs.get(mark::STOP_GRADIENT).is_some()
}
