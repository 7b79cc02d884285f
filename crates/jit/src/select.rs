//! From the ops of a tile program to instructions.
//!
//! Values live in registers from where they are computed, or first read, to their last use. A loop that would need more
//! than there are, or an op or element type without instructions here, gets no code.
//!
//! In registers, `pred` is all ones or all zeros, and narrow floats are `f32`. All lanes have 32 bits, or all have 64,
//! or there are eight lanes of either size.

mod scalar_loop;

use super::asm::*;
use super::circle::Wave;
use super::divide::{self, Divisor};
use super::double::{is_double, sizes};
use super::fold;
use super::functions::{DOWN, LARGEST, SMALLEST, TO_NEAREST, UP};
use super::kept::{Parted, parted};
use super::memory::Code;
use super::narrow::{is_narrow, is_whole};
use super::wide::{Arg, MOST, Wide};
use super::{From, Loop, Port, Prefetch, To, held_bits};
use crate::math::{ERF, ERF_MOST, TANH, TANH_MOST};
use crate::op::{Reg, TileOp};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};

pub use scalar_loop::{Carry, ScalarLoop, Test, compile_scalar_loop, may_be_carried};

/// Bytes of a line of the caches.
const LINE: usize = 64;

/// A way to share registers: how many values of each loop's rows are kept, how many vectors are in a step, and how many
/// of them are computed at once at least.
type Way = (usize, usize, usize);

/// The first one that fits is taken.
const WAYS: [Way; 11] = [
    (12, MOST, MOST),
    (8, MOST, MOST),
    (4, MOST, MOST),
    (12, MOST, 2),
    (8, MOST, 2),
    (4, MOST, 2),
    (0, MOST, MOST),
    (0, MOST, 2),
    (0, MOST, 1),
    (0, 2, 1),
    (0, 1, 1),
];

/// With half as many registers.
const WAYS_OF_FEWER: [Way; 10] = [
    (4, MOST, MOST),
    (2, MOST, MOST),
    (0, MOST, MOST),
    (4, MOST, 2),
    (2, MOST, 2),
    (6, MOST, 1),
    (3, MOST, 1),
    (1, MOST, 1),
    (0, MOST, 1),
    (0, 1, 1),
];

fn ways(target: Target) -> &'static [Way] {
    match target {
        Target::Avx2 => &WAYS_OF_FEWER,
        Target::Avx512 | Target::Neon => &WAYS,
    }
}

/// Registers that are taken for as long as a row goes on.
pub struct Registers {
    next: Vector,
    /// Masks of reductions.
    pub masks: usize,
    /// General registers of divisors.
    pub flags: usize,
}

impl Registers {
    /// The next one from the last on, unless too few were left.
    pub fn keep(&mut self) -> Option<Vector> {
        self.next = self.next.checked_sub(1).filter(|next| *next >= FEWEST)?;
        Some(self.next)
    }
}

/// Registers that are left to the values of one step.
const FEWEST: Vector = 6;

/// Code for loops over the same rows, which take turns with every few elements; between rows, streams go on by so many
/// bytes. `None` if there is none for their ops or their types. Only a CPU of that kind can run it.
pub fn compile(target: Target, loops: &[Loop<'_>], steps: &[(Reg, i32)]) -> Option<Code> {
    if loops.iter().any(|one| one.outputs.is_empty() && one.folds.is_empty()) {
        return None;
    }
    let (single, double) = loops.iter().map(sizes_of).fold((false, false), |(a, b), (c, d)| (a || c, b || d));
    let mixed = single && double;
    let folds = loops.iter().any(|one| !one.folds.is_empty());
    if mixed && (folds || !target.has_masks()) {
        return None;
    }
    // Lanes of a reduction are the same wherever a row ends.
    let last = if folds { fold::vectors(target) } else { 1 };
    let written =
        |way, kept: &[Constant]| written(loops, steps, Asm::new(target, double, mixed), (way, last), kept);
    let least = |(kept, in_step, at_once): &Way| (*kept, last.max(*in_step), *at_once);
    let (way, first) = ways(target).iter().map(least).find_map(|way| Some((way, written(way, &[])?)))?;
    let constants = constants_of(&first);
    let second = if constants.is_empty() { None } else { written(way, &constants) };
    Code::of(&second.unwrap_or(first))
}

/// The constants that are read most often, as many as registers were left for.
fn constants_of(first: &Asm) -> Vec<Constant> {
    let mut constants: Vec<(Constant, usize)> = first.uses.iter().map(|(at, uses)| (*at, *uses)).collect();
    constants.retain(|(_, uses)| *uses > 0);
    constants.sort_by_key(|(_, uses)| std::cmp::Reverse(*uses));
    constants.into_iter().map(|(at, _)| at).take(first.spare).collect()
}

fn sizes_of(one: &Loop<'_>) -> (bool, bool) {
    let inputs = one.inputs.iter().map(|port| port.dtype);
    let outputs = one.outputs.iter().map(|port| port.dtype);
    sizes(one.ops, inputs.chain(outputs).chain(one.folds.iter().map(|port| port.dtype)))
}

/// A loop with what is there for the whole row.
struct Begun<'a> {
    of: &'a Loop<'a>,
    ops: Vec<TileOp>,
    kept: Vec<(Reg, Vector)>,
    folds: Vec<fold::Running>,
    divisors: Vec<Divisor>,
    /// The first register that is not for the values of one step.
    free: Vector,
}

fn written(
    loops: &[Loop<'_>],
    steps: &[(Reg, i32)],
    mut asm: Asm,
    ((kept, in_step, at_once), last): (Way, usize),
    constants: &[Constant],
) -> Option<Asm> {
    asm.enter();
    asm.keep(constants);
    asm.for_rows(steps, |asm| {
        let next = asm.target.registers() - constants.len() as Vector;
        let mut registers = Registers { next, masks: 0, flags: 0 };
        let begun: Option<Vec<Begun<'_>>> =
            loops.iter().map(|of| Begun::of(asm, of, kept, &mut registers)).collect();
        let mut begun = begun?;
        begun.iter_mut().for_each(|one| one.free = registers.next);
        asm.fill_upper();
        asm.looped(in_step, last, |asm, now, rest| {
            asm.counting = now == in_step && !rest;
            let in_step = now;
            if !rest {
                let prefetches = begun
                    .iter()
                    .flat_map(|one| one.of.prefetches.iter().map(|prefetch| (one.of.first, prefetch)));
                prefetches.for_each(|(first, prefetch)| prefetch_ahead(asm, first, *prefetch, in_step));
            }
            begun.iter().try_for_each(|one| one.step(asm, in_step, at_once, rest))
        })?;
        asm.counting = false;
        begun.iter().for_each(|one| fold::ended(asm, &one.folds, one.of.first));
        Some(())
    })?;
    asm.leave();
    (!asm.missing).then_some(asm)
}

impl<'a> Begun<'a> {
    /// Write what comes before the row.
    fn of(asm: &mut Asm, of: &'a Loop<'a>, kept: usize, registers: &mut Registers) -> Option<Begun<'a>> {
        let Parted { before, within, kept } = parted(of, kept);
        let kept = kept.into_iter().map(|reg| Some((reg, registers.keep()?))).collect::<Option<Vec<_>>>()?;
        let none = (&[][..], &[][..]);
        let first = Begun {
            of,
            ops: before,
            kept: Vec::new(),
            folds: Vec::new(),
            divisors: Vec::new(),
            free: registers.next,
        };
        Step::new(asm, &first, none, (0, 1), false)?.keep(&kept)?;
        asm.set_double(false);
        let folds = fold::begun(asm, of.folds, registers)?;
        let divisors = divide::begun(asm, &within, &kept, registers);
        Some(Begun { of, ops: within, kept, folds, divisors, free: registers.next })
    }

    /// Write one step, as many vectors at once as there are registers for.
    fn step(&self, asm: &mut Asm, in_step: usize, least: usize, rest: bool) -> Option<()> {
        let before = (asm.code.len(), asm.uses.clone(), asm.spare);
        let ways =
            [MOST, 2, 1].into_iter().filter(|at_once| *at_once <= in_step && *at_once >= least.min(in_step));
        for at_once in ways {
            let mut parts = (0..in_step).step_by(at_once);
            let outputs = (self.of.outputs, &self.folds[..]);
            if parts.all(|from| {
                Step::new(asm, self, outputs, (from, at_once), rest).and_then(Step::run).is_some()
            }) {
                return Some(());
            }
            asm.code.truncate(before.0);
            (asm.uses, asm.spare) = (before.1.clone(), before.2);
        }
        None
    }
}

/// Ask for what lies ahead of so many vectors.
fn prefetch_ahead(asm: &mut Asm, first: usize, prefetch: Prefetch, in_step: usize) {
    asm.address(first + prefetch.of as usize);
    (0..in_step * asm.lanes() * prefetch.width).step_by(LINE).for_each(|line| {
        asm.prefetch(prefetch.near, prefetch.width as u8, prefetch.ahead.saturating_add(line as i32));
    });
}

/// Types whose values are held in lanes of 32 bits.
fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
}

/// One step of a few vectors, being written.
pub struct Step<'a> {
    pub asm: &'a mut Asm,
    of: &'a Begun<'a>,
    outputs: &'a [Port<To>],
    folds: &'a [fold::Running],
    /// Vectors of the loop's step that come before.
    pub from: usize,
    /// Vectors at once.
    pub at_once: usize,
    /// Whether this is the shorter last step.
    pub rest: bool,
    /// Whether nothing but stores of upper halves reads what is computed now.
    loose: bool,
    /// The register of each value that has one.
    at: Vec<Option<Wide>>,
    free: Vec<Vector>,
    /// How many were free at least.
    least: usize,
}

impl<'a> Step<'a> {
    fn new(
        asm: &'a mut Asm,
        of: &'a Begun<'a>,
        (outputs, folds): (&'a [Port<To>], &'a [fold::Running]),
        (from, at_once): (usize, usize),
        rest: bool,
    ) -> Option<Step<'a>> {
        let regs =
            of.of.ops.iter().chain(&of.ops).flat_map(|op| op.sources().into_iter().chain([op.target()]));
        let inputs = of.of.inputs.iter().map(|port| port.reg);
        let regs = regs.chain(inputs).chain(outputs.iter().map(|port| port.reg));
        let count = regs.chain(of.kept.iter().map(|(reg, _)| *reg)).max()? as usize + 1;
        let mut at = vec![None; count];
        of.kept.iter().for_each(|(reg, vector)| at[*reg as usize] = Some(Wide([*vector; MOST])));
        let free: Vec<Vector> = (0..of.free).rev().collect();
        let least = free.len();
        Some(Step { asm, of, outputs, folds, from, at_once, rest, loose: false, at, free, least })
    }

    /// Run the ops and put values into registers that are kept.
    fn keep(mut self, kept: &[(Reg, Vector)]) -> Option<()> {
        for (at, op) in self.of.ops.iter().enumerate() {
            op.sources().into_iter().try_for_each(|reg| self.read(reg))?;
            let to = self.take()?;
            self.computed(op, to)?;
            self.at[op.target() as usize] = Some(to);
            self.drop_dead(at, op, kept);
        }
        for (reg, vector) in kept {
            let there = self.vector(*reg);
            if there.is_none() {
                self.read(*reg)?;
            }
            let from = self.vector(*reg)?;
            self.put_one(MOVE, Wide([*vector; MOST]), Arg::Each(from));
            if there.is_none() {
                self.at[*reg as usize] = None;
                self.give([from]);
            }
        }
        self.asm.spare = self.asm.spare.min(self.least);
        Some(())
    }

    pub fn take(&mut self) -> Option<Wide> {
        let mut found = [0; MOST];
        for vector in found.iter_mut().take(self.at_once) {
            *vector = self.free.pop()?;
        }
        self.least = self.least.min(self.free.len());
        Some(Wide(found))
    }

    pub fn give<const N: usize>(&mut self, values: [Wide; N]) {
        for Wide(vectors) in values {
            self.free.extend(vectors.iter().take(self.at_once));
        }
    }

    pub fn give_all(&mut self, values: Option<Wide>) {
        values.into_iter().for_each(|value| self.give([value]));
    }

    pub fn repeat(&mut self, to: Wide, bits: u32) {
        let constant = self.asm.constant(bits);
        self.repeat_of(to, constant);
    }

    pub fn repeat_of(&mut self, to: Wide, constant: Rm) {
        if let Rm::Constant(at) = constant {
            self.put_one(REPEAT, to, Rm::Constants(at));
        }
    }

    pub fn table(&mut self, table: &[f32; 32]) -> [Rm; 2] {
        self.asm.table(table)
    }

    fn run(mut self) -> Option<()> {
        for at in 0..self.of.ops.len() {
            let op = &self.of.ops[at];
            for reg in op.sources() {
                self.read(reg)?;
            }
            let to = self.take()?;
            self.loose = self.is_only_stored(op.target());
            self.computed(op, to)?;
            let target = op.target() as usize;
            if let Some(old) = self.at[target].replace(to) {
                self.give([old]);
            }
            for i in 0..self.outputs.len() {
                let port = self.outputs[i];
                if port.reg == op.target() && !port.at.last {
                    self.write(port)?;
                }
            }
            for fold in self.folds.iter().filter(|fold| fold.port.reg == op.target()) {
                self.fold(fold, to)?;
            }
            self.drop_dead(at, op, &self.of.kept);
        }
        for i in 0..self.outputs.len() {
            let port = self.outputs[i];
            if port.at.last {
                self.write(port)?;
            }
        }
        self.asm.spare = self.asm.spare.min(self.least);
        Some(())
    }

    /// Registers of values that nothing reads any more are free again.
    fn drop_dead(&mut self, at: usize, op: &TileOp, kept: &[(Reg, Vector)]) {
        for reg in op.sources().into_iter().chain([op.target()]) {
            if self.is_dead(at, reg)
                && kept.iter().all(|(kept, _)| *kept != reg)
                && let Some(vector) = self.at[reg as usize].take()
            {
                self.give([vector]);
            }
        }
    }

    /// Whether a value is read by no op and no reduction, and stored as `bf16`.
    fn is_only_stored(&self, reg: Reg) -> bool {
        let stored = |port: &Port<To>| port.at.memory && port.dtype == DType::BF16;
        self.of.ops.iter().all(|op| !op.sources().contains(&reg))
            && self.folds.iter().all(|fold| fold.port.reg != reg)
            && self.outputs.iter().filter(|port| port.reg == reg).all(stored)
    }

    fn is_dead(&self, at: usize, reg: Reg) -> bool {
        for op in &self.of.ops[at + 1..] {
            if op.sources().contains(&reg) {
                return false;
            }
            if op.target() == reg {
                return true;
            }
        }
        !self.outputs.iter().any(|port| port.reg == reg && port.at.last)
    }

    /// Bring an operand into a register, unless it is in one.
    fn read(&mut self, reg: Reg) -> Option<()> {
        if self.at.get(reg as usize)?.is_some() {
            return Some(());
        }
        let port = *self.of.of.inputs.iter().find(|port| port.reg == reg)?;
        let to = self.take()?;
        self.at[reg as usize] = Some(to);
        self.size_of(port.dtype);
        if let From::Known(bits) = port.at {
            let constant = self.asm.long(bits);
            self.repeat_of(to, constant);
            return Some(());
        }
        self.asm.address(self.of.of.first + reg as usize);
        let mut load = |inst, width| self.put_stream(inst, to, width, true);
        match (port.at, port.dtype) {
            (From::One, DType::F32 | DType::S32 | DType::U32) => self.put_one(REPEAT, to, Rm::Element),
            (From::One, ty) if is_double(ty) => self.put_one(REPEAT, to, Rm::Element),
            (From::Memory | From::Tile, ty) if is_double(ty) => load(LOAD, 8)?,
            (From::Memory | From::Tile, DType::F32 | DType::S32 | DType::U32) => load(LOAD, 4)?,
            (From::Count, DType::F32 | DType::S32 | DType::U32) => self.count(to, port.dtype)?,
            (From::Tile, DType::BF16 | DType::F16) => load(LOAD, 4)?,
            (From::Tile, ty) if is_narrow(ty) => load(LOAD, 4)?,
            (From::Memory, ty) if is_narrow(ty) => self.load_narrow(ty, to)?,
            (From::One, ty) if is_narrow(ty) => self.repeat_narrow(ty, to)?,
            (From::Memory, DType::F16) => load(OF_F16, 2)?,
            (From::Memory, DType::BF16) => self.put_upper_halves(to)?,
            (From::One, DType::BF16) => {
                self.put_one(REPEAT_16, to, Rm::Element);
                self.shift_left(to, to, 16);
            }
            (From::One, DType::F16) => {
                self.put_one(REPEAT_16, to, Rm::Element);
                self.put_one(OF_F16, to, Arg::Each(to));
            }
            (From::Memory | From::Tile, DType::Pred) => {
                load(WIDEN_8, 1)?;
                let zero = self.take()?;
                self.put(XOR, zero, zero, Arg::Each(zero));
                self.put(INT_SUB, to, zero, Arg::Each(to));
                self.give([zero]);
            }
            _ => return None,
        }
        Some(())
    }

    /// Let instructions be those of a type.
    fn size_of(&mut self, ty: DType) {
        self.asm.set_double(is_double(ty) || ty == DType::Pred);
    }

    /// Whole numbers, the first of which is at the address.
    fn count(&mut self, to: Wide, dtype: DType) -> Option<()> {
        let done = self.take()?;
        self.put_one(REPEAT, to, Rm::Element);
        match self.asm.target {
            Target::Avx2 => {
                self.put_one(OF_REGISTER, done, Rm::Done);
                self.put_one(REPEAT_FIRST, done, Arg::Each(done));
            }
            Target::Avx512 | Target::Neon => self.put_one(REPEAT_REGISTER, done, Rm::Done),
        }
        self.put(INT_ADD, to, to, Arg::Each(done));
        for i in 0..self.at_once {
            let numbers = self.asm.numbers(((self.from + i) * self.asm.lanes()) as u32);
            self.asm.emit(INT_ADD, to.0[i], to.0[i], numbers);
        }
        if dtype == DType::F32 {
            self.put_one(FLOAT_OF_INT, to, Arg::Each(to));
        }
        self.give([done]);
        Some(())
    }

    fn write(&mut self, port: Port<To>) -> Option<()> {
        let x = self.vector(port.reg)?;
        self.asm.address(self.of.of.first + port.reg as usize);
        self.size_of(port.dtype);
        let whole_lines = self.asm.double || !self.asm.is_mixed();
        let past = port.at.past && !self.rest && whole_lines;
        match port.dtype {
            DType::F32 | DType::S32 | DType::U32 => {
                let inst = if past { STORE_PAST_CACHES } else { STORE };
                self.put_stream(inst, x, 4, false)?;
            }
            ty if is_double(ty) => {
                self.put_stream(if past { STORE_PAST_CACHES } else { STORE }, x, 8, false)?
            }
            DType::BF16 | DType::F16 if !port.at.memory => self.put_stream(STORE, x, 4, false)?,
            ty if is_narrow(ty) && !port.at.memory => self.put_stream(STORE, x, 4, false)?,
            ty if is_narrow(ty) => self.store_narrow(ty, x, past)?,
            DType::F16 => self.put_stream_imm(TO_F16, x, 2, TO_NEAREST),
            DType::BF16 => self.take_upper_halves(x, past)?,
            DType::Pred => {
                let (t, one) = (self.take()?, self.asm.constant(1));
                self.put(AND, t, x, one);
                self.put_bytes(t)?;
                self.give([t]);
            }
            _ => return None,
        }
        Some(())
    }

    /// What the op divides by, if that is one number for all elements.
    fn divisor(&self, op: &TileOp) -> Option<&'a Divisor> {
        let by = divide::divisor_of(op)?;
        self.of.divisors.iter().find(|divisor| divisor.reg == by)
    }

    fn vector(&self, reg: Reg) -> Option<Wide> {
        self.at.get(reg as usize).copied().flatten()
    }

    fn computed(&mut self, op: &TileOp, to: Wide) -> Option<()> {
        if let (TileOp::Binary { a, ty, .. }, Some(divisor)) = (op, self.divisor(op)) {
            let a = self.vector(*a)?;
            self.size_of(DType::F32);
            self.quotient(to, a, divisor)?;
            return self.rounded(*ty, to, to);
        }
        match op {
            TileOp::Unary { op, ty, a, .. } => {
                let a = self.vector(*a)?;
                self.size_of(*ty);
                if self.asm.double {
                    self.of_one_double(*op, *ty, to, a)
                } else {
                    self.of_one(*op, *ty, to, a)
                }
            }
            TileOp::Binary { op, ty, a, b, .. } => {
                let (a, b) = (self.vector(*a)?, self.vector(*b)?);
                self.size_of(*ty);
                if self.asm.double {
                    self.of_two_double(*op, *ty, to, a, b)
                } else {
                    self.of_two(*op, *ty, to, a, b)
                }
            }
            TileOp::Compare { direction, total: false, ty, a, b, .. } => {
                let (a, b) = (self.vector(*a)?, self.vector(*b)?);
                self.size_of(*ty);
                let found = self.compare_as(*direction, *ty, a, b)?;
                self.size_of(DType::Pred);
                self.lanes_of(found, to);
                Some(())
            }
            TileOp::Compare { direction, ty, a, b, .. } if is_float(*ty) => {
                let (a, b) = (self.vector(*a)?, self.vector(*b)?);
                self.size_of(*ty);
                let (a, b) = (self.total_key(a)?, self.total_key(b)?);
                let found = self.compare_as(*direction, DType::S32, a, b)?;
                self.give([a, b]);
                self.size_of(DType::Pred);
                self.lanes_of(found, to);
                Some(())
            }
            TileOp::Compare { .. } => None,
            TileOp::Select { ty, p, a, b, .. } => {
                let (p, a, b) = (self.vector(*p)?, self.vector(*a)?, self.vector(*b)?);
                if !(is_float(*ty) || is_whole(*ty) || is_double(*ty) || *ty == DType::Pred) {
                    return None;
                }
                self.size_of(*ty);
                let mut lanes = p;
                if self.asm.is_mixed() && !self.asm.double {
                    self.half_lanes(to, p);
                    lanes = to;
                }
                self.choose(to, lanes, a, b);
                Some(())
            }
            TileOp::Convert { from, to_ty, a, .. } => {
                let a = self.vector(*a)?;
                self.size_of(*from);
                if self.asm.is_mixed() && is_double(*to_ty) != (is_double(*from) || *from == DType::Pred) {
                    return self.convert_size(*from, *to_ty, to, a);
                }
                if self.asm.double {
                    self.convert_double(*from, *to_ty, to, a)
                } else {
                    self.convert(*from, *to_ty, to, a)
                }
            }
            TileOp::Bitcast { from, to_ty, a, .. } => {
                let a = self.vector(*a)?;
                if is_narrow(*from) || is_narrow(*to_ty) {
                    return self.bitcast_narrow(*from, *to_ty, to, a);
                }
                let held = |ty: DType| ty == DType::F32 || is_whole(ty) || is_double(ty);
                let same = held(*from) && held(*to_ty) && is_double(*from) == is_double(*to_ty);
                self.put_one(MOVE, to, Arg::Each(a));
                same.then_some(())
            }
            TileOp::Precision { .. } => None,
            TileOp::Splat { ty, element, .. } => {
                let bits = held_bits(*ty, element)?;
                self.size_of(*ty);
                let constant = self.asm.long(bits);
                self.repeat_of(to, constant);
                Some(())
            }
        }
    }

    /// Whole numbers in the total order of floats: those below zero with all bits but the sign flipped. What is no
    /// number is a quiet one.
    fn total_key(&mut self, a: Wide) -> Option<Wide> {
        let (key, sign) = (self.take()?, self.take()?);
        let zero = self.asm.float(-0.0);
        self.put(ADD, key, a, zero);
        self.shift_signed_right(sign, key, 31);
        self.shift_right(sign, sign, 1);
        self.put(XOR, key, key, Arg::Each(sign));
        self.give([sign]);
        Some(key)
    }

    fn of_one(&mut self, op: UnaryOp, ty: DType, to: Wide, a: Wide) -> Option<()> {
        let x = Arg::Each(a);
        if is_whole(ty) {
            return self.of_one_whole(op, ty, to, a);
        }
        match (op, ty) {
            (UnaryOp::Copy, ty) if is_float(ty) || ty == DType::Pred => {
                self.put_one(MOVE, to, x);
            }
            (UnaryOp::Not, DType::Pred) => {
                let ones = self.asm.constant(u32::MAX);
                self.put(XOR, to, a, ones);
            }
            (UnaryOp::Negate, DType::F32 | DType::BF16 | DType::F16) => {
                let sign = self.asm.constant(1 << 31);
                self.put(XOR, to, a, sign);
            }
            (UnaryOp::Abs, DType::F32 | DType::BF16 | DType::F16) => {
                let rest = self.asm.constant(u32::MAX >> 1);
                self.put(AND, to, a, rest);
            }
            (UnaryOp::Square, DType::F32) => self.put(MUL, to, a, x),
            (UnaryOp::Sqrt, DType::F32) => self.put_one(SQRT, to, x),
            (UnaryOp::Rsqrt, DType::F32) => {
                let one = self.constant(1.0)?;
                self.put_one(SQRT, to, x);
                self.put(DIV, to, one, Arg::Each(to));
                self.give([one]);
            }
            (UnaryOp::Exponential, DType::F32) => return self.exp(to, a),
            (UnaryOp::Log, DType::F32) => return self.log(to, a),
            (UnaryOp::LogPlusOne, DType::F32) => return self.log_plus_one(to, a),
            (UnaryOp::Tanh, DType::F32) => return self.odd(to, a, &TANH, TANH_MOST),
            (UnaryOp::Erf, DType::F32) => return self.odd(to, a, &ERF, ERF_MOST),
            (UnaryOp::Floor, ty) if is_float(ty) => self.put_one_imm(TO_WHOLE, to, a, DOWN),
            (UnaryOp::Ceil, ty) if is_float(ty) => self.put_one_imm(TO_WHOLE, to, a, UP),
            (UnaryOp::RoundNearestEven, ty) if is_float(ty) => {
                self.put_one_imm(TO_WHOLE, to, a, TO_NEAREST);
            }
            (UnaryOp::Logistic, DType::F32) => return self.logistic(to, a),
            (UnaryOp::ExponentialMinusOne, DType::F32) => return self.exp_minus_one(to, a),
            (UnaryOp::Cbrt, DType::F32) => return self.cube_root(to, a),
            (UnaryOp::Sine, DType::F32) => return self.wave(Wave::Sine, to, a),
            (UnaryOp::Cosine, DType::F32) => return self.wave(Wave::Cosine, to, a),
            (UnaryOp::Tan, DType::F32) => return self.wave(Wave::Tangent, to, a),
            _ => return None,
        }
        Some(())
    }

    fn of_two(&mut self, op: BinaryOp, ty: DType, to: Wide, a: Wide, b: Wide) -> Option<()> {
        let x = Arg::Each(b);
        if is_float(ty) {
            match op {
                BinaryOp::Maximum => return self.extreme(LARGEST, to, a, b),
                BinaryOp::Minimum => return self.extreme(SMALLEST, to, a, b),
                BinaryOp::Add => self.put(ADD, to, a, x),
                BinaryOp::Subtract => self.put(SUB, to, a, x),
                BinaryOp::Multiply => self.put(MUL, to, a, x),
                BinaryOp::Divide => self.put(DIV, to, a, x),
                _ => return None,
            }
            return self.rounded(ty, to, to);
        }
        match (op, ty) {
            (_, ty) if is_whole(ty) => return self.of_two_whole(op, ty, to, a, b),
            (BinaryOp::Xor, DType::Pred) => self.put(XOR, to, a, x),
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Maximum, DType::Pred) => self.put(OR, to, a, x),
            (BinaryOp::Multiply | BinaryOp::And | BinaryOp::Minimum, DType::Pred) => {
                self.put(AND, to, a, x);
            }
            _ => return None,
        }
        Some(())
    }

    /// The nearest number of a type, from an `f32`.
    pub fn rounded(&mut self, ty: DType, to: Wide, x: Wide) -> Option<()> {
        match ty {
            DType::BF16 => return self.nearest_bf16(to, x, self.loose),
            DType::F16 => self.nearest_f16(to, x),
            _ if to != x => self.put_one(MOVE, to, Arg::Each(x)),
            _ => {}
        }
        Some(())
    }

    pub fn convert(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        let bits = match (from, into) {
            (DType::Pred, DType::F32 | DType::BF16 | DType::F16) => 1f32.to_bits(),
            (DType::Pred, into) if is_whole(into) => 1,
            (from, into) if is_whole(from) => return self.convert_whole(from, into, to, a),
            (DType::F32, DType::BF16 | DType::F16) => return self.rounded(into, to, a),
            (DType::BF16 | DType::F16, DType::F32) => {
                self.put_one(MOVE, to, Arg::Each(a));
                return Some(());
            }
            _ => return None,
        };
        let kept = self.asm.constant(bits);
        self.put(AND, to, a, kept);
        Some(())
    }
}
