//! Code gives the bits that loops on tiles give, for every op that has code, at any length, with all sets of
//! instructions that the CPU has: AVX-512 and AVX2, or NEON. Tiles give the same bits on CPUs with AVX2 and on those
//! without vectors that the compiler may count on.

use super::{Code, Fold, From, Loop, Port, To};
use crate::isa::Isa;
use crate::tile::{Held, Reg, TILE, TileOp, Tiles, run, run_any};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};
use meshwright_jit::{EXACT, Target};
use meshwright_shard::Reducer;

mod random;

const A: Reg = 0;
const B: Reg = 1;
const P: Reg = 2;
const OUT: Reg = 3;

/// Numbers of every kind, in an order that repeats at no length of a vector.
fn numbers(seed: u32) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.5,
        -87.5,
        88.8,
        9.1,
        0.1249,
        1e-40,
    ];
    let mut state = seed;
    (0..TILE)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let x = (state >> 8) as f32 / (1 << 24) as f32 - 0.5;
            match i % 3 {
                0 => special[(state >> 16) as usize % special.len()],
                1 => x * 40.0,
                _ => x * 0.01,
            }
        })
        .collect()
}

fn filled(ty: DType, out: DType) -> Tiles {
    let tiles = Tiles::new(&[ty, ty, DType::Pred, out]);
    for (reg, seed) in [(A, 7), (B, 99)] {
        for (i, x) in numbers(seed).into_iter().enumerate() {
            // SAFETY: `i` lies in the tile.
            unsafe {
                match ty {
                    DType::F32 => *tiles.ptr::<f32>(reg).add(i) = x,
                    DType::F64 => *tiles.ptr::<f64>(reg).add(i) = f64::from(x) * 1.000_000_1,
                    DType::S64 | DType::U64 if i % 4 == 0 => *tiles.ptr::<u64>(reg).add(i) = i as u64 % 67,
                    DType::S64 | DType::U64 => {
                        let bits = f64::from(x).to_bits();
                        *tiles.ptr::<u64>(reg).add(i) = bits.rotate_left(i as u32);
                    }
                    DType::BF16 | DType::F16 => *tiles.ptr::<f32>(reg).add(i) = crate::tile::round(ty, x),
                    DType::Pred => *tiles.ptr::<u8>(reg).add(i) = u8::from(x > 0.0),
                    _ if i % 4 == 0 => *tiles.ptr::<u32>(reg).add(i) = i as u32 % 37,
                    _ => *tiles.ptr::<u32>(reg).add(i) = whole(ty, x.to_bits().rotate_left(i as u32)),
                }
            }
        }
    }
    let choice = numbers(3);
    // SAFETY: as above.
    (0..TILE).for_each(|i| unsafe { *tiles.ptr::<u8>(P).add(i) = u8::from(choice[i] > 0.0) });
    tiles
}

/// A number of a type, as a tile holds it.
fn whole(ty: DType, bits: u32) -> u32 {
    if Held::of(ty) == Held::I32 {
        crate::tile::wrap_i32(ty, bits as i32) as u32
    } else {
        crate::tile::wrap_u32(ty, bits)
    }
}

/// Code is made for any CPU.
const TARGETS: [Isa; 3] = [Isa::Neon, Isa::Avx2, Isa::Avx512];

/// What this CPU can run, whatever this process uses.
fn targets() -> impl Iterator<Item = Target> {
    TARGETS.into_iter().filter(|isa| isa.is_there()).filter_map(Isa::target)
}

/// Operands, results and reductions.
type Ports<'a> = (&'a [Port<From>], &'a [Port<To>], &'a [Port<Fold>]);

fn compile(
    target: Target,
    ops: &[TileOp],
    (inputs, outputs, folds): Ports<'_>,
    steps: &[(Reg, i32)],
) -> Option<Code> {
    let one = Loop { ops, inputs, outputs, folds, prefetches: &[], first: 0 };
    meshwright_jit::compile(target, &[one], steps)
}

fn code(target: Target, op: &TileOp, ty: DType, out: DType) -> Option<Code> {
    let input = |(reg, dtype)| Port { reg, dtype, at: From::Tile };
    let used = |(reg, _): &(Reg, DType)| op.sources().contains(reg);
    let inputs: Vec<_> = [(A, ty), (B, ty), (P, DType::Pred)].into_iter().filter(used).map(input).collect();
    let to = To { memory: false, last: false, past: false };
    let outputs = [Port { reg: OUT, dtype: out, at: to }];
    compile(target, std::slice::from_ref(op), (&inputs, &outputs, &[]), &[])
}

const NARROW_WHOLE: [DType; 4] = [DType::S8, DType::U8, DType::S16, DType::U16];
const WHOLE: [DType; 6] = [DType::S8, DType::U8, DType::S16, DType::U16, DType::S32, DType::U32];

/// What AVX2 and NEON have no code for: waves, cube roots, and whole numbers of 64 bits beyond sums.
fn only_avx512(op: &TileOp) -> bool {
    use BinaryOp as B2;
    use UnaryOp as U;
    let long = |ty: DType| matches!(ty, DType::S64 | DType::U64);
    let size = |ty: DType| (ty.bits() == 64, ty == DType::Pred);
    match op {
        TileOp::Unary { op, .. } => matches!(op, U::Sine | U::Cosine | U::Tan | U::Cbrt),
        TileOp::Binary { op: B2::Multiply | B2::Maximum | B2::Minimum, ty, .. } => long(*ty),
        TileOp::Binary { op: B2::ShiftRightArithmetic, ty, .. } => long(*ty),
        TileOp::Convert { from, to_ty, .. } => {
            (long(*from) && !long(*to_ty)) || (*from != DType::Pred && size(*from) != size(*to_ty))
        }
        _ => false,
    }
}

fn check(op: TileOp, ty: DType, out: DType) {
    for n in [1, 100, TILE] {
        let wanted = result(ty, out, &|tiles| run(std::slice::from_ref(&op), tiles, n));
        let found = result(ty, out, &|tiles| run_any(std::slice::from_ref(&op), tiles, n));
        same((&op, n), out, &wanted, &found);
        #[cfg(target_arch = "x86_64")]
        if Isa::Avx2.is_there() {
            // SAFETY: the features are there.
            let run = |tiles: &Tiles| unsafe { crate::tile::run_avx2(std::slice::from_ref(&op), tiles, n) };
            same((&op, n), out, &wanted, &result(ty, out, &run));
        }
    }
    for (isa, target) in TARGETS.into_iter().filter_map(|isa| Some((isa, isa.target()?))) {
        let Some(code) = code(target, &op, ty, out) else {
            assert!(target != Target::Avx512 && only_avx512(&op), "no code for {op:?} on {target:?}");
            continue;
        };
        if !isa.is_there() {
            continue;
        }
        for n in [1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, TILE] {
            let wanted = result(ty, out, &|tiles| run(std::slice::from_ref(&op), tiles, n));
            // SAFETY: the operands are tiles.
            let found = result(ty, out, &|tiles| unsafe { code.run(&mut tiles.places().to_vec(), n, 1) });
            same((&op, n), out, &wanted, &found);
        }
    }
}

/// What a run leaves of the result's tile, all of it.
fn result(ty: DType, out: DType, run: &dyn Fn(&Tiles)) -> Vec<u8> {
    let (tiles, bytes) = (filled(ty, out), TILE * width(out));
    // SAFETY: a whole tile.
    unsafe { std::slice::from_raw_parts_mut(tiles.ptr::<u8>(OUT), bytes) }.fill(0x5a);
    run(&tiles);
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(tiles.ptr::<u8>(OUT), bytes) }.to_vec()
}

fn width(out: DType) -> usize {
    Held::of(out).bytes()
}

fn same((op, n): (&TileOp, usize), out: DType, wanted: &[u8], found: &[u8]) {
    let width = width(out);
    for (i, (wanted, found)) in wanted.chunks(width).zip(found.chunks(width)).enumerate() {
        let both_nan = out.is_float() && [wanted, found].iter().all(|x| is_nan(x));
        assert!(wanted == found || both_nan, "{op:?}, element {i} of {n}: {wanted:?} {found:?}");
    }
}

fn is_nan(bytes: &[u8]) -> bool {
    if let Ok(double) = bytes.try_into() {
        return f64::from_le_bytes(double).is_nan();
    }
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).is_nan()
}

#[test]
fn functions_of_one_operand_give_the_bits_of_tiles() {
    use UnaryOp as U;
    let floats = [U::Copy, U::Negate, U::Abs, U::Square, U::Sqrt, U::Rsqrt, U::Exponential];
    let more = [U::Log, U::LogPlusOne, U::Tanh, U::Erf, U::Logistic, U::Floor, U::Ceil, U::RoundNearestEven];
    let rare = [U::ExponentialMinusOne, U::Cbrt, U::Sine, U::Cosine, U::Tan];
    for op in floats.into_iter().chain(more).chain(rare) {
        check(TileOp::Unary { op, ty: DType::F32, to: OUT, a: A }, DType::F32, DType::F32);
    }
    for (op, ty) in
        [U::Negate, U::Abs, U::Floor].into_iter().flat_map(|op| [(op, DType::BF16), (op, DType::F16)])
    {
        check(TileOp::Unary { op, ty, to: OUT, a: A }, ty, ty);
    }
    for (op, ty) in [U::Copy, U::Negate, U::Not].into_iter().flat_map(|op| WHOLE.map(|ty| (op, ty))) {
        check(TileOp::Unary { op, ty, to: OUT, a: A }, ty, ty);
    }
    check(TileOp::Unary { op: U::Not, ty: DType::Pred, to: OUT, a: A }, DType::Pred, DType::Pred);
}

#[test]
fn functions_of_two_operands_give_the_bits_of_tiles() {
    use BinaryOp as B2;
    let each = |ty: DType, ops: &[BinaryOp]| {
        for op in ops {
            check(TileOp::Binary { op: *op, ty, to: OUT, a: A, b: B }, ty, ty);
        }
    };
    let floats = [B2::Add, B2::Subtract, B2::Multiply, B2::Divide, B2::Maximum, B2::Minimum];
    each(DType::F32, &floats);
    each(DType::BF16, &floats);
    each(DType::F16, &floats);
    each(
        DType::S32,
        &[B2::Add, B2::Subtract, B2::Multiply, B2::Maximum, B2::Minimum, B2::And, B2::Or, B2::Xor],
    );
    each(DType::U32, &[B2::Add, B2::Maximum, B2::Minimum, B2::And, B2::Or, B2::Xor]);
    let shifts = [B2::ShiftLeft, B2::ShiftRightLogical, B2::ShiftRightArithmetic];
    each(DType::S32, &shifts);
    each(DType::U32, &shifts);
    for ty in NARROW_WHOLE {
        each(ty, &[B2::Add, B2::Subtract, B2::Multiply, B2::Maximum, B2::Minimum, B2::And, B2::Or, B2::Xor]);
        each(ty, if Held::of(ty) == Held::I32 { &shifts } else { &shifts[..2] });
    }
    each(DType::Pred, &[B2::And, B2::Or, B2::Xor, B2::Add, B2::Multiply]);
}

#[test]
fn types_of_64_bits_give_the_bits_of_tiles() {
    use BinaryOp as B2;
    use UnaryOp as U;
    let of_two = |ty: DType, ops: &[BinaryOp]| {
        ops.iter().for_each(|op| check(TileOp::Binary { op: *op, ty, to: OUT, a: A, b: B }, ty, ty));
    };
    for op in
        [U::Copy, U::Negate, U::Abs, U::Square, U::Sqrt, U::Rsqrt, U::Floor, U::Ceil, U::RoundNearestEven]
    {
        check(TileOp::Unary { op, ty: DType::F64, to: OUT, a: A }, DType::F64, DType::F64);
    }
    of_two(DType::F64, &[B2::Add, B2::Subtract, B2::Multiply, B2::Divide, B2::Maximum, B2::Minimum]);
    for ty in [DType::S64, DType::U64] {
        of_two(ty, &[B2::Add, B2::Subtract, B2::Multiply, B2::Maximum, B2::Minimum]);
        of_two(ty, &[B2::And, B2::Or, B2::Xor]);
        of_two(ty, &[B2::ShiftLeft, B2::ShiftRightLogical, B2::ShiftRightArithmetic]);
    }
    for ty in [DType::F64, DType::S64, DType::U64] {
        use Direction as D;
        for direction in [D::Eq, D::Ne, D::Lt, D::Le, D::Gt, D::Ge] {
            check(TileOp::Compare { direction, total: false, ty, to: OUT, a: A, b: B }, ty, DType::Pred);
        }
        check(TileOp::Select { ty, to: OUT, p: P, a: A, b: B }, ty, ty);
        check(TileOp::Convert { from: DType::Pred, to_ty: ty, to: OUT, a: A }, DType::Pred, ty);
    }
}

#[test]
fn quotients_by_one_number_are_the_nearest() {
    let op = TileOp::Binary { op: BinaryOp::Divide, ty: DType::F32, to: OUT, a: A, b: B };
    let inputs = [(A, From::Tile), (B, From::One)].map(|(reg, at)| Port { reg, dtype: DType::F32, at });
    let to = Port { reg: OUT, dtype: DType::F32, at: To { memory: false, last: false, past: false } };
    let divisors = [
        3.0,
        -7.3e5,
        0.1,
        8191.0,
        1.0,
        1.5e5,
        1.0 + f32::EPSILON,
        1e-12,
        1e30,
        1e-40,
        0.0,
        f32::INFINITY,
        f32::NAN,
    ];
    let all = targets().flat_map(|target| divisors.into_iter().enumerate().map(move |one| (target, one)));
    for (target, (seed, by)) in all {
        let code = compile(target, std::slice::from_ref(&op), (&inputs, &[to], &[]), &[]);
        let Some(code) = code else { panic!("no code for quotients on {target:?}") };
        let tiles = filled(DType::F32, DType::F32);
        let scales = [1.0, 1e-38, 1e-43, 1e-25, 1e30, 0.0];
        let divided: Vec<f32> =
            numbers(seed as u32).iter().enumerate().map(|(i, x)| x * scales[i / 80 % 6]).collect();
        // SAFETY: the operands are tiles, of which the second one's first element is used.
        let found = unsafe {
            (0..TILE).for_each(|i| *tiles.ptr::<f32>(A).add(i) = divided[i]);
            *tiles.ptr::<f32>(B) = by;
            code.run(&mut tiles.places().to_vec(), TILE - 3, 1);
            std::slice::from_raw_parts(tiles.ptr::<f32>(OUT), TILE - 3)
        };
        for (x, found) in divided.iter().zip(found) {
            let wanted = x / by;
            let apart = (wanted.to_bits() as i32).wrapping_sub(found.to_bits() as i32).unsigned_abs();
            let most = u32::from(x.abs() < EXACT);
            assert!(
                apart <= most || (wanted.is_nan() && found.is_nan()),
                "{x:e} / {by:e} is {wanted:e}, not {found:e}"
            );
        }
    }
}

#[test]
fn operands_count_from_any_number() {
    let op = TileOp::Unary { op: UnaryOp::Copy, ty: DType::F32, to: OUT, a: A };
    let input = Port { reg: A, dtype: DType::F32, at: From::Count };
    let to = Port { reg: OUT, dtype: DType::F32, at: To { memory: true, last: false, past: false } };
    for target in targets() {
        let code = compile(target, std::slice::from_ref(&op), (&[input], &[to], &[]), &[]);
        let Some(code) = code else { panic!("no code for numbers on {target:?}") };
        let tiles = Tiles::new(&[DType::F32; 4]);
        // SAFETY: all are tiles.
        let found = unsafe {
            *tiles.ptr::<i32>(A) = 1000;
            code.run(&mut tiles.places().to_vec(), 203, 1);
            std::slice::from_raw_parts(tiles.ptr::<f32>(OUT), 204)
        };
        assert!(
            found.iter().take(203).enumerate().all(|(i, x)| *x == 1000.0 + i as f32) && found[203] == 0.0
        );
    }
}

/// A row's elements, folded by code.
fn folded(target: Target, reducer: Reducer, row: &[f32]) -> f32 {
    let op = TileOp::Unary { op: UnaryOp::Copy, ty: DType::F32, to: OUT, a: A };
    let input = Port { reg: A, dtype: DType::F32, at: From::Tile };
    let fold = Port { reg: OUT, dtype: DType::F32, at: Fold { reducer, to: B, init: None } };
    let code = compile(target, std::slice::from_ref(&op), (&[input], &[], &[fold]), &[]);
    let Some(code) = code else { panic!("no code for {reducer:?} on {target:?}") };
    let tiles = Tiles::new(&[DType::F32; 4]);
    // SAFETY: all are tiles.
    unsafe {
        std::ptr::copy_nonoverlapping(row.as_ptr(), tiles.ptr::<f32>(A), row.len());
        code.run(&mut tiles.places().to_vec(), row.len(), 1);
        *tiles.ptr::<f32>(B)
    }
}

const ROWS: [usize; 14] = [1, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 130, 191, TILE];

#[test]
fn reductions_take_in_every_element_once() {
    let reducers = [Reducer::Sum, Reducer::Max, Reducer::Min];
    for (target, reducer) in targets().flat_map(|target| reducers.map(|reducer| (target, reducer))) {
        for (n, broken) in ROWS.into_iter().flat_map(|n| [(n, false), (n, true)]) {
            let mut row: Vec<f32> = (0..n).map(|i| (i * 37 % 101) as f32 - 50.0).collect();
            row[n / 2] = if broken { f32::NAN } else { 77.0 };
            let (found, wanted) = (folded(target, reducer, &row), crate::fold::fold_f32(reducer, &row));
            assert!(wanted == found || (broken && found.is_nan()), "{reducer:?} of {n}: {wanted} {found}");
        }
    }
}

#[test]
fn reductions_add_in_one_order_with_all_instructions() {
    let mut state = 1u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * 2f32.powi((state % 40) as i32 - 20)
    };
    for reducer in [Reducer::Sum, Reducer::Product, Reducer::Max, Reducer::Min] {
        for n in ROWS.into_iter().filter(|n| *n >= 32) {
            let row: Vec<f32> = (0..n).map(|i| if i % 5 == 0 { 0.0 * draw() } else { draw() }).collect();
            let row: Vec<f32> = if reducer == Reducer::Product {
                row.iter().map(|x| 1.0 + x.abs() * 1e-7).collect()
            } else {
                row
            };
            // Runs of numbers are folded so as well.
            let wanted = crate::fold::fold_f32(reducer, &row).to_bits();
            for target in targets() {
                assert_eq!(
                    folded(target, reducer, &row).to_bits(),
                    wanted,
                    "{reducer:?} of {n} on {target:?}"
                );
            }
        }
    }
}

#[test]
fn rows_go_on_by_their_steps() {
    let op = TileOp::Binary { op: BinaryOp::Multiply, ty: DType::F32, to: OUT, a: A, b: B };
    let inputs = [(A, From::Memory), (B, From::One)].map(|(reg, at)| Port { reg, dtype: DType::F32, at });
    let to = Port { reg: OUT, dtype: DType::F32, at: To { memory: true, last: false, past: false } };
    let fold =
        Port { reg: OUT, dtype: DType::F32, at: Fold { reducer: Reducer::Sum, to: P, init: Some(0.5) } };
    let (rows, row) = (5, 37);
    let steps = [(A, 4 * row as i32), (B, 4), (OUT, 4 * row as i32), (P, 4)];
    for target in targets() {
        let code = compile(target, std::slice::from_ref(&op), (&inputs, &[to], &[fold]), &steps);
        let Some(code) = code else { panic!("no code for rows on {target:?}") };
        let tiles = Tiles::new(&[DType::F32; 4]);
        // SAFETY: all are tiles.
        unsafe {
            (0..rows * row).for_each(|i| *tiles.ptr::<f32>(A).add(i) = (i % row) as f32);
            (0..rows).for_each(|i| *tiles.ptr::<f32>(B).add(i) = i as f32);
            code.run(&mut tiles.places().to_vec(), row, rows);
            for i in 0..rows * row {
                assert_eq!(*tiles.ptr::<f32>(OUT).add(i), (i % row * (i / row)) as f32);
            }
            for i in 0..rows {
                assert_eq!(*tiles.ptr::<f32>(P).add(i), (i * row * (row - 1) / 2) as f32 + 0.5);
            }
        }
    }
}

#[test]
fn operands_and_results_of_16_bits_lie_as_in_memory() {
    targets()
        .for_each(|target| [DType::BF16, DType::F16].into_iter().for_each(|ty| sums_in_memory(target, ty)));
}

/// Sums of two operands, one of which may be one number for all, loaded from and stored to memory.
fn sums_in_memory(target: Target, ty: DType) {
    let op = TileOp::Binary { op: BinaryOp::Add, ty, to: OUT, a: A, b: B };
    let values: Vec<f32> = (0..2).flat_map(numbers).collect();
    let narrow = |x: &f32| match ty {
        DType::F16 => half::f16::from_f32(*x).to_bits(),
        _ => (crate::tile::round(ty, *x).to_bits() >> 16) as u16,
    };
    let memory: Vec<u16> = values.iter().map(narrow).collect();
    let wide = |x: u16| match ty {
        DType::F16 => half::f16::from_bits(x).to_f32(),
        _ => f32::from_bits(u32::from(x) << 16),
    };
    for (second, past) in [(From::Memory, false), (From::Memory, true), (From::One, false), (From::One, true)]
    {
        let inputs = [(A, From::Memory), (B, second)].map(|(reg, at)| Port { reg, dtype: ty, at });
        let to = Port { reg: OUT, dtype: ty, at: To { memory: true, last: false, past } };
        let code = compile(target, std::slice::from_ref(&op), (&inputs, &[to], &[]), &[]);
        let Some(code) = code else { panic!("no code for {ty:?} on {target:?}") };
        for n in [1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, TILE] {
            let tiles = Tiles::new(&[DType::F32; 4]);
            let (a, b) = (&memory[..n], &memory[TILE..TILE + n]);
            // SAFETY: tiles are wider than what is put there, and begin at lines.
            let found = unsafe {
                std::ptr::copy_nonoverlapping(a.as_ptr(), tiles.ptr::<u16>(A), n);
                std::ptr::copy_nonoverlapping(b.as_ptr(), tiles.ptr::<u16>(B), n);
                code.run(&mut tiles.places().to_vec(), n, 1);
                meshwright_runtime::stream::finish();
                std::slice::from_raw_parts(tiles.ptr::<u16>(OUT), n + 1)
            };
            for (i, found) in found.iter().take(n).enumerate() {
                let b = if second == From::One { b[0] } else { b[i] };
                let wanted = narrow(&(wide(a[i]) + wide(b)));
                let both_nan = wide(wanted).is_nan() && wide(*found).is_nan();
                assert!(
                    both_nan || wanted == *found,
                    "{ty:?} {target:?} {second:?}, {i} of {n}: {wanted:x} {found:x}"
                );
            }
            assert_eq!(found[n], 0, "{n}");
        }
    }
}

#[test]
fn choices_and_conversions_give_the_bits_of_tiles() {
    use Direction as D;
    for direction in [D::Eq, D::Ne, D::Lt, D::Le, D::Gt, D::Ge] {
        for ty in [DType::F32].into_iter().chain(WHOLE) {
            check(TileOp::Compare { direction, total: false, ty, to: OUT, a: A, b: B }, ty, DType::Pred);
        }
    }
    for ty in [DType::F32, DType::BF16].into_iter().chain(WHOLE) {
        check(TileOp::Select { ty, to: OUT, p: P, a: A, b: B }, ty, ty);
    }
    for (from, to_ty) in WHOLE.into_iter().flat_map(|from| WHOLE.map(|to_ty| (from, to_ty))) {
        check(TileOp::Convert { from, to_ty, to: OUT, a: A }, from, to_ty);
        if from.bits() == to_ty.bits() {
            check(TileOp::Bitcast { from, to_ty, to: OUT, a: A }, from, to_ty);
        }
    }
    for ty in NARROW_WHOLE {
        check(TileOp::Convert { from: DType::Pred, to_ty: ty, to: OUT, a: A }, DType::Pred, ty);
        for to_ty in [DType::F32, DType::BF16, DType::F16] {
            check(TileOp::Convert { from: ty, to_ty, to: OUT, a: A }, ty, to_ty);
        }
    }
    for (from, to_ty) in
        [DType::S16, DType::U16].into_iter().flat_map(|ty| [(ty, DType::BF16), (DType::BF16, ty)])
    {
        check(TileOp::Bitcast { from, to_ty, to: OUT, a: A }, from, to_ty);
    }
    for (from, to_ty) in [
        (DType::Pred, DType::F32),
        (DType::Pred, DType::S32),
        (DType::S32, DType::F32),
        (DType::F32, DType::BF16),
        (DType::BF16, DType::F32),
        (DType::F32, DType::F16),
        (DType::F16, DType::F32),
        (DType::U32, DType::F32),
        (DType::S64, DType::F64),
        (DType::U64, DType::F64),
        (DType::F32, DType::F64),
        (DType::BF16, DType::F64),
        (DType::F16, DType::F64),
        (DType::F64, DType::F32),
        (DType::S32, DType::F64),
        (DType::U32, DType::F64),
        (DType::S32, DType::S64),
        (DType::U32, DType::S64),
        (DType::U32, DType::U64),
        (DType::S64, DType::S32),
        (DType::U64, DType::S32),
        (DType::U64, DType::U32),
    ] {
        check(TileOp::Convert { from, to_ty, to: OUT, a: A }, from, to_ty);
    }
}

#[test]
fn loops_over_types_of_both_sizes_give_the_bits_of_tiles() {
    use BinaryOp as B2;
    let [single, wide, square, larger, narrow, one, exp]: [Reg; 7] = std::array::from_fn(|at| at as Reg);
    let (chosen, long, integer) = (7, 8, 9);
    let (ty, wide_ty) = (DType::F32, DType::F64);
    let ops = [
        TileOp::Convert { from: ty, to_ty: wide_ty, to: wide, a: single },
        TileOp::Binary { op: B2::Multiply, ty: wide_ty, to: square, a: wide, b: wide },
        TileOp::Compare {
            direction: Direction::Gt,
            total: false,
            ty: wide_ty,
            to: larger,
            a: square,
            b: wide,
        },
        TileOp::Convert { from: wide_ty, to_ty: ty, to: narrow, a: square },
        TileOp::Convert { from: DType::Pred, to_ty: ty, to: one, a: larger },
        TileOp::Binary { op: B2::Add, ty, to: one, a: one, b: narrow },
        TileOp::Unary { op: UnaryOp::Exponential, ty, to: exp, a: single },
        TileOp::Select { ty, to: chosen, p: larger, a: exp, b: one },
        TileOp::Convert { from: DType::Pred, to_ty: DType::S64, to: long, a: larger },
        TileOp::Convert { from: DType::S64, to_ty: DType::S32, to: integer, a: long },
    ];
    let types = [ty, wide_ty, wide_ty, DType::Pred, ty, ty, ty, ty, DType::S64, DType::S32];
    let to = To { memory: true, last: false, past: false };
    let stored = [wide, square, larger, chosen, long, integer];
    let outputs = stored.map(|reg| Port { reg, dtype: types[reg as usize], at: to });
    let input = Port { reg: single, dtype: ty, at: From::Memory };
    if !targets().any(|target| target == Target::Avx512) {
        return;
    }
    let code = compile(Target::Avx512, &ops, (&[input], &outputs, &[]), &[]);
    let Some(code) = code else { panic!("no code for both sizes") };
    for n in [1, 7, 8, 9, 31, 32, 33, 127, 128, 129, TILE] {
        let [wanted, found] = [(), ()].map(|()| Tiles::new(&types));
        for tiles in [&wanted, &found] {
            let x = numbers(n as u32);
            // SAFETY: as many elements as a tile has.
            unsafe { std::ptr::copy_nonoverlapping(x.as_ptr(), tiles.ptr::<f32>(single), TILE) };
        }
        run(&ops, &wanted, n);
        // SAFETY: all are tiles.
        unsafe { code.run(&mut found.places().to_vec(), n, 1) };
        for reg in stored {
            let dtype = types[reg as usize];
            // SAFETY: so many elements are in each tile.
            let [wanted, found] = [&wanted, &found].map(|tiles| unsafe {
                std::slice::from_raw_parts(tiles.ptr::<u8>(reg).cast_const(), n * width(dtype))
            });
            same((&ops[0], n), dtype, wanted, found);
        }
    }
}
