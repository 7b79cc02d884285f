//! Small ops as functions: what the families write their derivatives with.
//!
//! Types are inferred. An op that does not fit its operands is a bug of ours: it is reported once and the transform
//! fails.

use crate::codes::INTERNAL;
use crate::tape::Tape;
use meshwright_base::Diagnostic;
use meshwright_ir::infer::infer_types;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::op::{
    BinaryOp, Broadcast, Compare, Constant, Convert, Direction, Dot, Iota, Movement, Pad, Precision, Reduce,
    Reshape, Reverse, Slice, Transpose, UnaryOp,
};
use meshwright_ir::{At, BlockId, DType, Editor, InferCx, Literal, Op, TensorType, Type, ValueId};

impl Tape<'_> {
    /// Add an instruction to the block that is being written; its results.
    pub(crate) fn emit(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>) -> Vec<ValueId> {
        let signatures = meshwright_base::IdMap::new();
        let cx = InferCx { meshes: &self.module.meshes, signatures: &signatures };
        match infer_types(&self.func, &op, &operands, &regions, &cx) {
            Ok(types) => self.emit_typed(op, operands, regions, types),
            Err(error) => self.misfit(op, operands, error.message),
        }
    }

    /// [`Tape::emit`] with the result types given.
    pub(crate) fn emit_typed(
        &mut self,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
    ) -> Vec<ValueId> {
        let (block, source) = (self.block(), self.source);
        let inst =
            Editor::new(&mut self.func).push_typed(At::End(block), op, operands, regions, types, source);
        self.func.inst(inst).results.clone()
    }

    /// Report an instruction that does not fit; something of a plausible type stands for its result.
    fn misfit(&mut self, op: Op, operands: Vec<ValueId>, message: String) -> Vec<ValueId> {
        let text = format!("the derivative made a wrong {}: {message}", op.mnemonic());
        let place = self.module.place(self.source);
        self.report(
            Diagnostic::error(INTERNAL, text).at_place(place).help("this is a bug: please report it"),
        );
        let ty = operands.first().map_or(Type::tensor(DType::F32, []), |value| self.func.ty(*value).clone());
        self.emit_typed(op, operands, Vec::new(), vec![ty])
    }

    /// An instruction with one result.
    pub(crate) fn op(&mut self, op: Op, operands: Vec<ValueId>) -> ValueId {
        self.op_in(op, operands, Vec::new())
    }

    /// An instruction with regions and one result.
    pub(crate) fn op_in(&mut self, op: Op, operands: Vec<ValueId>, regions: Vec<BlockId>) -> ValueId {
        let mut results = self.emit(op, operands, regions);
        if results.is_empty() {
            self.splat(&TensorType::scalar(DType::F32), 0.0)
        } else {
            results.swap_remove(0)
        }
    }

    /// The tensor type of a value; tokens have no derivative and never come here.
    pub(crate) fn tensor(&self, value: ValueId) -> TensorType {
        self.func.ty(value).as_tensor().cloned().unwrap_or(TensorType::scalar(DType::Pred))
    }

    pub(crate) fn dtype(&self, value: ValueId) -> DType {
        self.tensor(value).dtype
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        self.op(Op::Unary(op), vec![x])
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        self.op(Op::Binary(op), vec![x, y])
    }

    pub(crate) fn add(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Add, x, y)
    }

    pub(crate) fn sub(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Subtract, x, y)
    }

    pub(crate) fn mul(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Multiply, x, y)
    }

    pub(crate) fn div(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Divide, x, y)
    }

    pub(crate) fn neg(&mut self, x: ValueId) -> ValueId {
        self.unary(UnaryOp::Negate, x)
    }

    /// `x * factor`.
    pub(crate) fn scale(&mut self, x: ValueId, factor: f64) -> ValueId {
        let factor = self.splat_like(x, factor);
        self.mul(x, factor)
    }

    pub(crate) fn compare(&mut self, direction: Direction, x: ValueId, y: ValueId) -> ValueId {
        self.op(Op::Compare(Compare { direction, kind: None }), vec![x, y])
    }

    pub(crate) fn select(&mut self, pred: ValueId, x: ValueId, y: ValueId) -> ValueId {
        self.op(Op::Select, vec![pred, x, y])
    }

    /// `x` where `pred`, else zero.
    pub(crate) fn keep(&mut self, pred: ValueId, x: ValueId) -> ValueId {
        let zero = self.zeros_like(x);
        self.select(pred, x, zero)
    }

    /// A number everywhere. One constant per block, type and number.
    pub(crate) fn splat(&mut self, ty: &TensorType, number: f64) -> ValueId {
        let key = (ty.clone(), number.to_bits());
        if let Some(known) = self.known_splat(&key) {
            return known;
        }
        let literal = if ty.dtype.part().is_float() {
            Literal::splat(ty.clone(), &float_bytes(ty.dtype, number))
        } else {
            Some(Literal::splat_int(ty.clone(), number as i64))
        };
        let literal = literal.unwrap_or_else(|| Literal::zeros(ty.clone()));
        let value = self.op(Op::Constant(Constant(literal)), Vec::new());
        self.keep_splat(key, value);
        value
    }

    pub(crate) fn splat_like(&mut self, like: ValueId, number: f64) -> ValueId {
        let ty = self.tensor(like);
        self.splat(&ty, number)
    }

    pub(crate) fn zeros(&mut self, ty: &TensorType) -> ValueId {
        self.splat(ty, 0.0)
    }

    pub(crate) fn zeros_like(&mut self, like: ValueId) -> ValueId {
        self.splat_like(like, 0.0)
    }

    pub(crate) fn iota(&mut self, dtype: DType, dims: &[i64], dim: usize) -> ValueId {
        self.op(Op::Iota(Iota { dim, ty: TensorType::new(dtype, dims) }), Vec::new())
    }

    /// Change of element type by value; nothing if it is that type already. To a real type: the real part.
    pub(crate) fn convert(&mut self, x: ValueId, to: DType) -> ValueId {
        let from = self.dtype(x);
        if from == to {
            return x;
        }
        if from.is_complex() && !to.is_complex() {
            let real = self.unary(UnaryOp::Real, x);
            return self.convert(real, to);
        }
        self.op(Op::Convert(Convert::To(to)), vec![x])
    }

    /// Row-major elements under another shape; nothing if it is that shape already.
    pub(crate) fn reshape(&mut self, x: ValueId, shape: &[i64]) -> ValueId {
        if self.func.dims(x) == shape {
            return x;
        }
        self.op(Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() })), vec![x])
    }

    pub(crate) fn transpose(&mut self, x: ValueId, permutation: Vec<usize>) -> ValueId {
        if permutation.iter().copied().eq(0..permutation.len()) {
            return x;
        }
        self.op(Op::Movement(Movement::Transpose(Transpose { permutation })), vec![x])
    }

    /// Dim `i` of `x` becomes dim `dims[i]`; nothing if that is how it is.
    pub(crate) fn broadcast(&mut self, x: ValueId, dims: Vec<usize>, shape: &[i64]) -> ValueId {
        if self.func.dims(x) == shape && dims.iter().copied().eq(0..shape.len()) {
            return x;
        }
        self.op(Op::Movement(Movement::Broadcast(Broadcast { dims, shape: shape.to_vec() })), vec![x])
    }

    /// A value without the dims `gone`, repeated along them up to `shape`.
    pub(crate) fn spread(&mut self, x: ValueId, gone: &[usize], shape: &[i64]) -> ValueId {
        let dims = (0..shape.len()).filter(|dim| !gone.contains(dim)).collect();
        self.broadcast(x, dims, shape)
    }

    pub(crate) fn slice(
        &mut self,
        x: ValueId,
        start: Vec<i64>,
        limit: Vec<i64>,
        stride: Vec<i64>,
    ) -> ValueId {
        let slice = Slice { start, limit, stride };
        let dims = self.func.dims(x);
        if dims.iter().enumerate().all(|(dim, size)| slice.takes_all(dim, *size)) {
            return x;
        }
        self.op(Op::Movement(Movement::Slice(slice)), vec![x])
    }

    /// Pad with zeros.
    pub(crate) fn pad(&mut self, x: ValueId, low: Vec<i64>, high: Vec<i64>, interior: Vec<i64>) -> ValueId {
        let pad = Pad { low, high, interior };
        let ty = self.tensor(x);
        if ty.dims.iter().enumerate().all(|(dim, size)| pad.keeps(dim, *size)) {
            return x;
        }
        let zero = self.zeros(&TensorType::scalar(ty.dtype));
        self.op(Op::Movement(Movement::Pad(pad)), vec![x, zero])
    }

    pub(crate) fn reverse(&mut self, x: ValueId, dims: Vec<usize>) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        self.op(Op::Movement(Movement::Reverse(Reverse { dims })), vec![x])
    }

    /// A block that combines two scalars.
    pub(crate) fn reducer(&mut self, op: BinaryOp, dtype: DType) -> BlockId {
        let ty = Type::tensor(dtype, []);
        let source = self.source;
        let mut editor = Editor::new(&mut self.func);
        let block = editor.block();
        let operands = vec![editor.param(block, ty.clone()), editor.param(block, ty.clone())];
        let inst = editor.push_typed(At::End(block), Op::Binary(op), operands, Vec::new(), vec![ty], source);
        let results = editor.func().inst(inst).results.clone();
        editor.set_results(block, results);
        block
    }

    /// Combine over `dims`, starting from `init`.
    pub(crate) fn reduce(&mut self, op: BinaryOp, x: ValueId, init: f64, dims: Vec<usize>) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        let dtype = self.dtype(x);
        let init = self.splat(&TensorType::scalar(dtype), init);
        let region = self.reducer(op, dtype);
        self.op_in(Op::Reduce(Reduce { dims }), vec![x, init], vec![region])
    }

    /// Sum over `dims`. Dims of one element are dropped without adding.
    pub(crate) fn sum(&mut self, x: ValueId, dims: &[usize]) -> ValueId {
        let shape = self.func.dims(x).to_vec();
        let long: Vec<usize> = dims.iter().copied().filter(|dim| shape[*dim] != 1).collect();
        let kept: Vec<i64> =
            (0..shape.len()).filter(|dim| !dims.contains(dim)).map(|dim| shape[dim]).collect();
        let summed = self.reduce(BinaryOp::Add, x, 0.0, long);
        self.reshape(summed, &kept)
    }

    /// Sum of all elements.
    pub(crate) fn sum_all(&mut self, x: ValueId) -> ValueId {
        let dims: Vec<usize> = (0..self.func.dims(x).len()).collect();
        self.sum(x, &dims)
    }

    pub(crate) fn dot(
        &mut self,
        [lhs, rhs]: [ValueId; 2],
        batch: Vec<(usize, usize)>,
        contract: Vec<(usize, usize)>,
        result: DType,
        (precision, algorithm): (Vec<Precision>, Option<String>),
    ) -> ValueId {
        self.op(Op::Dot(Dot { batch, contract, result, precision, algorithm }), vec![lhs, rhs])
    }
}
