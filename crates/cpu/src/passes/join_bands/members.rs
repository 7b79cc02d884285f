//! Which steps may belong to a band: what each reads of values made in it must be the rows it is at.

use meshwright_ir::DType;
use meshwright_kernels::bands::Along;
use meshwright_kernels::dot::{DotStep, Matrix};
use meshwright_kernels::fused::{Fused, Source};
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_kernels::tiled::TiledStep;
use meshwright_kernels::view::row_major;
use std::collections::{BTreeMap, BTreeSet};

/// Elements of all rows from which on loops with other steps between them come together.
const FAR: usize = if cfg!(test) { 1 << 12 } else { 1 << 23 };

/// The rows that the first step goes by.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub rows: usize,
    /// Rows of one product; of loops alone, all.
    pub span: usize,
    /// Elements of a row, if all are loops.
    pub row: Option<usize>,
}

/// How a value that was made in the band lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// So many elements for each row, row after row.
    Rows(usize),
    /// Done after the last row only.
    Apart,
}

/// Which products may come together.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Whether rows may be what they sum over.
    pub depth: bool,
    /// How many may take nothing from the band.
    pub first: usize,
}

/// What has come together so far.
pub struct Growing {
    pub shape: Shape,
    rule: Rule,
    made: BTreeMap<BufId, Made>,
    read: BTreeSet<BufId>,
    /// Of which products of the band make parts.
    parts: BTreeSet<BufId>,
}

/// How a step belongs to a band.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Membership {
    pub per_row: usize,
    /// Of products.
    pub along: Option<Along>,
}

/// The product that a step is.
pub fn product(step: &Step) -> Option<&DotStep> {
    match step {
        Step::Dot(dot) | Step::Tiled(TiledStep { dot, .. }) => Some(dot),
        _ => None,
    }
}

/// What a product makes a part of, if it does: products that make parts of one value may come in any order.
pub fn part_of(step: &Step) -> Option<BufId> {
    product(step).filter(|dot| dot.placed).map(|dot| dot.to.buf)
}

impl Shape {
    /// The rows of a band that begins with this step.
    pub fn of(step: &Step) -> Option<Shape> {
        if let Some(dot) = product(step) {
            let rows = dot.batch.iter().product::<usize>() * dot.m;
            return (rows >= 2 && dot.n > 0).then_some(Shape { rows, span: dot.m, row: None });
        }
        let Step::Fused(start) = step else { return None };
        let rows = start.count.checked_div(start.row)?;
        let folds = !start.sinks.is_empty() && rows >= 2 && start.runs().next().is_none();
        folds.then_some(Shape { rows, span: rows, row: Some(start.row) })
    }

    /// Whether loops come together only where nothing stands between them: what they share may stay in a cache anyhow.
    pub fn is_near(self) -> bool {
        self.row.is_some_and(|row| self.rows * row < FAR)
    }

    /// Elements that a loop has for each row, if it goes by rows.
    fn per_row(self, fused: &Fused) -> Option<usize> {
        let per_row = fused.count / self.rows;
        let known = self.row.is_none_or(|row| per_row == row || (per_row == 1 && fused.sinks.is_empty()));
        let whole = per_row > 0 && fused.count == self.rows * per_row && fused.runs().next().is_none();
        (known && whole && (fused.sinks.is_empty() || fused.row == per_row)).then_some(per_row)
    }

    /// Whether an operand is read row by row from a value with so many elements a row.
    fn reads_own_rows(self, per_row: usize, source: &Source, value: usize) -> bool {
        let Source::View { dims, strides, offset: 0, .. } = source else { return false };
        if value == per_row {
            dims[..] == [self.rows * per_row] && strides[..] == [1]
        } else {
            value == 1 && dims[..] == [self.rows, per_row] && strides[..] == [1, 0]
        }
    }
}

/// How a product's operand has the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// It was not made in the band.
    Outside,
    Free,
    Depth,
}

/// Size and stride of a dim; the stride of one element does not matter.
fn is(dim: (usize, isize), size: usize, stride: usize) -> bool {
    dim.0 == size && (size == 1 || dim.1 == stride as isize)
}

impl Growing {
    pub fn new(shape: Shape, rule: Rule) -> Growing {
        Growing { shape, rule, made: BTreeMap::new(), read: BTreeSet::new(), parts: BTreeSet::new() }
    }

    /// How a step may belong to the band.
    pub fn part(&self, step: &Step) -> Option<Membership> {
        let parts = part_of(step);
        let known = |buf: &BufId| {
            let other = self.parts.contains(buf) && parts == Some(*buf);
            (self.made.contains_key(buf) && !other) || self.read.contains(buf)
        };
        if step.writes().iter().any(known) {
            return None;
        }
        if let (Some(dot), None) = (product(step), self.shape.row) {
            let along = self.along(dot)?;
            let per_row = if along == Along::Rows { dot.n } else { 0 };
            return Some(Membership { per_row, along: Some(along) });
        }
        let Step::Fused(fused) = step else { return None };
        let per_row = self.shape.per_row(fused)?;
        let own = |source: &Source| match source {
            Source::View { buf, .. } => match self.made.get(buf) {
                Some(Made::Rows(value)) => self.shape.reads_own_rows(per_row, source, *value),
                Some(Made::Apart) => false,
                None => true,
            },
            Source::Splat(_) | Source::Iota { .. } => true,
        };
        // A loop that takes nothing from products may have other rows than theirs by chance; one over an element for
        // each row can as well run before long ones that are far from each other.
        let goes_along = self.shape.row.is_some_and(|row| row == per_row || self.shape.is_near());
        let takes = goes_along || fused.reads().iter().any(|buf| self.made.contains_key(buf));
        let all = fused.inputs.iter().all(|input| own(&input.source));
        (takes && all).then_some(Membership { per_row, along: None })
    }

    /// Take a step in.
    pub fn add(&mut self, step: &Step, part: Membership) {
        let takes = step.reads().iter().any(|buf| self.made.contains_key(buf));
        self.rule.first -= usize::from(part.along.is_some() && !takes).min(self.rule.first);
        self.read.extend(step.reads());
        self.parts.extend(part_of(step));
        let made = match part.along {
            _ if part_of(step).is_some() => Made::Apart,
            Some(Along::Depth) => Made::Apart,
            Some(Along::Rows) | None => Made::Rows(part.per_row),
        };
        match step {
            Step::Fused(fused) => {
                self.made.extend(fused.outputs.iter().map(|output| (output.buf, made)));
                self.made.extend(fused.sinks.iter().map(|sink| (sink.buf, Made::Rows(1))));
            }
            other => self.made.extend(other.writes().into_iter().map(|buf| (buf, made))),
        }
    }

    fn along(&self, dot: &DotStep) -> Option<Along> {
        let (m, n, k) = (dot.m, dot.n, dot.k);
        let lhs = self.side(dot, &dot.lhs, (m, dot.lhs.row), (k, dot.lhs.column))?;
        let rhs = self.side(dot, &dot.rhs, (n, dot.rhs.column), (k, dot.rhs.row))?;
        let whole = dot.dtype == DType::F32 || dot.operands == DType::BF16;
        match (lhs, rhs) {
            (Side::Free, Side::Outside) => Some(Along::Rows),
            (Side::Outside, Side::Outside) => {
                let same = dot.batch.iter().product::<usize>() * m == self.shape.rows && m == self.shape.span;
                (same && n > 0 && self.rule.first > 0).then_some(Along::Rows)
            }
            (Side::Depth, Side::Outside | Side::Depth) | (Side::Outside, Side::Depth) => {
                (self.rule.depth && whole).then_some(Along::Depth)
            }
            _ => None,
        }
    }

    fn side(
        &self,
        dot: &DotStep,
        matrix: &Matrix,
        free: (usize, isize),
        depth: (usize, isize),
    ) -> Option<Side> {
        let Some(made) = self.made.get(&matrix.buf) else { return Some(Side::Outside) };
        let (Made::Rows(value), Shape { rows, span, .. }) = (*made, self.shape) else { return None };
        let one = (span * value) as isize;
        let mut batches = dot.batch.iter().zip(&matrix.batch).zip(row_major(&dot.batch));
        let whole = dot.batch.iter().product::<usize>() * span == rows && matrix.offset == 0;
        if !whole || !batches.all(|((size, stride), dense)| *size == 1 || *stride == dense * one) {
            return None;
        }
        if is(free, span, value) && is(depth, value, 1) {
            return Some(Side::Free);
        }
        (is(depth, span, value) && is(free, value, 1)).then_some(Side::Depth)
    }
}
