//! Sums of a few rows by a few columns in registers: the loops of all products and convolutions of `f32`.
//!
//! They are in assembly, as compilers walk from row to row by a chain of additions that takes longer than the
//! multiplications: here each row is a constant multiple of the stride away from one or two addresses.
//!
//! A sum takes its products one after the other, fused. What else a loop does (walk over several runs, ask for lines
//! that are wanted soon) takes places that multiplications leave free.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;

/// The left operand of a strip: runs of `depth` elements of `k`, each so many bytes from `at`.
#[derive(Clone, Copy)]
pub struct Segments<'a> {
    pub at: *const f32,
    pub starts: &'a [isize],
    pub depth: usize,
    /// Elements from row to row, and from `k` to `k` within a run.
    pub row: isize,
    pub step: isize,
}

/// Rows of the left operand, by strides in elements.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub at: *const f32,
    pub row: isize,
    pub step: isize,
}

/// Depths at each of which a pair of cache lines is asked for, into the second cache: at `at`, and so many bytes
/// further with each depth.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PrefetchRun {
    pub depths: usize,
    pub at: *const f32,
    pub hop: isize,
}
