//! How x86-64 writes what goes on around vectors, masks, and the last operand of an instruction.
//!
//! `rdi` has the addresses of streams, `rsi` the number of elements, `rdx` the address of constants, `r11` the number
//! of rows; `rax` the address of a stream, `rcx` the element, `r8` the limit.

use super::asm::*;
use super::control::{Control, When};

/// Bytes below the stack in which the last elements of a row lie that are too narrow for a load or store of some lanes.
const ASIDE: i32 = 64;

impl Asm {
    /// The last operand, after the instruction.
    pub fn last_operand(&mut self, to: u8, b: Rm) {
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
            Rm::Done => self.code.push(0xc0 | reg | 1),
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

    pub fn x86(&mut self, what: Control) {
        match what {
            // push rbx
            Control::Enter => self.bytes(&[0x53]),
            // vzeroupper; pop rbx; ret
            Control::Leave => self.bytes(&[0xc5, 0xf8, 0x77, 0x5b, 0xc3]),
            // r11 = rcx
            Control::CountRows => self.bytes(&[0x49, 0x89, 0xcb]),
            Control::Address(number) => {
                self.bytes(&[0x48, 0x8b, 0x87]);
                self.bytes(&(number as i32 * 8).to_le_bytes());
            }
            Control::GoOn(stream, by) => {
                self.bytes(&[0x48, 0x81, 0x87]);
                self.bytes(&(stream as i32 * 8).to_le_bytes());
                self.bytes(&by.to_le_bytes());
            }
            Control::Rewind => self.bytes(&[0x31, 0xc9]),
            // r8 = rsi & -elements
            Control::Limit(elements) => {
                self.bytes(&[0x49, 0x89, 0xf0, 0x49, 0x83, 0xe0, elements.wrapping_neg()]);
            }
            Control::Advance(elements) => self.bytes(&[0x48, 0x83, 0xc1, elements]),
            Control::Prefetch { near, width, ahead } => {
                let scale = (width.trailing_zeros() as u8) << 6;
                self.bytes(&[0x0f, 0x18, if near { 0x8c } else { 0x94 }, scale | 1 << 3]);
                self.bytes(&ahead.to_le_bytes());
            }
            Control::LanesOfRest { to, at } => {
                // r8 = rcx - rsi
                self.bytes(&[0x49, 0x89, 0xc8, 0x49, 0x29, 0xf0]);
                self.emit(LOAD, to, 0, Rm::Before(at));
            }
            Control::CopyRest { width, from, to, back } => self.x86_copy_rest(width, (from, to), back),
            Control::KeepLanes { flag, lanes } => self.emit(BITS_OF_LANES, flag, 0, Rm::Vector(lanes)),
        }
    }

    pub fn x86_jump(&mut self, when: When) -> usize {
        match when {
            When::Always => self.bytes(&[0xe9]),
            // rcx >= r8, rcx < r8, rcx >= rsi
            When::AtLimit => self.bytes(&[0x4c, 0x39, 0xc1, 0x0f, 0x83]),
            When::BeforeLimit => self.bytes(&[0x4c, 0x39, 0xc1, 0x0f, 0x82]),
            When::AtEnd => self.bytes(&[0x48, 0x39, 0xf1, 0x0f, 0x83]),
            // r11 -= 1; r11 = 0
            When::LastRow => self.bytes(&[0x49, 0xff, 0xcb, 0x0f, 0x84]),
            When::None(flag) => self.bytes(&[0x45, 0x85, 0xc0 | (flag & 7) << 3 | flag & 7, 0x0f, 0x84]),
        }
        self.hole()
    }

    /// Room for the distance of a jump.
    fn hole(&mut self) -> usize {
        self.bytes(&[0; 4]);
        self.code.len()
    }

    pub fn x86_fill(&mut self, hole: usize, target: usize) {
        let distance = (target as i32).wrapping_sub(hole as i32);
        if let Some(place) = self.code.get_mut(hole - 4..hole) {
            place.copy_from_slice(&distance.to_le_bytes());
        }
    }

    fn x86_copy_rest(&mut self, width: u8, (from, to): (u8, u8), back: bool) {
        let scale = (width.trailing_zeros() as u8) << 6;
        // rax += rcx * width; r8 = min(rsi - rcx, to)
        self.bytes(&[0x48, 0x8d, 0x04, scale | 1 << 3]);
        self.bytes(&[0x49, 0x89, 0xf0, 0x49, 0x29, 0xc8, 0x49, 0x83, 0xf8, to, 0x7e, 0x06]);
        self.bytes(&[0x41, 0xb8, to, 0, 0, 0]);
        // while r8 > from: r8 -= 1; copy element r8 through ebx
        let top = self.code.len();
        self.bytes(&[0x49, 0x83, 0xf8, from, 0x0f, 0x8e]);
        let done = self.hole();
        self.bytes(&[0x49, 0xff, 0xc8]);
        self.move_element(width, false, back);
        self.move_element(width, true, !back);
        let again = self.x86_jump(When::Always);
        self.x86_fill(again, top);
        self.x86_fill(done, self.code.len());
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

    /// Let all lanes be in a mask.
    pub fn fill_mask(&mut self, mask: Mask) {
        self.bytes(&[0xc5, 0x84 | (!mask & 15) << 3, 0x46, 0xc0 | mask << 3 | mask]);
    }

    /// Let the upper halves of all lanes be in [`UPPER`], where there are masks.
    pub fn fill_upper(&mut self) {
        if !self.target.has_masks() {
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

    /// Let the lanes that are left be in masks.
    pub fn masks_of_rest(&mut self, vectors: usize) {
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
}
