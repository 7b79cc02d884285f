//! How NEON writes instructions of vectors, and which it has.
//!
//! Instructions take registers only: what is in memory is loaded first. Some of what other sets have as one instruction
//! is a few here, in registers that hold no values: [`SOURCE`], [`RESULT`], and those of tables.

use super::a64::{Access, DONE, STREAM};
use super::asm::*;

// Registers from [`VALUES_OF_NEON`] on.

/// The first of four registers of a table, or what an instruction needs in between.
const TABLE: Vector = VALUES_OF_NEON;
const BETWEEN: Vector = 29;
/// What was in memory.
const SOURCE: Vector = 30;
/// What will be the result, while the result's register is an operand.
const RESULT: Vector = 31;

/// Instructions of lanes of 32 bits without their operands.
const F_ADD: u32 = 0x4e20_d400;
const F_SUB: u32 = 0x4ea0_d400;
const F_MUL: u32 = 0x6e20_dc00;
const F_DIV: u32 = 0x6e20_fc00;
const F_MAX: u32 = 0x4e20_f400;
const F_MIN: u32 = 0x4ea0_f400;
/// `to + a * b` and `to - a * b`, rounded once.
const F_ADD_PRODUCT: u32 = 0x4e20_cc00;
const F_SUB_PRODUCT: u32 = 0x4ea0_cc00;
const F_EQUAL: u32 = 0x4e20_e400;
const F_AT_LEAST: u32 = 0x6e20_e400;
const F_GREATER: u32 = 0x6ea0_e400;
const F_SQRT: u32 = 0x6ea1_f800;
const F_NEGATE: u32 = 0x6ea0_f800;
const F_NEAREST: u32 = 0x4e21_8800;
const F_DOWN: u32 = 0x4e21_9800;
const F_UP: u32 = 0x4ea1_8800;
const F_OF_SIGNED: u32 = 0x4e21_d800;
const F_OF_UNSIGNED: u32 = 0x6e21_d800;
const SIGNED_OF_F: u32 = 0x4ea1_b800;
const F_OF_HALF: u32 = 0x0e21_7800;
const HALF_OF_F: u32 = 0x0e21_6800;
const I_ADD: u32 = 0x4ea0_8400;
const I_SUB: u32 = 0x6ea0_8400;
const I_MUL: u32 = 0x4ea0_9c00;
const I_NEGATE: u32 = 0x6ea0_b800;
const S_MAX: u32 = 0x4ea0_6400;
const S_MIN: u32 = 0x4ea0_6c00;
const U_MAX: u32 = 0x6ea0_6400;
const U_MIN: u32 = 0x6ea0_6c00;
const I_EQUAL: u32 = 0x6ea0_8c00;
const S_GREATER: u32 = 0x4ea0_3400;
const U_GREATER: u32 = 0x6ea0_3400;
/// To the left by a number in each lane, or to the right if that is below zero.
const S_SHIFT: u32 = 0x4ea0_4400;
const U_SHIFT: u32 = 0x6ea0_4400;
const REPEAT_FROM_MEMORY: u32 = 0x4d40_c800;
const REPEAT_GENERAL: u32 = 0x4e04_0c00;
/// Of no lanes, or of lanes that are said otherwise.
const BITS_AND: u32 = 0x4e20_1c00;
const BITS_AND_NOT: u32 = 0x4e60_1c00;
const BITS_OR: u32 = 0x4ea0_1c00;
const BITS_XOR: u32 = 0x6e20_1c00;
const BITS_NOT: u32 = 0x6e20_5800;
/// `a` where the result has ones, else `b`; `a` where `b` has ones; `a` where `b` has none.
const CHOOSE_BY_RESULT: u32 = 0x6e60_1c00;
const PUT_WHERE: u32 = 0x6ea0_1c00;
const PUT_WHERE_NOT: u32 = 0x6ee0_1c00;
const REPEAT_16_FROM_MEMORY: u32 = 0x4d40_c400;
const SHIFT_LEFT_BY: u32 = 0x4f00_5400;
const SHIFT_RIGHT_BY: u32 = 0x6f00_0400;
const SHIFT_SIGNED_RIGHT_BY: u32 = 0x4f00_0400;
/// Lower halves to twice the size, from 8 bits on; to half the size, down to 8 bits.
const WIDEN: u32 = 0x2f00_a400;
const WIDEN_WITH_SIGN: u32 = 0x0f00_a400;
const NARROW: u32 = 0x0e21_2800;
/// The same of 32 bits, to and from upper halves; and lanes of 16 bits from one on, every other one, of two vectors.
const WIDEN_TO_UPPER: u32 = 0x2e61_3800;
const NARROW_UPPER: u32 = 0x0f10_8400;
const ODD_16: u32 = 0x4e40_5800;
/// Halves of a vector change places; and neighbours of 32 bits.
const SWAP_HALVES: u32 = 0x6e00_4000;
const SWAP_NEIGHBOURS: u32 = 0x4ea0_0800;
const LOAD_FOUR: u32 = 0x4c40_2000;
/// Bytes of four registers by numbers; where there is no such byte, zero or what is there.
const BYTES_OR_ZERO: u32 = 0x4e00_6000;
const BYTES_OR_SAME: u32 = 0x4e00_7000;
const LARGEST_LANE: u32 = 0x6eb0_a800;
const GENERAL_OF_FIRST: u32 = 0x1e26_0000;

/// The bit for lanes of 64 bits.
const DOUBLE: u32 = 1 << 22;

impl Asm {
    /// An instruction by its name in `inst`, with what it takes in other sets.
    pub fn neon(&mut self, inst: Inst, to: Vector, a: Vector, b: Rm, imm: u8) {
        match inst {
            LOAD => self.access(Access::LOAD, to, b),
            STORE | STORE_PAST_CACHES => self.access(Access::STORE, to, b),
            STORE_ONE => self.access(Access::store(4), to, b),
            REPEAT => self.repeated(to, b),
            REPEAT_16 => self.word(REPEAT_16_FROM_MEMORY | operands(to.into(), STREAM, 0)),
            REPEAT_REGISTER => self.word(REPEAT_GENERAL | operands(to.into(), DONE, 0)),
            WIDEN_16 => self.widened(WIDEN, to, b, 2),
            WIDEN_8 => self.widened(WIDEN, to, b, 1),
            WIDEN_SIGNED_16 => self.widened(WIDEN_WITH_SIGN, to, b, 2),
            WIDEN_SIGNED_8 => self.widened(WIDEN_WITH_SIGN, to, b, 1),
            NARROW_16 => self.narrowed(to, b, 2),
            NARROW_8 => self.narrowed(to, b, 1),
            LOAD_UPPER => {
                let b = self.part_in_register(b, 8);
                self.of_vectors(WIDEN_TO_UPPER, to, b, 0);
            }
            STORE_UPPER => {
                self.of_vectors(NARROW_UPPER, RESULT, to, 0);
                self.access(Access::store(8), RESULT, b);
            }
            OF_F16 => {
                let b = self.part_in_register(b, 8);
                self.of_vectors(F_OF_HALF, to, b, 0);
            }
            TO_F16 => {
                let there = if let Rm::Vector(there) = b { there } else { RESULT };
                self.of_vectors(HALF_OF_F, there, to, 0);
                if there == RESULT {
                    self.access(Access::store(8), RESULT, b);
                }
            }
            SHIFTS => self.shifted(to, a, b, imm),
            _ => {
                let b = self.in_register(b);
                self.of_registers(inst, to, a, b, imm);
            }
        }
    }

    fn of_registers(&mut self, inst: Inst, to: Vector, a: Vector, b: Vector, imm: u8) {
        if let Some(word) = like_others(inst, self.double) {
            return self.lanes_of_vectors(word, to, a, b);
        }
        match inst {
            MOVE => self.of_vectors(BITS_OR, to, b, b),
            AND => self.of_vectors(BITS_AND, to, a, b),
            AND_NOT => self.of_vectors(BITS_AND_NOT, to, b, a),
            OR => self.of_vectors(BITS_OR, to, a, b),
            XOR => self.of_vectors(BITS_XOR, to, a, b),
            // Of one operand.
            SQRT => self.lanes_of_vectors(F_SQRT, to, b, 0),
            FLOAT_OF_INT if !self.double => self.lanes_of_vectors(F_OF_SIGNED, to, b, 0),
            FLOAT_OF_UNSIGNED if !self.double => self.lanes_of_vectors(F_OF_UNSIGNED, to, b, 0),
            DOUBLE_OF_INT if self.double => self.lanes_of_vectors(F_OF_SIGNED, to, b, 0),
            DOUBLE_OF_UNSIGNED if self.double => self.lanes_of_vectors(F_OF_UNSIGNED, to, b, 0),
            INT_OF_FLOAT if !self.double => self.lanes_of_vectors(SIGNED_OF_F, to, b, 0),
            TO_WHOLE => match imm {
                0 => self.lanes_of_vectors(F_NEAREST, to, b, 0),
                1 => self.lanes_of_vectors(F_DOWN, to, b, 0),
                _ => self.lanes_of_vectors(F_UP, to, b, 0),
            },
            UPPER_HALVES => self.of_vectors(ODD_16, to, a, b),
            HALVES_SWAPPED => self.of_vectors(SWAP_HALVES, to, b, b),
            NEIGHBOURS_SWAPPED => self.of_vectors(SWAP_NEIGHBOURS, to, b, 0),
            BYTES_OF_TABLE => self.of_vectors(BYTES_OR_ZERO, to, TABLE, b),
            BYTES_OF_OTHER_TABLE => self.of_vectors(BYTES_OR_SAME, to, TABLE, b),
            FMA_231 => self.lanes_of_vectors(F_ADD_PRODUCT, to, a, b),
            FNMA_231 => self.lanes_of_vectors(F_SUB_PRODUCT, to, a, b),
            FMA_213 => self.added_product(F_ADD_PRODUCT, to, (a, to), b),
            FNMA_213 => self.added_product(F_SUB_PRODUCT, to, (a, to), b),
            FMS_231 => {
                self.lanes_of_vectors(F_NEGATE, RESULT, to, 0);
                self.lanes_of_vectors(F_ADD_PRODUCT, RESULT, a, b);
                self.of_vectors(BITS_OR, to, RESULT, RESULT);
            }
            MIN_OR_SECOND => self.first_where_greater((b, a), to, a, b),
            MAX_OR_SECOND => self.first_where_greater((a, b), to, a, b),
            COMPARE => self.compared(to, a, b, imm),
            SHIFT_LEFT => self.shifted_by_lanes(to, a, b, false),
            SHIFT_RIGHT => self.shifted_by_lanes(to, a, b, true),
            SHIFT_SIGNED_RIGHT if !self.double => {
                let most = self.general_of(31);
                self.word(REPEAT_GENERAL | operands(RESULT.into(), most, 0));
                self.lanes_of_vectors(U_MIN, RESULT, RESULT, b);
                self.lanes_of_vectors(I_NEGATE, RESULT, RESULT, 0);
                self.lanes_of_vectors(S_SHIFT, to, a, RESULT);
            }
            _ => self.missing = true,
        }
    }

    /// An instruction that says itself of which lanes it is.
    fn of_vectors(&mut self, word: u32, to: Vector, a: Vector, b: Vector) {
        self.word(word | operands(to.into(), a.into(), b.into()));
    }

    /// An instruction of lanes as they are now.
    fn lanes_of_vectors(&mut self, word: u32, to: Vector, a: Vector, b: Vector) {
        self.of_vectors(if self.double { word | DOUBLE } else { word }, to, a, b);
    }

    /// The register of an operand; what is in memory is loaded.
    fn in_register(&mut self, b: Rm) -> Vector {
        self.part_in_register(b, 16)
    }

    fn part_in_register(&mut self, b: Rm, bytes: u32) -> Vector {
        if let Rm::Vector(b) = b {
            return b;
        }
        self.access(Access::load(bytes), SOURCE, b);
        SOURCE
    }

    /// One number for all lanes: there are as many of a constant as lanes.
    fn repeated(&mut self, to: Vector, b: Rm) {
        if b == Rm::Element {
            let double = u32::from(self.double) << 10;
            return self.word(REPEAT_FROM_MEMORY | double | operands(to.into(), STREAM, 0));
        }
        self.access(Access::LOAD, to, b);
    }

    /// Whole numbers of so many bytes, to those of lanes.
    fn widened(&mut self, how: u32, to: Vector, b: Rm, width: u32) {
        let lane = if self.double { 8 } else { 4 };
        let mut from = self.part_in_register(b, 16 / lane * width);
        let mut width = width;
        while width < lane {
            self.of_vectors(how | width << 19, to, from, 0);
            (from, width) = (to, width * 2);
        }
    }

    /// Lanes stored as whole numbers of so many bytes.
    fn narrowed(&mut self, x: Vector, b: Rm, width: u32) {
        let lane = if self.double { 8 } else { 4 };
        let (mut from, mut now) = (x, lane);
        while now > width {
            now /= 2;
            self.of_vectors(NARROW | now.trailing_zeros() << 22, RESULT, from, 0);
            from = RESULT;
        }
        self.access(Access::store(16 / lane * width), RESULT, b);
    }

    /// By a number; which shift is said by the place of the result.
    fn shifted(&mut self, which: u8, to: Vector, b: Rm, by: u8) {
        let Rm::Vector(from) = b else { return self.missing = true };
        let (size, by) = (if self.double { 64 } else { 32 }, u32::from(by));
        let (word, number) = match which {
            TO_THE_LEFT => (SHIFT_LEFT_BY, size + by),
            TO_THE_RIGHT => (SHIFT_RIGHT_BY, 2 * size - by),
            _ => (SHIFT_SIGNED_RIGHT_BY, 2 * size - by),
        };
        self.of_vectors(word | number << 16, to, from, 0);
    }

    /// By a number in each lane; nothing is left where it is not less than there are bits.
    fn shifted_by_lanes(&mut self, to: Vector, a: Vector, b: Vector, right: bool) {
        let (bits, double) = if self.double { (64, 0xc_0000) } else { (32, 0) };
        let bits = self.general_of(bits);
        self.word((REPEAT_GENERAL ^ double) | operands(RESULT.into(), bits, 0));
        self.lanes_of_vectors(U_GREATER, RESULT, RESULT, b);
        let mut by = b;
        if right {
            self.lanes_of_vectors(I_NEGATE, BETWEEN, b, 0);
            by = BETWEEN;
        }
        self.lanes_of_vectors(U_SHIFT, BETWEEN, a, by);
        self.of_vectors(BITS_AND, to, BETWEEN, RESULT);
    }

    /// `to = b (+) x * y`.
    fn added_product(&mut self, word: u32, to: Vector, (x, y): (Vector, Vector), b: Vector) {
        if b != SOURCE {
            self.of_vectors(BITS_OR, RESULT, b, b);
        }
        let sum = if b == SOURCE { SOURCE } else { RESULT };
        self.lanes_of_vectors(word, sum, x, y);
        self.of_vectors(BITS_OR, to, sum, sum);
    }

    /// `a` where one number is greater than another, else `b`: also where one is none.
    fn first_where_greater(&mut self, (one, other): (Vector, Vector), to: Vector, a: Vector, b: Vector) {
        self.lanes_of_vectors(F_GREATER, RESULT, one, other);
        self.of_vectors(CHOOSE_BY_RESULT, RESULT, a, b);
        self.of_vectors(BITS_OR, to, RESULT, RESULT);
    }

    /// Lanes of ones where a comparison holds.
    fn compared(&mut self, to: Vector, a: Vector, b: Vector, how: u8) {
        // By the numbers of the other sets: the lower four bits say what, some of them the opposite of others.
        let (word, (a, b), opposite) = match how & 0xf {
            0x0 => (F_EQUAL, (a, b), false),
            0x1 => (F_GREATER, (b, a), false),
            0x2 => (F_AT_LEAST, (b, a), false),
            0x4 => (F_EQUAL, (a, b), true),
            0x5 => (F_GREATER, (b, a), true),
            0x9 => (F_AT_LEAST, (a, b), true),
            0xd => (F_AT_LEAST, (a, b), false),
            0xe => (F_GREATER, (a, b), false),
            0x3 => return self.no_numbers(to, a, b),
            _ => return self.missing = true,
        };
        self.lanes_of_vectors(word, to, a, b);
        if opposite {
            self.of_vectors(BITS_NOT, to, to, 0);
        }
    }

    /// Lanes of ones where one of two is no number.
    fn no_numbers(&mut self, to: Vector, a: Vector, b: Vector) {
        self.lanes_of_vectors(F_EQUAL, RESULT, a, a);
        self.lanes_of_vectors(F_EQUAL, BETWEEN, b, b);
        self.of_vectors(BITS_AND, to, RESULT, BETWEEN);
        self.of_vectors(BITS_NOT, to, to, 0);
    }

    /// One value where lanes are ones, the other where they are zero.
    pub fn chosen(&mut self, to: Vector, lanes: Vector, one: Rm, other: Vector) {
        let one = self.in_register(one);
        if to == lanes {
            self.of_vectors(CHOOSE_BY_RESULT, to, one, other);
        } else if to == one {
            self.of_vectors(PUT_WHERE_NOT, to, other, lanes);
        } else {
            if to != other {
                self.of_vectors(BITS_OR, to, other, other);
            }
            self.of_vectors(PUT_WHERE, to, one, lanes);
        }
    }

    /// Half of a table of 32 numbers, for [`BYTES_OF_TABLE`].
    pub fn load_table(&mut self, half: Rm) {
        let Rm::Constants(at) = half else { return self.missing = true };
        let address = self.address_of_constants(at);
        self.word(LOAD_FOUR | operands(TABLE.into(), address, 0));
    }

    /// Whether any of all lanes is ones.
    pub fn any_lane(&mut self, to: u32, lanes: Vector) {
        self.of_vectors(LARGEST_LANE, RESULT, lanes, 0);
        self.word(GENERAL_OF_FIRST | operands(to, RESULT.into(), 0));
    }
}

/// The places of operands.
fn operands(to: u32, a: u32, b: u32) -> u32 {
    b << 16 | a << 5 | to
}

/// Instructions that are one here too, of two operands and a result.
fn like_others(inst: Inst, double: bool) -> Option<u32> {
    Some(match inst {
        ADD => F_ADD,
        SUB => F_SUB,
        MUL => F_MUL,
        DIV => F_DIV,
        LARGER => F_MAX,
        SMALLER => F_MIN,
        INT_ADD => I_ADD,
        INT_SUB => I_SUB,
        INT_EQUAL => I_EQUAL,
        INT_GREATER => S_GREATER,
        UNSIGNED_GREATER => U_GREATER,
        INT_MUL if !double => I_MUL,
        SIGNED_MIN if !double => S_MIN,
        SIGNED_MAX if !double => S_MAX,
        UNSIGNED_MIN if !double => U_MIN,
        UNSIGNED_MAX if !double => U_MAX,
        _ => return None,
    })
}
