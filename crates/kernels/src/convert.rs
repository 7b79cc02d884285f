//! Changes of element type on tiles: by value, by bits, by precision.

use crate::tile::{Held, Reg, TILE, Tiles, round, wrap_i32, wrap_u32};
use meshwright_ir::{DType, small_float};

/// A number wide enough for a conversion.
#[derive(Clone, Copy)]
enum Wide {
    Int(i64),
    Uint(u64),
    Float(f64),
    Complex([f64; 2]),
}

fn read(ty: DType, t: &Tiles, a: Reg, i: usize) -> Wide {
    // SAFETY: the tile holds this type, and `i` lies in it.
    unsafe {
        match Held::of(ty) {
            Held::Bool => Wide::Uint(u64::from(*t.ptr::<u8>(a).add(i))),
            Held::I32 => Wide::Int(i64::from(*t.ptr::<i32>(a).add(i))),
            Held::I64 => Wide::Int(*t.ptr::<i64>(a).add(i)),
            Held::U32 => Wide::Uint(u64::from(*t.ptr::<u32>(a).add(i))),
            Held::U64 => Wide::Uint(*t.ptr::<u64>(a).add(i)),
            Held::F32 => Wide::Float(f64::from(*t.ptr::<f32>(a).add(i))),
            Held::F64 => Wide::Float(*t.ptr::<f64>(a).add(i)),
            Held::C64 => Wide::Complex((*t.ptr::<[f32; 2]>(a).add(i)).map(f64::from)),
            Held::C128 => Wide::Complex(*t.ptr::<[f64; 2]>(a).add(i)),
        }
    }
}

impl Wide {
    fn float(self) -> f64 {
        match self {
            Wide::Int(x) => x as f64,
            Wide::Uint(x) => x as f64,
            Wide::Float(x) => x,
            Wide::Complex(z) => z[0],
        }
    }

    /// To `f32` in one rounding.
    fn single(self) -> f32 {
        match self {
            Wide::Int(x) => x as f32,
            Wide::Uint(x) => x as f32,
            Wide::Float(x) => x as f32,
            Wide::Complex(z) => z[0] as f32,
        }
    }

    fn signed(self, bits: u32) -> i64 {
        let (low, high) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
        match self {
            Wide::Int(x) => x,
            Wide::Uint(x) => x as i64,
            Wide::Float(x) | Wide::Complex([x, _]) => (x as i64).clamp(low, high),
        }
    }

    fn unsigned(self, bits: u32) -> u64 {
        match self {
            Wide::Int(x) => x as u64,
            Wide::Uint(x) => x,
            Wide::Float(x) | Wide::Complex([x, _]) => (x as u64).min(u64::MAX >> (64 - bits)),
        }
    }
}

/// By value: towards zero for integers (clamped), to nearest even for floats.
#[inline(never)]
pub fn convert(from: DType, to_ty: DType, to: Reg, a: Reg, t: &Tiles, n: usize) {
    // Sources and targets may be tiles of different widths: go through a copy.
    let mut wide = [Wide::Int(0); TILE];
    (0..n).for_each(|i| wide[i] = read(from, t, a, i));
    let bits = to_ty.bits();
    for (i, x) in wide[..n].iter().enumerate() {
        // SAFETY: the target tile holds its type, and `i` lies in it.
        unsafe {
            match Held::of(to_ty) {
                Held::Bool => {
                    *t.ptr::<u8>(to).add(i) = u8::from(match x {
                        Wide::Complex(z) => z[0] != 0.0 || z[1] != 0.0,
                        other => other.float() != 0.0,
                    });
                }
                Held::I32 => *t.ptr::<i32>(to).add(i) = wrap_i32(to_ty, x.signed(bits) as i32),
                Held::I64 => *t.ptr::<i64>(to).add(i) = x.signed(bits),
                Held::U32 => *t.ptr::<u32>(to).add(i) = wrap_u32(to_ty, x.unsigned(bits) as u32),
                Held::U64 => *t.ptr::<u64>(to).add(i) = x.unsigned(bits),
                Held::F32 => *t.ptr::<f32>(to).add(i) = narrow(to_ty, *x),
                Held::F64 => *t.ptr::<f64>(to).add(i) = x.float(),
                Held::C64 => {
                    *t.ptr::<[f32; 2]>(to).add(i) = match x {
                        Wide::Complex(z) => z.map(|x| x as f32),
                        other => [other.single(), 0.0],
                    }
                }
                Held::C128 => {
                    *t.ptr::<[f64; 2]>(to).add(i) = match x {
                        Wide::Complex(z) => *z,
                        other => [other.float(), 0.0],
                    }
                }
            }
        }
    }
}

/// To a float of at most 32 bits in one rounding.
fn narrow(to: DType, x: Wide) -> f32 {
    match to {
        DType::F32 => x.single(),
        DType::BF16 => half::bf16::from_f64(x.float()).to_f32(),
        DType::F16 => half::f16::from_f64(x.float()).to_f32(),
        other => small_float::decode(other, small_float::encode(other, x.float())) as f32,
    }
}

/// Bits of an element, low first.
pub fn bits_of(ty: DType, t: &Tiles, a: Reg, i: usize) -> u64 {
    // SAFETY: the tile holds this type, and `i` lies in it.
    unsafe {
        match Held::of(ty) {
            Held::Bool => u64::from(*t.ptr::<u8>(a).add(i)),
            Held::I32 | Held::U32 => u64::from(*t.ptr::<u32>(a).add(i)),
            Held::I64 | Held::U64 | Held::F64 | Held::C64 => *t.ptr::<u64>(a).add(i),
            Held::F32 => u64::from(float_bits(ty, *t.ptr::<f32>(a).add(i))),
            Held::C128 => 0,
        }
    }
}

/// Bits of a float of at most 32 bits that is already rounded to its type.
pub fn float_bits(ty: DType, x: f32) -> u32 {
    match ty {
        DType::F32 => x.to_bits(),
        DType::BF16 => x.to_bits() >> 16,
        DType::F16 => u32::from(half::f16::from_f32(x).to_bits()),
        other => u32::from(small_float::encode(other, f64::from(x))),
    }
}

pub fn float_of_bits(ty: DType, bits: u32) -> f32 {
    match ty {
        DType::F32 => f32::from_bits(bits),
        DType::BF16 => f32::from_bits(bits << 16),
        DType::F16 => half::f16::from_bits(bits as u16).to_f32(),
        other => small_float::decode(other, bits as u8) as f32,
    }
}

/// By bits, between types of the same width.
#[inline(never)]
pub fn bitcast(from: DType, to_ty: DType, to: Reg, a: Reg, t: &Tiles, n: usize) {
    for i in 0..n {
        let bits = bits_of(from, t, a, i);
        // SAFETY: as in `convert`; types of the same width are held in tiles of the same width, or narrower ones of
        // four bytes, so no element is overwritten before it is read.
        unsafe {
            match Held::of(to_ty) {
                Held::Bool => *t.ptr::<u8>(to).add(i) = u8::from(bits & 1 != 0),
                Held::I32 => *t.ptr::<i32>(to).add(i) = wrap_i32(to_ty, bits as i32),
                Held::U32 => *t.ptr::<u32>(to).add(i) = wrap_u32(to_ty, bits as u32),
                Held::I64 | Held::U64 | Held::F64 | Held::C64 => *t.ptr::<u64>(to).add(i) = bits,
                Held::F32 => *t.ptr::<f32>(to).add(i) = float_of_bits(to_ty, bits as u32),
                Held::C128 => {}
            }
        }
    }
}

/// Round to fewer exponent and mantissa bits.
#[inline(never)]
pub fn precision(ty: DType, (exponent, mantissa): (u32, u32), to: Reg, a: Reg, t: &Tiles, n: usize) {
    for i in 0..n {
        // SAFETY: as in `convert`.
        unsafe {
            match Held::of(ty) {
                Held::F64 => *t.ptr::<f64>(to).add(i) = reduce(*t.ptr::<f64>(a).add(i), exponent, mantissa),
                _ => {
                    let x = f64::from(*t.ptr::<f32>(a).add(i));
                    *t.ptr::<f32>(to).add(i) = round(ty, reduce(x, exponent, mantissa) as f32);
                }
            }
        }
    }
}

/// The nearest number with so many bits; too large becomes infinite, too small becomes zero (no subnormals).
fn reduce(x: f64, exponent: u32, mantissa: u32) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let drop = 52 - mantissa.min(52);
    let bits = x.to_bits();
    let rounded = match drop {
        0 => bits,
        _ => {
            let half = (1u64 << (drop - 1)) - 1 + ((bits >> drop) & 1);
            (bits + half) & !((1u64 << drop) - 1)
        }
    };
    let y = f64::from_bits(rounded);
    let bias = (1i64 << (exponent.clamp(1, 11) - 1)) - 1;
    let e = ((rounded >> 52) & 0x7ff) as i64 - 1023;
    match (e > bias, e < 1 - bias) {
        (true, _) => f64::INFINITY.copysign(x),
        (_, true) => 0f64.copysign(x),
        _ => y,
    }
}
