//! Small builders for the instructions localization adds.

use meshwright_base::IdMap;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{
    BinaryOp, Broadcast, Collective, CollectiveKind, Compare, Concatenate, Constant, Convert, Direction,
    Dynamic, Groups, Iota, Movement, Reduce, Reshape, Scan, UnaryOp,
};
use meshwright_ir::{
    At, BlockId, DType, Editor, Function, InstId, Literal, Op, SourceId, TensorType, Type, ValueId,
};
use meshwright_shard::{AxisRef, Mesh, MeshId, Meshes, Reducer};

/// Writes instructions at one place of a function.
pub struct Emit<'f, 'm> {
    pub editor: Editor<'f>,
    pub meshes: &'m Meshes,
    pub at: At,
    pub source: SourceId,
    pub next_channel: i64,
    /// Values that are a part of another along one dim.
    pub slices: Vec<Sliced>,
    /// Index of this device along a list of axes, computed once at the top of the function.
    indices: Vec<((MeshId, Vec<AxisRef>), ValueId)>,
    /// Position of this device in each mesh.
    positions: IdMap<MeshId, Option<ValueId>>,
    /// Last of the instructions added at the top.
    top: Option<InstId>,
}

/// A value that is `source` from element `start` of a dim on, as the whole program sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sliced {
    pub value: ValueId,
    pub source: ValueId,
    pub dim: usize,
    pub start: i64,
    /// Elements of the source along the dim, and how many devices share it.
    pub size: i64,
    pub tiles: i64,
}

/// The body of a loop that is being written.
pub struct Body {
    block: BlockId,
    /// Where the loop is to stand.
    at: At,
    types: Vec<Type>,
}

impl<'f, 'm> Emit<'f, 'm> {
    pub fn new(func: &'f mut Function, meshes: &'m Meshes, next_channel: i64) -> Self {
        let at = At::End(func.root());
        Emit {
            editor: Editor::new(func),
            meshes,
            at,
            source: SourceId::unknown(),
            next_channel,
            slices: Vec::new(),
            indices: Vec::new(),
            positions: IdMap::filled(meshes.len(), None),
            top: None,
        }
    }

    pub fn func(&self) -> &Function {
        self.editor.func()
    }

    pub fn tensor(&self, value: ValueId) -> TensorType {
        self.func().ty(value).as_tensor().cloned().unwrap_or(TensorType::scalar(DType::Pred))
    }

    pub fn push(&mut self, op: Op, operands: Vec<ValueId>, ty: TensorType) -> ValueId {
        self.push_with(op, operands, Vec::new(), ty)
    }

    fn push_with(
        &mut self,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        ty: TensorType,
    ) -> ValueId {
        let inst =
            self.editor.push_typed(self.at, op, operands, regions, vec![Type::Tensor(ty)], self.source);
        self.func().inst(inst).results[0]
    }

    pub fn constant(&mut self, literal: Literal) -> ValueId {
        let ty = literal.ty().clone();
        self.push(Op::Constant(Constant(literal)), Vec::new(), ty)
    }

    pub fn splat(&mut self, ty: TensorType, value: i64) -> ValueId {
        self.constant(Literal::splat_int(ty, value))
    }

    /// A constant vector of integers.
    pub fn vector(&mut self, dtype: DType, elements: &[i64]) -> ValueId {
        let ty = TensorType::new(dtype, [elements.len() as i64]);
        let bytes = elements.iter().flat_map(|n| n.to_le_bytes()[..dtype.bytes()].to_vec()).collect();
        let literal = Literal::dense(ty.clone(), bytes).unwrap_or(Literal::zeros(ty));
        self.constant(literal)
    }

    pub fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.tensor(a);
        self.push(Op::Binary(op), vec![a, b], ty)
    }

    pub fn compare(&mut self, direction: Direction, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.tensor(a).with_dtype(DType::Pred);
        self.push(Op::Compare(Compare { direction, kind: None }), vec![a, b], ty)
    }

    pub fn select(&mut self, pred: ValueId, on_true: ValueId, on_false: ValueId) -> ValueId {
        let ty = self.tensor(on_true);
        self.push(Op::Select, vec![pred, on_true, on_false], ty)
    }

    pub fn not(&mut self, value: ValueId) -> ValueId {
        let ty = self.tensor(value);
        self.push(Op::Unary(UnaryOp::Not), vec![value], ty)
    }

    pub fn convert(&mut self, value: ValueId, to: DType) -> ValueId {
        let ty = self.tensor(value);
        if ty.dtype == to {
            return value;
        }
        self.push(Op::Convert(Convert::To(to)), vec![value], ty.with_dtype(to))
    }

    pub fn broadcast(&mut self, value: ValueId, dims: Vec<usize>, shape: &[i64]) -> ValueId {
        let ty = self.tensor(value).with_dims(shape);
        let op = Broadcast { dims, shape: shape.to_vec() };
        self.push(Op::Movement(Movement::Broadcast(op)), vec![value], ty)
    }

    pub fn reshape(&mut self, value: ValueId, shape: &[i64]) -> ValueId {
        let ty = self.tensor(value).with_dims(shape);
        self.push(Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() })), vec![value], ty)
    }

    pub fn iota(&mut self, ty: TensorType, dim: usize) -> ValueId {
        self.push(Op::Iota(Iota { dim, ty: ty.clone() }), Vec::new(), ty)
    }

    /// A vector from scalars.
    pub fn stack(&mut self, scalars: &[ValueId]) -> ValueId {
        let rows: Vec<ValueId> = scalars.iter().map(|scalar| self.reshape(*scalar, &[1])).collect();
        let [first, ..] = rows[..] else { return self.vector(DType::S32, &[]) };
        let ty = self.tensor(first).with_dims([rows.len() as i64]);
        self.push(Op::Movement(Movement::Concatenate(Concatenate { dim: 0 })), rows, ty)
    }

    pub fn dynamic_slice(&mut self, value: ValueId, starts: Vec<ValueId>, sizes: &[i64]) -> ValueId {
        let ty = self.tensor(value).with_dims(sizes);
        let operands = std::iter::once(value).chain(starts).collect();
        self.push(Op::Dynamic(Dynamic::Slice { sizes: sizes.to_vec() }), operands, ty)
    }

    /// Cut out this device's piece: `axes[dim]` say which piece of each dim.
    pub fn slice_by_axes(&mut self, value: ValueId, mesh: MeshId, axes: &[Vec<AxisRef>]) -> ValueId {
        let ty = self.tensor(value);
        let sizes: Vec<i64> =
            ty.dims.iter().zip(axes).map(|(size, axes)| size / crate::axes::tiles(axes).max(1)).collect();
        let starts = sizes.iter().zip(axes).map(|(size, axes)| self.offset(mesh, axes, *size)).collect();
        self.dynamic_slice(value, starts, &sizes)
    }

    /// First element of this device's piece of a dim whose pieces have `size` elements.
    pub fn offset(&mut self, mesh: MeshId, axes: &[AxisRef], size: i64) -> ValueId {
        let scalar = TensorType::scalar(DType::S32);
        if axes.is_empty() {
            return self.splat(scalar, 0);
        }
        let index = self.axis_index(mesh, axes);
        let size = self.splat(scalar, size);
        self.binary(BinaryOp::Multiply, index, size)
    }

    /// Whether this device is the first along the axes.
    pub fn is_first(&mut self, mesh: MeshId, axes: &[AxisRef]) -> ValueId {
        let index = self.axis_index(mesh, axes);
        let zero = self.splat(TensorType::scalar(DType::S32), 0);
        self.compare(Direction::Eq, index, zero)
    }

    /// Position of this device along a list of axes, major first: an s32 scalar.
    pub fn axis_index(&mut self, mesh: MeshId, axes: &[AxisRef]) -> ValueId {
        let key = (mesh, axes.to_vec());
        if let Some((_, value)) = self.indices.iter().find(|(known, _)| *known == key) {
            return *value;
        }
        let position = self.position(mesh);
        let (at, source) = (self.at, self.source);
        let value = self.at_top(|emit| {
            let mut index = None;
            for axis in axes {
                let digit = emit.digit(position, mesh, axis);
                index = Some(match index {
                    None => digit,
                    Some(major) => {
                        let size = emit.splat(TensorType::scalar(DType::S32), axis.size);
                        let scaled = emit.binary(BinaryOp::Multiply, major, size);
                        emit.binary(BinaryOp::Add, scaled, digit)
                    }
                });
            }
            index.unwrap_or_else(|| emit.splat(TensorType::scalar(DType::S32), 0))
        });
        (self.at, self.source) = (at, source);
        self.indices.push((key, value));
        value
    }

    /// `position / stride % size`, leaving out what changes nothing.
    fn digit(&mut self, position: ValueId, mesh: MeshId, axis: &AxisRef) -> ValueId {
        let stride = stride(&self.meshes[mesh], axis);
        let total: i64 = self.meshes[mesh].axes.values().map(|axis| axis.size).product();
        let scalar = TensorType::scalar(DType::S32);
        let mut digit = position;
        if stride > 1 {
            let stride = self.splat(scalar.clone(), stride);
            digit = self.binary(BinaryOp::Divide, digit, stride);
        }
        if stride * axis.size < total {
            let size = self.splat(scalar, axis.size);
            digit = self.binary(BinaryOp::Remainder, digit, size);
        }
        digit
    }

    /// Position of this device in a mesh: its number, or where the mesh's device order has it.
    fn position(&mut self, mesh: MeshId) -> ValueId {
        if let Some(value) = self.positions[mesh] {
            return value;
        }
        let order = self.meshes[mesh].order.clone();
        let (at, source) = (self.at, self.source);
        let value = self.at_top(|emit| {
            let id = emit.push(Op::PartitionId, Vec::new(), TensorType::scalar(DType::U32));
            let device = emit.convert(id, DType::S32);
            let Some(order) = order else { return device };
            let positions: Vec<i64> = position_of_device(&order);
            let table = emit.vector(DType::S32, &positions);
            let entry = emit.dynamic_slice(table, vec![device], &[1]);
            emit.reshape(entry, &[])
        });
        (self.at, self.source) = (at, source);
        self.positions[mesh] = Some(value);
        value
    }

    /// Emit behind what was emitted at the top of the function before.
    fn at_top(&mut self, build: impl FnOnce(&mut Self) -> ValueId) -> ValueId {
        self.source = SourceId::unknown();
        let root = self.func().root();
        // Each instruction goes before the first one that is not ours, so ours stay in order.
        let next = match self.top {
            None => self.func().block(root).insts.first().copied(),
            Some(top) => {
                let insts = &self.func().block(root).insts;
                insts.iter().position(|inst| *inst == top).and_then(|at| insts.get(at + 1).copied())
            }
        };
        self.at = next.map_or(At::End(root), At::Before);
        let value = build(self);
        // The value may be an old one, so it does not say where ours end.
        let insts = &self.func().block(root).insts;
        let end = next.and_then(|next| insts.iter().position(|inst| *inst == next)).unwrap_or(insts.len());
        self.top = insts[..end].last().copied();
        value
    }

    /// One collective with one operand.
    pub fn collective(
        &mut self,
        kind: CollectiveKind,
        mesh: MeshId,
        axes: &[AxisRef],
        value: ValueId,
        reducer: Option<Reducer>,
        ty: TensorType,
    ) -> ValueId {
        let groups = match kind {
            CollectiveKind::Permute { .. } => Groups::All,
            _ => Groups::Axes { mesh, axes: axes.to_vec() },
        };
        let channel = Channel { id: Some(self.next_channel), kind: 1, use_global_device_ids: true };
        self.next_channel += 1;
        let regions = reducer.map(|reducer| vec![self.reducer_block(reducer, ty.dtype)]).unwrap_or_default();
        let group_size = crate::axes::tiles(axes);
        let op = Collective { kind, groups, group_size, channel, wide: None };
        self.push_with(Op::Collective(op), vec![value], regions, ty)
    }

    fn reducer_block(&mut self, reducer: Reducer, dtype: DType) -> BlockId {
        reducer_block(&mut self.editor, reducer, dtype, self.source)
    }

    /// Logical "and" of a pred tensor over one dim.
    pub fn all_of(&mut self, value: ValueId, dim: usize) -> ValueId {
        self.reduce(value, dim, Reducer::And)
    }

    /// A value reduced over one dim, which goes.
    pub fn reduce(&mut self, value: ValueId, dim: usize, reducer: Reducer) -> ValueId {
        let mut ty = self.tensor(value);
        ty.dims.remove(dim);
        self.with_reducer(Op::Reduce(Reduce { dims: vec![dim] }), value, reducer, ty)
    }

    /// A reduction of one value, from the identity on.
    pub fn with_reducer(&mut self, op: Op, value: ValueId, reducer: Reducer, ty: TensorType) -> ValueId {
        let nothing = self.identity(reducer, ty.with_dims(Vec::new()));
        let region = self.reducer_block(reducer, ty.dtype);
        self.push_with(op, vec![value, nothing], vec![region], ty)
    }

    /// A copy of a region's block, with the regions inside it.
    pub fn copy_block(&mut self, block: BlockId) -> BlockId {
        let params = self.func().block(block).params.clone();
        let copy = self.editor.block();
        let mut copied = Vec::new();
        for param in params {
            let ty = self.func().ty(param).clone();
            copied.push(self.editor.param(copy, ty));
        }
        let results = self.inlined(block, copy, &copied);
        self.editor.set_results(copy, results);
        copy
    }

    /// The instructions of a block again at the end of another, on other values than its parameters; what it returns.
    pub fn inlined(&mut self, block: BlockId, into: BlockId, args: &[ValueId]) -> Vec<ValueId> {
        let original = self.func().block(block).clone();
        let mut known: Vec<(ValueId, ValueId)> =
            original.params.iter().copied().zip(args.iter().copied()).collect();
        let current = |known: &[(ValueId, ValueId)], value: ValueId| {
            known.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
        };
        for inst in &original.insts {
            let info = self.func().inst(*inst).clone();
            let operands = info.operands.iter().map(|value| current(&known, *value)).collect();
            let regions = info.regions.iter().map(|region| self.copy_block(*region)).collect();
            let types = info.results.iter().map(|value| self.func().ty(*value).clone()).collect();
            let made = self.editor.push_typed(At::End(into), info.op, operands, regions, types, info.source);
            known.extend(info.results.iter().copied().zip(self.func().inst(made).results.clone()));
        }
        original.results.iter().map(|value| current(&known, *value)).collect()
    }

    /// Go on inside a loop that carries values like these; returns its parameters.
    pub fn enter(&mut self, state: &[ValueId]) -> (Body, Vec<ValueId>) {
        let types: Vec<Type> = state.iter().map(|value| self.func().ty(*value).clone()).collect();
        let block = self.editor.block();
        let params = types.iter().map(|ty| self.editor.param(block, ty.clone())).collect();
        let at = std::mem::replace(&mut self.at, At::End(block));
        (Body { block, at, types }, params)
    }

    /// Go on behind the loop, which starts with `state` and carries on what was `made`; what comes out of it.
    pub fn leave(&mut self, body: Body, trips: i64, state: Vec<ValueId>, made: Vec<ValueId>) -> Vec<ValueId> {
        self.editor.set_results(body.block, made);
        self.at = body.at;
        let op = Op::Scan(Scan { trips, carries: state.len(), reverse: false });
        let inst = self.editor.push_typed(self.at, op, state, vec![body.block], body.types, self.source);
        self.func().inst(inst).results.clone()
    }

    /// The neutral element of a reducer, as a splat of a type.
    pub fn identity(&mut self, reducer: Reducer, ty: TensorType) -> ValueId {
        self.constant(identity_literal(reducer, ty))
    }
}

/// A block that combines two scalars.
pub fn reducer_block(editor: &mut Editor<'_>, reducer: Reducer, dtype: DType, source: SourceId) -> BlockId {
    let scalar = Type::Tensor(TensorType::scalar(dtype));
    let block = editor.block();
    let (a, b) = (editor.param(block, scalar.clone()), editor.param(block, scalar.clone()));
    let op = Op::Binary(reducer.into());
    let inst = editor.push_typed(At::End(block), op, vec![a, b], Vec::new(), vec![scalar], source);
    let result = editor.func().inst(inst).results.clone();
    editor.set_results(block, result);
    block
}

/// `identity (op) x = x`.
pub fn identity_literal(reducer: Reducer, ty: TensorType) -> Literal {
    let dtype = ty.dtype;
    match reducer {
        Reducer::Sum | Reducer::Or | Reducer::Xor => Literal::splat_int(ty, 0),
        Reducer::Product => Literal::splat_int(ty, 1),
        Reducer::And if dtype == DType::Pred => Literal::splat_int(ty, 1),
        Reducer::And => Literal::splat_int(ty, -1),
        Reducer::Min => extreme(ty, true),
        Reducer::Max => extreme(ty, false),
    }
}

/// The largest or smallest value of an element type; infinities where there are any.
fn extreme(ty: TensorType, largest: bool) -> Literal {
    use meshwright_ir::Class;
    let dtype = ty.dtype;
    let bits = dtype.bits();
    match dtype.class() {
        Class::Pred => Literal::splat_int(ty, i64::from(largest)),
        Class::Unsigned if !largest => Literal::splat_int(ty, 0),
        Class::Unsigned => Literal::splat_int(ty, if bits == 64 { -1 } else { (1 << bits) - 1 }),
        Class::Signed => {
            let top = i64::MAX >> (64 - bits);
            Literal::splat_int(ty, if largest { top } else { -top - 1 })
        }
        Class::Float | Class::Complex => {
            let infinity = if largest { f64::INFINITY } else { f64::NEG_INFINITY };
            let element = meshwright_ir::literal::float_bytes(dtype, infinity);
            Literal::splat(ty.clone(), &element).unwrap_or(Literal::zeros(ty))
        }
    }
}

/// How far apart in mesh position two devices are that differ by one along a piece of an axis.
pub fn stride(mesh: &Mesh, axis: &AxisRef) -> i64 {
    let inner: i64 = mesh.axes.iter().filter(|(id, _)| *id > axis.axis).map(|(_, info)| info.size).product();
    inner * (mesh.axes[axis.axis].size / (axis.pre * axis.size))
}

fn position_of_device(order: &[u32]) -> Vec<i64> {
    let mut positions = vec![0; order.len()];
    for (position, device) in order.iter().enumerate() {
        if let Some(slot) = positions.get_mut(*device as usize) {
            *slot = position as i64;
        }
    }
    positions
}

/// Devices of a mesh in mesh order.
pub fn devices(mesh: &Mesh) -> Vec<u32> {
    let count: i64 = mesh.axes.values().map(|axis| axis.size).product();
    match &mesh.order {
        Some(order) => order.to_vec(),
        None => (0..count as u32).collect(),
    }
}
