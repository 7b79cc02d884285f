//! Programs on tiles: the elementwise part of the engine.
//!
//! A tile is up to [`TILE`] elements of one value, kept in the first cache. A program is a short list of ops on
//! numbered tiles; it is run tile by tile over whole arrays (fused loops), on accumulators (reductions), or on single
//! elements (comparators). Narrow floats are held as `f32` and rounded after every op, narrow integers as 32 bits and
//! wrapped.

#[cfg(target_arch = "x86_64")]
use crate::isa;
use crate::math::{self, circle, circle::near};
use half::f16;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};
use meshwright_ir::{Class, DType, small_float};
pub use meshwright_jit::{Reg, TileOp};

/// Elements of a tile.
pub const TILE: usize = 512;

/// How a tile holds its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    C64,
    C128,
}

impl Held {
    pub fn of(dtype: DType) -> Held {
        match (dtype.class(), dtype.bits()) {
            (Class::Pred, _) => Held::Bool,
            (Class::Signed, 64) => Held::I64,
            (Class::Signed, _) => Held::I32,
            (Class::Unsigned, 64) => Held::U64,
            (Class::Unsigned, _) => Held::U32,
            (Class::Float, 64) => Held::F64,
            (Class::Float, _) => Held::F32,
            (Class::Complex, 64) => Held::C64,
            (Class::Complex, _) => Held::C128,
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Held::Bool => 1,
            Held::I32 | Held::U32 | Held::F32 => 4,
            Held::I64 | Held::U64 | Held::F64 | Held::C64 => 8,
            Held::C128 => 16,
        }
    }
}

/// Memory of the tiles of one program.
pub struct Tiles {
    /// Keeps the memory alive.
    _lines: Vec<Line>,
    /// Where each tile lies: in `lines`, or where it was pointed to.
    at: Vec<*mut u8>,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

impl Tiles {
    pub fn new(regs: &[DType]) -> Tiles {
        // One line between tiles, so that they do not all fall on the same sets of the cache.
        let size = |dtype: &DType| TILE * Held::of(*dtype).bytes() + 64;
        let mut lines = vec![Line([0; 64]); regs.iter().map(size).sum::<usize>() / 64 + 1];
        let mut next = lines.as_mut_ptr().cast::<u8>();
        let mut at = Vec::with_capacity(regs.len());
        for dtype in regs {
            at.push(next);
            next = next.wrapping_add(size(dtype));
        }
        Tiles { _lines: lines, at }
    }

    /// Memory for some of the tiles only; others must be pointed somewhere first.
    pub fn some(regs: &[DType], wanted: &[bool]) -> Tiles {
        let kept: Vec<DType> =
            regs.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(ty, _)| *ty).collect();
        let Tiles { _lines, at } = Tiles::new(&kept);
        let mut at = at.into_iter();
        let place = |wanted: &bool| if *wanted { at.next() } else { None };
        let at = wanted.iter().map(place).map(|at| at.unwrap_or(std::ptr::null_mut())).collect();
        Tiles { _lines, at }
    }

    #[cfg(test)]
    pub fn places(&self) -> &[*mut u8] {
        &self.at
    }

    /// Where each tile lies.
    pub fn places_mut(&mut self) -> &mut [*mut u8] {
        &mut self.at
    }

    /// Let a tile lie elsewhere from now on.
    pub fn point(&mut self, reg: Reg, at: *mut u8) {
        self.at[reg as usize] = at;
    }

    /// Let two tiles change places.
    pub fn swap(&mut self, a: Reg, b: Reg) {
        self.at.swap(a as usize, b as usize);
    }

    #[inline(always)]
    pub fn ptr<T>(&self, reg: Reg) -> *mut T {
        self.at[reg as usize].cast()
    }

    /// Put a real number into a place of a tile of this type.
    pub fn put(&self, reg: Reg, dtype: DType, place: usize, x: f64) {
        assert!(place < TILE, "place {place} is not in a tile");
        // SAFETY: a tile has room for `TILE` elements of its type.
        unsafe {
            match Held::of(dtype) {
                Held::Bool => *self.ptr::<u8>(reg).add(place) = x as u8,
                Held::I32 => *self.ptr::<i32>(reg).add(place) = x as i32,
                Held::I64 => *self.ptr::<i64>(reg).add(place) = x as i64,
                Held::U32 => *self.ptr::<u32>(reg).add(place) = x as u32,
                Held::U64 => *self.ptr::<u64>(reg).add(place) = x as u64,
                Held::F32 => *self.ptr::<f32>(reg).add(place) = x as f32,
                Held::F64 | Held::C64 | Held::C128 => *self.ptr::<f64>(reg).add(place) = x,
            }
        }
    }

    /// The bits of an element of a tile whose type takes 4 or 8 bytes.
    pub fn bits(&self, reg: Reg, dtype: DType, place: usize) -> u64 {
        assert!(place < TILE, "place {place} is not in a tile");
        // SAFETY: as for `put`.
        unsafe {
            match Held::of(dtype).bytes() {
                4 => u64::from(*self.ptr::<u32>(reg).add(place)),
                _ => *self.ptr::<u64>(reg).add(place),
            }
        }
    }
}

/// Run ops on the first `len` elements of their tiles, with the widest vectors the CPU has.
pub fn run(ops: &[TileOp], tiles: &Tiles, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        if isa::avx512() {
            // SAFETY: the features are there.
            return unsafe { run_avx512(ops, tiles, len) };
        }
        if isa::avx2() {
            // SAFETY: the features are there.
            return unsafe { run_avx2(ops, tiles, len) };
        }
    }
    run_any(ops, tiles, len);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
unsafe fn run_avx512(ops: &[TileOp], tiles: &Tiles, len: usize) {
    ops.iter().for_each(|op| run_hot(op, tiles, len));
}

/// # Safety
/// The CPU has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub unsafe fn run_avx2(ops: &[TileOp], tiles: &Tiles, len: usize) {
    ops.iter().for_each(|op| run_hot(op, tiles, len));
}

/// Without instructions that some CPUs do not have.
pub fn run_any(ops: &[TileOp], tiles: &Tiles, len: usize) {
    ops.iter().for_each(|op| run_hot(op, tiles, len));
}

/// Element by element; a tile may be both source and target.
#[inline(always)]
fn map1<A: Copy, R>(t: &Tiles, to: Reg, a: Reg, n: usize, f: impl Fn(A) -> R) {
    let (a, to): (*const A, *mut R) = (t.ptr(a), t.ptr(to));
    for i in 0..n {
        // SAFETY: `n` is at most the size of a tile; each element is read before it is written.
        unsafe { *to.add(i) = f(*a.add(i)) };
    }
}

/// A function of angles: one way for tiles that have no large ones, and one for all. Both give the same bits.
#[inline(always)]
fn wave(t: &Tiles, to: Reg, a: Reg, n: usize, (quick, any): (impl Fn(f32) -> f32, impl Fn(f32) -> f32)) {
    // SAFETY: `n` is at most the size of a tile, which holds `f32`.
    let angles = unsafe { std::slice::from_raw_parts(t.ptr::<f32>(a).cast_const(), n) };
    let is_near = angles.iter().fold(true, |all, x| all & (x.abs() < near::FAR));
    if is_near { map1(t, to, a, n, quick) } else { map1(t, to, a, n, any) }
}

#[inline(always)]
fn map2<A: Copy, B: Copy, R>(t: &Tiles, to: Reg, (a, b): (Reg, Reg), n: usize, f: impl Fn(A, B) -> R) {
    let (a, b, to): (*const A, *const B, *mut R) = (t.ptr(a), t.ptr(b), t.ptr(to));
    for i in 0..n {
        // SAFETY: as in `map1`.
        unsafe { *to.add(i) = f(*a.add(i), *b.add(i)) };
    }
}

#[inline(always)]
fn select<T: Copy>(t: &Tiles, to: Reg, p: Reg, (a, b): (Reg, Reg), n: usize) {
    let (p, a, b, to): (*const u8, *const T, *const T, *mut T) = (t.ptr(p), t.ptr(a), t.ptr(b), t.ptr(to));
    for i in 0..n {
        // SAFETY: as in `map1`. Both are read whatever is chosen: an `if` becomes a read of what is chosen, element by
        // element.
        unsafe { *to.add(i) = std::hint::select_unpredictable(*p.add(i) != 0, *a.add(i), *b.add(i)) };
    }
}

/// The ops that models spend their time in, as vector loops; everything else goes to [`run_cold`].
#[inline(always)]
fn run_hot(op: &TileOp, t: &Tiles, n: usize) {
    match op {
        TileOp::Binary { op, ty: DType::F32, to, a, b } => {
            let ab = (*a, *b);
            match op {
                BinaryOp::Add => map2(t, *to, ab, n, |a: f32, b: f32| a + b),
                BinaryOp::Subtract => map2(t, *to, ab, n, |a: f32, b: f32| a - b),
                BinaryOp::Multiply => map2(t, *to, ab, n, |a: f32, b: f32| a * b),
                BinaryOp::Divide => map2(t, *to, ab, n, |a: f32, b: f32| a / b),
                BinaryOp::Maximum => map2(t, *to, ab, n, math::max),
                BinaryOp::Minimum => map2(t, *to, ab, n, math::min),
                _ => cold_binary(*op, DType::F32, *to, ab, t, n),
            }
        }
        TileOp::Binary { op, ty: DType::BF16, to, a, b } => {
            let ab = (*a, *b);
            match op {
                BinaryOp::Add => map2(t, *to, ab, n, |a: f32, b: f32| math::to_bf16(a + b)),
                BinaryOp::Subtract => map2(t, *to, ab, n, |a: f32, b: f32| math::to_bf16(a - b)),
                BinaryOp::Multiply => map2(t, *to, ab, n, |a: f32, b: f32| math::to_bf16(a * b)),
                BinaryOp::Divide => map2(t, *to, ab, n, |a: f32, b: f32| math::to_bf16(a / b)),
                BinaryOp::Maximum => map2(t, *to, ab, n, math::max),
                BinaryOp::Minimum => map2(t, *to, ab, n, math::min),
                _ => cold_binary(*op, DType::BF16, *to, ab, t, n),
            }
        }
        TileOp::Binary { op, ty: DType::S32, to, a, b } => {
            let ab = (*a, *b);
            match op {
                BinaryOp::Add => map2(t, *to, ab, n, i32::wrapping_add),
                BinaryOp::Subtract => map2(t, *to, ab, n, i32::wrapping_sub),
                BinaryOp::Multiply => map2(t, *to, ab, n, i32::wrapping_mul),
                BinaryOp::Maximum => map2(t, *to, ab, n, |a: i32, b: i32| a.max(b)),
                BinaryOp::Minimum => map2(t, *to, ab, n, |a: i32, b: i32| a.min(b)),
                _ => cold_binary(*op, DType::S32, *to, ab, t, n),
            }
        }
        TileOp::Binary { op, ty: DType::U32, to, a, b } => {
            let ab = (*a, *b);
            match op {
                BinaryOp::Add => map2(t, *to, ab, n, u32::wrapping_add),
                BinaryOp::Xor => map2(t, *to, ab, n, |a: u32, b: u32| a ^ b),
                BinaryOp::Or => map2(t, *to, ab, n, |a: u32, b: u32| a | b),
                BinaryOp::And => map2(t, *to, ab, n, |a: u32, b: u32| a & b),
                BinaryOp::ShiftLeft => map2(t, *to, ab, n, |a: u32, b: u32| a.checked_shl(b).unwrap_or(0)),
                BinaryOp::ShiftRightLogical => {
                    map2(t, *to, ab, n, |a: u32, b: u32| a.checked_shr(b).unwrap_or(0));
                }
                _ => cold_binary(*op, DType::U32, *to, ab, t, n),
            }
        }
        TileOp::Binary { op, ty: DType::Pred, to, a, b } => {
            let ab = (*a, *b);
            match op {
                BinaryOp::Add | BinaryOp::Or | BinaryOp::Maximum => map2(t, *to, ab, n, |a: u8, b: u8| a | b),
                BinaryOp::Multiply | BinaryOp::And | BinaryOp::Minimum => {
                    map2(t, *to, ab, n, |a: u8, b: u8| a & b);
                }
                _ => map2(t, *to, ab, n, |a: u8, b: u8| a ^ b),
            }
        }
        TileOp::Unary { op, ty: DType::F32, to, a } => match op {
            UnaryOp::Negate => map1(t, *to, *a, n, |x: f32| -x),
            UnaryOp::Abs => map1(t, *to, *a, n, f32::abs),
            UnaryOp::Copy => map1(t, *to, *a, n, |x: f32| x),
            UnaryOp::Square => map1(t, *to, *a, n, |x: f32| x * x),
            UnaryOp::Sqrt => map1(t, *to, *a, n, f32::sqrt),
            UnaryOp::Rsqrt => map1(t, *to, *a, n, |x: f32| 1.0 / x.sqrt()),
            UnaryOp::Exponential => map1(t, *to, *a, n, math::exp),
            UnaryOp::Log => map1(t, *to, *a, n, math::log),
            UnaryOp::LogPlusOne => map1(t, *to, *a, n, math::log_plus_one),
            UnaryOp::Tanh => map1(t, *to, *a, n, math::tanh),
            UnaryOp::Erf => map1(t, *to, *a, n, math::erf),
            UnaryOp::Logistic => map1(t, *to, *a, n, math::logistic),
            UnaryOp::ExponentialMinusOne => map1(t, *to, *a, n, math::exp_minus_one),
            UnaryOp::Cbrt => map1(t, *to, *a, n, math::cube_root),
            UnaryOp::Sine => wave(t, *to, *a, n, (near::sine, circle::sine)),
            UnaryOp::Cosine => wave(t, *to, *a, n, (near::cosine, circle::cosine)),
            UnaryOp::Tan => wave(t, *to, *a, n, (near::tangent, circle::tangent)),
            _ => cold_unary(*op, DType::F32, *to, *a, t, n),
        },
        TileOp::Unary { op: UnaryOp::Not, ty: DType::Pred, to, a } => map1(t, *to, *a, n, |x: u8| x ^ 1),
        TileOp::Compare { direction, total: false, ty: DType::F32, to, a, b } => {
            compare::<f32>(*direction, t, *to, (*a, *b), n);
        }
        TileOp::Compare { direction, total: false, ty: DType::S32, to, a, b } => {
            compare::<i32>(*direction, t, *to, (*a, *b), n);
        }
        TileOp::Select { ty, to, p, a, b } => match Held::of(*ty).bytes() {
            1 => select::<u8>(t, *to, *p, (*a, *b), n),
            4 => select::<u32>(t, *to, *p, (*a, *b), n),
            8 => select::<u64>(t, *to, *p, (*a, *b), n),
            _ => select::<u128>(t, *to, *p, (*a, *b), n),
        },
        TileOp::Convert { from: DType::S32, to_ty: DType::F32, to, a } => {
            map1(t, *to, *a, n, |x: i32| x as f32)
        }
        TileOp::Convert { from: DType::F32, to_ty: DType::S32, to, a } => {
            map1(t, *to, *a, n, |x: f32| x as i32)
        }
        TileOp::Convert { from: DType::Pred, to_ty: DType::F32, to, a } => {
            map1(t, *to, *a, n, |x: u8| f32::from(x));
        }
        TileOp::Convert { from: DType::Pred, to_ty: DType::S32, to, a } => {
            map1(t, *to, *a, n, |x: u8| i32::from(x));
        }
        TileOp::Convert { from: DType::F32, to_ty: DType::BF16, to, a } => map1(t, *to, *a, n, math::to_bf16),
        TileOp::Convert { from: DType::BF16 | DType::F16, to_ty: DType::F32, to, a } => {
            map1(t, *to, *a, n, |x: f32| x);
        }
        other => run_cold(other, t, n),
    }
}

#[inline(always)]
fn compare<T: PartialOrd + Copy>(direction: Direction, t: &Tiles, to: Reg, ab: (Reg, Reg), n: usize) {
    match direction {
        Direction::Eq => map2(t, to, ab, n, |a: T, b: T| u8::from(a == b)),
        Direction::Ne => map2(t, to, ab, n, |a: T, b: T| u8::from(a != b)),
        Direction::Lt => map2(t, to, ab, n, |a: T, b: T| u8::from(a < b)),
        Direction::Le => map2(t, to, ab, n, |a: T, b: T| u8::from(a <= b)),
        Direction::Gt => map2(t, to, ab, n, |a: T, b: T| u8::from(a > b)),
        Direction::Ge => map2(t, to, ab, n, |a: T, b: T| u8::from(a >= b)),
    }
}

#[inline(never)]
fn run_cold(op: &TileOp, t: &Tiles, n: usize) {
    match op {
        TileOp::Unary { op, ty, to, a } => cold_unary(*op, *ty, *to, *a, t, n),
        TileOp::Binary { op, ty, to, a, b } => cold_binary(*op, *ty, *to, (*a, *b), t, n),
        TileOp::Compare { direction, total, ty, to, a, b } => {
            cold_compare(*direction, *total, *ty, *to, (*a, *b), t, n);
        }
        TileOp::Select { .. } => {}
        TileOp::Splat { ty, element, to } => crate::load::splat(*ty, element, t, *to),
        TileOp::Convert { from, to_ty, to, a } => crate::convert::convert(*from, *to_ty, *to, *a, t, n),
        TileOp::Bitcast { from, to_ty, to, a } => crate::convert::bitcast(*from, *to_ty, *to, *a, t, n),
        TileOp::Precision { ty, exponent, mantissa, to, a } => {
            crate::convert::precision(*ty, (*exponent, *mantissa), *to, *a, t, n);
        }
    }
}

/// Bring an `f32` to the nearest value of its narrow type.
pub fn round(ty: DType, x: f32) -> f32 {
    match ty {
        DType::BF16 => math::to_bf16(x),
        DType::F16 => f16::from_f32(x).to_f32(),
        DType::F32 => x,
        other => small_float::decode(other, small_float::encode(other, f64::from(x))) as f32,
    }
}

/// Wrap to a narrow signed type.
pub fn wrap_i32(ty: DType, x: i32) -> i32 {
    let shift = 32 - ty.bits().min(32);
    (x << shift) >> shift
}

pub fn wrap_u32(ty: DType, x: u32) -> u32 {
    let shift = 32 - ty.bits().min(32);
    (x << shift) >> shift
}

/// An op that lowering asked for without asking `scalar` whether there is one: nothing is written.
macro_rules! or_nothing {
    ($function:expr) => {
        match $function {
            Some(function) => function,
            None => return debug_assert!(false, "{}", stringify!($function)),
        }
    };
}

#[inline(never)]
fn cold_unary(op: UnaryOp, ty: DType, to: Reg, a: Reg, t: &Tiles, n: usize) {
    use crate::scalar::{complex_part, complex_unary, float_test, float_unary, int_unary, uint_unary};
    let bits = ty.bits();
    match Held::of(ty) {
        Held::Bool => map1(t, to, a, n, |x: u8| if op == UnaryOp::Not { x ^ 1 } else { x }),
        Held::I32 => {
            let f = or_nothing!(int_unary(op));
            map1(t, to, a, n, |x: i32| wrap_i32(ty, f(i64::from(x), bits) as i32));
        }
        Held::I64 => {
            let f = or_nothing!(int_unary(op));
            map1(t, to, a, n, |x: i64| f(x, bits));
        }
        Held::U32 => {
            let f = or_nothing!(uint_unary(op));
            map1(t, to, a, n, |x: u32| wrap_u32(ty, f(u64::from(x), bits) as u32));
        }
        Held::U64 => {
            let f = or_nothing!(uint_unary(op));
            map1(t, to, a, n, |x: u64| f(x, bits));
        }
        Held::F32 => match float_test(op) {
            Some(test) => map1(t, to, a, n, |x: f32| u8::from(test(f64::from(x)))),
            None => {
                let f = or_nothing!(float_unary(op));
                map1(t, to, a, n, |x: f32| round(ty, f(f64::from(x)) as f32));
            }
        },
        Held::F64 => match float_test(op) {
            Some(test) => map1(t, to, a, n, |x: f64| u8::from(test(x))),
            None => map1(t, to, a, n, or_nothing!(float_unary(op))),
        },
        Held::C64 => match complex_part(op) {
            Some(part) => map1(t, to, a, n, |z: [f32; 2]| part(z.map(f64::from)) as f32),
            None => {
                let f = or_nothing!(complex_unary(op));
                map1(t, to, a, n, |z: [f32; 2]| f(z.map(f64::from)).map(|x| x as f32));
            }
        },
        Held::C128 => match complex_part(op) {
            Some(part) => map1(t, to, a, n, part),
            None => map1(t, to, a, n, or_nothing!(complex_unary(op))),
        },
    }
}

#[inline(never)]
fn cold_binary(op: BinaryOp, ty: DType, to: Reg, ab: (Reg, Reg), t: &Tiles, n: usize) {
    use crate::scalar::{complex_binary, float_binary, int_binary, next_after, uint_binary};
    let bits = ty.bits();
    match Held::of(ty) {
        Held::Bool => map2(t, to, ab, n, |a: u8, b: u8| match op {
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Maximum => a | b,
            BinaryOp::Multiply | BinaryOp::And | BinaryOp::Minimum => a & b,
            _ => a ^ b,
        }),
        Held::I32 => {
            let f = or_nothing!(int_binary(op));
            map2(t, to, ab, n, |a: i32, b: i32| wrap_i32(ty, f(i64::from(a), i64::from(b), bits) as i32));
        }
        Held::I64 => {
            let f = or_nothing!(int_binary(op));
            map2(t, to, ab, n, |a: i64, b: i64| f(a, b, bits));
        }
        Held::U32 => {
            let f = or_nothing!(uint_binary(op));
            map2(t, to, ab, n, |a: u32, b: u32| wrap_u32(ty, f(u64::from(a), u64::from(b), bits) as u32));
        }
        Held::U64 => {
            let f = or_nothing!(uint_binary(op));
            map2(t, to, ab, n, |a: u64, b: u64| f(a, b, bits));
        }
        Held::F32 if op == BinaryOp::NextAfter => {
            map2(t, to, ab, n, |a: f32, b: f32| next_after(ty, f64::from(a), f64::from(b)) as f32);
        }
        Held::F32 if op == BinaryOp::Complex => map2(t, to, ab, n, |a: f32, b: f32| [a, b]),
        Held::F64 if op == BinaryOp::NextAfter => map2(t, to, ab, n, |a: f64, b: f64| next_after(ty, a, b)),
        Held::F64 if op == BinaryOp::Complex => map2(t, to, ab, n, |a: f64, b: f64| [a, b]),
        Held::F32 => {
            let f = or_nothing!(float_binary(op));
            map2(t, to, ab, n, |a: f32, b: f32| round(ty, f(f64::from(a), f64::from(b)) as f32));
        }
        Held::F64 => map2(t, to, ab, n, or_nothing!(float_binary(op))),
        Held::C64 => {
            let f = or_nothing!(complex_binary(op));
            map2(t, to, ab, n, |a: [f32; 2], b: [f32; 2]| {
                f(a.map(f64::from), b.map(f64::from)).map(|x| x as f32)
            });
        }
        Held::C128 => map2(t, to, ab, n, or_nothing!(complex_binary(op))),
    }
}

/// A key that orders floats totally: -NaN, -inf, .., -0, 0, .., inf, NaN.
pub fn total_key(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[inline(never)]
fn cold_compare(direction: Direction, total: bool, ty: DType, to: Reg, ab: (Reg, Reg), t: &Tiles, n: usize) {
    let by_key = |a: i64, b: i64| {
        u8::from(match direction {
            Direction::Eq => a == b,
            Direction::Ne => a != b,
            Direction::Lt => a < b,
            Direction::Le => a <= b,
            Direction::Gt => a > b,
            Direction::Ge => a >= b,
        })
    };
    match Held::of(ty) {
        Held::Bool => compare::<u8>(direction, t, to, ab, n),
        Held::I32 => compare::<i32>(direction, t, to, ab, n),
        Held::I64 => compare::<i64>(direction, t, to, ab, n),
        Held::U32 => compare::<u32>(direction, t, to, ab, n),
        Held::U64 => compare::<u64>(direction, t, to, ab, n),
        Held::F32 if total => {
            map2(t, to, ab, n, |a: f32, b: f32| by_key(total_key(f64::from(a)), total_key(f64::from(b))));
        }
        Held::F64 if total => map2(t, to, ab, n, |a: f64, b: f64| by_key(total_key(a), total_key(b))),
        Held::F32 => compare::<f32>(direction, t, to, ab, n),
        Held::F64 => compare::<f64>(direction, t, to, ab, n),
        Held::C64 => {
            map2(t, to, ab, n, |a: [f32; 2], b: [f32; 2]| u8::from((a == b) == (direction == Direction::Eq)))
        }
        Held::C128 => {
            map2(t, to, ab, n, |a: [f64; 2], b: [f64; 2]| u8::from((a == b) == (direction == Direction::Eq)))
        }
    }
}
