//! Columns of a loop's value are summed up while the value is in the cache.
//!
//! ```text
//! loop -> %a;  reduce %a -> %s        =>        band: loop, a few rows of %a, columns of them -> %p;  reduce %p -> %s
//! ```
//!
//! That is where nobody else reads the value, so that it has no place in memory. Each piece of the rows leaves sums of
//! its own in `%p`, and these few are reduced as the value was: from the same beginning, in the order of rows. Short
//! rows are taken several at once, if their number divides. Sums of rows are made in the loops themselves.

use crate::lower::{BufInfo, Kind, Lowered};
use meshwright_ir::DType;
use meshwright_kernels::bands::{BandStep, Blocking, ColumnSums, Local, Member, SCRATCH, Work, fine, piece};
use meshwright_kernels::fused::Fused;
use meshwright_kernels::reduce::{Order, ReduceStep};
use meshwright_kernels::step::{BufId, Step};
use meshwright_shard::Reducer;
use meshwright_steps::{StepId, Steps, Uses};

/// Elements of a row at least, where as many rows can be taken at once.
const SHORTEST: usize = 64;
/// Pieces that there should be at least, if rows are enough.
const PIECES: usize = 16;
/// Rows of a piece at least: what pieces leave must be much less than the value.
const ROWS: usize = 16;
/// Elements of a value at least: a smaller one is in the first cache anyhow.
const FEWEST: usize = if cfg!(test) { 1 << 8 } else { 1 << 13 };
const BYTES: usize = size_of::<f32>();

/// A value of blocks of rows, whose sums are a row for each block.
#[derive(Clone, Copy)]
struct RowBlocks {
    blocks: usize,
    rows: usize,
    columns: usize,
    /// Rows that are taken as one.
    together: usize,
}

/// Sum up columns in the loops that make them.
pub fn sum_columns(lowered: &mut Lowered) {
    if !lowered.fuse {
        return;
    }
    let uses = Uses::of(&lowered.steps);
    lowered.steps.each_run(&mut |steps, run| {
        for at in 1..run.len() {
            let Step::Reduce(reduce) = steps.work(run[at]) else { continue };
            let Some((of, shape)) = shape(reduce) else { continue };
            let maker = maker(&uses, of).filter(|maker| run[..at].contains(maker));
            let Some(maker) = maker.filter(|_| steps.bufs[of].kind == Kind::Arena) else { continue };
            if let Some(band) = band(steps.work(maker), of, shape) {
                join(steps, (maker, run[at]), band, (of, shape));
            }
        }
    });
}

/// The value that a step sums up by columns, and how it lies.
fn shape(reduce: &ReduceStep) -> Option<(BufId, RowBlocks)> {
    let [input] = &reduce.inputs[..] else { return None };
    let sums = reduce.order == Order::Strips(Reducer::Sum) && reduce.dtypes[..] == [DType::F32];
    let [rows] = reduce.reduced[..] else { return None };
    let (blocks, columns) = match reduce.kept[..] {
        [columns] => (1, columns),
        [blocks, columns] => (blocks, columns),
        _ => return None,
    };
    let dense = match input.kept[..] {
        [one] => one == 1,
        [block, one] => one == 1 && block == (rows * columns) as isize,
        _ => false,
    };
    let dense = dense && input.reduced[..] == [columns as isize] && input.offset == 0;
    let wanted = SHORTEST.div_ceil(columns.max(1)).max(1);
    let together = (wanted..2 * wanted).find(|together| rows.is_multiple_of(*together)).unwrap_or(1);
    let shape = RowBlocks { blocks, rows: rows / together, columns, together };
    let large = blocks * rows * columns >= FEWEST && shape.rows >= 2 * ROWS;
    (sums && dense && input.dtype == DType::F32 && large).then_some((input.buf, shape))
}

impl RowBlocks {
    fn row(self) -> usize {
        self.columns * self.together
    }

    fn cut(self) -> Blocking {
        let most = self.rows.div_ceil(PIECES.div_ceil(self.blocks)).max(ROWS);
        let fine = fine(self.row());
        let own = piece(self.row()).max(ROWS).min(most).next_multiple_of(fine);
        Blocking { rows: self.blocks * self.rows, span: self.rows, piece: own, block: own, fine }
    }
}

/// The step that makes a value which one step reads.
fn maker(uses: &Uses, buf: BufId) -> Option<StepId> {
    match (&uses.reads[buf][..], &uses.writes[buf][..], uses.tests[buf]) {
        ([_], [maker], 0) => Some(*maker),
        _ => None,
    }
}

/// The loop that makes a value, as a band with room for a few rows of it; one that sums up other values by the same
/// rows takes in another one.
fn band(step: &Step, of: BufId, shape: RowBlocks) -> Option<BandStep> {
    let (row, cut) = (shape.row(), shape.cut());
    let mut band = match step {
        Step::Fused(fused) => {
            let members = vec![Member { work: Work::Loop(fused.clone()), per_row: row }];
            BandStep { cut, members, locals: Vec::new(), staggered: None }
        }
        Step::Band(band) => band.clone(),
        _ => return None,
    };
    let (first, sums) = band.members.split_first()?;
    let alike = sums.iter().all(|member| matches!(member.work, Work::Columns(_))) && band.cut == cut;
    let fused = first.as_loop().filter(|_| alike && first.per_row == row)?;
    if !stores_rows(fused, of, shape) {
        return None;
    }
    let room = |local: &Local| (local.at + cut.fine * local.bytes).next_multiple_of(64) + 64;
    let at = band.locals.iter().map(room).max().unwrap_or(0);
    let local = Local { buf: of, bytes: row * BYTES, rows: 1, at, fine: true };
    let fits = room(&local) <= SCRATCH;
    band.locals.push(local);
    fits.then_some(band)
}

fn stores_rows(fused: &Fused, buf: BufId, shape: RowBlocks) -> bool {
    let mut outputs = fused.outputs.iter().filter(|output| output.buf == buf);
    let (Some(output), None) = (outputs.next(), outputs.next()) else { return false };
    let whole = fused.count == shape.blocks * shape.rows * shape.row();
    let runs = fused.runs().all(|runs| runs.len.is_multiple_of(shape.row()));
    whole && runs && output.runs.is_none() && output.dtype == DType::F32 && fused.sinks.is_empty()
}

/// Put the band where the loop was, with the sums of its pieces, which the reduction is one of now.
fn join(
    steps: &mut Steps<Step>,
    (maker, reducer): (StepId, StepId),
    mut band: BandStep,
    (of, shape): (BufId, RowBlocks),
) {
    let (row, pieces) = (shape.row(), band.cut.span.div_ceil(band.cut.piece));
    let name = format!("sums of {} columns", shape.columns);
    let bytes = shape.blocks * pieces * row * BYTES;
    let to = steps.bufs.push(BufInfo { bytes, kind: Kind::Arena, name: name.clone() });
    if let Step::Reduce(reduce) = steps.work_mut(reducer) {
        let [input] = &mut reduce.inputs[..] else { return };
        input.buf = to;
        if let [block, _] = &mut input.kept[..] {
            *block = (pieces * row) as isize;
        }
        reduce.reduced = vec![pieces * shape.together];
    }
    band.members.push(Member { work: Work::Columns(ColumnSums { of, to }), per_row: row });
    let named = &mut steps.arena[maker];
    named.name = format!("{}, {name}", named.name);
    named.work = Step::Band(band);
}
