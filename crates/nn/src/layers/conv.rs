//! Convolutions of one to any number of spatial dims: strided, dilated, in groups, transposed.
//!
//! Images are `[batch, spatial.., features]`. Where the table splits a spatial dim, neighbours exchange the rows that
//! windows reach over; nothing here knows of it.

use crate::init::{Init, Scheme};
use crate::layers::window::{Reach, per_dim, span};
use crate::params::{Params, Specs, join};
use meshwright_ir::TensorType;
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// Sizes of a convolution. Begin with [`Conv::new`], [`Conv::depthwise`] or [`Conv::transposed`], and change what
/// differs.
///
/// ```
/// use meshwright_nn::layers::conv::Conv;
/// use meshwright_nn::params::Specs;
/// use meshwright_nn::tensor::prelude::*;
/// let down = Conv::new("down", [3, 3], 3, 16).strided(2);
/// let alone = Conv::depthwise("alone", [3, 3], 16).dilated(2);
/// let up = Conv::transposed("up", [2, 2], 2, 16, 3);
/// let mut specs = Specs::default();
/// [&down, &alone, &up].into_iter().for_each(|conv| conv.declare(&mut specs));
/// let program = trace("net", |t| {
///     let p = specs.params(t, "params", f32);
///     let half = down.apply(&p, t.input("x", f32, [1, 32, 32, 3])).relu(); // f32[1,16,16,16]
///     up.apply(&p, alone.apply(&p, half))
/// })?;
/// assert_eq!(program.results()[0].ty.dims, [1, 32, 32, 3]);
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Conv {
    pub path: String,
    /// Elements of the window, per spatial dim.
    pub sizes: Vec<i64>,
    pub inputs: i64,
    pub outputs: i64,
    /// How it moves; of a transposed convolution, how the convolution moves that this one turns around.
    pub window: Window,
    /// From places back to what the windows there saw: `strides` times as many elements. The kernel is not turned
    /// (PyTorch turns it).
    pub is_transposed: bool,
    pub has_bias: bool,
    /// What tables call the kernel's features in and out.
    pub names: [&'static str; 2],
    /// First values of the kernel, by the features times the elements of a window; biases begin with 0.
    pub init: Scheme,
}

impl Conv {
    /// Step 1, as many places as elements, He's initializer and a bias.
    pub fn new(path: impl Into<String>, sizes: impl Into<Vec<i64>>, inputs: i64, outputs: i64) -> Conv {
        let sizes = sizes.into();
        let window = Window::same(sizes.len());
        let names = ["in_channels", "channels"];
        let (is_transposed, has_bias, init) = (false, true, Scheme::He);
        Conv { path: path.into(), sizes, inputs, outputs, window, is_transposed, has_bias, names, init }
    }

    /// Each feature by itself.
    pub fn depthwise(path: impl Into<String>, sizes: impl Into<Vec<i64>>, features: i64) -> Conv {
        let conv = Conv::new(path, sizes, features, features);
        Conv { window: Window { groups: features, ..conv.window }, ..conv }
    }

    /// Every element becomes a window of them, `stride` apart.
    pub fn transposed(
        path: impl Into<String>,
        sizes: impl Into<Vec<i64>>,
        stride: i64,
        inputs: i64,
        outputs: i64,
    ) -> Conv {
        Conv { is_transposed: true, ..Conv::new(path, sizes, inputs, outputs) }.strided(stride)
    }

    /// The same stride along all spatial dims.
    pub fn strided(self, stride: i64) -> Conv {
        let strides = vec![stride; self.sizes.len()];
        Conv { window: Window { strides, ..self.window }, ..self }
    }

    /// The same distance between elements of the window along all spatial dims.
    pub fn dilated(self, dilation: i64) -> Conv {
        let dilation = vec![dilation; self.sizes.len()];
        Conv { window: Window { dilation, ..self.window }, ..self }
    }

    pub fn padded(self, padding: Padding) -> Conv {
        Conv { window: Window { padding, ..self.window }, ..self }
    }

    pub fn without_bias(self) -> Conv {
        Conv { has_bias: false, ..self }
    }

    /// Features of a group that an output is made of.
    fn depth(&self) -> i64 {
        self.inputs / self.window.groups.max(1)
    }

    pub fn declare(&self, specs: &mut Specs) {
        let size: i64 = self.sizes.iter().product();
        let fan_out = self.outputs / self.window.groups.max(1) * size;
        let mut dims: Vec<(&'static str, i64)> = self.sizes.iter().map(|size| ("window", *size)).collect();
        let [from, to] = self.names;
        dims.extend([(from, self.depth()), (to, self.outputs)]);
        specs.add(join(&self.path, "kernel"), dims, self.init.init(self.depth() * size, fan_out));
        if self.has_bias {
            specs.add(join(&self.path, "bias"), [(to, self.outputs)], Init::Zeros);
        }
    }

    /// `[batch, spatial.., inputs]` to `[batch, spatial.., outputs]`.
    #[track_caller]
    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        if let Some((message, help)) = self.misfit(x) {
            return refuse(&[x], self.meant(x), &message, &help);
        }
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(x.dtype());
        let y = x.conv(weight("kernel"), &self.moves(&x.dims()));
        if self.has_bias { y + weight("bias") } else { y }
    }

    /// The window that the op takes.
    fn moves(&self, dims: &[i64]) -> Window {
        if !self.is_transposed {
            return self.window.clone();
        }
        let edges = |at: usize| {
            let (stride, reach) = (self.window.strides[at], span(self.sizes[at], self.window.dilation[at]));
            // What the convolution that is turned around padded is cut off.
            let more = reach - stride;
            let (low, high) = match &self.window.padding {
                Padding::Valid => (0, 0),
                Padding::Edges(edges) => edges[at],
                Padding::Causal if at == 0 => (0, more),
                Padding::Same | Padding::Causal => (more.max(0) / 2, more - more.max(0) / 2),
            };
            (reach - 1 - low, reach - 1 - high)
        };
        let spatial = dims.len().saturating_sub(2);
        Window {
            strides: vec![1; spatial],
            padding: Padding::Edges((0..spatial).map(edges).collect()),
            dilation: self.window.dilation.clone(),
            base_dilation: self.window.strides.clone(),
            groups: self.window.groups,
        }
    }

    /// What is wrong with the sizes, or with these images.
    fn misfit(&self, x: Tensor) -> Option<(String, String)> {
        let (spatial, window) = (self.sizes.len(), &self.window);
        let name = &self.path;
        let groups = window.groups;
        if groups < 1 || self.inputs % groups != 0 || self.outputs % groups != 0 {
            let (inputs, outputs) = (self.inputs, self.outputs);
            let message = format!(
                "convolution `{name}` of {inputs} features to {outputs} does not divide into {groups} groups"
            );
            return Some((message, "use a number of groups that divides both".to_string()));
        }
        if self.is_transposed && window.base_dilation.iter().any(|step| *step != 1) {
            let message = format!(
                "convolution `{name}` is transposed and its base dilation is {:?}: strides are what spreads its elements",
                window.base_dilation
            );
            return Some((message, "leave the base dilation at 1, and say it as strides".to_string()));
        }
        if x.rank() != spatial + 2 || x.dim(-1) != self.inputs {
            let message = format!(
                "convolution `{name}` over {spatial} spatial dims of {} features is given {x:?}",
                self.inputs
            );
            return Some((message, format!("give [batch, {}features]", "spatial, ".repeat(spatial))));
        }
        let moves = per_dim(name, spatial, window).err();
        moves.or_else(|| Reach::of(&self.moves(&x.dims()), &self.sizes).misfit(name, x))
    }

    /// What was most likely meant where something does not fit.
    fn meant(&self, x: Tensor) -> TensorType {
        let mut dims = x.dims();
        if let Some(last) = dims.last_mut() {
            *last = self.outputs;
        }
        x.ty().with_dims(dims)
    }
}
