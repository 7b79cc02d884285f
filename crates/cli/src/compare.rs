//! Whether two tensors are the same result, by one measure everywhere (`run --expect`, golden tests).
//!
//! Integers and predicates agree exactly. Floats agree if no element is further from the expected one than a share of
//! the largest expected magnitude; NaNs and infinities stand at the same places. The share is what two correct
//! programs with different orders of summation stay within; a user may say another one, or NumPy's bounds instead.

use crate::args::CloseArgs;
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

/// What is close enough, as a user may say it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub enum Tolerance {
    /// A share of the largest expected magnitude, by element type: [`tolerance`].
    #[default]
    ByType,
    /// This share of it for floats of every type.
    Share(f64),
    /// NumPy's rule for each element, also of integers: `absolute + relative * |expected|`.
    Elements { relative: f64, absolute: f64 },
}

impl Tolerance {
    /// What the flags of a command say.
    pub fn given(args: &CloseArgs) -> Tolerance {
        match (args.tolerance, args.rtol, args.atol) {
            (Some(share), ..) => Tolerance::Share(share),
            (None, None, None) => Tolerance::ByType,
            (None, relative, absolute) => Tolerance::Elements {
                relative: relative.unwrap_or_default(),
                absolute: absolute.unwrap_or_default(),
            },
        }
    }
}

/// Parses a tolerance, 0 or more.
pub fn bound(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number of 0 or more, for example 1e-3".to_string())
}

/// How far elements may be from those of one expected result.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    absolute: f64,
    relative: f64,
    /// Whether integers have to be the same.
    exact_integers: bool,
    /// The share of the largest magnitude that `absolute` is, where it was not said but follows from the type.
    by_type: Option<f64>,
}

impl Bound {
    /// Taken from a whole result, also where pieces of it are compared.
    pub fn of(given: Tolerance, expected: &Tensor) -> Bound {
        let of_largest = |share: f64| Bound {
            absolute: share * largest(expected),
            relative: 0.0,
            exact_integers: true,
            by_type: None,
        };
        match given {
            Tolerance::ByType => {
                let share = tolerance(expected.dtype());
                Bound { by_type: Some(share), ..of_largest(share) }
            }
            Tolerance::Share(share) => of_largest(share),
            Tolerance::Elements { relative, absolute } => {
                Bound { absolute, relative, exact_integers: false, by_type: None }
            }
        }
    }

    fn at(self, expected: f64) -> f64 {
        // Nothing is close to an infinity but itself.
        self.absolute + if expected.is_finite() { self.relative * expected } else { 0.0 }
    }
}

fn largest(expected: &Tensor) -> f64 {
    let floats = match expected.data() {
        Data::Float(_) | Data::Complex(_) => elements(expected).unwrap_or_default(),
        Data::Pred(_) | Data::Int(_) | Data::Uint(_) => Vec::new(),
    };
    floats.iter().flatten().filter(|x| x.is_finite()).fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

/// Why `ours` is not the result `expected`, with the worst element; `None` if it is.
pub fn difference(ours: &Tensor, expected: &Tensor) -> Option<String> {
    difference_beyond(Bound::of(Tolerance::ByType, expected), ours, expected)
}

/// The same with a bound that was taken from more than this piece of the result.
pub fn difference_beyond(bound: Bound, ours: &Tensor, expected: &Tensor) -> Option<String> {
    if ours.ty() != expected.ty() {
        return Some(format!("type {} instead of {}", ours.ty(), expected.ty()));
    }
    let is_exact = bound.exact_integers && matches!(ours.dtype().class(), Class::Signed | Class::Unsigned);
    let (a, b) = (elements(ours), elements(expected));
    let (Some(a), Some(b), false) = (a, b, is_exact) else { return exact(ours, expected) };
    let beyond = a.iter().zip(&b).map(|(a, b)| {
        let apart = distance(a[0], b[0]).hypot(distance(a[1], b[1]));
        (apart, bound.at(b[0].hypot(b[1])))
    });
    let beyond: Vec<(usize, (f64, f64))> =
        beyond.enumerate().filter(|(_, (apart, allowed))| apart > allowed).collect();
    let worst = |(_, (apart, allowed)): &(usize, (f64, f64))| apart - allowed;
    let (at, (apart, allowed)) = *beyond.iter().rev().max_by(|a, b| worst(a).total_cmp(&worst(b)))?;
    let (x, y) = (crate::show::element(ours, at), crate::show::element(expected, at));
    let others = match beyond.len() {
        1 => String::new(),
        count => format!("; so are {count} of {} elements", ours.len()),
    };
    let place = place(at, ours.dims());
    let within = within(bound, apart, allowed);
    Some(format!("{x} instead of {y} at {place}: {apart:.3e} apart, {allowed:.3e} allowed{others}{within}"))
}

/// What a difference that rounding could still explain is within, and what multiplies rounding so.
fn within(bound: Bound, apart: f64, allowed: f64) -> String {
    /// Larger ones in these multiples of what is allowed are no rounding.
    const ROUNDING: f64 = 1000.0;
    let times = apart / allowed;
    let Some(share) = bound.by_type.filter(|_| times.is_finite() && times < ROUNDING) else {
        return String::new();
    };
    let share = share * times;
    let unit = 10f64.powf(share.log10().floor());
    let share = (share / unit).ceil() * unit;
    format!(
        "; that is within `--tolerance {share:.0e}`, as of steps that divide by small numbers (Adam by roots of second \
         moments), which multiplies the rounding before it"
    )
}

/// Integers and predicates.
fn exact(ours: &Tensor, expected: &Tensor) -> Option<String> {
    let at = (0..ours.len()).find(|at| ours.get(*at) != expected.get(*at))?;
    let (a, b) = (crate::show::element(ours, at), crate::show::element(expected, at));
    Some(format!("{a} instead of {b} at {}", place(at, ours.dims())))
}

/// Numbers with their imaginary parts; `None` for predicates.
fn elements(tensor: &Tensor) -> Option<Vec<[f64; 2]>> {
    match tensor.data() {
        Data::Float(floats) => Some(floats.iter().map(|x| [*x, 0.0]).collect()),
        Data::Complex(numbers) => Some(numbers.iter().map(|z| [z.re, z.im]).collect()),
        Data::Int(numbers) => Some(numbers.iter().map(|x| [*x as f64, 0.0]).collect()),
        Data::Uint(numbers) => Some(numbers.iter().map(|x| [*x as f64, 0.0]).collect()),
        Data::Pred(_) => None,
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
    fn a_difference_that_may_be_rounding_says_what_it_is_within() {
        let expected = floats(DType::F32, &[100.0, 0.0]);
        let message = difference(&floats(DType::F32, &[100.0, 0.012]), &expected).unwrap();
        assert!(message.contains("within `--tolerance 2e-4`"), "{message}");
        let wrong = difference(&floats(DType::F32, &[100.0, 50.0]), &expected).unwrap();
        assert!(!wrong.contains("--tolerance"), "{wrong}");
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
    fn a_user_may_say_what_is_close() {
        let (ours, expected) = (floats(DType::F32, &[100.0, 0.05]), floats(DType::F32, &[100.0, 0.0]));
        let told = |given| difference_beyond(Bound::of(given, &expected), &ours, &expected);
        assert_eq!(told(Tolerance::Share(1e-3)), None);
        assert_eq!(told(Tolerance::Elements { relative: 0.0, absolute: 0.1 }), None);
        let message = told(Tolerance::Elements { relative: 1e-3, absolute: 1e-2 }).unwrap();
        assert!(message.contains("at [1]") && message.contains("1.000e-2 allowed"), "{message}");
        let (one, two) = (
            Tensor::from_ints(DType::S8, &[1], &[1]).unwrap(),
            Tensor::from_ints(DType::S8, &[1], &[2]).unwrap(),
        );
        let told = |given| difference_beyond(Bound::of(given, &two), &one, &two);
        assert_eq!(told(Tolerance::Elements { relative: 0.0, absolute: 1.0 }), None);
        assert_eq!(told(Tolerance::Share(1.0)).unwrap(), "1 instead of 2 at [0]");
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
