//! What convolutions are made of on each kind of CPU: tiles of sums in registers, and vectors of lanes.
//!
//! How work is cut, and in which order a sum takes its products, is decided by [`MOST_ROWS`] and [`MOST_COLUMNS`],
//! never by the vectors there are: all kernels give the same bits.

use crate::gemm::sums::Segments;
use crate::gemm::{Strided, Target};

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod plain;

/// Rows and columns of the largest tile.
pub const MOST_ROWS: usize = 14;
pub const MOST_COLUMNS: usize = 32;

/// One kind of vectors. All need what the CPU must have for it.
pub trait Kernel {
    type Vector: Vector;
    /// Columns of a tile: lines of a packed kernel are as long.
    const COLUMNS: usize;

    /// Rows of the next tile if so many are left: at most [`MOST_ROWS`].
    fn rows(left: usize) -> usize;

    /// At most so many rows and columns of results, which lie side by side: one sum over all runs.
    ///
    /// # Safety
    /// The results, their rows and [`MOST_ROWS`] of them, and the panel exist; neither the runs nor their depth are
    /// none.
    unsafe fn tile(size: (usize, usize), a: Segments<'_>, panel: *const f32, c: Target);

    /// At most so many columns, each by depth, to lines of a panel; what lacks to a whole line is zero.
    ///
    /// # Safety
    /// The elements exist; there is room for so many lines, aligned to cache lines.
    unsafe fn pack(b: Strided, depth: usize, columns: usize, to: *mut f32);

    /// Do something with these vectors.
    ///
    /// # Safety
    /// As the work says.
    unsafe fn on_vectors(work: &impl OnVectors);
}

/// Work that is compiled for each kind of vectors.
pub trait OnVectors {
    /// Must be inlined, and so must what it calls: the instructions are those of who calls it.
    ///
    /// # Safety
    /// The CPU has the vectors; the rest is the work's.
    unsafe fn run<V: Vector>(&self);
}

/// Some numbers side by side.
pub trait Vector: Copy {
    const LANES: usize;
    /// Vectors of sums that registers hold, beside two operands of each.
    const SUMS: usize;
    /// The first lanes.
    type First: Copy;
    /// Which lane each lane is taken from.
    type Order: Copy;

    fn first(count: usize) -> Self::First;
    fn order(from: impl Fn(usize) -> usize) -> Self::Order;
    fn zero() -> Self;
    /// # Safety
    /// All lanes exist.
    unsafe fn load(at: *const f32) -> Self;
    /// The others are zero.
    ///
    /// # Safety
    /// The first lanes exist.
    unsafe fn load_first(at: *const f32, first: Self::First) -> Self;
    /// # Safety
    /// All lanes exist.
    unsafe fn store(self, at: *mut f32);
    /// # Safety
    /// The first lanes exist.
    unsafe fn store_first(self, at: *mut f32, first: Self::First);
    fn taken(self, order: Self::Order) -> Self;
    /// `x * y + self`, rounded once.
    fn fused(self, x: Self, y: Self) -> Self;
    fn plus(self, x: Self) -> Self;
}

/// Ask for a line that will be written.
#[inline]
pub fn ask(at: *mut f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: what is asked for need not exist; every CPU of the target has the instruction.
    unsafe {
        use std::arch::x86_64::*;
        _mm_prefetch::<_MM_HINT_ET0>(at.cast());
    }
    let _ = at;
}

/// Ask for a line that will be read.
#[inline]
pub fn ask_to_read(at: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        use std::arch::x86_64::*;
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    let _ = at;
}

/// The results of a sum of nothing.
///
/// # Safety
/// So many rows and columns of results exist.
pub unsafe fn nothing((rows, columns): (usize, usize), c: Target) {
    if !c.add {
        for row in 0..rows {
            let to = c.at.wrapping_offset(row as isize * c.row);
            // SAFETY: the caller's; zero is all bits zero.
            unsafe { to.write_bytes(0, columns) };
        }
    }
}
