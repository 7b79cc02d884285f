//! Products of `f32` with AVX-512: packing and 14 x 32 results in registers. How blocks are cut is said in the parent.

use super::{DEPTH, Strided, Target, reads_in_place, with_scratch};
use std::arch::asm;
use std::arch::x86_64::*;

/// Sums of 14 rows and 32 columns.
pub type Sums = [[__m512; 2]; ROWS];
/// Rows and columns of results in registers.
pub const ROWS: usize = 14;
pub const COLUMNS: usize = 32;
/// Columns of a packed block of `b`.
const BLOCK: usize = 1024;
/// Panels of rows that are packed at once.
pub const GROUP: usize = 16;
/// Elements of a cache line.
const LINE: usize = 16;
/// Depths that are asked for before they are packed.
const SOON: isize = 8;

/// # Safety
/// As [`super::gemm`]; the CPU has AVX-512 and columns of `c` lie side by side.
#[target_feature(enable = "avx512f")]
pub unsafe fn gemm(m: usize, n: usize, k: usize, a: Strided, b: Strided, c: Target) {
    with_scratch(|panels| {
        let rows = panels.wrapping_add(BLOCK * DEPTH);
        for column in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - column);
            for from in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - from);
                // SAFETY: the block lies in the matrices, and packed it fits the buffer.
                unsafe {
                    let at = b.at.offset(column as isize * b.column + from as isize * b.row);
                    pack_panels(Strided { at, ..b }, depth, width, panels);
                    let at = a.at.offset(from as isize * a.column);
                    let target = Target { at: c.at.add(column), add: c.add || from > 0, ..c };
                    block(Strided { at, ..a }, (m, width, depth), panels, rows, target);
                }
            }
        }
    });
}

/// Elements of all of `b`, packed.
pub fn packed_len(n: usize, k: usize) -> usize {
    n.next_multiple_of(COLUMNS) * k
}

/// Where a block of columns, from a depth on, lies in all that is packed.
fn packed_at(column: usize, width: usize, from: usize, k: usize) -> usize {
    column * k + width.next_multiple_of(COLUMNS) * from
}

/// Pack all of `b`, block after block.
///
/// # Safety
/// As [`super::pack`]; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
pub unsafe fn pack(n: usize, k: usize, b: Strided, to: *mut f32) {
    for column in (0..n).step_by(BLOCK) {
        let width = BLOCK.min(n - column);
        for from in (0..k).step_by(DEPTH) {
            let at = b.at.wrapping_offset(column as isize * b.column + from as isize * b.row);
            let to = to.wrapping_add(packed_at(column, width, from, k));
            // SAFETY: the block lies in the matrix, and packed in its room.
            unsafe { pack_panels(Strided { at, ..b }, DEPTH.min(k - from), width, to) };
        }
    }
}

/// [`gemm()`] of a packed right operand.
///
/// # Safety
/// As [`gemm()`]; all of `b` is packed.
#[target_feature(enable = "avx512f")]
pub unsafe fn gemm_packed(m: usize, n: usize, k: usize, a: Strided, b: *const f32, c: Target) {
    with_scratch(|room| {
        for column in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - column);
            for from in (0..k).step_by(DEPTH) {
                let at = a.at.wrapping_offset(from as isize * a.column);
                let panels = b.wrapping_add(packed_at(column, width, from, k));
                let target = Target { at: c.at.wrapping_add(column), add: c.add || from > 0, ..c };
                let size = (m, width, DEPTH.min(k - from));
                // SAFETY: the block lies in the matrices and among the packed ones.
                unsafe { block(Strided { at, ..a }, size, panels, room, target) };
            }
        }
    });
}

/// All rows against a packed block.
///
/// # Safety
/// As [`gemm()`]; `room` has room for 16 times 14 rows.
#[target_feature(enable = "avx512f")]
unsafe fn block(a: Strided, (m, n, depth): Size, panels: *const f32, room: *mut f32, c: Target) {
    let lie = Lie::of(&a);
    for row in (0..m).step_by(ROWS) {
        let count = ROWS.min(m - row);
        let at = |row: usize| Strided { at: a.at.wrapping_offset(row as isize * a.row), ..a };
        // SAFETY: the rows exist; there is room for them.
        unsafe {
            let rows = match lie {
                Lie::Well => at(row),
                Lie::Aliased => copy_rows(at(row), count, depth, room),
                Lie::Across => {
                    if row % (ROWS * GROUP) == 0 {
                        pack_rows(at(row), (m - row).min(ROWS * GROUP), depth, room);
                    }
                    let at = room.add(row / ROWS % GROUP * apart(depth)).cast_const();
                    Strided { at, row: 1, column: 16 }
                }
            };
            let target = Target { at: c.at.offset(row as isize * c.row), ..c };
            strip(rows, Ahead::of(&a, lie, row, (m, n, depth)), (count, n, depth), panels, target);
        }
    }
}

/// How rows of the left operand lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// They are read where they lie.
    Well,
    /// Along memory, but a multiple of 4 KiB apart: all on the same set of the first cache.
    Aliased,
    /// Not along memory.
    Across,
}

impl Lie {
    fn of(a: &Strided) -> Lie {
        match a.column {
            1 if reads_in_place(a.row, 1) => Lie::Well,
            1 => Lie::Aliased,
            _ => Lie::Across,
        }
    }
}

/// Rows, columns and depth.
type Size = (usize, usize, usize);

/// What is wanted next of the left operand: runs of cache lines.
struct Ahead {
    at: *const f32,
    runs: usize,
    /// Elements from run to run.
    apart: isize,
    lines: usize,
}

impl Ahead {
    /// While the strip at `row` is multiplied: the next strip, or a 16th of the next group of strips.
    fn of(a: &Strided, lie: Lie, row: usize, (m, _, depth): Size) -> Ahead {
        let group = ROWS * GROUP;
        let (first, runs, apart, lines) = match lie {
            Lie::Well | Lie::Aliased => (row + ROWS, ROWS, a.row, depth.div_ceil(LINE)),
            Lie::Across => (row / group * group + group, depth.div_ceil(GROUP), a.column, group / LINE + 1),
        };
        let wanted = first < m && (lie != Lie::Across || a.row == 1);
        let run = if lie == Lie::Across { row % group / ROWS * runs } else { 0 };
        let at = a.at.wrapping_offset(first as isize * a.row + run as isize * apart);
        Ahead { at, runs: if wanted { runs } else { 0 }, apart, lines }
    }

    /// Ask for the `part`-th of `parts` equal parts.
    #[target_feature(enable = "avx512f")]
    fn ask(&self, part: usize, parts: usize) {
        for run in part * self.runs / parts..(part + 1) * self.runs / parts {
            let at = self.at.wrapping_offset(run as isize * self.apart);
            for line in 0..self.lines {
                _mm_prefetch::<_MM_HINT_T1>(at.wrapping_add(line * LINE).cast());
            }
        }
    }
}

/// At most 14 rows against all panels.
///
/// # Safety
/// As [`gemm()`].
#[target_feature(enable = "avx512f")]
unsafe fn strip(a: Strided, ahead: Ahead, (count, n, depth): Size, panels: *const f32, c: Target) {
    for column in (0..n).step_by(COLUMNS) {
        ahead.ask(column / COLUMNS, n.div_ceil(COLUMNS));
        let width = COLUMNS.min(n - column);
        // SAFETY: the caller's.
        unsafe {
            let target = Target { at: c.at.add(column), ..c };
            tile(count, width, a, panels.add(column * depth), depth, target);
        }
    }
}

/// Rows along memory, copied to where they do not fall on the same sets.
///
/// # Safety
/// The rows exist; `to` has room for 14 of them and a line each.
#[target_feature(enable = "avx512f")]
unsafe fn copy_rows(a: Strided, count: usize, depth: usize, to: *mut f32) -> Strided {
    const APART: usize = DEPTH + LINE;
    for row in 0..count {
        let (from, to) = (a.at.wrapping_offset(row as isize * a.row), to.wrapping_add(row * APART));
        for k in (0..depth).step_by(LINE) {
            let (mask, _) = masks(depth - k);
            // SAFETY: masked elements are not touched.
            unsafe { _mm512_store_ps(to.add(k), _mm512_maskz_loadu_ps(mask, from.wrapping_add(k))) };
        }
    }
    Strided { at: to, row: APART as isize, column: 1 }
}

/// Columns by 32, each panel by `k`; what lacks to 32 is zero.
///
/// # Safety
/// The block of `b` exists; `to` has room for it.
#[target_feature(enable = "avx512f")]
unsafe fn pack_panels(b: Strided, depth: usize, width: usize, to: *mut f32) {
    for column in (0..width).step_by(COLUMNS) {
        let count = COLUMNS.min(width - column);
        // SAFETY: the caller's.
        unsafe {
            let from = b.at.offset(column as isize * b.column);
            let to = to.add(column * depth);
            match (b.column, b.row) {
                (1, _) => pack_side_by_side(from, b.row, depth, count, to),
                (_, 1) if count == COLUMNS => pack_turned(from, b.column, depth, to),
                _ => pack_any(from, b, depth, count, to),
            }
        }
    }
}

/// # Safety
/// As [`pack_panels`].
#[target_feature(enable = "avx512f")]
unsafe fn pack_side_by_side(from: *const f32, row: isize, depth: usize, count: usize, to: *mut f32) {
    let (first, second) = masks(count);
    for k in 0..depth {
        // SAFETY: masked elements are not touched.
        unsafe {
            let from = from.offset(k as isize * row);
            let to = to.add(k * COLUMNS);
            let soon = from.wrapping_offset(SOON * row);
            _mm_prefetch::<_MM_HINT_T0>(soon.cast());
            _mm_prefetch::<_MM_HINT_T0>(soon.wrapping_add(LINE).cast());
            _mm512_store_ps(to, _mm512_maskz_loadu_ps(first, from));
            _mm512_store_ps(to.add(16), _mm512_maskz_loadu_ps(second, from.wrapping_add(16)));
        }
    }
}

/// Columns that lie along memory: blocks of 16 x 16 are turned in registers.
///
/// # Safety
/// As [`pack_panels`]; there are 32 columns.
#[target_feature(enable = "avx512f")]
unsafe fn pack_turned(from: *const f32, column: isize, depth: usize, to: *mut f32) {
    let whole = depth / 16 * 16;
    for half in 0..2 {
        let from = from.wrapping_offset(half as isize * 16 * column);
        let to = to.wrapping_add(half * 16);
        for k in (0..whole).step_by(16) {
            // SAFETY: 16 elements of 16 columns.
            unsafe {
                let mut block = [_mm512_setzero_ps(); 16];
                for (i, line) in block.iter_mut().enumerate() {
                    *line = _mm512_loadu_ps(from.offset(i as isize * column).add(k));
                }
                turn(&mut block);
                for (i, line) in block.iter().enumerate() {
                    _mm512_store_ps(to.add((k + i) * COLUMNS), *line);
                }
            }
        }
        for k in whole..depth {
            for i in 0..16 {
                // SAFETY: as above.
                unsafe { *to.add(k * COLUMNS + i) = *from.offset(i as isize * column).add(k) };
            }
        }
    }
}

/// # Safety
/// As [`pack_panels`].
unsafe fn pack_any(from: *const f32, b: Strided, depth: usize, count: usize, to: *mut f32) {
    for k in 0..depth {
        for i in 0..COLUMNS {
            // SAFETY: the caller's.
            unsafe {
                let x = match i < count {
                    true => *from.offset(k as isize * b.row + i as isize * b.column),
                    false => 0.0,
                };
                *to.add(k * COLUMNS + i) = x;
            }
        }
    }
}

/// Elements from panel to panel of packed rows: not a multiple of 4 KiB.
fn apart(depth: usize) -> usize {
    16 * depth + LINE
}

/// Rows by 14, each panel by `k`, 16 places apart. Rows that lie side by side are read in long runs.
///
/// # Safety
/// The rows exist; `to` has room for 16 panels.
#[target_feature(enable = "avx512f")]
unsafe fn pack_rows(a: Strided, count: usize, depth: usize, to: *mut f32) {
    // SAFETY: the caller's.
    unsafe {
        if a.row == 1 {
            for k in 0..depth {
                let from = a.at.offset(k as isize * a.column);
                for row in (0..count).step_by(ROWS) {
                    let (mask, _) = masks(ROWS.min(count - row));
                    let soon = from.wrapping_offset(SOON * a.column).wrapping_add(row);
                    _mm_prefetch::<_MM_HINT_T0>(soon.cast());
                    let line = _mm512_maskz_loadu_ps(mask, from.add(row));
                    _mm512_store_ps(to.add(row / ROWS * apart(depth) + k * 16), line);
                }
            }
            return;
        }
        for row in (0..count).step_by(ROWS) {
            let at = a.at.offset(row as isize * a.row);
            pack_panel(Strided { at, ..a }, ROWS.min(count - row), depth, to.add(row / ROWS * apart(depth)));
        }
    }
}

/// One panel of rows that do not lie side by side.
///
/// # Safety
/// As [`pack_rows`].
#[target_feature(enable = "avx512f")]
unsafe fn pack_panel(a: Strided, count: usize, depth: usize, to: *mut f32) {
    // SAFETY: the caller's.
    unsafe {
        let whole = if a.column == 1 { depth / 16 * 16 } else { 0 };
        for k in (0..whole).step_by(16) {
            let mut block = [_mm512_setzero_ps(); 16];
            for (i, line) in block.iter_mut().enumerate().take(count) {
                *line = _mm512_loadu_ps(a.at.offset(i as isize * a.row).add(k));
            }
            turn(&mut block);
            for (i, line) in block.iter().enumerate() {
                _mm512_store_ps(to.add((k + i) * 16), *line);
            }
        }
        for k in whole..depth {
            for i in 0..count {
                *to.add(k * 16 + i) = *a.at.offset(i as isize * a.row + k as isize * a.column);
            }
        }
    }
}

/// As [`super::turned_rows`]: blocks of 16 x 16 in registers. What the next blocks read and write is asked for before.
///
/// # Safety
/// All elements exist; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
pub unsafe fn turned_rows(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    for column in (0..columns).step_by(LINE) {
        for row in (0..rows).step_by(LINE) {
            let from = from.wrapping_offset(column as isize * step).wrapping_add(row);
            let to = to.wrapping_offset(row as isize * to_row).wrapping_add(column);
            for line in 0..LINE as isize {
                _mm_prefetch::<_MM_HINT_T0>(from.wrapping_offset((line + LINE as isize) * step).cast());
                _mm_prefetch::<_MM_HINT_ET0>(to.wrapping_offset(line * to_row).wrapping_add(LINE).cast());
            }
            let size = (LINE.min(rows - row), LINE.min(columns - column));
            // SAFETY: the caller's.
            unsafe { copy_turned(from, step, to, to_row, size) };
        }
    }
}

/// Copy at most 16 x 16 elements turned: element (i, j) of `from` goes to (j, i) of `to`, which has `rows` rows.
///
/// # Safety
/// All elements exist; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn copy_turned(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    let (down, across) = (masks(rows).0, masks(columns).0);
    let mut block = [_mm512_setzero_ps(); LINE];
    for (i, line) in block.iter_mut().enumerate().take(columns) {
        // SAFETY: masked elements are not touched.
        *line = unsafe { _mm512_maskz_loadu_ps(down, from.offset(i as isize * step)) };
    }
    turn(&mut block);
    for (i, line) in block.iter().enumerate().take(rows) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_ps(to.offset(i as isize * to_row), across, *line) };
    }
}

/// Masks of the first `count` of 32 columns.
pub fn masks(count: usize) -> (__mmask16, __mmask16) {
    let mask = |count: usize| if count >= 16 { 0xffff } else { (1u16 << count) - 1 };
    (mask(count), mask(count.saturating_sub(16)))
}

/// Transpose 16 x 16.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn turn(x: &mut [__m512; 16]) {
    let mut y = [_mm512_setzero_ps(); 16];
    for i in 0..8 {
        y[2 * i] = _mm512_unpacklo_ps(x[2 * i], x[2 * i + 1]);
        y[2 * i + 1] = _mm512_unpackhi_ps(x[2 * i], x[2 * i + 1]);
    }
    for i in 0..4 {
        let d = |v: __m512| _mm512_castps_pd(v);
        let s = |v: __m512d| _mm512_castpd_ps(v);
        let (a, b, c, e) = (y[4 * i], y[4 * i + 1], y[4 * i + 2], y[4 * i + 3]);
        x[4 * i] = s(_mm512_unpacklo_pd(d(a), d(c)));
        x[4 * i + 1] = s(_mm512_unpackhi_pd(d(a), d(c)));
        x[4 * i + 2] = s(_mm512_unpacklo_pd(d(b), d(e)));
        x[4 * i + 3] = s(_mm512_unpackhi_pd(d(b), d(e)));
    }
    // Now line 4i + j holds column j, 4 + j, 8 + j, 12 + j of rows 4i..4i+4, by quarters.
    for j in 0..4 {
        let low = _mm512_shuffle_f32x4::<0x88>(x[j], x[4 + j]);
        let high = _mm512_shuffle_f32x4::<0xdd>(x[j], x[4 + j]);
        let low2 = _mm512_shuffle_f32x4::<0x88>(x[8 + j], x[12 + j]);
        let high2 = _mm512_shuffle_f32x4::<0xdd>(x[8 + j], x[12 + j]);
        y[j] = _mm512_shuffle_f32x4::<0x88>(low, low2);
        y[4 + j] = _mm512_shuffle_f32x4::<0x88>(high, high2);
        y[8 + j] = _mm512_shuffle_f32x4::<0xdd>(low, low2);
        y[12 + j] = _mm512_shuffle_f32x4::<0xdd>(high, high2);
    }
    *x = y;
}

/// One tile of results: as many rows as there are.
///
/// # Safety
/// As [`gemm()`].
#[target_feature(enable = "avx512f")]
unsafe fn tile(rows: usize, columns: usize, a: Strided, panel: *const f32, depth: usize, c: Target) {
    macro_rules! by_rows {
        ($($rows:literal)*) => {
            match rows {
                $($rows => kernel::<$rows>(columns, a, panel, depth, c),)*
                _ => {}
            }
        };
    }
    // SAFETY: the caller's.
    unsafe { by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14) }
}

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

/// Sums of 14 rows over all depths of all runs, one at least. In assembly, as compilers walk from row to row by a chain of
/// additions that takes longer than the multiplications: here each row is a constant multiple of the stride away from one
/// of two addresses.
///
/// # Safety
/// The rows and the panel exist; neither the runs nor their depth are none.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn multiply(a: Segments<'_>, panel: *const f32) -> Sums {
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        asm!(
            "vpxord zmm0, zmm0, zmm0",
            "vpxord zmm1, zmm1, zmm1",
            "vpxord zmm2, zmm2, zmm2",
            "vpxord zmm3, zmm3, zmm3",
            "vpxord zmm4, zmm4, zmm4",
            "vpxord zmm5, zmm5, zmm5",
            "vpxord zmm6, zmm6, zmm6",
            "vpxord zmm7, zmm7, zmm7",
            "vpxord zmm8, zmm8, zmm8",
            "vpxord zmm9, zmm9, zmm9",
            "vpxord zmm10, zmm10, zmm10",
            "vpxord zmm11, zmm11, zmm11",
            "vpxord zmm12, zmm12, zmm12",
            "vpxord zmm13, zmm13, zmm13",
            "vpxord zmm14, zmm14, zmm14",
            "vpxord zmm15, zmm15, zmm15",
            "vpxord zmm16, zmm16, zmm16",
            "vpxord zmm17, zmm17, zmm17",
            "vpxord zmm18, zmm18, zmm18",
            "vpxord zmm19, zmm19, zmm19",
            "vpxord zmm20, zmm20, zmm20",
            "vpxord zmm21, zmm21, zmm21",
            "vpxord zmm22, zmm22, zmm22",
            "vpxord zmm23, zmm23, zmm23",
            "vpxord zmm24, zmm24, zmm24",
            "vpxord zmm25, zmm25, zmm25",
            "vpxord zmm26, zmm26, zmm26",
            "vpxord zmm27, zmm27, zmm27",
            "3:",
            "mov {a}, [{segment}]",
            "add {a}, {base}",
            "lea {b}, [{a} + {r1}]",
            "lea {b}, [{b} + {r3}*2]",
            "mov {left}, {depth}",
            "2:",
            "vmovaps zmm28, [{panel}]",
            "vmovaps zmm29, [{panel} + 64]",
            "vbroadcastss zmm30, [{a}]",
            "vfmadd231ps zmm0, zmm30, zmm28",
            "vfmadd231ps zmm1, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r1}]",
            "vfmadd231ps zmm2, zmm31, zmm28",
            "vfmadd231ps zmm3, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r1}*2]",
            "vfmadd231ps zmm4, zmm30, zmm28",
            "vfmadd231ps zmm5, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r3}]",
            "vfmadd231ps zmm6, zmm31, zmm28",
            "vfmadd231ps zmm7, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r1}*4]",
            "vfmadd231ps zmm8, zmm30, zmm28",
            "vfmadd231ps zmm9, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r5}]",
            "vfmadd231ps zmm10, zmm31, zmm28",
            "vfmadd231ps zmm11, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r3}*2]",
            "vfmadd231ps zmm12, zmm30, zmm28",
            "vfmadd231ps zmm13, zmm30, zmm29",
            "vbroadcastss zmm31, [{b}]",
            "vfmadd231ps zmm14, zmm31, zmm28",
            "vfmadd231ps zmm15, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r1}]",
            "vfmadd231ps zmm16, zmm30, zmm28",
            "vfmadd231ps zmm17, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r1}*2]",
            "vfmadd231ps zmm18, zmm31, zmm28",
            "vfmadd231ps zmm19, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r3}]",
            "vfmadd231ps zmm20, zmm30, zmm28",
            "vfmadd231ps zmm21, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r1}*4]",
            "vfmadd231ps zmm22, zmm31, zmm28",
            "vfmadd231ps zmm23, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r5}]",
            "vfmadd231ps zmm24, zmm30, zmm28",
            "vfmadd231ps zmm25, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r3}*2]",
            "vfmadd231ps zmm26, zmm31, zmm28",
            "vfmadd231ps zmm27, zmm31, zmm29",
            "add {a}, {step}",
            "add {b}, {step}",
            "add {panel}, 128",
            "dec {left}",
            "jnz 2b",
            "add {segment}, 8",
            "dec {count}",
            "jnz 3b",
            a = out(reg) _,
            b = out(reg) _,
            left = out(reg) _,
            base = in(reg) a.at,
            segment = inout(reg) a.starts.as_ptr() => _,
            count = inout(reg) a.starts.len() => _,
            panel = inout(reg) panel => _,
            depth = in(reg) a.depth,
            step = in(reg) 4 * a.step,
            r1 = in(reg) 4 * a.row,
            r3 = in(reg) 12 * a.row,
            r5 = in(reg) 20 * a.row,
            out("zmm0") sums[0][0],
            out("zmm1") sums[0][1],
            out("zmm2") sums[1][0],
            out("zmm3") sums[1][1],
            out("zmm4") sums[2][0],
            out("zmm5") sums[2][1],
            out("zmm6") sums[3][0],
            out("zmm7") sums[3][1],
            out("zmm8") sums[4][0],
            out("zmm9") sums[4][1],
            out("zmm10") sums[5][0],
            out("zmm11") sums[5][1],
            out("zmm12") sums[6][0],
            out("zmm13") sums[6][1],
            out("zmm14") sums[7][0],
            out("zmm15") sums[7][1],
            out("zmm16") sums[8][0],
            out("zmm17") sums[8][1],
            out("zmm18") sums[9][0],
            out("zmm19") sums[9][1],
            out("zmm20") sums[10][0],
            out("zmm21") sums[10][1],
            out("zmm22") sums[11][0],
            out("zmm23") sums[11][1],
            out("zmm24") sums[12][0],
            out("zmm25") sums[12][1],
            out("zmm26") sums[13][0],
            out("zmm27") sums[13][1],
            out("zmm28") _,
            out("zmm29") _,
            out("zmm30") _,
            out("zmm31") _,
            options(nostack, readonly),
        );
    }
    sums
}

/// # Safety
/// As [`gemm()`].
#[target_feature(enable = "avx512f")]
unsafe fn kernel<const R: usize>(columns: usize, a: Strided, panel: *const f32, depth: usize, c: Target) {
    /// Write something once for each row there is: loops over registers are not unrolled reliably.
    macro_rules! each_row {
        ($do:ident) => {
            each_row!($do 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
        };
        ($do:ident $($row:literal)*) => {
            $(if $row < R {
                $do!($row);
            })*
        };
    }
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    macro_rules! ask {
        ($row:literal) => {
            let at = c.at.wrapping_offset($row * c.row);
            _mm_prefetch::<_MM_HINT_ET0>(at.cast());
            _mm_prefetch::<_MM_HINT_ET0>(at.wrapping_add(LINE).cast());
        };
    }
    each_row!(ask);
    // SAFETY: the caller's.
    unsafe {
        if R == ROWS {
            let all = Segments { at: a.at, starts: &[0], depth, row: a.row, step: a.column };
            sums = multiply(all, panel);
        } else {
            for k in 0..depth as isize {
                let panel = panel.offset(k * COLUMNS as isize);
                let x = [_mm512_load_ps(panel), _mm512_load_ps(panel.add(16))];
                macro_rules! multiply {
                    ($row:literal) => {
                        let y = _mm512_set1_ps(*a.at.offset(k * a.column + $row * a.row));
                        sums[$row][0] = _mm512_fmadd_ps(y, x[0], sums[$row][0]);
                        sums[$row][1] = _mm512_fmadd_ps(y, x[1], sums[$row][1]);
                    };
                }
                each_row!(multiply);
            }
        }
        let (first, second) = masks(columns);
        macro_rules! store {
            ($row:literal) => {
                let at = c.at.offset($row * c.row);
                put(at, first, sums[$row][0], c.add);
                put(at.wrapping_add(16), second, sums[$row][1], c.add);
            };
        }
        each_row!(store);
    }
}

/// # Safety
/// The masked elements exist.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn put(at: *mut f32, mask: __mmask16, sum: __m512, add: bool) {
    // SAFETY: the caller's.
    unsafe {
        let sum = if add { _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, at)) } else { sum };
        _mm512_mask_storeu_ps(at, mask, sum);
    }
}
