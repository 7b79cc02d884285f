//! What the families build with: a function under construction and the values that may be used next.
//!
//! Beside each value stands how large its elements can get. A program stays comparable because of it: in an *exact*
//! case every number is an integer small enough for sums and products to be exact in its type, so that any order of
//! adding gives the same bits; in an *approximate* case floats are f64 and stay small enough for a relative 1e-9 to
//! mean something. Nothing that makes a float infinite or a NaN is built.
//!
//! Inside a manual region a value also knows over which axes its pieces differ.

use crate::choices::Choices;
use meshwright_base::{Id, IdMap};
use meshwright_ir::infer::infer_types;
use meshwright_ir::op::{BinaryOp, Constant, Iota, ShardingOp};
use meshwright_ir::{
    Annotation, At, BlockId, Build, Builder, Class, DType, Editor, FuncId, Function, InferCx, Literal,
    Module, Op, SourceId, TensorType, Type, ValueId,
};
use meshwright_shard::{AxisRef, Mesh, MeshId, Sharding};

/// Most elements of one value.
pub const MOST_ELEMENTS: i64 = 1024;

/// Parameters and results of each function.
pub type Signatures = IdMap<FuncId, (Vec<Type>, Vec<Type>)>;

/// A value that may be used.
#[derive(Clone, Debug)]
pub struct Val {
    pub id: ValueId,
    pub ty: TensorType,
    pub info: Info,
}

/// What is known of a value's elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info {
    /// No element's magnitude is larger.
    pub bound: f64,
    /// All elements are integers and were computed without rounding.
    pub exact: bool,
    /// Axes (bit i: axis i) over which devices hold different pieces, inside a manual region.
    pub varying: u32,
}

/// Which element types are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    Any,
    /// Not `pred`.
    Number,
    Int,
    Float,
    Pred,
}

/// Where values are made and seen.
struct Scope {
    block: BlockId,
    /// First value of the pool that may be used here.
    from: usize,
    /// Length of the pool when the scope was entered.
    before: usize,
    /// Whether nothing outside can be used.
    isolated: bool,
}

/// A module under construction.
pub struct Gen {
    pub choices: Choices,
    pub mesh: MeshId,
    /// Whether floats are rounded: then they are f64.
    pub approximate: bool,
    pub module: Module,
    pub func: Function,
    pub signatures: Signatures,
    /// Axes over which the current region is manual.
    pub manual: Vec<AxisRef>,
    /// How many regions are open that hold program code.
    pub depth: usize,
    /// Refusals of inference: mistakes of a family.
    pub refused: Vec<String>,
    scopes: Vec<Scope>,
    pool: Vec<Val>,
    /// Another mesh over the same devices, for some shardings.
    other_mesh: Option<MeshId>,
    /// Values in sharding groups, two each.
    grouped: Vec<ValueId>,
}

impl Gen {
    pub fn new(mut choices: Choices) -> Gen {
        let mut module = Module::new("case");
        let mesh = module.meshes.push(crate::layout::mesh(&mut choices));
        let devices = module.meshes[mesh].device_count();
        let other_mesh = crate::layout::other_mesh(&mut choices, devices);
        let other_mesh = other_mesh.map(|other| meshwright_shard::mesh::intern(&mut module.meshes, other));
        let approximate = choices.chance(25);
        let func = Function::new("main", true);
        let mut signatures = Signatures::new();
        signatures.push((Vec::new(), Vec::new()));
        let root = Scope { block: func.root(), from: 0, before: 0, isolated: false };
        Gen {
            choices,
            mesh,
            approximate,
            module,
            func,
            signatures,
            manual: Vec::new(),
            depth: 0,
            refused: Vec::new(),
            scopes: vec![root],
            pool: Vec::new(),
            other_mesh,
            grouped: Vec::new(),
        }
    }

    pub fn mesh(&self) -> &Mesh {
        &self.module.meshes[self.mesh]
    }

    /// The block instructions go to.
    pub fn block(&self) -> BlockId {
        self.scopes.last().map_or(self.func.root(), |scope| scope.block)
    }

    /// Values that may be used here.
    pub fn visible(&self) -> &[Val] {
        let from = self.scopes.last().map_or(0, |scope| scope.from);
        &self.pool[from.min(self.pool.len())..]
    }

    /// Make a value usable.
    pub fn offer(&mut self, value: Val) {
        self.pool.push(value);
    }

    /// Make a value unusable again.
    pub fn withdraw(&mut self, value: ValueId) {
        // Of equal ids the last one is this function's: a caller's values come before.
        if let Some(at) = self.pool.iter().rposition(|known| known.id == value) {
            self.pool.remove(at);
        }
    }

    /// Go into a block. What is outside stays visible unless the block is `isolated`.
    pub fn enter(&mut self, block: BlockId, isolated: bool) {
        let outer = self.scopes.last().map_or(0, |scope| scope.from);
        let before = self.pool.len();
        let from = if isolated { before } else { outer };
        self.scopes.push(Scope { block, from, before, isolated });
        self.depth += 1;
    }

    /// Leave the block entered last; its values are gone.
    pub fn leave(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.pool.truncate(scope.before);
            self.depth -= 1;
        }
    }

    /// Whether new parameters of the function can be had here.
    fn can_add_params(&self) -> bool {
        !self.scopes.iter().any(|scope| scope.isolated)
    }

    // Types.

    pub fn dtype(&mut self, want: Want) -> DType {
        let floats: &[DType] =
            if self.approximate { &[DType::F64] } else { &[DType::F32, DType::F64, DType::F32, DType::BF16] };
        let ints = [DType::S32, DType::S64, DType::U8];
        let float = self.choices.pick(floats);
        let int = self.choices.pick(&ints);
        match want {
            Want::Float => float,
            Want::Int => int,
            Want::Pred => DType::Pred,
            Want::Number => {
                if self.choices.chance(35) {
                    int
                } else {
                    float
                }
            }
            Want::Any => match self.choices.below(20) {
                0..12 => float,
                12..18 => int,
                _ => DType::Pred,
            },
        }
    }

    /// The size of a dim: mostly 2 to 13, sometimes 1, rarely 0.
    pub fn size(&mut self) -> i64 {
        match self.choices.below(64) {
            63 => 0,
            57..=62 => 1,
            at => 2 + i64::from(at) % 12,
        }
    }

    /// Dims of a new value, within [`MOST_ELEMENTS`].
    pub fn dims(&mut self, least: usize, most: usize) -> Vec<i64> {
        let rank = least + self.choices.index(most - least + 1);
        let mut left = MOST_ELEMENTS / 4;
        let mut dims = Vec::new();
        for _ in 0..rank {
            let size = self.size().min(left.max(1));
            left /= size.max(1);
            dims.push(size);
        }
        dims
    }

    // Operands.

    /// A value of a wanted type and rank: mostly one that is there, else a new one.
    pub fn operand(&mut self, want: Want, least: usize, most: usize) -> Val {
        self.operand_if(want, least, most, |_| true)
    }

    /// The same, with a further condition that any new value meets.
    pub fn operand_if(&mut self, want: Want, least: usize, most: usize, fits: impl Fn(&Val) -> bool) -> Val {
        let fitting = |value: &&Val| {
            (least..=most).contains(&value.ty.rank()) && want.takes(value.ty.dtype) && fits(value)
        };
        let known: Vec<Val> = self.visible().iter().filter(fitting).cloned().collect();
        // Late values are preferred: programs become chains rather than heaps.
        if !known.is_empty() && !self.choices.chance(25) {
            let back = self.choices.index(known.len()).min(self.choices.index(known.len()));
            return known[known.len() - 1 - back].clone();
        }
        let dtype = self.dtype(want);
        let dims = self.dims(least, most);
        self.fresh(TensorType::new(dtype, dims))
    }

    /// A value of exactly this type.
    pub fn of_type(&mut self, dtype: DType, dims: &[i64]) -> Val {
        let fits = |value: &&Val| value.ty.dtype == dtype && value.ty.dims == dims;
        let known: Vec<Val> = self.visible().iter().filter(fits).cloned().collect();
        if !known.is_empty() && !self.choices.chance(30) {
            return known[self.choices.index(known.len())].clone();
        }
        self.fresh(TensorType::new(dtype, dims))
    }

    /// A scalar of this type.
    pub fn scalar(&mut self, dtype: DType) -> Val {
        self.of_type(dtype, &[])
    }

    /// A new value: a parameter of the function where that can be, a constant, an iota.
    pub fn fresh(&mut self, ty: TensorType) -> Val {
        let kind = self.choices.below(20);
        match kind {
            0..14 if self.can_add_params() => self.param(ty),
            18.. if ty.rank() > 0 && ty.dtype != DType::Pred && !ty.dims.contains(&0) => self.iota(ty),
            14..=16 => self.dense(ty),
            _ => self.splat_random(ty),
        }
    }

    fn param(&mut self, ty: TensorType) -> Val {
        let root = self.func.root();
        let id = Editor::new(&mut self.func).param(root, Type::Tensor(ty.clone()));
        let bound = crate::inputs::bound(ty.dtype);
        let value = Val { id, ty, info: Info { bound, exact: true, varying: 0 } };
        self.offer(value.clone());
        value
    }

    fn iota(&mut self, ty: TensorType) -> Val {
        let dim = self.choices.index(ty.rank());
        let bound = ty.dims[dim].max(1) as f64 - 1.0;
        self.leaf(Op::Iota(Iota { dim, ty: ty.clone() }), ty, bound)
    }

    fn splat_random(&mut self, ty: TensorType) -> Val {
        let value = i64::from(self.choices.below(4)) - i64::from(ty.dtype.class() != Class::Unsigned);
        self.splat(ty, value)
    }

    /// A constant that is the same everywhere.
    pub fn splat(&mut self, ty: TensorType, value: i64) -> Val {
        let literal = Literal::splat_int(ty.clone(), value);
        self.leaf(Op::Constant(Constant(literal)), ty, value.unsigned_abs() as f64)
    }

    /// A constant whose elements differ.
    fn dense(&mut self, ty: TensorType) -> Val {
        let start = self.choices.below(5);
        let scalar = ty.with_dims(Vec::new());
        let element = |at: i64| Literal::splat_int(scalar.clone(), (at + i64::from(start)) * 7 % 5);
        let bytes = (0..ty.elements()).flat_map(|at| element(at).element(0).to_vec()).collect();
        let literal = Literal::dense(ty.clone(), bytes).unwrap_or(Literal::zeros(ty.clone()));
        self.leaf(Op::Constant(Constant(literal)), ty, 4.0)
    }

    fn leaf(&mut self, op: Op, ty: TensorType, bound: f64) -> Val {
        let id = self.builder().push(op, []);
        let bound = bound.min(largest(ty.dtype));
        Val { id, ty, info: Info { bound, exact: true, varying: 0 } }
    }

    // Instructions.

    /// Add an instruction with one result, computed from its operands; `None` if its elements could get too large.
    pub fn emit(&mut self, op: Op, operands: &[&Val], bound: f64) -> Option<Val> {
        self.emit_all(op, operands, Vec::new(), &[bound])?.pop()
    }

    /// The same with regions and several results, one bound each. The results become usable.
    pub fn emit_all(
        &mut self,
        op: Op,
        operands: &[&Val],
        regions: Vec<BlockId>,
        bounds: &[f64],
    ) -> Option<Vec<Val>> {
        let like = joined(operands);
        self.emit_as(op, operands, regions, bounds, like)
    }

    /// The same, with what holds of the results said by the caller.
    pub fn emit_as(
        &mut self,
        op: Op,
        operands: &[&Val],
        regions: Vec<BlockId>,
        bounds: &[f64],
        like: Info,
    ) -> Option<Vec<Val>> {
        let ids: Vec<ValueId> = operands.iter().map(|value| value.id).collect();
        let types = self.inferred(&op, &ids, &regions)?;
        let tensors: Vec<TensorType> = types.iter().filter_map(|ty| ty.as_tensor().cloned()).collect();
        let bounds: Option<Vec<f64>> =
            tensors.iter().zip(bounds).map(|(ty, bound)| allowed(ty, *bound, like.exact)).collect();
        let bounds = bounds?;
        let results = self.builder().push_typed(op, ids, regions, types);
        let value = |((id, ty), bound): ((ValueId, TensorType), f64)| {
            let exact = like.exact || !ty.dtype.is_float();
            Val { id, ty, info: Info { bound, exact, ..like } }
        };
        let values: Vec<Val> = results.into_iter().zip(tensors).zip(bounds).map(value).collect();
        self.pool.extend(values.iter().cloned());
        Some(values)
    }

    fn inferred(&mut self, op: &Op, operands: &[ValueId], regions: &[BlockId]) -> Option<Vec<Type>> {
        let cx = InferCx { meshes: &self.module.meshes, signatures: &self.signatures };
        match infer_types(&self.func, op, operands, regions, &cx) {
            Ok(types) => Some(types),
            Err(error) => {
                self.refused.push(format!("{}: {}", op.mnemonic(), error.message));
                None
            }
        }
    }

    /// A region that combines two scalars with one op.
    pub fn reducer(&mut self, op: BinaryOp, dtype: DType) -> BlockId {
        self.builder().reducer(op, dtype)
    }

    /// A region on scalars.
    pub fn scalar_region(
        &mut self,
        params: &[DType],
        body: impl FnOnce(&mut Builder<'_>, &[ValueId]) -> Vec<ValueId>,
    ) -> BlockId {
        self.builder().region(params.iter().map(|dtype| Type::tensor(*dtype, [])), body)
    }

    fn builder(&mut self) -> Builder<'_> {
        let at = At::End(self.block());
        let cx = InferCx { meshes: &self.module.meshes, signatures: &self.signatures };
        Builder::with(Editor::new(&mut self.func), at, SourceId::unknown(), cx)
    }

    /// A new block with parameters like these values, which become usable once it is entered.
    pub fn region(&mut self, params: &[Val]) -> (BlockId, Vec<Val>) {
        let mut editor = Editor::new(&mut self.func);
        let block = editor.block();
        let mut values = Vec::new();
        for like in params {
            let id = editor.param(block, Type::Tensor(like.ty.clone()));
            values.push(Val { id, ..like.clone() });
        }
        (block, values)
    }

    /// Set what a block returns.
    pub fn returns(&mut self, block: BlockId, values: &[Val]) {
        let ids = values.iter().map(|value| value.id).collect();
        Editor::new(&mut self.func).set_results(block, ids);
    }

    /// Write a sharding on a value that no group decides.
    pub fn annotate(&mut self, value: ValueId, sharding: Sharding) {
        if !self.grouped.contains(&value) {
            Editor::new(&mut self.func).set_sharding(value, Some(Annotation::from(sharding)));
        }
    }

    /// A random sharding of a value of this rank, over axes that are not manual here.
    pub fn random_sharding(&mut self, rank: usize) -> Sharding {
        let id = match self.other_mesh {
            Some(other) if self.manual.is_empty() && self.choices.chance(40) => other,
            _ => self.mesh,
        };
        let (mesh, manual) = (self.module.meshes[id].clone(), self.manual.clone());
        crate::layout::sharding(&mut self.choices, id, &mesh, rank, &manual)
    }

    /// The number of a new sharding group of two values, if both are free for one. Not inside manual regions, nor in
    /// called functions, which are copied.
    pub fn new_group(&mut self, a: ValueId, b: ValueId) -> Option<i64> {
        let states_its_own = |value| {
            let inst = self.func.def_inst(value).map(|inst| &self.func.inst(inst).op);
            matches!(inst, Some(Op::Sharding(ShardingOp::Manual(_))))
        };
        let is_free = |value| {
            !self.grouped.contains(&value)
                && self.func.value(value).sharding.is_none()
                && !states_its_own(value)
        };
        let is_main = self.func.is_public;
        if a == b || !is_main || !self.manual.is_empty() || !is_free(a) || !is_free(b) {
            return None;
        }
        self.grouped.extend([a, b]);
        Some(self.grouped.len() as i64 / 2)
    }

    /// Axes over which some visible value differs: what a value that depends on anything here may differ over.
    pub fn varying_here(&self) -> u32 {
        self.visible().iter().fold(0, |all, value| all | value.info.varying)
    }

    /// Put a function into the module, under a name of its own.
    pub fn add_function(&mut self, mut func: Function, signature: (Vec<Type>, Vec<Type>)) -> FuncId {
        func.name = format!("callee_{}", self.module.funcs.len()).into();
        self.signatures.push(signature);
        self.module.funcs.push(func)
    }
}

impl Want {
    fn takes(self, dtype: DType) -> bool {
        match self {
            Want::Any => true,
            Want::Number => dtype != DType::Pred,
            Want::Int => dtype.is_integer(),
            Want::Float => dtype.is_float(),
            Want::Pred => dtype == DType::Pred,
        }
    }
}

/// What holds of a value computed from these.
pub fn joined(operands: &[&Val]) -> Info {
    let none = Info { bound: 0.0, exact: true, varying: 0 };
    operands.iter().fold(none, |all, value| Info {
        bound: all.bound.max(value.info.bound),
        exact: all.exact && value.info.exact,
        varying: all.varying | value.info.varying,
    })
}

/// The bound of a result, if values of that size may be made: integers wrap, floats must stay exact or small.
fn allowed(ty: &TensorType, bound: f64, exact: bool) -> Option<f64> {
    if ty.elements() > MOST_ELEMENTS {
        return None;
    }
    let most = match exact {
        _ if !ty.dtype.is_float() => return Some(bound.min(largest(ty.dtype))),
        true => exact_up_to(ty.dtype),
        false => 1e5,
    };
    (bound <= most).then_some(bound)
}

/// Up to where every integer is a float of this type, with room for sums on the way.
pub fn exact_up_to(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 256.0,
        DType::F16 => 2048.0,
        DType::F32 => 16_777_216.0,
        _ => 1e15,
    }
}

/// The largest magnitude of an integer type; floats have none that matters here.
pub fn largest(dtype: DType) -> f64 {
    match dtype.class() {
        Class::Pred => 1.0,
        Class::Unsigned => 2f64.powi(dtype.bits() as i32) - 1.0,
        Class::Signed => 2f64.powi(dtype.bits() as i32 - 1),
        Class::Float | Class::Complex => f64::MAX,
    }
}

/// Bit of an axis in [`Info::varying`].
pub fn axis_bit(axis: AxisRef) -> u32 {
    1 << axis.axis.index().min(31)
}
