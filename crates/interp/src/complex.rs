//! Complex numbers in `f64` parts, and the functions of one and two of them.
//!
//! Branch cuts are those of C99. Parts are rounded to their element type by the caller.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A complex number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    pub const ONE: Complex = Complex { re: 1.0, im: 0.0 };

    pub fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }

    pub fn real(re: f64) -> Self {
        Complex { re, im: 0.0 }
    }

    pub fn polar(radius: f64, angle: f64) -> Self {
        Complex { re: radius * libm::cos(angle), im: radius * libm::sin(angle) }
    }

    pub fn conj(self) -> Self {
        Complex { re: self.re, im: -self.im }
    }

    pub fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    pub fn arg(self) -> f64 {
        libm::atan2(self.im, self.re)
    }

    pub fn scale(self, by: f64) -> Self {
        Complex { re: self.re * by, im: self.im * by }
    }

    /// Times the imaginary unit.
    pub fn times_i(self) -> Self {
        Complex { re: -self.im, im: self.re }
    }

    pub fn exp(self) -> Self {
        if self.im == 0.0 {
            return Complex { re: libm::exp(self.re), im: self.im };
        }
        Complex::polar(libm::exp(self.re), self.im)
    }

    /// e^z - 1 without loss near 0.
    pub fn exp_m1(self) -> Self {
        let half = libm::sin(self.im / 2.0);
        let re = libm::expm1(self.re) * libm::cos(self.im) - 2.0 * half * half;
        Complex { re, im: libm::exp(self.re) * libm::sin(self.im) }
    }

    pub fn ln(self) -> Self {
        Complex { re: libm::log(self.abs()), im: self.arg() }
    }

    /// ln(1 + z) without loss near 0.
    pub fn ln_1p(self) -> Self {
        let re = 0.5 * libm::log1p(self.re * (2.0 + self.re) + self.im * self.im);
        Complex { re, im: libm::atan2(self.im, 1.0 + self.re) }
    }

    pub fn sqrt(self) -> Self {
        if self == Complex::ZERO {
            return Complex { re: 0.0, im: self.im };
        }
        if self.im.is_infinite() {
            return Complex { re: f64::INFINITY, im: self.im };
        }
        let root = ((self.re.abs() + self.abs()) / 2.0).sqrt();
        if self.re >= 0.0 {
            Complex { re: root, im: self.im / (2.0 * root) }
        } else {
            Complex { re: self.im.abs() / (2.0 * root), im: root.copysign(self.im) }
        }
    }

    pub fn cbrt(self) -> Self {
        Complex::polar(libm::cbrt(self.abs()), self.arg() / 3.0)
    }

    pub fn powc(self, exponent: Self) -> Self {
        if exponent == Complex::ZERO {
            return Complex::ONE;
        }
        if self == Complex::ZERO {
            return Complex::ZERO;
        }
        (exponent * self.ln()).exp()
    }

    pub fn sinh(self) -> Self {
        let (sin, cos) = (libm::sin(self.im), libm::cos(self.im));
        Complex { re: libm::sinh(self.re) * cos, im: libm::cosh(self.re) * sin }
    }

    pub fn cosh(self) -> Self {
        let (sin, cos) = (libm::sin(self.im), libm::cos(self.im));
        Complex { re: libm::cosh(self.re) * cos, im: libm::sinh(self.re) * sin }
    }

    pub fn tanh(self) -> Self {
        if self.re.abs() > 20.0 {
            let im = 4.0 * libm::sin(self.im) * libm::cos(self.im) * libm::exp(-2.0 * self.re.abs());
            return Complex { re: 1f64.copysign(self.re), im };
        }
        let tan = libm::tan(self.im);
        let (sinh, cosh) = (libm::sinh(self.re), libm::cosh(self.re));
        let beta = 1.0 + tan * tan;
        let denominator = 1.0 + beta * sinh * sinh;
        if tan.is_infinite() {
            return Complex { re: cosh / sinh, im: 0.0 };
        }
        Complex { re: beta * cosh * sinh / denominator, im: tan / denominator }
    }

    pub fn sin(self) -> Self {
        let turned = self.times_i().sinh();
        Complex { re: turned.im, im: -turned.re }
    }

    pub fn cos(self) -> Self {
        self.times_i().cosh()
    }

    pub fn tan(self) -> Self {
        let turned = self.times_i().tanh();
        Complex { re: turned.im, im: -turned.re }
    }

    pub fn asinh(self) -> Self {
        // Both halves of the plane by symmetry, so that nothing cancels.
        if self.re < 0.0 || (self.re == 0.0 && self.re.is_sign_negative()) {
            return -(-self).asinh();
        }
        let root = (self.times_i() + Complex::ONE).sqrt() * (Complex::ONE - self.times_i()).sqrt();
        (self + root).ln()
    }

    pub fn acosh(self) -> Self {
        let half = |z: Complex| z.scale(0.5).sqrt();
        (half(self + Complex::ONE) + half(self - Complex::ONE)).ln().scale(2.0)
    }

    pub fn atanh(self) -> Self {
        (self.ln_1p() - (-self).ln_1p()).scale(0.5)
    }

    pub fn asin(self) -> Self {
        let turned = self.times_i().asinh();
        Complex { re: turned.im, im: -turned.re }
    }

    pub fn acos(self) -> Self {
        let asin = self.asin();
        Complex { re: std::f64::consts::FRAC_PI_2 - asin.re, im: -asin.im }
    }

    pub fn atan(self) -> Self {
        let turned = self.times_i().atanh();
        Complex { re: turned.im, im: -turned.re }
    }

    /// z / |z|, and 0 at 0.
    pub fn sign(self) -> Self {
        let size = self.abs();
        if size == 0.0 { Complex::ZERO } else { Complex { re: self.re / size, im: self.im / size } }
    }

    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Self;
    /// Scaled by the larger part of the divisor, so that squares do not overflow.
    fn div(self, by: Self) -> Self {
        if by.re.abs() >= by.im.abs() {
            let (ratio, inverse) = (by.im / by.re, by.re + by.im * (by.im / by.re));
            if by.re == 0.0 {
                return Complex { re: self.re / by.re, im: self.im / by.re };
            }
            Complex { re: (self.re + self.im * ratio) / inverse, im: (self.im - self.re * ratio) / inverse }
        } else {
            let ratio = by.re / by.im;
            let inverse = by.im + by.re * ratio;
            Complex { re: (self.re * ratio + self.im) / inverse, im: (self.im * ratio - self.re) / inverse }
        }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Complex, b: Complex) {
        assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{a:?} {b:?}");
    }

    #[test]
    fn inverse_functions_invert() {
        for z in [Complex::new(0.3, -0.7), Complex::new(-1.2, 0.4), Complex::new(2.0, 1.0)] {
            close(z.sin().asin().sin(), z.sin());
            close(z.exp().ln(), z);
            close(z.sqrt() * z.sqrt(), z);
            close(z.asinh().sinh(), z);
            close(z.acosh().cosh(), z);
            close(z.atanh().tanh(), z);
            close(z.atan().tan(), z);
            close(z.acos().cos(), z);
            close(z / z, Complex::ONE);
            close(z.exp_m1(), z.exp() - Complex::ONE);
            close(z.ln_1p(), (z + Complex::ONE).ln());
        }
    }
}
