//! Plain reducers: how numbers fold, and one loop for each way to fold elements.
//!
//! Loops over elements are compiled for each type and reducer that differ: whole numbers of one width fold alike but
//! for their extremes, and floats have no bits to fold. What is not such a loop is given it as a function and compiled
//! less often.

use crate::math;
use meshwright_ir::DType;
use meshwright_shard::Reducer;

/// An element in memory, and what it is folded as.
pub trait Element: Copy + Sync {
    type Sum: Fold + PartialOrd;
    /// Whether large loops over it are worth compiling for AVX-512 too: models pool it.
    const HOT: bool = false;
    fn widen(self) -> Self::Sum;
    fn narrow(sum: Self::Sum) -> Self;
}

macro_rules! as_is {
    ($hot:literal: $($ty:ty),*) => {$(
        impl Element for $ty {
            type Sum = $ty;
            const HOT: bool = $hot;
            #[inline(always)]
            fn widen(self) -> $ty {
                self
            }
            #[inline(always)]
            fn narrow(sum: $ty) -> $ty {
                sum
            }
        }
    )*};
}
as_is!(true: f32);
as_is!(false: u8, f64, i32, i64, u32, u64);

/// `bf16`, by its bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Narrow(u16);

impl Element for Narrow {
    type Sum = f32;
    const HOT: bool = true;
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
    #[inline(always)]
    fn narrow(sum: f32) -> Narrow {
        Narrow((math::to_bf16(sum).to_bits() >> 16) as u16)
    }
}

/// Types that need no tile program. Every step is rounded, so other narrow ones do.
pub fn folds(dtype: DType) -> bool {
    use DType::{BF16, F32, F64, Pred, S32, S64, U32, U64};
    matches!(dtype, Pred | F32 | F64 | BF16 | S32 | U32 | S64 | U64)
}

/// A loop over elements that is compiled for each way to fold them.
pub trait Folding {
    fn by<E: Element>(&self, combine: impl Fn(E::Sum, E::Sum) -> E::Sum + Copy + Sync);
}

/// Run a loop with the way to fold a type that [`folds`].
pub fn fold_with(dtype: DType, reducer: Reducer, folding: &impl Folding) {
    use Reducer::{And, Max, Min, Or, Product, Sum, Xor};
    match (dtype, reducer) {
        (DType::F32, _) => floats::<f32>(reducer, folding),
        (DType::BF16, _) => floats::<Narrow>(reducer, folding),
        (DType::F64, _) => floats::<f64>(reducer, folding),
        (DType::U32, Min | Max) => extremes::<u32>(reducer, folding),
        (DType::U64, Min | Max) => extremes::<u64>(reducer, folding),
        (DType::S32 | DType::U32, _) => whole::<i32>(reducer, folding),
        (DType::S64 | DType::U64, _) => whole::<i64>(reducer, folding),
        (_, Sum | Or | Max) => folding.by::<u8>(|a, b| a | b),
        (_, Product | And | Min) => folding.by::<u8>(|a, b| a & b),
        (_, Xor) => folding.by::<u8>(|a, b| a ^ b),
    }
}

fn floats<E: Element>(reducer: Reducer, folding: &impl Folding) {
    match reducer {
        Reducer::Min | Reducer::Max => extremes::<E>(reducer, folding),
        Reducer::Product => folding.by::<E>(|a, b| Fold::combine(Reducer::Product, a, b)),
        Reducer::Sum | Reducer::And | Reducer::Or | Reducer::Xor => {
            folding.by::<E>(|a, b| Fold::combine(Reducer::Sum, a, b));
        }
    }
}

fn extremes<E: Element>(reducer: Reducer, folding: &impl Folding) {
    match reducer {
        Reducer::Min => folding.by::<E>(|a, b| Fold::combine(Reducer::Min, a, b)),
        _ => folding.by::<E>(|a, b| Fold::combine(Reducer::Max, a, b)),
    }
}

fn whole<E: Element>(reducer: Reducer, folding: &impl Folding) {
    match reducer {
        Reducer::Sum => folding.by::<E>(|a, b| Fold::combine(Reducer::Sum, a, b)),
        Reducer::Product => folding.by::<E>(|a, b| Fold::combine(Reducer::Product, a, b)),
        Reducer::Min | Reducer::Max => extremes::<E>(reducer, folding),
        Reducer::And => folding.by::<E>(|a, b| Fold::combine(Reducer::And, a, b)),
        Reducer::Or => folding.by::<E>(|a, b| Fold::combine(Reducer::Or, a, b)),
        Reducer::Xor => folding.by::<E>(|a, b| Fold::combine(Reducer::Xor, a, b)),
    }
}

/// Fold a run of `f32` in lanes; at least one element.
pub fn fold_f32(reducer: Reducer, x: &[f32]) -> f32 {
    <f32 as Fold>::fold(reducer, x)
}

pub fn combine_f32(reducer: Reducer, a: f32, b: f32) -> f32 {
    <f32 as Fold>::combine(reducer, a, b)
}

/// Elements that plain reducers fold.
pub trait Fold: Copy + Default + PartialEq + Send + Sync {
    fn combine(reducer: Reducer, a: Self, b: Self) -> Self;
    fn identity(reducer: Reducer) -> Self;
    /// At least one element, in lanes.
    fn fold(reducer: Reducer, x: &[Self]) -> Self {
        match reducer {
            Reducer::Sum => lanes(x, |a, b| Self::combine(Reducer::Sum, a, b)),
            Reducer::Max => lanes(x, |a, b| Self::combine(Reducer::Max, a, b)),
            other => lanes(x, |a, b| Self::combine(other, a, b)),
        }
    }
}

const LANES: usize = 32;

/// Fold one half onto the other until one is left.
#[inline(always)]
fn halves<T: Copy>(mut x: [T; 16], f: impl Fn(T, T) -> T) -> T {
    for width in [8, 4, 2, 1] {
        let (low, high) = x.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low = f(*low, *high));
    }
    x[0]
}

/// Fold lane by lane, then the lanes pairwise.
#[inline(always)]
fn lanes<T: Copy>(x: &[T], f: impl Fn(T, T) -> T) -> T {
    if let Ok(lanes) = <[T; 16]>::try_from(x) {
        return halves(lanes, f);
    }
    if x.len() < LANES {
        return x[1..].iter().fold(x[0], |a, b| f(a, *b));
    }
    let mut chunks = x.chunks_exact(LANES);
    let mut lanes = [x[0]; LANES];
    if let Some(first) = chunks.next() {
        lanes.copy_from_slice(first);
    }
    for chunk in &mut chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, *x);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = f(*lane, *x);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = f(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

macro_rules! fold_int {
    ($($ty:ty),*) => {$(
        impl Fold for $ty {
            #[inline(always)]
            fn combine(reducer: Reducer, a: $ty, b: $ty) -> $ty {
                match reducer {
                    Reducer::Sum => a.wrapping_add(b),
                    Reducer::Product => a.wrapping_mul(b),
                    Reducer::Min => a.min(b),
                    Reducer::Max => a.max(b),
                    Reducer::And => a & b,
                    Reducer::Or => a | b,
                    Reducer::Xor => a ^ b,
                }
            }
            fn identity(reducer: Reducer) -> $ty {
                match reducer {
                    Reducer::Sum | Reducer::Or | Reducer::Xor => 0,
                    Reducer::Product => 1,
                    Reducer::Min => <$ty>::MAX,
                    Reducer::Max => <$ty>::MIN,
                    Reducer::And => !0,
                }
            }
        }
    )*};
}
fold_int!(i32, i64, u32, u64);

/// `pred`.
impl Fold for u8 {
    fn combine(reducer: Reducer, a: u8, b: u8) -> u8 {
        match reducer {
            Reducer::Sum | Reducer::Or | Reducer::Max => a | b,
            Reducer::Product | Reducer::And | Reducer::Min => a & b,
            Reducer::Xor => a ^ b,
        }
    }
    fn identity(reducer: Reducer) -> u8 {
        u8::from(matches!(reducer, Reducer::Product | Reducer::And | Reducer::Min))
    }
}

impl Fold for f64 {
    #[inline(always)]
    fn combine(reducer: Reducer, a: f64, b: f64) -> f64 {
        match reducer {
            Reducer::Product => a * b,
            Reducer::Max => math::max64(a, b),
            Reducer::Min => math::min64(a, b),
            _ => a + b,
        }
    }
    fn identity(reducer: Reducer) -> f64 {
        match reducer {
            Reducer::Product => 1.0,
            Reducer::Max => f64::NEG_INFINITY,
            Reducer::Min => f64::INFINITY,
            _ => -0.0,
        }
    }
}

impl Fold for f32 {
    #[inline(always)]
    fn combine(reducer: Reducer, a: f32, b: f32) -> f32 {
        match reducer {
            Reducer::Product => a * b,
            Reducer::Max => math::max(a, b),
            Reducer::Min => math::min(a, b),
            _ => a + b,
        }
    }
    fn identity(reducer: Reducer) -> f32 {
        <f64 as Fold>::identity(reducer) as f32
    }
    fn fold(reducer: Reducer, x: &[f32]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            // SAFETY: the features are there.
            return unsafe { fold_avx512(reducer, x) };
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() {
            // SAFETY: the features are there.
            return unsafe { fold_avx2(reducer, x) };
        }
        fold_any(reducer, x)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fold_avx2(reducer: Reducer, x: &[f32]) -> f32 {
    fold_any(reducer, x)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn fold_avx512(reducer: Reducer, x: &[f32]) -> f32 {
    match reducer {
        Reducer::Max => extreme_avx512::<5>(x).unwrap_or_else(|| fold_any(reducer, x)),
        Reducer::Min => extreme_avx512::<4>(x).unwrap_or_else(|| fold_any(reducer, x)),
        _ => fold_any(reducer, x),
    }
}

/// The largest (`HOW` is 5) or smallest (4) number, zeros by their sign; `None` if one is no number, or there are few.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn extreme_avx512<const HOW: i32>(x: &[f32]) -> Option<f32> {
    use std::arch::x86_64::*;
    let (first, rest) = x.split_first_chunk::<16>()?;
    // SAFETY: 16 elements.
    let load = |chunk: &[f32; 16]| unsafe { _mm512_loadu_ps(chunk.as_ptr()) };
    let mut found = load(first);
    let mut broken = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(found, found);
    let (chunks, left) = rest.as_chunks::<16>();
    for chunk in chunks {
        let next = load(chunk);
        broken |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(next, next);
        found = _mm512_range_ps::<HOW>(found, next);
    }
    found = _mm512_range_ps::<HOW>(found, _mm512_shuffle_f32x4::<0x4e>(found, found));
    found = _mm512_range_ps::<HOW>(found, _mm512_shuffle_f32x4::<0xb1>(found, found));
    found = _mm512_range_ps::<HOW>(found, _mm512_permute_ps::<0x4e>(found));
    found = _mm512_range_ps::<HOW>(found, _mm512_permute_ps::<0xb1>(found));
    let combine = if HOW == 5 { math::max } else { math::min };
    let all = left.iter().fold(_mm512_cvtss_f32(found), |found, x| combine(found, *x));
    (broken == 0).then_some(all)
}

#[inline(always)]
fn fold_any(reducer: Reducer, x: &[f32]) -> f32 {
    match reducer {
        Reducer::Product => lanes(x, |a, b| a * b),
        Reducer::Max => lanes(x, math::max),
        Reducer::Min => lanes(x, math::min),
        _ => lanes(x, |a, b| a + b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_keep_the_sign_of_zero_and_what_is_no_number() {
        for len in [1, 15, 16, 17, 40, 100] {
            let mut x = vec![-0.0f32; len];
            assert!(fold_f32(Reducer::Max, &x).is_sign_negative());
            x[len / 2] = 0.0;
            assert!(fold_f32(Reducer::Max, &x).is_sign_positive());
            assert_eq!(fold_f32(Reducer::Min, &x).is_sign_negative(), len > 1);
            x[len - 1] = 3.0;
            assert_eq!(fold_f32(Reducer::Max, &x), 3.0);
            x[0] = f32::NAN;
            assert!(fold_f32(Reducer::Max, &x).is_nan() && fold_f32(Reducer::Min, &x).is_nan());
        }
    }
}
