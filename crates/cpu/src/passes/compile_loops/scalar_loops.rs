//! Loops of the program whose values are single numbers become one step, which runs in registers.
//!
//! ```text
//! while { fused %x -> %p } %p { fused %x -> %y; copy %y -> %x }        =>        scalar_loop %x -> %x
//! ```
//!
//! Buffers are variables here: what a trip reads before it writes it is handed on by the trip before, and what it
//! writes first is a value of its own. Both arms of a branch are computed, and one is chosen. A loop that does anything
//! else, or has no machine code, stays as it is. Comes when all buffers have their places: a step that touches less
//! than it did is right with any of them. Walks over each loop once.

use crate::lower::{Kind, Lowered};
use meshwright_base::IdMap;
use meshwright_ir::DType;
use meshwright_jit::{Carry, Reg, TileOp, may_be_carried};
use meshwright_kernels::copy::{Copy, Fill};
use meshwright_kernels::fused::{Fused, Source};
use meshwright_kernels::scalar_loop::{ScalarLoopStep, Scalars};
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{Body, Branch, Item, Loop, Named, On, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Compile all loops of single numbers, the outermost that are.
pub fn compile_scalar_loops(lowered: &mut Lowered) {
    let body = std::mem::take(&mut lowered.steps.body);
    let readers = Readers::of(lowered, &body);
    lowered.steps.body = compiled(lowered, &readers, body);
}

fn compiled(lowered: &mut Lowered, readers: &Readers, body: Body) -> Body {
    let one = |item| match item {
        Item::Step(step) => Some(Item::Step(step)),
        Item::Loop(one) if does_nothing(&one) => None,
        Item::Loop(one) => Some(match scalar_loop(lowered, readers, &one) {
            Some(work) => {
                let name = one.name;
                Item::Step(lowered.steps.arena.push(Named { work: Step::ScalarLoop(work), name }))
            }
            None => Item::Loop(within(lowered, readers, one)),
        }),
        Item::Branch(Branch { name, on, arms }) => {
            let arms = arms.into_iter().map(|arm| compiled(lowered, readers, arm)).collect();
            Some(Item::Branch(Branch { name, on, arms }))
        }
    };
    body.into_iter().filter_map(one).collect()
}

/// Whether nothing is left in a loop but its counter.
fn does_nothing(one: &Loop) -> bool {
    one.body.is_empty() && matches!(one.test, Test::Trips { .. })
}

fn within(lowered: &mut Lowered, readers: &Readers, Loop { name, test, body }: Loop) -> Loop {
    let test = match test {
        Test::While { head, pred } => Test::While { head: compiled(lowered, readers, head), pred },
        trips @ Test::Trips { .. } => trips,
    };
    Loop { name, test, body: compiled(lowered, readers, body) }
}

/// How many steps and tests read each buffer; the caller reads results, and parameters that are given away.
struct Readers(IdMap<BufId, usize>);

impl Readers {
    fn of(lowered: &Lowered, body: &Body) -> Readers {
        let mut readers = Readers(IdMap::filled(lowered.steps.bufs.len(), 0));
        readers.count(lowered, body);
        for (buf, info) in lowered.steps.bufs.iter() {
            let by_caller = matches!(info.kind, Kind::Input(_) | Kind::Result(_));
            readers.0[lowered.steps.shared.root(buf)] += usize::from(by_caller);
        }
        readers
    }

    fn count(&mut self, lowered: &Lowered, body: &Body) {
        let mut read = |buf: BufId| self.0[lowered.steps.shared.root(buf)] += 1;
        for item in body {
            match item {
                Item::Step(step) => lowered.steps.work(*step).reads().into_iter().for_each(&mut read),
                Item::Loop(Loop { test: Test::While { pred, .. }, .. }) => read(*pred),
                Item::Branch(Branch { on: On::Pred(buf) | On::Index(buf), .. }) => read(*buf),
                Item::Loop(_) => {}
            }
        }
        for item in body {
            match item {
                Item::Step(_) => {}
                Item::Loop(Loop { test, body, .. }) => {
                    if let Test::While { head, .. } = test {
                        self.count(lowered, head);
                    }
                    self.count(lowered, body);
                }
                Item::Branch(branch) => branch.arms.iter().for_each(|arm| self.count(lowered, arm)),
            }
        }
    }

    /// Whether somebody else than a loop reads a buffer.
    fn others_than(&self, own: &Readers, root: BufId) -> bool {
        self.0[root] > own.0[root]
    }
}

/// The loop as one step, if it is one of single numbers.
fn scalar_loop(lowered: &Lowered, readers: &Readers, one: &Loop) -> Option<ScalarLoopStep> {
    let mut trip = Trip::new(lowered);
    let (test, trips) = match &one.test {
        Test::Trips { trips, .. } => (None, *trips),
        Test::While { head, pred } => {
            trip.body(head)?;
            let holds = trip.known(*pred)?;
            (Some((trip.ops.len(), holds, trip.now.clone())), i64::MAX)
        }
    };
    trip.body(&one.body)?;
    let mut own = Readers(IdMap::filled(lowered.steps.bufs.len(), 0));
    own.count(lowered, &vec![Item::Loop(one.clone())]);
    let mut carries = Vec::new();
    for root in trip.written.clone() {
        if trip.first.contains_key(&root) || readers.others_than(&own, root) {
            let next = *trip.now.get(&root)?;
            let dtype = trip.types[usize::from(next)];
            carries.push((root, Carry { reg: trip.first_of(root, dtype)?, next, dtype }));
        }
    }
    let test = test.map(|(at, holds, then)| {
        let carried = carries.iter().map(|(root, carry)| then.get(root).copied().unwrap_or(carry.reg));
        (at, holds, carried.collect())
    });
    let is_written = |(buf, _): &(BufId, isize)| trip.written.contains(buf);
    if trip.operands.keys().any(is_written) {
        return None;
    }
    let unwritten = trip.first.iter().filter(|(root, _)| !trip.written.contains(root));
    let inputs = unwritten.map(|(_, reg)| reg).chain(trip.operands.values());
    let inputs: Vec<(Reg, DType)> = inputs.map(|reg| (*reg, trip.types[usize::from(*reg)])).collect();
    let own_places = trip.first.iter().map(|(root, reg)| (*reg, *root, 0));
    let places = own_places.chain(trip.operands.iter().map(|((buf, at), reg)| (*reg, *buf, *at))).collect();
    let count = Reg::try_from(trip.types.len()).ok()?;
    let carries = carries.into_iter().map(|(_, carry)| carry).collect();
    ScalarLoopStep::of(Scalars { ops: trip.ops, inputs, carries, test, places, count, trips })
}

/// One trip, as ops on values that have numbers.
struct Trip<'l> {
    lowered: &'l Lowered,
    ops: Vec<TileOp>,
    /// The type of each value.
    types: Vec<DType>,
    /// What buffers of one element hold when the trip begins, as far as that is read.
    first: BTreeMap<BufId, Reg>,
    /// What they hold now.
    now: BTreeMap<BufId, Reg>,
    written: BTreeSet<BufId>,
    /// Written in one arm of a branch only.
    unclear: BTreeSet<BufId>,
    /// Elements of larger buffers, which nobody may write, by bytes into them.
    operands: BTreeMap<(BufId, isize), Reg>,
}

impl<'l> Trip<'l> {
    fn new(lowered: &'l Lowered) -> Trip<'l> {
        Trip {
            lowered,
            ops: Vec::new(),
            types: Vec::new(),
            first: BTreeMap::new(),
            now: BTreeMap::new(),
            written: BTreeSet::new(),
            unclear: BTreeSet::new(),
            operands: BTreeMap::new(),
        }
    }

    fn body(&mut self, body: &Body) -> Option<()> {
        body.iter().try_for_each(|item| match item {
            Item::Step(step) => self.step(self.lowered.steps.work(*step)),
            Item::Branch(Branch { on: On::Pred(pred), arms, .. }) => self.branch(*pred, arms),
            Item::Branch(Branch { on: On::Index(_), .. }) | Item::Loop(_) => None,
        })
    }

    /// Other steps than those that move and compute single numbers are for others.
    fn step(&mut self, step: &Step) -> Option<()> {
        if let Step::Fused(fused) = step {
            self.fused(fused)
        } else if let Step::Copy(copy) = step {
            self.copy(copy)
        } else if let Step::Fill(Fill { to, element, width, count: 1 }) = step {
            let ty = [DType::Pred, DType::U32, DType::U64].into_iter().find(|ty| ty.bytes() == *width)?;
            let reg = self.splat(ty, *element)?;
            self.write(*to, reg)
        } else if let Step::Rename { from, to } = step {
            (self.root(*from) == self.root(*to)).then_some(())
        } else {
            matches!(step, Step::Touch { .. } | Step::Nothing).then_some(())
        }
    }

    fn fused(&mut self, fused: &Fused) -> Option<()> {
        if fused.count != 1 || !fused.sinks.is_empty() {
            return None;
        }
        let mut own: BTreeMap<Reg, Reg> = BTreeMap::new();
        for input in &fused.inputs {
            let reg = match &input.source {
                Source::Splat(element) => self.splat(input.dtype, *element)?,
                Source::Iota { .. } => self.splat(input.dtype, [0; 16])?,
                Source::View { buf, offset, .. } => {
                    self.read(*buf, offset * input.dtype.bytes() as isize, input.dtype)?
                }
            };
            own.insert(input.reg, reg);
        }
        for op in &fused.ops {
            let known = op.sources().iter().all(|reg| own.contains_key(reg));
            let ty = known.then(|| fused.regs.get(usize::from(op.target()))).flatten()?;
            let to = self.value(*ty)?;
            self.ops.push(op.renamed_into(&|reg| own.get(&reg).copied().unwrap_or(to), to));
            own.insert(op.target(), to);
        }
        for output in &fused.outputs {
            let reg = *own.get(&output.reg)?;
            let is_first = output.runs.is_none_or(|runs| runs.offset == 0);
            (is_first && self.types[usize::from(reg)] == output.dtype)
                .then(|| self.write(output.buf, reg))??;
        }
        Some(())
    }

    fn copy(&mut self, copy: &Copy) -> Option<()> {
        let moves = copy.source_places.is_empty() && copy.target_places.is_empty();
        if !moves || copy.dims.iter().product::<usize>() != 1 || copy.target_offset != 0 {
            return None;
        }
        let ty = [DType::Pred, DType::U32, DType::U64].into_iter().find(|ty| ty.bytes() == copy.width)?;
        let from = self.read(copy.from, copy.source_offset * copy.width as isize, ty)?;
        self.write(copy.to, from)
    }

    /// Both arms are computed; where they leave different values, one is chosen.
    fn branch(&mut self, pred: BufId, arms: &[Body]) -> Option<()> {
        let [then, otherwise] = arms else { return None };
        let p = self.known(pred)?;
        let before = self.now.clone();
        self.body(then)?;
        let one = std::mem::replace(&mut self.now, before.clone());
        self.body(otherwise)?;
        let other = std::mem::take(&mut self.now);
        self.now = before;
        for root in one.keys().chain(other.keys()).copied().collect::<BTreeSet<BufId>>() {
            let first = || self.now.get(&root).or(self.first.get(&root)).copied();
            let left = |arm: &BTreeMap<BufId, Reg>| arm.get(&root).copied().or_else(first);
            let (Some(a), Some(b)) = (left(&one), left(&other)) else {
                self.unclear.insert(root);
                continue;
            };
            let ty = self.types[usize::from(a)];
            let reg = match (a == b, self.is_seen_as(b, ty)) {
                (true, _) => a,
                (false, true) => {
                    let to = self.value(ty)?;
                    self.ops.push(TileOp::Select { ty, to, p, a, b });
                    to
                }
                (false, false) => return None,
            };
            self.now.insert(root, reg);
        }
        Some(())
    }

    fn root(&self, buf: BufId) -> BufId {
        self.lowered.steps.shared.root(buf)
    }

    fn value(&mut self, dtype: DType) -> Option<Reg> {
        self.types.push(dtype);
        Reg::try_from(self.types.len() - 1).ok()
    }

    fn splat(&mut self, ty: DType, element: [u8; 16]) -> Option<Reg> {
        let to = self.value(ty)?;
        self.ops.push(TileOp::Splat { ty, element, to });
        Some(to)
    }

    /// What a buffer of one element holds, if this trip wrote it.
    fn known(&self, buf: BufId) -> Option<Reg> {
        self.now.get(&self.root(buf)).copied().filter(|_| !self.unclear.contains(&self.root(buf)))
    }

    fn read(&mut self, buf: BufId, at: isize, dtype: DType) -> Option<Reg> {
        let root = self.root(buf);
        if self.unclear.contains(&root) || matches!(self.lowered.kind(root), Kind::PartOf(_)) {
            return None;
        }
        if self.lowered.bytes(root) == dtype.bytes() {
            let reg = self.now.get(&root).copied().or_else(|| self.first_of(root, dtype))?;
            return self.is_seen_as(reg, dtype).then_some(reg);
        }
        if let Some(reg) = self.operands.get(&(root, at)).copied() {
            return self.is_seen_as(reg, dtype).then_some(reg);
        }
        let reg = may_be_carried(dtype).then(|| self.value(dtype))??;
        self.operands.insert((root, at), reg);
        Some(reg)
    }

    /// Whether a value's bits are those of another type too.
    fn is_seen_as(&self, reg: Reg, dtype: DType) -> bool {
        let own = self.types[usize::from(reg)];
        let are_bits = own.bytes() == dtype.bytes() && may_be_carried(own) && may_be_carried(dtype);
        own == dtype || are_bits
    }

    /// What a buffer holds when the trip begins.
    fn first_of(&mut self, root: BufId, dtype: DType) -> Option<Reg> {
        if let Some(reg) = self.first.get(&root) {
            return Some(*reg);
        }
        let reg = may_be_carried(dtype).then(|| self.value(dtype))??;
        self.first.insert(root, reg);
        Some(reg)
    }

    fn write(&mut self, buf: BufId, reg: Reg) -> Option<()> {
        let root = self.root(buf);
        let fits = self.lowered.bytes(root) == self.types[usize::from(reg)].bytes();
        let is_part = matches!(self.lowered.kind(root), Kind::PartOf(_));
        (fits && !is_part).then(|| {
            self.now.insert(root, reg);
            self.written.insert(root);
            self.unclear.remove(&root);
        })
    }
}
