//! Instructions one after another at a place of a function: what passes write with.
//!
//! ```
//! use meshwright_ir::{At, Build, Builder, DType, Editor, Function, SourceId, Type};
//!
//! let mut func = Function::new("main", true);
//! let root = func.root();
//! let x = Editor::new(&mut func).param(root, Type::tensor(DType::F32, [4, 6]));
//! let mut b = Builder::new(&mut func, At::End(root), SourceId::unknown());
//! let half = b.scale(x, 0.5);
//! let sums = b.sum(half, &[1]);
//! assert_eq!(func.dims(sums), [4]);
//! ```
//!
//! [`Build`] is the vocabulary (see `words.rs` for who may say what); [`Builder`] is the plain one. A transform with a
//! state of its own implements [`Build`] by saying where its next instruction goes. Result types are inferred, so a
//! type is stated nowhere but in the op's family. What changes nothing is not written: a reshape to the same shape is
//! its operand.
//!
//! An op that does not fit its operands is a bug of the caller, not of the user: [`Build::misfit`] is told, the
//! instruction is added with the type of its first operand, and the verifier refuses it after the pass.

mod words;

pub use words::Build;

use crate::edit::{At, Editor};
use crate::infer::{InferCx, InferError, infer_types};
use crate::module::{Annotation, BlockId, Function, InstId, SourceId, Value, ValueId};
use crate::op::Op;
use crate::types::{DType, Type};
use meshwright_shard::Sharding;

/// Writes instructions at one place, in order.
pub struct Builder<'a> {
    pub editor: Editor<'a>,
    /// The next instruction goes to the end of a block or before another one; never after one.
    at: At,
    source: SourceId,
    cx: InferCx<'a>,
    /// What results are said to be like.
    looks: Option<Looks>,
}

/// Sharding and valid part of a result.
#[derive(Clone)]
struct Looks {
    sharding: Option<Annotation>,
    valid: Option<Box<[i64]>>,
}

impl<'a> Builder<'a> {
    /// A builder that knows no mesh and no function: enough for all ops but manual computations and calls.
    pub fn new(func: &'a mut Function, at: At, source: SourceId) -> Self {
        Builder::with(Editor::new(func), at, source, InferCx::nothing())
    }

    /// Before an instruction, and with its location.
    pub fn before(func: &'a mut Function, inst: InstId) -> Self {
        let source = func.inst(inst).source;
        Builder::new(func, At::Before(inst), source)
    }

    /// Behind an instruction, and with its location.
    pub fn after(func: &'a mut Function, inst: InstId) -> Self {
        let source = func.inst(inst).source;
        Builder::new(func, At::After(inst), source)
    }

    /// A builder whose inference may look at meshes and functions.
    pub fn with(editor: Editor<'a>, at: At, source: SourceId, cx: InferCx<'a>) -> Self {
        let at = steady(editor.func(), at);
        Builder { editor, at, source, cx, looks: None }
    }

    /// Every result from here on has this sharding.
    pub fn split_as(&mut self, sharding: &Sharding) -> &mut Self {
        let sharding = Some(Annotation::from(sharding.clone()));
        self.looks = Some(Looks { sharding, valid: None });
        self
    }

    /// Every result from here on has the sharding and the valid part of a value.
    pub fn looking_like(&mut self, value: ValueId) -> &mut Self {
        let Value { sharding, valid, .. } = self.editor.func().value(value).clone();
        self.looks = Some(Looks { sharding, valid });
        self
    }

    pub fn set_source(&mut self, source: SourceId) {
        self.source = source;
    }

    /// Add an instruction with the given result types; its id.
    pub fn insert(
        &mut self,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
    ) -> InstId {
        let inst = self.editor.push_typed(self.at, op, operands, regions, types, self.source);
        let Some(looks) = &self.looks else { return inst };
        for result in self.editor.func().inst(inst).results.clone() {
            self.editor.set_sharding(result, looks.sharding.clone());
            self.editor.set_valid(result, looks.valid.clone());
        }
        inst
    }

    fn write_region(
        mut self,
        params: impl IntoIterator<Item = Type>,
        body: impl FnOnce(&mut Builder<'_>, &[ValueId]) -> Vec<ValueId>,
    ) -> BlockId {
        let block = self.editor.block();
        let params: Vec<ValueId> = params.into_iter().map(|ty| self.editor.param(block, ty)).collect();
        (self.at, self.looks) = (At::End(block), None);
        let results = body(&mut self, &params);
        self.editor.set_results(block, results);
        block
    }

    fn infer(&self, op: &Op, operands: &[ValueId], regions: &[BlockId]) -> Result<Vec<Type>, InferError> {
        infer_types(self.editor.func(), op, operands, regions, &self.cx)
    }

    fn results(&self, inst: InstId) -> Vec<ValueId> {
        self.editor.func().inst(inst).results.clone()
    }
}

/// The same place, said so that what is added there one after another stays in order.
fn steady(func: &Function, at: At) -> At {
    let At::After(inst) = at else { return at };
    let block = func.block_of(inst);
    let mut rest = func.block(block).insts.iter().skip_while(|other| **other != inst);
    rest.nth(1).map_or(At::End(block), |next| At::Before(*next))
}

/// The type that stands for what could not be inferred.
fn stand_in(func: &Function, operands: &[ValueId]) -> Type {
    operands.first().map_or(Type::tensor(DType::F32, []), |value| func.ty(*value).clone())
}

impl Build for Builder<'_> {
    fn func(&self) -> &Function {
        self.editor.func()
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder {
            editor: self.editor.reborrow(),
            at: self.at,
            source: self.source,
            cx: self.cx,
            looks: self.looks.clone(),
        }
    }
}
