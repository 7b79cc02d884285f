//! Products on any CPU: one source, made with the instructions that [`crate::isa::Isa::used`] says. All of `f64`, and
//! `f32` where there is no AVX-512.
//!
//! ```text
//! for columns by 512, for k by 256:    pack b into panels of 64 bytes of columns
//!     for rows by 96:                  pack a by 6 rows
//!         for panels of b, for 6 rows: 6 x 64 bytes of results in registers
//! ```
//!
//! The order is the parent's: blocks of 256 of `k` ascending, fused multiply-adds from zero within a block. So `f32`
//! gives the bits that AVX-512 gives, on every CPU. Where a CPU has no fused multiply-add, it is made of operations on
//! `f64`, which takes some ten times as long.

use super::{DEPTH, Strided, Target, with_scratch};
#[cfg(target_arch = "x86_64")]
use crate::isa;

/// Rows of results in registers.
const ROWS: usize = 6;
/// Rows that are packed at once.
const GROUP: usize = 16 * ROWS;
/// Columns of `b` that are packed at once.
const BLOCK: usize = 512;

/// A type whose products are made here.
pub trait Number: Copy + Default + std::ops::Add<Output = Self> + 'static {
    /// `x * y + self`, rounded once.
    fn fused(self, x: Self, y: Self) -> Self;
    /// The same without an instruction for it.
    fn fused_slowly(self, x: Self, y: Self) -> Self;
    /// # Safety
    /// As [`run`].
    unsafe fn run(work: &Work<Self>, room: *mut Self);
}

/// The right operand.
#[derive(Clone, Copy)]
pub enum Right<T> {
    Lies(Strided<T>),
    /// Packed before by [`pack`].
    Packed(*const T),
}

/// `c[m, n] (+)= a[m, k] * b[k, n]`.
pub struct Work<T> {
    pub size: (usize, usize, usize),
    pub a: Strided<T>,
    pub b: Right<T>,
    pub c: Target<T>,
}

/// # Safety
/// As [`super::gemm`].
pub unsafe fn run<T: Number>(work: &Work<T>) {
    // SAFETY: the caller's; the scratch has room for a block of each operand.
    with_scratch(|room| unsafe { T::run(work, room.cast()) });
}

macro_rules! number {
    ($ty:ident, $columns:literal, $wide:literal, $slowly:item) => {
        impl Number for $ty {
            #[inline(always)]
            fn fused(self, x: $ty, y: $ty) -> $ty {
                x.mul_add(y, self)
            }

            $slowly

            unsafe fn run(work: &Work<$ty>, room: *mut $ty) {
                /// # Safety
                /// As [`super::run`]; the CPU has AVX-512.
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
                unsafe fn avx512(work: &Work<$ty>, room: *mut $ty) {
                    // SAFETY: the caller's.
                    unsafe { work.run::<$wide, true>(room) }
                }
                /// # Safety
                /// As [`super::run`]; the CPU has AVX2 and FMA.
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,fma")]
                unsafe fn avx2(work: &Work<$ty>, room: *mut $ty) {
                    // SAFETY: the caller's.
                    unsafe { work.run::<$columns, true>(room) }
                }
                // SAFETY: the features are there where they are used; the rest is the caller's.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    if isa::avx512() {
                        return avx512(work, room);
                    }
                    #[cfg(target_arch = "x86_64")]
                    if isa::avx2() {
                        return avx2(work, room);
                    }
                    work.run::<$columns, FUSES>(room);
                }
            }
        }
    };
}

/// Whether every CPU of the target multiplies and adds in one instruction.
pub const FUSES: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

number!(
    f32,
    16,
    16,
    #[inline(always)]
    fn fused_slowly(self, x: f32, y: f32) -> f32 {
        let (product, sum) = (f64::from(x) * f64::from(y), f64::from(self));
        // The product is exact. The sum is rounded to odd: an inexact one ends in 1, and rounding it again is right.
        let whole = product + sum;
        let own = whole - product;
        let rest = (product - (whole - own)) + (sum - own);
        let bits = whole.to_bits();
        let inexact = rest.abs() > 0.0;
        let outward = (rest > 0.0) == (whole > 0.0);
        let odd = if outward { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        f64::from_bits(if inexact && bits & 1 == 0 { odd } else { bits }) as f32
    }
);
number!(
    f64,
    8,
    16,
    fn fused_slowly(self, x: f64, y: f64) -> f64 {
        x.mul_add(y, self)
    }
);

/// Columns of a panel.
const fn columns_of<T>() -> usize {
    64 / size_of::<T>()
}

/// Elements of all of `b`, packed.
pub fn packed_len<T>(n: usize, k: usize) -> usize {
    n.next_multiple_of(columns_of::<T>()) * k
}

/// Pack all of `b`, block after block.
///
/// # Safety
/// As [`super::pack`].
pub unsafe fn pack(n: usize, k: usize, b: Strided<f32>, to: *mut f32) {
    for column in (0..n).step_by(BLOCK) {
        let width = BLOCK.min(n - column);
        for from in (0..k).step_by(DEPTH) {
            let at = b.at.wrapping_offset(column as isize * b.column + from as isize * b.row);
            let to = to.wrapping_add(column * k + width.next_multiple_of(columns_of::<f32>()) * from);
            // SAFETY: the block lies in the matrix, and packed in its room.
            unsafe { pack_panels::<f32, 16>(Strided { at, ..b }, DEPTH.min(k - from), width, to) };
        }
    }
}

impl<T: Number> Work<T> {
    /// # Safety
    /// As [`run`]; panels have 64 bytes.
    #[inline(always)]
    unsafe fn run<const W: usize, const FUSED: bool>(&self, room: *mut T) {
        let (m, n, k) = self.size;
        let (a, c) = (self.a, self.c);
        let rows = room.wrapping_add(BLOCK * DEPTH);
        for column in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - column);
            for from in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - from);
                let panels = match self.b {
                    Right::Packed(b) => b.wrapping_add(column * k + width.next_multiple_of(W) * from),
                    Right::Lies(b) => {
                        let at = b.at.wrapping_offset(column as isize * b.column + from as isize * b.row);
                        // SAFETY: the block lies in the matrix, and packed it fits the room.
                        unsafe { pack_panels::<T, W>(Strided { at, ..b }, depth, width, room) };
                        room.cast_const()
                    }
                };
                let at = a.at.wrapping_offset(from as isize * a.column);
                let to = c.at.wrapping_offset(column as isize * c.column);
                let c = Target { at: to, add: c.add || from > 0, ..c };
                // SAFETY: blocks lie in the matrices.
                unsafe { block::<T, W, FUSED>(Strided { at, ..a }, (m, width, depth), panels, rows, c) };
            }
        }
    }
}

/// All rows against packed columns.
///
/// # Safety
/// As [`run`]; `room` has room for a group of rows.
#[inline(always)]
unsafe fn block<T: Number, const W: usize, const FUSED: bool>(
    a: Strided<T>,
    (m, n, depth): (usize, usize, usize),
    panels: *const T,
    room: *mut T,
    c: Target<T>,
) {
    for first in (0..m).step_by(GROUP) {
        let count = GROUP.min(m - first);
        let at = a.at.wrapping_offset(first as isize * a.row);
        // SAFETY: the rows exist; there is room for them.
        unsafe { pack_rows(Strided { at, ..a }, count, depth, room) };
        for column in (0..n).step_by(W) {
            let panel = panels.wrapping_add(column * depth);
            for row in (0..count).step_by(ROWS) {
                let to = (first + row) as isize * c.row + column as isize * c.column;
                let c = Target { at: c.at.wrapping_offset(to), ..c };
                let size = (ROWS.min(count - row), W.min(n - column));
                // SAFETY: the tile lies in the result, its operands are packed.
                unsafe { tile::<T, W, FUSED>(room.wrapping_add(row * depth), panel, depth, size, c) };
            }
        }
    }
}

/// Columns by panels, each by `k`; what lacks to a whole one is zero.
///
/// # Safety
/// The block of `b` exists; `to` has room for it.
#[inline(always)]
pub unsafe fn pack_panels<T: Number, const W: usize>(b: Strided<T>, depth: usize, width: usize, to: *mut T) {
    for column in (0..width).step_by(W) {
        let count = W.min(width - column);
        let from = b.at.wrapping_offset(column as isize * b.column);
        let to = to.wrapping_add(column * depth);
        for k in 0..depth {
            let from = from.wrapping_offset(k as isize * b.row);
            // SAFETY: the caller's.
            let to = unsafe { &mut *to.add(k * W).cast::<[T; W]>() };
            // SAFETY: so many columns exist.
            unsafe {
                match (count == W, b.column) {
                    (true, 1) => *to = *from.cast::<[T; W]>(),
                    _ => (0..W).for_each(|i| {
                        to[i] = if i < count { *from.offset(i as isize * b.column) } else { T::default() };
                    }),
                }
            }
        }
    }
}

/// Rows by 6, each six by `k`; what lacks to six is zero.
///
/// # Safety
/// The rows exist; `to` has room for them.
#[inline(always)]
unsafe fn pack_rows<T: Number>(a: Strided<T>, count: usize, depth: usize, to: *mut T) {
    for row in (0..count).step_by(ROWS) {
        let to = to.wrapping_add(row * depth);
        for i in 0..ROWS {
            let from = a.at.wrapping_offset((row + i) as isize * a.row);
            for k in 0..depth {
                // SAFETY: the caller's.
                unsafe {
                    let there = row + i < count;
                    let x = if there { *from.offset(k as isize * a.column) } else { T::default() };
                    *to.add(k * ROWS + i) = x;
                }
            }
        }
    }
}

/// One tile of results.
///
/// # Safety
/// The operands are packed; so many rows and columns of the result exist.
#[inline(always)]
unsafe fn tile<T: Number, const W: usize, const FUSED: bool>(
    rows: *const T,
    panel: *const T,
    depth: usize,
    (count, columns): (usize, usize),
    c: Target<T>,
) {
    // Each row by itself and written out: arrays of arrays stay in memory.
    let [mut p, mut q, mut r, mut s, mut t, mut u] = [[T::default(); W]; ROWS];
    for k in 0..depth {
        // SAFETY: packed operands have so many of each.
        let (x, line) =
            unsafe { (&*rows.add(k * ROWS).cast::<[T; ROWS]>(), &*panel.add(k * W).cast::<[T; W]>()) };
        let [x0, x1, x2, x3, x4, x5] = *x;
        p = fused::<T, W, FUSED>(p, x0, line);
        q = fused::<T, W, FUSED>(q, x1, line);
        r = fused::<T, W, FUSED>(r, x2, line);
        s = fused::<T, W, FUSED>(s, x3, line);
        t = fused::<T, W, FUSED>(t, x4, line);
        u = fused::<T, W, FUSED>(u, x5, line);
    }
    let sums = [p, q, r, s, t, u];
    for (i, sums) in sums.iter().enumerate().take(count) {
        let to = c.at.wrapping_offset(i as isize * c.row);
        // SAFETY: the caller's.
        unsafe {
            if c.column == 1 && columns == W {
                let to = &mut *to.cast::<[T; W]>();
                to.iter_mut().zip(sums).for_each(|(to, sum)| *to = if c.add { *sum + *to } else { *sum });
                continue;
            }
            for (j, sum) in sums.iter().enumerate().take(columns) {
                let to = to.offset(j as isize * c.column);
                *to = if c.add { *sum + *to } else { *sum };
            }
        }
    }
}

/// `sums + x * line`.
// By index, which is unrolled reliably.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub fn fused<T: Number, const W: usize, const FUSED: bool>(sums: [T; W], x: T, line: &[T; W]) -> [T; W] {
    let mut out = sums;
    for j in 0..W {
        out[j] = if FUSED { sums[j].fused(x, line[j]) } else { sums[j].fused_slowly(x, line[j]) };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{gemm, gemm_packed, pack, packed_len, with_scratch};
    use super::*;
    use meshwright_runtime::Buffer;

    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| draw()).collect()
    }

    fn strided(x: &[f32], transposed: bool, rows: usize, columns: usize) -> Strided {
        let (row, column) = if transposed { (1, rows as isize) } else { (columns as isize, 1) };
        Strided { at: x.as_ptr(), row, column }
    }

    /// What this process uses, with and without packing before, and both ways to multiply and add.
    fn check((m, n, k): (usize, usize, usize), transposed: bool, add: bool) {
        let (a, b, begun) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
        let (a, b) = (strided(&a, transposed, m, k), strided(&b, transposed, k, n));
        let made = |make: &dyn Fn(Target)| {
            let mut c = begun.clone();
            make(Target { at: c.as_mut_ptr(), row: n as isize, column: 1, add });
            c.iter().map(|x| x.to_bits()).collect::<Vec<u32>>()
        };
        let packed = Buffer::scratch(packed_len(n, k) * 4);
        let work = |c| Work { size: (m, n, k), a, b: Right::Lies(b), c };
        // SAFETY: sizes are those of the arrays, and packed operands have the room they want.
        unsafe {
            let used = made(&|c| gemm((m, n, k), a, b, c, None));
            pack(n, k, b, packed.as_ptr().cast());
            let before = made(&|c| gemm_packed(m, n, k, a, packed.as_ptr().cast(), c));
            let fused = made(&|c| with_scratch(|room| work(c).run::<16, true>(room)));
            let slowly = made(&|c| with_scratch(|room| work(c).run::<16, false>(room)));
            assert!([before, fused, slowly].iter().all(|way| *way == used), "{m}x{k}x{n} {transposed} {add}");
            #[cfg(target_arch = "x86_64")]
            if crate::isa::Isa::of_cpu() >= crate::isa::Isa::Avx2 {
                use super::super::{avx2::Avx2, blocks};
                let packed = Buffer::scratch(blocks::packed_len::<Avx2>(n, k) * 4);
                let lies = made(&|c| blocks::gemm::<Avx2>((m, n, k), a, b, c, None));
                blocks::pack::<Avx2>(n, k, b, packed.as_ptr().cast());
                let before = made(&|c| blocks::gemm_packed::<Avx2>((m, n, k), a, packed.as_ptr().cast(), c));
                assert!(lies == used && before == used, "{m}x{k}x{n} {transposed} {add}, AVX2");
            }
        }
    }

    #[test]
    fn products_have_the_same_bits_with_all_instructions() {
        for size in [
            (1, 1, 1),
            (6, 16, 256),
            (7, 17, 257),
            (3, 70, 19),
            (29, 8, 300),
            (97, 600, 520),
            (2, 1030, 5),
            (13, 48, 1024),
            // One row, or one column.
            (1, 1030, 531),
            (77, 1, 300),
            (1, 5, 24),
            (3, 1, 7),
            (1, 64, 512),
        ] {
            for transposed in [false, true] {
                check(size, transposed, false);
                check(size, transposed, true);
            }
        }
    }

    #[test]
    fn products_and_sums_are_rounded_once_without_an_instruction_for_it() {
        let mut state = 1u64;
        let mut bits = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            f32::from_bits((state >> 32) as u32)
        };
        for i in 0..200_000 {
            let (x, y, any) = (bits(), bits(), bits());
            // Where sums cancel or are a tie, all bits of the product matter.
            let near = -(x * y) * (1.0 + (i % 9 - 4) as f32 * 6e-8);
            for sum in [any, near, near * 2f32.powi(i % 60 - 30), near * 2f32.powi(24)] {
                let (wanted, found) = (sum.fused(x, y), sum.fused_slowly(x, y));
                let same = wanted.to_bits() == found.to_bits() || (wanted.is_nan() && found.is_nan());
                assert!(same, "{x:e} * {y:e} + {sum:e} is {wanted:e}, not {found:e}");
            }
        }
    }

    #[test]
    fn products_of_doubles_are_exact_on_small_numbers() {
        let (m, n, k) = (13, 35, 515);
        let small = |i: usize| (i * 2_654_435_761 % 13) as f64 - 6.0;
        let (a, b): (Vec<f64>, Vec<f64>) = ((0..m * k).map(small).collect(), (0..k * n).map(small).collect());
        let mut c = vec![f64::NAN; m * n];
        let work = Work {
            size: (m, n, k),
            a: Strided { at: a.as_ptr(), row: k as isize, column: 1 },
            b: Right::Lies(Strided { at: b.as_ptr(), row: n as isize, column: 1 }),
            c: Target { at: c.as_mut_ptr(), row: n as isize, column: 1, add: false },
        };
        // SAFETY: sizes are those of the arrays.
        unsafe { run(&work) };
        for (at, found) in c.iter().enumerate() {
            let wanted: f64 = (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum();
            assert_eq!(*found, wanted, "at {at}");
        }
    }
}
