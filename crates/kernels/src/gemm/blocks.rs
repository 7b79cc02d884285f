//! How products of `f32` are cut, whatever vectors they are made with.
//!
//! ```text
//! for columns by K::BLOCK, for k by 256:   pack b into panels of K::COLUMNS (second cache)
//!     for rows by K::ROWS:                 use a as it lies, or copied, or packed 16 times as many rows at once
//!         for panels of b:                 K::ROWS x K::COLUMNS results in registers
//! ```

use super::prefetch::{Block, Prefetches, Shares};
use super::sums::PrefetchRun;
use super::{DEPTH, Next, Size, Strided, Target, reads_in_place, with_scratch};

/// Panels of rows that are packed at once.
pub const GROUP: usize = 16;
/// Elements of a cache line.
pub const LINE: usize = 16;
/// Elements of a block of the right operand that is asked for while the one before is multiplied.
const MOST_SOON: usize = 1 << 17;

/// Results in registers, and how their operands are brought there. All need what the CPU must have for these vectors.
pub trait Kernel {
    /// Rows and columns of a tile of results.
    const ROWS: usize;
    const COLUMNS: usize;
    /// Columns of a packed block of `b`.
    const BLOCK: usize;
    /// Elements from depth to depth of packed rows.
    const PLACES: usize;
    /// Elements between depths of a left operand up to which rows that lie side by side are read where they lie.
    const CLOSE: usize;

    /// At most so many rows and columns of results.
    ///
    /// # Safety
    /// As [`gemm()`]; the panel is packed.
    unsafe fn tile(
        size: (usize, usize),
        a: Strided,
        prefetches: &mut Prefetches,
        panel: *const f32,
        depth: usize,
        c: Target,
    );

    /// Columns by panels, each by `k`; what lacks to a whole one is zero.
    ///
    /// # Safety
    /// The block of `b` exists; `to` has room for it.
    unsafe fn pack_panels(b: Strided, depth: usize, width: usize, to: *mut f32);

    /// Rows by panels, [`apart`] from each other, each by `k`.
    ///
    /// # Safety
    /// The rows exist; `to` has room for [`GROUP`] panels.
    unsafe fn pack_rows(a: Strided, count: usize, depth: usize, to: *mut f32);

    /// Rows along memory, copied to where they do not fall on the same sets.
    ///
    /// # Safety
    /// The rows exist; `to` has room for those of a tile and a line each.
    unsafe fn copy_rows(a: Strided, count: usize, depth: usize, to: *mut f32) -> Strided;
}

/// # Safety
/// As [`super::gemm`]; columns of `c` lie side by side.
pub unsafe fn gemm<K: Kernel>((m, n, k): Size, a: Strided, b: Strided, c: Target, next: Option<Next>) {
    with_scratch(|panels| {
        let rows = panels.wrapping_add(K::BLOCK * DEPTH);
        for column in (0..n).step_by(K::BLOCK) {
            let width = K::BLOCK.min(n - column);
            for from in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - from);
                let after = After::of::<K>(&a, &b, (n, k), (column, from), next);
                // SAFETY: the block lies in the matrices, and packed it fits the buffer.
                unsafe {
                    let at = b.at.offset(column as isize * b.column + from as isize * b.row);
                    K::pack_panels(Strided { at, ..b }, depth, width, panels);
                    let at = a.at.offset(from as isize * a.column);
                    let target = Target { at: c.at.add(column), add: c.add || from > 0, ..c };
                    block::<K>(Strided { at, ..a }, (m, width, depth), panels, rows, target, after);
                }
            }
        }
    });
}

/// What comes after a block: where the left operand goes on, and the right one's next block.
struct After {
    left: Option<*const f32>,
    right: Block,
}

impl After {
    const NOTHING: After = After { left: None, right: Block::NONE };

    /// After the block from a column and a depth on.
    fn of<K: Kernel>(
        a: &Strided,
        b: &Strided,
        (n, k): (usize, usize),
        (column, from): (usize, usize),
        next: Option<Next>,
    ) -> After {
        let (left, right, column, from) = match next {
            _ if from + DEPTH < k => (a.at, b.at, column, from + DEPTH),
            _ if column + K::BLOCK < n => (a.at, b.at, column + K::BLOCK, 0),
            Some(next) => (next.left, next.right, 0, 0),
            None => return After::NOTHING,
        };
        let left = left.wrapping_offset(from as isize * a.column);
        let at = right.wrapping_offset(column as isize * b.column + from as isize * b.row);
        let size = (K::BLOCK.min(n - column), DEPTH.min(k - from));
        After { left: Some(left), right: right_block(&Strided { at, ..*b }, size) }
    }
}

/// A block of the right operand, unless it is so large that it would push out of the second cache what is in use.
fn right_block(b: &Strided, (width, depth): (usize, usize)) -> Block {
    match (b.column, b.row) {
        _ if width * depth > MOST_SOON => Block::NONE,
        (1, _) => Block { at: b.at, runs: depth, apart: b.row, length: width },
        (_, 1) => Block { at: b.at, runs: width, apart: b.column, length: depth },
        _ => Block::NONE,
    }
}

/// Elements of all of `b`, packed.
pub fn packed_len<K: Kernel>(n: usize, k: usize) -> usize {
    n.next_multiple_of(K::COLUMNS) * k
}

/// Where a block of columns, from a depth on, lies in all that is packed.
fn packed_at<K: Kernel>(column: usize, width: usize, from: usize, k: usize) -> usize {
    column * k + width.next_multiple_of(K::COLUMNS) * from
}

/// Pack all of `b`, block after block.
///
/// # Safety
/// As [`super::pack`].
pub unsafe fn pack<K: Kernel>(n: usize, k: usize, b: Strided, to: *mut f32) {
    for column in (0..n).step_by(K::BLOCK) {
        let width = K::BLOCK.min(n - column);
        for from in (0..k).step_by(DEPTH) {
            let at = b.at.wrapping_offset(column as isize * b.column + from as isize * b.row);
            let to = to.wrapping_add(packed_at::<K>(column, width, from, k));
            // SAFETY: the block lies in the matrix, and packed in its room.
            unsafe { K::pack_panels(Strided { at, ..b }, DEPTH.min(k - from), width, to) };
        }
    }
}

/// [`gemm()`] of a packed right operand.
///
/// # Safety
/// As [`gemm()`]; all of `b` is packed.
pub unsafe fn gemm_packed<K: Kernel>((m, n, k): Size, a: Strided, b: *const f32, c: Target) {
    with_scratch(|room| {
        for column in (0..n).step_by(K::BLOCK) {
            let width = K::BLOCK.min(n - column);
            for from in (0..k).step_by(DEPTH) {
                let at = a.at.wrapping_offset(from as isize * a.column);
                let panels = b.wrapping_add(packed_at::<K>(column, width, from, k));
                let target = Target { at: c.at.wrapping_add(column), add: c.add || from > 0, ..c };
                let size = (m, width, DEPTH.min(k - from));
                // SAFETY: the block lies in the matrices and among the packed ones.
                unsafe { block::<K>(Strided { at, ..a }, size, panels, room, target, After::NOTHING) };
            }
        }
    });
}

/// All rows against a packed block.
///
/// # Safety
/// As [`gemm()`]; `room` has room for a group of panels of rows.
unsafe fn block<K: Kernel>(
    a: Strided,
    (m, n, depth): Size,
    panels: *const f32,
    room: *mut f32,
    c: Target,
    after: After,
) {
    let lie = Lie::of(&a);
    let (strips, tiles) = (m.div_ceil(K::ROWS), n.div_ceil(K::COLUMNS));
    let mut right = Shares::new(after.right, strips * tiles);
    let mut left = Shares::new(Block::NONE, 1);
    for row in (0..m).step_by(K::ROWS) {
        let count = K::ROWS.min(m - row);
        let at = |row: usize| Strided { at: a.at.wrapping_offset(row as isize * a.row), ..a };
        if row % lie.together::<K>() == 0 {
            let shares = lie.together::<K>().min(m - row).div_ceil(K::ROWS) * tiles;
            left = Shares::new(lie.next::<K>(&a, row, (m, depth), &after), shares);
        }
        // SAFETY: the rows exist; there is room for them.
        unsafe {
            let rows = match lie {
                Lie::Well => at(row),
                Lie::Aliased => K::copy_rows(at(row), count, depth, room),
                Lie::Across if a.row == 1 && a.column.unsigned_abs() <= K::CLOSE => at(row),
                Lie::Across => {
                    if row % (K::ROWS * GROUP) == 0 {
                        K::pack_rows(at(row), (m - row).min(K::ROWS * GROUP), depth, room);
                    }
                    let at = room.add(row / K::ROWS % GROUP * apart(K::PLACES, depth)).cast_const();
                    Strided { at, row: 1, column: K::PLACES as isize }
                }
            };
            let target = Target { at: c.at.offset(row as isize * c.row), ..c };
            strip::<K>(rows, (&mut left, &mut right), (count, n, depth), panels, target);
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

impl Lie {
    /// Rows that are got ready at once.
    fn together<K: Kernel>(self) -> usize {
        match self {
            Lie::Well | Lie::Aliased => K::ROWS,
            Lie::Across => K::ROWS * GROUP,
        }
    }

    /// The rows that are got ready after those from `row` on.
    fn next<K: Kernel>(self, a: &Strided, row: usize, (m, depth): (usize, usize), after: &After) -> Block {
        let own = row + self.together::<K>();
        let (at, rows) = match after.left {
            _ if own < m => (a.at.wrapping_offset(own as isize * a.row), m - own),
            Some(at) => (at, m),
            None => return Block::NONE,
        };
        let rows = rows.min(self.together::<K>());
        match self {
            Lie::Well | Lie::Aliased => Block { at, runs: rows, apart: a.row, length: depth },
            Lie::Across if a.row == 1 => Block { at, runs: depth, apart: a.column, length: rows },
            Lie::Across => Block::NONE,
        }
    }
}

/// At most the rows of a tile against all panels.
///
/// # Safety
/// As [`gemm()`].
unsafe fn strip<K: Kernel>(
    a: Strided,
    (left, right): (&mut Shares, &mut Shares),
    (count, n, depth): Size,
    panels: *const f32,
    c: Target,
) {
    let mut prefetches = Prefetches::new();
    for column in (0..n).step_by(K::COLUMNS) {
        let width = K::COLUMNS.min(n - column);
        let at = c.at.wrapping_add(column);
        prefetches.begin(depth);
        prefetches.add(PrefetchRun { depths: count, at, hop: 4 * c.row });
        prefetches.share(left);
        prefetches.share(right);
        // SAFETY: the caller's.
        unsafe {
            K::tile((count, width), a, &mut prefetches, panels.add(column * depth), depth, Target { at, ..c })
        };
    }
}

/// Elements from panel to panel of packed rows: not a multiple of 4 KiB.
pub fn apart(places: usize, depth: usize) -> usize {
    places * depth + LINE
}
