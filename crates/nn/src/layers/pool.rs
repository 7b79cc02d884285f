//! Pooling: windows over the spatial dims of `[batch, spatial.., features]`, or all of each.

use crate::layers::bag::Pool;
use crate::layers::window::{Reach, per_dim, span};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// A window that is pooled at each of its places. Only elements of the image count: what lies beyond its edges is no
/// zero of a mean.
///
/// ```
/// use meshwright_nn::layers::bag::Pool;
/// use meshwright_nn::layers::pool::{Pooling, global};
/// use meshwright_nn::tensor::prelude::*;
/// let thirds = Pooling::new(Pool::Max, [3, 3]).strided(2).padded(Padding::Same);
/// let program = trace("pools", |t| {
///     let x = thirds.apply(t.input("x", f32, [2, 9, 9, 4])); // f32[2,5,5,4]
///     global(Pool::Mean, x) // f32[2,4]
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Pooling {
    pub pool: Pool,
    /// Elements of the window, per spatial dim.
    pub sizes: Vec<i64>,
    /// How it moves; it has no groups.
    pub window: Window,
}

impl Pooling {
    /// Windows side by side, inside of the image.
    pub fn new(pool: Pool, sizes: impl Into<Vec<i64>>) -> Pooling {
        let sizes = sizes.into();
        let window = Window { strides: sizes.clone(), ..Window::new(sizes.len()) };
        Pooling { pool, sizes, window }
    }

    /// The same stride along all spatial dims.
    pub fn strided(self, stride: i64) -> Pooling {
        let strides = vec![stride; self.sizes.len()];
        Pooling { window: Window { strides, ..self.window }, ..self }
    }

    pub fn padded(self, padding: Padding) -> Pooling {
        Pooling { window: Window { padding, ..self.window }, ..self }
    }

    /// `[batch, spatial.., features]` to fewer places.
    #[track_caller]
    pub fn apply(&self, x: Tensor) -> Tensor {
        if let Some((message, help)) = self.misfit(x) {
            return refuse(&[x], x.ty(), &message, &help);
        }
        match self.pool {
            Pool::Max => x.max_pool(&self.sizes, &self.window),
            Pool::Sum => x.sum_pool(&self.sizes, &self.window),
            Pool::Mean => self.mean(x),
        }
    }

    fn mean(&self, x: Tensor) -> Tensor {
        let sum = x.sum_pool(&self.sizes, &self.window);
        let (from, to) = (x.dims(), sum.dims());
        (0..self.sizes.len()).fold(sum, |sum, at| {
            let counts = self.counts(at, from[at + 1], to[at + 1]);
            if let [first, rest @ ..] = &counts[..]
                && rest.iter().all(|count| count == first)
            {
                return sum / *first;
            }
            let mut dims = vec![1; from.len()];
            dims[at + 1] = to[at + 1];
            sum / constant(x.dtype(), dims, &counts)
        })
    }

    /// How many elements of the image each place has along a spatial dim.
    fn counts(&self, at: usize, image: i64, places: i64) -> Vec<f64> {
        let (size, stride, step) = (self.sizes[at], self.window.strides[at], self.window.dilation[at]);
        let apart = self.window.base_dilation[at];
        let (whole, reach) = (span(image, apart), span(size, step));
        let low = match &self.window.padding {
            Padding::Valid => 0,
            Padding::Edges(edges) => edges[at].0,
            Padding::Causal if at == 0 => reach - 1,
            Padding::Same | Padding::Causal => ((places - 1) * stride + reach - whole).max(0) / 2,
        };
        let is_real = |place: i64| (0..whole).contains(&place) && place % apart == 0;
        let count = |place: i64| (0..size).filter(|tap| is_real(place * stride - low + tap * step)).count();
        (0..places).map(|place| count(place).max(1) as f64).collect()
    }

    fn misfit(&self, x: Tensor) -> Option<(String, String)> {
        let spatial = self.sizes.len();
        if x.rank() != spatial + 2 {
            let message = format!("pooling over {spatial} spatial dims is given {x:?}");
            return Some((message, format!("give [batch, {}features]", "spatial, ".repeat(spatial))));
        }
        let moves = per_dim("pooling", spatial, &self.window).err();
        moves.or_else(|| Reach::of(&self.window, &self.sizes).misfit("pooling", x))
    }
}

/// All places of each feature as one: `[batch, spatial.., features]` to `[batch, features]`.
#[track_caller]
pub fn global(pool: Pool, x: Tensor) -> Tensor {
    let places: Vec<i64> = (1..x.rank() as i64 - 1).collect();
    if places.is_empty() || (pool != Pool::Sum && places.iter().any(|at| x.dim(*at) == 0)) {
        let message = format!("{x:?} has no places that could be pooled");
        return refuse(&[x], x.ty(), &message, "give [batch, spatial.., features]");
    }
    match pool {
        Pool::Sum => x.sum(&places[..]),
        Pool::Mean => x.mean(&places[..]),
        Pool::Max => x.max(&places[..]),
    }
}
