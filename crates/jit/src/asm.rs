//! Code as bytes, and the constants it reads.
//!
//! Knows how instructions are written (`evex` and `vex` how those of vectors are), not what they are for. Memory is
//! either a constant (from `rdx` on), a stream (from `rax` on, element `rcx`), or a few bytes below the stack; `rdi`
//! has the addresses of streams, `rsi` the number of elements.

pub use super::inst::*;
use std::collections::BTreeMap;

/// Whose vectors code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// 16 registers of 8 lanes; what a comparison finds is lanes of ones.
    Avx2,
    /// 32 registers of 16 lanes, and masks.
    Avx512,
}

impl Target {
    pub fn registers(self) -> Vector {
        match self {
            Target::Avx2 => 16,
            Target::Avx512 => 32,
        }
    }

    /// Lanes of 32 bits of a vector.
    pub fn lanes(self) -> usize {
        match self {
            Target::Avx2 => 8,
            Target::Avx512 => LANES,
        }
    }
}

/// A vector register.
pub type Vector = u8;
/// A mask register; 0 is no mask.
pub type Mask = u8;

/// General registers that keep masks: `r9` and `r10`.
pub const FLAGS: [u8; 2] = [9, 10];

/// The general register `ecx`, the number of elements that are done.
pub const DONE: Rm = Rm::Vector(1);

/// Lanes of 32 bits of the largest vector: tables are aligned to as many.
pub const LANES: usize = 16;

/// The masks of the last, shorter step, one for each of its vectors.
pub const RESTS: [Mask; 2] = [1, 5];
/// Upper halves of lanes, in all steps but that one.
pub const UPPER: Mask = RESTS[0];

/// Bytes below the stack in which the last elements of a row lie that are too narrow for a load or store of some lanes.
const ASIDE: i32 = 64;

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
    /// So many bytes into what was put aside of a stream.
    Aside(i32),
    /// Constants before the one at this place: as many as elements are left.
    Before(i32),
}

/// A constant as instructions use it, and the size of lanes then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Constant {
    double: bool,
    at: i32,
    /// A number for each lane, not one for all.
    whole: bool,
}

pub struct Asm {
    pub target: Target,
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
    /// An instruction was asked for that the target does not have.
    pub missing: bool,
}

impl Asm {
    pub fn new(target: Target, double: bool, mixed: bool) -> Asm {
        Asm {
            target,
            code: Vec::new(),
            pool: Vec::new(),
            double,
            spare: target.registers().into(),
            mixed,
            known: BTreeMap::new(),
            tables: BTreeMap::new(),
            kept: BTreeMap::new(),
            uses: BTreeMap::new(),
            counting: false,
            missing: false,
        }
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
        let lanes = self.target.lanes();
        if self.double || self.mixed { lanes / 2 } else { lanes }
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
            // An instruction of AVX2 reads a whole vector.
            let copies = if self.target == Target::Avx2 { self.lanes() } else { 1 };
            for _ in 0..copies {
                self.pool.push(bits as u32);
                self.pool.extend(self.double.then_some((bits >> 32) as u32));
            }
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

    /// The place of two numbers.
    pub fn numbers_of(&mut self, numbers: [u32; 2]) -> Rm {
        Rm::Constants(self.vectors(numbers.into_iter()))
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
        let last = (0..self.target.registers()).rev();
        for (constant, vector) in constants.iter().zip(last.clone()) {
            self.double = constant.double;
            let inst = if constant.whole { LOAD } else { REPEAT };
            self.emit(inst, vector, 0, Rm::Constants(constant.at));
        }
        self.double = double;
        self.kept = constants.iter().copied().zip(last).collect();
    }

    /// The register of a constant, if it is in one, and the instruction that takes it from there.
    fn where_kept(&mut self, inst: Inst, b: Rm) -> (Inst, Rm) {
        let (at, whole, read) = match b {
            Rm::Constant(at) => (at, false, false),
            Rm::Constants(at) => (at, inst != REPEAT, inst == REPEAT || inst == LOAD),
            Rm::Vector(_) | Rm::Stream(..) | Rm::Element | Rm::Aside(_) | Rm::Before(_) => return (inst, b),
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

    pub fn emit(&mut self, inst: Inst, to: u8, a: u8, b: Rm) {
        self.masked(inst, to, a, b, 0, false);
    }

    /// With an immediate number.
    pub fn emit_imm(&mut self, inst: Inst, to: u8, a: u8, b: Rm, imm: u8) {
        self.emit(inst, to, a, b);
        self.code.push(imm);
    }

    /// Only lanes of the mask are written; others are kept, or zero.
    pub fn masked(&mut self, inst: Inst, to: u8, a: u8, b: Rm, mask: Mask, zero: bool) {
        let (inst, b) = self.where_kept(inst, b);
        match self.target {
            Target::Avx2 => self.vex(inst, to, a, b, mask),
            Target::Avx512 => self.evex(inst, to, a, b, (mask, zero)),
        }
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
            Rm::Aside(bytes) => {
                self.bytes(&[0x84 | reg, 0x24]);
                self.bytes(&(bytes - ASIDE).to_le_bytes());
            }
            Rm::Before(at) => {
                let scale = if self.double { 3 << 6 } else { 2 << 6 };
                self.bytes(&[0x84 | reg, scale | 2]);
                self.bytes(&at.to_le_bytes());
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

    /// Let the upper halves of all lanes be in [`UPPER`], where there are masks.
    pub fn fill_upper(&mut self) {
        if self.target == Target::Avx2 {
            return;
        }
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

    /// Keep which lanes are ones in one of the [`FLAGS`] while the loop runs.
    pub fn keep_lanes(&mut self, flag: u8, lanes: Vector) {
        self.emit(BITS_OF_LANES, flag, 0, Rm::Vector(lanes));
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

    /// Runs `step` for so many vectors at once, then for as many as the last one takes, and once for the rest, which
    /// may be shorter by any number of elements.
    pub fn looped(
        &mut self,
        at_once: usize,
        last: usize,
        step: impl Fn(&mut Asm, usize, bool) -> Option<()>,
    ) -> Option<()> {
        self.rewind();
        if at_once > last {
            self.many(at_once, &step)?;
        }
        self.many(last, &step)?;
        // if rcx >= rsi goto done
        self.bytes(&[0x48, 0x39, 0xf1, 0x0f, 0x83]);
        let to_done = self.hole();
        if self.target == Target::Avx512 {
            self.masks_of_rest(last);
        }
        step(self, last, true)?;
        self.fill(to_done, self.code.len());
        Some(())
    }

    /// Let the lanes that are left be in masks.
    fn masks_of_rest(&mut self, vectors: usize) {
        let lanes = self.lanes();
        let masks = (0..(vectors * lanes) as u32).map(|i| (1 << i) - 1);
        let first = self.pool.len() as i32 * 4;
        self.pool.extend(masks);
        // eax = esi - ecx
        self.bytes(&[0x89, 0xf0, 0x29, 0xc8]);
        for (i, mask) in RESTS.iter().enumerate().take(vectors) {
            // mask = masks[rax] >> lanes * i
            self.bytes(&[0xc5, 0xf8, 0x90, 0x84 | mask << 3, 0x82]);
            self.bytes(&(first + (i * lanes / 8) as i32).to_le_bytes());
        }
    }

    /// Where there are no masks: lanes of ones as far as elements are left, from an element of the last step on.
    pub fn lanes_of_rest(&mut self, to: Vector, from: usize) {
        let most = LANES * 2;
        let width = if self.double { 8 } else { 4 };
        let [ones, zeros] = [u32::MAX, 0].map(|bits| std::iter::repeat_n(bits, most * width / 4));
        let at = self.vectors(ones.chain(zeros)) + ((most + from) * width) as i32;
        // r8 = rcx - rsi
        self.bytes(&[0x49, 0x89, 0xc8, 0x49, 0x29, 0xf0]);
        self.emit(LOAD, to, 0, Rm::Before(at));
    }

    /// Put elements of the last step aside, from one on and up to another, or what was put aside into the stream, whose
    /// address is not in `rax` any more.
    pub fn copy_rest(&mut self, width: u8, (from, to): (usize, usize), back: bool) {
        let scale = (width.trailing_zeros() as u8) << 6;
        // rax += rcx * width; r8 = min(rsi - rcx, to)
        self.bytes(&[0x48, 0x8d, 0x04, scale | 1 << 3]);
        self.bytes(&[0x49, 0x89, 0xf0, 0x49, 0x29, 0xc8, 0x49, 0x83, 0xf8, to as u8, 0x7e, 0x06]);
        self.bytes(&[0x41, 0xb8, to as u8, 0, 0, 0]);
        // while r8 > from: r8 -= 1; copy element r8 through ebx
        let top = self.code.len();
        self.bytes(&[0x49, 0x83, 0xf8, from as u8, 0x0f, 0x8e]);
        let done = self.hole();
        self.bytes(&[0x49, 0xff, 0xc8]);
        self.move_element(width, false, back);
        self.move_element(width, true, !back);
        let again = self.jump();
        self.fill(again, top);
        self.land(done);
    }

    /// Element `r8` between `ebx` and the stream at `rax`, or what was put aside.
    fn move_element(&mut self, width: u8, store: bool, aside: bool) {
        match (width, store) {
            (1, false) => self.bytes(&[0x42, 0x0f, 0xb6]),
            (1, true) => self.bytes(&[0x42, 0x88]),
            (_, false) => self.bytes(&[0x42, 0x0f, 0xb7]),
            (_, true) => self.bytes(&[0x66, 0x42, 0x89]),
        }
        let scale = (width.trailing_zeros() as u8) << 6;
        // A byte's distance from the base.
        let (base, distance) = if aside { (4, (-ASIDE) as u8) } else { (0, 0) };
        self.bytes(&[0x5c, scale | base, distance]);
    }

    /// Begin the function.
    pub fn enter(&mut self) {
        // push rbx
        self.bytes(&[0x53]);
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
        // vzeroupper; pop rbx; ret
        self.bytes(&[0xc5, 0xf8, 0x77, 0x5b, 0xc3]);
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
