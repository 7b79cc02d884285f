//! Random loops give the same bits with all sets of instructions, and on tiles: many values at once, so
//! that registers are short; operands and results of all kinds; rows of any length, and reductions of them.

use super::{TARGETS, is_nan};
use crate::compiled::{Fold, From, Loop, Port, To};
use crate::tile::{Reg, TILE, TileOp, Tiles, round, run};
use meshwright_base::random::Random;
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};
use meshwright_shard::Reducer;

fn float(draw: &mut Random) -> f32 {
    let x = draw.index(1 << 20) as f32 / (1 << 19) as f32 - 1.0;
    draw.of(&[x, x * 30.0, x * 1e-3, 0.0, -0.0, 1.0])
}

/// A loop, and the type of each value.
#[derive(Debug)]
struct Drawn {
    types: Vec<DType>,
    ops: Vec<TileOp>,
    inputs: Vec<Port<From>>,
    outputs: Vec<Port<To>>,
    folds: Vec<Port<Fold>>,
    row: usize,
}

const NARROW: [DType; 9] = [
    DType::F32,
    DType::BF16,
    DType::F16,
    DType::S32,
    DType::Pred,
    DType::S8,
    DType::U8,
    DType::S16,
    DType::U16,
];
/// What whole numbers are brought to.
const TO: [DType; 5] = [DType::F32, DType::S8, DType::U8, DType::S16, DType::S32];
/// Whole numbers of 8 and 16 bits.
const SHORT: [DType; 4] = [DType::S8, DType::U8, DType::S16, DType::U16];

impl Drawn {
    fn new(draw: &mut Random) -> Drawn {
        let row = draw.of(&[64, 65, 71, 96, 100, 128, 129, 200, 255]);
        let (types, ops, inputs) = (Vec::new(), Vec::new(), Vec::new());
        let mut drawn = Drawn { types, ops, inputs, outputs: Vec::new(), folds: Vec::new(), row };
        for _ in 0..2 + draw.index(5) {
            let dtype = draw.of(&NARROW);
            let at = match (draw.index(4), dtype) {
                (0, DType::F32 | DType::BF16 | DType::F16 | DType::S32 | DType::S16 | DType::U16) => {
                    From::One
                }
                (1, DType::F32) => From::Known(float(draw).to_bits().into()),
                (1, DType::S32) => From::Count,
                _ => From::Memory,
            };
            let reg = drawn.value(dtype);
            drawn.inputs.push(Port { reg, dtype, at });
        }
        for _ in 0..1 + draw.index(14) {
            drawn.op(draw);
        }
        drawn.ends(draw);
        drawn
    }

    fn value(&mut self, dtype: DType) -> Reg {
        self.types.push(dtype);
        (self.types.len() - 1) as Reg
    }

    /// A value of a type that there is.
    fn one(&self, draw: &mut Random, dtype: DType) -> Option<Reg> {
        let all: Vec<Reg> =
            (0..self.types.len()).filter(|at| self.types[*at] == dtype).map(|at| at as Reg).collect();
        (!all.is_empty()).then(|| draw.of(&all))
    }

    fn op(&mut self, draw: &mut Random) -> Option<()> {
        use BinaryOp as B;
        use UnaryOp as U;
        let ty = draw.of(&NARROW);
        let (a, b) = (self.one(draw, ty)?, self.one(draw, ty)?);
        let op = match (draw.index(5), ty) {
            (0, _) => {
                let direction = draw.of(&[Direction::Lt, Direction::Ge, Direction::Eq]);
                let ty = draw.of(&[DType::F32, DType::S32, DType::U8]);
                let (a, b) = (self.one(draw, ty)?, self.one(draw, ty)?);
                let total = ty == DType::F32 && draw.index(3) == 0;
                TileOp::Compare { direction, total, ty, to: self.value(DType::Pred), a, b }
            }
            (1, _) => {
                let p = self.one(draw, DType::Pred)?;
                TileOp::Select { ty, to: self.value(ty), p, a, b }
            }
            (2, DType::F32) => {
                let ops = [U::Exponential, U::Tanh, U::Logistic, U::Log, U::Negate, U::Sqrt, U::Rsqrt];
                TileOp::Unary { op: draw.of(&ops), ty, to: self.value(ty), a }
            }
            (2, _) => {
                let to_ty = if ty == DType::S32 || SHORT.contains(&ty) { draw.of(&TO) } else { DType::F32 };
                TileOp::Convert { from: ty, to_ty, to: self.value(to_ty), a }
            }
            (3, DType::U16) => {
                TileOp::Bitcast { from: ty, to_ty: DType::BF16, to: self.value(DType::BF16), a }
            }
            (3, DType::F32) => {
                let to_ty = draw.of(&[DType::BF16, DType::F16]);
                TileOp::Convert { from: ty, to_ty, to: self.value(to_ty), a }
            }
            (_, DType::S32 | DType::S8 | DType::U8 | DType::S16 | DType::U16) => {
                let op = draw.of(&[B::Add, B::Multiply, B::Maximum, B::Xor, B::ShiftRightLogical]);
                TileOp::Binary { op, ty, to: self.value(ty), a, b }
            }
            (_, DType::Pred) => {
                TileOp::Binary { op: draw.of(&[B::And, B::Or]), ty, to: self.value(ty), a, b }
            }
            _ => {
                let op = draw.of(&[B::Add, B::Subtract, B::Multiply, B::Divide, B::Maximum, B::Minimum]);
                TileOp::Binary { op, ty, to: self.value(ty), a, b }
            }
        };
        self.ops.push(op);
        Some(())
    }

    /// Results, and reductions.
    fn ends(&mut self, draw: &mut Random) {
        let made: Vec<Reg> = self.ops.iter().map(TileOp::target).collect();
        for reg in &made {
            let dtype = self.types[*reg as usize];
            if draw.index(3) == 0 || *reg + 1 == self.types.len() as Reg {
                let at = To { memory: true, last: draw.index(2) == 0, past: draw.index(4) == 0 };
                self.outputs.push(Port { reg: *reg, dtype, at });
            } else if dtype == DType::F32 && draw.index(3) == 0 && self.folds.len() < 2 {
                let reducer = draw.of(&[Reducer::Sum, Reducer::Max, Reducer::Min]);
                let to = self.value(DType::F32);
                let at = Fold { reducer, to, init: Some(float(draw)) };
                self.folds.push(Port { reg: *reg, dtype, at });
            }
        }
    }

    /// Operands as they lie in memory, and as tiles hold them.
    fn operands(&self, seed: u64) -> [Tiles; 2] {
        let mut draw = Random::new(seed, 0);
        let places = [(); 2].map(|()| Tiles::new(&vec![DType::F32; self.types.len()]));
        let [memory, held] = &places;
        for Port { reg, dtype, at } in &self.inputs {
            let first = draw.index(1000) as i32;
            for i in 0..self.row {
                let (x, whole) = (round(*dtype, float(&mut draw)), draw.index(1 << 20) as i32);
                let x = if *at == From::One && i > 0 { return_first(held, *reg) } else { x };
                // SAFETY: a tile has more elements.
                unsafe {
                    match (dtype, at) {
                        (_, From::Known(bits)) => *held.ptr::<u32>(*reg).add(i) = *bits as u32,
                        (DType::S32, From::Count) => {
                            *memory.ptr::<i32>(*reg) = first;
                            *held.ptr::<i32>(*reg).add(i) = first + i as i32;
                        }
                        (DType::S32, From::One) => {
                            *memory.ptr::<i32>(*reg) = first;
                            *held.ptr::<i32>(*reg).add(i) = first;
                        }
                        (ty, From::One) if SHORT.contains(ty) => {
                            let held_as = super::whole(*ty, first as u32);
                            *memory.ptr::<u16>(*reg) = held_as as u16;
                            *held.ptr::<u32>(*reg).add(i) = held_as;
                        }
                        (ty, _) if SHORT.contains(ty) => {
                            let held_as = super::whole(*ty, whole as u32);
                            match ty.bytes() {
                                1 => *memory.ptr::<u8>(*reg).add(i) = held_as as u8,
                                _ => *memory.ptr::<u16>(*reg).add(i) = held_as as u16,
                            }
                            *held.ptr::<u32>(*reg).add(i) = held_as;
                        }
                        (DType::S32, _) => {
                            *memory.ptr::<i32>(*reg).add(i) = whole;
                            *held.ptr::<i32>(*reg).add(i) = whole;
                        }
                        (DType::Pred, _) => {
                            *memory.ptr::<u8>(*reg).add(i) = (whole & 1) as u8;
                            *held.ptr::<u8>(*reg).add(i) = (whole & 1) as u8;
                        }
                        (DType::BF16 | DType::F16, _) => {
                            *memory.ptr::<u16>(*reg).add(i) = narrowed(*dtype, x);
                            *held.ptr::<f32>(*reg).add(i) = x;
                        }
                        _ => {
                            *memory.ptr::<f32>(*reg).add(i) = x;
                            *held.ptr::<f32>(*reg).add(i) = x;
                        }
                    }
                }
            }
        }
        places
    }

    /// What tiles come to, as it lies in memory, and one number for each reduction.
    fn wanted(&self, held: &Tiles) -> (Vec<Vec<u32>>, Vec<u32>) {
        run(&self.ops, held, self.row);
        let results = self.outputs.iter().map(|Port { reg, dtype, .. }| {
            // SAFETY: the tile has so many elements.
            let at = |i| unsafe {
                match dtype {
                    DType::Pred => u32::from(*held.ptr::<u8>(*reg).add(i)),
                    DType::S8 | DType::U8 => *held.ptr::<u32>(*reg).add(i) & 0xff,
                    DType::S16 | DType::U16 => *held.ptr::<u32>(*reg).add(i) & 0xffff,
                    DType::BF16 | DType::F16 => u32::from(narrowed(*dtype, *held.ptr::<f32>(*reg).add(i))),
                    _ => *held.ptr::<u32>(*reg).add(i),
                }
            };
            (0..self.row).map(at).collect()
        });
        let sums = self.folds.iter().map(|Port { reg, at, .. }| {
            // SAFETY: as above.
            let row = unsafe { std::slice::from_raw_parts(held.ptr::<f32>(*reg), self.row) };
            let all = crate::fold::fold_f32(at.reducer, row);
            at.init.map_or(all, |init| crate::fold::combine_f32(at.reducer, all, init)).to_bits()
        });
        (results.collect(), sums.collect())
    }

    fn found(&self, memory: &Tiles) -> (Vec<Vec<u32>>, Vec<u32>) {
        let results = self.outputs.iter().map(|Port { reg, dtype, .. }| {
            // SAFETY: the tile has so many elements and one more.
            let at = |i| unsafe {
                match dtype {
                    DType::Pred | DType::S8 | DType::U8 => u32::from(*memory.ptr::<u8>(*reg).add(i)),
                    DType::BF16 | DType::F16 | DType::S16 | DType::U16 => {
                        u32::from(*memory.ptr::<u16>(*reg).add(i))
                    }
                    _ => *memory.ptr::<u32>(*reg).add(i),
                }
            };
            assert_eq!(at(self.row), 0, "written beyond the row: {self:?}");
            (0..self.row).map(at).collect()
        });
        // SAFETY: as above.
        let sums = self.folds.iter().map(|port| unsafe { *memory.ptr::<u32>(port.at.to) });
        (results.collect(), sums.collect())
    }
}

fn return_first(held: &Tiles, reg: Reg) -> f32 {
    // SAFETY: a tile has an element.
    unsafe { *held.ptr::<f32>(reg) }
}

fn narrowed(dtype: DType, x: f32) -> u16 {
    if dtype == DType::F16 { half::f16::from_f32(x).to_bits() } else { (x.to_bits() >> 16) as u16 }
}

fn same(dtype: DType, a: u32, b: u32) -> bool {
    let wide = |x: u32| match dtype {
        DType::BF16 => x << 16,
        DType::F16 => half::f16::from_bits(x as u16).to_f32().to_bits(),
        _ => x,
    };
    a == b || (dtype.is_float() && [a, b].iter().all(|x| is_nan(&wide(*x).to_le_bytes())))
}

#[test]
fn random_loops_have_the_same_bits_with_all_instructions_and_on_tiles() {
    let mut made = [0; TARGETS.len()];
    for seed in 0..1000 {
        let drawn = Drawn::new(&mut Random::new(seed * 7919 + 1, 0));
        for (made, isa) in made.iter_mut().zip(TARGETS) {
            let Some(target) = isa.target() else { continue };
            let Drawn { ops, inputs, outputs, folds, .. } = &drawn;
            let one = Loop { ops, inputs, outputs, folds, prefetches: &[], first: 0 };
            if outputs.is_empty() {
                continue;
            }
            let Some(code) = meshwright_jit::compile(target, &[one], &[]) else { continue };
            *made += 1;
            if !isa.is_there() {
                continue;
            }
            let [memory, held] = drawn.operands(seed);
            assert!(drawn.row < TILE);
            // SAFETY: operands and results lie in tiles.
            unsafe { code.run(&mut memory.places().to_vec(), drawn.row, 1) };
            meshwright_runtime::stream::finish();
            let ((wanted, sums), (found, found_sums)) = (drawn.wanted(&held), drawn.found(&memory));
            for (port, (wanted, found)) in outputs.iter().zip(wanted.iter().zip(&found)) {
                let differs = wanted.iter().zip(found).position(|(a, b)| !same(port.dtype, *a, *b));
                assert_eq!(differs, None, "{target:?}, value {} of seed {seed}: {drawn:?}", port.reg);
            }
            let all = sums.iter().zip(&found_sums).all(|(a, b)| same(DType::F32, *a, *b));
            assert!(all, "{target:?}, seed {seed}: {sums:x?} {found_sums:x?} {drawn:?}");
        }
    }
    assert!(made.iter().all(|made| *made > 500), "code for {made:?} of 1000 loops only");
}
