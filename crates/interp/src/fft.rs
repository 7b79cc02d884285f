//! Fourier transforms over the last dims, in `f64`.
//!
//! One dim at a time: recursive halving while the length is even, the plain sum for what remains. A line with an
//! infinity or a NaN becomes NaN throughout: which of its sums would be infinite depends on how they are taken, and no
//! element is free of it.

use crate::complex::Complex;
use crate::elementwise::{round_all, round_complex};
use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use crate::view::{row_major, sizes};
use meshwright_ir::TensorType;
use meshwright_ir::op::linalg::{Fft, FftKind};

pub(crate) fn eval(op: &Fft, x: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    let lengths: Vec<usize> = sizes(&op.length);
    let rank = x.dims().len();
    if lengths.len() > rank || lengths.is_empty() || x.is_empty() {
        let zeros = Data::zeros(out.dtype.class(), crate::tensor::element_count(&out.dims).unwrap_or(0));
        return if lengths.len() > rank {
            Err(Fault::unsound("has more lengths than dims"))
        } else {
            Ok(zeros)
        };
    }
    let first = rank - lengths.len();
    let mut grid = Grid { dims: sizes(x.dims()), values: complex_of(x)? };
    match op.kind {
        FftKind::Fft => (first..rank).for_each(|d| grid.transform(d, false)),
        FftKind::Ifft => (first..rank).for_each(|d| grid.transform(d, true)),
        FftKind::Rfft => {
            (first..rank).rev().for_each(|d| grid.transform(d, false));
            grid.cut(rank - 1, lengths[lengths.len() - 1] / 2 + 1);
        }
        FftKind::Irfft => {
            (first..rank - 1).for_each(|d| grid.transform(d, true));
            grid.mirror(rank - 1, lengths[lengths.len() - 1]);
            grid.transform(rank - 1, true);
        }
    }
    Ok(if out.dtype.is_complex() {
        Data::Complex(grid.values.into_iter().map(|z| round_complex(out.dtype, z)).collect())
    } else {
        Data::Float(round_all(out.dtype, grid.values.into_iter().map(|z| z.re)))
    })
}

fn complex_of(x: &Tensor) -> Result<Vec<Complex>, Fault> {
    match x.data() {
        Data::Float(v) => Ok(v.iter().map(|x| Complex::real(*x)).collect()),
        Data::Complex(v) => Ok(v.clone()),
        Data::Pred(_) | Data::Int(_) | Data::Uint(_) => Err(Fault::unsound("is not defined on integers")),
    }
}

struct Grid {
    dims: Vec<usize>,
    values: Vec<Complex>,
}

impl Grid {
    /// Starts of all lines along a dim.
    fn lines(&self, dim: usize) -> Vec<usize> {
        let stride = row_major(&self.dims)[dim] as usize;
        let block = stride * self.dims[dim];
        let blocks = self.values.len().checked_div(block).unwrap_or(0);
        (0..blocks).flat_map(|b| (0..stride).map(move |i| b * block + i)).collect()
    }

    fn line(&self, start: usize, dim: usize) -> Vec<Complex> {
        let stride = row_major(&self.dims)[dim] as usize;
        (0..self.dims[dim]).map(|i| self.values[start + i * stride]).collect()
    }

    fn transform(&mut self, dim: usize, inverse: bool) {
        let length = self.dims[dim];
        self.each_line(dim, length, |line| {
            if !line.iter().all(|z| z.re.is_finite() && z.im.is_finite()) {
                return vec![Complex { re: f64::NAN, im: f64::NAN }; length];
            }
            let made = transform(line, inverse);
            let scale = if inverse { 1.0 / length as f64 } else { 1.0 };
            made.into_iter().map(|z| z.scale(scale)).collect()
        });
    }

    /// Keep the first elements of each line.
    fn cut(&mut self, dim: usize, length: usize) {
        self.each_line(dim, length, |line| line[..length.min(line.len())].to_vec());
    }

    /// Complete half a spectrum to that of a real signal of `length` elements, whose mean and fastest wave are real.
    fn mirror(&mut self, dim: usize, length: usize) {
        self.each_line(dim, length, |line| {
            let given = |i: usize| line.get(i).copied().unwrap_or(Complex::ZERO);
            let is_real = |i: usize| i == 0 || 2 * i == length;
            let at = |i: usize| if is_real(i) { Complex::real(given(i).re) } else { given(i) };
            (0..length).map(|i| if i <= length / 2 { at(i) } else { at(length - i).conj() }).collect()
        });
    }

    /// Replace every line along a dim by one of another length.
    fn each_line(&mut self, dim: usize, length: usize, mut f: impl FnMut(&[Complex]) -> Vec<Complex>) {
        let starts = self.lines(dim);
        let mut dims = self.dims.clone();
        dims[dim] = length;
        let stride = row_major(&dims)[dim] as usize;
        let mut values = vec![Complex::ZERO; dims.iter().product()];
        let old_block = (row_major(&self.dims)[dim] as usize * self.dims[dim]).max(1);
        for start in starts {
            let to = start / old_block * stride * length + start % old_block;
            for (i, z) in f(&self.line(start, dim)).into_iter().enumerate() {
                values[to + i * stride] = z;
            }
        }
        *self = Grid { dims, values };
    }
}

/// The unscaled transform of one line.
fn transform(x: &[Complex], inverse: bool) -> Vec<Complex> {
    let n = x.len();
    if n % 2 == 1 || n == 0 {
        return plain(x, inverse);
    }
    let half = |odd: usize| transform(&x.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>(), inverse);
    let (even, odd) = (half(0), half(1));
    let turned: Vec<Complex> = odd.iter().enumerate().map(|(k, z)| root(k, n, inverse) * *z).collect();
    let low = even.iter().zip(&turned).map(|(a, b)| *a + *b);
    let high = even.iter().zip(&turned).map(|(a, b)| *a - *b);
    low.chain(high).collect()
}

fn plain(x: &[Complex], inverse: bool) -> Vec<Complex> {
    let n = x.len();
    let element = |k: usize| {
        let terms = x.iter().enumerate().map(|(j, z)| *z * root(j * k % n, n, inverse));
        terms.fold(Complex::ZERO, |sum, z| sum + z)
    };
    (0..n).map(element).collect()
}

/// exp(-2 pi i k / n), conjugated for the inverse.
fn root(k: usize, n: usize, inverse: bool) -> Complex {
    let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
    Complex::polar(1.0, if inverse { angle } else { -angle })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::DType;

    #[test]
    fn a_round_trip_gives_the_signal_back() {
        let values: Vec<f64> = (0..24).map(|i| f64::from(i * i % 7)).collect();
        let x = Tensor::from_f64s(DType::F64, &[4, 6], &values).unwrap();
        let op = |kind| Fft { kind, length: vec![4, 6] };
        let ty = TensorType::new(DType::C128, [4, 4]);
        let half = Tensor::new(ty.clone(), eval(&op(FftKind::Rfft), &x, &ty).unwrap()).unwrap();
        let back = eval(&op(FftKind::Irfft), &half, x.ty()).unwrap();
        let back = Tensor::new(x.ty().clone(), back).unwrap();
        assert!(back.max_difference(&x) < 1e-14);
    }

    #[test]
    fn a_single_wave_has_one_line() {
        let values: Vec<Complex> = (0..6).map(|j| root(j * 2, 6, true)).collect();
        let made = transform(&values, false);
        for (k, z) in made.into_iter().enumerate() {
            let expected = if k == 2 { 6.0 } else { 0.0 };
            assert!((z - Complex::real(expected)).abs() < 1e-14, "{k} {z:?}");
        }
    }
}
