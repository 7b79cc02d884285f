//! An einsum in a loop over the pieces of an operand or of its result, while the next piece travels (GShard, Figure
//! 4c).
//!
//! ```text
//! gather side    each device starts with its own piece of an operand        for t in 1..n:  next = permute piece
//!                                                                               result (+)= einsum(piece, rest)
//!                                                                               piece = next
//! scatter side   each device starts a sum that its neighbour continues      for t in 1..n:  sum = permute sum
//!                                                                               sum += einsum(block of it)
//! ```
//!
//! Every permute sends one piece to a neighbour on the ring of the group; a piece visits all n devices in n - 1 steps,
//! so the bytes are those of the all-gather or reduce-scatter. Several einsums of one gathered value share its loop.
//! Neither the gathered operand nor the unscattered result ever exists. In both directions at once half of the pieces
//! come from either neighbour, in half as many steps. The first and last product stand outside the loop, whose trips
//! then are all alike.

use crate::localize::emit::{Emit, devices, stride};
use meshwright_base::arrange::Arrange;
use meshwright_cost::Form;
use meshwright_ir::op::{BinaryOp, CollectiveKind, Dot, Dynamic};
use meshwright_ir::{Build, DType, Op, TensorType, ValueId};
use meshwright_shard::placement::index_along;
use meshwright_shard::{AxisRef, Dim, Mesh, MeshId};

/// What travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Pieces of an operand, along one of its dims.
    Gather { operand: usize, dim: Dim },
    /// Sums of blocks of the result, along one of its dims.
    Scatter { dim: Dim },
}

/// The devices of a group, each with two neighbours.
#[derive(Clone, Copy)]
pub struct Ring<'a> {
    pub mesh: MeshId,
    pub axes: &'a [AxisRef],
}

/// One einsum of a loop.
pub struct Product {
    pub dot: Dot,
    pub operands: [ValueId; 2],
    pub side: Side,
    /// Of its result.
    pub ty: TensorType,
}

/// Write the loop of one einsum, or of several that take the same pieces: each piece travels once and is multiplied by
/// all of them.
pub fn einsums(emit: &mut Emit<'_, '_>, products: Vec<Product>, ring: Ring<'_>, form: Form) -> Vec<ValueId> {
    let count = crate::axes::tiles(ring.axes);
    let index = emit.axis_index(ring.mesh, ring.axes);
    let types: Vec<DType> = products.iter().map(|product| product.ty.dtype).collect();
    let products: Vec<Wide> = products.into_iter().map(|product| Wide::new(emit, product)).collect();
    let mut builder = LoopBuilder { emit, ring, count, index, form };
    match &products[..] {
        [Wide { side: Side::Scatter { dim }, .. }] => vec![builder.scatter(&products[0], *dim, types[0])],
        [] => Vec::new(),
        _ => {
            let made = builder.gather(&products);
            made.into_iter().zip(types).map(|(made, dtype)| builder.emit.convert(made, dtype)).collect()
        }
    }
}

/// An einsum with the element type that sums are kept in.
struct Wide {
    dot: Dot,
    operands: [ValueId; 2],
    ranks: [usize; 2],
    side: Side,
    ty: TensorType,
}

impl Wide {
    fn new(emit: &Emit<'_, '_>, product: Product) -> Wide {
        let wide = product.ty.dtype.accumulator();
        let ranks = product.operands.map(|value| emit.tensor(value).rank());
        let dot = Dot { result: wide, ..product.dot };
        Wide { dot, operands: product.operands, ranks, side: product.side, ty: product.ty.with_dtype(wide) }
    }

    /// Which operand travels.
    fn travels(&self) -> usize {
        match self.side {
            Side::Gather { operand, .. } => operand,
            Side::Scatter { .. } => 0,
        }
    }

    fn paired(&self) -> Paired {
        let Side::Gather { operand, dim } = self.side else { return Paired { other: None, result: None } };
        let other = paired(&self.dot, operand, dim);
        let result =
            Dim::all(self.ty.rank()).find(|to| sources(&self.dot, self.ranks, *to).contains(&(operand, dim)));
        Paired { other, result }
    }
}

struct LoopBuilder<'e, 'f, 'm, 'a> {
    emit: &'e mut Emit<'f, 'm>,
    ring: Ring<'a>,
    /// Devices on the ring.
    count: i64,
    /// Place of this device on it.
    index: ValueId,
    form: Form,
}

/// A direction on the ring.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Way {
    fn step(self) -> i64 {
        match self {
            Way::Up => 1,
            Way::Down => -1,
        }
    }
}

/// What stands at a place of the loop: the piece or sum that travels, and which block it is of.
#[derive(Clone, Copy)]
struct Traveller {
    value: ValueId,
    block: ValueId,
}

/// Where the dim of a piece stands elsewhere.
#[derive(Clone, Copy)]
struct Paired {
    /// Dim of the other operand that is cut to the piece.
    other: Option<Dim>,
    /// Dim of the result that the piece fills a block of; if none, products are summed.
    result: Option<Dim>,
}

impl LoopBuilder<'_, '_, '_, '_> {
    fn gather(&mut self, of: &[Wide]) -> Vec<ValueId> {
        let Some(first) = of.first() else { return Vec::new() };
        let own = Traveller { value: first.operands[first.travels()], block: self.index };
        let up = self.pass_on(own, Way::Up);
        let down = self.both_ways().then(|| self.pass_on(own, Way::Down));
        let sums: Vec<ValueId> = of.iter().map(|of| self.first(of, own)).collect();
        let Some(down) = down else {
            let state = [vec![up.value, up.block], sums].concat();
            let state = self.repeat(self.count - 2, state, |this, state| {
                let piece = Traveller { value: state[0], block: state[1] };
                let next = this.pass_on(piece, Way::Up);
                [vec![next.value, next.block], this.add(of, piece, &state[2..])].concat()
            });
            let last = Traveller { value: state[0], block: state[1] };
            return self.add(of, last, &state[2..]);
        };
        let state = [vec![up.value, up.block, down.value, down.block], sums].concat();
        let state = self.repeat((self.count - 1) / 2 - 1, state, |this, state| {
            let (a, b) = pair(&state);
            let (next_a, next_b) = (this.pass_on(a, Way::Up), this.pass_on(b, Way::Down));
            let sums = this.add(of, a, &state[4..]);
            let sums = this.add(of, b, &sums);
            [vec![next_a.value, next_a.block, next_b.value, next_b.block], sums].concat()
        });
        let (a, b) = pair(&state);
        // An even ring has one device opposite, whose piece comes one way.
        let opposite = (self.count % 2 == 0).then(|| self.pass_on(a, Way::Up));
        let sums = self.add(of, a, &state[4..]);
        let sums = self.add(of, b, &sums);
        match opposite {
            Some(piece) => self.add(of, piece, &sums),
            None => sums,
        }
    }

    fn scatter(&mut self, of: &Wide, dim: Dim, dtype: DType) -> ValueId {
        if !self.both_ways() {
            let start = self.begin(of, dim, dtype, -1);
            let state = self.repeat(self.count - 1, vec![start.value, start.block], |this, state| {
                let sum = Traveller { value: state[0], block: state[1] };
                let sum = this.continued(of, sum, dim, dtype, Way::Up);
                vec![sum.value, sum.block]
            });
            return state[0];
        }
        let steps = (self.count - 1) / 2;
        let is_even = self.count % 2 == 0;
        let mut down = self.begin(of, dim, dtype, -steps - i64::from(is_even));
        if is_even {
            down = self.continued(of, down, dim, dtype, Way::Down);
        }
        let up = self.begin(of, dim, dtype, steps);
        let state = vec![down.value, down.block, up.value, up.block];
        let state = self.repeat(steps - 1, state, |this, state| {
            let (a, b) = pair(&state);
            let a = this.continued(of, a, dim, dtype, Way::Down);
            let b = this.continued(of, b, dim, dtype, Way::Up);
            vec![a.value, a.block, b.value, b.block]
        });
        let (a, b) = pair(&state);
        let (a, b) = (self.permute(a.value, Way::Down), self.permute(b.value, Way::Up));
        let own = self.block(of, dim, self.index);
        let sum = self.sum(of, a, own);
        let sum = self.sum(of, b, sum);
        self.emit.convert(sum, dtype)
    }

    /// Two directions need two neighbours.
    fn both_ways(&self) -> bool {
        self.form.both_ways && self.count > 2
    }

    /// Repeat a step: in a loop of several steps a trip, then what is left.
    fn repeat(
        &mut self,
        times: i64,
        mut state: Vec<ValueId>,
        mut step: impl FnMut(&mut Self, Vec<ValueId>) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let steps = self.form.steps();
        let (trips, mut rest) = (times / steps, times % steps);
        if trips > 1 {
            state = self.scan(trips, state, |this, mut state| {
                for _ in 0..steps {
                    state = step(this, state);
                }
                state
            });
        } else {
            rest = times;
        }
        for _ in 0..rest {
            state = step(self, state);
        }
        state
    }

    fn scan(
        &mut self,
        trips: i64,
        state: Vec<ValueId>,
        trip: impl FnOnce(&mut Self, Vec<ValueId>) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let (body, params) = self.emit.enter(&state);
        let made = trip(self, params);
        self.emit.leave(body, trips, state, made)
    }

    /// Send a piece on; what arrives is of the block before or behind it.
    fn pass_on(&mut self, piece: Traveller, way: Way) -> Traveller {
        let value = self.permute(piece.value, way);
        Traveller { value, block: self.moved(piece.block, -way.step()) }
    }

    /// The result with the product of the own piece only.
    fn first(&mut self, of: &Wide, piece: Traveller) -> ValueId {
        let product = self.product(of, piece);
        match of.paired().result {
            None => product,
            Some(dim) => {
                let nothing = self.emit.splat_int(&of.ty, 0);
                self.put(nothing, product, dim, piece.block)
            }
        }
    }

    /// The results with the products of one more piece.
    fn add(&mut self, of: &[Wide], piece: Traveller, sums: &[ValueId]) -> Vec<ValueId> {
        let mut one = |(of, sum): (&Wide, &ValueId)| {
            let product = self.product(of, piece);
            match of.paired().result {
                None => self.emit.binary(BinaryOp::Add, *sum, product),
                Some(dim) => self.put(*sum, product, dim, piece.block),
            }
        };
        of.iter().zip(sums).map(&mut one).collect()
    }

    fn product(&mut self, of: &Wide, piece: Traveller) -> ValueId {
        let (mut operands, operand) = (of.operands, of.travels());
        operands[operand] = piece.value;
        if let Some(dim) = of.paired().other {
            let other = &mut operands[1 - operand];
            *other = self.cut(*other, dim, piece.block);
        }
        self.dot(of, operands)
    }

    /// A sum of the block that lies `away` from this device, with this device's part.
    fn begin(&mut self, of: &Wide, dim: Dim, dtype: DType, away: i64) -> Traveller {
        let block = self.moved(self.index, away);
        let part = self.block(of, dim, block);
        Traveller { value: self.emit.convert(part, dtype), block }
    }

    /// The sum that arrives, with this device's part.
    fn continued(&mut self, of: &Wide, sum: Traveller, dim: Dim, dtype: DType, way: Way) -> Traveller {
        let arrived = self.permute(sum.value, way);
        let block = self.moved(sum.block, -way.step());
        let part = self.block(of, dim, block);
        let made = self.sum(of, arrived, part);
        Traveller { value: self.emit.convert(made, dtype), block }
    }

    /// In the type that sums are kept in.
    fn sum(&mut self, of: &Wide, arrived: ValueId, part: ValueId) -> ValueId {
        let arrived = self.emit.convert(arrived, of.ty.dtype);
        self.emit.binary(BinaryOp::Add, arrived, part)
    }

    /// This device's part of one block of the result.
    fn block(&mut self, of: &Wide, dim: Dim, block: ValueId) -> ValueId {
        let mut operands = of.operands;
        for (operand, from) in sources(&of.dot, of.ranks, dim) {
            operands[operand] = self.cut(operands[operand], from, block);
        }
        self.dot(of, operands)
    }

    fn dot(&mut self, of: &Wide, operands: [ValueId; 2]) -> ValueId {
        self.emit.push(Op::Dot(of.dot.clone()), operands)
    }

    /// One of as many blocks of a value as there are devices on the ring.
    fn cut(&mut self, value: ValueId, dim: Dim, block: ValueId) -> ValueId {
        let mut sizes = self.emit.tensor(value).dims;
        sizes[dim] /= self.count;
        let starts = self.starts(sizes.len(), dim, sizes[dim], block);
        self.emit.dynamic_slice(value, &starts, &sizes)
    }

    fn put(&mut self, whole: ValueId, part: ValueId, dim: Dim, block: ValueId) -> ValueId {
        let size = self.emit.tensor(part).dims[dim];
        let rank = self.emit.func().dims(whole).len();
        let mut operands = vec![whole, part];
        operands.extend(self.starts(rank, dim, size, block));
        self.emit.push(Op::Dynamic(Dynamic::UpdateSlice), operands)
    }

    fn starts(&mut self, rank: usize, dim: Dim, size: i64, block: ValueId) -> Vec<ValueId> {
        let scalar = TensorType::scalar(DType::S32);
        let size = self.emit.splat_int(&scalar, size);
        let start = self.emit.binary(BinaryOp::Multiply, block, size);
        let zero = self.emit.splat_int(&scalar, 0);
        Dim::all(rank).map(|at| if at == dim { start } else { zero }).collect()
    }

    /// The block so many places on.
    fn moved(&mut self, block: ValueId, by: i64) -> ValueId {
        let scalar = TensorType::scalar(DType::S32);
        let by = self.emit.splat_int(&scalar, by.rem_euclid(self.count));
        let count = self.emit.splat_int(&scalar, self.count);
        let sum = self.emit.binary(BinaryOp::Add, block, by);
        self.emit.binary(BinaryOp::Remainder, sum, count)
    }

    fn permute(&mut self, value: ValueId, way: Way) -> ValueId {
        let pairs = neighbours(&self.emit.meshes[self.ring.mesh], self.ring.axes, way);
        self.emit.collective(CollectiveKind::Permute { pairs }, self.ring.mesh, &[], value, None)
    }
}

fn pair(state: &[ValueId]) -> (Traveller, Traveller) {
    (Traveller { value: state[0], block: state[1] }, Traveller { value: state[2], block: state[3] })
}

/// The dim of the other operand that goes with a dim of one: a batch pair's, or a contracted pair's.
pub fn paired(dot: &Dot, operand: usize, dim: Dim) -> Option<Dim> {
    let mut pairs = dot.batch.iter().chain(&dot.contract).map(|(lhs, rhs)| [*lhs, *rhs]);
    pairs.find(|pair| pair[operand] == dim.index()).map(|pair| Dim::new(pair[1 - operand]))
}

/// The operands and their dims that a dim of an einsum's result comes from: one, or both of a batch pair.
pub fn sources(dot: &Dot, ranks: [usize; 2], dim: Dim) -> Vec<(usize, Dim)> {
    if let Some((lhs, rhs)) = dot.batch.get(dim.index()) {
        return vec![(0, Dim::new(*lhs)), (1, Dim::new(*rhs))];
    }
    let lhs = dot.lhs_free(ranks[0]).map(|dim| (0, Dim::new(dim)));
    let rhs = dot.rhs_free(ranks[1]).map(|dim| (1, Dim::new(dim)));
    lhs.chain(rhs).nth(dim.index() - dot.batch.len()).into_iter().collect()
}

/// Who sends to whom: every device to the next of its group, the last to the first; downwards the other way round.
fn neighbours(mesh: &Mesh, axes: &[AxisRef], way: Way) -> Vec<(u32, u32)> {
    let count = crate::axes::tiles(axes);
    let devices = devices(mesh);
    let at = |position: i64, index: i64| -> i64 {
        // The digits along the axes change, the others stay.
        let digits = axes.iter().rev().scan(index, |rest, axis| {
            let digit = *rest % axis.size;
            *rest /= axis.size;
            Some((axis, digit))
        });
        digits.fold(position, |position, (axis, digit)| {
            let stride = stride(mesh, axis);
            position + (digit - position / stride % axis.size) * stride
        })
    };
    let target = |position: i64| {
        let index = index_along(mesh, axes, position);
        at(position, (index + way.step()).rem_euclid(count))
    };
    let mut pairs: Vec<(u32, u32)> = (0..devices.len())
        .filter_map(|position| Some((devices[position], *devices.get(target(position as i64) as usize)?)))
        .collect();
    pairs.arrange();
    pairs
}
