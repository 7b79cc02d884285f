//! Result types of an instruction from its operands, regions and attributes: one dispatch to the families.

use crate::module::{BlockId, FuncId, Function, Module, ValueId};
use crate::op::Op;
use crate::types::Type;
use meshwright_base::IdMap;
use meshwright_shard::Meshes;

/// Parameter and result types of each function.
pub type Signatures = IdMap<FuncId, (Vec<Type>, Vec<Type>)>;

/// What inference may look at besides the instruction itself.
#[derive(Clone, Copy)]
pub struct InferCx<'a> {
    pub meshes: &'a Meshes,
    pub signatures: &'a Signatures,
}

static NO_MESHES: Meshes = IdMap::new();
static NO_SIGNATURES: Signatures = IdMap::new();

impl InferCx<'static> {
    /// Without meshes and functions: nothing but manual computations and calls look at them.
    pub fn nothing() -> Self {
        InferCx { meshes: &NO_MESHES, signatures: &NO_SIGNATURES }
    }
}

impl<'a> InferCx<'a> {
    /// With meshes, without functions.
    pub fn of_meshes(meshes: &'a Meshes) -> Self {
        InferCx { meshes, ..InferCx::nothing() }
    }
}

/// What `infer` gives.
pub type Inferred = Result<Vec<Type>, InferError>;

/// Parameter and result types of a region.
pub type RegionTypes<'a> = (Vec<&'a Type>, Vec<&'a Type>);

/// Operand and region types of one instruction, as the families' `infer` see them.
#[derive(Clone, Copy)]
pub struct Operands<'a> {
    pub types: &'a [&'a Type],
    /// Parameter and result types of each region.
    pub regions: &'a [RegionTypes<'a>],
}

/// Why types do not fit: what is wrong, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InferError {
    pub message: String,
    pub help: Option<String>,
}

impl InferError {
    pub fn new(message: impl Into<String>) -> Self {
        InferError { message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Signatures of all functions, for [`InferCx`].
pub fn signatures(module: &Module) -> Signatures {
    let types = |func: &Function| {
        let params = func.param_values().iter().map(|value| func.ty(*value).clone()).collect();
        (params, func.results.iter().map(|result| result.ty.clone()).collect())
    };
    module.funcs.values().map(types).collect()
}

/// Result types of an op on given operands and regions.
pub fn infer_types(
    func: &Function,
    op: &Op,
    operands: &[ValueId],
    regions: &[BlockId],
    cx: &InferCx<'_>,
) -> Result<Vec<Type>, InferError> {
    let types: Vec<&Type> = operands.iter().map(|value| func.ty(*value)).collect();
    let list = |values: &[ValueId]| values.iter().map(|value| func.ty(*value)).collect::<Vec<_>>();
    let regions: Vec<_> = regions
        .iter()
        .map(|region| {
            let block = func.block(*region);
            (list(&block.params), list(&block.results))
        })
        .collect();
    op.infer(Operands { types: &types, regions: &regions }, cx)
}
