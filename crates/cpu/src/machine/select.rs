//! From the ops of a tile program to instructions.
//!
//! Values live in registers from where they are computed, or first read, to their last use. A loop that would need more
//! than there are, or an op or element type without instructions here, gets no code.
//!
//! In registers, `pred` is all ones or all zeros, and narrow floats are `f32`. All lanes have 32 bits, or all have 64.

use super::asm::*;
use super::divide::{self, Divisor};
use super::double::{is_double, lanes_are_double};
use super::fold;
use super::functions::{CHOOSE, DOWN, LARGEST, SMALLEST, TO_NEAREST, UP};
use super::memory::Code;
use super::wide::{Arg, MOST, Wide};
use super::{Ask, Fold, From, Port, To, held_bits};
use crate::math::{ERF, ERF_MOST, TANH, TANH_MOST};
use crate::tile::{Reg, TileOp};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};

/// Bytes of a line of the caches.
const LINE: usize = 64;

/// Code for a loop; between rows, streams go on by so many bytes. `None` if there is none for its ops, its types, or on this CPU.
pub fn compile(
    ops: &[TileOp],
    inputs: &[Port<From>],
    outputs: &[Port<To>],
    folds: &[Port<Fold>],
    asks: &[Ask],
    steps: &[(Reg, i32)],
) -> Option<Code> {
    let there = crate::isa::avx512();
    if !there || (outputs.is_empty() && folds.is_empty()) {
        return None;
    }
    let ports = inputs.iter().map(|port| port.dtype).chain(outputs.iter().map(|port| port.dtype));
    let double = lanes_are_double(ops, ports.chain(folds.iter().map(|port| port.dtype)))?;
    // As many vectors at once as registers allow.
    [MOST, 2, 1].into_iter().find_map(|at_once| {
        let mut asm = Asm::new(double);
        asm.for_rows(steps, |asm| {
            let folds = fold::begun(asm, folds, at_once)?;
            let divisors = divide::begun(asm, ops, inputs, fold::first(&folds, at_once));
            asm.looped(at_once, |asm, at_once, rest| {
                if !rest {
                    asks.iter().for_each(|ask| asked(asm, *ask, at_once));
                }
                Step::new(asm, ops, inputs, outputs, (&folds, &divisors), at_once, rest)?.run()
            })?;
            fold::ended(asm, &folds, at_once);
            Some(())
        })?;
        asm.leave();
        Code::of(&asm)
    })
}

/// Ask for what lies ahead of so many vectors.
fn asked(asm: &mut Asm, ask: Ask, at_once: usize) {
    asm.address(ask.of as usize);
    (0..at_once * asm.lanes() * ask.width).step_by(LINE).for_each(|line| {
        asm.prefetch(ask.near, ask.width as u8, ask.ahead.saturating_add(line as i32));
    });
}

/// Types whose values are held in lanes of 32 bits.
fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
}

fn is_int(dtype: DType) -> bool {
    matches!(dtype, DType::S32 | DType::U32)
}

/// One step of 16 lanes, being written.
pub struct Step<'a> {
    pub asm: &'a mut Asm,
    ops: &'a [TileOp],
    inputs: &'a [Port<From>],
    outputs: &'a [Port<To>],
    folds: &'a [fold::Running],
    divisors: &'a [Divisor],
    /// Vectors at once.
    pub at_once: usize,
    /// Whether this is the shorter last step.
    pub rest: bool,
    /// The register of each value that has one.
    at: Vec<Option<Wide>>,
    free: Vec<Vector>,
}

impl<'a> Step<'a> {
    fn new(
        asm: &'a mut Asm,
        ops: &'a [TileOp],
        inputs: &'a [Port<From>],
        outputs: &'a [Port<To>],
        (folds, divisors): (&'a [fold::Running], &'a [Divisor]),
        at_once: usize,
        rest: bool,
    ) -> Option<Step<'a>> {
        let regs = ops.iter().flat_map(|op| op.sources().into_iter().chain([op.target()]));
        let count = regs.chain(outputs.iter().map(|port| port.reg)).max()? as usize + 1;
        let taken = |vector: &Vector| {
            folds.iter().any(|fold| fold.lanes.0.contains(vector))
                || divisors.iter().any(|divisor| divisor.registers().contains(vector))
        };
        let free = (0..32).rev().filter(|vector| !taken(vector)).collect();
        Some(Step { asm, ops, inputs, outputs, folds, divisors, at_once, rest, at: vec![None; count], free })
    }

    pub fn take(&mut self) -> Option<Wide> {
        let mut found = [0; MOST];
        for vector in found.iter_mut().take(self.at_once) {
            *vector = self.free.pop()?;
        }
        Some(Wide(found))
    }

    pub fn give<const N: usize>(&mut self, values: [Wide; N]) {
        for Wide(vectors) in values {
            self.free.extend(vectors.iter().take(self.at_once));
        }
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
        for at in 0..self.ops.len() {
            let op = &self.ops[at];
            for reg in op.sources() {
                if self.divisor(op).is_none_or(|divisor| divisor.reg != reg) {
                    self.read(reg)?;
                }
            }
            let to = self.take()?;
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
                self.fold(fold, to);
            }
            self.drop_dead(at, op);
        }
        for i in 0..self.outputs.len() {
            let port = self.outputs[i];
            if port.at.last {
                self.write(port)?;
            }
        }
        Some(())
    }

    /// Registers of values that nothing reads any more are free again.
    fn drop_dead(&mut self, at: usize, op: &TileOp) {
        for reg in op.sources().into_iter().chain([op.target()]) {
            if self.is_dead(at, reg)
                && let Some(vector) = self.at[reg as usize].take()
            {
                self.give([vector]);
            }
        }
    }

    fn is_dead(&self, at: usize, reg: Reg) -> bool {
        for op in &self.ops[at + 1..] {
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
        let port = *self.inputs.iter().find(|port| port.reg == reg)?;
        let to = self.take()?;
        self.at[reg as usize] = Some(to);
        if let From::Known(bits) = port.at {
            let constant = self.asm.long(bits);
            self.repeat_of(to, constant);
            return Some(());
        }
        self.asm.address(reg as usize);
        let mut load = |inst, width| self.put_stream(inst, to, width, true);
        match (port.at, port.dtype) {
            (From::One, DType::F32 | DType::S32 | DType::U32) => self.put_one(REPEAT, to, Rm::Element),
            (From::One, ty) if is_double(ty) => self.put_one(REPEAT, to, Rm::Element),
            (From::Memory | From::Tile, ty) if is_double(ty) => load(LOAD, 8),
            (From::Memory | From::Tile, DType::F32 | DType::S32 | DType::U32) => load(LOAD, 4),
            (From::Count, DType::F32 | DType::S32 | DType::U32) => self.count(to, port.dtype)?,
            (From::Tile, DType::BF16 | DType::F16) => load(LOAD, 4),
            (From::Memory, DType::F16) => load(OF_F16, 2),
            (From::Memory, DType::BF16) => {
                load(WIDEN_16, 2);
                self.shift_left(to, to, 16);
            }
            (From::Memory | From::Tile, DType::Pred) => {
                load(WIDEN_8, 1);
                let zero = self.take()?;
                self.put(XOR, zero, zero, Arg::Each(zero));
                self.put(INT_SUB, to, zero, Arg::Each(to));
                self.give([zero]);
            }
            _ => return None,
        }
        Some(())
    }

    /// Whole numbers, the first of which is at the address.
    fn count(&mut self, to: Wide, dtype: DType) -> Option<()> {
        let done = self.take()?;
        self.put_one(REPEAT, to, Rm::Element);
        self.put_one(REPEAT_REGISTER, done, DONE);
        self.put(INT_ADD, to, to, Arg::Each(done));
        for i in 0..self.at_once {
            let numbers = self.asm.numbers((i * LANES) as u32);
            self.asm.masked(INT_ADD, to.0[i], to.0[i], numbers, 0, false);
        }
        if dtype == DType::F32 {
            self.put_one(FLOAT_OF_INT, to, Arg::Each(to));
        }
        self.give([done]);
        Some(())
    }

    fn write(&mut self, port: Port<To>) -> Option<()> {
        let x = self.vector(port.reg)?;
        self.asm.address(port.reg as usize);
        let past = port.at.past && !self.rest;
        match port.dtype {
            DType::F32 | DType::S32 | DType::U32 => {
                let inst = if past { STORE_PAST_CACHES } else { STORE };
                self.put_stream(inst, x, 4, false);
            }
            ty if is_double(ty) => self.put_stream(if past { STORE_PAST_CACHES } else { STORE }, x, 8, false),
            DType::BF16 | DType::F16 if !port.at.memory => self.put_stream(STORE, x, 4, false),
            DType::F16 => self.put_stream_imm(TO_F16, x, 2, TO_NEAREST),
            DType::BF16 => {
                let t = self.take()?;
                self.shift_right(t, x, 16);
                self.put_stream(NARROW_16, t, 2, false);
                self.give([t]);
            }
            DType::Pred => {
                let (t, one) = (self.take()?, self.asm.constant(1));
                self.put(AND, t, x, one);
                self.put_stream(NARROW_8, t, 1, false);
                self.give([t]);
            }
            _ => return None,
        }
        Some(())
    }

    /// What the op divides by, if that is one number for all elements.
    fn divisor(&self, op: &TileOp) -> Option<&'a Divisor> {
        let TileOp::Binary { op: BinaryOp::Divide, ty: DType::F32, b, .. } = op else { return None };
        self.divisors.iter().find(|divisor| divisor.reg == *b)
    }

    fn vector(&self, reg: Reg) -> Option<Wide> {
        self.at.get(reg as usize).copied().flatten()
    }

    fn computed(&mut self, op: &TileOp, to: Wide) -> Option<()> {
        if let (TileOp::Binary { a, .. }, Some(divisor)) = (op, self.divisor(op)) {
            let a = self.vector(*a)?;
            return self.quotient(to, a, divisor);
        }
        match op {
            TileOp::Unary { op, ty, a, .. } => {
                let a = self.vector(*a)?;
                match self.asm.double {
                    true => self.of_one_double(*op, *ty, to, a),
                    false => self.of_one(*op, *ty, to, a),
                }
            }
            TileOp::Binary { op, ty, a, b, .. } => {
                let (a, b) = (self.vector(*a)?, self.vector(*b)?);
                match self.asm.double {
                    true => self.of_two_double(*op, *ty, to, a, b),
                    false => self.of_two(*op, *ty, to, a, b),
                }
            }
            TileOp::Compare { direction, total: false, ty, a, b, .. } => {
                let (a, b) = (self.vector(*a)?, self.vector(*b)?);
                let (inst, how) = comparison(*direction, *ty)?;
                self.lanes_of(inst, to, a, b, how);
                Some(())
            }
            TileOp::Compare { .. } => None,
            TileOp::Select { ty, p, a, b, .. } => {
                let (p, a, b) = (self.vector(*p)?, self.vector(*a)?, self.vector(*b)?);
                if !(is_float(*ty) || is_int(*ty) || is_double(*ty) || *ty == DType::Pred) {
                    return None;
                }
                self.put_one(MOVE, to, Arg::Each(p));
                self.put_imm(BITWISE, to, a, Arg::Each(b), CHOOSE);
                Some(())
            }
            TileOp::Convert { from, to_ty, a, .. } => {
                let a = self.vector(*a)?;
                match self.asm.double {
                    true => self.convert_double(*from, *to_ty, to, a),
                    false => self.convert(*from, *to_ty, to, a),
                }
            }
            TileOp::Bitcast { from, to_ty, a, .. } => {
                let a = self.vector(*a)?;
                let held = |ty: DType| ty == DType::F32 || is_int(ty) || is_double(ty);
                let same = held(*from) && held(*to_ty);
                self.put_one(MOVE, to, Arg::Each(a));
                same.then_some(())
            }
            TileOp::Precision { .. } => None,
            TileOp::Splat { ty, element, .. } => {
                let bits = held_bits(*ty, element)?;
                let constant = self.asm.long(bits);
                self.repeat_of(to, constant);
                Some(())
            }
        }
    }

    fn of_one(&mut self, op: UnaryOp, ty: DType, to: Wide, a: Wide) -> Option<()> {
        let x = Arg::Each(a);
        match (op, ty) {
            (UnaryOp::Copy, ty) if is_float(ty) || is_int(ty) || ty == DType::Pred => {
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
            (BinaryOp::Add, DType::S32 | DType::U32) => self.put(INT_ADD, to, a, x),
            (BinaryOp::Subtract, DType::S32 | DType::U32) => self.put(INT_SUB, to, a, x),
            (BinaryOp::Multiply, DType::S32 | DType::U32) => self.put(INT_MUL, to, a, x),
            (BinaryOp::Maximum, DType::S32) => self.put(SIGNED_MAX, to, a, x),
            (BinaryOp::Minimum, DType::S32) => self.put(SIGNED_MIN, to, a, x),
            (BinaryOp::Maximum, DType::U32) => self.put(UNSIGNED_MAX, to, a, x),
            (BinaryOp::Minimum, DType::U32) => self.put(UNSIGNED_MIN, to, a, x),
            (BinaryOp::ShiftLeft, DType::S32 | DType::U32) => self.put(SHIFT_LEFT, to, a, x),
            (BinaryOp::ShiftRightLogical, DType::S32 | DType::U32) => self.put(SHIFT_RIGHT, to, a, x),
            (BinaryOp::ShiftRightArithmetic, DType::S32 | DType::U32) => {
                self.put(SHIFT_SIGNED_RIGHT, to, a, x);
            }
            (BinaryOp::And, DType::S32 | DType::U32) => self.put(AND, to, a, x),
            (BinaryOp::Or, DType::S32 | DType::U32) => self.put(OR, to, a, x),
            (BinaryOp::Xor, DType::S32 | DType::U32 | DType::Pred) => self.put(XOR, to, a, x),
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Maximum, DType::Pred) => self.put(OR, to, a, x),
            (BinaryOp::Multiply | BinaryOp::And | BinaryOp::Minimum, DType::Pred) => {
                self.put(AND, to, a, x);
            }
            _ => return None,
        }
        Some(())
    }

    /// The nearest number of a type, from an `f32`.
    fn rounded(&mut self, ty: DType, to: Wide, x: Wide) -> Option<()> {
        match ty {
            DType::BF16 => return self.nearest_bf16(to, x),
            DType::F16 => self.nearest_f16(to, x),
            _ if to != x => self.put_one(MOVE, to, Arg::Each(x)),
            _ => {}
        }
        Some(())
    }

    fn convert(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        let bits = match (from, into) {
            (DType::Pred, DType::F32 | DType::BF16 | DType::F16) => 1f32.to_bits(),
            (DType::Pred, DType::S32 | DType::U32) => 1,
            (DType::S32, DType::F32) => {
                self.put_one(FLOAT_OF_INT, to, Arg::Each(a));
                return Some(());
            }
            (DType::U32, DType::F32) => {
                self.put_one(FLOAT_OF_UNSIGNED, to, Arg::Each(a));
                return Some(());
            }
            (DType::F32, DType::BF16 | DType::F16) => return self.rounded(into, to, a),
            (DType::BF16 | DType::F16, DType::F32) | (DType::S32, DType::U32) | (DType::U32, DType::S32) => {
                u32::MAX
            }
            _ => return None,
        };
        let kept = self.asm.constant(bits);
        self.put(AND, to, a, kept);
        Some(())
    }
}

fn comparison(direction: Direction, ty: DType) -> Option<(Inst, u8)> {
    let (float, int) = match direction {
        Direction::Eq => (0x00, 0),
        Direction::Ne => (0x04, 4),
        Direction::Lt => (0x11, 1),
        Direction::Le => (0x12, 2),
        Direction::Gt => (0x1e, 6),
        Direction::Ge => (0x1d, 5),
    };
    match ty {
        DType::F32 | DType::BF16 | DType::F16 => Some((COMPARE, float)),
        DType::F64 => Some((COMPARE, float)),
        DType::S32 | DType::S64 => Some((COMPARE_SIGNED, int)),
        DType::U32 | DType::U64 => Some((COMPARE_UNSIGNED, int)),
        _ => None,
    }
}
