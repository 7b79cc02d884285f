//! Sliding windows: reduce_window and select_and_scatter.

use super::reduce::{expect_reducer, linear_reduction};
use crate::expect::{ensure, expect_per_dim, expect_pred_result, expect_scalars, expect_size};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{Localize, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::TensorType;

/// A window along one dim, in HLO's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WindowDim {
    pub size: i64,
    pub stride: i64,
    pub pad_low: i64,
    pub pad_high: i64,
    /// Distance between neighbouring elements of the input after dilation (1: none).
    pub base_dilation: i64,
    /// Distance between neighbouring elements of the window (1: none).
    pub window_dilation: i64,
    pub reversal: bool,
}

impl WindowDim {
    /// A window of one element that moves nothing.
    pub const TRIVIAL: WindowDim = WindowDim {
        size: 1,
        stride: 1,
        pad_low: 0,
        pad_high: 0,
        base_dilation: 1,
        window_dilation: 1,
        reversal: false,
    };

    /// Whether the window of a dim of `size` takes each element by itself, in order.
    pub fn is_trivial(&self, size: i64) -> bool {
        let unspread = self.base_dilation == 1 || size <= 1;
        let unmoved = (self.size, self.pad_low, self.pad_high) == (1, 0, 0);
        unmoved && unspread && (self.stride == 1 || size <= 1)
    }

    /// How many places the window takes over `size` elements.
    pub fn output(&self, dim: usize, size: i64) -> Result<i64, InferError> {
        let at_least_1 = [
            ("size", self.size),
            ("stride", self.stride),
            ("base dilation", self.base_dilation),
            ("window dilation", self.window_dilation),
        ];
        for (what, value) in at_least_1 {
            ensure!(value >= 1, "the window's {what} in dim {dim} must be at least 1, not {value}");
        }
        let spread = |count: i64, step: i64| i128::from((count - 1).max(-1)) * i128::from(step) + 1;
        let base = if size == 0 { 0 } else { spread(size, self.base_dilation) };
        let padded = base + i128::from(self.pad_low) + i128::from(self.pad_high);
        ensure!(padded >= 0, "the padding of dim {dim} leaves {padded} elements");
        let window = spread(self.size, self.window_dilation);
        let places = if padded < window { 0 } else { (padded - window) / i128::from(self.stride) + 1 };
        expect_size(&format!("dim {dim}"), places)
    }
}

/// Sizes of the result of a window over each dim.
fn outputs(window: &[WindowDim], operand: &TensorType) -> Result<Vec<i64>, InferError> {
    expect_per_dim("the window", window.len(), operand.rank())?;
    let pairs = window.iter().zip(&operand.dims).enumerate();
    pairs.map(|(dim, (window, size))| window.output(dim, *size)).collect()
}

/// Operands: n inputs, n initial values; one window entry per dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReduceWindow {
    pub window: Vec<WindowDim>,
}

/// `(operand, source, init)`; one window entry per dim, without dilation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SelectAndScatter {
    pub window: Vec<WindowDim>,
}

impl ReduceWindow {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [region] = operands.expect_regions()?;
        let (inputs, inits) = operands.halves()?;
        let dtypes = expect_reducer("the reducer", region, &inputs, &inits)?;
        let dims = outputs(&self.window, inputs[0])?;
        Ok(dtypes.into_iter().map(|dtype| TensorType::new(dtype, dims.clone()).into()).collect())
    }

    /// Dims the window leaves alone pass through; along the others pieces need their neighbours (halos, prefix sums).
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        let inputs = cx.operands.len() / 2;
        for (dim, window) in self.window.iter().enumerate() {
            let size = cx.size(OperandIdx(0).dim(dim));
            let places = (0..inputs).flat_map(|at| [OperandIdx(at).dim(dim), ResultIdx(at).dim(dim)]);
            if window.is_trivial(size) {
                rule.pass_all(size, places);
            } else {
                rule.permute(cx, places);
            }
        }
        let rule = rule.with_linear(linear_reduction(cx));
        self.localized(rule)
    }

    /// Windows of reductions that are no plain ones have nothing to put where they reach beyond the edges, or into
    /// holes.
    fn localized(&self, mut rule: Rule) -> Rule {
        let stays_inside = |dim: &WindowDim| (dim.pad_low, dim.pad_high, dim.base_dilation) == (0, 0, 1);
        if rule.linear.reducers.is_empty() && !self.window.iter().all(stays_inside) {
            rule.move_by(Localize::Never);
        }
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        "reduce_window"
    }
}

impl SelectAndScatter {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [(select_params, select_results), scatter] = operands.expect_regions()?;
        let [operand, source, init] = operands.tensors()?;
        let params = expect_scalars("parameters of the selection", select_params, 2)?;
        for param in params {
            ensure!(param == operand.dtype, "the selection takes {param}, but the operand is {operand}");
        }
        expect_pred_result("the selection", select_results)?;
        let dims = outputs(&self.window, operand)?;
        ensure!(
            source.dims == dims,
            "the source is {source}, but the window takes {dims:?} places over the operand {operand}"
        );
        let dtypes = expect_reducer("the scatter", scatter, &[source], &[init])?;
        Ok(dtypes.into_iter().map(|dtype| operand.with_dtype(dtype).into()).collect())
    }

    /// Dims the window leaves alone pass through; along the others windows that touch a piece reach into the next. A
    /// window that there is not has to be told what it adds.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for (dim, window) in self.window.iter().enumerate() {
            let places = [OperandIdx(0).dim(dim), OperandIdx(1).dim(dim), ResultIdx(0).dim(dim)];
            if window.is_trivial(cx.size(places[0])) {
                rule.pass_all(cx.size(places[0]), places);
            } else if cx.reducer.is_some() {
                rule.permute(cx, places);
            }
        }
        rule.fill_whole(cx);
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        "select_and_scatter"
    }
}
