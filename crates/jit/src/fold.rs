//! Reductions of a loop's values, in registers: element `i` of a row goes to lane `i` modulo 32, on every CPU, and
//! these are combined at the end of the row, one half with the other until one lane is left. So `fold.rs` folds runs
//! as well.

use super::asm::*;
use super::functions::{LARGEST, SMALLEST};
use super::lanes::{BETWEEN, UNORDERED};
use super::select::{Registers, Step};
use super::wide::Wide;
use super::{Fold, Port};
use meshwright_shard::Reducer;

/// Lanes of a reduction.
const LANES_OF_ALL: usize = 32;
/// Masks of lanes in which all were numbers: so many reductions can have one.
const SOUND: [Mask; 2] = [6, 7];
/// [`COMPARE`]: lanes in which both are numbers.
const ORDERED: u8 = 7;
/// Registers of the loop's values, none of which is left when a row ends.
const SPARE: [Vector; 3] = [0, 1, 2];

/// How a half comes to lie over the other within one vector: 8 lanes, 4, 2 and 1.
fn halves(target: Target) -> &'static [(Inst, u8)] {
    match target {
        Target::Neon => &[(HALVES_SWAPPED, 0), (NEIGHBOURS_SWAPPED, 0)],
        Target::Avx2 => &[(PERMUTE_64, 0x4e), (WITHIN_QUARTERS, 0x4e), (WITHIN_QUARTERS, 0xb1)],
        Target::Avx512 => {
            &[(QUARTERS, 0x4e), (QUARTERS, 0xb1), (WITHIN_QUARTERS, 0x4e), (WITHIN_QUARTERS, 0xb1)]
        }
    }
}

/// Vectors whose lanes are those of a reduction.
pub fn vectors(target: Target) -> usize {
    LANES_OF_ALL / target.lanes()
}

/// A reduction and where its lanes are.
pub struct Running {
    pub port: Port<Fold>,
    pub lanes: Vec<Vector>,
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

/// `to = to (+) b`, lane by lane.
fn joined(asm: &mut Asm, reducer: Reducer, to: Vector, b: Vector, spare: [Vector; 2]) {
    let (first, b) = (to, Rm::Vector(b));
    match (reducer, asm.target) {
        (Reducer::Product, _) => asm.emit(MUL, to, to, b),
        (Reducer::Max, Target::Avx512) => asm.emit_imm(RANGE, to, to, b, LARGEST),
        (Reducer::Min, Target::Avx512) => asm.emit_imm(RANGE, to, to, b, SMALLEST),
        (Reducer::Max, Target::Neon) => asm.emit(LARGER, to, to, b),
        (Reducer::Min, Target::Neon) => asm.emit(SMALLER, to, to, b),
        (Reducer::Max, Target::Avx2) => asm.largest(to, (first, b), spare),
        (Reducer::Min, Target::Avx2) => asm.smallest(to, (first, b), spare),
        (Reducer::Sum | Reducer::And | Reducer::Or | Reducer::Xor, _) => asm.emit(ADD, to, to, b),
    }
}

/// Registers for the lanes, with the values that reductions start from.
pub fn begun(asm: &mut Asm, folds: &[Port<Fold>], registers: &mut Registers) -> Option<Vec<Running>> {
    folds.iter().map(|port| one_begun(asm, port, registers)).collect()
}

fn one_begun(asm: &mut Asm, port: &Port<Fold>, registers: &mut Registers) -> Option<Running> {
    let Rm::Constant(at) = asm.float(identity(port.at.reducer)?) else { return None };
    if port.at.init.is_some_and(f32::is_nan) {
        return None;
    }
    let lanes: Option<Vec<Vector>> = (0..vectors(asm.target)).map(|_| registers.keep()).collect();
    let lanes = lanes?;
    lanes.iter().for_each(|lane| asm.emit(REPEAT, *lane, 0, Rm::Constants(at)));
    let extreme = matches!(port.at.reducer, Reducer::Max | Reducer::Min);
    let sound = match asm.target {
        Target::Avx512 if extreme => Some(*SOUND.get(registers.masks)?),
        Target::Avx512 | Target::Avx2 | Target::Neon => None,
    };
    registers.masks += usize::from(sound.is_some());
    sound.into_iter().for_each(|mask| asm.fill_mask(mask));
    Some(Running { port: *port, lanes, sound })
}

/// Combine the lanes and store what they come to; `first`: the number of the loop's first stream.
pub fn ended(asm: &mut Asm, folds: &[Running], first: usize) {
    let [turned, spare @ ..] = SPARE;
    for Running { port, lanes, sound } in folds {
        let reducer = port.at.reducer;
        let Some(all) = lanes.first().copied() else { continue };
        let mut count = vectors(asm.target);
        while count > 1 {
            count /= 2;
            (0..count).for_each(|at| joined(asm, reducer, lanes[at], lanes[at + count], spare));
        }
        for (turn, by) in halves(asm.target) {
            let own = if *turn == QUARTERS { all } else { 0 };
            asm.emit_imm(*turn, turned, own, Rm::Vector(all), *by);
            joined(asm, reducer, all, turned, spare);
        }
        if let Some(Rm::Constant(at)) = port.at.init.map(|init| asm.float(init)) {
            asm.emit(REPEAT, turned, 0, Rm::Constants(at));
            joined(asm, reducer, all, turned, spare);
        }
        if matches!(reducer, Reducer::Max | Reducer::Min) {
            one_kind_of_no_number(asm, all, *sound);
        }
        asm.address(first + port.at.to as usize);
        asm.emit(STORE_ONE, all, 0, Rm::Element);
    }
}

/// Let an extreme be the usual one that is no number if any lane was none.
fn one_kind_of_no_number(asm: &mut Asm, all: Vector, sound: Option<Mask>) {
    let nan = asm.float(f32::NAN);
    let Rm::Constant(at) = nan else { return };
    match sound {
        Some(mask) => {
            asm.flip_mask(mask);
            let sound = asm.jump_if_empty(mask);
            asm.emit(REPEAT, all, 0, Rm::Constants(at));
            asm.land(sound);
        }
        None => {
            let [none, ..] = SPARE;
            asm.emit_imm(COMPARE, none, all, Rm::Vector(all), UNORDERED);
            asm.blend(all, all, nan, none);
        }
    }
}

impl Step<'_> {
    /// Let the lanes take in one more value each.
    pub fn fold(&mut self, running: &Running, x: Wide) -> Option<()> {
        let count = vectors(self.asm.target);
        let reducer = running.port.at.reducer;
        if !self.asm.target.has_masks() {
            return self.fold_without_masks(running, x);
        }
        for i in 0..self.at_once {
            let at = (self.from + i) % count;
            let (lane, own) = (running.lanes[at], Rm::Vector(x.0[i]));
            let mask = if self.rest { RESTS[at] } else { 0 };
            let (inst, imm) = match reducer {
                Reducer::Product => (MUL, None),
                Reducer::Max => (RANGE, Some(LARGEST)),
                Reducer::Min => (RANGE, Some(SMALLEST)),
                Reducer::Sum | Reducer::And | Reducer::Or | Reducer::Xor => (ADD, None),
            };
            self.asm.write(inst, (lane, lane, own), imm, (mask, false));
        }
        if let Some(sound) = running.sound {
            self.numbers_only(sound, x);
        }
        Some(())
    }

    /// Lanes that are not there take in what changes nothing.
    fn fold_without_masks(&mut self, running: &Running, x: Wide) -> Option<()> {
        let (count, reducer) = (vectors(self.asm.target), running.port.at.reducer);
        // Extremes of AVX2 need some in between.
        let spare = if self.asm.target == Target::Avx2 { [self.take()?, self.take()?] } else { [x; 2] };
        let mut own = x;
        if self.rest {
            let there = self.lanes_there()?;
            own = self.take()?;
            self.repeat(own, identity(reducer)?.to_bits());
            self.blend(own, own, x, there);
            self.give([there]);
        }
        for i in 0..self.at_once {
            let lane = running.lanes[(self.from + i) % count];
            joined(self.asm, reducer, lane, own.0[i], spare.map(|Wide(spare)| spare[i]));
        }
        let taken = [own].into_iter().chain(spare).filter(|taken| *taken != x);
        taken.for_each(|taken| self.give([taken]));
        Some(())
    }

    /// Leave lanes in a mask in which all are numbers: two vectors are compared at a time.
    fn numbers_only(&mut self, sound: Mask, Wide(x): Wide) {
        if self.rest {
            for (i, x) in x.iter().enumerate().take(self.at_once) {
                let mask = (RESTS[self.from + i], false);
                self.asm.write(COMPARE, (BETWEEN, *x, Rm::Vector(*x)), Some(UNORDERED), mask);
                self.asm.drop_lanes(sound, BETWEEN);
            }
            return;
        }
        for i in (0..self.at_once).step_by(2) {
            let other = x[(i + 1).min(self.at_once - 1)];
            self.asm.write(COMPARE, (sound, x[i], Rm::Vector(other)), Some(ORDERED), (sound, false));
        }
    }
}
