//! Modules, functions, blocks, instructions, values.
//!
//! A function owns its values, instructions and blocks in arenas; order is a list per block, an id says nothing about
//! order. A value is defined once, before use, in its block or one around it. A block ends with the list of values it
//! returns; there is no terminator instruction. Everything here can be read by all and changed only by an
//! [`Editor`](crate::Editor).

use crate::attr::Attrs;
use crate::op::Op;
use crate::order::Order;
use crate::types::Type;
use meshwright_base::diagnostic::Place;
use meshwright_base::{IdMap, define_id};
use meshwright_shard::{HloSharding, Meshes, Sharding};
use std::collections::BTreeSet;
use std::sync::Arc;

define_id!(
    /// A value of a function.
    pub ValueId, "v"
);
define_id!(
    /// An instruction of a function.
    pub InstId, "i"
);
define_id!(
    /// A block of a function.
    pub BlockId, "b"
);
define_id!(
    /// A function of a module.
    pub FuncId, "f"
);
define_id!(
    /// A source location of a module.
    pub SourceId, "s"
);

/// A whole program.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: Arc<str>,
    pub meshes: Meshes,
    /// Devices the program is written for, if it says.
    pub num_partitions: Option<i64>,
    pub num_replicas: Option<i64>,
    /// Other attributes of the module or of HLO's header.
    pub attrs: Attrs,
    pub funcs: IdMap<FuncId, Function>,
    pub entry: FuncId,
    /// Location 0 is "unknown".
    pub sources: IdMap<SourceId, Source>,
}

/// Where an instruction came from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Source {
    /// The framework's name of the op, as `jit(step)/jvp()/mul`.
    pub op_name: Option<Arc<str>>,
    /// `op_type` of HLO metadata.
    pub op_type: Option<Arc<str>>,
    /// Call stack, innermost first.
    pub frames: Vec<Frame>,
}

/// One place in the user's program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub file: Arc<str>,
    pub function: Option<Arc<str>>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// A function, or an HLO computation that is called.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Arc<str>,
    pub is_public: bool,
    pub attrs: Attrs,
    /// One per parameter of the root block.
    pub params: Vec<ParamInfo>,
    /// One per returned value.
    pub results: Vec<ResultInfo>,
    pub(crate) root: BlockId,
    pub(crate) blocks: IdMap<BlockId, Block>,
    pub(crate) insts: IdMap<InstId, Inst>,
    pub(crate) values: IdMap<ValueId, Value>,
    pub(crate) order: Order,
}

/// What is known of a parameter besides its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ParamInfo {
    pub donation: Option<Donation>,
    /// What the user's program calls it, as `p['w1']`; it is told, and says nothing of what is computed.
    pub name: Option<Arc<str>>,
    pub attrs: Attrs,
}

/// A buffer the caller gives away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Donation {
    /// `jax.buffer_donor`: may be reused for any result.
    Donor,
    /// `tf.aliasing_output` / `input_output_alias`: is the buffer of this result.
    Alias { result: usize, must: bool },
}

/// What is known of a result of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultInfo {
    pub ty: Type,
    pub sharding: Option<Annotation>,
    pub attrs: Attrs,
}

/// A list of instructions with parameters and results.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The computation's name in HLO.
    pub name: Option<Arc<str>>,
    pub params: Vec<ValueId>,
    pub insts: Vec<InstId>,
    /// Values the block returns.
    pub results: Vec<ValueId>,
    /// The instruction whose region this is; `None` for the root.
    pub parent: Option<InstId>,
}

/// An operation with its operands, results and regions.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    pub operands: Vec<ValueId>,
    pub results: Vec<ValueId>,
    pub regions: Vec<BlockId>,
    pub source: SourceId,
    /// Attributes kept but not interpreted (`mhlo.frontend_attributes` and the like).
    pub attrs: Attrs,
    /// Name of the whole of several results (`%5:2`).
    pub name: Option<Arc<str>>,
    pub(crate) block: BlockId,
}

/// A value.
#[derive(Clone, Debug)]
pub struct Value {
    pub ty: Type,
    pub def: Def,
    pub name: Option<Arc<str>>,
    pub sharding: Option<Annotation>,
    /// After padding: how much of each dim is real; the rest is garbage. `None`: all of it.
    pub valid: Option<Box<[i64]>>,
}

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    Param { block: BlockId, index: usize },
    Result { inst: InstId, index: usize },
}

/// A sharding as written on a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Annotation {
    /// Over a mesh of the module. Values that are split alike share it.
    Mesh(Arc<Sharding>),
    /// As HLO text, not yet imported.
    Hlo(Box<HloSharding>),
}

impl From<Sharding> for Annotation {
    fn from(sharding: Sharding) -> Self {
        Annotation::Mesh(Arc::new(sharding))
    }
}

impl From<HloSharding> for Annotation {
    fn from(sharding: HloSharding) -> Self {
        Annotation::Hlo(Box::new(sharding))
    }
}

impl Annotation {
    pub fn into_mesh(self) -> Option<Arc<Sharding>> {
        match self {
            Annotation::Mesh(sharding) => Some(sharding),
            Annotation::Hlo(_) => None,
        }
    }

    pub fn as_mesh(&self) -> Option<&Sharding> {
        self.as_shared().map(|sharding| &**sharding)
    }

    pub fn as_shared(&self) -> Option<&Arc<Sharding>> {
        match self {
            Annotation::Mesh(sharding) => Some(sharding),
            Annotation::Hlo(_) => None,
        }
    }
}

impl Module {
    /// A module with one empty public function.
    pub fn new(name: &str) -> Self {
        let mut funcs = IdMap::new();
        let entry = funcs.push(Function::new("main", true));
        let mut sources = IdMap::new();
        sources.push(Source::default());
        Module {
            name: name.into(),
            meshes: Meshes::new(),
            num_partitions: None,
            num_replicas: None,
            attrs: Attrs::default(),
            funcs,
            entry,
            sources,
        }
    }

    pub fn main(&self) -> &Function {
        &self.funcs[self.entry]
    }

    pub fn func_named(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().find(|(_, func)| &*func.name == name).map(|(id, _)| id)
    }

    /// The innermost place of a location, for diagnostics.
    pub fn place(&self, source: SourceId) -> Option<Place> {
        let frame = self.sources.get(source)?.frames.first()?;
        Some(Place::Source { file: frame.file.to_string(), line: frame.line, column: frame.column })
    }
}

impl SourceId {
    /// The location of what has none.
    pub fn unknown() -> Self {
        meshwright_base::Id::from_index(0)
    }
}

impl Function {
    pub fn new(name: &str, is_public: bool) -> Self {
        let mut blocks = IdMap::new();
        let root = blocks.push(Block::default());
        Function {
            name: name.into(),
            is_public,
            attrs: Attrs::default(),
            params: Vec::new(),
            results: Vec::new(),
            root,
            blocks,
            insts: IdMap::new(),
            values: IdMap::new(),
            order: Order::default(),
        }
    }

    #[inline]
    pub fn root(&self) -> BlockId {
        self.root
    }

    #[inline]
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block]
    }

    #[inline]
    pub fn inst(&self, inst: InstId) -> &Inst {
        &self.insts[inst]
    }

    #[inline]
    pub fn value(&self, value: ValueId) -> &Value {
        &self.values[value]
    }

    #[inline]
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.values[value].ty
    }

    /// Dims of a value; none for a token.
    #[inline]
    pub fn dims(&self, value: ValueId) -> &[i64] {
        self.values[value].ty.dims()
    }

    /// The block an instruction stands in.
    #[inline]
    pub fn block_of(&self, inst: InstId) -> BlockId {
        self.insts[inst].block
    }

    /// The block a value is defined in.
    #[inline]
    pub fn def_block(&self, value: ValueId) -> BlockId {
        match self.values[value].def {
            Def::Param { block, .. } => block,
            Def::Result { inst, .. } => self.insts[inst].block,
        }
    }

    /// Values that the regions of an instruction use and do not define, each once, ascending.
    pub fn captures(&self, inst: InstId) -> Vec<ValueId> {
        let (mut used, mut inside) = (BTreeSet::new(), BTreeSet::new());
        let mut left = self.insts[inst].regions.clone();
        while let Some(region) = left.pop() {
            inside.insert(region);
            let block = &self.blocks[region];
            used.extend(&block.results);
            for inner in block.insts.iter().map(|inst| &self.insts[*inst]) {
                used.extend(&inner.operands);
                left.extend(&inner.regions);
            }
        }
        used.retain(|value| !inside.contains(&self.def_block(*value)));
        used.into_iter().collect()
    }

    /// Parameters of the function.
    #[inline]
    pub fn param_values(&self) -> &[ValueId] {
        &self.blocks[self.root].params
    }

    /// Returned values.
    #[inline]
    pub fn result_values(&self) -> &[ValueId] {
        &self.blocks[self.root].results
    }

    /// How many values, instructions and blocks were ever made: sizes for maps beside the function.
    #[inline]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    #[inline]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    pub fn values(&self) -> &IdMap<ValueId, Value> {
        &self.values
    }

    /// The instruction that defines a value, unless it is a parameter.
    #[inline]
    pub fn def_inst(&self, value: ValueId) -> Option<InstId> {
        match self.values[value].def {
            Def::Result { inst, .. } => Some(inst),
            Def::Param { .. } => None,
        }
    }

    /// The reducer a two-operand region computes, if it is a plain one.
    pub fn region_reducer(&self, region: BlockId) -> Option<meshwright_shard::Reducer> {
        let block = &self.blocks[region];
        let ([a, b], [result]) = (&block.params[..], &block.results[..]) else { return None };
        let inst = &self.insts[self.def_inst(*result)?];
        if inst.operands != [*a, *b] && inst.operands != [*b, *a] {
            return None;
        }
        inst.op.reducer()
    }
}
