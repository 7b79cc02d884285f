//! Sorting along a split dim: every device sorts its piece, then pieces are merged in rounds, two devices at a time.
//!
//! ```text
//! one round: devices a < b hold the sorted pieces A and B and send them to each other
//!     both sort   concatenate A, B
//!     a keeps the first half, b the second
//! ```
//!
//! Who meets whom is known beforehand: a network of comparisons between devices. Nobody holds more than two pieces, whatever
//! the number of devices. Equal elements stay in order (every comparator is taken to be stable), which takes one of these:
//!
//! ```text
//! bitonic, log n (log n + 1) / 2 rounds      elements carry their places, unless equal ones cannot be told apart anyway
//!                                            or some operand numbers the places as it is (an argsort)
//! neighbours only, n rounds                  A stands before B, so nothing has to be carried
//! ```
//!
//! The one that sends less is taken. Both only ever send lesser elements to the device with the lesser number, so padding,
//! which counts as greater than everything, stays where it was: behind the last elements.

use crate::localize::emit::Emit;
use crate::localize::halo::{Along, concatenate, cut, flag, pairs, per_tile};
use crate::localize::op::{Local, Subject};
use crate::localize::window::{Cut, along};
use meshwright_ir::op::{BinaryOp, CollectiveKind, CompareKind, Direction, Movement, ShardingOp, Sort};
use meshwright_ir::{At, BlockId, Class, DType, Function, InstId, Op, TensorType, Type, ValueId};

/// What tells equal elements apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ties {
    /// Nothing: they are the same to the last bit.
    Same,
    /// An operand that counts upwards along the dim.
    Carried(usize),
    /// Their places only.
    Place,
}

/// What tells equal elements of a sort apart; `None` for other ops.
pub fn ties(func: &Function, inst: InstId) -> Option<Ties> {
    let info = func.inst(inst);
    let Op::Sort(sort) = &info.op else { return None };
    let dtype = |value: &ValueId| func.ty(*value).as_tensor().map(|ty| ty.dtype);
    let whole_numbers = |dtype: DType| matches!(dtype.class(), Class::Signed | Class::Unsigned | Class::Pred);
    let plain = info.regions.first().and_then(|region| plain_comparison(func, *region));
    let are_same = match (&info.operands[..], plain) {
        ([only], Some(is_total)) => is_total || dtype(only).is_some_and(whole_numbers),
        _ => false,
    };
    let counting = || info.operands.iter().position(|value| counts(func, *value, sort.dim));
    Some(if are_same { Ties::Same } else { counting().map_or(Ties::Place, Ties::Carried) })
}

/// Whether a comparator only asks which of its first two parameters is less or greater; and then, whether in total order.
fn plain_comparison(func: &Function, region: BlockId) -> Option<bool> {
    let block = func.block(region);
    let [inst] = block.insts[..] else { return None };
    let Op::Compare(compare) = &func.inst(inst).op else { return None };
    let is_strict = matches!(compare.direction, Direction::Lt | Direction::Gt);
    let asks = match (&func.inst(inst).operands[..], &block.params[..]) {
        ([a, b], [x, y]) => (a, b) == (x, y) || (a, b) == (y, x),
        _ => false,
    };
    let is_total = compare.kind == Some(CompareKind::TotalOrder);
    (is_strict && asks && block.results == func.inst(inst).results).then_some(is_total)
}

/// Whether a value counts 0, 1, 2, .. along a dim, in a type that has all these numbers.
fn counts(func: &Function, mut value: ValueId, dim: usize) -> bool {
    loop {
        let Some(inst) = func.def_inst(value) else { return false };
        let info = func.inst(inst);
        match &info.op {
            Op::Iota(iota) => {
                let ty = &iota.ty;
                let most = match ty.dtype.class() {
                    Class::Signed => 1i64 << (ty.dtype.bits() - 1).min(62),
                    Class::Unsigned => 1i64 << ty.dtype.bits().min(62),
                    Class::Pred | Class::Float | Class::Complex => 0,
                };
                return iota.dim == dim && ty.dims.get(dim).is_some_and(|size| *size <= most);
            }
            Op::Sharding(ShardingOp::Reshard(_) | ShardingOp::Constraint { .. }) => value = info.operands[0],
            // Padding adds and takes away behind the last element.
            Op::Movement(Movement::Slice(slice)) if slice.start.iter().all(|start| *start == 0) => {
                value = info.operands[0];
            }
            Op::Movement(Movement::Pad(pad))
                if pad.low.iter().chain(&pad.interior).all(|more| *more == 0) =>
            {
                value = info.operands[0];
            }
            _ => return false,
        }
    }
}

/// How pieces are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    tiles: i64,
    order: Order,
    /// Bits of the places that are sent along with every element.
    pub place_bits: i64,
}

/// How equal elements are kept in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    None,
    /// By an operand.
    Carried(usize),
    /// By places that travel along.
    Sent,
    /// By which piece they are in.
    Neighbours,
}

impl Merging {
    /// The way that sends least, for elements of so many bits (all operands together).
    pub fn new(cut: Cut, ties: Ties, element_bits: i64) -> Merging {
        let (order, place_bits) = match ties {
            Ties::Same => (Order::None, 0),
            Ties::Carried(operand) => (Order::Carried(operand), 0),
            Ties::Place => (Order::Sent, i64::from(place_type(cut).bits())),
        };
        let network = Merging { tiles: cut.tiles, order, place_bits };
        let neighbours = Merging { order: Order::Neighbours, place_bits: 0, ..network };
        if neighbours.bits(element_bits) < network.bits(element_bits) { neighbours } else { network }
    }

    /// How many rounds it takes.
    pub fn rounds(&self) -> i64 {
        let stages = i64::from(stages(self.tiles));
        match self.order {
            Order::Neighbours if self.tiles <= 2 => self.tiles - 1,
            Order::Neighbours => self.tiles,
            Order::None | Order::Carried(_) | Order::Sent => stages * (stages + 1) / 2,
        }
    }

    /// Who meets whom in each: pairs of tiles, the lesser first.
    pub fn pairs(&self) -> Vec<Vec<(i64, i64)>> {
        match self.order {
            Order::Neighbours => neighbours(self.tiles),
            Order::None | Order::Carried(_) | Order::Sent => bitonic(self.tiles),
        }
    }

    /// What a device sends for each element of its piece.
    pub fn bits(&self, element_bits: i64) -> i64 {
        self.rounds().saturating_mul(element_bits.saturating_add(self.place_bits))
    }
}

/// log2 of the tiles, rounded up.
fn stages(tiles: i64) -> u32 {
    u64::try_from(tiles).unwrap_or(1).max(1).next_power_of_two().ilog2()
}

/// The least type that has all places.
fn place_type(cut: Cut) -> DType {
    match cut.piece().saturating_mul(cut.tiles) {
        ..=0x100 => DType::U8,
        0x101..=0x1_0000 => DType::U16,
        _ => DType::U32,
    }
}

/// Rounds of a network in which the lesser always goes to the lesser tile: runs of twice the length in every stage, whose
/// first round mirrors and whose others go straight. Tiles that there are not would only be sent what is greatest.
fn bitonic(tiles: i64) -> Vec<Vec<(i64, i64)>> {
    let pairs = |mask: i64| {
        let meets = |tile: i64| (tile, tile ^ mask);
        (0..tiles).map(meets).filter(|(low, high)| low < high && *high < tiles).collect::<Vec<_>>()
    };
    let stage = |stage: u32| {
        std::iter::once((1i64 << stage) - 1).chain((0..stage.saturating_sub(1)).rev().map(|bit| 1i64 << bit))
    };
    (1..=stages(tiles)).flat_map(stage).map(pairs).filter(|round| !round.is_empty()).collect()
}

/// Rounds between neighbours: as many as there are tiles.
fn neighbours(tiles: i64) -> Vec<Vec<(i64, i64)>> {
    let round = |first: i64| (first..tiles - 1).step_by(2).map(|tile| (tile, tile + 1)).collect::<Vec<_>>();
    (0..tiles).map(|number| round(number % 2)).filter(|round| !round.is_empty()).collect()
}

/// Localize a sort whose dim is split.
pub fn sort(emit: &mut Emit<'_, '_>, subject: &Subject, op: &Sort) -> Option<Local> {
    let from = subject.from.first()?.as_ref()?;
    let along = along(&[(from, op.dim)])?;
    let cut = Cut::of(*subject.padded.first()?.get(op.dim)?, from.dims[op.dim].tiles());
    let types: Vec<TensorType> = subject.types.iter().filter_map(|ty| ty.as_tensor().cloned()).collect();
    if types.iter().any(|ty| ty.dims.contains(&0)) {
        return Some(Local::Values(types.into_iter().map(|ty| emit.splat(ty, 0)).collect()));
    }
    let comparator = *emit.func().inst(subject.inst).regions.first()?;
    let bits = types.iter().map(|ty| i64::from(ty.dtype.bits())).sum();
    let merging = Merging::new(cut, subject.ties?, bits);
    let line = Line {
        along,
        cut,
        dim: op.dim,
        shape: types.first()?.dims.clone(),
        comparator,
        order: merging.order,
    };
    let mut values = subject.operands.clone();
    if merging.order == Order::Sent {
        values.push(line.places(emit, place_type(cut)));
    }
    let mut values = line.alone(emit, values);
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
    dim: usize,
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
        emit.iota(TensorType::new(dtype, shape), self.dim)
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

    /// Where there is padding, for so many real elements in so many pieces of each tile. A piece before another is full.
    fn gone(&self, emit: &mut Emit<'_, '_>, real: &[i64], pieces: i64) -> Option<ValueId> {
        if self.cut.piece().saturating_mul(self.cut.tiles) == self.cut.size {
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
        let real: Vec<i64> = (0..self.cut.tiles).map(|tile| self.real(tile)).collect();
        let gone = self.gone(emit, &real, 1);
        self.sorted(emit, values, gone)
    }

    /// One round: exchange pieces, sort both, keep a half. Who meets nobody keeps the own piece.
    fn merged(&self, emit: &mut Emit<'_, '_>, values: Vec<ValueId>, round: &[(i64, i64)]) -> Vec<ValueId> {
        let both: Vec<(i64, i64)> = round.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        let mut partners: Vec<i64> = (0..self.cut.tiles).collect();
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
        let ty = emit.tensor(own);
        let other = emit.collective(kind, self.along.mesh, &[], own, None, ty);
        let (low, high) = (emit.select(is_low, own, other), emit.select(is_low, other, own));
        concatenate(emit, vec![low, high], self.dim)
    }

    /// Sorted along the dim; what is gone goes behind all others.
    fn sorted(&self, emit: &mut Emit<'_, '_>, values: Vec<ValueId>, gone: Option<ValueId>) -> Vec<ValueId> {
        let count = values.len();
        let operands: Vec<ValueId> = values.into_iter().chain(gone).collect();
        let types: Vec<TensorType> = operands.iter().map(|value| emit.tensor(*value)).collect();
        let dtypes: Vec<DType> = types.iter().map(|ty| ty.dtype).collect();
        let region = self.precedes(emit, &dtypes, self.carried(count), gone.is_some());
        let op = Op::Sort(Sort { dim: self.dim, stable: true });
        let types = types.into_iter().map(Type::Tensor).collect();
        let inst = emit.editor.push_typed(emit.at, op, operands, vec![region], types, emit.source);
        emit.func().inst(inst).results[..count].to_vec()
    }

    /// The comparator on more operands: equal elements by operand `tie`, those that are gone (the last operand) behind all.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every arrangement of zeros and ones comes out sorted, so everything does.
    fn sorts(tiles: i64, rounds: &[Vec<(i64, i64)>]) -> bool {
        (0u32..1 << tiles).all(|bits| {
            let mut line: Vec<bool> = (0..tiles).map(|tile| bits >> tile & 1 == 1).collect();
            for (low, high) in rounds.iter().flatten() {
                let (low, high) = (*low as usize, *high as usize);
                if line[low] && !line[high] {
                    line.swap(low, high);
                }
            }
            line.is_sorted()
        })
    }

    #[test]
    fn both_networks_sort_any_number_of_tiles() {
        for tiles in 1..=12 {
            for order in [Order::None, Order::Neighbours] {
                let merging = Merging { tiles, order, place_bits: 0 };
                assert!(sorts(tiles, &merging.pairs()), "{merging:?}");
                assert_eq!(merging.pairs().len() as i64, merging.rounds(), "{merging:?}");
            }
        }
    }

    #[test]
    fn the_way_that_sends_less_is_taken() {
        let bits = |tiles, ties, bits| Merging::new(Cut::of(1 << 20, tiles), ties, bits).bits(bits);
        assert_eq!(bits(2, Ties::Place, 32), 32);
        assert_eq!(bits(4, Ties::Place, 32), 4 * 32);
        assert_eq!(bits(8, Ties::Same, 32), 6 * 32);
        assert_eq!(bits(8, Ties::Carried(1), 64), 6 * 64);
        assert_eq!(bits(32, Ties::Place, 32), 15 * 64);
    }
}
