//! Whether two tensors are the same result, by one measure everywhere (`run --expect`, golden tests).
//!
//! Integers and predicates agree exactly. Floats agree if no element is further from the expected one than a share of
//! the largest expected magnitude; NaNs and infinities stand at the same places. The share is what two correct
//! programs with different orders of summation stay within.

use meshwright_interp::{Data, Tensor};
use meshwright_ir::{Class, DType};

/// How far apart two float tensors may be, relative to the largest expected magnitude.
pub fn tolerance(dtype: DType) -> f64 {
    match dtype.part() {
        DType::F64 => 1e-9,
        DType::F32 => 2e-5,
        DType::F16 | DType::BF16 => 2f64.powi(-7),
        other if other.class() == Class::Float => 2f64.powi(-3),
        _ => 0.0,
    }
}

/// How far an element may be from the expected one, for a result that is expected to be this tensor.
pub fn allowance(expected: &Tensor) -> f64 {
    let floats = parts(expected.data()).unwrap_or_default();
    let largest = floats.iter().filter(|x| x.is_finite()).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    tolerance(expected.dtype()) * largest
}

/// Why `ours` is not the result `expected`, with the worst element; `None` if it is.
pub fn difference(ours: &Tensor, expected: &Tensor) -> Option<String> {
    difference_beyond(allowance(expected), ours, expected)
}

/// The same with an allowance that was taken from more than this piece of the result.
pub fn difference_beyond(allowed: f64, ours: &Tensor, expected: &Tensor) -> Option<String> {
    if ours.ty() != expected.ty() {
        return Some(format!("type {} instead of {}", ours.ty(), expected.ty()));
    }
    let (a, b) = (parts(ours.data()), parts(expected.data()));
    let (Some(a), Some(b)) = (a, b) else { return exact(ours, expected) };
    let apart = a.iter().zip(&b).map(|(a, b)| distance(*a, *b)).enumerate();
    let (at, worst) = apart.fold((0, 0.0), |worst, next| if next.1 > worst.1 { next } else { worst });
    if worst <= allowed {
        return None;
    }
    let element = if ours.dtype().is_complex() { at / 2 } else { at };
    let place = place(element, ours.dims());
    Some(format!("{:?} instead of {:?} at {place}: {worst:.3e} apart, {allowed:.3e} allowed", a[at], b[at]))
}

/// Integers and predicates.
fn exact(ours: &Tensor, expected: &Tensor) -> Option<String> {
    let at = (0..ours.len()).find(|at| ours.get(*at) != expected.get(*at))?;
    let (a, b) = (crate::show::element(ours, at), crate::show::element(expected, at));
    Some(format!("{a} instead of {b} at {}", place(at, ours.dims())))
}

/// Floats, a complex number as two; `None` for other classes.
fn parts(data: &Data) -> Option<Vec<f64>> {
    match data {
        Data::Float(floats) => Some(floats.clone()),
        Data::Complex(numbers) => Some(numbers.iter().flat_map(|z| [z.re, z.im]).collect()),
        _ => None,
    }
}

/// Infinite where one is NaN or infinite and the other is not the same.
fn distance(a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0.0;
    }
    let distance = (a - b).abs();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

/// `[1, 0, 2]` for a position in row-major order.
fn place(mut at: usize, dims: &[i64]) -> String {
    let mut index = vec![0; dims.len()];
    for (i, dim) in index.iter_mut().zip(dims).rev() {
        let dim = (*dim).max(1) as usize;
        (*i, at) = (at % dim, at / dim);
    }
    format!("{index:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(dtype: DType, values: &[f64]) -> Tensor {
        Tensor::from_f64s(dtype, &[values.len() as i64], values).unwrap()
    }

    #[test]
    fn floats_may_differ_by_a_share_of_the_largest() {
        let expected = floats(DType::F32, &[100.0, 0.0]);
        assert_eq!(difference(&floats(DType::F32, &[100.0, 0.001]), &expected), None);
        let message = difference(&floats(DType::F32, &[100.0, 0.01]), &expected).unwrap();
        assert!(message.contains("at [1]") && message.contains("2.000e-3 allowed"), "{message}");
    }

    #[test]
    fn zeros_nans_and_infinities_must_coincide() {
        let nan = floats(DType::F32, &[f64::NAN, f64::INFINITY, 1.0]);
        assert_eq!(difference(&nan, &nan), None);
        assert!(difference(&floats(DType::F32, &[0.0, f64::INFINITY, 1.0]), &nan).is_some());
        assert!(difference(&floats(DType::F32, &[f64::NAN, f64::NEG_INFINITY, 1.0]), &nan).is_some());
        assert!(difference(&floats(DType::F32, &[1e-30]), &floats(DType::F32, &[0.0])).is_some());
    }

    #[test]
    fn integers_and_types_are_exact() {
        let two = Tensor::from_ints(DType::S32, &[1, 2], &[1, 2]).unwrap();
        let three = Tensor::from_ints(DType::S32, &[1, 2], &[1, 3]).unwrap();
        assert_eq!(difference(&two, &two), None);
        assert_eq!(difference(&two, &three).unwrap(), "2 instead of 3 at [0, 1]");
        assert!(
            difference(&two, &two.reshaped(&[2]).unwrap()).unwrap().contains("s32[1,2] instead of s32[2]")
        );
    }
}
