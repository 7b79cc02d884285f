//! An einsum in a loop over the pieces of an operand or of its result, while the next piece travels (GShard, Figure 4c).
//!
//! ```text
//! gather side    each device starts with its own piece of an operand        for t in 1..n:  next = permute piece
//!                                                                               result (+)= einsum(piece, rest)
//!                                                                               piece = next
//! scatter side   each device starts a sum that its neighbour continues      for t in 1..n:  sum = permute sum
//!                                                                               sum += einsum(block of it)
//! ```
//!
//! Every permute sends one piece to a neighbour on the ring of the group; a piece visits all n devices in n - 1 steps, so
//! the bytes are those of the all-gather or reduce-scatter. Neither the gathered operand nor the unscattered result ever
//! exists. In both directions at once half of the pieces come from either neighbour, in half as many steps. The first and
//! last product stand outside the loop, whose trips then are all alike.

use crate::localize::emit::{Emit, devices, stride};
use meshwright_cost::Form;
use meshwright_ir::op::{BinaryOp, CollectiveKind, Dot, Dynamic, Scan};
use meshwright_ir::{At, DType, Op, TensorType, Type, ValueId};
use meshwright_shard::placement::index_along;
use meshwright_shard::{AxisRef, Mesh, MeshId};

/// What travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Pieces of an operand, along one of its dims.
    Gather { operand: usize, dim: usize },
    /// Sums of blocks of the result, along one of its dims.
    Scatter { dim: usize },
}

/// The devices of a group, each with two neighbours.
#[derive(Clone, Copy)]
pub struct Ring<'a> {
    pub mesh: MeshId,
    pub axes: &'a [AxisRef],
}

/// Write the loop; `ty` is the type of its result.
pub fn einsum(
    emit: &mut Emit<'_, '_>,
    dot: &Dot,
    operands: [ValueId; 2],
    side: Side,
    ring: Ring<'_>,
    form: Form,
    ty: TensorType,
) -> ValueId {
    let count = crate::axes::tiles(ring.axes);
    let index = emit.axis_index(ring.mesh, ring.axes);
    let wide = ty.dtype.accumulator();
    let dot = Dot { result: wide, ..dot.clone() };
    let ranks = operands.map(|value| emit.tensor(value).rank());
    let mut builder =
        Builder { emit, dot, operands, ranks, ring, count, index, form, ty: ty.with_dtype(wide) };
    match side {
        Side::Gather { operand, dim } => {
            let made = builder.gather(operand, dim);
            emit.convert(made, ty.dtype)
        }
        Side::Scatter { dim } => builder.scatter(dim, ty.dtype),
    }
}

struct Builder<'e, 'f, 'm, 'a> {
    emit: &'e mut Emit<'f, 'm>,
    /// With the element type that sums are kept in.
    dot: Dot,
    operands: [ValueId; 2],
    ranks: [usize; 2],
    ring: Ring<'a>,
    /// Devices on the ring.
    count: i64,
    /// Place of this device on it.
    index: ValueId,
    form: Form,
    ty: TensorType,
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
    other: Option<usize>,
    /// Dim of the result that the piece fills a block of; if none, products are summed.
    result: Option<usize>,
}

impl Builder<'_, '_, '_, '_> {
    fn gather(&mut self, operand: usize, dim: usize) -> ValueId {
        let paired = self.paired(operand, dim);
        let own = Traveller { value: self.operands[operand], block: self.index };
        let up = self.pass_on(own, Way::Up);
        let down = self.both_ways().then(|| self.pass_on(own, Way::Down));
        let sum = self.first(operand, paired, own);
        let Some(down) = down else {
            let state = self.repeat(self.count - 2, vec![up.value, up.block, sum], |this, state| {
                let piece = Traveller { value: state[0], block: state[1] };
                let next = this.pass_on(piece, Way::Up);
                vec![next.value, next.block, this.add(operand, paired, piece, state[2])]
            });
            let last = Traveller { value: state[0], block: state[1] };
            return self.add(operand, paired, last, state[2]);
        };
        let state = vec![up.value, up.block, down.value, down.block, sum];
        let state = self.repeat((self.count - 1) / 2 - 1, state, |this, state| {
            let (a, b) = pair(&state);
            let (next_a, next_b) = (this.pass_on(a, Way::Up), this.pass_on(b, Way::Down));
            let sum = this.add(operand, paired, a, state[4]);
            let sum = this.add(operand, paired, b, sum);
            vec![next_a.value, next_a.block, next_b.value, next_b.block, sum]
        });
        let (a, b) = pair(&state);
        // An even ring has one device opposite, whose piece comes one way.
        let opposite = (self.count % 2 == 0).then(|| self.pass_on(a, Way::Up));
        let sum = self.add(operand, paired, a, state[4]);
        let sum = self.add(operand, paired, b, sum);
        opposite.map_or(sum, |piece| self.add(operand, paired, piece, sum))
    }

    fn scatter(&mut self, dim: usize, dtype: DType) -> ValueId {
        if !self.both_ways() {
            let start = self.begin(dim, dtype, -1);
            let state = self.repeat(self.count - 1, vec![start.value, start.block], |this, state| {
                let sum = Traveller { value: state[0], block: state[1] };
                let sum = this.continued(sum, dim, dtype, Way::Up);
                vec![sum.value, sum.block]
            });
            return state[0];
        }
        let steps = (self.count - 1) / 2;
        let is_even = self.count % 2 == 0;
        let mut down = self.begin(dim, dtype, -steps - i64::from(is_even));
        if is_even {
            down = self.continued(down, dim, dtype, Way::Down);
        }
        let up = self.begin(dim, dtype, steps);
        let state = vec![down.value, down.block, up.value, up.block];
        let state = self.repeat(steps - 1, state, |this, state| {
            let (a, b) = pair(&state);
            let a = this.continued(a, dim, dtype, Way::Down);
            let b = this.continued(b, dim, dtype, Way::Up);
            vec![a.value, a.block, b.value, b.block]
        });
        let (a, b) = pair(&state);
        let (a, b) = (self.permute(a.value, Way::Down), self.permute(b.value, Way::Up));
        let own = self.block(dim, self.index);
        let sum = self.sum(a, own);
        let sum = self.sum(b, sum);
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
        let types: Vec<Type> = state.iter().map(|value| self.emit.func().ty(*value).clone()).collect();
        let body = self.emit.editor.block();
        let params = types.iter().map(|ty| self.emit.editor.param(body, ty.clone())).collect();
        let at = std::mem::replace(&mut self.emit.at, At::End(body));
        let made = trip(self, params);
        self.emit.editor.set_results(body, made);
        self.emit.at = at;
        let op = Op::Scan(Scan { trips, carries: state.len(), reverse: false });
        let inst = self.emit.editor.push_typed(at, op, state, vec![body], types, self.emit.source);
        self.emit.func().inst(inst).results.clone()
    }

    /// Send a piece on; what arrives is of the block before or behind it.
    fn pass_on(&mut self, piece: Traveller, way: Way) -> Traveller {
        let value = self.permute(piece.value, way);
        Traveller { value, block: self.moved(piece.block, -way.step()) }
    }

    /// The result with the product of the own piece only.
    fn first(&mut self, operand: usize, paired: Paired, piece: Traveller) -> ValueId {
        let product = self.product(operand, paired, piece);
        match paired.result {
            None => product,
            Some(dim) => {
                let nothing = self.emit.splat(self.ty.clone(), 0);
                self.put(nothing, product, dim, piece.block)
            }
        }
    }

    /// The result with the product of one more piece.
    fn add(&mut self, operand: usize, paired: Paired, piece: Traveller, sum: ValueId) -> ValueId {
        let product = self.product(operand, paired, piece);
        match paired.result {
            None => self.emit.binary(BinaryOp::Add, sum, product),
            Some(dim) => self.put(sum, product, dim, piece.block),
        }
    }

    fn product(&mut self, operand: usize, paired: Paired, piece: Traveller) -> ValueId {
        let mut operands = self.operands;
        operands[operand] = piece.value;
        if let Some(dim) = paired.other {
            let other = &mut operands[1 - operand];
            *other = self.cut(*other, dim, piece.block);
        }
        self.dot(operands)
    }

    /// A sum of the block that lies `away` from this device, with this device's part.
    fn begin(&mut self, dim: usize, dtype: DType, away: i64) -> Traveller {
        let block = self.moved(self.index, away);
        let part = self.block(dim, block);
        Traveller { value: self.emit.convert(part, dtype), block }
    }

    /// The sum that arrives, with this device's part.
    fn continued(&mut self, sum: Traveller, dim: usize, dtype: DType, way: Way) -> Traveller {
        let arrived = self.permute(sum.value, way);
        let block = self.moved(sum.block, -way.step());
        let part = self.block(dim, block);
        let made = self.sum(arrived, part);
        Traveller { value: self.emit.convert(made, dtype), block }
    }

    /// In the type that sums are kept in.
    fn sum(&mut self, arrived: ValueId, part: ValueId) -> ValueId {
        let arrived = self.emit.convert(arrived, self.ty.dtype);
        self.emit.binary(BinaryOp::Add, arrived, part)
    }

    /// This device's part of one block of the result.
    fn block(&mut self, dim: usize, block: ValueId) -> ValueId {
        let mut operands = self.operands;
        for (operand, from) in sources(&self.dot, self.ranks, dim) {
            operands[operand] = self.cut(operands[operand], from, block);
        }
        self.dot(operands)
    }

    fn dot(&mut self, operands: [ValueId; 2]) -> ValueId {
        let [lhs, rhs] = operands.map(|value| self.emit.tensor(value));
        let of = |dim: usize| match sources(&self.dot, self.ranks, dim).first() {
            Some((0, from)) => lhs.dims[*from],
            Some((_, from)) => rhs.dims[*from],
            None => 1,
        };
        let dims: Vec<i64> = (0..self.ty.rank()).map(of).collect();
        let ty = self.ty.with_dims(dims);
        self.emit.push(Op::Dot(self.dot.clone()), operands.to_vec(), ty)
    }

    /// One of as many blocks of a value as there are devices on the ring.
    fn cut(&mut self, value: ValueId, dim: usize, block: ValueId) -> ValueId {
        let mut sizes = self.emit.tensor(value).dims;
        sizes[dim] /= self.count;
        let starts = self.starts(sizes.len(), dim, sizes[dim], block);
        self.emit.dynamic_slice(value, starts, &sizes)
    }

    fn put(&mut self, whole: ValueId, part: ValueId, dim: usize, block: ValueId) -> ValueId {
        let size = self.emit.tensor(part).dims[dim];
        let ty = self.emit.tensor(whole);
        let mut operands = vec![whole, part];
        operands.extend(self.starts(ty.rank(), dim, size, block));
        self.emit.push(Op::Dynamic(Dynamic::UpdateSlice), operands, ty)
    }

    fn starts(&mut self, rank: usize, dim: usize, size: i64, block: ValueId) -> Vec<ValueId> {
        let scalar = TensorType::scalar(DType::S32);
        let size = self.emit.splat(scalar.clone(), size);
        let start = self.emit.binary(BinaryOp::Multiply, block, size);
        let zero = self.emit.splat(scalar, 0);
        (0..rank).map(|at| if at == dim { start } else { zero }).collect()
    }

    /// The block so many places on.
    fn moved(&mut self, block: ValueId, by: i64) -> ValueId {
        let scalar = TensorType::scalar(DType::S32);
        let by = self.emit.splat(scalar.clone(), by.rem_euclid(self.count));
        let count = self.emit.splat(scalar, self.count);
        let sum = self.emit.binary(BinaryOp::Add, block, by);
        self.emit.binary(BinaryOp::Remainder, sum, count)
    }

    fn permute(&mut self, value: ValueId, way: Way) -> ValueId {
        let pairs = neighbours(&self.emit.meshes[self.ring.mesh], self.ring.axes, way);
        let ty = self.emit.tensor(value);
        self.emit.collective(CollectiveKind::Permute { pairs }, self.ring.mesh, &[], value, None, ty)
    }

    fn paired(&self, operand: usize, dim: usize) -> Paired {
        let pairs = self.dot.batch.iter().chain(&self.dot.contract).map(|(lhs, rhs)| [*lhs, *rhs]);
        let other = pairs.into_iter().find(|pair| pair[operand] == dim).map(|pair| pair[1 - operand]);
        let result =
            (0..self.ty.rank()).find(|to| sources(&self.dot, self.ranks, *to).contains(&(operand, dim)));
        Paired { other, result }
    }
}

fn pair(state: &[ValueId]) -> (Traveller, Traveller) {
    (Traveller { value: state[0], block: state[1] }, Traveller { value: state[2], block: state[3] })
}

/// The operands and their dims that a dim of an einsum's result comes from: one, or both of a batch pair.
pub fn sources(dot: &Dot, ranks: [usize; 2], dim: usize) -> Vec<(usize, usize)> {
    if let Some((lhs, rhs)) = dot.batch.get(dim) {
        return vec![(0, *lhs), (1, *rhs)];
    }
    let lhs = dot.lhs_free(ranks[0]).map(|dim| (0, dim));
    let rhs = dot.rhs_free(ranks[1]).map(|dim| (1, dim));
    lhs.chain(rhs).nth(dim - dot.batch.len()).into_iter().collect()
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
    pairs.sort_unstable();
    pairs
}
