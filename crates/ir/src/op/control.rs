//! Structured control flow: while, if, case, scan, call, fusion.
//!
//! Regions may use values of the blocks around them (capture); the HLO printer turns captures into explicit state.

use crate::expect::{ensure, expect_pred_result, expect_types};
use crate::infer::{InferCx, InferError, Inferred, Operands, RegionTypes};
use crate::module::FuncId;
use crate::rule::{Rule, RuleCx};
use crate::types::{DType, Type};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// Operands: initial state. Regions: condition, body; both take the state.
    While,
    /// Operand: a pred. Regions: true, false; neither takes parameters.
    If,
    /// Operand: an s32 index, out of range means the last. Regions: the branches, without parameters.
    Case,
    /// A call of a region that takes the operands; `kind` as HLO's `fusion` says it.
    Fusion { kind: FusionKind },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FusionKind {
    Loop,
    Input,
    Output,
    Custom,
}

/// A counted loop with carried values, stacked inputs and stacked outputs.
///
/// Operands: `carries` initial values, then stacked inputs whose dim 0 has size `trips`. The region takes the carried
/// values and one slice of each input (dim 0 removed), and returns the carried values and one slice of each output.
/// Results: final carried values, then stacked outputs. With `reverse` slices are taken from the last to the first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scan {
    pub trips: i64,
    pub carries: usize,
    pub reverse: bool,
}

/// A call of another function of the module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    pub callee: FuncId,
}

impl Control {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            Control::While => infer_while(operands),
            Control::If => infer_if(operands),
            Control::Case => infer_case(operands),
            Control::Fusion { .. } => infer_fusion(operands),
        }
    }

    /// No factors: each edge leads into a region.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::empty(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Control::While => "while",
            Control::If => "if",
            Control::Case => "case",
            Control::Fusion { .. } => "fusion",
        }
    }
}

fn owned(types: &[&Type]) -> Vec<Type> {
    types.iter().map(|ty| (*ty).clone()).collect()
}

fn infer_while(operands: Operands<'_>) -> Inferred {
    let [(cond_params, cond_results), (body_params, body_results)] = operands.expect_regions()?;
    let state = operands.types;
    expect_types("parameters of the condition", cond_params, "the initial state", state)?;
    expect_pred_result("the condition", cond_results)?;
    expect_types("parameters of the body", body_params, "the initial state", state)?;
    expect_types("results of the body", body_results, "the initial state", state)?;
    Ok(owned(state))
}

fn infer_if(operands: Operands<'_>) -> Inferred {
    let [on_true, on_false] = operands.expect_regions()?;
    let [pred] = operands.tensors()?;
    ensure!(pred.dtype == DType::Pred && pred.dims.is_empty(), "the choice must be pred[], not {pred}");
    infer_branches(&[on_true, on_false])
}

fn infer_case(operands: Operands<'_>) -> Inferred {
    let [index] = operands.tensors()?;
    ensure!(
        index.dtype == DType::S32 && index.dims.is_empty(),
        "the branch index must be s32[], not {index}"
    );
    let branches: Vec<&RegionTypes<'_>> = operands.regions.iter().collect();
    infer_branches(&branches)
}

fn infer_branches(branches: &[&RegionTypes<'_>]) -> Inferred {
    let Some(first) = branches.first() else { return Err(InferError::new("case needs at least one branch")) };
    for (index, (params, results)) in branches.iter().enumerate() {
        ensure!(
            params.is_empty(),
            "branch {index} takes {} parameters, but branches take none",
            params.len()
        );
        expect_types(&format!("results of branch {index}"), results, "branch 0", &first.1)?;
    }
    Ok(owned(&first.1))
}

fn infer_fusion(operands: Operands<'_>) -> Inferred {
    let [(params, results)] = operands.expect_regions()?;
    expect_types("parameters of the fusion", params, "the list of operands", operands.types)?;
    Ok(owned(results))
}

impl Scan {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [(params, results)] = operands.expect_regions()?;
        ensure!(self.trips >= 0, "scan cannot run {} times", self.trips);
        let (count, carries) = (operands.types.len(), self.carries);
        ensure!(carries <= count, "scan carries {carries} values, but has {count} operands");
        ensure!(
            carries <= results.len(),
            "scan carries {carries} values, but its body returns {}",
            results.len()
        );
        let state = &operands.types[..carries];
        expect_types("carried results of the body", &results[..carries], "the initial state", state)?;
        let mut wanted = owned(state);
        for index in carries..count {
            wanted.push(self.slice_of(index, operands)?);
        }
        let wanted: Vec<&Type> = wanted.iter().collect();
        expect_types("parameters of the body", params, "the list of carried values and slices", &wanted)?;
        let mut types = owned(state);
        for result in &results[carries..] {
            types.push(self.stack_of(result)?);
        }
        Ok(types)
    }

    /// Type of one slice of a stacked input.
    fn slice_of(&self, index: usize, operands: Operands<'_>) -> Result<Type, InferError> {
        let input = operands.tensor(index)?;
        let stacked = input.dims.first().copied();
        ensure!(
            stacked == Some(self.trips),
            "operand {index} is {input}, but dim 0 of a stacked input must have the trip count, {}",
            self.trips
        );
        Ok(input.with_dims(&input.dims[1..]).into())
    }

    /// Type of all slices of an output.
    fn stack_of(&self, slice: &Type) -> Result<Type, InferError> {
        let Some(slice) = slice.as_tensor() else { return Err(InferError::new("scan cannot stack tokens")) };
        let dims: Vec<i64> = [self.trips].into_iter().chain(slice.dims.iter().copied()).collect();
        Ok(slice.with_dims(dims).into())
    }

    /// No factors: each edge leads into the region.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::empty(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        "scan"
    }
}

impl Call {
    pub fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Inferred {
        infer_call(self.callee, operands, cx)
    }

    /// No factors: each edge leads into the callee.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::empty(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        "call"
    }
}

/// Operands must fit the callee's parameters; its results are the call's.
pub(super) fn infer_call(callee: FuncId, operands: Operands<'_>, cx: &InferCx<'_>) -> Inferred {
    let Some((params, results)) = cx.signatures.get(callee) else {
        return Err(InferError::new("the called function does not exist"));
    };
    let params: Vec<&Type> = params.iter().collect();
    expect_types("operands of the call", operands.types, "the called function", &params)?;
    Ok(results.clone())
}
