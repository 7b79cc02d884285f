//! The vocabulary: small ops as functions.

use super::{Builder, stand_in};
use crate::infer::InferError;
use crate::literal::Literal;
use crate::module::{BlockId, Function, ValueId};
use crate::op::{
    BinaryOp, Broadcast, Compare, Concatenate, Constant, Convert, Direction, Dot, Dynamic, Iota, Movement,
    Op, Pad, Reduce, Reshape, Reverse, Slice, Transpose, UnaryOp,
};
use crate::types::{DType, TensorType, Type};
use meshwright_shard::{Dim, Reducer};
use std::ops::Range;

/// Whoever can say where the next instruction goes.
pub trait Build {
    /// The function so far.
    fn func(&self) -> &Function;

    /// A builder that stands where the next instruction goes.
    fn builder(&mut self) -> Builder<'_>;

    /// Told of an op that does not fit its operands. The verifier will refuse the module, so nothing has to be done.
    fn misfit(&mut self, _op: &Op, _error: InferError) {}

    /// Add an instruction; its results.
    fn push_all(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>) -> Vec<ValueId> {
        let types = self.builder().infer(&op, &operands, &regions).unwrap_or_else(|error| {
            self.misfit(&op, error);
            vec![stand_in(self.func(), &operands)]
        });
        self.push_typed(op, operands, regions, types)
    }

    /// Add an instruction with the given result types; its results.
    fn push_typed(
        &mut self,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
    ) -> Vec<ValueId> {
        let mut builder = self.builder();
        let inst = builder.insert(op, operands, regions, types);
        builder.results(inst)
    }

    /// An instruction with one result.
    fn push(&mut self, op: Op, operands: impl Into<Vec<ValueId>>) -> ValueId {
        self.push_in(op, operands.into(), Vec::new())
    }

    /// An instruction with regions and one result.
    fn push_in(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>) -> ValueId {
        let results = self.push_all(op, operands, regions);
        results.first().copied().unwrap_or_else(|| self.zeros(&TensorType::scalar(DType::F32)))
    }

    /// The tensor type of a value; a scalar's for a token, which no word here is about.
    fn tensor(&self, value: ValueId) -> TensorType {
        self.func().ty(value).as_tensor().cloned().unwrap_or(TensorType::scalar(DType::Pred))
    }

    fn dtype(&self, value: ValueId) -> DType {
        self.func().ty(value).as_tensor().map_or(DType::Pred, |ty| ty.dtype)
    }

    // Constants.

    fn constant(&mut self, literal: Literal) -> ValueId {
        self.push(Op::Constant(Constant(literal)), [])
    }

    /// A number everywhere.
    fn splat(&mut self, ty: &TensorType, number: f64) -> ValueId {
        self.constant(Literal::splat_number(ty.clone(), number))
    }

    fn splat_int(&mut self, ty: &TensorType, number: i64) -> ValueId {
        self.constant(Literal::splat_int(ty.clone(), number))
    }

    fn splat_like(&mut self, like: ValueId, number: f64) -> ValueId {
        let ty = self.tensor(like);
        self.splat(&ty, number)
    }

    fn zeros(&mut self, ty: &TensorType) -> ValueId {
        self.splat(ty, 0.0)
    }

    fn zeros_like(&mut self, like: ValueId) -> ValueId {
        self.splat_like(like, 0.0)
    }

    /// What a reducer leaves every other element as it is with, everywhere.
    fn identity(&mut self, reducer: Reducer, ty: &TensorType) -> ValueId {
        self.constant(Literal::identity(reducer, ty.clone()))
    }

    /// A constant vector of integers.
    fn vector(&mut self, dtype: DType, elements: &[i64]) -> ValueId {
        self.constant(Literal::vector(dtype, elements))
    }

    fn iota(&mut self, dtype: DType, dims: &[i64], dim: Dim) -> ValueId {
        self.push(Op::Iota(Iota { dim: dim.index(), ty: TensorType::new(dtype, dims) }), [])
    }

    // Element by element.

    fn unary(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        self.push(Op::Unary(op), [x])
    }

    fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        self.push(Op::Binary(op), [x, y])
    }

    fn add(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Add, x, y)
    }

    fn sub(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Subtract, x, y)
    }

    fn mul(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Multiply, x, y)
    }

    fn div(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Divide, x, y)
    }

    fn neg(&mut self, x: ValueId) -> ValueId {
        self.unary(UnaryOp::Negate, x)
    }

    fn not(&mut self, x: ValueId) -> ValueId {
        self.unary(UnaryOp::Not, x)
    }

    /// `x * factor`.
    fn scale(&mut self, x: ValueId, factor: f64) -> ValueId {
        let factor = self.splat_like(x, factor);
        self.mul(x, factor)
    }

    fn compare(&mut self, direction: Direction, x: ValueId, y: ValueId) -> ValueId {
        self.push(Op::Compare(Compare { direction, kind: None }), [x, y])
    }

    fn select(&mut self, pred: ValueId, x: ValueId, y: ValueId) -> ValueId {
        self.push(Op::Select, [pred, x, y])
    }

    /// `x` where `pred`, else zero.
    fn keep(&mut self, pred: ValueId, x: ValueId) -> ValueId {
        let zero = self.zeros_like(x);
        self.select(pred, x, zero)
    }

    /// Change of element type by value; nothing if it is that type already. From complex to real: the real part.
    fn convert(&mut self, x: ValueId, to: DType) -> ValueId {
        let from = self.dtype(x);
        if from == to {
            return x;
        }
        if from.is_complex() && !to.is_complex() {
            let real = self.unary(UnaryOp::Real, x);
            return self.convert(real, to);
        }
        self.push(Op::Convert(Convert::To(to)), [x])
    }

    // Movement. What would leave a value as it is adds nothing.

    /// Row-major elements under another shape.
    fn reshape(&mut self, x: ValueId, shape: &[i64]) -> ValueId {
        if self.func().dims(x) == shape {
            return x;
        }
        self.push(Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() })), [x])
    }

    /// Dim `i` of the result is dim `permutation[i]` of `x`.
    fn transpose(&mut self, x: ValueId, permutation: Vec<usize>) -> ValueId {
        if permutation.iter().copied().eq(0..permutation.len()) {
            return x;
        }
        self.push(Op::Movement(Movement::Transpose(Transpose { permutation })), [x])
    }

    /// Dim `i` of `x` becomes dim `dims[i]` of a shape.
    fn broadcast(&mut self, x: ValueId, dims: Vec<usize>, shape: &[i64]) -> ValueId {
        if self.func().dims(x) == shape && dims.iter().copied().eq(0..shape.len()) {
            return x;
        }
        self.push(Op::Movement(Movement::Broadcast(Broadcast { dims, shape: shape.to_vec() })), [x])
    }

    /// A value without the dims `gone`, repeated along them up to `shape`.
    fn spread(&mut self, x: ValueId, gone: &[usize], shape: &[i64]) -> ValueId {
        let dims: Vec<usize> = (0..shape.len()).filter(|dim| !gone.contains(dim)).collect();
        self.broadcast(x, dims, shape)
    }

    fn slice(&mut self, x: ValueId, slice: Slice) -> ValueId {
        let mut sizes = self.func().dims(x).iter().enumerate();
        if sizes.all(|(dim, size)| slice.takes_all(dim, *size)) {
            return x;
        }
        self.push(Op::Movement(Movement::Slice(slice)), [x])
    }

    /// Some elements along one dim, all along the others.
    fn slice_dim(&mut self, x: ValueId, dim: Dim, range: Range<i64>) -> ValueId {
        let mut slice = Slice::whole(self.func().dims(x));
        (slice.start[dim], slice.limit[dim]) = (range.start, range.end);
        self.slice(x, slice)
    }

    /// Pad with zeros.
    fn pad(&mut self, x: ValueId, pad: Pad) -> ValueId {
        if pad.keeps_all(self.func().dims(x)) {
            return x;
        }
        let zero = self.zeros(&TensorType::scalar(self.dtype(x)));
        self.pad_with(x, zero, pad)
    }

    /// Pad with a scalar.
    fn pad_with(&mut self, x: ValueId, scalar: ValueId, pad: Pad) -> ValueId {
        if pad.keeps_all(self.func().dims(x)) {
            return x;
        }
        self.push(Op::Movement(Movement::Pad(pad)), [x, scalar])
    }

    /// The order of elements turned round along `dims`.
    fn reverse(&mut self, x: ValueId, dims: Vec<usize>) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        self.push(Op::Movement(Movement::Reverse(Reverse { dims })), [x])
    }

    /// Values one after another along a dim.
    fn concatenate(&mut self, values: Vec<ValueId>, dim: Dim) -> ValueId {
        if let [only] = values[..] {
            return only;
        }
        self.push(Op::Movement(Movement::Concatenate(Concatenate { dim: dim.index() })), values)
    }

    /// A vector from scalars.
    fn stack(&mut self, scalars: &[ValueId]) -> ValueId {
        let rows: Vec<ValueId> = scalars.iter().map(|scalar| self.reshape(*scalar, &[1])).collect();
        if rows.is_empty() { self.vector(DType::S32, &[]) } else { self.concatenate(rows, Dim::new(0)) }
    }

    fn dynamic_slice(&mut self, x: ValueId, starts: &[ValueId], sizes: &[i64]) -> ValueId {
        let operands: Vec<ValueId> = [x].iter().chain(starts).copied().collect();
        self.push(Op::Dynamic(Dynamic::Slice { sizes: sizes.to_vec() }), operands)
    }

    fn dynamic_update_slice(&mut self, x: ValueId, update: ValueId, starts: &[ValueId]) -> ValueId {
        let operands: Vec<ValueId> = [x, update].iter().chain(starts).copied().collect();
        self.push(Op::Dynamic(Dynamic::UpdateSlice), operands)
    }

    // Contractions and reductions.

    fn dot(&mut self, lhs: ValueId, rhs: ValueId, dot: Dot) -> ValueId {
        self.push(Op::Dot(dot), [lhs, rhs])
    }

    /// An op that combines elements of one value with a region, from the reducer's identity on: `reduce`,
    /// `reduce_window`.
    fn reduce_by(&mut self, op: Op, x: ValueId, reducer: Reducer) -> ValueId {
        let dtype = self.dtype(x);
        let identity = self.identity(reducer, &TensorType::scalar(dtype));
        let region = self.reducer(reducer, dtype);
        self.push_in(op, vec![x, identity], vec![region])
    }

    /// All elements along `dims` combined; the dims go.
    fn reduce(&mut self, reducer: Reducer, x: ValueId, dims: Vec<usize>) -> ValueId {
        if dims.is_empty() { x } else { self.reduce_by(Op::Reduce(Reduce { dims }), x, reducer) }
    }

    /// Sum over `dims`. Dims of one element are dropped without adding.
    fn sum(&mut self, x: ValueId, dims: &[usize]) -> ValueId {
        let shape = self.func().dims(x).to_vec();
        let long: Vec<usize> = dims.iter().copied().filter(|dim| shape[*dim] != 1).collect();
        let kept: Vec<i64> =
            (0..shape.len()).filter(|dim| !dims.contains(dim)).map(|dim| shape[dim]).collect();
        let summed = self.reduce(Reducer::Sum, x, long);
        self.reshape(summed, &kept)
    }

    /// Sum of all elements.
    fn sum_all(&mut self, x: ValueId) -> ValueId {
        let dims: Vec<usize> = (0..self.func().dims(x).len()).collect();
        self.sum(x, &dims)
    }

    // Regions.

    /// A block for an op to own, written by `body` from its parameters.
    fn region(
        &mut self,
        params: impl IntoIterator<Item = Type>,
        body: impl FnOnce(&mut Builder<'_>, &[ValueId]) -> Vec<ValueId>,
    ) -> BlockId {
        self.builder().write_region(params, body)
    }

    /// A block that combines two scalars.
    fn reducer(&mut self, op: impl Into<BinaryOp>, dtype: DType) -> BlockId {
        let op = op.into();
        self.region([dtype; 2].map(TensorType::scalar).map(Type::from), |b, x| vec![b.binary(op, x[0], x[1])])
    }

    /// A block that compares two scalars.
    fn comparator(&mut self, direction: Direction, dtype: DType) -> BlockId {
        let scalars = [dtype; 2].map(TensorType::scalar).map(Type::from);
        self.region(scalars, |b, x| vec![b.compare(direction, x[0], x[1])])
    }
}
