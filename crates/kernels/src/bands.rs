//! Neighbouring steps that go by the same rows, run together: all of them on a block of rows, then all of them on the
//! next.
//!
//! ```text
//! for a block of rows:  product -> for a few of its rows: maximum -> exponentials, their sums -> quotients -> product
//! ```
//!
//! What one leaves for the next is found in the cache, and what only these steps use has no place outside it: such
//! values live in the worker's scratch. Blocks with products fill a part of the second cache, loops among them go by as
//! many rows as the first one holds. Large arrays that only loops go over are gone over by turns ([`Staggered`]). Sums
//! are taken as each step takes them alone; those of columns, by the pieces of the rows.

use crate::compiled::{Ahead, Around, Staggered};
use crate::dot::DotStep;
use crate::fused::{Fused, PIECE, Source};
use crate::reduce::add_rows;
use crate::step::{Bases, BufId, touched};
use crate::tiled::TiledStep;
use meshwright_base::Id;
use meshwright_ir::DType;
use meshwright_runtime::{Buffer, Workers, stream};
use meshwright_steps::{Access, Mode};
use std::cell::RefCell;
use std::ops::Range;

/// Elements of the rows that loops work on together, about.
const FINE: usize = 1 << 13;
/// Bytes of values that only one step uses, for one worker.
pub const SCRATCH: usize = 12 << 18;

#[derive(Clone, PartialEq, Debug)]
pub enum Product {
    /// With room for its packed right operand, if that is packed once for all rows.
    Plain(DotStep, Option<BufId>),
    Tiled(TiledStep),
}

/// Where a product has the rows of its band.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    /// They are rows of its left operand and of its result.
    Rows,
    /// They are summed over: the result is done after the last of them.
    Depth,
}

/// Sums of the columns of an `f32` value: each piece of the rows leaves one of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnSums {
    pub of: BufId,
    pub to: BufId,
}

#[derive(Clone, Debug)]
pub enum Work {
    Loop(Fused),
    Product(Product, Along),
    Columns(ColumnSums),
}

#[derive(Clone, Debug)]
pub struct Member {
    pub work: Work,
    /// Elements for each row of what it goes over.
    pub per_row: usize,
}

/// A value that no step outside uses.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    pub buf: BufId,
    /// Bytes for so many rows.
    pub bytes: usize,
    pub rows: usize,
    /// Its place in the scratch.
    pub at: usize,
    /// Whether only a few rows of it are there at once: loops alone use it.
    pub fine: bool,
}

/// How rows are cut; each is a multiple of the next, or the end of the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocking {
    pub rows: usize,
    /// No block goes beyond it: rows of one product, or all.
    pub span: usize,
    /// Rows that one worker takes.
    pub piece: usize,
    pub block: usize,
    /// Rows that loops work on together.
    pub fine: usize,
}

#[derive(Clone, Debug)]
pub struct BandStep {
    pub cut: Blocking,
    pub members: Vec<Member>,
    pub locals: Vec<Local>,
    /// Its loops as one, if they run like that.
    pub staggered: Option<Staggered>,
}

/// Rows that loops work on together.
pub fn fine(row: usize) -> usize {
    (FINE / row.max(1)).max(1)
}

/// Rows that one worker takes of loops alone.
pub fn piece(row: usize) -> usize {
    (PIECE / row.max(1)).max(1).next_multiple_of(fine(row))
}

thread_local! {
    static SCRATCH_OF_WORKER: RefCell<Option<Buffer>> = const { RefCell::new(None) };
}

/// Room for values of a band, this worker's own.
fn with_scratch(work: impl FnOnce(*mut u8)) {
    SCRATCH_OF_WORKER.with_borrow_mut(|scratch| {
        work(scratch.get_or_insert_with(|| Buffer::scratch(SCRATCH)).as_ptr());
    });
}

impl Product {
    pub fn dot(&self) -> &DotStep {
        match self {
            Product::Plain(dot, _) => dot,
            Product::Tiled(tiled) => &tiled.dot,
        }
    }

    pub fn dot_mut(&mut self) -> &mut DotStep {
        match self {
            Product::Plain(dot, _) => dot,
            Product::Tiled(tiled) => &mut tiled.dot,
        }
    }

    /// Buffers of packed operands.
    pub fn packed(&self) -> Vec<BufId> {
        match self {
            Product::Plain(_, right) => right.iter().copied().collect(),
            Product::Tiled(tiled) => [tiled.right].into_iter().chain(tiled.left).collect(),
        }
    }

    pub fn accesses(&self) -> Vec<Access> {
        self.dot().accesses().into_iter().chain(Access::writes(self.packed())).collect()
    }

    /// Whether it takes the scratch of products.
    pub fn packs(&self) -> bool {
        matches!(self, Product::Tiled(_)) || self.dot().dtype == DType::F32
    }

    /// Rows of all products, from the first to the last but one; `first`: nothing was packed before.
    fn run(&self, along: Along, bases: &Bases, rows: Range<usize>, first: bool) {
        let dot = self.dot();
        let each = match along {
            Along::Rows => dot.m,
            Along::Depth => dot.k,
        };
        let mut at = rows.start;
        while at < rows.end {
            let (batch, from) = (at / each, at % each);
            let until = (from + rows.end - at).min(each);
            at += until - from;
            match (self, along) {
                (Product::Plain(dot, Some(right)), Along::Rows) => {
                    let room = dot.packed_at(bases, *right, batch);
                    if first || from == 0 {
                        dot.pack_right(bases, batch, room);
                    }
                    dot.part_packed(bases, batch, from..until, room);
                }
                (Product::Plain(dot, None), Along::Rows) => dot.part(bases, batch, from..until),
                (Product::Plain(dot, _), Along::Depth) if until - from == each => {
                    dot.part(bases, batch, 0..dot.m);
                }
                (Product::Plain(dot, _), Along::Depth) => dot.deepen(bases, batch, from..until),
                (Product::Tiled(tiled), _) => {
                    if first || from == 0 {
                        tiled.pack_for(bases, batch);
                    }
                    let whole = along == Along::Depth;
                    tiled.part(bases, batch, if whole { 0..dot.m } else { from..until });
                }
            }
        }
    }
}

impl Member {
    pub fn accesses(&self) -> Vec<Access> {
        match &self.work {
            Work::Loop(fused) => fused.accesses(),
            Work::Product(product, _) => product.accesses(),
            Work::Columns(sums) => Access::reads([sums.of]).chain(Access::writes([sums.to])).collect(),
        }
    }

    pub fn reads(&self) -> Vec<BufId> {
        touched(&self.accesses(), Mode::Read)
    }

    pub fn writes(&self) -> Vec<BufId> {
        touched(&self.accesses(), Mode::Write)
    }

    pub fn as_loop(&self) -> Option<&Fused> {
        match &self.work {
            Work::Loop(fused) => Some(fused),
            Work::Product(..) | Work::Columns(_) => None,
        }
    }

    pub fn as_loop_mut(&mut self) -> Option<&mut Fused> {
        match &mut self.work {
            Work::Loop(fused) => Some(fused),
            Work::Product(..) | Work::Columns(_) => None,
        }
    }

    pub fn as_product(&self) -> Option<&Product> {
        match &self.work {
            Work::Loop(_) | Work::Columns(_) => None,
            Work::Product(product, _) => Some(product),
        }
    }

    /// `rows`: of the whole band.
    pub fn flops(&self, rows: usize) -> usize {
        match &self.work {
            Work::Loop(fused) => fused.ops.len() * fused.count,
            Work::Product(product, _) => product.dot().flops(),
            Work::Columns(_) => rows * self.per_row,
        }
    }

    /// Whether it is a loop that stores so many elements in a buffer, one after another.
    fn stores_rows(&self, buf: BufId, count: usize) -> bool {
        let Some(fused) = self.as_loop().filter(|fused| fused.count == count) else { return false };
        fused.outputs.iter().any(|output| output.buf == buf && output.runs.is_none())
    }

    /// Let all uses of a buffer be of another one.
    pub fn rename(&mut self, from: BufId, to: BufId) {
        let name = |buf: &mut BufId| {
            if *buf == from {
                *buf = to;
            }
        };
        match &mut self.work {
            Work::Product(product, _) => {
                let dot = product.dot_mut();
                [&mut dot.lhs.buf, &mut dot.rhs.buf, &mut dot.to.buf].into_iter().for_each(name);
            }
            Work::Loop(fused) => {
                let views = fused.inputs.iter_mut().filter_map(|input| match &mut input.source {
                    Source::View { buf, .. } => Some(buf),
                    Source::Splat(_) | Source::Iota { .. } => None,
                });
                views.for_each(name);
                fused.outputs.iter_mut().for_each(|output| name(&mut output.buf));
                fused.sinks.iter_mut().for_each(|sink| name(&mut sink.buf));
            }
            Work::Columns(sums) => [&mut sums.of, &mut sums.to].into_iter().for_each(name),
        }
    }
}

impl BandStep {
    fn is_local(&self, buf: BufId) -> bool {
        self.locals.iter().any(|local| local.buf == buf)
    }

    /// What it touches outside its scratch; what one member makes for the next is no read of the band.
    pub fn accesses(&self) -> Vec<Access> {
        let mut found: Vec<Access> = Vec::new();
        for access in self.members.iter().flat_map(Member::accesses) {
            let buf = access.region.buf;
            let made = || found.iter().any(|own| own.mode == Mode::Write && own.region.buf == buf);
            if !(self.is_local(buf) || access.mode == Mode::Read && made()) {
                found.push(access);
            }
        }
        found
    }

    /// Whether a result may lie where an operand does: only loops read it, each the rows it is at, before the one loop
    /// that writes the result is at them or by that loop itself.
    pub fn may_share(&self, from: BufId, to: BufId) -> bool {
        let touches =
            |member: &Member, buf: BufId, mode: Mode| touched(&member.accesses(), mode).contains(&buf);
        let Some(writer) = self.members.iter().position(|member| touches(member, to, Mode::Write)) else {
            return false;
        };
        let Some(maker) = self.members[writer].as_loop() else { return false };
        let reads = |member: &Member| match member.as_loop() {
            Some(fused) => {
                let mut own = fused.inputs.iter().filter(|input| input.is_of(from));
                own.all(|input| fused.count == maker.count && input.is_whole(fused.count))
            }
            None => !touches(member, from, Mode::Read),
        };
        let later = &self.members[writer + 1..];
        let alone = later.iter().all(|member| {
            let done = !touches(member, from, Mode::Read) && !touches(member, from, Mode::Write);
            done && !touches(member, to, Mode::Write)
        });
        let makes =
            |member: &Member| !touches(member, from, Mode::Write) || member.stores_rows(from, maker.count);
        alone
            && maker.may_share(from, to)
            && self.members[..writer].iter().all(|member| reads(member) && makes(member))
    }

    pub fn products(&self) -> impl Iterator<Item = &Product> {
        self.members.iter().filter_map(Member::as_product)
    }

    pub fn flops(&self) -> usize {
        self.members.iter().map(|member| member.flops(self.cut.rows)).sum()
    }

    /// What each loop must know of the others. Loops after the first one that reads a value ask for the next rows of
    /// it: while they compute, memory has nothing else to do.
    pub fn arounds(&self) -> Vec<Around> {
        let soon: Vec<BufId> = self.members.iter().flat_map(Member::reads).collect();
        let loops: Vec<(&Fused, usize)> =
            self.members.iter().filter_map(|member| Some((member.as_loop()?, member.per_row))).collect();
        let longest = loops.iter().map(|(_, per_row)| *per_row).max().unwrap_or(1);
        let mut arounds: Vec<Around> =
            loops.iter().map(|_| Around { soon: soon.clone(), ahead: Vec::new() }).collect();
        let mut seen: Vec<BufId> = self.members.iter().flat_map(Member::writes).collect();
        for (at, (fused, _)) in loops.iter().enumerate().filter(|(_, (_, per_row))| *per_row == longest) {
            for input in &fused.inputs {
                let Source::View { buf, dims, strides, .. } = &input.source else { continue };
                let whole = dims[..] == [fused.count] && strides[..] == [1];
                if !whole || seen.contains(buf) {
                    continue;
                }
                seen.push(*buf);
                let after = || (at + 1..loops.len()).filter(|at| loops[*at].1 == longest);
                if after().any(|at| loops[at].0.reads().contains(buf)) {
                    let bytes = self.cut.fine * longest * input.dtype.bytes();
                    let shares = Ahead::shared(*buf, input.dtype.bytes(), bytes, after().count());
                    after().zip(shares).for_each(|(at, share)| arounds[at].ahead.push(share));
                }
            }
        }
        arounds
    }

    pub fn pieces(&self) -> usize {
        let Blocking { rows, span, piece, .. } = self.cut;
        match &self.staggered {
            Some(staggered) => rows.div_ceil(staggered.piece(rows)),
            None => rows.div_ceil(span) * span.div_ceil(piece),
        }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let Blocking { rows, span, piece, block, .. } = self.cut;
        if let Some(staggered) = &self.staggered {
            let piece = staggered.piece(rows);
            return workers.each(self.pieces(), &|task| {
                let own = task * piece..((task + 1) * piece).min(rows);
                with_scratch(|scratch| staggered.run(self, bases, scratch, own));
                stream::finish();
            });
        }
        let pieces = span.div_ceil(piece);
        workers.each(self.pieces(), &|task| {
            let start = task / pieces * span;
            let (first, end) = (start + task % pieces * piece, (start + span).min(rows));
            let end = (first + piece).min(end);
            with_scratch(|scratch| {
                let mut own = bases.clone();
                for from in (first..end).step_by(block) {
                    self.block(&mut own, scratch, from..(from + block).min(end), from == first);
                }
            });
            stream::finish();
        });
    }

    /// All members on a block of rows.
    fn block(&self, bases: &mut Bases, scratch: *mut u8, rows: Range<usize>, first: bool) {
        self.place(bases, scratch, rows.start, false);
        let by_rows = |member: &Member| member.as_product().is_none();
        for members in self.members.chunk_by(|one, next| by_rows(one) && by_rows(next)) {
            if let [Member { work: Work::Product(product, along), .. }] = members {
                product.run(*along, bases, rows.clone(), first);
                continue;
            }
            for from in rows.clone().step_by(self.cut.fine) {
                self.place(bases, scratch, from, true);
                let until = (from + self.cut.fine).min(rows.end);
                for member in members {
                    match &member.work {
                        Work::Loop(fused) => {
                            fused.part(bases, from * member.per_row, until * member.per_row);
                        }
                        Work::Columns(sums) => {
                            let begins = first && from == rows.start;
                            self.add(sums, bases, from..until, (member.per_row, begins));
                        }
                        Work::Product(..) => {}
                    }
                }
            }
        }
    }

    /// Add rows to the sums of their piece, which `begins` with them.
    fn add(&self, sums: &ColumnSums, bases: &Bases, rows: Range<usize>, (row, begins): (usize, bool)) {
        let Blocking { span, piece, .. } = self.cut;
        let at = rows.start / span * span.div_ceil(piece) + rows.start % span / piece;
        let to = bases.at(sums.to).cast::<f32>().wrapping_add(at * row);
        let from = bases.at(sums.of).cast::<f32>().wrapping_add(rows.start * row);
        // SAFETY: there is a row of sums for each piece, and one worker has a piece; the rows were made.
        unsafe {
            let to = std::slice::from_raw_parts_mut(to, row);
            if begins {
                to.fill(-0.0);
            }
            add_rows(to, from, rows.len());
        }
    }

    /// Let the first of these rows of each local value lie in the scratch.
    fn place(&self, bases: &mut Bases, scratch: *mut u8, first: usize, fine: bool) {
        for local in self.locals.iter().filter(|local| local.fine == fine) {
            let before = first / local.rows * local.bytes;
            bases.0[local.buf.index()] = scratch.wrapping_add(local.at).wrapping_sub(before);
        }
    }
}
