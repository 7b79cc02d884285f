//! Instructions by what they do, as map, prefix and opcode: the same in both encodings of x86-64 where both have them.
//!
//! Which of them AVX2 has is said in `vex`. NEON goes by the names alone (`neon`).

/// Map, prefix and opcode, of lanes of 32 bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inst(pub u8, pub u8, pub u8);

/// Added to the map of instructions that need the bit for lanes of 64 bits, whatever size theirs have.
pub const LONG: u8 = 0x80;
/// Added to the map of instructions of vectors of 16 bytes.
pub const SHORT: u8 = 0x40;
/// The map of instructions that only NEON has.
pub const NEON: u8 = 0x10;
/// Added to the map of instructions that only AVX2 has, whose opcodes may be those of others.
pub const NO_MASKS: u8 = 0x20;

impl Inst {
    /// The same of lanes of 64 bits, and the bit that says so.
    pub fn doubled(self) -> (Inst, u8) {
        match self {
            LOAD_WHERE => (Inst(2, 1, 0x2d), 0),
            STORE_WHERE => (Inst(2, 1, 0x2f), 0),
            BLEND => (Inst(3, 1, 0x4b), 0),
            INT_EQUAL => (Inst(2, 1, 0x29), 0),
            INT_GREATER => (Inst(2, 1, 0x37), 0),
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
/// Of a general register.
pub const REPEAT_REGISTER: Inst = Inst(2, 1, 0x7c);
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
pub const WIDEN_SIGNED_16: Inst = Inst(2, 1, 0x23);
pub const WIDEN_SIGNED_8: Inst = Inst(2, 1, 0x21);
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

/// Which of the [`SHIFTS`].
pub const TO_THE_LEFT: u8 = 6;
pub const TO_THE_RIGHT: u8 = 2;
pub const TO_THE_RIGHT_SIGNED: u8 = 4;

// NEON only, whose instructions have no map, prefix and opcode.

/// The larger or smaller of two, of zeros by their sign; what is no number wins.
pub const LARGER: Inst = Inst(NEON, 0, 0);
pub const SMALLER: Inst = Inst(NEON, 0, 1);
/// Halves of a vector, or two lanes beside each other, change places.
pub const HALVES_SWAPPED: Inst = Inst(NEON, 0, 2);
pub const NEIGHBOURS_SWAPPED: Inst = Inst(NEON, 0, 3);
/// Bytes of half a table by numbers: zero where it has none; the same of the other half, where the result stays.
pub const BYTES_OF_TABLE: Inst = Inst(NEON, 0, 4);
pub const BYTES_OF_OTHER_TABLE: Inst = Inst(NEON, 0, 5);
/// 16 bits of memory for the upper half of each lane, and from there; and the upper halves of two vectors as one.
pub const LOAD_UPPER: Inst = Inst(NEON, 0, 7);
pub const STORE_UPPER: Inst = Inst(NEON, 0, 8);
pub const UPPER_HALVES: Inst = Inst(NEON, 0, 9);
/// Whole numbers without signs: lanes of ones where the first is greater.
pub const UNSIGNED_GREATER: Inst = Inst(NEON, 0, 6);

// AVX2 only.

/// Lanes of the last operand where a third vector, said by an immediate number, has its uppermost bit; else of the
/// first.
pub const BLEND: Inst = Inst(3 | NO_MASKS, 1, 0x4a);
/// Lanes of ones where whole numbers are equal, or the first is greater.
pub const INT_EQUAL: Inst = Inst(1 | NO_MASKS, 1, 0x76);
pub const INT_GREATER: Inst = Inst(1 | NO_MASKS, 1, 0x66);
/// A load or store of lanes whose uppermost bit is set in the first operand.
pub const LOAD_WHERE: Inst = Inst(2 | NO_MASKS, 1, 0x2c);
pub const STORE_WHERE: Inst = Inst(2 | NO_MASKS, 1, 0x2e);
/// Lanes of the last operand, of eight, by numbers in the first.
pub const PERMUTE: Inst = Inst(2, 1, 0x16);
/// Quarters of a vector by a number.
pub const PERMUTE_64: Inst = Inst(3 | LONG, 1, 0x00);
/// To half as many bits without a sign, saturated; the halves of both operands by turns.
pub const PACK_32: Inst = Inst(2, 1, 0x2b);
pub const PACK_16: Inst = Inst(1, 1, 0x67);
/// Bytes of 16 by numbers.
pub const PICK_BYTES: Inst = Inst(2 | SHORT, 1, 0x00);
/// Half of a vector, a quarter and an eighth.
pub const STORE_HALF: Inst = Inst(1 | SHORT, 0, 0x11);
pub const STORE_64: Inst = Inst(1 | SHORT, 1, 0xd6);
pub const STORE_32: Inst = Inst(1 | SHORT, 1, 0x7e);
/// A general register into the first lane, and that for all lanes.
pub const OF_REGISTER: Inst = Inst(1 | SHORT, 1, 0x6e);
pub const REPEAT_FIRST: Inst = Inst(2, 1, 0x58);
/// The uppermost bits of lanes into a general register.
pub const BITS_OF_LANES: Inst = Inst(1, 0, 0x50);
/// Bits of the last operand that are not set in the first.
pub const AND_NOT: Inst = Inst(1, 1, 0xdf);
/// To whole numbers, without what is behind the point.
pub const INT_OF_FLOAT: Inst = Inst(1, 2, 0x5b);
