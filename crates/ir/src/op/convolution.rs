//! Convolution of any rank with every attribute.

use super::contract::{expect_product, linear_product};
use crate::expect::{ensure, expect_dims};
use crate::infer::{InferError, Inferred, Operands};
use crate::op::contract::Precision;
use crate::op::window::WindowDim;
use crate::rule::{FactorKind, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};
use meshwright_shard::Reducer;

/// Which dim of each tensor plays which part.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConvolutionDims {
    pub input_batch: usize,
    pub input_feature: usize,
    pub input_spatial: Vec<usize>,
    pub kernel_input_feature: usize,
    pub kernel_output_feature: usize,
    pub kernel_spatial: Vec<usize>,
    pub output_batch: usize,
    pub output_feature: usize,
    pub output_spatial: Vec<usize>,
}

/// `(input, kernel)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Convolution {
    pub dims: ConvolutionDims,
    /// One per spatial dim, in the order of the spatial dims; `size` is the kernel's.
    pub window: Vec<WindowDim>,
    pub feature_group_count: i64,
    pub batch_group_count: i64,
    /// Element type of the result.
    pub result: DType,
    pub precision: Vec<Precision>,
}

impl Convolution {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [input, kernel] = operands.tensors()?;
        expect_product("convolution", input.dtype, kernel.dtype, self.result)?;
        self.check_dims(input, kernel)?;
        self.check_groups(input, kernel)?;
        let dims = &self.dims;
        let mut sizes = vec![0; input.rank()];
        sizes[dims.output_batch] = input.dims[dims.input_batch] / self.batch_group_count;
        sizes[dims.output_feature] = kernel.dims[dims.kernel_output_feature];
        for (index, window) in self.window.iter().enumerate() {
            let (from, kernel_dim) = (dims.input_spatial[index], dims.kernel_spatial[index]);
            let size = kernel.dims[kernel_dim];
            ensure!(
                window.size == size,
                "the window of spatial dim {index} has {} elements, dim {kernel_dim} of the kernel has {size}",
                window.size
            );
            sizes[dims.output_spatial[index]] = window.output(from, input.dims[from])?;
        }
        Ok(vec![TensorType::new(self.result, sizes).into()])
    }

    /// Every dim of each tensor plays exactly one part.
    fn check_dims(&self, input: &TensorType, kernel: &TensorType) -> Result<(), InferError> {
        let dims = &self.dims;
        let rank = self.window.len() + 2;
        for (what, ty) in [("input", input), ("kernel", kernel)] {
            ensure!(
                ty.rank() == rank,
                "the {what} is {ty}, but {} spatial dims ask for rank {rank}",
                rank - 2
            );
        }
        for spatial in [&dims.input_spatial, &dims.kernel_spatial, &dims.output_spatial] {
            ensure!(spatial.len() + 2 == rank, "{} spatial dims for a window of {}", spatial.len(), rank - 2);
        }
        let all = |a, b, spatial: &[usize]| [a, b].into_iter().chain(spatial.to_vec());
        expect_dims("input dims", all(dims.input_batch, dims.input_feature, &dims.input_spatial), rank)?;
        expect_dims(
            "kernel dims",
            all(dims.kernel_input_feature, dims.kernel_output_feature, &dims.kernel_spatial),
            rank,
        )?;
        expect_dims("output dims", all(dims.output_batch, dims.output_feature, &dims.output_spatial), rank)
    }

    fn check_groups(&self, input: &TensorType, kernel: &TensorType) -> Result<(), InferError> {
        let (features, batches) = (self.feature_group_count, self.batch_group_count);
        ensure!(
            features >= 1 && batches >= 1 && (features == 1 || batches == 1),
            "feature_group_count {features} and batch_group_count {batches}: both at least 1, one of them 1"
        );
        let batch = input.dims[self.dims.input_batch];
        ensure!(batch % batches == 0, "{batch} input batches do not divide into {batches} groups");
        let (feature, takes) =
            (input.dims[self.dims.input_feature], kernel.dims[self.dims.kernel_input_feature]);
        ensure!(
            feature % features == 0 && feature / features == takes,
            "the input has {feature} features in {features} groups, but the kernel takes {takes}"
        );
        let gives = kernel.dims[self.dims.kernel_output_feature];
        let groups = features.max(batches);
        ensure!(gives % groups == 0, "{gives} output features do not divide into {groups} groups");
        Ok(())
    }

    /// Batch and features pass through and contract as in a dot; groups are the major part of a dim. Spatial dims that
    /// are a batch, a contraction or a free dim in disguise are that; along the others pieces need their neighbours,
    /// also where it is the taps that are split.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        self.channel_factors(cx, &mut rule);
        for index in 0..self.window.len() {
            self.spatial_factors(cx, &mut rule, index);
        }
        rule.fill_whole(cx);
        rule.with_linear(linear_product(cx, self.result))
    }

    fn channel_factors(&self, cx: RuleCx<'_>, rule: &mut Rule) {
        let dims = &self.dims;
        let (batches, features) = (self.batch_group_count, self.feature_group_count);
        let groups = batches.max(features);
        let outputs = cx.size(OperandIdx(1).dim(dims.kernel_output_feature)) / groups;
        if groups > 1 {
            let grouped = if batches > 1 { dims.input_batch } else { dims.input_feature };
            let group = rule.factor(groups, FactorKind::Pass);
            rule.place(group, [OperandIdx(0).dim(grouped)]);
            rule.place(
                group,
                [OperandIdx(1).dim(dims.kernel_output_feature), ResultIdx(0).dim(dims.output_feature)],
            );
        }
        rule.pass(
            cx.size(ResultIdx(0).dim(dims.output_batch)),
            OperandIdx(0).dim(dims.input_batch),
            ResultIdx(0).dim(dims.output_batch),
        );
        rule.pass(
            outputs,
            OperandIdx(1).dim(dims.kernel_output_feature),
            ResultIdx(0).dim(dims.output_feature),
        );
        let summed = rule
            .factor(cx.size(OperandIdx(1).dim(dims.kernel_input_feature)), FactorKind::Reduce(Reducer::Sum));
        rule.place(
            summed,
            [OperandIdx(0).dim(dims.input_feature), OperandIdx(1).dim(dims.kernel_input_feature)],
        );
    }

    fn spatial_factors(&self, cx: RuleCx<'_>, rule: &mut Rule, index: usize) {
        let input = self.dims.input_spatial[index];
        let kernel = self.dims.kernel_spatial[index];
        let output = self.dims.output_spatial[index];
        let size = cx.size(OperandIdx(0).dim(input));
        match self.spatial_role(index, size) {
            SpatialRole::InputFree => rule.pass(size, OperandIdx(0).dim(input), ResultIdx(0).dim(output)),
            SpatialRole::KernelFree => {
                rule.pass(self.window[index].size, OperandIdx(1).dim(kernel), ResultIdx(0).dim(output))
            }
            SpatialRole::Batch => rule.pass_all(
                size,
                [OperandIdx(0).dim(input), OperandIdx(1).dim(kernel), ResultIdx(0).dim(output)],
            ),
            SpatialRole::Contracted => {
                let factor = rule.factor(size, FactorKind::Reduce(Reducer::Sum));
                rule.place(factor, [OperandIdx(0).dim(input), OperandIdx(1).dim(kernel)]);
            }
            SpatialRole::Taps => {
                let factor = rule.factor_by_family(self.window[index].size, FactorKind::Reduce(Reducer::Sum));
                rule.place(factor, [OperandIdx(0).dim(input), OperandIdx(1).dim(kernel)]);
            }
            SpatialRole::Window => rule.permute(cx, [OperandIdx(0).dim(input), ResultIdx(0).dim(output)]),
        }
    }

    /// What a spatial dim of `size` input elements amounts to. XLA writes dots as convolutions in these forms.
    pub fn spatial_role(&self, index: usize, size: i64) -> SpatialRole {
        let window = &self.window[index];
        let unpadded = (window.pad_low, window.pad_high) == (0, 0);
        let undilated = window.window_dilation == 1 || window.size == 1;
        let edge = window.size - 1;
        if window.is_trivial(size) {
            SpatialRole::InputFree
        } else if !undilated {
            self.window_role(index, size)
        } else if unpadded && window.size == size && window.base_dilation == 1 && !window.reversal {
            SpatialRole::Contracted
        } else if unpadded
            && window.size == size
            && window.base_dilation == size
            && window.stride == (size - 1).max(1)
            && !window.reversal
        {
            SpatialRole::Batch
        } else if size == 1
            && (window.pad_low, window.pad_high) == (edge, edge)
            && window.stride == 1
            && window.reversal
        {
            SpatialRole::KernelFree
        } else {
            self.window_role(index, size)
        }
    }

    /// Whether places or taps are split: windows of kernels' gradients have far more taps than places.
    fn window_role(&self, index: usize, size: i64) -> SpatialRole {
        let window = &self.window[index];
        let places = window.output(index, size).unwrap_or(0);
        let has_more_taps = places.checked_mul(2).is_some_and(|twice| twice <= window.size);
        if size != 1 && has_more_taps { SpatialRole::Taps } else { SpatialRole::Window }
    }

    pub fn mnemonic(&self) -> &'static str {
        "convolution"
    }
}

/// What a spatial dim of a convolution amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpatialRole {
    /// A window of one element: the dim goes from input to output.
    InputFree,
    /// The input has one element: the dim goes from kernel to output.
    KernelFree,
    /// Input, kernel and output are paired: element `i` of each.
    Batch,
    /// The window covers the input once.
    Contracted,
    /// A real window, with far more taps than places: taps go with the input elements under them, and are summed.
    Taps,
    /// A real window.
    Window,
}
