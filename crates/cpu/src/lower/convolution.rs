//! Convolutions of floats; other types are left to the interpreter.

use super::{Frame, Lower, Val};
use meshwright_ir::op::Convolution;
use meshwright_ir::{DType, Inst};
use meshwright_kernels::convolution::{ConvolutionStep, Spatial};
use meshwright_kernels::step::Step;
use meshwright_kernels::view::row_major;
use meshwright_runtime::RunError;

impl<'m> Lower<'m> {
    pub fn convolution(
        &mut self,
        op: &Convolution,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let [input, kernel] = x else { return Err(self.unsound("convolution takes two operands")) };
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let wide = [dtype, input.dtype, kernel.dtype].iter().any(|ty| !ty.is_float() || ty.bits() > 32);
        if wide || input.count() == 0 || kernel.count() == 0 {
            return Err(self.refuse("a convolution of this type"));
        }
        let (input, kernel) = (self.convert_to(DType::F32, input)?, self.convert_to(DType::F32, kernel)?);
        let (from, view) = self.view(&input)?;
        let (weights, kernel_view) = self.view(&kernel)?;
        let reversed = op.dims.kernel_spatial.iter().zip(&op.window).filter(|(_, w)| w.reversal);
        let kernel_view = kernel_view.reverse(&reversed.map(|(dim, _)| *dim).collect::<Vec<_>>());
        let (to, val) = self.fresh(DType::F32, &dims)?;
        let strides = row_major(&dims);
        let names = &op.dims;
        let groups = |n: i64| usize::try_from(n).unwrap_or(1).max(1);
        let (by_feature, by_batch) = (groups(op.feature_group_count), groups(op.batch_group_count));
        let count = by_feature.max(by_batch);
        let spatial = |i: usize| {
            let w = &op.window[i];
            let (a, b, c) = (names.input_spatial[i], names.kernel_spatial[i], names.output_spatial[i]);
            Spatial {
                input: view.dims[a],
                output: dims[c],
                window: kernel_view.dims[b],
                input_stride: view.strides[a],
                output_stride: strides[c],
                kernel_stride: kernel_view.strides[b],
                step: w.stride,
                pad_low: w.pad_low,
                base_dilation: w.base_dilation,
                window_dilation: w.window_dilation,
            }
        };
        let inner = kernel_view.dims[names.kernel_input_feature];
        let outer = dims[names.output_feature] / count;
        let batch = dims[names.output_batch];
        let (batch_stride, feature_stride) =
            (view.strides[names.input_batch], view.strides[names.input_feature]);
        let between =
            if by_batch > 1 { batch as isize * batch_stride } else { inner as isize * feature_stride };
        let made = kernel_view.strides[names.kernel_output_feature];
        self.push(Step::Convolution(ConvolutionStep {
            input: (from, view.offset),
            kernel: (weights, kernel_view.offset),
            to,
            to_offset: 0,
            spatial: (0..op.window.len()).map(spatial).collect(),
            batch: (batch, batch_stride, strides[names.output_batch]),
            inner: (inner, feature_stride, kernel_view.strides[names.kernel_input_feature]),
            outer: (outer, made, strides[names.output_feature]),
            groups: count,
            group_strides: [between, outer as isize * made, outer as isize * strides[names.output_feature]],
        }));
        self.convert_to(dtype, &val)
    }
}
