//! Contractions of `bf16` on AMX tiles, `f32` sums, results as `f32` or rounded once to `bf16`.
//!
//! ```text
//! for columns by 512 (a piece):      pack b, as long as no other piece has the same columns
//!     for rows by 512, for k by 1024:
//!         for rows by 32, for columns by 32:     multiply panels; bring results out after the last k
//! ```
//!
//! The right operand is packed into a buffer of the plan; the left one only if tiles cannot be loaded from where it lies.
//! Packing and products are cut by sizes only, and no cut goes through `k`.

use crate::kernel::amx::{self, LINES, Lines, PANEL_STEP, Place, Rows, STEP};
use crate::kernel::dot::{DotStep, Matrix};
use crate::kernel::gemm::with_scratch;
use crate::step::{Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use std::ops::Range;

/// Rows and columns of sums that one worker keeps at most.
const BLOCK: usize = 512;
/// Steps of `k` that are multiplied at once.
const DEPTH: usize = 1024 / STEP;
/// Flops from which a product is worth two pieces.
const PIECE: usize = 1 << 27;
/// Panels that are packed at once.
const PANELS: usize = 8;

/// `dot.dtype` is the type of results; operands are `bf16`.
#[derive(Clone, PartialEq, Debug)]
pub struct TiledStep {
    pub dot: DotStep,
    /// Room for the packed right operand.
    pub right: BufId,
    /// Room for the packed left operand, if it must be packed.
    pub left: Option<BufId>,
}

/// How many rows and columns a piece has, and how many products.
struct Cut {
    rows: usize,
    columns: usize,
    batches: usize,
}

/// Whether a product is large enough for tiles to pay.
pub fn pays(m: usize, n: usize, k: usize) -> bool {
    m.min(n).min(k) >= 16 && amx::available()
}

/// Bytes of all packed panels.
pub fn packed_bytes(batch: &[usize], lines: usize, depth: usize) -> Option<usize> {
    batch.iter().try_fold(2 * amx::packed_len(lines, depth), |bytes, size| bytes.checked_mul(*size))
}

/// Whether tiles of the left operand can be loaded from where it lies.
pub fn lies_in_tiles(dot: &DotStep) -> bool {
    let whole = dot.m.is_multiple_of(LINES) && dot.k.is_multiple_of(STEP);
    // A row that begins within a cache line makes every line of a tile two.
    let strides = dot.lhs.batch.iter().chain([&dot.lhs.row, &dot.lhs.offset]);
    let aligned = strides.into_iter().all(|stride| stride % STEP as isize == 0);
    whole && aligned && dot.lhs.column == 1 && dot.lhs.row > 0
}

impl TiledStep {
    pub fn reads(&self) -> Vec<BufId> {
        vec![self.dot.lhs.buf, self.dot.rhs.buf]
    }

    pub fn writes(&self) -> Vec<BufId> {
        [self.dot.to, self.right].into_iter().chain(self.left).collect()
    }

    fn count(&self) -> usize {
        self.dot.batch.iter().product()
    }

    fn cut(&self) -> Cut {
        let one = 2 * self.dot.m * self.dot.n * self.dot.k;
        let (mut rows, mut columns) = (self.dot.m.max(1), BLOCK);
        let wanted = (one / PIECE).clamp(1, 2).max((one / PIECE / 32).min(4));
        let pieces = |rows: usize, columns| self.dot.m.div_ceil(rows) * self.dot.n.div_ceil(columns);
        if pieces(rows, columns) < wanted {
            columns = BLOCK / 2;
        }
        while pieces(rows, columns) < wanted && rows > BLOCK / 4 {
            rows = (rows / 2).next_multiple_of(LINES);
        }
        Cut { rows, columns, batches: (PIECE / 2 / one.max(1)).clamp(1, self.count().max(1)) }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let cut = self.cut();
        let (row_cuts, column_cuts) = (self.dot.m.div_ceil(cut.rows), self.dot.n.div_ceil(cut.columns));
        let panels = |lines: usize| 0..lines.div_ceil(LINES);
        if self.left.is_some() {
            self.each_panel(self.dot.m, workers, |batch, range| self.pack_left(bases, batch, range));
        }
        // Columns that several pieces use are packed before.
        let packs_own = row_cuts == 1;
        if !packs_own {
            self.each_panel(self.dot.n, workers, |batch, range| self.pack_right(bases, batch, range));
        }
        let cuts = row_cuts * column_cuts;
        workers.each(self.count().div_ceil(cut.batches) * cuts, &|piece| {
            let (group, at) = (piece / cuts, piece % cuts);
            let (row, column) = (at % row_cuts * cut.rows, at / row_cuts * cut.columns);
            let rows = row..(row + cut.rows).min(self.dot.m);
            let columns = column..(column + cut.columns).min(self.dot.n);
            for batch in group * cut.batches..((group + 1) * cut.batches).min(self.count()) {
                if packs_own {
                    let panels = panels(columns.end);
                    self.pack_right(bases, batch, columns.start / LINES..panels.end);
                }
                self.piece(bases, batch, rows.clone(), columns.clone());
            }
        });
    }

    /// Some panels at a time, of all products.
    fn each_panel(&self, lines: usize, workers: &dyn Workers, pack: impl Fn(usize, Range<usize>) + Sync) {
        let panels = lines.div_ceil(LINES);
        let groups = panels.div_ceil(PANELS);
        workers.each(self.count() * groups, &|task| {
            let first = task % groups * PANELS;
            pack(task / groups, first..(first + PANELS).min(panels));
        });
    }

    fn panel_len(&self) -> usize {
        self.dot.k.div_ceil(STEP) * PANEL_STEP
    }

    /// A panel's place in its packed operand.
    fn panel(&self, bases: &Bases, packed: BufId, lines: usize, batch: usize, panel: usize) -> *mut u16 {
        let number = batch * lines.div_ceil(LINES) + panel;
        bases.at(packed).cast::<u16>().wrapping_add(number * self.panel_len())
    }

    fn element(&self, bases: &Bases, matrix: &Matrix, batch: usize) -> *const u16 {
        let at = matrix.offset + Walk::new(&self.dot.batch, &matrix.batch, batch).at;
        bases.at(matrix.buf).cast::<u16>().wrapping_offset(at)
    }

    fn pack_left(&self, bases: &Bases, batch: usize, panels: Range<usize>) {
        let Some(packed) = self.left else { return };
        let (at, matrix) = (self.element(bases, &self.dot.lhs, batch), &self.dot.lhs);
        let lines = Lines { at, line: matrix.row, depth: matrix.column };
        let to = self.panel(bases, packed, self.dot.m, batch, panels.start);
        self.pack(lines, self.dot.m, panels, false, to);
    }

    fn pack_right(&self, bases: &Bases, batch: usize, panels: Range<usize>) {
        let (at, matrix) = (self.element(bases, &self.dot.rhs, batch), &self.dot.rhs);
        let lines = Lines { at, line: matrix.column, depth: matrix.row };
        let to = self.panel(bases, self.right, self.dot.n, batch, panels.start);
        self.pack(lines, self.dot.n, panels, true, to);
    }

    fn pack(&self, all: Lines, count: usize, panels: Range<usize>, turned: bool, to: *mut u16) {
        let (first, last) = (panels.start * LINES, (panels.end * LINES).min(count));
        let at = all.at.wrapping_offset(first as isize * all.line);
        // SAFETY: tiles are available, or there would be no such step; the view lies in its buffer.
        unsafe { amx::pack(Lines { at, ..all }, last - first, self.dot.k, turned, to) };
    }

    /// The left operand's rows from `row`, from step `step`.
    fn rows(&self, bases: &Bases, batch: usize, row: usize, step: usize) -> Rows {
        match self.left {
            Some(packed) => {
                let at = self.panel(bases, packed, self.dot.m, batch, row / LINES);
                Rows { at: at.wrapping_add(step * PANEL_STEP), row: STEP, step: PANEL_STEP }
            }
            None => {
                let (at, line) = (self.element(bases, &self.dot.lhs, batch), self.dot.lhs.row as usize);
                Rows { at: at.wrapping_add(row * line + step * STEP), row: line, step: STEP }
            }
        }
    }

    fn piece(&self, bases: &Bases, batch: usize, rows: Range<usize>, columns: Range<usize>) {
        let work = |sums| {
            for row in rows.clone().step_by(BLOCK) {
                let rows = row..(row + BLOCK).min(rows.end);
                self.block(bases, batch, rows, columns.clone(), sums);
            }
        };
        // SAFETY: tiles are available, or there would be no such step.
        with_scratch(|sums| unsafe { amx::with_tiles(|| work(sums)) });
    }

    /// At most 512 x 512 results. Where `k` is done at once, all tiles of sums use the same place.
    fn block(&self, bases: &Bases, batch: usize, rows: Range<usize>, columns: Range<usize>, sums: *mut f32) {
        let steps = self.dot.k.div_ceil(STEP);
        let across = columns.len().div_ceil(LINES);
        for from in (0..steps).step_by(DEPTH) {
            let depth = DEPTH.min(steps - from);
            for (i, row) in rows.clone().step_by(LINES).enumerate() {
                let a = self.rows(bases, batch, row, from);
                for (j, column) in columns.clone().step_by(LINES).enumerate() {
                    let place = if steps <= DEPTH { 0 } else { i * across + j };
                    let sums = sums.wrapping_add(place * LINES * LINES);
                    let b = self.panel(bases, self.right, self.dot.n, batch, column / LINES);
                    let b = b.wrapping_add(from * PANEL_STEP).cast_const();
                    // SAFETY: panels have so many steps, and a place has room for a tile of sums.
                    unsafe { amx::multiply(a, b, depth, sums, from > 0) };
                    if from + depth == steps {
                        let size = (LINES.min(rows.end - row), LINES.min(columns.end - column));
                        self.bring(bases, sums, size, (batch * self.dot.m + row) * self.dot.n + column);
                    }
                }
            }
        }
    }

    fn bring(&self, bases: &Bases, sums: *const f32, size: (usize, usize), at: usize) {
        let to = bases.at(self.dot.to);
        let to = match self.dot.dtype {
            DType::BF16 => Place::Narrow(to.cast::<u16>().wrapping_add(at)),
            _ => Place::Wide(to.cast::<f32>().wrapping_add(at)),
        };
        // SAFETY: the results lie in their buffer.
        unsafe { amx::bring(sums, size, to, self.dot.n) };
    }
}
