//! Products of `bf16` on AMX tiles: packing, and `32 x 32` results added in `f32`.
//!
//! ```text
//! panel = 32 lines; for each 32 of k: two tiles of 16 lines, 1 KiB each       (lines: rows of a, columns of b)
//! tile of a: 16 lines by 16 pairs of k        tile of b: 16 pairs of k by 16 lines, the same turned
//! ```
//!
//! Stable Rust has no intrinsics for tiles, so the loop over `k` is assembly. What lacks to whole tiles is zero. A result
//! is added by pairs of `k`, ascending, whatever is computed beside it. Numbers below the normal ones count as zero: that
//! is what the instruction does.

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

/// Whether this process may use tiles: asked once.
pub fn available() -> bool {
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

/// Pack lines into panels. `turned`: tiles as the right operand wants them.
///
/// # Safety
/// [`available`]; the lines exist, and `to` has room for their panels.
pub unsafe fn pack(lines: Lines, count: usize, depth: usize, turned: bool, to: *mut u16) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        tiles::pack(lines, count, depth, turned, to);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (lines, count, depth, turned, to);
}

/// `sums[32 x 32] (+)= a * b` over `steps` steps of two panels.
///
/// # Safety
/// Within [`with_tiles`]; the panels have so many steps.
#[inline]
pub unsafe fn multiply(a: Rows, b: *const u16, steps: usize, sums: *mut f32, add: bool) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        tiles::multiply(a, b, steps, sums, add);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (a, b, steps, sums, add);
}

/// Give this thread's tiles their shape, work, and let go of them.
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

/// Bring a tile of sums to `rows` lines of `columns` numbers, `line` elements apart: as they are, or as `bf16`, to nearest,
/// ties to even.
///
/// # Safety
/// [`available`]; all elements exist.
#[inline]
pub unsafe fn bring(sums: *const f32, (rows, columns): (usize, usize), to: Place, line: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    unsafe {
        match to {
            Place::Wide(to) => tiles::bring_wide(sums, (rows, columns), to, line),
            Place::Narrow(to) => tiles::bring_narrow(sums, (rows, columns), to, line),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (sums, rows, columns, to, line);
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Wide(*mut f32),
    Narrow(*mut u16),
}

#[cfg(target_arch = "x86_64")]
mod tiles {
    use super::{LINES, Lines, PANEL_STEP, Rows, STEP};
    use crate::kernel::gemm::wide::{masks, turn};
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// Memory form of the shapes: all eight tiles have 16 rows of 64 bytes.
    #[repr(C, align(64))]
    struct Shapes {
        palette: u8,
        start: u8,
        reserved: [u8; 14],
        row_bytes: [u16; 16],
        rows: [u8; 16],
    }

    static SHAPES: Shapes = {
        let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
        let mut tile = 0;
        while tile < 8 {
            (row_bytes[tile], rows[tile]) = (64, 16);
            tile += 1;
        }
        Shapes { palette: 1, start: 0, reserved: [0; 14], row_bytes, rows }
    };

    /// Lets go of the tiles when dropped, also when the work panics: kept ones make every switch of threads slower.
    pub struct Shaped(());

    impl Shaped {
        /// # Safety
        /// The process may use tiles.
        pub unsafe fn new() -> Shaped {
            // SAFETY: the shapes are valid.
            unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const SHAPES, options(nostack, readonly)) };
            Shaped(())
        }
    }

    impl Drop for Shaped {
        fn drop(&mut self) {
            // SAFETY: whoever made it may use tiles.
            unsafe { asm!("tilerelease", options(nostack, nomem)) };
        }
    }

    /// Sums are in tiles 0 to 3, those of `a` in 4 and 5, those of `b` in 6 and 7.
    ///
    /// # Safety
    /// As [`super::multiply`].
    #[inline]
    pub unsafe fn multiply(a: Rows, b: *const u16, steps: usize, sums: *mut f32, add: bool) {
        let lower = sums.wrapping_add(16 * LINES);
        // SAFETY: the caller's.
        unsafe {
            asm!(
                "test {add:e}, {add:e}",
                "jnz 2f",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "jmp 3f",
                "2:",
                "tileloadd tmm0, [{upper} + {line}*2]",
                "tileloadd tmm1, [{upper} + {line}*2 + 64]",
                "tileloadd tmm2, [{lower} + {line}*2]",
                "tileloadd tmm3, [{lower} + {line}*2 + 64]",
                "3:",
                "test {steps}, {steps}",
                "jz 5f",
                "4:",
                "tileloadd tmm6, [{b} + {line}]",
                "tileloadd tmm4, [{a} + {row}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{b} + {line} + 1024]",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{half} + {row}]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {a}, {step}",
                "add {half}, {step}",
                "add {b}, 2048",
                "dec {steps}",
                "jnz 4b",
                "5:",
                "tilestored [{upper} + {line}*2], tmm0",
                "tilestored [{upper} + {line}*2 + 64], tmm1",
                "tilestored [{lower} + {line}*2], tmm2",
                "tilestored [{lower} + {line}*2 + 64], tmm3",
                add = in(reg) u32::from(add),
                upper = in(reg) sums,
                lower = in(reg) lower,
                line = in(reg) 64usize,
                a = inout(reg) a.at => _,
                half = inout(reg) a.at.wrapping_add(16 * a.row) => _,
                row = in(reg) 2 * a.row,
                step = in(reg) 2 * a.step,
                b = inout(reg) b => _,
                steps = inout(reg) steps => _,
                options(nostack),
            );
        }
    }

    /// In the order in which the lines lie: runs that are read stay long.
    ///
    /// # Safety
    /// As [`super::pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub unsafe fn pack(lines: Lines, count: usize, depth: usize, turned: bool, to: *mut u16) {
        let (panels, steps) = (count.div_ceil(LINES), depth.div_ceil(STEP));
        let one = |panel: usize, step: usize| {
            let at =
                panel as isize * LINES as isize * lines.line + step as isize * STEP as isize * lines.depth;
            let piece = Lines { at: lines.at.wrapping_offset(at), ..lines };
            let size = (LINES.min(count - panel * LINES), STEP.min(depth - step * STEP));
            // SAFETY: the caller's.
            unsafe { pack_step(piece, size, turned, to.add((panel * steps + step) * PANEL_STEP)) };
        };
        if lines.depth == 1 {
            (0..panels).for_each(|panel| (0..steps).for_each(|step| one(panel, step)));
        } else {
            (0..steps).for_each(|step| (0..panels).for_each(|panel| one(panel, step)));
        }
    }

    /// One step of one panel.
    ///
    /// # Safety
    /// As [`super::pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pack_step(lines: Lines, (count, depth): (usize, usize), turned: bool, to: *mut u16) {
        // SAFETY: the caller's.
        unsafe {
            match (lines.depth, lines.line) {
                (1, _) => along(lines, count, depth, turned, to),
                (_, 1) => across(lines, count, depth, turned, to),
                _ => {
                    let copy = gathered(lines, count, depth);
                    let piece = Lines { at: copy.0.as_ptr(), line: STEP as isize, depth: 1 };
                    along(piece, count, depth, turned, to);
                }
            }
        }
    }

    /// The first `count` of 32 elements.
    fn first(count: usize) -> __mmask32 {
        if count >= 32 { !0 } else { (1 << count) - 1 }
    }

    /// One step of lines that lie along memory.
    ///
    /// # Safety
    /// As [`super::pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn along(lines: Lines, count: usize, depth: usize, turned: bool, to: *mut u16) {
        let mask = first(depth);
        for half in 0..2 {
            let mut tile = [_mm512_setzero_ps(); 16];
            let here = count.saturating_sub(16 * half).min(16);
            for (i, line) in tile.iter_mut().enumerate().take(here) {
                let from = lines.at.wrapping_offset((16 * half + i) as isize * lines.line);
                // SAFETY: masked elements are not touched.
                *line = _mm512_castsi512_ps(unsafe { _mm512_maskz_loadu_epi16(mask, from.cast()) });
            }
            // SAFETY: the caller's.
            unsafe { put(tile, turned, to.add(half * PANEL_STEP / 2)) };
        }
    }

    /// One step of lines that lie side by side: two depths are dealt into pairs.
    ///
    /// # Safety
    /// As [`super::pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn across(lines: Lines, count: usize, depth: usize, turned: bool, to: *mut u16) {
        let mask = first(count);
        let mut halves = [[_mm512_setzero_ps(); 16]; 2];
        let spread = |first: i16| {
            let mut places = [0i16; 32];
            for (i, place) in places.iter_mut().enumerate() {
                *place = first + (i / 2) as i16 + if i % 2 == 1 { 32 } else { 0 };
            }
            // SAFETY: 64 bytes.
            unsafe { _mm512_loadu_epi16(places.as_ptr()) }
        };
        let places = [spread(0), spread(16)];
        for pair in 0..depth.div_ceil(2) {
            let load = |k: usize| {
                let from = lines.at.wrapping_offset(k as isize * lines.depth);
                let mask = if k < depth { mask } else { 0 };
                // SAFETY: masked elements are not touched.
                unsafe { _mm512_maskz_loadu_epi16(mask, from.cast()) }
            };
            let (even, odd) = (load(2 * pair), load(2 * pair + 1));
            for (half, places) in halves.iter_mut().zip(places) {
                half[pair] = _mm512_castsi512_ps(_mm512_permutex2var_epi16(even, places, odd));
            }
        }
        for (i, half) in halves.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { put(half, !turned, to.add(i * PANEL_STEP / 2)) };
        }
    }

    /// # Safety
    /// There is room for a tile.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn put(mut tile: [__m512; 16], turned: bool, to: *mut u16) {
        if turned {
            turn(&mut tile);
        }
        for (i, line) in tile.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { _mm512_storeu_ps(to.add(i * 2 * 16).cast(), *line) };
        }
    }

    #[repr(align(64))]
    struct Step([u16; LINES * STEP]);

    /// One step of lines of any strides, along memory.
    ///
    /// # Safety
    /// As [`super::pack`].
    unsafe fn gathered(lines: Lines, count: usize, depth: usize) -> Step {
        let mut copy = Step([0; LINES * STEP]);
        for line in 0..count {
            for k in 0..depth {
                let at = line as isize * lines.line + k as isize * lines.depth;
                // SAFETY: the caller's.
                copy.0[line * STEP + k] = unsafe { *lines.at.offset(at) };
            }
        }
        copy
    }

    /// # Safety
    /// As [`super::bring`].
    #[target_feature(enable = "avx512f")]
    pub unsafe fn bring_wide(sums: *const f32, (rows, columns): (usize, usize), to: *mut f32, line: usize) {
        let (low, high) = masks(columns);
        for row in 0..rows {
            // SAFETY: masked elements are not touched.
            unsafe {
                let (from, to) = (sums.add(row * LINES), to.add(row * line));
                _mm512_mask_storeu_ps(to, low, _mm512_load_ps(from));
                _mm512_mask_storeu_ps(to.wrapping_add(16), high, _mm512_load_ps(from.add(16)));
            }
        }
    }

    /// # Safety
    /// As [`super::bring`].
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    pub unsafe fn bring_narrow(sums: *const f32, (rows, columns): (usize, usize), to: *mut u16, line: usize) {
        let mask = first(columns);
        for row in 0..rows {
            // SAFETY: masked elements are not touched; the types are 64 bytes of the same bits.
            unsafe {
                let from = sums.add(row * LINES);
                let both = _mm512_cvtne2ps_pbh(_mm512_load_ps(from.add(16)), _mm512_load_ps(from));
                let both = std::mem::transmute::<__m512bh, __m512i>(both);
                _mm512_mask_storeu_epi16(to.add(row * line).cast(), mask, both);
            }
        }
    }
}
