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
//! Nothing is moved here: these are the same numbers, in ops that leave the planner a choice. A device sends its piece twice
//! (three times for one dim) where a gather would send it T - 1 times, so one dim over two devices is gathered, unless it is
//! long. A real transform of one dim is one of complex numbers here, twice the work and more to send: from 16 devices on.

use crate::blocks::program_blocks;
use crate::chain::{Chain, permuted};
use crate::reshard::sharding_of;
use meshwright_ir::infer::Operands;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{
    BinaryOp, Broadcast, Concatenate, Constant, Convert, Iota, Movement, Reverse, Slice, UnaryOp,
};
use meshwright_ir::{At, DType, Editor, Function, InstId, Literal, Op, TensorType, Type, ValueId};
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
        let source = func.inst(inst).source;
        let mut chain = Chain { at: At::Before(inst), source, editor: Editor::new(func) };
        let Some(made) = subject.rewritten(&mut chain, long) else { continue };
        let (old, mut editor) = (subject.result, chain.editor);
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

    fn rewritten(&self, chain: &mut Chain<'_>, long: f64) -> Option<ValueId> {
        if self.op.length.len() > 1 { self.one_by_one(chain) } else { self.in_two(chain, long) }
    }

    /// One dim after another: those that are whole first, as far as they are the last ones. A real transform starts, and an
    /// inverse one ends, with its last dim.
    fn one_by_one(&self, chain: &mut Chain<'_>) -> Option<ValueId> {
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
            value = self.along_last(chain, value, &mut sharding, inner, inner_kind)?;
        }
        for dim in (self.batch..inner).rev() {
            value = self.along(chain, value, &mut sharding, dim, outer_kind)?;
        }
        if is_last {
            value = self.along_last(chain, value, &mut sharding, inner, inner_kind)?;
        }
        Some(value)
    }

    /// Transform the dims from `first` on.
    fn along_last(
        &self,
        chain: &mut Chain<'_>,
        value: ValueId,
        sharding: &mut Sharding,
        first: usize,
        kind: FftKind,
    ) -> Option<ValueId> {
        let length = self.op.length[first - self.batch..].to_vec();
        sharding.dims[first..].iter_mut().for_each(|dim| dim.axes.clear());
        transformed(chain, value, kind, length, sharding)
    }

    /// Transform a dim that is not the last.
    fn along(
        &self,
        chain: &mut Chain<'_>,
        value: ValueId,
        sharding: &mut Sharding,
        dim: usize,
        kind: FftKind,
    ) -> Option<ValueId> {
        let rank = self.ty.rank();
        let mut turn: Vec<usize> = (0..rank).collect();
        turn.swap(dim, rank - 1);
        let mut turned = permuted(sharding, &turn);
        let value = chain.transpose(value, &turn, &turned);
        turned.dims[rank - 1].axes.clear();
        let length = vec![self.op.length[dim - self.batch]];
        let value = transformed(chain, value, kind, length, &turned)?;
        *sharding = permuted(&turned, &turn);
        Some(chain.transpose(value, &turn, sharding))
    }

    /// One dim as two. A real transform is one of complex numbers, of which half the results are kept, or to which half the
    /// terms are added: it pays over more devices.
    fn in_two(&self, chain: &mut Chain<'_>, long: f64) -> Option<ValueId> {
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
            FftKind::Fft | FftKind::Ifft => self.complex(chain, self.operand, &self.to),
            FftKind::Rfft => {
                let all = self.complex(chain, self.operand, &self.from)?;
                self.kept(chain, all, [0, size / 2 + 1], &self.to)
            }
            FftKind::Irfft => {
                let all = self.mirrored(chain, size)?;
                let made = self.complex(chain, all, &self.to)?;
                let ty = chain.tensor(made)?;
                let ty = Type::Tensor(ty.with_dtype(ty.dtype.part()));
                Some(chain.push(Op::Unary(UnaryOp::Real), vec![made], ty, &self.to))
            }
        }
    }

    /// Elements `[from, to)` of the last dim.
    fn kept(
        &self,
        chain: &mut Chain<'_>,
        value: ValueId,
        [from, to]: [i64; 2],
        sharding: &Sharding,
    ) -> Option<ValueId> {
        let ty = chain.tensor(value)?;
        let rank = ty.rank();
        let mut op = Slice { start: vec![0; rank], limit: ty.dims.clone(), stride: vec![1; rank] };
        (op.start[rank - 1], op.limit[rank - 1]) = (from, to);
        let mut dims = ty.dims.clone();
        dims[rank - 1] = to - from;
        let ty = Type::Tensor(ty.with_dims(dims));
        Some(chain.push(Op::Movement(Movement::Slice(op)), vec![value], ty, sharding))
    }

    /// All terms of an inverse real transform: behind the first half, its conjugates backwards.
    fn mirrored(&self, chain: &mut Chain<'_>, size: i64) -> Option<ValueId> {
        let like = &self.from;
        let half = self.kept(chain, self.operand, [1, size - size / 2], like)?;
        let ty = chain.tensor(half)?;
        let real = ty.with_dtype(ty.dtype.part());
        let mut push = |op: Op, operands: Vec<ValueId>, ty: &TensorType| {
            chain.push(op, operands, Type::Tensor(ty.clone()), like)
        };
        let turned = Op::Movement(Movement::Reverse(Reverse { dims: vec![ty.rank() - 1] }));
        let turned = push(turned, vec![half], &ty);
        let (re, im) = (
            push(Op::Unary(UnaryOp::Real), vec![turned], &real),
            push(Op::Unary(UnaryOp::Imag), vec![turned], &real),
        );
        let im = push(Op::Unary(UnaryOp::Negate), vec![im], &real);
        let conjugates = push(Op::Binary(BinaryOp::Complex), vec![re, im], &ty);
        let dim = ty.rank() - 1;
        let mut all = ty.clone();
        all.dims[dim] = size;
        let op = Op::Movement(Movement::Concatenate(Concatenate { dim }));
        Some(push(op, vec![self.operand, conjugates], &all))
    }

    /// A complex transform of one dim as two, of real or complex numbers; the inverse one for inverse kinds.
    fn complex(&self, chain: &mut Chain<'_>, operand: ValueId, to: &Sharding) -> Option<ValueId> {
        let ty = chain.tensor(operand)?;
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
        let runs = chain.reshape(operand, &shape(&[tiles, piece]), &major);
        let runs = chain.transpose(runs, &turn, &minor);
        let runs = as_complex(chain, runs, &minor)?;
        let first = transformed(chain, runs, kind, vec![tiles], &major)?;
        let ty = chain.tensor(first)?;
        let factors = factors(chain, kind, &ty, &major)?;
        let turned = chain.push(
            Op::Binary(BinaryOp::Multiply),
            vec![first, factors],
            Type::Tensor(ty.clone()),
            &major,
        );
        let columns = chain.transpose(turned, &turn, &minor);
        let second = transformed(chain, columns, kind, vec![piece], &major)?;
        let rows = chain.transpose(second, &turn, &minor);
        Some(chain.reshape(rows, &shape(&[piece * tiles]), to))
    }
}

/// Real numbers as complex ones.
fn as_complex(chain: &mut Chain<'_>, value: ValueId, sharding: &Sharding) -> Option<ValueId> {
    let ty = chain.tensor(value)?;
    let complex = match ty.dtype {
        DType::F32 => DType::C64,
        DType::F64 => DType::C128,
        _ => return Some(value),
    };
    let zero = Op::Constant(Constant(Literal::zeros(ty.clone())));
    let zero = chain.push(zero, Vec::new(), Type::Tensor(ty.clone()), sharding);
    let ty = Type::Tensor(ty.with_dtype(complex));
    Some(chain.push(Op::Binary(BinaryOp::Complex), vec![value, zero], ty, sharding))
}

/// `exp(-2 pi i m k / (p T))` for all places `[.., m, k]`: the products are exact, so the angles are.
fn factors(chain: &mut Chain<'_>, kind: FftKind, ty: &TensorType, like: &Sharding) -> Option<ValueId> {
    let rank = ty.rank();
    let [.., piece, tiles] = ty.dims[..] else { return None };
    let sharding = &Sharding { dims: like.dims[rank - 2..].to_vec(), ..like.clone() };
    let whole = |dtype: DType| TensorType::new(dtype, [piece, tiles]);
    let mut push = |op: Op, operands: Vec<ValueId>, dtype: DType| {
        chain.push(op, operands, Type::Tensor(whole(dtype)), sharding)
    };
    let index = |dim: usize| Op::Iota(Iota { dim, ty: whole(DType::S64) });
    let (row, column) = (push(index(0), Vec::new(), DType::S64), push(index(1), Vec::new(), DType::S64));
    let product = push(Op::Binary(BinaryOp::Multiply), vec![row, column], DType::S64);
    let product = push(Op::Convert(Convert::To(DType::F64)), vec![product], DType::F64);
    let turn = std::f64::consts::TAU / (piece * tiles) as f64;
    let turn = if kind == FftKind::Ifft { turn } else { -turn };
    let turn = Literal::splat(whole(DType::F64), &float_bytes(DType::F64, turn))?;
    let turn = push(Op::Constant(Constant(turn)), Vec::new(), DType::F64);
    let angle = push(Op::Binary(BinaryOp::Multiply), vec![product, turn], DType::F64);
    let part = ty.dtype.part();
    let mut of = |op: UnaryOp| {
        let value = push(Op::Unary(op), vec![angle], DType::F64);
        if part == DType::F64 { value } else { push(Op::Convert(Convert::To(part)), vec![value], part) }
    };
    let (real, imaginary) = (of(UnaryOp::Cosine), of(UnaryOp::Sine));
    let factors = push(Op::Binary(BinaryOp::Complex), vec![real, imaginary], ty.dtype);
    if rank == 2 {
        return Some(factors);
    }
    let op = Broadcast { dims: vec![rank - 2, rank - 1], shape: ty.dims.clone() };
    Some(chain.push(Op::Movement(Movement::Broadcast(op)), vec![factors], Type::Tensor(ty.clone()), like))
}

/// A transform of the last dims.
fn transformed(
    chain: &mut Chain<'_>,
    value: ValueId,
    kind: FftKind,
    length: Vec<i64>,
    sharding: &Sharding,
) -> Option<ValueId> {
    let op = Fft { kind, length };
    let ty = Type::Tensor(chain.tensor(value)?);
    let made = op.infer(Operands { types: &[&ty], regions: &[] }).ok()?.into_iter().next()?;
    Some(chain.push(Op::Fft(op), vec![value], made, sharding))
}
