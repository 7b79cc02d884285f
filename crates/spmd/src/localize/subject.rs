//! What localization is given of an instruction, and what becomes of it.

use crate::exchange::ties::Ties;
use crate::localize::emit::Emit;
use meshwright_base::InlineVec;
use meshwright_ir::{Annotation, Build, Editor, InstId, Op, TensorType, Type, ValueId};
use meshwright_shard::Sharding;
use std::sync::Arc;

/// A value as it was before: global.
pub struct Global {
    pub sharding: Option<Arc<Sharding>>,
    ty: Type,
    valid: Option<Box<[i64]>>,
}

impl Global {
    /// Take from a value what is global of it: it has its local type from now on. A value without a sharding is on
    /// every device as it is.
    pub fn take(editor: &mut Editor<'_>, value: ValueId) -> Global {
        let info = editor.func().value(value);
        let shared = || info.sharding.as_ref().and_then(Annotation::as_shared);
        match (&info.ty, shared()) {
            (Type::Tensor(ty), Some(sharding)) => {
                let local = ty.with_dims(sharding.shard_shape(&ty.dims));
                let (ty, sharding, valid) = editor.strip(value, Type::Tensor(local));
                Global { sharding: sharding.and_then(Annotation::into_mesh), ty, valid }
            }
            (ty, sharding) => {
                Global { sharding: sharding.cloned(), ty: ty.clone(), valid: info.valid.clone() }
            }
        }
    }

    /// Dims with their padding.
    pub fn padded(&self) -> &[i64] {
        self.ty.dims()
    }

    /// The real dims, without padding.
    pub fn whole(&self) -> &[i64] {
        self.valid.as_deref().unwrap_or(self.ty.dims())
    }
}

/// Operands or results as they were.
pub type Globals<'a> = InlineVec<&'a Global, 3>;

/// An instruction before and after: its op, operands that are local already, and what they and the results were.
pub struct Subject<'a> {
    pub inst: InstId,
    pub op: &'a Op,
    pub operands: InlineVec<ValueId, 3>,
    pub from: Globals<'a>,
    pub to: Globals<'a>,
    /// Of a sort.
    pub ties: Option<Ties>,
}

impl Subject<'_> {
    /// Local types of the results.
    pub fn locals(&self, emit: &Emit<'_, '_>) -> Vec<TensorType> {
        let results = &emit.func().inst(self.inst).results;
        results.iter().filter_map(|result| emit.func().ty(*result).as_tensor().cloned()).collect()
    }

    /// That of the first.
    pub fn local(&self, emit: &Emit<'_, '_>) -> Option<TensorType> {
        let result = emit.func().inst(self.inst).results.first()?;
        emit.func().ty(*result).as_tensor().cloned()
    }
}

/// What becomes of an instruction.
pub enum Local {
    /// It stays, with this op.
    Op(Op),
    /// Its only result is this value now.
    Value(ValueId),
    /// Its results are these values now.
    Values(Vec<ValueId>),
    /// It goes: it said something about shardings and made nothing.
    Nothing,
}
