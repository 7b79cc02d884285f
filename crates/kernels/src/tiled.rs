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
//! cache, unless they lie well there already: rows a power of two apart would all fall on the same few sets, of the
//! first cache and of the second. Only rows that do not lie along memory are packed into the plan, once, as they must
//! be transposed. The next 32 rows are copied into a second panel while these are multiplied, a few lines at each step,
//! or asked for if they lie well. Packing and products are cut by sizes only, and no cut goes through `k`.

use crate::amx::{self, Ahead, Done, LINES, Lines, PANEL_STEP, Place, Rows, STEP, Soon, Then};
use crate::dot::{DotStep, Matrix};
use crate::gemm::with_scratch;
use crate::step::{Bases, BufId};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_steps::Access;
use std::ops::Range;

/// Rows and columns of sums that one worker keeps at most.
const BLOCK: usize = 512;
/// Steps of `k` that are multiplied at once: with more of them a panel would not stay in the first cache.
const DEPTH: usize = 512 / STEP;
/// Elements between rows that fall on the same sets of the first cache.
const ALIAS: usize = 1024;
/// Panels of columns for which it does not pay to copy rows.
const FEW: usize = 4;
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
struct PanelRange {
    panels: Range<usize>,
    steps: Range<usize>,
}

/// How many rows and columns a piece has, and how many products.
struct PieceSize {
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
    pub fn accesses(&self) -> Vec<Access> {
        let packed = [self.right].into_iter().chain(self.left);
        self.dot.accesses().into_iter().chain(Access::writes(packed)).collect()
    }

    fn count(&self) -> usize {
        self.dot.batch.iter().product()
    }

    fn cut(&self) -> PieceSize {
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
        PieceSize { rows, columns, batches: (PIECE / 2 / one.max(1)).clamp(1, self.count().max(1)) }
    }

    pub fn pieces(&self) -> usize {
        let cut = self.cut();
        let cuts = self.dot.m.div_ceil(cut.rows) * self.dot.n.div_ceil(cut.columns);
        self.count().div_ceil(cut.batches) * cuts
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
        workers.each(self.pieces(), &|piece| {
            let (group, at) = (piece / cuts, piece % cuts);
            let (row, column) = (at % row_cuts * cut.rows, at / row_cuts * cut.columns);
            let rows = row..(row + cut.rows).min(self.dot.m);
            let columns = column..(column + cut.columns).min(self.dot.n);
            for batch in group * cut.batches..((group + 1) * cut.batches).min(self.count()) {
                if packs_own {
                    let panels = columns.start / LINES..columns.end.div_ceil(LINES);
                    self.pack_right(bases, batch, PanelRange { panels, steps: 0..self.steps() });
                }
                self.piece(bases, batch, rows.clone(), columns.clone());
            }
        });
    }

    /// Pack what rows of one of the products need.
    pub fn pack_for(&self, bases: &Bases, batch: usize) {
        let part = |lines: usize| PanelRange { panels: 0..lines.div_ceil(LINES), steps: 0..self.steps() };
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
    fn each_panel(&self, lines: usize, workers: &dyn Workers, pack: impl Fn(usize, PanelRange) + Sync) {
        let (panels, steps) = (lines.div_ceil(LINES), self.steps());
        let (groups, chunks) = (panels.div_ceil(PANELS), steps.div_ceil(DEPTH));
        workers.each(self.count() * groups * chunks, &|task| {
            let (first, from) = (task / chunks % groups * PANELS, task % chunks * DEPTH);
            let part = PanelRange {
                panels: first..(first + PANELS).min(panels),
                steps: from..(from + DEPTH).min(steps),
            };
            pack(task / chunks / groups, part);
        });
    }

    /// A panel's place in its packed operand, from step `step` on, which begins a chunk of `k`. Panels of a chunk
    /// follow each other: at distances of whole depths they would fall on the same sets of the second cache.
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

    fn pack_left(&self, bases: &Bases, batch: usize, part: PanelRange) {
        let Some(packed) = self.left else { return };
        let (at, matrix) = (self.element(bases, &self.dot.lhs, batch), &self.dot.lhs);
        let lines = Lines { at, line: matrix.row, depth: matrix.column };
        let place = |chunk| self.panel(bases, packed, self.dot.m, batch, chunk);
        self.pack(lines, self.dot.m, part, false, place);
    }

    fn pack_right(&self, bases: &Bases, batch: usize, part: PanelRange) {
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
        PanelRange { panels, steps }: PanelRange,
        transposed: bool,
        place: impl Fn((usize, usize)) -> *mut u16,
    ) {
        let (first, last) = (panels.start * LINES, (panels.end * LINES).min(count));
        for step in steps.step_by(DEPTH) {
            let (depth, to) = (self.dot.k - step * STEP, place((panels.start, step)));
            let at = first as isize * all.line + (step * STEP) as isize * all.depth;
            let lines = Lines { at: all.at.wrapping_offset(at), ..all };
            // SAFETY: tiles are available, or there would be no such step; the view lies in its buffer.
            unsafe { amx::pack(lines, last - first, depth.min(DEPTH * STEP), transposed, to) };
        }
    }

    /// The left operand's rows of a strip, as they lie.
    #[inline]
    fn rows(&self, bases: &Bases, piece: &Piece, &Strip { row, from: step, .. }: &Strip) -> Rows {
        match self.left {
            Some(packed) => {
                let at = self.panel(bases, packed, self.dot.m, piece.batch, (row / LINES, step));
                Rows { at, row: STEP, step: PANEL_STEP }
            }
            None => {
                let line = self.dot.lhs.row;
                let at = piece.left.wrapping_offset(row as isize * line).wrapping_add(step * STEP);
                Rows { at, row: line as usize, step: STEP }
            }
        }
    }

    /// Whether tiles can be loaded from where rows lie, and as fast as if they were packed for so many panels of
    /// columns.
    fn lies_well(&self, rows: &Rows, across: usize) -> bool {
        let whole = self.dot.m.is_multiple_of(LINES) && self.dot.k.is_multiple_of(STEP);
        // A row that begins within a cache line makes every line of a tile two.
        let well = !rows.row.is_multiple_of(ALIAS) && rows.row.is_multiple_of(STEP);
        let well = well && (rows.at as usize).is_multiple_of(64);
        self.left.is_some() || whole && self.dot.lhs.row > 0 && (well || across < FEW)
    }

    fn piece(&self, bases: &Bases, batch: usize, rows: Range<usize>, columns: Range<usize>) {
        // Few rows at a time, unless the right operand would come from beyond the second cache for each.
        let side = if columns.len() * self.dot.k <= BLOCK * 2 * DEPTH * STEP { BLOCK / 2 } else { BLOCK };
        let across = columns.len().div_ceil(LINES);
        let left = self.element(bases, &self.dot.lhs, batch);
        let to = self.dot.place(batch, 0, 0);
        let piece = Piece { batch, left, to, rows, columns, side, across, steps: self.steps() };
        // SAFETY: tiles are available, or there would be no such step.
        with_scratch(|scratch| unsafe {
            amx::with_tiles(|| self.strips(bases, &piece, scratch));
        });
    }

    /// Strip after strip.
    fn strips(&self, bases: &Bases, piece: &Piece, scratch: *mut f32) {
        let mut work = Work { scratch, second: false, copied: false };
        let (mut strip, mut done) = (piece.strip(piece.rows.start, 0), None);
        while let Some(here) = strip {
            strip = piece.after(&here);
            done = self.strip(bases, piece, (&here, strip.as_ref()), &mut work, done);
        }
        if let Some(done) = done {
            // SAFETY: the results lie in their buffer.
            unsafe { amx::bring(done) };
        }
    }

    /// 32 rows against a panel of columns after the other. What is done goes from product to product as a value: read
    /// from memory in other sizes than it was written, it would wait for all stores of sums before it.
    #[inline(always)]
    fn strip(
        &self,
        bases: &Bases,
        piece: &Piece,
        (strip, next): (&Strip, Option<&Strip>),
        work: &mut Work,
        mut done: Option<Done>,
    ) -> Option<Done> {
        let lies = self.rows(bases, piece, strip);
        let a = if self.lies_well(&lies, piece.across) { lies } else { self.packed(lies, strip, work) };
        let wanted = self.wanted(bases, piece, (strip, next), work);
        // Without anything left, what is there anyway is asked for.
        let nothing = Ahead { at: a.at, line: 0, step: 0, soon: Soon::Asked };
        for j in 0..piece.across {
            let column = piece.columns.start + j * LINES;
            let b = self.panel(bases, self.right, self.dot.n, piece.batch, (column / LINES, strip.from));
            let after = if j + 1 < piece.across { strip.beginning(j + 1) } else { Strip::first(next) };
            let then = after.map_or(Then::Zero, |place| Then::Taken(work.sums(place)));
            let sums = work.sums(strip.place(j));
            let ahead = wanted.as_ref().and_then(|wanted| wanted.ahead(j)).unwrap_or(nothing);
            // SAFETY: panels have so many steps, a place has room for a tile of sums, results lie in their buffer.
            unsafe { amx::multiply(a, b, strip.depth, (sums, then), ahead, done.take()) };
            if strip.from + strip.depth == piece.steps {
                let size = (strip.rows, LINES.min(piece.columns.end - column));
                let at = piece.to + strip.row as isize * self.dot.to.row + column as isize;
                let to = self.place(bases, at);
                done = Some(Done { sums, size, to, line: self.dot.to.row });
            }
        }
        work.copied = wanted.is_some_and(|wanted| !matches!(wanted.soon, Soon::Asked));
        done
    }

    /// What to do about the next strip's rows beside the products of this one: to copy them, if they must be packed and
    /// there are products enough, or else to ask for them.
    fn wanted(
        &self,
        bases: &Bases,
        piece: &Piece,
        (strip, next): (&Strip, Option<&Strip>),
        work: &Work,
    ) -> Option<Wanted> {
        let next = next?;
        let rows = self.rows(bases, piece, next);
        let whole = next.rows == LINES && (next.from + next.depth) * STEP <= self.dot.k;
        let copies = whole && next.depth == strip.depth && !self.lies_well(&rows, piece.across);
        let mut copied = [Soon::Two(work.other_panel()), Soon::Four(work.other_panel())].into_iter();
        let soon = copied.find(|soon| copies && piece.across * soon.lines() >= LINES);
        Some(Wanted { rows, soon: soon.unwrap_or(Soon::Asked) })
    }

    /// Rows of a strip, packed: beside the strip before, or now.
    fn packed(&self, rows: Rows, strip: &Strip, work: &mut Work) -> Rows {
        let at = if work.copied { work.swap_panels() } else { work.panel() };
        if !work.copied {
            let lines = Lines { at: rows.at, line: self.dot.lhs.row, depth: 1 };
            let depth = (strip.depth * STEP).min(self.dot.k - strip.from * STEP);
            // SAFETY: tiles are available; the rows exist; there is room for a panel.
            unsafe { amx::pack(lines, strip.rows, depth, false, at) };
        }
        Rows { at, row: STEP, step: PANEL_STEP }
    }

    fn place(&self, bases: &Bases, at: isize) -> Place {
        let to = bases.at(self.dot.to.buf);
        match self.dot.dtype {
            DType::BF16 => Place::Narrow(to.cast::<u16>().wrapping_offset(at)),
            _ => Place::Wide(to.cast::<f32>().wrapping_offset(at)),
        }
    }
}

/// Some rows and columns of one of the products. Rows go by blocks, of each all chunks of `k`, of each strips of 32
/// rows.
struct Piece {
    batch: usize,
    /// The product's left operand.
    left: *const u16,
    /// The product's first result in its buffer.
    to: isize,
    rows: Range<usize>,
    columns: Range<usize>,
    /// Rows of a block.
    side: usize,
    /// Panels of columns.
    across: usize,
    /// Steps of all of `k`.
    steps: usize,
}

impl Piece {
    fn block(&self, row: usize) -> Range<usize> {
        let start = row - (row - self.rows.start) % self.side;
        start..(start + self.side).min(self.rows.end)
    }

    /// The strip from a row and a step on.
    fn strip(&self, row: usize, from: usize) -> Option<Strip> {
        let block = self.block(row);
        let sums = (self.steps > DEPTH).then(|| (row - block.start) / LINES * self.across);
        let (rows, depth) =
            (LINES.min(block.end.checked_sub(row)?), DEPTH.min(self.steps.checked_sub(from)?));
        (rows > 0 && depth > 0).then_some(Strip { row, rows, from, depth, sums })
    }

    fn after(&self, strip: &Strip) -> Option<Strip> {
        let block = self.block(strip.row);
        if strip.row + LINES < block.end {
            return self.strip(strip.row + LINES, strip.from);
        }
        if strip.from + strip.depth < self.steps {
            return self.strip(block.start, strip.from + strip.depth);
        }
        if block.end < self.rows.end { self.strip(block.end, 0) } else { None }
    }
}

/// 32 rows, over some steps of `k`.
struct Strip {
    row: usize,
    /// Fewer at the end.
    rows: usize,
    from: usize,
    depth: usize,
    /// The first place of its sums, if they are kept from chunk to chunk of `k`.
    sums: Option<usize>,
}

impl Strip {
    /// Where sums are put down. Where `k` is done at once, two places are used by turns.
    fn place(&self, panel: usize) -> usize {
        self.sums.map_or(panel % 2, |first| first + panel)
    }

    /// The place of the sums that a product adds to; none for the first ones.
    fn beginning(&self, panel: usize) -> Option<usize> {
        (self.from > 0).then(|| self.place(panel))
    }

    fn first(strip: Option<&Strip>) -> Option<usize> {
        strip.and_then(|strip| strip.beginning(0))
    }
}

/// A worker's scratch: places of sums, and behind all of them two panels of rows.
struct Work {
    scratch: *mut f32,
    /// Which of two panels of rows is in use.
    second: bool,
    /// The other panel holds the next rows.
    copied: bool,
}

impl Work {
    fn sums(&self, place: usize) -> *mut f32 {
        self.scratch.wrapping_add(place * LINES * LINES)
    }

    fn panel_at(&self, second: bool) -> *mut u16 {
        let first = self.scratch.wrapping_add(BLOCK * BLOCK).cast::<u16>();
        if second { first.wrapping_add(DEPTH * PANEL_STEP) } else { first }
    }

    fn panel(&self) -> *mut u16 {
        self.panel_at(self.second)
    }

    fn other_panel(&self) -> *mut u16 {
        self.panel_at(!self.second)
    }

    fn swap_panels(&mut self) -> *mut u16 {
        self.second = !self.second;
        self.panel()
    }
}

/// The rows that are wanted next, and what is done about them.
struct Wanted {
    rows: Rows,
    soon: Soon,
}

impl Wanted {
    /// What product `number` of a strip does.
    fn ahead(&self, number: usize) -> Option<Ahead> {
        let first = number * self.soon.lines();
        let (line, step) = (self.rows.row as isize, self.rows.step as isize);
        let at = self.rows.at.wrapping_offset(first as isize * line);
        (first < LINES).then_some(Ahead { at, line, step, soon: self.soon.further(first) })
    }
}
