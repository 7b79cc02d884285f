//! Sliding windows: convolution of any rank, and pooling.
//!
//! Images are `[batch, spatial.., features]`, kernels `[spatial.., features in, features out]`.

use crate::codes;
use crate::ops::reduce::{neutral, reducer};
use crate::state::Line;
use crate::tensor::{Tensor, emit, emit_all, fail};
use meshwright_base::Diagnostic;
use meshwright_ir::Op;
use meshwright_ir::op::window::WindowDim;
use meshwright_ir::op::{BinaryOp, Convolution, ConvolutionDims, ReduceWindow};
use std::panic::Location;

/// What lies beyond the edges of a window's dims.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// use meshwright_tensor::{Padding, Window};
/// let causal = Window { padding: Padding::Causal, ..Window::new(1) }; // of a window of 3: Edges(vec![(2, 0)])
/// let program = trace("f", |t| t.input("x", f32, [1, 8, 3]).conv(t.param("k", [3, 3, 16]), &causal))?; // f32[1,8,16]
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Padding {
    /// Nothing: windows lie inside.
    Valid,
    /// As much as gives ceil(size / stride) places, the odd one after.
    Same,
    /// Along the first spatial dim all of it before, so that a place sees nothing that comes later; along the others as
    /// [`Same`](Padding::Same).
    Causal,
    /// So many elements before and after, per spatial dim.
    Edges(Vec<(i64, i64)>),
}

/// How a window moves. Begin with [`Window::new`] and change what differs.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// use meshwright_tensor::{Padding, Window};
/// let half = Window { strides: vec![2, 2], padding: Padding::Same, ..Window::new(2) };
/// let program = trace("f", |t| t.input("x", f32, [1, 8, 8, 3]).conv(t.param("k", [3, 3, 3, 16]), &half))?; // f32[1,4,4,16]
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// Distance between places of the window, per spatial dim.
    pub strides: Vec<i64>,
    /// What lies beyond the edges.
    pub padding: Padding,
    /// Distance between elements of the window (1: none between), per spatial dim.
    pub dilation: Vec<i64>,
    /// Distance between elements of the image, per spatial dim: more than 1 for transposed convolutions.
    pub base_dilation: Vec<i64>,
    /// Features in this many groups that do not mix.
    pub groups: i64,
}

impl Window {
    /// Step 1, inside the image, for so many spatial dims.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::{Padding, Window};
    /// let program = trace("f", |t| t.input("x", f32, [1, 8, 8, 3]).conv(t.param("k", [3, 3, 3, 16]), &Window::new(2)))?;
    /// assert_eq!(program.results()[0].ty.dims, [1, 6, 6, 16]);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn new(rank: usize) -> Window {
        let ones = vec![1; rank];
        Window {
            strides: ones.clone(),
            padding: Padding::Valid,
            dilation: ones.clone(),
            base_dilation: ones,
            groups: 1,
        }
    }

    /// The same with [`Padding::Same`].
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::{Padding, Window};
    /// let program = trace("f", |t| t.input("x", f32, [1, 8, 8, 3]).conv(t.param("k", [3, 3, 3, 16]), &Window::same(2)))?;
    /// assert_eq!(program.results()[0].ty.dims, [1, 8, 8, 16]);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn same(rank: usize) -> Window {
        Window { padding: Padding::Same, ..Window::new(rank) }
    }

    /// One entry per spatial dim of an image with these spatial sizes; `None` if the lists have other lengths.
    fn dims(&self, image: &[i64], sizes: &[i64]) -> Option<Vec<WindowDim>> {
        let rank = sizes.len();
        let edges = match &self.padding {
            Padding::Edges(edges) => edges.len(),
            Padding::Valid | Padding::Same | Padding::Causal => rank,
        };
        let lengths = [image.len(), self.strides.len(), self.dilation.len(), self.base_dilation.len(), edges];
        lengths
            .iter()
            .all(|length| *length == rank)
            .then(|| (0..rank).map(|at| self.dim(at, image[at], sizes[at])).collect())
    }

    fn dim(&self, at: usize, image: i64, size: i64) -> WindowDim {
        let (stride, dilation, base) = (self.strides[at], self.dilation[at], self.base_dilation[at]);
        let spread = |count: i64, step: i64| (count - 1).max(0).saturating_mul(step).saturating_add(1);
        let (pad_low, pad_high) = match &self.padding {
            Padding::Valid => (0, 0),
            Padding::Edges(edges) => edges[at],
            Padding::Causal if at == 0 => (spread(size, dilation) - 1, 0),
            Padding::Same | Padding::Causal => {
                let (whole, window) = (spread(image, base), spread(size, dilation));
                let places = whole.saturating_add(stride - 1) / stride.max(1);
                let all =
                    (places - 1).saturating_mul(stride).saturating_add(window).saturating_sub(whole).max(0);
                (all / 2, all - all / 2)
            }
        };
        let window_dilation = dilation;
        WindowDim { size, stride, pad_low, pad_high, base_dilation: base, window_dilation, reversal: false }
    }
}

impl Tensor {
    /// The convolution (as networks say it: without turning the kernel) of images `[batch, spatial.., features]` with
    /// a kernel `[spatial.., features in a group, features out]`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Window;
    /// let program = trace("f", |t| {
    ///     let sound = t.input("x", f32, [2, 100, 4]);
    ///     sound.conv(t.param("k", [5, 4, 8]), &Window::same(1)) // f32[2,100,8]
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn conv(self, kernel: Tensor, window: &Window) -> Tensor {
        let line = Location::caller();
        let (image, sizes) = (self.dims(), kernel.dims());
        let fits = image.len() >= 2 && image.len() == sizes.len();
        let spatial = image.len().saturating_sub(2);
        let dims = fits.then(|| window.dims(&image[1..=spatial], &sizes[..spatial])).flatten();
        let Some(dims) = dims else { return misfit("conv", self, &[self, kernel], spatial, line) };
        let places: Vec<usize> = (1..=spatial).collect();
        let convolution = Convolution {
            dims: ConvolutionDims {
                input_batch: 0,
                input_feature: spatial + 1,
                input_spatial: places.clone(),
                kernel_input_feature: spatial,
                kernel_output_feature: spatial + 1,
                kernel_spatial: (0..spatial).collect(),
                output_batch: 0,
                output_feature: spatial + 1,
                output_spatial: places,
            },
            window: dims,
            feature_group_count: window.groups,
            batch_group_count: 1,
            result: self.dtype(),
            precision: Vec::new(),
        };
        emit(Op::Convolution(convolution), &[self, kernel], line)
    }

    /// The largest element in each place of a window over the spatial dims of `[batch, spatial.., features]`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Window;
    /// let by_two = Window { strides: vec![2, 2], ..Window::new(2) };
    /// let program = trace("f", |t| t.input("x", f32, [1, 8, 8, 3]).max_pool(&[2, 2], &by_two))?; // f32[1,4,4,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn max_pool(self, sizes: &[i64], window: &Window) -> Tensor {
        pool(BinaryOp::Maximum, "max_pool", self, sizes, window, Location::caller())
    }

    /// The sum of the elements in each place of a window; beyond the edges are zeros.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Window;
    /// let program = trace("f", |t| t.input("x", f32, [1, 8, 3]).sum_pool(&[2], &Window::new(1)))?; // f32[1,7,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn sum_pool(self, sizes: &[i64], window: &Window) -> Tensor {
        pool(BinaryOp::Add, "sum_pool", self, sizes, window, Location::caller())
    }

    /// The mean of the elements in each place of a window; zeros beyond the edges count.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Window;
    /// let program = trace("f", |t| t.input("x", f32, [1, 8, 3]).mean_pool(&[2], &Window::new(1)))?; // f32[1,7,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn mean_pool(self, sizes: &[i64], window: &Window) -> Tensor {
        let count = sizes.iter().fold(1, |n: i64, size| n.saturating_mul(*size));
        self.sum_pool(sizes, window) / count
    }
}

fn pool(op: BinaryOp, name: &str, x: Tensor, sizes: &[i64], window: &Window, line: Line) -> Tensor {
    let dims = x.dims();
    let spatial = dims.len().saturating_sub(2);
    let inner = match dims.len() {
        0 | 1 => None,
        _ => window.dims(&dims[1..=spatial], sizes),
    };
    let Some(inner) = inner else { return misfit(name, x, &[x], spatial, line) };
    let edge = [WindowDim::TRIVIAL];
    let window = [&edge[..], &inner, &edge].concat();
    let init = neutral(op, x.dtype(), line);
    let region = reducer(op, x.dtype(), line);
    let results =
        emit_all(Op::ReduceWindow(ReduceWindow { window }), &[x, init], vec![region], &[x.ty()], line);
    results.first().copied().unwrap_or(x)
}

fn misfit(name: &str, x: Tensor, all: &[Tensor], spatial: usize, line: Line) -> Tensor {
    let on: Vec<String> = all.iter().map(|tensor| tensor.words()).collect();
    let message =
        format!("{name} of {}: the window does not have one entry per spatial dim", on.join(" and "));
    let help = format!(
        "images are [batch, spatial.., features], kernels [spatial.., in, out]; here give {spatial} sizes, strides and dilations"
    );
    fail(x.ty(), line, all, Diagnostic::error(codes::SHAPE, message).help(help))
}
