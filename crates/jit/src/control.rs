//! What goes on around the vectors: loops over elements and rows, addresses of streams, and the shorter last step.
//!
//! Knows the order of things; `x86` and `a64` know how each is written.

use super::asm::*;

/// One thing that is done with general registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Control {
    /// Begin the function, and end it.
    Enter,
    Leave,
    /// Take the number of rows to count down from.
    CountRows,
    /// Take the address of the stream with this number.
    Address(usize),
    /// Let a stream go on by so many bytes.
    GoOn(usize, i32),
    /// Begin at the first element again.
    Rewind,
    /// Let the limit be the number of elements, rounded down to a multiple of a power of two.
    Limit(u8),
    /// So many elements are done.
    Advance(u8),
    /// Bring a line into the second cache, or into the first one (`near`): of the current stream, so many bytes after
    /// the current element.
    Prefetch {
        near: bool,
        width: u8,
        ahead: i32,
    },
    /// Constants from this place on, less as many as elements are left.
    LanesOfRest {
        to: Vector,
        at: i32,
    },
    /// Elements of the last step, from one on and up to another, are put aside; or `back` into the stream, whose
    /// address is lost.
    CopyRest {
        width: u8,
        from: u8,
        to: u8,
        back: bool,
    },
    /// Which lanes are ones, into one of the [`FLAGS`].
    KeepLanes {
        flag: u8,
        lanes: Vector,
    },
}

/// When to jump.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum When {
    Always,
    /// No element is left before the limit.
    AtLimit,
    BeforeLimit,
    /// No element is left.
    AtEnd,
    /// There is no other row; it is counted.
    LastRow,
    /// No lane was kept in one of the [`FLAGS`].
    None(u8),
}

impl Asm {
    fn control(&mut self, what: Control) {
        match self.target {
            Target::Avx2 | Target::Avx512 => self.x86(what),
            Target::Neon => self.a64(what),
        }
    }

    /// To where a jump goes is said by [`land`](Self::land).
    fn jump_when(&mut self, when: When) -> usize {
        match self.target {
            Target::Avx2 | Target::Avx512 => self.x86_jump(when),
            Target::Neon => self.a64_jump(when),
        }
    }

    /// Let a jump go to a place.
    pub fn fill(&mut self, jump: usize, target: usize) {
        match self.target {
            Target::Avx2 | Target::Avx512 => self.x86_fill(jump, target),
            Target::Neon => self.a64_fill(jump, target),
        }
    }

    /// Let a jump go to what is written next.
    pub fn land(&mut self, jump: usize) {
        self.placed = None;
        self.fill(jump, self.code.len());
    }

    /// Take the number of rows to count down from.
    pub fn count_rows(&mut self) {
        self.control(Control::CountRows);
    }

    /// Jump if there is no other row, which is counted.
    pub fn jump_at_last_row(&mut self) -> usize {
        self.jump_when(When::LastRow)
    }

    pub fn jump(&mut self) -> usize {
        self.jump_when(When::Always)
    }

    /// Jump if no lane is in what was kept.
    pub fn jump_if_none(&mut self, flag: u8) -> usize {
        self.jump_when(When::None(flag))
    }

    /// Keep which lanes are ones in one of the [`FLAGS`] while the loop runs.
    pub fn keep_lanes(&mut self, flag: u8, lanes: Vector) {
        self.control(Control::KeepLanes { flag, lanes });
    }

    pub fn prefetch(&mut self, near: bool, width: u8, ahead: i32) {
        self.control(Control::Prefetch { near, width, ahead });
    }

    /// Take the address of a stream.
    pub fn address(&mut self, number: usize) {
        self.placed = None;
        self.control(Control::Address(number));
    }

    /// Let streams begin at their first element again.
    pub fn rewind(&mut self) {
        self.control(Control::Rewind);
    }

    pub fn enter(&mut self) {
        self.control(Control::Enter);
    }

    pub fn leave(&mut self) {
        self.control(Control::Leave);
    }

    /// Let what `one` writes run for each row; between rows, streams go on by so many bytes.
    pub fn for_rows(&mut self, steps: &[(u16, i32)], one: impl FnOnce(&mut Asm) -> Option<()>) -> Option<()> {
        self.count_rows();
        let top = self.code.len();
        one(self)?;
        if steps.is_empty() {
            return Some(());
        }
        let done = self.jump_at_last_row();
        for (stream, bytes) in steps {
            self.control(Control::GoOn(usize::from(*stream), *bytes));
        }
        let back = self.jump();
        self.fill(back, top);
        self.land(done);
        Some(())
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
        let done = self.jump_when(When::AtEnd);
        if self.target.has_masks() {
            self.masks_of_rest(last);
        }
        step(self, last, true)?;
        self.land(done);
        Some(())
    }

    /// As long as there are so many whole vectors.
    fn many(&mut self, at_once: usize, step: &impl Fn(&mut Asm, usize, bool) -> Option<()>) -> Option<()> {
        let elements = (at_once * self.lanes()) as u8;
        self.control(Control::Limit(elements));
        let past = self.jump_when(When::AtLimit);
        let top = self.code.len();
        step(self, at_once, false)?;
        self.control(Control::Advance(elements));
        let back = self.jump_when(When::BeforeLimit);
        self.fill(back, top);
        self.land(past);
        Some(())
    }

    /// Where there are no masks: lanes of ones as far as elements are left, from an element of the last step on.
    pub fn lanes_of_rest(&mut self, to: Vector, from: usize) {
        let most = LANES * 2;
        let width = if self.double { 8 } else { 4 };
        let [ones, zeros] = [u32::MAX, 0].map(|bits| std::iter::repeat_n(bits, most * width / 4));
        let at = self.vectors(ones.chain(zeros)) + ((most + from) * width) as i32;
        self.control(Control::LanesOfRest { to, at });
    }

    /// Put elements of the last step aside, from one on and up to another, or what was put aside into the stream, whose
    /// address is not there any more.
    pub fn copy_rest(&mut self, width: u8, (from, to): (usize, usize), back: bool) {
        self.control(Control::CopyRest { width, from: from as u8, to: to as u8, back });
        self.placed = None;
    }
}
