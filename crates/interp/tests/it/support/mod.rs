//! A short way to write modules in tests.
#![allow(dead_code)]

use meshwright_interp::{Data, Tensor};
use meshwright_ir::infer::signatures;
use meshwright_ir::op::{BinaryOp, Compare, Constant, Direction, Op, Reduce};
use meshwright_ir::{
    At, BlockId, DType, Editor, InferCx, InstId, Module, Source, SourceId, TensorType, Type, ValueId,
};
use meshwright_shard::Meshes;

/// Writes one function, inferring types.
pub struct Body<'a> {
    pub editor: Editor<'a>,
    block: BlockId,
    meshes: Meshes,
    sigs: meshwright_base::IdMap<meshwright_ir::FuncId, (Vec<Type>, Vec<Type>)>,
}

/// A module whose entry takes `params` and returns what `write` gives.
pub fn module(params: &[TensorType], write: impl FnOnce(&mut Body, &[ValueId]) -> Vec<ValueId>) -> Module {
    let mut module = Module::new("test");
    fill(&mut module, params, write);
    module
}

/// Write the entry of a module that has meshes or other functions already.
pub fn fill(
    module: &mut Module,
    params: &[TensorType],
    write: impl FnOnce(&mut Body, &[ValueId]) -> Vec<ValueId>,
) {
    let entry = module.entry;
    fill_func(module, entry, params, write);
}

pub fn fill_func(
    module: &mut Module,
    func: meshwright_ir::FuncId,
    params: &[TensorType],
    write: impl FnOnce(&mut Body, &[ValueId]) -> Vec<ValueId>,
) {
    let (meshes, sigs) = (module.meshes.clone(), signatures(module));
    let root = module.funcs[func].root();
    let mut body = Body { editor: Editor::new(&mut module.funcs[func]), block: root, meshes, sigs };
    let values: Vec<ValueId> =
        params.iter().map(|ty| body.editor.param(root, Type::Tensor(ty.clone()))).collect();
    let results = write(&mut body, &values);
    body.editor.set_results(root, results);
}

impl Body<'_> {
    pub fn inst(&mut self, op: Op, operands: &[ValueId], regions: &[BlockId]) -> InstId {
        let cx = InferCx { meshes: &self.meshes, signatures: &self.sigs };
        let at = At::End(self.block);
        let made =
            self.editor.push(at, op.clone(), operands.to_vec(), regions.to_vec(), SourceId::unknown(), &cx);
        made.unwrap_or_else(|error| panic!("{op:?}: {error:?}"))
    }

    pub fn all(&mut self, op: Op, operands: &[ValueId], regions: &[BlockId]) -> Vec<ValueId> {
        let inst = self.inst(op, operands, regions);
        self.editor.func().inst(inst).results.clone()
    }

    /// The only result of an op.
    pub fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        self.all(op, operands, &[])[0]
    }

    /// The only result of an op with a region.
    pub fn with(&mut self, op: Op, operands: &[ValueId], regions: &[BlockId]) -> ValueId {
        self.all(op, operands, regions)[0]
    }

    pub fn typed(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
        types: &[Type],
    ) -> Vec<ValueId> {
        let at = At::End(self.block);
        let made = self.editor.push_typed(
            at,
            op,
            operands.to_vec(),
            regions.to_vec(),
            types.to_vec(),
            SourceId::unknown(),
        );
        self.editor.func().inst(made).results.clone()
    }

    pub fn region(
        &mut self,
        params: &[TensorType],
        write: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> BlockId {
        let block = self.editor.block();
        let outer = std::mem::replace(&mut self.block, block);
        let values: Vec<ValueId> =
            params.iter().map(|ty| self.editor.param(block, Type::Tensor(ty.clone()))).collect();
        let results = write(self, &values);
        self.editor.set_results(block, results);
        self.block = outer;
        block
    }

    pub fn constant(&mut self, tensor: &Tensor) -> ValueId {
        self.op(Op::Constant(Constant(tensor.to_literal())), &[])
    }

    pub fn int(&mut self, value: i64) -> ValueId {
        self.constant(&ints(&[], &[value]))
    }

    pub fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Binary(op), &[a, b])
    }

    pub fn compare(&mut self, direction: Direction, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Compare(Compare { direction, kind: None }), &[a, b])
    }

    /// A region that applies one binary op to two scalars.
    pub fn reducer(&mut self, op: BinaryOp, dtype: DType) -> BlockId {
        let scalar = TensorType::scalar(dtype);
        self.region(&[scalar.clone(), scalar], |b, x| vec![b.binary(op, x[0], x[1])])
    }

    pub fn reduce(&mut self, op: BinaryOp, x: ValueId, init: ValueId, dims: &[usize]) -> ValueId {
        let dtype = self.editor.func().ty(x).as_tensor().unwrap().dtype;
        let region = self.reducer(op, dtype);
        self.with(Op::Reduce(Reduce { dims: dims.to_vec() }), &[x, init], &[region])
    }
}

pub fn ty(dtype: DType, dims: &[i64]) -> TensorType {
    TensorType::new(dtype, dims)
}

pub fn s32(dims: &[i64]) -> TensorType {
    ty(DType::S32, dims)
}

pub fn f32(dims: &[i64]) -> TensorType {
    ty(DType::F32, dims)
}

pub fn ints(dims: &[i64], values: &[i64]) -> Tensor {
    Tensor::from_ints(DType::S32, dims, values).unwrap()
}

pub fn floats(dims: &[i64], values: &[f64]) -> Tensor {
    Tensor::from_f64s(DType::F32, dims, values).unwrap()
}

pub fn pred(value: bool) -> Tensor {
    Tensor::new(ty(DType::Pred, &[]), Data::Pred(vec![value])).unwrap()
}

/// The only result of a run on one device, as integers.
pub fn run_ints(module: &Module, inputs: &[Tensor]) -> Vec<i64> {
    run_one(module, inputs).to_ints().unwrap()
}

pub fn run_one(module: &Module, inputs: &[Tensor]) -> Tensor {
    let mut results = meshwright_interp::run(module, inputs).unwrap();
    assert_eq!(results.len(), 1);
    results.remove(0)
}

/// A source place, so that diagnostics have one.
pub fn place(module: &mut Module, line: u32) -> SourceId {
    let frame = meshwright_ir::Frame {
        file: "model.py".into(),
        function: None,
        line,
        column: 1,
        end_line: line,
        end_column: 2,
    };
    module.sources.push(Source { op_name: None, op_type: None, frames: vec![frame] })
}
