//! Instructions one after another from a place on, each with the sharding of its result: what passes add on global shapes.

use meshwright_ir::op::{Movement, Reshape, Transpose};
use meshwright_ir::{Annotation, At, Editor, Op, SourceId, TensorType, Type, ValueId};
use meshwright_shard::Sharding;

pub struct Chain<'a> {
    pub editor: Editor<'a>,
    pub at: At,
    pub source: SourceId,
}

impl Chain<'_> {
    /// Add an instruction with one result.
    pub fn push(&mut self, op: Op, operands: Vec<ValueId>, ty: Type, sharding: &Sharding) -> ValueId {
        let inst = self.editor.push_typed(self.at, op, operands, Vec::new(), vec![ty], self.source);
        if let At::After(_) = self.at {
            self.at = At::After(inst);
        }
        let value = self.editor.func().inst(inst).results[0];
        self.editor.set_sharding(value, Some(Annotation::Mesh(sharding.clone())));
        value
    }

    pub fn tensor(&self, value: ValueId) -> Option<TensorType> {
        self.editor.func().ty(value).as_tensor().cloned()
    }

    /// Dim `d` of the result is dim `permutation[d]` of the value, split alike.
    pub fn transpose(&mut self, value: ValueId, permutation: &[usize], sharding: &Sharding) -> ValueId {
        let Some(ty) = self.tensor(value) else { return value };
        let ty = ty.with_dims(permutation.iter().map(|dim| ty.dims[*dim]).collect::<Vec<_>>());
        let op = Op::Movement(Movement::Transpose(Transpose { permutation: permutation.to_vec() }));
        self.push(op, vec![value], Type::Tensor(ty), sharding)
    }

    pub fn reshape(&mut self, value: ValueId, shape: &[i64], sharding: &Sharding) -> ValueId {
        let Some(ty) = self.tensor(value) else { return value };
        let op = Op::Movement(Movement::Reshape(Reshape { shape: shape.to_vec() }));
        self.push(op, vec![value], Type::Tensor(ty.with_dims(shape)), sharding)
    }
}

/// A sharding whose dim `d` is split as dim `permutation[d]` was.
pub fn permuted(sharding: &Sharding, permutation: &[usize]) -> Sharding {
    let dims = permutation.iter().map(|dim| sharding.dims[*dim].clone()).collect();
    Sharding { dims, ..sharding.clone() }
}
