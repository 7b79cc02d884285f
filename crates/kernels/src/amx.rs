//! Products of `bf16` on AMX tiles: packing, and `32 x 32` results added in `f32`.
//!
//! ```text
//! panel = 32 lines; for each 32 of k: two tiles of 16 lines, 1 KiB each       (lines: rows of a, columns of b)
//! tile of a: 16 lines by 16 pairs of k        tile of b: 16 pairs of k by 16 lines, the same transposed
//! ```
//!
//! A tile of `a` and a tile of `b` are loaded for every product of two tiles, which the second cache cannot do: a panel
//! of `a` stays in the first cache, where `b` takes no place (loads with the hint T1). What else there is to do is
//! dealt out among the steps of products, where it costs less than between them: sums that are done are stored as
//! results, and the next panel of `a` is copied. Tiles of sums are put down and the next ones taken up by turns.
//!
//! Stable Rust has no intrinsics for tiles, so the loop over `k` is assembly. What lacks to whole tiles is zero. A
//! result is added by pairs of `k`, ascending, whatever is computed beside it. Numbers below the normal ones count as
//! zero: that is what the instruction does.

use crate::isa::Isa;
use std::sync::OnceLock;

/// Lines of a panel, and results of a tile in both directions.
pub const LINES: usize = 32;
/// Depth of a step.
pub const STEP: usize = 32;
/// Elements of one step of a panel.
pub const PANEL_STEP: usize = LINES * STEP;

/// Lines of an operand and their depth, by strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    pub at: *const u16,
    pub line: isize,
    pub depth: isize,
}

/// The 32 rows of a left operand: packed, or as they lie if tiles can be loaded from there.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub at: *const u16,
    /// Elements from row to row; the second 16 rows follow the first.
    pub row: usize,
    /// Elements from step to step.
    pub step: usize,
}

/// Lines that are wanted soon: some at each step.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    pub at: *const u16,
    /// Elements from line to line.
    pub line: isize,
    /// Elements from step to step.
    pub step: isize,
    pub soon: Soon,
}

/// What is done about them at each step, and where in a panel copies of the first lines go.
#[derive(Clone, Copy, Debug)]
pub enum Soon {
    /// Four are asked for, into the second cache.
    Asked,
    /// Two are copied. The fewer at a time the better.
    Two(*mut u16),
    /// Four are copied.
    Four(*mut u16),
}

impl Soon {
    /// Lines at each step.
    pub fn lines(&self) -> usize {
        match self {
            Soon::Two(_) => 2,
            Soon::Asked | Soon::Four(_) => 4,
        }
    }

    /// As many lines further.
    pub fn further(self, lines: usize) -> Soon {
        match self {
            Soon::Asked => Soon::Asked,
            Soon::Two(to) => Soon::Two(to.wrapping_add(lines * STEP)),
            Soon::Four(to) => Soon::Four(to.wrapping_add(lines * STEP)),
        }
    }
}

/// What tiles of sums hold when a product is done, as the next one's beginning.
#[derive(Clone, Copy, Debug)]
pub enum Then {
    Zero,
    Taken(*const f32),
}

/// Sums that are done, and where they go.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub sums: *const f32,
    pub size: (usize, usize),
    pub to: Place,
    /// Elements from row to row.
    pub line: isize,
}

/// Whether this process uses tiles.
pub fn available() -> bool {
    Isa::used() == Isa::Amx
}

/// Whether the CPU has tiles and the system lets this process use them: asked once.
pub fn there() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(ask)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn ask() -> bool {
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::__cpuid_count;
    /// Ask for a state component (tile data) that must be asked for, as it makes every thread's state larger.
    const REQUEST: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    let vectors = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512bf16");
    // Bits of leaf 7: products of bf16, tiles.
    let tiles = vectors && __cpuid_count(7, 0).edx & (1 << 22 | 1 << 24) == (1 << 22 | 1 << 24);
    // SAFETY: a request that changes nothing but what the kernel saves.
    tiles && unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILE_DATA) } == 0
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn ask() -> bool {
    false
}

/// Elements of a packed operand of so many lines.
pub fn packed_len(lines: usize, depth: usize) -> usize {
    lines.div_ceil(LINES) * depth.div_ceil(STEP) * PANEL_STEP
}

/// Pack lines into panels. `transposed`: tiles as the right operand wants them.
///
/// # Safety
/// [`available`]; the lines exist, and `to` has room for their panels.
pub unsafe fn pack(lines: Lines, count: usize, depth: usize, transposed: bool, to: *mut u16) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        tiles::pack(lines, count, depth, transposed, to);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (lines, count, depth, transposed, to);
}

/// Add `a * b` over `steps` steps of two panels to the `32 x 32` sums that tiles hold, put them down and take up the
/// next ones. Other sums that are done are brought out meanwhile.
///
/// # Safety
/// Within [`with_tiles`]; the panels have so many steps; what is brought out or copied has room.
#[inline]
pub unsafe fn multiply(
    a: Rows,
    b: *const u16,
    steps: usize,
    (sums, then): (*mut f32, Then),
    ahead: Ahead,
    done: Option<Done>,
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        tiles::multiply(a, b, steps, (sums, then), ahead, done);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (a, b, steps, sums, then, ahead, done);
}

/// Give this thread's tiles their shape, work, and let go of them. At first they are zero.
///
/// # Safety
/// [`available`].
pub unsafe fn with_tiles(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        let guard = tiles::Shaped::new();
        work();
        drop(guard);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = work;
}

/// Bring sums to where they go: as they are, or as `bf16`, to nearest, ties to even.
///
/// # Safety
/// [`available`]; all elements exist.
#[inline]
pub unsafe fn bring(done: Done) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        match done.to {
            Place::Wide(to) => tiles::bring_wide(done, to),
            Place::Narrow(to) => tiles::bring_narrow(done, to),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = done;
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Wide(*mut f32),
    Narrow(*mut u16),
}

#[cfg(target_arch = "x86_64")]
mod tiles;
