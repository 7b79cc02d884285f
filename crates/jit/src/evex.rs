//! How AVX-512 writes instructions of vectors.

use super::asm::{Asm, Mask, Rm};
use super::inst::{Inst, LONG};

impl Asm {
    /// What comes before the last operand.
    pub fn evex(&mut self, inst: Inst, to: u8, a: u8, b: Rm, (mask, zero): (Mask, bool)) {
        let (Inst(map, prefix, opcode), long) = if self.double { inst.doubled() } else { (inst, 0) };
        let (map, long) = (map & !LONG, long | (map / LONG));
        let flip = |x: u8, bit: u8| ((x >> bit) & 1) ^ 1;
        let (x, base) = match b {
            Rm::Vector(b) => (flip(b, 4), flip(b, 3)),
            _ => (1, 1),
        };
        let repeated = u8::from(matches!(b, Rm::Constant(_)));
        let half = self.is_mixed() && !self.double && matches!(b, Rm::Stream(..));
        let length = if half { 1 } else { 2 };
        self.bytes(&[
            0x62,
            flip(to, 3) << 7 | x << 6 | base << 5 | flip(to, 4) << 4 | map,
            long << 7 | (!a & 15) << 3 | 1 << 2 | prefix,
            u8::from(zero) << 7 | length << 5 | repeated << 4 | flip(a, 4) << 3 | mask,
            opcode,
        ]);
    }
}
