//! Reductions of a loop's values, in registers: element `i` goes to lane `i` of as many lanes as are computed at once, and
//! these are combined pairwise at the end.

use super::asm::*;
use super::functions::{LARGEST, SMALLEST, UNORDERED};
use super::select::Step;
use super::wide::{BETWEEN, MOST, Wide};
use super::{Fold, Port};
use meshwright_shard::Reducer;

/// Masks of lanes in which all were numbers: so many reductions can have one.
const SOUND: [Mask; 2] = [6, 7];
/// [`COMPARE`]: lanes in which both are numbers.
const ORDERED: u8 = 7;
/// Registers below are for the loop's values.
const FIRST: Vector = 16;

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

/// Registers for the lanes, from the last ones on, with the values that reductions start from.
pub fn begun(asm: &mut Asm, folds: &[Port<Fold>], at_once: usize) -> Option<Vec<Running>> {
    let mut next: Vector = 32;
    let mut masks = SOUND.iter();
    let mut one = |port: &Port<Fold>| {
        let Rm::Constant(at) = asm.float(identity(port.at.reducer)?) else { return None };
        let mut lanes = [u8::MAX; MOST];
        for lane in lanes.iter_mut().take(at_once) {
            next = next.checked_sub(1).filter(|next| *next >= FIRST)?;
            *lane = next;
            asm.masked(REPEAT, next, 0, Rm::Constants(at), 0, false);
        }
        let sound = match port.at.reducer {
            Reducer::Max | Reducer::Min => Some(*masks.next()?),
            Reducer::Sum | Reducer::Product | Reducer::And | Reducer::Or | Reducer::Xor => None,
        };
        sound.into_iter().for_each(|mask| asm.fill_mask(mask));
        Some(Running { port: *port, lanes: Wide(lanes), sound })
    };
    folds.iter().map(&mut one).collect()
}

/// The first register that reductions take.
pub fn first(folds: &[Running], at_once: usize) -> Vector {
    32 - (folds.len() * at_once) as Vector
}

/// Combine the lanes and store 16 of them.
pub fn ended(asm: &mut Asm, folds: &[Running], at_once: usize) {
    asm.rewind();
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
        if let (Some(mask), Rm::Constant(at)) = (sound, asm.float(f32::NAN)) {
            asm.flip_mask(*mask);
            asm.masked(REPEAT, lanes[0], 0, Rm::Constants(at), *mask, false);
        }
        asm.address(port.at.to as usize);
        asm.masked(STORE, lanes[0], 0, Rm::Stream(4, 0), 0, false);
    }
}

impl Step<'_> {
    /// Let the lanes take in one more value each.
    pub fn fold(&mut self, running: &Running, x: Wide) {
        let (inst, imm) = joining(running.port.at.reducer);
        let mask = if self.rest { REST } else { 0 };
        for i in 0..self.at_once {
            let (lane, own) = (running.lanes.0[i], x.0[i]);
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
