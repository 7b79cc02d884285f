//! Sorting along a split dim: every device sorts its piece, then pieces are merged in rounds, two devices at a time.
//!
//! ```text
//! one round: devices a < b hold the sorted pieces A and B and send them to each other
//!     both sort   concatenate A, B
//!     a keeps the first half, b the second
//! ```
//!
//! Who meets whom, and what keeps equal elements in order, is said by `exchange::merge`. Nobody holds more than two
//! pieces, whatever the number of devices. Lesser elements only ever go to the device with the lesser number, so
//! padding, which counts as greater than everything, stays where it was: behind the last elements.

use crate::exchange::layout::Cut;
use crate::exchange::merge::{Merging, Order, place_type};
use crate::localize::emit::Emit;
use crate::localize::halo::{Along, along, cut, flag, pairs, per_tile};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{BinaryOp, CollectiveKind, Direction, Sort};
use meshwright_ir::{At, BlockId, Build, DType, Dim, Op, TensorType, Type, ValueId};

/// Localize a sort whose dim is split.
pub fn sort(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Sort) -> Option<Local> {
    let from = subject.from.first()?.sharding.as_ref()?;
    let along = along(&[(from, Dim::new(op.dim))])?;
    let cut = Cut::of(*subject.from.first()?.padded().get(op.dim)?, from.dims[op.dim].tiles());
    let types: Vec<TensorType> = subject.locals(emit);
    if types.iter().any(|ty| ty.dims.contains(&0)) {
        return Some(Local::Values(types.into_iter().map(|ty| emit.splat_int(&ty, 0)).collect()));
    }
    let comparator = *emit.func().inst(subject.inst).regions.first()?;
    let bits = types.iter().map(|ty| i64::from(ty.dtype.bits())).sum();
    let merging = Merging::new(cut, subject.ties?, bits);
    let line = Line {
        along,
        cut,
        dim: Dim::new(op.dim),
        shape: types.first()?.dims.clone(),
        comparator,
        order: merging.order,
    };
    let mut values = subject.operands.clone();
    if merging.order == Order::Sent {
        values.push(line.places(emit, place_type(cut)));
    }
    let mut values = line.alone(emit, values.to_vec());
    for round in &merging.pairs() {
        values = line.merged(emit, values, round);
    }
    values.truncate(types.len());
    Some(Local::Values(values))
}

/// The sorted dim of one piece.
struct Line<'a> {
    along: Along<'a>,
    cut: Cut,
    dim: Dim,
    /// Of the piece.
    shape: Vec<i64>,
    comparator: BlockId,
    order: Order,
}

impl Line<'_> {
    /// Index along the dim, within `pieces` pieces.
    fn index(&self, emit: &mut Emit<'_, '_>, dtype: DType, pieces: i64) -> ValueId {
        let mut shape = self.shape.clone();
        shape[self.dim] *= pieces;
        emit.iota(dtype, &shape, self.dim)
    }

    /// Index along the dim in the whole.
    fn places(&self, emit: &mut Emit<'_, '_>, dtype: DType) -> ValueId {
        let index = self.index(emit, dtype, 1);
        let start = emit.offset(self.along.mesh, self.along.axes, self.cut.piece());
        let start = emit.convert(start, dtype);
        let start = emit.broadcast(start, Vec::new(), &self.shape);
        emit.binary(BinaryOp::Add, index, start)
    }

    /// Real elements of a tile: sorting does not change how many there are.
    fn real(&self, tile: i64) -> i64 {
        let piece = self.cut.piece();
        (self.cut.size - tile.saturating_mul(piece)).clamp(0, piece)
    }

    /// Where there is padding, for so many real elements in so many pieces of each tile. A piece before another is
    /// full.
    fn gone(&self, emit: &mut Emit<'_, '_>, real: &[i64], pieces: i64) -> Option<ValueId> {
        if self.cut.piece().saturating_mul(self.cut.tiles.get()) == self.cut.size {
            return None;
        }
        let index = self.index(emit, DType::S32, pieces);
        let shape = emit.tensor(index).dims;
        let real = per_tile(emit, self.along, real);
        let real = emit.broadcast(real, Vec::new(), &shape);
        Some(emit.compare(Direction::Ge, index, real))
    }

    /// Where the tie-breaking operand stands among so many values, if it is one of them.
    fn carried(&self, values: usize) -> Option<usize> {
        match self.order {
            Order::None | Order::Neighbours => None,
            Order::Carried(operand) => Some(operand),
            Order::Sent => values.checked_sub(1),
        }
    }

    /// The own piece, sorted.
    fn alone(&self, emit: &mut Emit<'_, '_>, values: Vec<ValueId>) -> Vec<ValueId> {
        let real: Vec<i64> = self.cut.tiles.each().map(|tile| self.real(tile)).collect();
        let gone = self.gone(emit, &real, 1);
        self.sorted(emit, values, gone)
    }

    /// One round: exchange pieces, sort both, keep a half. Who meets nobody keeps the own piece.
    fn merged(&self, emit: &mut Emit<'_, '_>, values: Vec<ValueId>, round: &[(i64, i64)]) -> Vec<ValueId> {
        let both: Vec<(i64, i64)> = round.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        let mut partners: Vec<i64> = self.cut.tiles.each().collect();
        for (tile, other) in &both {
            partners[*tile as usize] = *other;
        }
        let places = || (0..).zip(&partners);
        let is_low = places().map(|(tile, other)| i64::from(tile <= *other)).collect::<Vec<_>>();
        let is_low = flag(emit, self.along, &is_low);
        let pairs: Vec<ValueId> =
            values.iter().map(|value| self.beside(emit, *value, &both, is_low)).collect();
        let real: Vec<i64> = places().map(|(tile, other)| self.real(tile) + self.real(*other)).collect();
        let gone = self.gone(emit, &real, 2);
        let piece = self.cut.piece();
        let halves: Vec<i64> = places().map(|(tile, other)| if tile <= *other { 0 } else { piece }).collect();
        let sorted = self.sorted(emit, pairs, gone).into_iter();
        let kept: Vec<ValueId> =
            sorted.map(|pair| cut(emit, pair, self.dim, self.along, &halves, piece)).collect();
        if places().all(|(tile, other)| tile != *other) {
            return kept;
        }
        let meets: Vec<i64> = places().map(|(tile, other)| i64::from(tile != *other)).collect();
        let meets = flag(emit, self.along, &meets);
        kept.into_iter().zip(values).map(|(kept, own)| emit.select(meets, kept, own)).collect()
    }

    /// The own piece and the partner's, the lower one first.
    fn beside(&self, emit: &mut Emit<'_, '_>, own: ValueId, both: &[(i64, i64)], is_low: ValueId) -> ValueId {
        let kind =
            CollectiveKind::Permute { pairs: pairs(&emit.meshes[self.along.mesh], self.along.axes, both) };
        let other = emit.collective(kind, self.along.mesh, &[], own, None);
        let (low, high) = (emit.select(is_low, own, other), emit.select(is_low, other, own));
        emit.concatenate(vec![low, high], self.dim)
    }

    /// Sorted along the dim; what is gone goes behind all others.
    fn sorted(&self, emit: &mut Emit<'_, '_>, values: Vec<ValueId>, gone: Option<ValueId>) -> Vec<ValueId> {
        let count = values.len();
        let operands: Vec<ValueId> = values.into_iter().chain(gone).collect();
        let dtypes: Vec<DType> = operands.iter().map(|value| emit.dtype(*value)).collect();
        let region = self.precedes(emit, &dtypes, self.carried(count), gone.is_some());
        let op = Op::Sort(Sort { dim: self.dim.index(), stable: true });
        let mut sorted = emit.push_all(op, operands, vec![region]);
        sorted.truncate(count);
        sorted
    }

    /// The comparator on more operands: equal elements by operand `tie`, those that are gone (the last operand) behind
    /// all.
    fn precedes(
        &self,
        emit: &mut Emit<'_, '_>,
        types: &[DType],
        tie: Option<usize>,
        has_gone: bool,
    ) -> BlockId {
        let block = emit.editor.block();
        let scalar = |dtype: &DType| Type::Tensor(TensorType::scalar(*dtype));
        let params: Vec<ValueId> =
            types.iter().flat_map(|ty| [ty, ty]).map(|ty| emit.editor.param(block, scalar(ty))).collect();
        let (at, count) = (emit.at, emit.func().block(self.comparator).params.len());
        let swapped: Vec<ValueId> = params.chunks(2).flat_map(|pair| pair.iter().rev().copied()).collect();
        emit.at = At::End(block);
        let mut before = emit.inlined(self.comparator, block, &params[..count]);
        let behind = match tie {
            Some(_) => emit.inlined(self.comparator, block, &swapped[..count]),
            None => Vec::new(),
        };
        if let (Some(tie), [first], [behind]) = (tie, &before[..], &behind[..]) {
            let (first, behind) = (*first, *behind);
            let is_equal = emit.not(behind);
            let earlier = emit.compare(Direction::Lt, params[2 * tie], params[2 * tie + 1]);
            let earlier = emit.binary(BinaryOp::And, is_equal, earlier);
            before = vec![emit.binary(BinaryOp::Or, first, earlier)];
        }
        if let ([first, ..], [.., x, y], true) = (&before[..], &params[..], has_gone) {
            let first = *first;
            let wins = emit.binary(BinaryOp::Or, *y, first);
            let is_there = emit.not(*x);
            before = vec![emit.binary(BinaryOp::And, is_there, wins)];
        }
        emit.at = at;
        emit.editor.set_results(block, before);
        block
    }
}
