//! Small builders for the instructions localization adds.

use crate::exchange::layout::TileCount;
use meshwright_base::IdMap;
use meshwright_ir::copy::{Copier, Names, ValueMap, copy_region};
use meshwright_ir::infer::InferCx;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, Direction, Groups, Movement, Reshape, Scan};
use meshwright_ir::{
    At, BlockId, Build, Builder, DType, Editor, Function, InstId, Op, SourceId, TensorType, ValueId,
};
use meshwright_shard::{AxisRef, Dim, Mesh, MeshId, Meshes, Reducer};

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
    pub dim: Dim,
    pub start: i64,
    /// Elements of the source along the dim, and how many devices share it.
    pub size: i64,
    pub tiles: TileCount,
}

/// The body of a loop that is being written.
pub struct Body {
    block: BlockId,
    /// Where the loop is to stand.
    at: At,
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

    /// Cut out this device's piece: `axes[dim]` say which piece of each dim.
    pub fn slice_by_axes(&mut self, value: ValueId, mesh: MeshId, axes: &[Vec<AxisRef>]) -> ValueId {
        let ty = self.tensor(value);
        let sizes: Vec<i64> =
            ty.dims.iter().zip(axes).map(|(size, axes)| size / crate::axes::tiles(axes).max(1)).collect();
        let starts: Vec<ValueId> =
            sizes.iter().zip(axes).map(|(size, axes)| self.offset(mesh, axes, *size)).collect();
        self.dynamic_slice(value, &starts, &sizes)
    }

    /// First element of this device's piece of a dim whose pieces have `size` elements.
    pub fn offset(&mut self, mesh: MeshId, axes: &[AxisRef], size: i64) -> ValueId {
        let scalar = TensorType::scalar(DType::S32);
        if axes.is_empty() {
            return self.splat_int(&scalar, 0);
        }
        let index = self.axis_index(mesh, axes);
        let size = self.splat_int(&scalar, size);
        self.binary(BinaryOp::Multiply, index, size)
    }

    /// Whether this device is the first along the axes.
    pub fn is_first(&mut self, mesh: MeshId, axes: &[AxisRef]) -> ValueId {
        let index = self.axis_index(mesh, axes);
        let zero = self.splat_int(&TensorType::scalar(DType::S32), 0);
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
                        let size = emit.splat_int(&TensorType::scalar(DType::S32), axis.size);
                        let scaled = emit.binary(BinaryOp::Multiply, major, size);
                        emit.binary(BinaryOp::Add, scaled, digit)
                    }
                });
            }
            index.unwrap_or_else(|| emit.splat_int(&TensorType::scalar(DType::S32), 0))
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
            let stride = self.splat_int(&scalar, stride);
            digit = self.binary(BinaryOp::Divide, digit, stride);
        }
        if stride * axis.size < total {
            let size = self.splat_int(&scalar, axis.size);
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
            let id = emit.push(Op::PartitionId, []);
            let device = emit.convert(id, DType::S32);
            let Some(order) = order else { return device };
            let positions: Vec<i64> = position_of_device(&order);
            let table = emit.vector(DType::S32, &positions);
            let entry = emit.dynamic_slice(table, &[device], &[1]);
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
    ) -> ValueId {
        let groups = match kind {
            CollectiveKind::Permute { .. } => Groups::All,
            _ => Groups::Axes { mesh, axes: axes.to_vec() },
        };
        let channel = Channel { id: Some(self.next_channel), kind: 1, use_global_device_ids: true };
        self.next_channel += 1;
        let dtype = self.dtype(value);
        let regions = reducer.map(|reducer| vec![self.reducer(reducer, dtype)]).unwrap_or_default();
        let group_size = crate::axes::tiles(axes);
        let op = Collective { kind, groups, group_size, channel, wide: None };
        self.push_in(Op::Collective(op), vec![value], regions)
    }

    /// A copy of a region's block, with the regions inside it.
    pub fn copy_block(&mut self, block: BlockId) -> BlockId {
        copy_region(None, self.editor.func_mut(), block, &mut ValueMap::default())
    }

    /// The instructions of a block again at the end of another, on other values than its parameters; what it returns.
    pub fn inlined(&mut self, block: BlockId, into: BlockId, args: &[ValueId]) -> Vec<ValueId> {
        let mut map: ValueMap =
            self.func().block(block).params.iter().copied().zip(args.iter().copied()).collect();
        let to = self.editor.func_mut();
        Copier { from: None, to, map: &mut map, names: Names::Left }.body(block, into)
    }

    /// Go on inside a loop that carries values like these; returns its parameters.
    pub fn enter(&mut self, state: &[ValueId]) -> (Body, Vec<ValueId>) {
        let block = self.editor.block();
        let like = |value: &ValueId| {
            let ty = self.func().ty(*value).clone();
            self.editor.param(block, ty)
        };
        let params = state.iter().map(like).collect();
        let at = std::mem::replace(&mut self.at, At::End(block));
        (Body { block, at }, params)
    }

    /// Go on behind the loop, which starts with `state` and carries on what was `made`; what comes out of it.
    pub fn leave(&mut self, body: Body, trips: i64, state: Vec<ValueId>, made: Vec<ValueId>) -> Vec<ValueId> {
        self.editor.set_results(body.block, made);
        self.at = body.at;
        let op = Op::Scan(Scan { trips, carries: state.len(), reverse: false });
        self.push_all(op, state, vec![body.block])
    }
}

impl Build for Emit<'_, '_> {
    fn func(&self) -> &Function {
        self.editor.func()
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder::with(self.editor.reborrow(), self.at, self.source, InferCx::nothing())
    }

    /// Also to the same shape: what an instruction becomes is a value of its own, with the instruction's name.
    fn reshape(&mut self, x: ValueId, shape: &[i64]) -> ValueId {
        self.push(Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() })), [x])
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
