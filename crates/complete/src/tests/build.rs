//! Small modules by hand: values are named, shardings are written as `x,-` (closed) or `x?,?` (open).

use crate::{Options, Report, complete};
use meshwright_ir::op::{BinaryOp, Broadcast, Constant, Dot, Movement, Reshape, Transpose};
use meshwright_ir::{
    Annotation, At, BlockId, DType, Editor, InferCx, Literal, Module, Op, ShardedModule, SourceId,
    TensorType, Type, ValueId,
};
use meshwright_shard::{AxisRef, DimSharding, Mesh, MeshId, Sharding};

pub(super) struct Build {
    pub module: Module,
    pub mesh: MeshId,
    /// Where ops go.
    block: BlockId,
}

impl Build {
    pub(super) fn new(axes: &[(&str, i64)]) -> Build {
        let mut module = Module::new("test");
        let mesh = Mesh::new("mesh", axes.iter().copied(), None).expect("a good mesh");
        let mesh = module.meshes.push(mesh);
        let block = module.main().root();
        Build { module, mesh, block }
    }

    /// `x*y,?,-`: axes of each dim; `?` opens it.
    pub(super) fn sharding(&self, text: &str) -> Sharding {
        let mesh = &self.module.meshes[self.mesh];
        let axis = |name: &str| mesh.whole(mesh.axis(name).expect("an axis of the mesh"));
        let dim = |text: &str| {
            let (text, priority) =
                text.split_once('p').map_or((text, None), |(text, p)| (text, p.parse().ok()));
            let names = text.trim_end_matches('?').trim_matches('-');
            let axes: Vec<AxisRef> = names.split('*').filter(|name| !name.is_empty()).map(axis).collect();
            DimSharding { axes, open: text.ends_with('?'), priority }
        };
        let dims: Vec<DimSharding> = text.split(',').filter(|t| !t.is_empty()).map(dim).collect();
        Sharding { dims, ..Sharding::replicated(self.mesh, 0) }
    }

    pub(super) fn editor(&mut self) -> Editor<'_> {
        let entry = self.module.entry;
        Editor::new(&mut self.module.funcs[entry])
    }

    pub(super) fn param(&mut self, name: &str, dims: &[i64], sharding: Option<&str>) -> ValueId {
        let annotation = sharding.map(|text| Annotation::from(self.sharding(text)));
        let root = self.module.main().root();
        let mut editor = self.editor();
        let value = editor.param(root, Type::tensor(DType::F32, dims));
        editor.set_name(value, Some(name.into()));
        editor.set_sharding(value, annotation);
        value
    }

    /// An op at the end of the block that is being filled.
    pub(super) fn op(&mut self, name: &str, op: Op, operands: &[ValueId]) -> ValueId {
        self.op_with(name, op, operands, &[])[0]
    }

    /// An op with regions; results after the first are called `name#1`, `name#2`, ..
    pub(super) fn op_with(
        &mut self,
        name: &str,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
    ) -> Vec<ValueId> {
        let signatures = meshwright_ir::infer::signatures(&self.module);
        let meshes = self.module.meshes.clone();
        let cx = InferCx { meshes: &meshes, signatures: &signatures };
        let block = self.block;
        let mut editor = self.editor();
        let inst = editor
            .push(At::End(block), op, operands.to_vec(), regions.to_vec(), SourceId::unknown(), &cx)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let values = editor.func().inst(inst).results.clone();
        for (at, value) in values.iter().enumerate() {
            let name = if at == 0 { name.to_string() } else { format!("{name}#{at}") };
            editor.set_name(*value, Some(name.into()));
        }
        values
    }

    /// A region with named parameters, filled by `body`, which gives the results.
    pub(super) fn region(
        &mut self,
        params: &[(&str, &[i64])],
        body: impl FnOnce(&mut Build, &[ValueId]) -> Vec<ValueId>,
    ) -> BlockId {
        let mut editor = self.editor();
        let block = editor.block();
        let values: Vec<ValueId> = params
            .iter()
            .map(|(name, dims)| {
                let value = editor.param(block, Type::tensor(DType::F32, *dims));
                editor.set_name(value, Some((*name).into()));
                value
            })
            .collect();
        let around = std::mem::replace(&mut self.block, block);
        let results = body(self, &values);
        self.editor().set_results(block, results);
        self.block = around;
        block
    }

    pub(super) fn add(&mut self, name: &str, a: ValueId, b: ValueId) -> ValueId {
        self.op(name, Op::Binary(BinaryOp::Add), &[a, b])
    }

    /// Contract the last dim of `a` with the first of `b`.
    pub(super) fn matmul(&mut self, name: &str, a: ValueId, b: ValueId) -> ValueId {
        let rank = self.module.main().dims(a).len();
        self.dot(name, a, b, &[], &[(rank - 1, 0)])
    }

    pub(super) fn dot(
        &mut self,
        name: &str,
        a: ValueId,
        b: ValueId,
        batch: &[(usize, usize)],
        contract: &[(usize, usize)],
    ) -> ValueId {
        let (batch, contract) = (batch.to_vec(), contract.to_vec());
        let dot = Dot { batch, contract, result: DType::F32, precision: Vec::new(), algorithm: None };
        self.op(name, Op::Dot(dot), &[a, b])
    }

    pub(super) fn zeros(&mut self, name: &str, dims: &[i64]) -> ValueId {
        let zeros = Literal::zeros(TensorType::new(DType::F32, dims));
        self.op(name, Op::Constant(Constant(zeros)), &[])
    }

    pub(super) fn broadcast(&mut self, name: &str, a: ValueId, dims: &[usize], shape: &[i64]) -> ValueId {
        let broadcast = Broadcast { dims: dims.to_vec(), shape: shape.to_vec() };
        self.op(name, Op::Movement(Movement::Broadcast(broadcast)), &[a])
    }

    pub(super) fn reshape(&mut self, name: &str, a: ValueId, shape: &[i64]) -> ValueId {
        self.op(name, Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() })), &[a])
    }

    pub(super) fn transpose(&mut self, name: &str, a: ValueId, permutation: &[usize]) -> ValueId {
        self.op(
            name,
            Op::Movement(Movement::Transpose(Transpose { permutation: permutation.to_vec() })),
            &[a],
        )
    }

    pub(super) fn results(&mut self, values: &[ValueId]) {
        let root = self.module.main().root();
        self.editor().set_results(root, values.to_vec());
    }

    pub(super) fn complete(self) -> Done {
        let (sharded, report) =
            complete(self.module, &Options::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
        Done { sharded, report }
    }
}

pub(super) struct Done {
    pub sharded: ShardedModule,
    pub report: Report,
}

impl Done {
    pub(super) fn value(&self, name: &str) -> ValueId {
        let main = self.sharded.module().main();
        let found = main.values().iter().find(|(_, value)| value.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("no value %{name}")).0
    }

    /// Axes of each dim of a value: `x*y,-`.
    pub(super) fn show(&self, name: &str) -> String {
        let module = self.sharded.module();
        let info = module.main().value(self.value(name));
        let sharding = info.sharding.as_ref().and_then(Annotation::as_mesh).expect("a mesh sharding");
        show(module, sharding)
    }
}

pub(super) fn show(module: &Module, sharding: &Sharding) -> String {
    let mesh = &module.meshes[sharding.mesh];
    let axis = |axis: &AxisRef| {
        let info = &mesh.axes[axis.axis];
        if info.size == axis.size {
            info.name.to_string()
        } else {
            format!("{}:({}){}", info.name, axis.pre, axis.size)
        }
    };
    let dim = |dim: &DimSharding| {
        if dim.axes.is_empty() {
            "-".to_string()
        } else {
            dim.axes.iter().map(axis).collect::<Vec<_>>().join("*")
        }
    };
    sharding.dims.iter().map(dim).collect::<Vec<_>>().join(",")
}
