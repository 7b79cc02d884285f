//! Triangular systems, [`ROWS`] rows of the matrix by [`LANES`] columns of unknowns at a time.
//!
//! ```text
//! left[4 rows][8 columns] -= a[4 rows][solved] * x[solved][8 columns]      sums stay in registers
//! then the 4 rows among themselves
//! ```
//!
//! Unknowns lie in panels of [`LANES`] columns, a row after the other, so that what is multiplied is read in one go.
//! Coefficients of some rows are packed once for all panels.

use super::{Element, widest};
use std::ops::Range;

/// Columns of unknowns that lie side by side.
pub const LANES: usize = 8;
/// Rows that are solved together.
pub const ROWS: usize = 4;

/// One unknown of each column of a panel.
type Lanes = [f64; LANES];
/// Coefficients of one solved unknown in each row.
type Packed = [f64; ROWS];

/// A triangular matrix.
pub struct Matrix<'a, T> {
    pub elements: &'a [T],
    /// How many elements rows lie apart, and columns.
    pub apart: (usize, usize),
    /// Whether it is the conjugate of these.
    pub conjugated: bool,
    /// Whether it is solved from the first row on.
    pub forward: bool,
    /// Whether its diagonal is taken to be 1.
    pub unit: bool,
}

/// The unknowns of some columns: first what they are to come to, then what they are.
pub struct Unknowns {
    /// Panels; in each the parts, in each of these the rows.
    x: Vec<Lanes>,
    n: usize,
    width: usize,
    parts: usize,
}

/// Coefficients of some rows by what is solved: less the real parts; for complex numbers also less the imaginary ones
/// and these themselves.
struct Coefficients {
    less_real: Vec<Packed>,
    less_imaginary: Vec<Packed>,
    imaginary: Vec<Packed>,
}

#[inline(always)]
fn add_products_any(sums: &mut [Lanes; ROWS], a: &[Packed], x: &[Lanes]) {
    let mut own = *sums;
    for (a, x) in a.iter().zip(x) {
        for (own, a) in own.iter_mut().zip(a) {
            for (own, x) in own.iter_mut().zip(x) {
                *own = a.mul_add(*x, *own);
            }
        }
    }
    *sums = own;
}

widest!(add_products, [add_products_avx512, add_products_avx2], add_products_any, (sums: &mut [Lanes; ROWS], a: &[Packed], x: &[Lanes]));

impl<T: Element> Matrix<'_, T> {
    /// What a part of an element counts.
    fn sign(&self, part: usize) -> f64 {
        if self.conjugated && part == 1 { -1.0 } else { 1.0 }
    }

    fn at(&self, i: usize, j: usize) -> [f64; 2] {
        let element = self.elements[i * self.apart.0 + j * self.apart.1];
        let part = |part: usize| if part < T::PARTS { self.sign(part) * element.part(part) } else { 0.0 };
        [part(0), part(1)]
    }

    /// A part of some rows by some columns, times a sign. Where rows end sooner, the last one stands again: nobody
    /// reads what comes of it.
    fn packed(&self, rows: &Range<usize>, columns: &Range<usize>, part: usize, sign: f64) -> Vec<Packed> {
        let sign = sign * self.sign(part);
        let starts: [usize; ROWS] =
            std::array::from_fn(|r| (rows.start + r).min(rows.end - 1) * self.apart.0);
        let of = |j: usize| starts.map(|start| sign * self.elements[start + j * self.apart.1].part(part));
        columns.clone().map(of).collect()
    }
}

impl Unknowns {
    pub fn new(n: usize, width: usize, parts: usize) -> Unknowns {
        Unknowns { x: vec![[0.0; LANES]; n * parts * width.div_ceil(LANES)], n, width, parts }
    }

    /// Visit those of a row that lie side by side: the row, their first column, their part.
    pub fn each(&mut self, mut visit: impl FnMut(usize, usize, usize, &mut [f64])) {
        let (n, width) = (self.n, self.width);
        for (panel, x) in self.x.chunks_exact_mut(n * self.parts).enumerate() {
            let columns = (width - panel * LANES).min(LANES);
            for (part, x) in x.chunks_exact_mut(n).enumerate() {
                x.iter_mut().enumerate().for_each(|(i, x)| visit(i, panel * LANES, part, &mut x[..columns]));
            }
        }
    }

    /// The same of what is solved, real and imaginary parts (of real numbers the real ones again).
    pub fn each_number(&self, mut visit: impl FnMut(usize, usize, [&[f64]; 2])) {
        let (n, width) = (self.n, self.width);
        for (panel, x) in self.x.chunks_exact(n * self.parts).enumerate() {
            let columns = (width - panel * LANES).min(LANES);
            let (re, im) = (&x[..n], &x[n * (self.parts - 1)..]);
            let rows = re.iter().zip(im).enumerate();
            rows.for_each(|(i, (re, im))| visit(i, panel * LANES, [&re[..columns], &im[..columns]]));
        }
    }

    /// Solve for all columns.
    pub fn solve<T: Element>(&mut self, matrix: &Matrix<'_, T>) {
        let blocks = self.n.div_ceil(ROWS);
        for step in 0..blocks {
            let block = if matrix.forward { step } else { blocks - 1 - step };
            let rows = block * ROWS..self.n.min((block + 1) * ROWS);
            let solved = if matrix.forward { 0..rows.start } else { rows.end..self.n };
            let packed = Coefficients::of(matrix, &rows, &solved);
            let among = |r: usize, s: usize| {
                if r.max(s) < rows.len() { matrix.at(rows.start + r, rows.start + s) } else { [0.0; 2] }
            };
            let among: [[[f64; 2]; ROWS]; ROWS] =
                std::array::from_fn(|r| std::array::from_fn(|s| among(r, s)));
            for panel in self.x.chunks_exact_mut(self.n * self.parts) {
                let mut left = [[[0.0; LANES]; ROWS]; 2];
                for (left, x) in left.iter_mut().zip(panel.chunks_exact(self.n)) {
                    left[..rows.len()].copy_from_slice(&x[rows.clone()]);
                }
                packed.take_away(&mut left, panel, self.n, &solved);
                finish(&mut left, &among, matrix.forward, matrix.unit, (rows.len(), self.parts));
                for (left, x) in left.iter().zip(panel.chunks_exact_mut(self.n)) {
                    x[rows.clone()].copy_from_slice(&left[..rows.len()]);
                }
            }
        }
    }
}

impl Coefficients {
    fn of<T: Element>(matrix: &Matrix<'_, T>, rows: &Range<usize>, solved: &Range<usize>) -> Coefficients {
        let imaginary = |sign: f64| match T::PARTS {
            2 => matrix.packed(rows, solved, 1, sign),
            _ => Vec::new(),
        };
        let less_real = matrix.packed(rows, solved, 0, -1.0);
        Coefficients { less_real, less_imaginary: imaginary(-1.0), imaginary: imaginary(1.0) }
    }

    /// Take what is solved away from some rows.
    fn take_away(&self, left: &mut [[Lanes; ROWS]; 2], panel: &[Lanes], n: usize, solved: &Range<usize>) {
        let [re, im] = left;
        let known_re = &panel[solved.clone()];
        add_products(re, &self.less_real, known_re);
        if let Some(known_im) = panel.get(n + solved.start..n + solved.end).filter(|_| panel.len() > n) {
            add_products(re, &self.imaginary, known_im);
            add_products(im, &self.less_real, known_im);
            add_products(im, &self.less_imaginary, known_re);
        }
    }
}

/// Solve some rows among themselves.
fn finish(
    left: &mut [[Lanes; ROWS]; 2],
    among: &[[[f64; 2]; ROWS]; ROWS],
    forward: bool,
    unit: bool,
    (rows, parts): (usize, usize),
) {
    for step in 0..rows {
        let r = if forward { step } else { rows - 1 - step };
        let solved = if forward { 0..r } else { r + 1..rows };
        for s in solved {
            let ([re, im], known) = (among[r][s], left[0][s].into_iter().zip(left[1][s]));
            let [own_re, own_im] = &mut *left;
            for ((own_re, own_im), (x, y)) in own_re[r].iter_mut().zip(&mut own_im[r]).zip(known) {
                *own_re -= re * x;
                if parts == 2 {
                    *own_re += im * y;
                    *own_im -= re * y + im * x;
                }
            }
        }
        if !unit {
            let [own_re, own_im] = left;
            divide(&mut own_re[r], &mut own_im[r], among[r][r], parts == 2);
        }
    }
}

/// Divide numbers by one.
fn divide(own_re: &mut Lanes, own_im: &mut Lanes, [re, im]: [f64; 2], complex: bool) {
    if !complex {
        return own_re.iter_mut().for_each(|x| *x /= re);
    }
    let square = re * re + im * im;
    for (x, y) in own_re.iter_mut().zip(own_im) {
        (*x, *y) = ((*x * re + *y * im) / square, (*y * re - *x * im) / square);
    }
}
