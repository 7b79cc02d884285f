//! Code as bytes, and the constants it reads.
//!
//! Instructions of vectors have one name in all sets (`inst`), and are written as `evex`, `vex` and `neon` say; what
//! goes on around them is said in `control` and written as `x86` and `a64` say. Memory is either a constant, a stream
//! at the current element, or a few bytes of the stack.

pub use super::inst::*;
use std::collections::BTreeMap;

/// Whose vectors code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// 16 registers of 8 lanes; what a comparison finds is lanes of ones.
    Avx2,
    /// 32 registers of 16 lanes, and masks.
    Avx512,
    /// 32 registers of 4 lanes, some of which the instructions themselves need; lanes of ones as with AVX2.
    Neon,
}

impl Target {
    pub fn registers(self) -> Vector {
        match self {
            Target::Avx2 => 16,
            Target::Avx512 => 32,
            Target::Neon => VALUES_OF_NEON,
        }
    }

    /// Lanes of 32 bits of a vector.
    pub fn lanes(self) -> usize {
        match self {
            Target::Avx2 => 8,
            Target::Avx512 => LANES,
            Target::Neon => 4,
        }
    }

    /// Whether what a comparison finds is a mask, and instructions can leave lanes out.
    pub fn has_masks(self) -> bool {
        match self {
            Target::Avx512 => true,
            Target::Avx2 | Target::Neon => false,
        }
    }
}

/// Registers that hold values of a loop; NEON's instructions need the others.
pub const VALUES_OF_NEON: Vector = 26;

/// A vector register.
pub type Vector = u8;
/// A mask register; 0 is no mask.
pub type Mask = u8;
/// All lanes are written.
pub const NO_MASK: (Mask, bool) = (0, false);

/// General registers that keep masks: `r9` and `r10`, or `x9` and `x10`.
pub const FLAGS: [u8; 2] = [9, 10];

/// Lanes of 32 bits of the largest vector: tables are aligned to as many.
pub const LANES: usize = 16;

/// The masks of the last, shorter step, one for each of its vectors.
pub const RESTS: [Mask; 2] = [1, 5];
/// Upper halves of lanes, in all steps but that one.
pub const UPPER: Mask = RESTS[0];

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rm {
    Vector(Vector),
    /// One constant for all lanes, by its place.
    Constant(i32),
    /// 16 constants.
    Constants(i32),
    /// Elements of the current stream, so many bytes each, from so many elements on.
    Stream(u8, u8),
    /// The first element of the current stream, for all lanes (of [`REPEAT`], which reads one).
    Element,
    /// The number of elements that are done, a general register.
    Done,
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
    /// How wide elements are for which the place in the stream is computed, where it is.
    pub placed: Option<u8>,
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
            placed: None,
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
            // Instructions read a whole vector where they cannot repeat a number.
            let copies = if self.target == Target::Avx512 { 1 } else { self.lanes() };
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

    pub fn vectors(&mut self, lanes: impl Iterator<Item = u32>) -> i32 {
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
            Rm::Vector(_) | Rm::Stream(..) | Rm::Element | Rm::Done | Rm::Aside(_) | Rm::Before(_) => {
                return (inst, b);
            }
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
        self.write(inst, (to, a, b), None, NO_MASK);
    }

    /// With an immediate number.
    pub fn emit_imm(&mut self, inst: Inst, to: u8, a: u8, b: Rm, imm: u8) {
        self.write(inst, (to, a, b), Some(imm), NO_MASK);
    }

    /// Only lanes of the mask are written; others are kept, or zero.
    pub fn masked(&mut self, inst: Inst, to: u8, a: u8, b: Rm, mask: Mask, zero: bool) {
        self.write(inst, (to, a, b), None, (mask, zero));
    }

    /// An instruction with all that it may have.
    pub fn write(
        &mut self,
        inst: Inst,
        (to, a, b): (u8, u8, Rm),
        imm: Option<u8>,
        (mask, zero): (Mask, bool),
    ) {
        let (inst, b) = self.where_kept(inst, b);
        match self.target {
            Target::Neon => {
                self.missing |= mask != 0;
                return self.neon(inst, to, a, b, imm.unwrap_or(0));
            }
            Target::Avx2 => self.vex(inst, to, a, b, mask),
            Target::Avx512 => self.evex(inst, to, a, b, (mask, zero)),
        }
        self.last_operand(to, b);
        self.code.extend(imm);
    }
}
