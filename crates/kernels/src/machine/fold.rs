//! Reductions of a loop's values, in registers: element `i` goes to lane `i` of as many lanes as are computed at once,
//! and these are combined pairwise at the end of the row, one half with the other until one lane is left.

use super::asm::*;
use super::functions::{LARGEST, SMALLEST, UNORDERED};
use super::select::{Registers, Step};
use super::wide::{BETWEEN, MOST, Wide};
use super::{Fold, Port};
use meshwright_shard::Reducer;

/// Masks of lanes in which all were numbers: so many reductions can have one.
const SOUND: [Mask; 2] = [6, 7];
/// [`COMPARE`]: lanes in which both are numbers.
const ORDERED: u8 = 7;
/// A register of the loop's values, none of which is left when a row ends.
const SPARE: Vector = 0;
/// How a half comes to lie over the other: 8 lanes, 4, 2 and 1.
const HALVES: [(Inst, u8); 4] =
    [(QUARTERS, 0x4e), (QUARTERS, 0xb1), (WITHIN_QUARTERS, 0x4e), (WITHIN_QUARTERS, 0xb1)];

/// A reduction and where its lanes are.
pub struct Running {
    pub port: Port<Fold>,
    pub lanes: Wide,
    /// Lanes in which all were numbers, of a maximum or minimum.
    sound: Option<Mask>,
}

fn identity(reducer: Reducer) -> Option<f32> {
    match reducer {
        Reducer::Sum => Some(-0.0),
        Reducer::Product => Some(1.0),
        Reducer::Max => Some(f32::NEG_INFINITY),
        Reducer::Min => Some(f32::INFINITY),
        Reducer::And | Reducer::Or | Reducer::Xor => None,
    }
}

/// The instruction that combines two lanes, and what follows it.
fn joining(reducer: Reducer) -> (Inst, Option<u8>) {
    match reducer {
        Reducer::Product => (MUL, None),
        Reducer::Max => (RANGE, Some(LARGEST)),
        Reducer::Min => (RANGE, Some(SMALLEST)),
        Reducer::Sum | Reducer::And | Reducer::Or | Reducer::Xor => (ADD, None),
    }
}

/// Registers for the lanes, with the values that reductions start from.
pub fn begun(
    asm: &mut Asm,
    folds: &[Port<Fold>],
    at_once: usize,
    registers: &mut Registers,
) -> Option<Vec<Running>> {
    folds.iter().map(|port| one_begun(asm, port, at_once, registers)).collect()
}

fn one_begun(asm: &mut Asm, port: &Port<Fold>, at_once: usize, registers: &mut Registers) -> Option<Running> {
    let Rm::Constant(at) = asm.float(identity(port.at.reducer)?) else { return None };
    if port.at.init.is_some_and(f32::is_nan) {
        return None;
    }
    let mut lanes = [u8::MAX; MOST];
    for lane in lanes.iter_mut().take(at_once) {
        *lane = registers.keep()?;
        asm.masked(REPEAT, *lane, 0, Rm::Constants(at), 0, false);
    }
    let sound = match port.at.reducer {
        Reducer::Max | Reducer::Min => Some(*SOUND.get(registers.masks)?),
        Reducer::Sum | Reducer::Product | Reducer::And | Reducer::Or | Reducer::Xor => None,
    };
    registers.masks += usize::from(sound.is_some());
    sound.into_iter().for_each(|mask| asm.fill_mask(mask));
    Some(Running { port: *port, lanes: Wide(lanes), sound })
}

/// Combine the lanes and store what they come to; `first`: the number of the loop's first stream.
pub fn ended(asm: &mut Asm, folds: &[Running], at_once: usize, first: usize) {
    for Running { port, lanes: Wide(lanes), sound } in folds {
        let (inst, imm) = joining(port.at.reducer);
        let mut apart = 1;
        while apart < at_once {
            for at in (0..at_once).step_by(2 * apart) {
                asm.masked(inst, lanes[at], lanes[at], Rm::Vector(lanes[at + apart]), 0, false);
                asm.code.extend(imm);
            }
            apart *= 2;
        }
        let [all, ..] = *lanes;
        for (turn, by) in HALVES {
            let own = if turn == QUARTERS { all } else { 0 };
            asm.masked(turn, SPARE, own, Rm::Vector(all), 0, false);
            asm.code.push(by);
            asm.masked(inst, all, all, Rm::Vector(SPARE), 0, false);
            asm.code.extend(imm);
        }
        if let Some(init) = port.at.init {
            let init = asm.float(init);
            asm.masked(inst, all, all, init, 0, false);
            asm.code.extend(imm);
        }
        if let (Some(mask), Rm::Constant(at)) = (sound, asm.float(f32::NAN)) {
            asm.flip_mask(*mask);
            let sound = asm.jump_if_empty(*mask);
            asm.masked(REPEAT, all, 0, Rm::Constants(at), 0, false);
            asm.land(sound);
        }
        asm.address(first + port.at.to as usize);
        asm.masked(STORE_ONE, all, 0, Rm::Element, 0, false);
    }
}

impl Step<'_> {
    /// Let the lanes take in one more value each.
    pub fn fold(&mut self, running: &Running, x: Wide) {
        let (inst, imm) = joining(running.port.at.reducer);
        let mask = if self.rest { REST } else { 0 };
        for i in 0..self.at_once {
            let (lane, own) = (running.lanes.0[self.from + i], x.0[i]);
            self.asm.masked(inst, lane, lane, Rm::Vector(own), mask, false);
            self.asm.code.extend(imm);
        }
        if let Some(sound) = running.sound {
            self.numbers_only(sound, x);
        }
    }

    /// Leave lanes in a mask in which all are numbers: two vectors are compared at a time.
    fn numbers_only(&mut self, sound: Mask, Wide(x): Wide) {
        if self.rest {
            self.asm.masked(COMPARE, BETWEEN, x[0], Rm::Vector(x[0]), REST, false);
            self.asm.code.push(UNORDERED);
            return self.asm.drop_lanes(sound, BETWEEN);
        }
        for i in (0..self.at_once).step_by(2) {
            let other = x[(i + 1).min(self.at_once - 1)];
            self.asm.masked(COMPARE, sound, x[i], Rm::Vector(other), sound, false);
            self.asm.code.push(ORDERED);
        }
    }
}
