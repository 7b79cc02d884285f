//! Special functions of real numbers, in `f64`.
//!
//! What `libm` has is taken from there; the rest are series and expansions, good to about 1e-14 away from zeros and
//! poles. Nothing here is fast.

use std::f64::consts::PI;

pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// NaN below 1, where `libm` gives numbers for some.
pub(crate) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Logarithm of the magnitude of the gamma function.
pub(crate) fn lgamma(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { f64::INFINITY } else { libm::lgamma(x) }
}

/// Numerators and denominators of the Bernoulli numbers B2, B4, ..
const BERNOULLI: [(f64, f64); 12] = [
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
    (-3617.0, 510.0),
    (43867.0, 798.0),
    (-174611.0, 330.0),
    (854513.0, 138.0),
    (-236364091.0, 2730.0),
];

/// Derivative of the logarithm of gamma. NaN at the poles -1, -2, ..; minus or plus infinity at 0 and -0.
pub(crate) fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -f64::INFINITY.copysign(x);
    }
    if x.is_infinite() {
        return if x > 0.0 { x } else { f64::NAN };
    }
    if x < 0.0 {
        // psi(x) = psi(1 - x) - pi / tan(pi x); the tangent of the signed fraction alone keeps its precision.
        let fraction = x - x.round();
        let reflected = if fraction == 0.0 { f64::NAN } else { PI / libm::tan(PI * fraction) };
        return digamma(1.0 - x) - reflected;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 12.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let mut power = square;
    let mut tail = 0.0;
    for (j, (numerator, denominator)) in BERNOULLI.iter().enumerate() {
        tail += numerator / denominator * power / (2.0 * (j as f64 + 1.0));
        power *= square;
    }
    sum + libm::log(x) - 0.5 / x - tail
}

/// Hurwitz zeta: the sum of (q + k)^-s, by Euler and Maclaurin. Needs s > 1.
pub(crate) fn zeta(s: f64, q: f64) -> f64 {
    /// Terms summed one by one for a very negative `q`; beyond them the answer is not a number.
    const MOST: usize = 100_000;
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s < 1.0 || s.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 && q == q.floor() {
        return f64::INFINITY;
    }
    if q <= 0.0 && s != s.floor() {
        return f64::NAN;
    }
    if q.is_infinite() || s.is_infinite() {
        return if q < 1.0 { f64::INFINITY } else { f64::from(u8::from(q == 1.0)) };
    }
    // The corrections shrink by about (s / (2 pi w))^2 each.
    let start = 12.0 + s.min(1000.0);
    let (mut w, mut sum) = (q, 0.0);
    for _ in 0..MOST {
        if w >= start {
            return sum + zeta_tail(s, w);
        }
        let term = libm::pow(w, -s);
        sum += term;
        if w > 0.0 && term.abs() < 1e-18 * sum.abs() {
            return sum;
        }
        w += 1.0;
    }
    f64::NAN
}

/// Everything from `w` on: the integral, half the first term, and the corrections by derivatives.
fn zeta_tail(s: f64, w: f64) -> f64 {
    let first = libm::pow(w, -s);
    let mut sum = first * w / (s - 1.0) + 0.5 * first;
    let mut factor = first * s / w;
    let mut factorial = 2.0;
    for (j, (numerator, denominator)) in BERNOULLI.iter().enumerate() {
        let term = numerator / denominator * factor / factorial;
        sum += term;
        if term.abs() < 1e-18 * sum.abs() {
            break;
        }
        let k = 2.0 * (j as f64 + 1.0);
        factor *= (s + k - 1.0) * (s + k) / (w * w);
        factorial *= (k + 1.0) * (k + 2.0);
    }
    sum
}

/// The n-th derivative of digamma, for whole n >= 0.
pub(crate) fn polygamma(n: f64, x: f64) -> f64 {
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
}

/// Inverse of erf on [-1, 1]: a closed form good to three digits, then Halley's iteration.
pub(crate) fn erf_inv(x: f64) -> f64 {
    let size = x.abs();
    if size == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if size > 1.0 || x.is_nan() {
        return f64::NAN;
    }
    if x == 0.0 {
        return x;
    }
    const A: f64 = 0.147;
    let log = libm::log1p(-size * size);
    let middle = 2.0 / (PI * A) + log / 2.0;
    let mut y = ((middle * middle - log / A).sqrt() - middle).sqrt();
    if y == 0.0 || y.is_nan() {
        y = size * PI.sqrt() / 2.0;
    }
    for _ in 0..4 {
        // Near 1 the complement is exact where the value itself is not.
        let error = if size < 0.5 { libm::erf(y) - size } else { (1.0 - size) - libm::erfc(y) };
        let slope = 2.0 / PI.sqrt() * libm::exp(-y * y);
        let step = error / slope;
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

/// exp(-|x|) times the modified Bessel function of the first kind of order 1.
pub(crate) fn bessel_i1e(x: f64) -> f64 {
    let size = x.abs();
    let value = if size < 40.0 { libm::exp(-size) * i1_series(size) } else { i1e_far(size) };
    value.copysign(x)
}

/// Sum of (x/2)^(2k+1) / (k! (k+1)!): all terms positive.
fn i1_series(x: f64) -> f64 {
    let (quarter, mut term) = (x * x / 4.0, x / 2.0);
    let (mut sum, mut k) = (term, 1.0);
    while term > sum * 1e-18 {
        term *= quarter / (k * (k + 1.0));
        sum += term;
        k += 1.0;
    }
    sum
}

/// The expansion in 1/x for large x.
fn i1e_far(x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..30 {
        let odd = f64::from(2 * k - 1);
        term *= -(4.0 - odd * odd) / (f64::from(k) * 8.0 * x);
        sum += term;
        if f64::abs(term) < 1e-18 {
            break;
        }
    }
    sum / (2.0 * PI * x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 2e-14 * (1.0 + b.abs()), "{a:e} {b:e}");
    }

    #[test]
    fn known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        close(digamma(1.0), -EULER);
        close(digamma(0.5), -EULER - 2.0 * 2f64.ln());
        close(digamma(-0.5), 2.0 - EULER - 2.0 * 2f64.ln());
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(zeta(4.0, 1.0), PI.powi(4) / 90.0);
        close(polygamma(1.0, 1.0), PI * PI / 6.0);
        close(polygamma(2.0, 1.0), -2.0 * zeta(3.0, 1.0));
        close(bessel_i1e(1.0), 0.565_159_103_992_485 / 1f64.exp());
        assert!(digamma(-3.0).is_nan());
        assert_eq!(zeta(1.0, 2.0), f64::INFINITY);
    }

    #[test]
    fn erf_inv_inverts_erf() {
        for x in [1e-10, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-12, -0.3] {
            close(libm::erf(erf_inv(x)), x);
        }
        assert_eq!(erf_inv(1.0), f64::INFINITY);
        assert!(erf_inv(1.5).is_nan());
    }

    #[test]
    fn both_forms_of_bessel_meet() {
        close(i1e_far(40.0), libm::exp(-40.0) * i1_series(40.0));
    }
}
