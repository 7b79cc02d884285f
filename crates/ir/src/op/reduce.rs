//! Reduction over whole dims with any computation, and `map`.

use crate::expect::{ensure, expect_promotes, expect_same_dims, expect_scalars, expect_sorted_dims};
use crate::infer::{InferError, Inferred, Operands, RegionTypes};
use crate::rule::{FactorKind, Linear, Localize, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};

/// Operands: n inputs, n initial values; n results. The region takes 2n scalars (accumulators, then elements).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reduce {
    /// Reduced dims, ascending.
    pub dims: Vec<usize>,
}

/// The region on scalars, element by element over all `dims`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Map {
    pub dims: Vec<usize>,
}

impl Reduce {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [region] = operands.expect_regions()?;
        let (inputs, inits) = operands.halves()?;
        let dtypes = expect_reducer("the reducer", region, &inputs, &inits)?;
        let shape = inputs[0];
        expect_sorted_dims("reduce", &self.dims, shape.rank())?;
        let kept = (0..shape.rank()).filter(|dim| !self.dims.contains(dim));
        let dims: Vec<i64> = kept.map(|dim| shape.dims[dim]).collect();
        Ok(dtypes.into_iter().map(|dtype| TensorType::new(dtype, dims.clone()).into()).collect())
    }

    /// Kept dims pass through. Reduced dims leave a partial result if the reducer is a plain one of one input;
    /// otherwise what comes of pieces is reduced again inside the op. The initial value stands in no factor.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        let inputs = cx.operands.len() / 2;
        let mut to = 0;
        for dim in 0..cx.operands[0].rank() {
            let reduced = self.dims.contains(&dim);
            let kind = match (reduced, cx.reducer) {
                (false, _) => FactorKind::Pass,
                (true, Some(reducer)) if inputs == 1 => FactorKind::Reduce(reducer),
                (true, _) => FactorKind::Permute,
            };
            let factor = rule.factor(cx.size(OperandIdx(0).dim(dim)), kind);
            for index in 0..inputs {
                rule.place(factor, [OperandIdx(index).dim(dim)]);
            }
            if !reduced {
                for index in 0..inputs {
                    rule.place(factor, [ResultIdx(index).dim(to)]);
                }
                to += 1;
            }
        }
        rule.move_by(Localize::Combine);
        (inputs..2 * inputs).fold(rule.with_linear(linear_reduction(cx)), Rule::starting_from)
    }

    pub fn mnemonic(&self) -> &'static str {
        "reduce"
    }
}

/// A reduction commutes with itself, input and initial value together.
pub(super) fn linear_reduction(cx: RuleCx<'_>) -> Linear {
    match cx.reducer {
        Some(reducer) if cx.operands.len() == 2 && keeps_bits(cx) => Linear::jointly([reducer], [0, 1]),
        _ => Linear::default(),
    }
}

/// Whether no integer widens on the way: a partial one may have wrapped.
fn keeps_bits(cx: RuleCx<'_>) -> bool {
    let dtype = |ty: &crate::types::Type| ty.as_tensor().map(|ty| ty.dtype);
    let (from, to) = (dtype(cx.operands[0]), dtype(cx.results[0]));
    from == to || !from.is_some_and(DType::is_integer)
}

/// A region on accumulators and elements of n inputs; the element types of its results.
///
/// Accumulators may be wider than inputs and initial values.
pub(super) fn expect_reducer(
    what: &str,
    (params, results): &RegionTypes<'_>,
    inputs: &[&TensorType],
    inits: &[&TensorType],
) -> Result<Vec<DType>, InferError> {
    let count = inputs.len();
    expect_same_dims(inputs)?;
    let params = expect_scalars(&format!("parameters of {what}"), params, 2 * count)?;
    let results = expect_scalars(&format!("results of {what}"), results, count)?;
    for (index, &dtype) in results.iter().enumerate() {
        let init = inits.get(index).unwrap_or(&inputs[index]);
        ensure!(
            inits.is_empty() || init.dims.is_empty(),
            "initial value {index} is {init}, but must be a scalar"
        );
        let takes = (params[index], params[count + index]);
        ensure!(
            takes == (dtype, dtype),
            "{what} takes {} and {} for input {index}, but returns {dtype}",
            takes.0,
            takes.1
        );
        expect_promotes(&format!("input {index}"), inputs[index].dtype, dtype)?;
        expect_promotes(&format!("initial value {index}"), init.dtype, dtype)?;
    }
    Ok(results)
}

impl Map {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [(params, results)] = operands.expect_regions()?;
        let tensors = operands.all_tensors()?;
        let Some(first) = tensors.first() else {
            return Err(InferError::new("map needs at least one operand"));
        };
        expect_same_dims(&tensors)?;
        let all = self.dims.iter().copied().eq(0..first.rank());
        ensure!(all, "map must go over all {} dims in order, not {:?}", first.rank(), self.dims);
        let params = expect_scalars("parameters of the computation", params, tensors.len())?;
        for (index, (param, tensor)) in params.iter().zip(&tensors).enumerate() {
            ensure!(*param == tensor.dtype, "parameter {index} is {param}, but operand {index} is {tensor}");
        }
        let results = expect_scalars("results of the computation", results, 1)?;
        Ok(results.iter().map(|dtype| first.with_dtype(*dtype).into()).collect())
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::elementwise(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        "map"
    }
}
