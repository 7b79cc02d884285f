//! Lower factors of small matrices, one in each lane: rows of one are too short for vectors.

use super::widest;

/// Matrices side by side.
pub const MATRICES: usize = 8;

/// A number of each matrix.
type Lanes = [f64; MATRICES];

/// Rows that one pass over a row above works on.
const ROWS: usize = 4;

/// The lower factors of so many matrices: element `(i, j)`, and its parts one after the other. All of a matrix are NaN
/// if it has no factor.
pub fn factors_of_many(
    n: usize,
    parts: usize,
    count: usize,
    at: &impl Fn(usize, usize, usize, usize) -> f64,
) -> Vec<Lanes> {
    let mut factors = vec![[0.0; MATRICES]; n * n * parts];
    // A matrix after the other: its elements are read in the order in which they lie.
    let elements =
        || (0..n).flat_map(|i| (0..=i).flat_map(move |j| (0..parts).map(move |part| (i, j, part))));
    (0..MATRICES).for_each(|matrix| {
        for (i, j, part) in elements() {
            let x = if matrix < count { at(matrix, i, j, part) } else { identity(i, j, part) };
            factors[(i * n + j) * parts + part][matrix] = x;
        }
    });
    match parts {
        1 => factor_real(&mut factors, n),
        _ => factor_complex(&mut factors, n),
    }
    // Times zero, what is finite leaves a sum as it is, and everything else makes it no number: no lane is asked.
    let mut zeros = [0.0; MATRICES];
    for lanes in &factors {
        (0..MATRICES).for_each(|matrix| zeros[matrix] += 0.0 * lanes[matrix]);
    }
    for matrix in (0..count).filter(|matrix| zeros[*matrix] != 0.0) {
        factors.iter_mut().for_each(|lanes| lanes[matrix] = f64::NAN);
    }
    factors
}

/// What lanes without a matrix hold.
fn identity(i: usize, j: usize, part: usize) -> f64 {
    if i == j && part == 0 { 1.0 } else { 0.0 }
}

widest!(factor_real, [factor_real_avx512, factor_real_avx2], factor_any::<1>, (a: &mut [Lanes], n: usize));
widest!(factor_complex, [factor_complex_avx512, factor_complex_avx2], factor_any::<2>, (a: &mut [Lanes], n: usize));

/// Column by column: what is left of a column, and then by the root of its first element.
#[inline(always)]
fn factor_any<const PARTS: usize>(a: &mut [Lanes], n: usize) {
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n * PARTS);
        let row = &mut above[j * n * PARTS..];
        let mut square = row[j * PARTS];
        for x in &row[..j * PARTS] {
            (0..MATRICES).for_each(|lane| square[lane] -= x[lane] * x[lane]);
        }
        let root = square.map(f64::sqrt);
        let inverse = root.map(|x| 1.0 / x);
        row[j * PARTS] = root;
        if PARTS == 2 {
            row[j * PARTS + 1] = [0.0; MATRICES];
        }
        for rows in below.chunks_mut(ROWS * n * PARTS) {
            if rows.len() == ROWS * n * PARTS {
                reduce_rows::<PARTS, ROWS>(rows, row, (n, j), &inverse);
            } else {
                rows.chunks_mut(n * PARTS)
                    .for_each(|one| reduce_rows::<PARTS, 1>(one, row, (n, j), &inverse));
            }
        }
    }
}

/// Element `j` of so many rows: less what the elements before it and those of row `j` come to.
#[inline(always)]
fn reduce_rows<const PARTS: usize, const N: usize>(
    rows: &mut [Lanes],
    above: &[Lanes],
    (n, j): (usize, usize),
    inverse: &Lanes,
) {
    let mut left: [[Lanes; PARTS]; N] =
        std::array::from_fn(|i| std::array::from_fn(|part| rows[(i * n + j) * PARTS + part]));
    for k in 0..j {
        let other: [Lanes; PARTS] = std::array::from_fn(|part| above[k * PARTS + part]);
        for (i, left) in left.iter_mut().enumerate() {
            let own: [Lanes; PARTS] = std::array::from_fn(|part| rows[(i * n + k) * PARTS + part]);
            less_product(left, &own, &other);
        }
    }
    for (i, left) in left.iter().enumerate() {
        for (part, left) in left.iter().enumerate() {
            rows[(i * n + j) * PARTS + part] = std::array::from_fn(|lane| left[lane] * inverse[lane]);
        }
    }
}

/// `left - own * conj(other)`.
#[inline(always)]
fn less_product<const PARTS: usize>(left: &mut [Lanes; PARTS], own: &[Lanes; PARTS], other: &[Lanes; PARTS]) {
    for lane in 0..MATRICES {
        left[0][lane] -= own[0][lane] * other[0][lane];
        if PARTS == 2 {
            left[0][lane] -= own[1][lane] * other[1][lane];
            left[1][lane] -= own[1][lane] * other[0][lane];
            left[1][lane] += own[0][lane] * other[1][lane];
        }
    }
}
