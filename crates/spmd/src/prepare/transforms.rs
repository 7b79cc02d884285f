//! Fourier transforms along dims that are split, written as transforms along dims that need not be.
//!
//! ```text
//! several dims      one transform after another: while one dim is transformed the others can be split
//!
//! one dim of N, split over T, N = T * p, T divides p, and no other dim takes the split:
//!     a = reshape x : [N] -> [T, p]                          T split
//!     c = fft along T          of a                          p split: all-to-all
//!     d = c[k, m] * exp(-2 pi i k m / N)
//!     f = fft along p          of d                          T split: all-to-all
//!     y = reshape (transpose f : [T, p] -> [p, T]) -> [N]    p split: all-to-all
//! ```
//!
//! Nothing is moved here: these are the same numbers, in ops that leave the planner a choice. A device sends its piece
//! twice (three times for one dim) where a gather would send it T - 1 times, so one dim over two devices is gathered,
//! unless it is long. A real transform of one dim is one of complex numbers here, twice the work and more to send: from
//! 16 devices on.

use crate::blocks::program_blocks;
use crate::reshard::sharding_of;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{BinaryOp, UnaryOp};
use meshwright_ir::{Build, Builder, DType, Dim, Function, InstId, Op, TensorType, ValueId};
use meshwright_shard::{DimSharding, Sharding};

/// Over fewer devices a gather sends no more.
const FEWEST: i64 = 3;
const FEWEST_REAL: i64 = 16;

/// Rewrite the transforms of a function; those of at least `long` bytes also where that sends more.
pub fn split(func: &mut Function, long: f64) {
    // What goes dim by dim may have to go in two after that: the other dims are too small to take a split.
    if pass(func, long) {
        pass(func, long);
    }
}

/// Rewrite each transform once; whether any was.
fn pass(func: &mut Function, long: f64) -> bool {
    let insts: Vec<InstId> =
        program_blocks(func).iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    let mut changed = false;
    for inst in insts {
        let Some(subject) = Subject::of(func, inst) else { continue };
        let mut b = Builder::before(func, inst);
        let Some(made) = subject.rewritten(&mut b, long) else { continue };
        let (old, mut editor) = (subject.result, b.editor);
        let name = editor.func().value(old).name.clone();
        editor.set_name(made, name);
        editor.map_uses(|value| if value == old { made } else { value });
        editor.unlink(inst);
        changed = true;
    }
    changed
}

/// A transform of an operand that is split along a dim it transforms.
struct Subject {
    op: Fft,
    operand: ValueId,
    result: ValueId,
    from: Sharding,
    to: Sharding,
    ty: TensorType,
    /// Dims before the transformed ones.
    batch: usize,
}

impl Subject {
    fn of(func: &Function, inst: InstId) -> Option<Subject> {
        let info = func.inst(inst);
        let (Op::Fft(op), [operand], [result]) = (&info.op, &info.operands[..], &info.results[..]) else {
            return None;
        };
        let ty = func.ty(*operand).as_tensor()?.clone();
        let (from, to) = (sharding_of(func, *operand)?, sharding_of(func, *result)?);
        let batch = ty.rank().checked_sub(op.length.len())?;
        let is_split = |sharding: &Sharding| sharding.dims.iter().skip(batch).any(|dim| dim.tiles() > 1);
        let found = Subject {
            op: op.clone(),
            operand: *operand,
            result: *result,
            ty,
            batch,
            from: from.closed(),
            to: to.closed(),
        };
        let is_partial = !found.from.partial.is_empty() || !found.to.partial.is_empty();
        let is_empty = found.ty.dims.contains(&0) || func.dims(*result).contains(&0);
        (!is_partial && !is_empty && is_split(&found.from)).then_some(found)
    }

    fn rewritten(&self, b: &mut Builder<'_>, long: f64) -> Option<ValueId> {
        if self.op.length.len() > 1 { Some(self.one_by_one(b)) } else { self.in_two(b, long) }
    }

    /// One dim after another: those that are whole first, as far as they are the last ones. A real transform starts,
    /// and an inverse one ends, with its last dim.
    fn one_by_one(&self, b: &mut Builder<'_>) -> ValueId {
        let rank = self.ty.rank();
        let is_whole = |dim: &usize| self.from.dims[*dim].tiles() == 1;
        let whole = (self.batch..rank).rev().take_while(is_whole).count().max(1);
        let inner = rank - whole;
        let (inner_kind, outer_kind) = match self.op.kind {
            FftKind::Rfft => (FftKind::Rfft, FftKind::Fft),
            FftKind::Irfft => (FftKind::Irfft, FftKind::Ifft),
            other => (other, other),
        };
        let is_last = self.op.kind == FftKind::Irfft;
        let (mut value, mut sharding) = (self.operand, self.from.clone());
        if !is_last {
            value = self.along_last(b, value, &mut sharding, inner, inner_kind);
        }
        for dim in (self.batch..inner).rev() {
            value = self.along(b, value, &mut sharding, dim, outer_kind);
        }
        if is_last {
            value = self.along_last(b, value, &mut sharding, inner, inner_kind);
        }
        value
    }

    /// Transform the dims from `first` on.
    fn along_last(
        &self,
        b: &mut Builder<'_>,
        value: ValueId,
        sharding: &mut Sharding,
        first: usize,
        kind: FftKind,
    ) -> ValueId {
        let length = self.op.length[first - self.batch..].to_vec();
        sharding.dims[first..].iter_mut().for_each(|dim| dim.axes.clear());
        transformed(b, value, kind, length, sharding)
    }

    /// Transform a dim that is not the last.
    fn along(
        &self,
        b: &mut Builder<'_>,
        value: ValueId,
        sharding: &mut Sharding,
        dim: usize,
        kind: FftKind,
    ) -> ValueId {
        let rank = self.ty.rank();
        let mut turn: Vec<usize> = (0..rank).collect();
        turn.swap(dim, rank - 1);
        let mut turned = permuted(sharding, &turn);
        let value = b.split_as(&turned).transpose(value, turn.clone());
        turned.dims[rank - 1].axes.clear();
        let length = vec![self.op.length[dim - self.batch]];
        let value = transformed(b, value, kind, length, &turned);
        *sharding = permuted(&turned, &turn);
        b.split_as(sharding).transpose(value, turn)
    }

    /// One dim as two. A real transform is one of complex numbers, of which half the results are kept, or to which half
    /// the terms are added: it pays over more devices.
    fn in_two(&self, b: &mut Builder<'_>, long: f64) -> Option<ValueId> {
        let rank = self.ty.rank();
        let tiles = self.from.dims[rank - 1].tiles();
        let size = *self.op.length.first()?;
        let takes = |dim: usize| self.ty.dims[dim] >= tiles.saturating_mul(self.from.dims[dim].tiles());
        let is_complex = matches!(self.op.kind, FftKind::Fft | FftKind::Ifft);
        let divides = tiles > 1 && size % tiles == 0 && (size / tiles) % tiles == 0;
        let fewest = if is_complex { FEWEST } else { FEWEST_REAL };
        let pays = tiles >= fewest || 2.0 * self.ty.byte_size() as f64 >= long;
        if !divides || !pays || (0..self.batch).any(takes) {
            return None;
        }
        match self.op.kind {
            FftKind::Fft | FftKind::Ifft => self.complex(b, self.operand, &self.to),
            FftKind::Rfft => {
                let all = self.complex(b, self.operand, &self.from)?;
                self.kept(b, all, [0, size / 2 + 1], &self.to)
            }
            FftKind::Irfft => {
                let all = self.mirrored(b, size)?;
                let made = self.complex(b, all, &self.to)?;
                Some(b.split_as(&self.to).unary(UnaryOp::Real, made))
            }
        }
    }

    /// Elements `[from, to)` of the last dim.
    fn kept(
        &self,
        b: &mut Builder<'_>,
        value: ValueId,
        [from, to]: [i64; 2],
        sharding: &Sharding,
    ) -> Option<ValueId> {
        let last = b.func().dims(value).len().checked_sub(1)?;
        Some(b.split_as(sharding).slice_dim(value, Dim::new(last), from..to))
    }

    /// All terms of an inverse real transform: behind the first half, its conjugates backwards.
    fn mirrored(&self, b: &mut Builder<'_>, size: i64) -> Option<ValueId> {
        let like = &self.from;
        let half = self.kept(b, self.operand, [1, size - size / 2], like)?;
        let last = self.ty.rank() - 1;
        let b = b.split_as(like);
        let turned = b.reverse(half, vec![last]);
        let (re, im) = (b.unary(UnaryOp::Real, turned), b.unary(UnaryOp::Imag, turned));
        let im = b.neg(im);
        let conjugates = b.binary(BinaryOp::Complex, re, im);
        Some(b.concatenate(vec![self.operand, conjugates], Dim::new(last)))
    }

    /// A complex transform of one dim as two, of real or complex numbers; the inverse one for inverse kinds.
    fn complex(&self, b: &mut Builder<'_>, operand: ValueId, to: &Sharding) -> Option<ValueId> {
        let ty = b.tensor(operand);
        let rank = ty.rank();
        let tiles = self.from.dims[rank - 1].tiles();
        let kind = match self.op.kind {
            FftKind::Fft | FftKind::Rfft => FftKind::Fft,
            FftKind::Ifft | FftKind::Irfft => FftKind::Ifft,
        };
        let piece = ty.dims[rank - 1] / tiles;
        let shape = |last: &[i64]| [&ty.dims[..self.batch], last].concat();
        let axes = &self.from.dims[rank - 1];
        let split = |at: usize| {
            let mut sharding = self.from.clone();
            sharding.dims[rank - 1] = DimSharding::default();
            sharding.dims.insert(if at == 0 { rank - 1 } else { rank }, axes.clone());
            sharding
        };
        let (major, minor) = (split(0), split(1));
        let mut turn: Vec<usize> = (0..=rank).collect();
        turn.swap(rank - 1, rank);
        let runs = b.split_as(&major).reshape(operand, &shape(&[tiles, piece]));
        let runs = b.split_as(&minor).transpose(runs, turn.clone());
        let runs = as_complex(b, runs);
        let first = transformed(b, runs, kind, vec![tiles], &major);
        let ty = b.tensor(first);
        let factors = factors(b, kind, &ty, &major)?;
        let turned = b.split_as(&major).mul(first, factors);
        let columns = b.split_as(&minor).transpose(turned, turn.clone());
        let second = transformed(b, columns, kind, vec![piece], &major);
        let rows = b.split_as(&minor).transpose(second, turn);
        Some(b.split_as(to).reshape(rows, &shape(&[piece * tiles])))
    }
}

/// Real numbers as complex ones.
fn as_complex(b: &mut Builder<'_>, value: ValueId) -> ValueId {
    if b.dtype(value).is_complex() {
        return value;
    }
    let zero = b.zeros_like(value);
    b.binary(BinaryOp::Complex, value, zero)
}

/// `exp(-2 pi i m k / (p T))` for all places `[.., m, k]`: the products are exact, so the angles are.
fn factors(b: &mut Builder<'_>, kind: FftKind, ty: &TensorType, like: &Sharding) -> Option<ValueId> {
    let rank = ty.rank();
    let [.., piece, tiles] = ty.dims[..] else { return None };
    let sharding = &Sharding { dims: like.dims[rank - 2..].to_vec(), ..like.clone() };
    let b = b.split_as(sharding);
    let (row, column) = (Dim::new(0), Dim::new(1));
    let (row, column) =
        (b.iota(DType::S64, &[piece, tiles], row), b.iota(DType::S64, &[piece, tiles], column));
    let product = b.mul(row, column);
    let product = b.convert(product, DType::F64);
    let turn = std::f64::consts::TAU / (piece * tiles) as f64;
    let turn = if kind == FftKind::Ifft { turn } else { -turn };
    let angle = b.scale(product, turn);
    let mut of = |op: UnaryOp| {
        let value = b.unary(op, angle);
        b.convert(value, ty.dtype.part())
    };
    let (real, imaginary) = (of(UnaryOp::Cosine), of(UnaryOp::Sine));
    let factors = b.binary(BinaryOp::Complex, real, imaginary);
    if rank == 2 {
        return Some(factors);
    }
    Some(b.split_as(like).broadcast(factors, vec![rank - 2, rank - 1], &ty.dims))
}

/// A transform of the last dims.
fn transformed(
    b: &mut Builder<'_>,
    value: ValueId,
    kind: FftKind,
    length: Vec<i64>,
    sharding: &Sharding,
) -> ValueId {
    b.split_as(sharding).push(Op::Fft(Fft { kind, length }), [value])
}

/// A sharding whose dim `d` is split as dim `permutation[d]` was.
fn permuted(sharding: &Sharding, permutation: &[usize]) -> Sharding {
    let dims = permutation.iter().map(|dim| sharding.dims[*dim].clone()).collect();
    Sharding { dims, ..sharding.clone() }
}
