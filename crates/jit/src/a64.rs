//! How AArch64 writes what goes on around vectors, and where the memory of an instruction is.
//!
//! As AAPCS64 hands them over, `x0` has the addresses of streams, `x1` the number of elements, `x2` the address of
//! constants, `x3` the number of rows; the rest is written here. Only registers that a function need not give back are
//! written, but for `d8` to `d15`, which are put on the stack.

use super::asm::*;
use super::control::{Control, When};

/// A general register.
type General = u32;

const STREAMS: General = 0;
const ELEMENTS: General = 1;
const CONSTANTS: General = 2;
const ROWS: General = 3;
/// The element.
pub const DONE: General = 4;
const LIMIT: General = 5;
/// The address of a stream, and of its current element.
pub const STREAM: General = 6;
const PLACE: General = 7;
const SPARE: [General; 3] = [12, 13, 14];
/// An address that is not near another.
const FAR: General = 17;
/// The stack, or zero: that depends on the instruction.
const STACK: General = 31;

/// Bytes of the stack: elements that are put aside, then registers that are given back.
const ASIDE: u32 = 256;
const FRAME: u32 = ASIDE + 64;
/// Registers of which the lower half is given back.
const GIVEN_BACK: [u32; 4] = [8, 10, 12, 14];

/// Instructions without their operands.
const ADD: u32 = 0x8b00_0000;
const SUB: u32 = 0xcb00_0000;
const SUB_FOR_FLAGS: u32 = 0xeb00_0000;
const ADD_NUMBER: u32 = 0x9100_0000;
const SUB_NUMBER: u32 = 0xd100_0000;
const SUB_NUMBER_FOR_FLAGS: u32 = 0xf100_0000;
const AND_ONES: u32 = 0x9240_0000;
const PUT_16: u32 = 0xd280_0000;
const PUT_INVERTED: u32 = 0x9280_0000;
const KEEP_AND_PUT_UPPER: u32 = 0xf2a0_0000;
const LOAD_64: u32 = 0xf940_0000;
const STORE_64: u32 = 0xf900_0000;
const STORE_TWO: u32 = 0x6d00_0000;
const LOAD_TWO: u32 = 0x6d40_0000;
const FETCH: u32 = 0xf980_0000;
const SELECT_LOWER: u32 = 0x9a80_3000;
const JUMP: u32 = 0x1400_0000;
const JUMP_IF: u32 = 0x5400_0000;
const JUMP_IF_ZERO: u32 = 0xb400_0000;
const RETURN: u32 = 0xd65f_03c0;

/// Conditions after a subtraction of numbers without signs.
const EQUAL: u32 = 0;
const NOT_LOWER: u32 = 2;
const LOWER: u32 = 3;
const NOT_HIGHER: u32 = 9;

/// A load or store of all of a vector or its first bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Access {
    /// Bytes, as a power of two.
    size: u32,
    load: bool,
}

impl Access {
    pub const LOAD: Access = Access { size: 4, load: true };
    pub const STORE: Access = Access { size: 4, load: false };

    /// The first bytes: half a vector and less.
    pub fn load(bytes: u32) -> Access {
        Access { size: bytes.trailing_zeros(), load: true }
    }

    pub fn store(bytes: u32) -> Access {
        Access { size: bytes.trailing_zeros(), load: false }
    }

    pub fn bytes(self) -> u32 {
        1 << self.size
    }

    /// The instruction without its operands.
    pub fn word(self) -> u32 {
        let whole = u32::from(self.size == 4) << 23;
        0x3d00_0000 | (self.size & 3) << 30 | whole | u32::from(self.load) << 22
    }
}

impl Asm {
    pub fn word(&mut self, word: u32) {
        self.bytes(&word.to_le_bytes());
    }

    /// `to = a (op) (b << shift)`.
    fn general(&mut self, op: u32, to: General, a: General, (b, shift): (General, u32)) {
        self.word(op | b << 16 | shift << 10 | a << 5 | to);
    }

    /// `to = a (op) number`, of 12 bits.
    fn general_number(&mut self, op: u32, to: General, a: General, number: u32) {
        self.word(op | number << 10 | a << 5 | to);
    }

    /// Of 32 bits with a sign.
    fn put_number(&mut self, to: General, number: i32) {
        let bits = if number < 0 { !number } else { number } as u32;
        let (lower, upper) = (bits & 0xffff, bits >> 16);
        if number < 0 {
            self.word(PUT_INVERTED | lower << 5 | to);
            // What is kept is inverted already.
            let upper = !upper & 0xffff;
            if upper != 0xffff {
                self.word(KEEP_AND_PUT_UPPER | upper << 5 | to);
            }
            return;
        }
        self.word(PUT_16 | lower << 5 | to);
        if upper != 0 {
            self.word(KEEP_AND_PUT_UPPER | upper << 5 | to);
        }
    }

    /// A register and how far from it memory is, of what is that many bytes.
    pub fn near(&mut self, base: General, distance: i32, bytes: u32) -> (General, u32) {
        if let Ok(distance) = u32::try_from(distance)
            && distance % bytes == 0
            && distance / bytes < 1 << 12
        {
            return (base, distance / bytes);
        }
        self.put_number(FAR, distance);
        // The stack is no operand of this addition: what is put aside is near.
        self.general(ADD, FAR, base, (FAR, 0));
        (FAR, 0)
    }

    /// Where the current element of the stream is.
    fn place(&mut self, width: u8) -> General {
        if self.placed != Some(width) {
            self.general(ADD, PLACE, STREAM, (DONE, width.trailing_zeros()));
            self.placed = Some(width);
        }
        PLACE
    }

    /// A load or store of a vector's part.
    pub fn access(&mut self, access: Access, vector: Vector, memory: Rm) {
        let (base, distance) = match memory {
            Rm::Constant(at) | Rm::Constants(at) => (CONSTANTS, at),
            Rm::Stream(width, from) => (self.place(width), i32::from(width) * i32::from(from)),
            Rm::Aside(bytes) => (STACK, bytes),
            Rm::Element => (STREAM, 0),
            Rm::Vector(_) | Rm::Done | Rm::Before(_) => return self.missing = true,
        };
        let (base, distance) = self.near(base, distance, access.bytes());
        self.general_number(access.word(), vector.into(), base, distance);
    }

    /// The address of constants, for instructions that know no distance.
    pub fn address_of_constants(&mut self, at: i32) -> u32 {
        self.put_number(FAR, at);
        self.general(ADD, FAR, CONSTANTS, (FAR, 0));
        FAR
    }

    /// A number, for instructions that take it from a general register.
    pub fn general_of(&mut self, number: i32) -> u32 {
        self.put_number(FAR, number);
        FAR
    }

    pub fn a64(&mut self, what: Control) {
        match what {
            Control::Enter => {
                self.general_number(SUB_NUMBER, STACK, STACK, FRAME);
                self.give_back(STORE_TWO);
            }
            Control::Leave => {
                self.give_back(LOAD_TWO);
                self.general_number(ADD_NUMBER, STACK, STACK, FRAME);
                self.word(RETURN);
            }
            // They are counted where they are.
            Control::CountRows => {}
            Control::Address(number) => self.stream(LOAD_64, STREAM, number),
            Control::GoOn(stream, by) => {
                let [address, distance, _] = SPARE;
                self.stream(LOAD_64, address, stream);
                self.put_number(distance, by);
                self.general(ADD, address, address, (distance, 0));
                self.stream(STORE_64, address, stream);
            }
            Control::Rewind => self.put_number(DONE, 0),
            Control::Limit(elements) => {
                // All bits but the lowest ones, as how far they are rotated and how many there are.
                let low = elements.trailing_zeros();
                self.word(AND_ONES | ((64 - low) % 64) << 16 | (63 - low) << 10 | ELEMENTS << 5 | LIMIT);
            }
            Control::Advance(elements) => self.general_number(ADD_NUMBER, DONE, DONE, elements.into()),
            Control::Prefetch { near, width, ahead } => {
                let place = self.place(width);
                let (base, distance) = self.near(place, ahead, 8);
                self.general_number(FETCH, if near { 0 } else { 2 }, base, distance);
            }
            Control::LanesOfRest { to, at } => {
                let [place, ..] = SPARE;
                self.general(SUB, place, DONE, (ELEMENTS, 0));
                self.general(ADD, place, CONSTANTS, (place, if self.double { 3 } else { 2 }));
                let (base, distance) = self.near(place, at, Access::LOAD.bytes());
                self.general_number(Access::LOAD.word(), to.into(), base, distance);
            }
            Control::CopyRest { width, from, to, back } => self.a64_copy_rest(width, (from, to), back),
            Control::KeepLanes { flag, lanes } => self.any_lane(flag.into(), lanes),
        }
    }

    /// Registers that are given back, on the stack or from there.
    fn give_back(&mut self, op: u32) {
        for (i, first) in GIVEN_BACK.iter().enumerate() {
            let at = ASIDE / 8 + 2 * i as u32;
            self.word(op | at << 15 | (first + 1) << 10 | STACK << 5 | first);
        }
    }

    /// The address of a stream, or what it becomes.
    fn stream(&mut self, op: u32, register: General, number: usize) {
        self.missing |= number >= 1 << 12;
        self.general_number(op, register, STREAMS, number as u32 & 0xfff);
    }

    fn a64_copy_rest(&mut self, width: u8, (from, to): (u8, u8), back: bool) {
        let [left, aside, element] = SPARE;
        let place = self.place(width);
        self.general_number(ADD_NUMBER, aside, STACK, 0);
        // left = min(elements - done, to)
        self.general(SUB, left, ELEMENTS, (DONE, 0));
        self.put_number(element, to.into());
        self.general(SUB_FOR_FLAGS, STACK, left, (element, 0));
        self.general(SELECT_LOWER, left, left, (element, 0));
        let top = self.code.len();
        self.general_number(SUB_NUMBER_FOR_FLAGS, STACK, left, from.into());
        let done = self.jump_if(NOT_HIGHER);
        self.general_number(SUB_NUMBER, left, left, 1);
        let (source, target) = if back { (aside, place) } else { (place, aside) };
        // Scaled by as many bytes as are copied.
        let scaled = |load: u32| {
            let size = width.trailing_zeros();
            0x3820_6800 | size << 30 | load << 22 | left << 16 | u32::from(width > 1) << 12
        };
        self.word(scaled(1) | source << 5 | element);
        self.word(scaled(0) | target << 5 | element);
        let again = self.a64_jump(When::Always);
        self.a64_fill(again, top);
        self.a64_fill(done, self.code.len());
    }

    fn jump_if(&mut self, condition: u32) -> usize {
        self.word(JUMP_IF | condition);
        self.code.len()
    }

    pub fn a64_jump(&mut self, when: When) -> usize {
        let compare = |asm: &mut Asm, with: General| asm.general(SUB_FOR_FLAGS, STACK, DONE, (with, 0));
        match when {
            When::Always => self.word(JUMP),
            When::None(flag) => self.word(JUMP_IF_ZERO | u32::from(flag)),
            When::AtLimit => {
                compare(self, LIMIT);
                return self.jump_if(NOT_LOWER);
            }
            When::BeforeLimit => {
                compare(self, LIMIT);
                return self.jump_if(LOWER);
            }
            When::AtEnd => {
                compare(self, ELEMENTS);
                return self.jump_if(NOT_LOWER);
            }
            When::LastRow => {
                self.general_number(SUB_NUMBER_FOR_FLAGS, ROWS, ROWS, 1);
                return self.jump_if(EQUAL);
            }
        }
        self.code.len()
    }

    /// Distances are counted in instructions from the jump on.
    pub fn a64_fill(&mut self, hole: usize, target: usize) {
        let distance = (target as i64 - (hole as i64 - 4)) / 4;
        let Some(place) = self.code.get_mut(hole - 4..hole) else { return };
        let Ok(bytes) = <[u8; 4]>::try_from(&*place) else { return };
        let word = u32::from_le_bytes(bytes);
        let (bits, shift) = if word & 0xfc00_0000 == JUMP { (26, 0) } else { (19, 5) };
        let reach = 1i64 << (bits - 1);
        let field = (distance as u32 & ((1 << bits) - 1)) << shift;
        place.copy_from_slice(&(word | field).to_le_bytes());
        self.missing |= !(-reach..reach).contains(&distance);
    }
}
