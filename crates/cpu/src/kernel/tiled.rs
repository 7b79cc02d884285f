//! Contractions of `bf16` on AMX tiles, `f32` sums, results as `f32` or rounded once to `bf16`.
//!
//! ```text
//! for columns by 512 or 1024 (a piece):      pack b, as long as no other piece has the same columns
//!     for rows by 256 or 512, for k by 512:
//!         for rows by 32:                    use a as it lies, or packed
//!             for columns by 32:             multiply panels; bring results out after the last k
//! ```
//!
//! The right operand is packed into a buffer of the plan. Of the left one 32 rows at a time are packed into the first
//! cache, unless they lie well there already: rows a power of two apart would all fall on the same few sets, of the first
//! cache and of the second. Only rows that do not lie along memory are packed into the plan, once, as they must be turned.
//! The next 32 rows are asked for while these are multiplied. Packing and products are cut by sizes only, and no cut goes
//! through `k`.

use crate::kernel::amx::{self, Ahead, Done, LINES, Lines, PANEL_STEP, Place, Rows, STEP};
use crate::kernel::dot::{DotStep, Matrix};
use crate::kernel::gemm::with_scratch;
use crate::step::{Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use std::ops::Range;

/// Rows and columns of sums that one worker keeps at most.
const BLOCK: usize = 512;
/// Steps of `k` that are multiplied at once: with more of them a panel would not stay in the first cache.
const DEPTH: usize = 512 / STEP;
/// Elements between rows that fall on the same sets of the first cache.
const ALIAS: usize = 1024;
/// Lines that are asked for at each step of a product.
const AHEAD: usize = 4;
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

/// Panels of an operand, and steps of `k`: from the beginning of a chunk on.
struct Part {
    panels: Range<usize>,
    steps: Range<usize>,
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

/// Whether rows of the left operand lie along memory.
pub fn lies_in_rows(dot: &DotStep) -> bool {
    dot.lhs.column == 1
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
        let widest = if self.dot.k <= DEPTH * STEP { 2 * BLOCK } else { BLOCK };
        let (mut rows, mut columns) = (self.dot.m.max(1), widest);
        let wanted = (one / PIECE).clamp(1, 2).max((one / PIECE / 32).min(4));
        let pieces = |rows: usize, columns| self.dot.m.div_ceil(rows) * self.dot.n.div_ceil(columns);
        while pieces(rows, columns) < wanted && rows > BLOCK / 2 {
            rows = (rows / 2).next_multiple_of(LINES);
        }
        while pieces(rows, columns) < wanted && columns > BLOCK / 2 {
            columns /= 2;
        }
        // Where rows are cut, columns are packed before all pieces: more of them cost nothing and share out evenly.
        if rows < self.dot.m {
            rows = rows.min(BLOCK);
        }
        Cut { rows, columns, batches: (PIECE / 2 / one.max(1)).clamp(1, self.count().max(1)) }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let cut = self.cut();
        let (row_cuts, column_cuts) = (self.dot.m.div_ceil(cut.rows), self.dot.n.div_ceil(cut.columns));
        if self.left.is_some() {
            self.each_panel(self.dot.m, workers, |batch, part| self.pack_left(bases, batch, part));
        }
        // Columns that several pieces use are packed before.
        let packs_own = row_cuts == 1;
        if !packs_own {
            self.each_panel(self.dot.n, workers, |batch, part| self.pack_right(bases, batch, part));
        }
        let cuts = row_cuts * column_cuts;
        workers.each(self.count().div_ceil(cut.batches) * cuts, &|piece| {
            let (group, at) = (piece / cuts, piece % cuts);
            let (row, column) = (at % row_cuts * cut.rows, at / row_cuts * cut.columns);
            let rows = row..(row + cut.rows).min(self.dot.m);
            let columns = column..(column + cut.columns).min(self.dot.n);
            for batch in group * cut.batches..((group + 1) * cut.batches).min(self.count()) {
                if packs_own {
                    let panels = columns.start / LINES..columns.end.div_ceil(LINES);
                    self.pack_right(bases, batch, Part { panels, steps: 0..self.steps() });
                }
                self.piece(bases, batch, rows.clone(), columns.clone());
            }
        });
    }

    /// Pack what rows of one of the products need.
    pub fn pack_for(&self, bases: &Bases, batch: usize) {
        let part = |lines: usize| Part { panels: 0..lines.div_ceil(LINES), steps: 0..self.steps() };
        if self.left.is_some() {
            self.pack_left(bases, batch, part(self.dot.m));
        }
        self.pack_right(bases, batch, part(self.dot.n));
    }

    /// Some rows of one of the products, from a multiple of 32 on, whose operands are packed.
    pub fn part(&self, bases: &Bases, batch: usize, rows: Range<usize>) {
        let step = self.cut().columns;
        for column in (0..self.dot.n).step_by(step) {
            self.piece(bases, batch, rows.clone(), column..(column + step).min(self.dot.n));
        }
    }

    fn steps(&self) -> usize {
        self.dot.k.div_ceil(STEP)
    }

    /// Some panels and a chunk of `k` at a time, of all products.
    fn each_panel(&self, lines: usize, workers: &dyn Workers, pack: impl Fn(usize, Part) + Sync) {
        let (panels, steps) = (lines.div_ceil(LINES), self.steps());
        let (groups, chunks) = (panels.div_ceil(PANELS), steps.div_ceil(DEPTH));
        workers.each(self.count() * groups * chunks, &|task| {
            let (first, from) = (task / chunks % groups * PANELS, task % chunks * DEPTH);
            let part =
                Part { panels: first..(first + PANELS).min(panels), steps: from..(from + DEPTH).min(steps) };
            pack(task / chunks / groups, part);
        });
    }

    /// A panel's place in its packed operand, from step `step` on, which begins a chunk of `k`. Panels of a chunk follow each
    /// other: at distances of whole depths they would fall on the same sets of the second cache.
    fn panel(
        &self,
        bases: &Bases,
        packed: BufId,
        lines: usize,
        batch: usize,
        (panel, step): (usize, usize),
    ) -> *mut u16 {
        let (panels, steps) = (lines.div_ceil(LINES), self.steps());
        let before = batch * panels * steps + step * panels + panel * DEPTH.min(steps - step);
        bases.at(packed).cast::<u16>().wrapping_add(before * PANEL_STEP)
    }

    fn element(&self, bases: &Bases, matrix: &Matrix, batch: usize) -> *const u16 {
        let at = matrix.offset + Walk::new(&self.dot.batch, &matrix.batch, batch).at;
        bases.at(matrix.buf).cast::<u16>().wrapping_offset(at)
    }

    fn pack_left(&self, bases: &Bases, batch: usize, part: Part) {
        let Some(packed) = self.left else { return };
        let (at, matrix) = (self.element(bases, &self.dot.lhs, batch), &self.dot.lhs);
        let lines = Lines { at, line: matrix.row, depth: matrix.column };
        let place = |chunk| self.panel(bases, packed, self.dot.m, batch, chunk);
        self.pack(lines, self.dot.m, part, false, place);
    }

    fn pack_right(&self, bases: &Bases, batch: usize, part: Part) {
        let (at, matrix) = (self.element(bases, &self.dot.rhs, batch), &self.dot.rhs);
        let lines = Lines { at, line: matrix.column, depth: matrix.row };
        let place = |chunk| self.panel(bases, self.right, self.dot.n, batch, chunk);
        self.pack(lines, self.dot.n, part, true, place);
    }

    /// Pack panels, a chunk of `k` after the other.
    fn pack(
        &self,
        all: Lines,
        count: usize,
        Part { panels, steps }: Part,
        turned: bool,
        place: impl Fn((usize, usize)) -> *mut u16,
    ) {
        let (first, last) = (panels.start * LINES, (panels.end * LINES).min(count));
        for step in steps.step_by(DEPTH) {
            let (depth, to) = (self.dot.k - step * STEP, place((panels.start, step)));
            let at = first as isize * all.line + (step * STEP) as isize * all.depth;
            let lines = Lines { at: all.at.wrapping_offset(at), ..all };
            // SAFETY: tiles are available, or there would be no such step; the view lies in its buffer.
            unsafe { amx::pack(lines, last - first, depth.min(DEPTH * STEP), turned, to) };
        }
    }

    /// The left operand's rows from `row`, from step `step`, as they lie.
    fn rows(&self, bases: &Bases, batch: usize, row: usize, step: usize) -> Rows {
        match self.left {
            Some(packed) => {
                let at = self.panel(bases, packed, self.dot.m, batch, (row / LINES, step));
                Rows { at, row: STEP, step: PANEL_STEP }
            }
            None => {
                let (at, line) = (self.element(bases, &self.dot.lhs, batch), self.dot.lhs.row);
                let at = at.wrapping_offset(row as isize * line).wrapping_add(step * STEP);
                Rows { at, row: line as usize, step: STEP }
            }
        }
    }

    /// Whether tiles can be loaded from where rows lie, and as fast as if they were packed for so many panels of columns.
    fn lies_well(&self, rows: &Rows, across: usize) -> bool {
        let whole = self.dot.m.is_multiple_of(LINES) && self.dot.k.is_multiple_of(STEP);
        // A row that begins within a cache line makes every line of a tile two.
        let well = !rows.row.is_multiple_of(ALIAS) && rows.row.is_multiple_of(STEP);
        let well = well && (rows.at as usize).is_multiple_of(64);
        self.left.is_some() || whole && self.dot.lhs.row > 0 && (well || across < AHEAD)
    }

    fn piece(&self, bases: &Bases, batch: usize, rows: Range<usize>, columns: Range<usize>) {
        let work = |scratch| {
            // Few rows at a time, unless the right operand would come from beyond the second cache for each.
            let side = if columns.len() * self.dot.k <= BLOCK * 2 * DEPTH * STEP { BLOCK / 2 } else { BLOCK };
            for row in rows.clone().step_by(side) {
                let rows = row..(row + side).min(rows.end);
                self.block(bases, batch, rows, columns.clone(), scratch);
            }
        };
        // SAFETY: tiles are available, or there would be no such step.
        with_scratch(|scratch| unsafe { amx::with_tiles(|| work(scratch)) });
    }

    /// At most 512 rows of results: all of `k`.
    fn block(
        &self,
        bases: &Bases,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        scratch: *mut f32,
    ) {
        let steps = self.steps();
        let mut done = None;
        for from in (0..steps).step_by(DEPTH) {
            let depth = DEPTH.min(steps - from);
            for row in rows.clone().step_by(LINES) {
                let next = match row + LINES < rows.end {
                    true => (row + LINES, from),
                    false => (rows.start, from + depth),
                };
                let next = (next.1 < steps).then(|| self.rows(bases, batch, next.0, next.1));
                let across = columns.len().div_ceil(LINES);
                let sums = match steps <= DEPTH {
                    true => None,
                    false => Some((row - rows.start) / LINES * across),
                };
                let strip = Strip { batch, row, rows: LINES.min(rows.end - row), from, depth, next, sums };
                self.strip(bases, &strip, columns.clone(), scratch, &mut done);
            }
        }
        if let Some(done) = done {
            // SAFETY: the results lie in their buffer.
            unsafe { amx::bring(done) };
        }
    }

    /// 32 rows against a panel of columns after the other.
    fn strip(
        &self,
        bases: &Bases,
        strip: &Strip,
        columns: Range<usize>,
        scratch: *mut f32,
        done: &mut Option<Done>,
    ) {
        let across = columns.len().div_ceil(LINES);
        let a = self.rows(bases, strip.batch, strip.row, strip.from);
        let a = match self.lies_well(&a, across) {
            true => a,
            false => self.packed(a, strip, scratch.wrapping_add(BLOCK * BLOCK).cast()),
        };
        for (j, column) in columns.clone().step_by(LINES).enumerate() {
            // Where `k` is done at once, tiles of sums use two places by turns.
            let place = strip.sums.map_or(j % 2, |first| first + j);
            let sums = scratch.wrapping_add(place * LINES * LINES);
            let b = self.panel(bases, self.right, self.dot.n, strip.batch, (column / LINES, strip.from));
            let ahead = strip.ahead(a.at, j);
            // SAFETY: panels have so many steps, a place has room for a tile of sums, results lie in their buffer.
            unsafe { amx::multiply(a, b, strip.depth, (sums, strip.from > 0), ahead, done.take()) };
            if strip.from + strip.depth == self.steps() {
                let size = (strip.rows, LINES.min(columns.end - column));
                let to = self.place(bases, (strip.batch * self.dot.m + strip.row) * self.dot.n + column);
                *done = Some(Done { sums, size, to, line: self.dot.n });
            }
        }
    }

    /// Rows of a strip, packed.
    fn packed(&self, rows: Rows, strip: &Strip, to: *mut u16) -> Rows {
        let lines = Lines { at: rows.at, line: self.dot.lhs.row, depth: 1 };
        let depth = (strip.depth * STEP).min(self.dot.k - strip.from * STEP);
        // SAFETY: tiles are available; the rows exist; there is room for a panel after the sums.
        unsafe { amx::pack(lines, strip.rows, depth, false, to) };
        Rows { at: to, row: STEP, step: PANEL_STEP }
    }

    fn place(&self, bases: &Bases, at: usize) -> Place {
        let to = bases.at(self.dot.to);
        match self.dot.dtype {
            DType::BF16 => Place::Narrow(to.cast::<u16>().wrapping_add(at)),
            _ => Place::Wide(to.cast::<f32>().wrapping_add(at)),
        }
    }
}

/// 32 rows, over some steps of `k`.
struct Strip {
    batch: usize,
    row: usize,
    /// Fewer at the end.
    rows: usize,
    from: usize,
    depth: usize,
    /// The rows that are wanted next.
    next: Option<Rows>,
    /// The first place of its sums, if they are kept from chunk to chunk of `k`.
    sums: Option<usize>,
}

impl Strip {
    /// What product `number` of the strip asks for; without anything left, what is there anyway.
    fn ahead(&self, there: *const u16, number: usize) -> Ahead {
        match self.next {
            Some(rows) if number * AHEAD < LINES => {
                let (line, step) = (rows.row as isize, rows.step as isize);
                let at = rows.at.wrapping_offset((number * AHEAD) as isize * line);
                Ahead { at, line, step }
            }
            _ => Ahead { at: there, line: 0, step: 0 },
        }
    }
}
