//! How AVX2 writes instructions of vectors, and which it has.

use super::asm::{Asm, Mask, Rm};
use super::inst::*;

impl Asm {
    /// What comes before the last operand. An instruction that AVX2 does not have makes the code one that is not run.
    pub fn vex(&mut self, inst: Inst, to: u8, a: u8, b: Rm, mask: Mask) {
        self.missing |= mask != 0 || !has(inst, self.double);
        let (Inst(map, prefix, opcode), long) = if self.double { inst.doubled() } else { (inst, 0) };
        let wide = u8::from(map & SHORT == 0);
        let long = if needs_long(inst) { long | (map / LONG) } else { 0 };
        let map = map & !(LONG | SHORT | NO_MASKS);
        let flip = |x: u8| (x >> 3) ^ 1;
        // Of the address of constants before another, the index is `r8`.
        let (index, base) = match b {
            Rm::Vector(b) => (1, flip(b)),
            Rm::Before(_) => (0, 1),
            _ => (1, 1),
        };
        let last = (!a & 15) << 3 | wide << 2 | prefix;
        if map == 1 && index == 1 && base == 1 && long == 0 {
            self.bytes(&[0xc5, flip(to) << 7 | last, opcode]);
        } else {
            self.bytes(&[0xc4, flip(to) << 7 | index << 6 | base << 5 | map, long << 7 | last, opcode]);
        }
    }
}

/// Whether the bit for lanes of 64 bits says something: others have an opcode for them.
fn needs_long(inst: Inst) -> bool {
    matches!(inst, FMA_213 | FMA_231 | FMS_231 | FNMA_231 | FNMA_213 | SHIFT_LEFT | SHIFT_RIGHT | PERMUTE_64)
}

/// Whether there is such an instruction, of lanes of 64 bits or of 32.
pub fn has(inst: Inst, double: bool) -> bool {
    match inst {
        LOAD | STORE | STORE_PAST_CACHES | MOVE | REPEAT | ADD | SUB | MUL | DIV | MIN_OR_SECOND
        | MAX_OR_SECOND | SQRT | FMA_213 | FMA_231 | FMS_231 | FNMA_231 | FNMA_213 | COMPARE | AND | OR
        | XOR | AND_NOT | INT_ADD | INT_SUB | WIDEN_8 | TO_WHOLE | SHIFT_LEFT | SHIFT_RIGHT | SHIFTS
        | BLEND | INT_EQUAL | INT_GREATER | LOAD_WHERE | STORE_WHERE => true,
        INT_MUL | SIGNED_MIN | SIGNED_MAX | UNSIGNED_MIN | UNSIGNED_MAX | SHIFT_SIGNED_RIGHT | WIDEN_16
        | WIDEN_SIGNED_16 | WIDEN_SIGNED_8 | FLOAT_OF_INT | INT_OF_FLOAT | OF_F16 | TO_F16 | REPEAT_16
        | WITHIN_QUARTERS | STORE_ONE | PERMUTE | BITS_OF_LANES | REPEAT_FIRST => !double,
        PERMUTE_64 | PACK_32 | PACK_16 | PICK_BYTES | STORE_HALF | STORE_64 | STORE_32 | OF_REGISTER => true,
        _ => false,
    }
}
