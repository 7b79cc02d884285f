//! Plain reducers: how numbers fold, and one loop for each way to fold elements.
//!
//! Loops over elements are compiled for each type and reducer that differ: whole numbers of one width fold alike but
//! for their extremes, and floats have no bits to fold. What is not such a loop is given it as a function and compiled
//! less often.

pub mod extreme;

use crate::math;
use meshwright_ir::DType;
use meshwright_shard::Reducer;

/// An element in memory, and what it is folded as.
pub trait Element: Copy + Sync {
    type Sum: Fold + PartialOrd + Element<Sum = Self::Sum>;
    /// Whether large loops over it are worth compiling for AVX-512 too: models pool it.
    const HOT: bool = false;
    fn widen(self) -> Self::Sum;
    fn narrow(sum: Self::Sum) -> Self;
    /// Fold a run in another order, where that gives the same bits and is quicker.
    #[inline(always)]
    fn fold_in_any_order(_: Reducer, _: &[Self]) -> Option<Self::Sum> {
        None
    }
}

/// Sums and the like of whole numbers wrap, so that any order gives the same.
#[inline(always)]
fn fold_whole<T: Fold>(reducer: Reducer, x: &[T]) -> Option<T> {
    macro_rules! all {
        ($reducer:expr) => {
            x.iter().fold(T::identity($reducer), |a, b| T::combine($reducer, a, *b))
        };
    }
    Some(match reducer {
        Reducer::Sum => all!(Reducer::Sum),
        Reducer::Product => all!(Reducer::Product),
        Reducer::Max => all!(Reducer::Max),
        Reducer::Min => all!(Reducer::Min),
        Reducer::And => all!(Reducer::And),
        Reducer::Or => all!(Reducer::Or),
        Reducer::Xor => all!(Reducer::Xor),
    })
}

#[inline(always)]
fn no_other_order<T>(_: Reducer, _: &[T]) -> Option<T> {
    None
}

macro_rules! as_is {
    ($($ty:ty),*: $fold:ident) => {$(
        impl Element for $ty {
            type Sum = $ty;
            #[inline(always)]
            fn widen(self) -> $ty {
                self
            }
            #[inline(always)]
            fn narrow(sum: $ty) -> $ty {
                sum
            }
            #[inline(always)]
            fn fold_in_any_order(reducer: Reducer, x: &[$ty]) -> Option<$ty> {
                $fold(reducer, x)
            }
        }
    )*};
}
as_is!(f64: no_other_order);
as_is!(i32, i64, u32, u64: fold_whole);

impl Element for u8 {
    type Sum = u8;
    #[inline(always)]
    fn widen(self) -> u8 {
        self
    }
    #[inline(always)]
    fn narrow(sum: u8) -> u8 {
        sum
    }
    /// Eight truths at once.
    #[inline(always)]
    fn fold_in_any_order(reducer: Reducer, x: &[u8]) -> Option<u8> {
        let (words, rest) = x.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_ne_bytes(*word));
        let all = match reducer {
            Reducer::Sum | Reducer::Or | Reducer::Max => words.fold(0, |a, b| a | b),
            Reducer::Product | Reducer::And | Reducer::Min => words.fold(u64::MAX, |a, b| a & b),
            Reducer::Xor => words.fold(0, |a, b| a ^ b),
        };
        let bytes = all.to_ne_bytes();
        let begun = if x.len() < 8 { u8::identity(reducer) } else { bytes[0] };
        let more = if x.len() < 8 { &[][..] } else { &bytes[1..] };
        Some(more.iter().chain(rest).fold(begun, |a, b| u8::combine(reducer, a, *b)))
    }
}

impl Element for f32 {
    type Sum = f32;
    const HOT: bool = true;
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
    #[inline(always)]
    fn narrow(sum: f32) -> f32 {
        sum
    }
    #[inline(always)]
    fn fold_in_any_order(reducer: Reducer, x: &[f32]) -> Option<f32> {
        // SAFETY: any bits are a number.
        let bits = unsafe { std::slice::from_raw_parts(x.as_ptr().cast::<u32>(), x.len()) };
        let wants_largest = wants_largest(reducer).filter(|_| x.len() >= LANES)?;
        Some(f32::from_bits(extreme::of_run::<u32, LANES>(bits, wants_largest)))
    }
}

/// Of the reducers whose order nobody can tell: whether it is the maximum.
#[inline(always)]
fn wants_largest(reducer: Reducer) -> Option<bool> {
    matches!(reducer, Reducer::Max | Reducer::Min).then_some(reducer == Reducer::Max)
}

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
    #[inline(always)]
    fn fold_in_any_order(reducer: Reducer, x: &[Narrow]) -> Option<f32> {
        // SAFETY: these are numbers of 16 bits.
        let bits = unsafe { std::slice::from_raw_parts(x.as_ptr().cast::<u16>(), x.len()) };
        let wants_largest = wants_largest(reducer).filter(|_| x.len() >= LANES)?;
        Some(Narrow(extreme::of_run::<u16, LANES>(bits, wants_largest)).widen())
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
    fold_run(reducer, x)
}

pub fn combine_f32(reducer: Reducer, a: f32, b: f32) -> f32 {
    <f32 as Fold>::combine(reducer, a, b)
}

/// Elements that plain reducers fold.
pub trait Fold: Copy + Default + PartialEq + Send + Sync {
    fn combine(reducer: Reducer, a: Self, b: Self) -> Self;
    fn identity(reducer: Reducer) -> Self;
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
fn lanes<E: Element>(x: &[E], f: impl Fn(E::Sum, E::Sum) -> E::Sum) -> E::Sum {
    if let Ok(lanes) = <[E; 16]>::try_from(x) {
        return halves(lanes.map(E::widen), f);
    }
    if x.len() < LANES {
        return x[1..].iter().fold(x[0].widen(), |a, b| f(a, b.widen()));
    }
    let mut chunks = x.chunks_exact(LANES);
    let mut lanes = [x[0].widen(); LANES];
    if let Some(first) = chunks.next() {
        lanes.iter_mut().zip(first).for_each(|(lane, x)| *lane = x.widen());
    }
    for chunk in &mut chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, x.widen());
        }
    }
    for (lane, x) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = f(*lane, x.widen());
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

/// Fold a run in lanes; at least one element.
pub fn fold_run<E: Element>(reducer: Reducer, x: &[E]) -> E::Sum {
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fold_avx2<E: Element>(reducer: Reducer, x: &[E]) -> E::Sum {
    fold_any(reducer, x)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn fold_avx512<E: Element>(reducer: Reducer, x: &[E]) -> E::Sum {
    fold_any(reducer, x)
}

#[inline(always)]
fn fold_any<E: Element>(reducer: Reducer, x: &[E]) -> E::Sum {
    if let Some(found) = E::fold_in_any_order(reducer, x) {
        return found;
    }
    match reducer {
        Reducer::Sum => lanes(x, |a, b| E::Sum::combine(Reducer::Sum, a, b)),
        Reducer::Product => lanes(x, |a, b| E::Sum::combine(Reducer::Product, a, b)),
        Reducer::Max => lanes(x, |a, b| E::Sum::combine(Reducer::Max, a, b)),
        Reducer::Min => lanes(x, |a, b| E::Sum::combine(Reducer::Min, a, b)),
        other => lanes(x, |a, b| E::Sum::combine(other, a, b)),
    }
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
    #[inline(always)]
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_keep_the_sign_of_zero_and_what_is_no_number() {
        for len in [1, 15, 16, 17, 32, 40, 100] {
            let mut x = vec![-0.0f32; len];
            assert!(fold_f32(Reducer::Max, &x).is_sign_negative());
            x[len / 2] = 0.0;
            assert!(fold_f32(Reducer::Max, &x).is_sign_positive());
            assert_eq!(fold_f32(Reducer::Min, &x).is_sign_negative(), len > 1);
            x[len - 1] = 3.0;
            assert_eq!(fold_f32(Reducer::Max, &x), 3.0);
            for none in [f32::NAN, -f32::NAN] {
                x[0] = none;
                assert!(fold_f32(Reducer::Max, &x).is_nan() && fold_f32(Reducer::Min, &x).is_nan());
            }
        }
    }

    #[test]
    fn truths_are_folded_as_one_by_one() {
        for len in 1..70 {
            for zero in 0..len {
                let x: Vec<u8> = (0..len).map(|i| u8::from(i % 3 != 0 || zero == 0 && i > 40)).collect();
                for reducer in [Reducer::Or, Reducer::And, Reducer::Xor] {
                    let wanted = x[zero + 1..].iter().fold(x[zero], |a, b| u8::combine(reducer, a, *b));
                    assert_eq!(fold_run(reducer, &x[zero..]), wanted, "{reducer:?} of {:?}", &x[zero..]);
                }
            }
        }
    }

    #[test]
    fn extremes_of_runs_are_those_of_numbers_one_by_one() {
        let mut state = 7u32;
        for len in (1..140).chain([512, 1000]) {
            let kind = len % 4;
            let mut draw = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let x = f32::from_bits(state & 0xffff_0000);
                let x = if x.is_nan() { f32::INFINITY.copysign(x) } else { x };
                [x.abs(), -x.abs(), x, if state & 0x800 == 0 { 0.0 } else { -0.0 }][kind]
            };
            let x: Vec<f32> = (0..len).map(|_| draw()).collect();
            let narrow: Vec<Narrow> = x.iter().map(|x| Narrow::narrow(*x)).collect();
            for reducer in [Reducer::Max, Reducer::Min] {
                let wanted = x[1..].iter().fold(x[0], |a, b| combine_f32(reducer, a, *b)).to_bits();
                assert_eq!(fold_run(reducer, &x).to_bits(), wanted, "{reducer:?} of {x:?}");
                assert_eq!(fold_run(reducer, &narrow).to_bits(), wanted, "{reducer:?} of {x:?}");
            }
        }
    }
}
