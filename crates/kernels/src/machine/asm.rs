//! AVX-512 instructions as bytes, and the constants they read.
//!
//! Knows how instructions are written, not what they are for. Vectors are 16 lanes of 32 bits, or 8 of 64. Memory is
//! either a constant (from `rdx` on) or a stream (from `rax` on, element `rcx`); `rdi` has the addresses of streams,
//! `rsi` the number of elements.

use std::collections::BTreeMap;

/// Map, prefix and opcode, of lanes of 32 bits.
#[derive(Clone, Copy, PartialEq)]
pub struct Inst(u8, u8, u8);

/// Added to the map of instructions that need the bit for lanes of 64 bits, whatever size theirs have.
const LONG: u8 = 0x80;

impl Inst {
    /// The same of lanes of 64 bits, and the bit that says so.
    fn doubled(self) -> (Inst, u8) {
        match self {
            Inst(1, 0, opcode) => (Inst(1, 1, opcode), 1),
            Inst(2, 1, 0x18) => (Inst(2, 1, 0x19), 1),
            Inst(1, 1, 0xfe) => (Inst(1, 1, 0xd4), 1),
            Inst(1, 1, 0xfa) => (Inst(1, 1, 0xfb), 1),
            Inst(2, 1, 0x31) => (Inst(2, 1, 0x32), 0),
            Inst(2, 2, 0x31) => (Inst(2, 2, 0x32), 0),
            Inst(3, 1, 0x08) => (Inst(3, 1, 0x09), 1),
            Inst(1, 1, 0x72) => (Inst(1, 1, 0x73), 1),
            other => (other, 1),
        }
    }
}

pub const LOAD: Inst = Inst(1, 0, 0x10);
pub const STORE: Inst = Inst(1, 0, 0x11);
pub const STORE_PAST_CACHES: Inst = Inst(1, 0, 0x2b);
pub const MOVE: Inst = Inst(1, 0, 0x28);
pub const REPEAT: Inst = Inst(2, 1, 0x18);
/// Of a general register: 1 is `ecx`, the number of elements that are done.
pub const REPEAT_REGISTER: Inst = Inst(2, 1, 0x7c);
pub const DONE: Rm = Rm::Vector(1);
pub const ADD: Inst = Inst(1, 0, 0x58);
pub const SUB: Inst = Inst(1, 0, 0x5c);
pub const MUL: Inst = Inst(1, 0, 0x59);
pub const DIV: Inst = Inst(1, 0, 0x5e);
pub const MIN_OR_SECOND: Inst = Inst(1, 0, 0x5d);
pub const MAX_OR_SECOND: Inst = Inst(1, 0, 0x5f);
/// To lanes of 64 bits from half as many of 32 that follow each other, and back.
pub const OTHER_FLOAT: Inst = Inst(1, 0, 0x5a);
/// One half, from the place of the result to the last operand; and put in.
pub const HALF: Inst = Inst(3, 1, 0x1b);
pub const JOIN: Inst = Inst(3, 1, 0x1a);
pub const SQRT: Inst = Inst(1, 0, 0x51);
/// `to = a * to + b`.
pub const FMA_213: Inst = Inst(2, 1, 0xa8);
/// `to = a * b + to`.
pub const FMA_231: Inst = Inst(2, 1, 0xb8);
/// `to = a * b - to`.
pub const FMS_231: Inst = Inst(2, 1, 0xba);
/// `to = -(a * b) + to`.
pub const FNMA_231: Inst = Inst(2, 1, 0xbc);
/// `to = -(a * to) + b`.
pub const FNMA_213: Inst = Inst(2, 1, 0xac);
pub const COMPARE: Inst = Inst(1, 0, 0xc2);
pub const COMPARE_SIGNED: Inst = Inst(3, 1, 0x1f);
pub const COMPARE_UNSIGNED: Inst = Inst(3, 1, 0x1e);
pub const LANES_OF_MASK: Inst = Inst(2, 2, 0x38);
pub const BITWISE: Inst = Inst(3, 1, 0x25);
pub const AND: Inst = Inst(1, 1, 0xdb);
pub const OR: Inst = Inst(1, 1, 0xeb);
pub const XOR: Inst = Inst(1, 1, 0xef);
pub const INT_ADD: Inst = Inst(1, 1, 0xfe);
pub const INT_SUB: Inst = Inst(1, 1, 0xfa);
pub const INT_MUL: Inst = Inst(2, 1, 0x40);
pub const SIGNED_MIN: Inst = Inst(2, 1, 0x39);
pub const SIGNED_MAX: Inst = Inst(2, 1, 0x3d);
pub const WIDEN_16: Inst = Inst(2, 1, 0x33);
pub const WIDEN_8: Inst = Inst(2, 1, 0x31);
pub const NARROW_16: Inst = Inst(2, 2, 0x33);
pub const NARROW_8: Inst = Inst(2, 2, 0x31);
pub const FLOAT_OF_INT: Inst = Inst(1, 0, 0x5b);
pub const FLOAT_OF_UNSIGNED: Inst = Inst(1, 3, 0x7a);
pub const RANGE: Inst = Inst(3, 1, 0x50);
pub const SCALE: Inst = Inst(2, 1, 0x2c);
/// Exponents as floats, and what is left without them.
pub const EXPONENT: Inst = Inst(2, 1, 0x42);
pub const FRACTION: Inst = Inst(3, 1, 0x26);
pub const TO_WHOLE: Inst = Inst(3, 1, 0x08);
pub const OF_F16: Inst = Inst(2, 1, 0x13);
/// Whole numbers of 32 bits to lanes of 64, and 64 to 32 bits from the place of the result to the last operand.
pub const WIDEN_SIGNED: Inst = Inst(2, 1, 0x25);
pub const WIDEN_UNSIGNED: Inst = Inst(2, 1, 0x35);
pub const NARROW_64: Inst = Inst(2, 2, 0x35);
/// To `f64`; in lanes of 64 bits from numbers of 64 bits.
pub const DOUBLE_OF_INT: Inst = Inst(1, 2, 0xe6);
pub const DOUBLE_OF_UNSIGNED: Inst = Inst(1, 2, 0x7a);
/// From the place of the result to the last operand.
pub const TO_F16: Inst = Inst(3, 1, 0x1d);
pub const UNSIGNED_MIN: Inst = Inst(2, 1, 0x3b);
pub const UNSIGNED_MAX: Inst = Inst(2, 1, 0x3f);
/// By so many bits as another vector says, none of which are left from 32 on; signs are.
pub const SHIFT_LEFT: Inst = Inst(2, 1, 0x47);
pub const SHIFT_RIGHT: Inst = Inst(2, 1, 0x45);
pub const SHIFT_SIGNED_RIGHT: Inst = Inst(2, 1, 0x46);
pub const PICK: Inst = Inst(2, 1, 0x7f);
/// Quarters of a vector, and lanes within a quarter, by a number.
pub const QUARTERS: Inst = Inst(3, 1, 0x23);
pub const WITHIN_QUARTERS: Inst = Inst(3, 1, 0x04);
/// Lanes of 16 bits of the last operand, by numbers in the one before.
pub const PICK_16: Inst = Inst(2 | LONG, 1, 0x8d);
/// One number of 16 bits for all lanes of 16 bits.
pub const REPEAT_16: Inst = Inst(2, 1, 0x79);
/// Into a mask: lanes that have a bit in common.
pub const TEST: Inst = Inst(2, 1, 0x27);
/// `to`, or what a table says for a kind of float that `a` is: four bits for each kind, from no numbers on.
pub const BY_KIND: Inst = Inst(3, 1, 0x54);
/// The first lane only.
pub const STORE_ONE: Inst = Inst(1, 2, 0x11);
/// By an immediate number; which shift is said in the place of the result.
pub const SHIFTS: Inst = Inst(1, 1, 0x72);

/// A vector register.
pub type Vector = u8;
/// A mask register; 0 is no mask.
pub type Mask = u8;

/// General registers that keep masks: `r9` and `r10`.
pub const FLAGS: [u8; 2] = [9, 10];

/// Lanes of 32 bits of a vector.
pub const LANES: usize = 16;

/// The mask of the last, shorter step.
pub const REST: Mask = 1;
/// Upper halves of lanes, in all steps but that one.
pub const UPPER: Mask = REST;

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rm {
    Vector(Vector),
    /// One constant for all lanes, by its place.
    Constant(i32),
    /// 16 constants.
    Constants(i32),
    /// Elements of the stream whose address is in `rax`, so many bytes each, from so many elements on.
    Stream(u8, u8),
    /// The one element at `rax`, for all lanes (of [`REPEAT`], which reads one).
    Element,
}

/// A constant as instructions use it, and the size of lanes then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Constant {
    double: bool,
    at: i32,
    /// A number for each lane, not one for all.
    whole: bool,
}

#[derive(Default)]
pub struct Asm {
    pub code: Vec<u8>,
    pub pool: Vec<u32>,
    /// Lanes have 64 bits.
    pub double: bool,
    /// Registers that no step took.
    pub spare: usize,
    /// Values of both sizes: those of 32 bits take half of their vectors, which have eight lanes as well.
    mixed: bool,
    known: BTreeMap<(bool, u64), i32>,
    tables: BTreeMap<Vec<u32>, i32>,
    /// Constants that are in registers.
    kept: BTreeMap<Constant, Vector>,
    /// How often others are read, as far as they are counted.
    pub uses: BTreeMap<Constant, usize>,
    pub counting: bool,
}

impl Asm {
    pub fn new(double: bool, mixed: bool) -> Asm {
        Asm { double, mixed, spare: 32, ..Asm::default() }
    }

    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Where there are values of both sizes: let instructions be of one of them from here on.
    pub fn set_double(&mut self, double: bool) {
        if self.mixed {
            self.double = double;
        }
    }

    /// Lanes of a vector.
    pub fn lanes(&self) -> usize {
        if self.double || self.mixed { LANES / 2 } else { LANES }
    }

    /// The place of a constant; in lanes of 64 bits, the whole number that it is.
    pub fn constant(&mut self, bits: u32) -> Rm {
        self.long(if self.double { i64::from(bits as i32) as u64 } else { u64::from(bits) })
    }

    /// The place of a constant of as many bits as lanes have.
    pub fn long(&mut self, bits: u64) -> Rm {
        let next = self.pool.len() as i32 * 4;
        let at = *self.known.entry((self.double, bits)).or_insert(next);
        if at == next {
            self.pool.push(bits as u32);
            self.pool.extend(self.double.then_some((bits >> 32) as u32));
        }
        Rm::Constant(at)
    }

    pub fn float(&mut self, x: f32) -> Rm {
        self.constant(x.to_bits())
    }

    /// The place of a table of 32 numbers, as two vectors.
    pub fn table(&mut self, table: &[f32; 32]) -> [Rm; 2] {
        let at = self.vectors(table.iter().map(|x| x.to_bits()));
        [Rm::Constants(at), Rm::Constants(at + 64)]
    }

    /// The place of a table of 16 numbers, as two vectors.
    pub fn table_of_doubles(&mut self, table: &[f64; 16]) -> [Rm; 2] {
        let halves = |x: &f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
        let at = self.vectors(table.iter().flat_map(halves));
        [Rm::Constants(at), Rm::Constants(at + 64)]
    }

    /// The place of 16 whole numbers.
    pub fn numbers(&mut self, first: u32) -> Rm {
        Rm::Constants(self.vectors(first..first + LANES as u32))
    }

    /// The places to which 16 bits of each lane go, and from which they come, where a line holds those of two vectors:
    /// what lands in the upper halves of the lanes of one and of the other; and where upper halves of both lie side by
    /// side in one vector, those of one before those of the other.
    pub fn halves_of_lines(&mut self) -> [Rm; 3] {
        let lanes = 0..LANES as u32;
        let one = self.vectors(lanes.clone().map(|lane| lane << 16));
        let other = self.vectors(lanes.clone().map(|lane| (lane + 16) << 16));
        let place = |at: u32| at % 16 * 2 + at / 16;
        let sorted = self.vectors(lanes.map(|lane| place(2 * lane) | place(2 * lane + 1) << 16));
        [one, other, sorted].map(Rm::Constants)
    }

    fn vectors(&mut self, lanes: impl Iterator<Item = u32>) -> i32 {
        while !self.pool.len().is_multiple_of(LANES) {
            self.pool.push(0);
        }
        let next = self.pool.len() as i32 * 4;
        let lanes: Vec<u32> = lanes.collect();
        let at = *self.tables.entry(lanes.clone()).or_insert(next);
        if at == next {
            self.pool.extend(lanes);
        }
        at
    }

    /// Read constants into the last registers and take them from there.
    pub fn keep(&mut self, constants: &[Constant]) {
        let double = self.double;
        for (constant, vector) in constants.iter().zip((0..32).rev()) {
            self.double = constant.double;
            let inst = if constant.whole { LOAD } else { REPEAT };
            self.masked(inst, vector, 0, Rm::Constants(constant.at), 0, false);
        }
        self.double = double;
        self.kept = constants.iter().copied().zip((0..32).rev()).collect();
    }

    /// The register of a constant, if it is in one, and the instruction that takes it from there.
    fn where_kept(&mut self, inst: Inst, b: Rm) -> (Inst, Rm) {
        let (at, whole, read) = match b {
            Rm::Constant(at) => (at, false, false),
            Rm::Constants(at) => (at, inst != REPEAT, inst == REPEAT || inst == LOAD),
            Rm::Vector(_) | Rm::Stream(..) | Rm::Element => return (inst, b),
        };
        let constant = Constant { double: self.double, at, whole };
        if let Some(vector) = self.kept.get(&constant) {
            return (if read { MOVE } else { inst }, Rm::Vector(*vector));
        }
        *self.uses.entry(constant).or_default() += usize::from(self.counting);
        (inst, b)
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// Only lanes of the mask are written; others are kept, or zero.
    pub fn masked(&mut self, inst: Inst, to: u8, a: u8, b: Rm, mask: Mask, zero: bool) {
        let (inst, b) = self.where_kept(inst, b);
        let (Inst(map, prefix, opcode), long) = if self.double { inst.doubled() } else { (inst, 0) };
        let (map, long) = (map & !LONG, long | (map / LONG));
        let flip = |x: u8, bit: u8| ((x >> bit) & 1) ^ 1;
        let (x, base) = match b {
            Rm::Vector(b) => (flip(b, 4), flip(b, 3)),
            _ => (1, 1),
        };
        let repeated = u8::from(matches!(b, Rm::Constant(_)));
        let half = self.mixed && !self.double && matches!(b, Rm::Stream(..));
        let length = if half { 1 } else { 2 };
        self.bytes(&[
            0x62,
            flip(to, 3) << 7 | x << 6 | base << 5 | flip(to, 4) << 4 | map,
            long << 7 | (!a & 15) << 3 | 1 << 2 | prefix,
            u8::from(zero) << 7 | length << 5 | repeated << 4 | flip(a, 4) << 3 | mask,
            opcode,
        ]);
        let reg = (to & 7) << 3;
        match b {
            Rm::Vector(b) => self.code.push(0xc0 | reg | b & 7),
            Rm::Constant(at) | Rm::Constants(at) => {
                self.code.push(0x82 | reg);
                self.bytes(&at.to_le_bytes());
            }
            Rm::Stream(width, from) => {
                let scale = (width.trailing_zeros() as u8) << 6;
                self.bytes(&[0x84 | reg, scale | 1 << 3]);
                self.bytes(&(i32::from(width) * i32::from(from)).to_le_bytes());
            }
            Rm::Element => {
                self.code.push(0x80 | reg);
                self.bytes(&[0; 4]);
            }
        }
    }

    /// Bring a line into the second cache, or into the first one: of the stream at `rax`, so many bytes after the
    /// current element.
    pub fn prefetch(&mut self, near: bool, width: u8, ahead: i32) {
        let scale = (width.trailing_zeros() as u8) << 6;
        self.bytes(&[0x0f, 0x18, if near { 0x8c } else { 0x94 }, scale | 1 << 3]);
        self.bytes(&ahead.to_le_bytes());
    }

    /// Take the address of a stream.
    pub fn address(&mut self, number: usize) {
        self.bytes(&[0x48, 0x8b, 0x87]);
        self.bytes(&(number as i32 * 8).to_le_bytes());
    }

    /// Let all lanes be in a mask.
    pub fn fill_mask(&mut self, mask: Mask) {
        self.bytes(&[0xc5, 0x84 | (!mask & 15) << 3, 0x46, 0xc0 | mask << 3 | mask]);
    }

    /// Let the upper halves of all lanes be in [`UPPER`].
    pub fn fill_upper(&mut self) {
        let Rm::Constant(at) = self.constant(0xaaaa_aaaa) else { return };
        self.bytes(&[0xc4, 0xe1, 0xf9, 0x90, 0x82 | UPPER << 3]);
        self.bytes(&at.to_le_bytes());
    }

    /// Take the lanes of one mask from another.
    pub fn drop_lanes(&mut self, from: Mask, dropped: Mask) {
        self.bytes(&[0xc5, 0x84 | (!dropped & 15) << 3, 0x42, 0xc0 | from << 3 | from]);
    }

    /// The other lanes.
    pub fn flip_mask(&mut self, mask: Mask) {
        self.bytes(&[0xc5, 0xf8, 0x44, 0xc0 | mask << 3 | mask]);
    }

    /// Jump if no lane is in the mask.
    pub fn jump_if_empty(&mut self, mask: Mask) -> usize {
        self.bytes(&[0xc5, 0xf8, 0x98, 0xc0 | mask << 3 | mask, 0x0f, 0x84]);
        self.hole()
    }

    /// Keep a mask in one of the [`FLAGS`] while the loop runs.
    pub fn keep_mask(&mut self, flag: u8, mask: Mask) {
        self.bytes(&[0xc5, 0x78, 0x93, 0xc0 | (flag & 7) << 3 | mask]);
    }

    /// Jump if no lane is in what was kept; to where it goes is said by [`land`](Self::land).
    pub fn jump_if_none(&mut self, flag: u8) -> usize {
        let same = 0xc0 | (flag & 7) << 3 | flag & 7;
        self.bytes(&[0x45, 0x85, same, 0x0f, 0x84]);
        self.hole()
    }

    pub fn jump(&mut self) -> usize {
        self.bytes(&[0xe9]);
        self.hole()
    }

    pub fn land(&mut self, jump: usize) {
        self.fill(jump, self.code.len());
    }

    /// Let streams begin at their first element again.
    pub fn rewind(&mut self) {
        self.bytes(&[0x31, 0xc9]);
    }

    /// Runs `step` for so many vectors at once, then for one, and once, masked, for the rest.
    pub fn looped(
        &mut self,
        at_once: usize,
        step: impl Fn(&mut Asm, usize, bool) -> Option<()>,
    ) -> Option<()> {
        // Masks of 0 to 15 lanes, as pairs of 16 bits.
        let masks = (0..8u32).map(|i| ((1 << (2 * i)) - 1) | ((1 << (2 * i + 1)) - 1) << 16);
        let first = self.pool.len() as i32 * 4;
        self.pool.extend(masks);
        self.rewind();
        if at_once > 1 {
            self.many(at_once, &step)?;
        }
        self.many(1, &step)?;
        // if rcx >= rsi goto done; eax = esi - ecx; k1 = masks[rax]
        self.bytes(&[0x48, 0x39, 0xf1, 0x0f, 0x83]);
        let to_done = self.hole();
        self.bytes(&[0x89, 0xf0, 0x29, 0xc8, 0xc5, 0xf8, 0x90, 0x8c, 0x42]);
        self.bytes(&first.to_le_bytes());
        step(self, 1, true)?;
        self.fill(to_done, self.code.len());
        Some(())
    }

    /// Let what `one` writes run for each row; between rows, streams go on by so many bytes.
    pub fn for_rows(&mut self, steps: &[(u16, i32)], one: impl FnOnce(&mut Asm) -> Option<()>) -> Option<()> {
        // r11 = rcx
        self.bytes(&[0x49, 0x89, 0xcb]);
        let top = self.code.len();
        one(self)?;
        if steps.is_empty() {
            return Some(());
        }
        // r11 -= 1; if r11 = 0 goto done; streams go on; goto top
        self.bytes(&[0x49, 0xff, 0xcb, 0x0f, 0x84]);
        let done = self.hole();
        for (stream, bytes) in steps {
            self.bytes(&[0x48, 0x81, 0x87]);
            self.bytes(&(i32::from(*stream) * 8).to_le_bytes());
            self.bytes(&bytes.to_le_bytes());
        }
        let back = self.jump();
        self.fill(back, top);
        self.land(done);
        Some(())
    }

    /// Return from the function.
    pub fn leave(&mut self) {
        // vzeroupper; ret
        self.bytes(&[0xc5, 0xf8, 0x77, 0xc3]);
    }

    /// As long as there are so many whole vectors.
    fn many(&mut self, at_once: usize, step: &impl Fn(&mut Asm, usize, bool) -> Option<()>) -> Option<()> {
        let elements = (at_once * self.lanes()) as u8;
        // r8 = rsi & -elements; if rcx >= r8 goto past
        self.bytes(&[
            0x49,
            0x89,
            0xf0,
            0x49,
            0x83,
            0xe0,
            elements.wrapping_neg(),
            0x4c,
            0x39,
            0xc1,
            0x0f,
            0x83,
        ]);
        let past = self.hole();
        let top = self.code.len();
        step(self, at_once, false)?;
        // rcx += elements; if rcx < r8 goto top
        self.bytes(&[0x48, 0x83, 0xc1, elements, 0x4c, 0x39, 0xc1, 0x0f, 0x82]);
        let back = self.hole();
        self.fill(back, top);
        self.fill(past, self.code.len());
        Some(())
    }

    /// Room for the distance of a jump.
    fn hole(&mut self) -> usize {
        self.bytes(&[0; 4]);
        self.code.len()
    }

    fn fill(&mut self, hole: usize, target: usize) {
        let distance = (target as i32).wrapping_sub(hole as i32);
        if let Some(place) = self.code.get_mut(hole - 4..hole) {
            place.copy_from_slice(&distance.to_le_bytes());
        }
    }
}
