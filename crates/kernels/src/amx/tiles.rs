//! Instructions on tiles, and the packing for them. What they are made for is said in the parent.

use super::{Ahead, Done, LINES, Lines, PANEL_STEP, Place, Rows, STEP, Soon, Then};
use crate::gemm::avx512::{masks, transpose_16};
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

/// Steps among which bringing out is dealt, four rows each.
const BRINGING: usize = LINES / 4;

/// Sums are in tiles 0 to 3, those of `a` in 4 and 5, those of `b` in 6 and 7.
///
/// # Safety
/// As [`super::multiply`].
#[inline]
pub unsafe fn multiply(
    a: Rows,
    b: *const u16,
    steps: usize,
    (sums, then): (*mut f32, Then),
    ahead: Ahead,
    done: Option<Done>,
) {
    // SAFETY: the caller's.
    unsafe {
        let mut walk = Steps::of(a, b, ahead);
        let mut left = steps;
        match done {
            Some(done) if done.size.0 == LINES && steps >= BRINGING => {
                match done.to {
                    Place::Wide(to) => walk.bringing_wide(done, to),
                    Place::Narrow(to) => walk.bringing_narrow(done, to),
                }
                left -= BRINGING;
            }
            Some(done) => super::bring(done),
            None => {}
        }
        walk.steps(left);
        match then {
            Then::Zero => put_down(sums),
            Then::Taken(next) => exchange(sums, next),
        }
    }
}

/// Tiles are zero then.
///
/// # Safety
/// The tiles have their shape; there are 32 x 32 sums.
#[inline]
unsafe fn put_down(sums: *mut f32) {
    // SAFETY: the caller's.
    unsafe {
        asm!(
            "tilestored [{sums} + {line}*2], tmm0",
            "tilestored [{sums} + {line}*2 + 64], tmm1",
            "tilestored [{sums} + {line}*2 + 2048], tmm2",
            "tilestored [{sums} + {line}*2 + 2112], tmm3",
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            sums = in(reg) sums,
            line = in(reg) 64usize,
            options(nostack),
        );
    }
}

/// Put sums down and take up others, a tile at a time: loads need not wait for the stores of all tiles.
///
/// # Safety
/// As [`put_down`], for both.
#[inline]
unsafe fn exchange(sums: *mut f32, next: *const f32) {
    // SAFETY: the caller's.
    unsafe {
        asm!(
            "tilestored [{sums} + {line}*2], tmm0",
            "tileloadd tmm0, [{next} + {line}*2]",
            "tilestored [{sums} + {line}*2 + 64], tmm1",
            "tileloadd tmm1, [{next} + {line}*2 + 64]",
            "tilestored [{sums} + {line}*2 + 2048], tmm2",
            "tileloadd tmm2, [{next} + {line}*2 + 2048]",
            "tilestored [{sums} + {line}*2 + 2112], tmm3",
            "tileloadd tmm3, [{next} + {line}*2 + 2112]",
            sums = in(reg) sums,
            next = in(reg) next,
            line = in(reg) 64usize,
            options(nostack),
        );
    }
}

/// A walk over the steps of two panels.
struct Steps {
    a: *const u16,
    half: *const u16,
    b: *const u16,
    /// Bytes from row to row of `a`.
    row: usize,
    ahead: *const u16,
    /// Bytes from line to line of what is wanted ahead.
    line: isize,
    soon: Soon,
    strides: Strides,
}

/// Bytes from step to step, of `a` and of what is wanted ahead, and from row to row of what is brought out: in memory,
/// as registers are few.
#[repr(C)]
struct Strides {
    a: usize,
    ahead: isize,
    out: isize,
}

/// One step: `$ahead` is what is done for lines that are wanted soon, `$bring` for sums that are done.
macro_rules! walk {
    ($walk:ident, $count:expr, [$($ahead:literal),*], [$($bring:literal),*], $($operand:tt)*) => {
        asm!(
            "4:",
            "tileloaddt1 tmm6, [{b} + {tile}]",
            "tileloadd tmm4, [{a} + {row}]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloaddt1 tmm7, [{b} + {tile} + 1024]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{half} + {row}]",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            $($ahead,)*
            $($bring,)*
            "add {a}, [{strides}]",
            "add {half}, [{strides}]",
            "add {ahead}, [{strides} + 8]",
            "add {b}, 2048",
            "dec {steps}",
            "jnz 4b",
            a = inout(reg) $walk.a,
            half = inout(reg) $walk.half,
            b = inout(reg) $walk.b,
            row = in(reg) $walk.row,
            tile = in(reg) 64usize,
            ahead = inout(reg) $walk.ahead,
            line = in(reg) $walk.line,
            strides = in(reg) &raw const $walk.strides,
            steps = inout(reg) $count => _,
            $($operand)*
            options(nostack),
        )
    };
}

/// [`walk!`] with what is done about lines that are wanted soon.
macro_rules! walk_ahead {
    ($walk:ident, $count:expr, $bring:tt, $($operand:tt)*) => {
        match &mut $walk.soon {
            Soon::Asked => walk!($walk, $count, [
                "prefetcht1 [{ahead}]",
                "prefetcht1 [{ahead} + {line}]",
                "prefetcht1 [{ahead} + {line}*2]",
                "add {ahead}, {line}",
                "prefetcht1 [{ahead} + {line}*2]"
            ], $bring, $($operand)*),
            Soon::Two(to) => walk!($walk, $count, [
                "vmovdqu64 {c0}, [{ahead}]",
                "vmovdqu64 {c1}, [{ahead} + {line}]",
                "add {ahead}, {line}",
                "vmovdqa64 [{copy}], {c0}",
                "vmovdqa64 [{copy} + 64], {c1}",
                "add {copy}, 2048"
            ], $bring,
                copy = inout(reg) *to,
                c0 = out(zmm_reg) _,
                c1 = out(zmm_reg) _,
                $($operand)*
            ),
            Soon::Four(to) => walk!($walk, $count, [
                "vmovdqu64 {c0}, [{ahead}]",
                "vmovdqu64 {c1}, [{ahead} + {line}]",
                "vmovdqu64 {c2}, [{ahead} + {line}*2]",
                "add {ahead}, {line}",
                "vmovdqu64 {c3}, [{ahead} + {line}*2]",
                "vmovdqa64 [{copy}], {c0}",
                "vmovdqa64 [{copy} + 64], {c1}",
                "vmovdqa64 [{copy} + 128], {c2}",
                "vmovdqa64 [{copy} + 192], {c3}",
                "add {copy}, 2048"
            ], $bring,
                copy = inout(reg) *to,
                c0 = out(zmm_reg) _,
                c1 = out(zmm_reg) _,
                c2 = out(zmm_reg) _,
                c3 = out(zmm_reg) _,
                $($operand)*
            ),
        }
    };
}

impl Steps {
    fn of(a: Rows, b: *const u16, ahead: Ahead) -> Steps {
        // The walk has gone on by a line within a step.
        let strides = Strides { a: 2 * a.step, ahead: 2 * (ahead.step - ahead.line), out: 0 };
        let half = a.at.wrapping_add(16 * a.row);
        Steps {
            a: a.at,
            half,
            b,
            row: 2 * a.row,
            ahead: ahead.at,
            line: 2 * ahead.line,
            soon: ahead.soon,
            strides,
        }
    }

    /// # Safety
    /// There are so many steps.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn steps(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        // SAFETY: the caller's.
        unsafe { walk_ahead!(self, count, [],) };
    }

    /// Eight steps, in which 32 rows are brought out.
    ///
    /// # Safety
    /// There are so many steps; the results exist.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn bringing_narrow(&mut self, done: Done, to: *mut u16) {
        self.strides.out = 2 * done.line;
        // SAFETY: the caller's.
        unsafe {
            walk_ahead!(self, BRINGING, [
                "vmovaps {x}, [{sums} + 64]",
                "vcvtne2ps2bf16 {x}, {x}, [{sums}]",
                "vmovdqu16 [{to}]{{{mask}}}, {x}",
                "add {to}, [{strides} + 16]",
                "vmovaps {y}, [{sums} + 192]",
                "vcvtne2ps2bf16 {y}, {y}, [{sums} + 128]",
                "vmovdqu16 [{to}]{{{mask}}}, {y}",
                "add {to}, [{strides} + 16]",
                "vmovaps {x}, [{sums} + 320]",
                "vcvtne2ps2bf16 {x}, {x}, [{sums} + 256]",
                "vmovdqu16 [{to}]{{{mask}}}, {x}",
                "add {to}, [{strides} + 16]",
                "vmovaps {y}, [{sums} + 448]",
                "vcvtne2ps2bf16 {y}, {y}, [{sums} + 384]",
                "vmovdqu16 [{to}]{{{mask}}}, {y}",
                "add {to}, [{strides} + 16]",
                "add {sums}, 512"
            ],
                sums = inout(reg) done.sums => _,
                to = inout(reg) to => _,
                mask = in(kreg) first(done.size.1),
                x = out(zmm_reg) _,
                y = out(zmm_reg) _,
            );
        }
    }

    /// As [`Self::bringing_narrow`].
    ///
    /// # Safety
    /// As [`Self::bringing_narrow`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn bringing_wide(&mut self, done: Done, to: *mut f32) {
        self.strides.out = 4 * done.line;
        let (low, high) = masks(done.size.1);
        // SAFETY: the caller's.
        unsafe {
            walk_ahead!(self, BRINGING, [
                "vmovaps {x}, [{sums}]",
                "vmovaps {y}, [{sums} + 64]",
                "vmovups [{to}]{{{low}}}, {x}",
                "vmovups [{to} + 64]{{{high}}}, {y}",
                "add {to}, [{strides} + 16]",
                "vmovaps {x}, [{sums} + 128]",
                "vmovaps {y}, [{sums} + 192]",
                "vmovups [{to}]{{{low}}}, {x}",
                "vmovups [{to} + 64]{{{high}}}, {y}",
                "add {to}, [{strides} + 16]",
                "vmovaps {x}, [{sums} + 256]",
                "vmovaps {y}, [{sums} + 320]",
                "vmovups [{to}]{{{low}}}, {x}",
                "vmovups [{to} + 64]{{{high}}}, {y}",
                "add {to}, [{strides} + 16]",
                "vmovaps {x}, [{sums} + 384]",
                "vmovaps {y}, [{sums} + 448]",
                "vmovups [{to}]{{{low}}}, {x}",
                "vmovups [{to} + 64]{{{high}}}, {y}",
                "add {to}, [{strides} + 16]",
                "add {sums}, 512"
            ],
                sums = inout(reg) done.sums => _,
                to = inout(reg) to => _,
                low = in(kreg) low,
                high = in(kreg) high,
                x = out(zmm_reg) _,
                y = out(zmm_reg) _,
            );
        }
    }
}

/// In the order in which the lines lie: runs that are read stay long.
///
/// # Safety
/// As [`super::pack`].
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn pack(lines: Lines, count: usize, depth: usize, transposed: bool, to: *mut u16) {
    let (panels, steps) = (count.div_ceil(LINES), depth.div_ceil(STEP));
    if lines.depth == 1 && !transposed {
        // SAFETY: the caller's.
        return unsafe { copy(lines, count, depth, to) };
    }
    if lines.line == 1 && transposed {
        // SAFETY: the caller's.
        return unsafe { deal(lines, count, depth, to) };
    }
    let one = |panel: usize, step: usize| {
        let at = panel as isize * LINES as isize * lines.line + step as isize * STEP as isize * lines.depth;
        let piece = Lines { at: lines.at.wrapping_offset(at), ..lines };
        let size = (LINES.min(count - panel * LINES), STEP.min(depth - step * STEP));
        // SAFETY: the caller's.
        unsafe { pack_step(piece, size, transposed, to.add((panel * steps + step) * PANEL_STEP)) };
    };
    if lines.depth == 1 {
        (0..panels).for_each(|panel| (0..steps).for_each(|step| one(panel, step)));
    } else {
        (0..steps).for_each(|step| (0..panels).for_each(|panel| one(panel, step)));
    }
}

/// Lines along memory that stay as they are, each read in one go.
///
/// # Safety
/// As [`super::pack`].
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn copy(lines: Lines, count: usize, depth: usize, to: *mut u16) {
    let steps = depth.div_ceil(STEP);
    for line in 0..count.next_multiple_of(LINES) {
        let from = lines.at.wrapping_offset(line as isize * lines.line);
        let to = to.wrapping_add(line / LINES * steps * PANEL_STEP + line % LINES * STEP);
        let depth = if line < count { depth } else { 0 };
        for step in 0..depth / STEP {
            // SAFETY: the line has these elements; there is room for whole panels.
            unsafe {
                let piece = _mm512_loadu_si512(from.wrapping_add(step * STEP).cast());
                _mm512_store_si512(to.wrapping_add(step * PANEL_STEP).cast(), piece);
            }
        }
        for step in depth / STEP..steps {
            let mask = first(depth - (step * STEP).min(depth));
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                let piece = _mm512_maskz_loadu_epi16(mask, from.wrapping_add(step * STEP).cast());
                _mm512_store_si512(to.wrapping_add(step * PANEL_STEP).cast(), piece);
            }
        }
    }
}

/// One step of one panel.
///
/// # Safety
/// As [`super::pack`].
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn pack_step(lines: Lines, (count, depth): (usize, usize), transposed: bool, to: *mut u16) {
    // SAFETY: the caller's.
    unsafe {
        match (lines.depth, lines.line) {
            (1, _) => along(lines, count, depth, transposed, to),
            (_, 1) => across(lines, count, depth, transposed, to),
            _ => {
                let copy = gathered(lines, count, depth);
                let piece = Lines { at: copy.0.as_ptr(), line: STEP as isize, depth: 1 };
                along(piece, count, depth, transposed, to);
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
unsafe fn along(lines: Lines, count: usize, depth: usize, transposed: bool, to: *mut u16) {
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
        unsafe { put(tile, transposed, to.add(half * PANEL_STEP / 2)) };
    }
}

/// One step of lines that lie side by side: two depths are dealt into pairs. Each is read once, as depths may lie a
/// power of two apart.
///
/// # Safety
/// As [`super::pack`].
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn across(lines: Lines, count: usize, depth: usize, transposed: bool, to: *mut u16) {
    let (mask, places) = (first(count), [spread(0), spread(16)]);
    let mut tiles = [[_mm512_setzero_ps(); 16]; 2];
    for pair in 0..16 {
        let load = |k: usize| {
            let at = lines.at.wrapping_offset(k as isize * lines.depth);
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_offset(SOON * lines.depth).cast());
            // SAFETY: masked elements are not touched.
            unsafe { _mm512_maskz_loadu_epi16(if k < depth { mask } else { 0 }, at.cast()) }
        };
        let (even, odd) = (load(2 * pair), load(2 * pair + 1));
        for (tile, places) in tiles.iter_mut().zip(places) {
            tile[pair] = _mm512_castsi512_ps(_mm512_permutex2var_epi16(even, places, odd));
        }
    }
    for (half, tile) in tiles.into_iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { put(tile, !transposed, to.add(half * PANEL_STEP / 2)) };
    }
}

/// Depths that are asked for before they are read.
const SOON: isize = 8;

/// Lines that lie side by side, as the right operand wants them: two depths are dealt into pairs, of all lines before
/// the next two, so that what is read in one go is long.
///
/// # Safety
/// As [`super::pack`].
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn deal(lines: Lines, count: usize, depth: usize, to: *mut u16) {
    let steps = depth.div_ceil(STEP);
    let places = [spread(0), spread(16)];
    for k in (0..steps * STEP).step_by(2) {
        let from = lines.at.wrapping_offset(k as isize * lines.depth);
        let to = to.wrapping_add(k / STEP * PANEL_STEP + k % STEP * 16);
        let whole = if k + 1 < depth { count / LINES } else { 0 };
        for panel in 0..count.div_ceil(LINES) {
            let at = from.wrapping_add(panel * LINES);
            let to = to.wrapping_add(panel * steps * PANEL_STEP);
            for soon in [0, 1] {
                _mm_prefetch::<_MM_HINT_T0>(at.wrapping_offset((SOON + soon) * lines.depth).cast());
            }
            let odd = at.wrapping_offset(lines.depth);
            // SAFETY: masked elements are not touched, whole lines are there; there is room for whole panels.
            unsafe {
                if panel < whole {
                    put_pairs([_mm512_loadu_epi16(at.cast()), _mm512_loadu_epi16(odd.cast())], places, to);
                } else {
                    let mask = |k: usize| if k < depth { first(count - panel * LINES) } else { 0 };
                    let even = _mm512_maskz_loadu_epi16(mask(k), at.cast());
                    put_pairs([even, _mm512_maskz_loadu_epi16(mask(k + 1), odd.cast())], places, to);
                }
            }
        }
    }
}

/// Two depths of 32 lines as pairs, in two tiles.
///
/// # Safety
/// There is room.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
unsafe fn put_pairs([even, odd]: [__m512i; 2], places: [__m512i; 2], to: *mut u16) {
    // SAFETY: the caller's.
    unsafe {
        _mm512_storeu_si512(to.cast(), _mm512_permutex2var_epi16(even, places[0], odd));
        let second = to.wrapping_add(PANEL_STEP / 2);
        _mm512_storeu_si512(second.cast(), _mm512_permutex2var_epi16(even, places[1], odd));
    }
}

/// Where 16 numbers of two vectors are, by turns, from `first` on.
#[target_feature(enable = "avx512f,avx512bw")]
fn spread(first: i16) -> __m512i {
    let mut places = [0i16; 32];
    for (i, place) in places.iter_mut().enumerate() {
        *place = first + (i / 2) as i16 + if i % 2 == 1 { 32 } else { 0 };
    }
    // SAFETY: 64 bytes.
    unsafe { _mm512_loadu_epi16(places.as_ptr()) }
}

/// # Safety
/// There is room for a tile.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn put(mut tile: [__m512; 16], transposed: bool, to: *mut u16) {
    if transposed {
        transpose_16(&mut tile);
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
pub unsafe fn bring_wide(done: Done, to: *mut f32) {
    let (low, high) = masks(done.size.1);
    for row in 0..done.size.0 {
        // SAFETY: masked elements are not touched.
        unsafe {
            let (from, to) = (done.sums.add(row * LINES), to.offset(row as isize * done.line));
            _mm512_mask_storeu_ps(to, low, _mm512_load_ps(from));
            _mm512_mask_storeu_ps(to.wrapping_add(16), high, _mm512_load_ps(from.add(16)));
        }
    }
}

/// # Safety
/// As [`super::bring`].
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub unsafe fn bring_narrow(done: Done, to: *mut u16) {
    let mask = first(done.size.1);
    for row in 0..done.size.0 {
        // SAFETY: masked elements are not touched; the types are 64 bytes of the same bits.
        unsafe {
            let from = done.sums.add(row * LINES);
            let both = _mm512_cvtne2ps_pbh(_mm512_load_ps(from.add(16)), _mm512_load_ps(from));
            let both = std::mem::transmute::<__m512bh, __m512i>(both);
            _mm512_mask_storeu_epi16(to.offset(row as isize * done.line).cast(), mask, both);
        }
    }
}
