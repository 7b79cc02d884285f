//! Products of whole and of complex numbers, on any CPU.
//!
//! ```text
//! for columns by 64 bytes, for k by 256:    pack the right operand: by k, parts of numbers side by side
//!     for rows by 4:                        sums of 4 rows in registers
//! ```
//!
//! A result is added up product by product along `k`, each product and sum rounded by itself; whole numbers wrap. One
//! column (or row) of whole numbers, whose order nobody can tell, is added up where its operands lie.

use crate::gemm::{Size, Strided, Target, with_scratch};

/// Rows of results in registers.
const ROWS: usize = 4;
/// Products that are added before sums are written.
const DEPTH: usize = 256;

/// A number of one or of two parts.
pub trait Number: Copy + 'static {
    type Part: Copy + Default + 'static;
    const PARTS: usize;
    fn parts(self) -> [Self::Part; 2];
    fn of(parts: [Self::Part; 2]) -> Self;
    /// `sum + x * y`.
    fn add(sum: [Self::Part; 2], x: [Self::Part; 2], y: [Self::Part; 2]) -> [Self::Part; 2];
    /// The sum of products of elements that lie side by side, if their order makes no difference.
    fn dot(x: &[Self], y: &[Self]) -> Option<Self>;
}

macro_rules! whole {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            type Part = $ty;
            const PARTS: usize = 1;
            #[inline(always)]
            fn parts(self) -> [$ty; 2] {
                [self, 0]
            }
            #[inline(always)]
            fn of([x, _]: [$ty; 2]) -> $ty {
                x
            }
            #[inline(always)]
            fn add([sum, rest]: [$ty; 2], [x, _]: [$ty; 2], [y, _]: [$ty; 2]) -> [$ty; 2] {
                [sum.wrapping_add(x.wrapping_mul(y)), rest]
            }
            #[inline(always)]
            fn dot(x: &[$ty], y: &[$ty]) -> Option<$ty> {
                let product = |(x, y): (&$ty, &$ty)| x.wrapping_mul(*y);
                Some(x.iter().zip(y).map(product).fold(0, <$ty>::wrapping_add))
            }
        }
    )*};
}
whole!(u32, u64);

macro_rules! complex {
    ($($ty:ty),*) => {$(
        impl Number for [$ty; 2] {
            type Part = $ty;
            const PARTS: usize = 2;
            #[inline(always)]
            fn parts(self) -> [$ty; 2] {
                self
            }
            #[inline(always)]
            fn of(parts: [$ty; 2]) -> [$ty; 2] {
                parts
            }
            #[inline(always)]
            fn add(sum: [$ty; 2], x: [$ty; 2], y: [$ty; 2]) -> [$ty; 2] {
                [sum[0] + x[0] * y[0] - x[1] * y[1], sum[1] + x[0] * y[1] + x[1] * y[0]]
            }
            fn dot(_: &[[$ty; 2]], _: &[[$ty; 2]]) -> Option<[$ty; 2]> {
                None
            }
        }
    )*};
}
complex!(f32, f64);

/// `c[m, n] = sum over k of a[m, k] * b[k, n]`; columns of `c` lie side by side.
///
/// # Safety
/// All elements the sizes and strides name must exist, and nobody else may touch those of `c`.
pub unsafe fn product<T: Number>(size: Size, a: Strided<T>, b: Strided<T>, c: Target<T>) {
    // SAFETY: the caller's; the features are there; a panel fits the scratch.
    with_scratch(|room| unsafe {
        let room = room.cast();
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            return product_avx512(size, a, b, c, room);
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() {
            return product_avx2(size, a, b, c, room);
        }
        product_any(size, a, b, c, room);
    });
}

/// # Safety
/// As [`product`]; the CPU has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
unsafe fn product_avx512<T: Number>(
    size: Size,
    a: Strided<T>,
    b: Strided<T>,
    c: Target<T>,
    room: *mut T::Part,
) {
    // SAFETY: the caller's.
    unsafe { product_any(size, a, b, c, room) }
}

/// # Safety
/// As [`product`]; the CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn product_avx2<T: Number>(
    size: Size,
    a: Strided<T>,
    b: Strided<T>,
    c: Target<T>,
    room: *mut T::Part,
) {
    // SAFETY: the caller's.
    unsafe { product_any(size, a, b, c, room) }
}

/// # Safety
/// As [`product`]; `room` has room for a panel.
#[inline(always)]
unsafe fn product_any<T: Number>(
    (m, n, k): Size,
    a: Strided<T>,
    b: Strided<T>,
    c: Target<T>,
    room: *mut T::Part,
) {
    // SAFETY: the caller's.
    unsafe {
        if T::PARTS == 1 && (m == 1 || n == 1) && a.column == 1 && b.row == 1 {
            return dots((m, n, k), a, b, c);
        }
        match size_of::<T::Part>() {
            4 => panels::<T, 16>((m, n, k), a, b, c, room),
            _ => panels::<T, 8>((m, n, k), a, b, c, room),
        }
    }
}

/// Each result by itself.
///
/// # Safety
/// As [`product`]; products of a result lie side by side.
#[inline(always)]
unsafe fn dots<T: Number>((m, n, k): Size, a: Strided<T>, b: Strided<T>, c: Target<T>) {
    for (row, column) in (0..m as isize).flat_map(|row| (0..n as isize).map(move |column| (row, column))) {
        // SAFETY: the caller's.
        unsafe {
            let x = std::slice::from_raw_parts(a.at.offset(row * a.row), k);
            let y = std::slice::from_raw_parts(b.at.offset(column * b.column), k);
            if let Some(sum) = T::dot(x, y) {
                *c.at.offset(row * c.row + column * c.column) = sum;
            }
        }
    }
}

/// # Safety
/// As [`product_any`].
#[inline(always)]
unsafe fn panels<T: Number, const W: usize>(
    (m, n, k): Size,
    a: Strided<T>,
    b: Strided<T>,
    c: Target<T>,
    room: *mut T::Part,
) {
    // What adds up nothing is zero.
    let depths = if k == 0 { 1 } else { k.div_ceil(DEPTH) };
    for (column, block) in (0..n).step_by(W).flat_map(|column| (0..depths).map(move |at| (column, at))) {
        let (from, width) = (block * DEPTH, W.min(n - column));
        let depth = DEPTH.min(k - from);
        let at = column as isize * b.column + from as isize * b.row;
        let add = c.add || from > 0;
        // SAFETY: the block lies in the operands and in the result.
        unsafe {
            pack::<T, W>(Strided { at: b.at.wrapping_offset(at), ..b }, depth, width, room);
            for row in (0..m).step_by(ROWS) {
                let at = row as isize * a.row + from as isize * a.column;
                let a = Strided { at: a.at.wrapping_offset(at), ..a };
                let at = row as isize * c.row + column as isize * c.column;
                let c = Target { at: c.at.wrapping_offset(at), add, ..c };
                match ROWS.min(m - row) {
                    ROWS => tile::<T, W, ROWS>(a, room, depth, width, c),
                    rows => (0..rows as isize).for_each(|i| {
                        let a = Strided { at: a.at.wrapping_offset(i * a.row), ..a };
                        let c = Target { at: c.at.wrapping_offset(i * c.row), ..c };
                        tile::<T, W, 1>(a, room, depth, width, c);
                    }),
                }
            }
        }
    }
}

/// Columns by `k`, parts apart; columns that are not there are zero.
///
/// # Safety
/// The block exists; `to` has room for it.
#[inline(always)]
unsafe fn pack<T: Number, const W: usize>(b: Strided<T>, depth: usize, width: usize, to: *mut T::Part) {
    for k in 0..depth {
        let from = b.at.wrapping_offset(k as isize * b.row);
        for column in 0..W {
            // SAFETY: the caller's.
            unsafe {
                let there = column < width;
                let x = if there {
                    (*from.offset(column as isize * b.column)).parts()
                } else {
                    Default::default()
                };
                for (part, x) in x.iter().enumerate().take(T::PARTS) {
                    *to.add((k * T::PARTS + part) * W + column) = *x;
                }
            }
        }
    }
}

/// Results of some rows.
///
/// # Safety
/// As [`product`]; the panel is packed.
#[inline(always)]
unsafe fn tile<T: Number, const W: usize, const R: usize>(
    a: Strided<T>,
    panel: *const T::Part,
    depth: usize,
    width: usize,
    c: Target<T>,
) {
    let nothing = [T::Part::default(); W];
    let mut sums = [[nothing; 2]; R];
    let place =
        |row: usize, column: usize| c.at.wrapping_offset(row as isize * c.row + column as isize * c.column);
    if c.add {
        for (row, [first, second]) in sums.iter_mut().enumerate() {
            for (column, (first, second)) in first.iter_mut().zip(second).enumerate().take(width) {
                // SAFETY: the caller's.
                [*first, *second] = unsafe { (*place(row, column)).parts() };
            }
        }
    }
    for k in 0..depth {
        // SAFETY: the caller's.
        let line = |part: usize| unsafe { *panel.add((k * T::PARTS + part) * W).cast::<[T::Part; W]>() };
        let lines = [line(0), if T::PARTS == 2 { line(1) } else { nothing }];
        for (row, sums) in sums.iter_mut().enumerate() {
            let at = row as isize * a.row + k as isize * a.column;
            // SAFETY: the caller's.
            let x = unsafe { (*a.at.offset(at)).parts() };
            let [mut first, mut second] = *sums;
            for j in 0..W {
                let sum = T::add([first[j], second[j]], x, [lines[0][j], lines[1][j]]);
                (first[j], second[j]) = (sum[0], sum[1]);
            }
            *sums = [first, second];
        }
    }
    for (row, [first, second]) in sums.iter().enumerate() {
        for (column, (first, second)) in first.iter().zip(second).enumerate().take(width) {
            // SAFETY: the caller's.
            unsafe { *place(row, column) = T::of([*first, *second]) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are added up in the order that is said, one by one.
    fn check<T: Number + PartialEq + std::fmt::Debug>(
        size: Size,
        transposed: (bool, bool),
        of: &dyn Fn(usize) -> T,
    ) {
        let (m, n, k) = size;
        let (a, b): (Vec<T>, Vec<T>) =
            ((0..m * k).map(of).collect(), (0..k * n).map(|i| of(i + 7)).collect());
        let strides = |transposed: bool, rows: usize, columns: usize| {
            if transposed { (1, rows as isize) } else { (columns as isize, 1) }
        };
        let ((ar, ac), (br, bc)) = (strides(transposed.0, m, k), strides(transposed.1, k, n));
        let mut made = vec![of(3); m * n];
        let c = Target { at: made.as_mut_ptr(), row: n as isize, column: 1, add: false };
        let (left, right) = (
            Strided { at: a.as_ptr(), row: ar, column: ac },
            Strided { at: b.as_ptr(), row: br, column: bc },
        );
        // SAFETY: sizes are those of the arrays.
        unsafe { product(size, left, right, c) };
        for (row, column) in (0..m as isize).flat_map(|row| (0..n as isize).map(move |column| (row, column)))
        {
            let term = |sum, k: isize| {
                let (x, y) = (a[(row * ar + k * ac) as usize], b[(k * br + column * bc) as usize]);
                T::add(sum, x.parts(), y.parts())
            };
            let wanted = (0..k as isize).fold(Default::default(), term);
            assert_eq!(made[row as usize * n + column as usize], T::of(wanted), "{size:?} {transposed:?}");
        }
    }

    #[test]
    fn products_are_added_up_one_by_one() {
        let sizes = [(1, 1, 1), (4, 16, 256), (5, 17, 300), (7, 3, 530), (1, 40, 20), (33, 1, 70), (2, 2, 0)];
        for size in sizes {
            for transposed in [(false, false), (true, false), (false, true), (true, true)] {
                check(size, transposed, &|i| (i as u32).wrapping_mul(2_654_435_761));
                check(size, transposed, &|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                check(size, transposed, &|i| [(i % 19) as f32 / 7.0 - 1.0, (i % 11) as f32 / 3.0 - 1.5]);
                check(size, transposed, &|i| [(i % 19) as f64 / 7.0 - 1.0, (i % 11) as f64 / 3.0 - 1.5]);
            }
        }
    }
}
