//! Convolution of any rank with every attribute.

use crate::op::contract::Precision;
use crate::op::window::WindowDim;
use crate::types::DType;

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
