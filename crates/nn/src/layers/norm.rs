//! Normalization of each example by itself, with weights: over the model dim, or over places and groups of features.
//! Computed in `f32` at least, and given back in the type of `x`.

use crate::init::Init;
use crate::layers::attention::wide;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// T5's: no mean, no bias.
#[derive(Clone, Debug)]
pub struct RmsNorm {
    pub path: String,
    pub model: i64,
    pub epsilon: f64,
}

impl RmsNorm {
    /// With T5's epsilon.
    pub fn new(path: String, model: i64) -> RmsNorm {
        RmsNorm { path, model, epsilon: 1e-6 }
    }

    pub fn declare(&self, specs: &mut Specs) {
        specs.add(join(&self.path, "scale"), [("model", self.model)], Init::Ones);
    }

    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        let normal = x.cast(wide(x.dtype())).rms_normalize(-1, self.epsilon);
        (normal * p.get(&join(&self.path, "scale")).cast(normal.dtype())).cast(x.dtype())
    }
}

/// The choice of a normalization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Norm {
    /// T5's.
    Rms,
    /// With mean and bias.
    Layer,
}

impl Norm {
    pub fn declare(self, path: String, model: i64, specs: &mut Specs) {
        match self {
            Norm::Rms => RmsNorm::new(path, model).declare(specs),
            Norm::Layer => LayerNorm { path, model, epsilon: 1e-6 }.declare(specs),
        }
    }

    pub fn apply(self, path: String, p: &Params, x: Tensor, epsilon: f64) -> Tensor {
        let model = x.dim(-1);
        match self {
            Norm::Rms => RmsNorm { path, model, epsilon }.apply(p, x),
            Norm::Layer => LayerNorm { path, model, epsilon }.apply(p, x),
        }
    }
}

/// With mean and bias.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    pub path: String,
    pub model: i64,
    pub epsilon: f64,
}

impl LayerNorm {
    pub fn declare(&self, specs: &mut Specs) {
        specs.add(join(&self.path, "scale"), [("model", self.model)], Init::Ones);
        specs.add(join(&self.path, "bias"), [("model", self.model)], Init::Zeros);
    }

    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        let normal = x.cast(wide(x.dtype())).standardize(-1, self.epsilon);
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(normal.dtype());
        (normal * weight("scale") + weight("bias")).cast(x.dtype())
    }
}

/// Each example of `[batch, spatial.., features]` by itself: groups of neighbouring features, over all places.
///
/// ```
/// use meshwright_nn::layers::norm::GroupNorm;
/// use meshwright_nn::params::Specs;
/// use meshwright_nn::tensor::prelude::*;
/// let (groups, alone) = (GroupNorm::new("groups", 16, 4), GroupNorm::instance("alone", 16));
/// let mut specs = Specs::default();
/// groups.declare(&mut specs);
/// alone.declare(&mut specs);
/// let program = trace("norms", |t| {
///     let p = specs.params(t, "params", f32);
///     alone.apply(&p, groups.apply(&p, t.input("x", f32, [2, 8, 8, 16])))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GroupNorm {
    pub path: String,
    pub features: i64,
    pub groups: i64,
    pub epsilon: f64,
}

impl GroupNorm {
    pub fn new(path: impl Into<String>, features: i64, groups: i64) -> GroupNorm {
        GroupNorm { path: path.into(), features, groups, epsilon: 1e-5 }
    }

    /// Each feature by itself.
    pub fn instance(path: impl Into<String>, features: i64) -> GroupNorm {
        GroupNorm::new(path, features, features)
    }

    pub fn declare(&self, specs: &mut Specs) {
        specs.add(join(&self.path, "scale"), [("channels", self.features)], Init::Ones);
        specs.add(join(&self.path, "bias"), [("channels", self.features)], Init::Zeros);
    }

    #[track_caller]
    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        self.of_real(p, x, None)
    }

    /// The same, where `real`, `pred[batch, spatial..]`, says which places are there: the others are no part of mean
    /// and variance.
    ///
    /// ```
    /// use meshwright_nn::layers::norm::GroupNorm;
    /// use meshwright_nn::params::Specs;
    /// use meshwright_nn::tensor::prelude::*;
    /// let norm = GroupNorm::new("norm", 16, 4);
    /// let mut specs = Specs::default();
    /// norm.declare(&mut specs);
    /// let program = trace("norm", |t| {
    ///     let (x, times) = (t.input("x", f32, [4, 10, 16]), t.input("times", i32, [4]));
    ///     let real = iota(i32, [4, 10], 1).lt(times.unsqueeze(-1));
    ///     norm.of_real(&specs.params(t, "params", f32), x, Some(real))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn of_real(&self, p: &Params, x: Tensor, real: Option<Tensor>) -> Tensor {
        if let Some((message, help)) = self.misfit(x) {
            return refuse(&[x], x.ty(), &message, help);
        }
        let wide = x.cast(wide(x.dtype()));
        let spatial: Vec<i64> = (1..x.rank() as i64 - 1).collect();
        let counts = real.map(|real| real.unsqueeze(-1));
        let mean_of = |x: Tensor| match counts {
            Some(counts) => {
                let count = counts.cast(x.dtype()).sum_keep(&spatial[..]).maximum(1.0);
                counts.select(x, 0.0).sum_keep(&spatial[..]) / count
            }
            None => x.mean_keep(&spatial[..]),
        };
        let mean = mean_of(wide);
        let spread = mean_of((wide - mean).square());
        // Of each feature first, then of its group: only what is left of places is cut into groups.
        let dims = mean.dims();
        let by_group = |x: Tensor| x.reshape([dims[0], self.groups, self.features / self.groups]);
        let by_feature = |x: Tensor| x.broadcast_to(by_group(mean).dims()).reshape(&dims[..]);
        let of_group = by_group(mean).mean_keep(-1);
        let spread = (by_group(spread) + (by_group(mean) - of_group).square()).mean_keep(-1);
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(wide.dtype());
        let factor = by_feature((spread + self.epsilon).rsqrt()) * weight("scale");
        ((wide - by_feature(of_group)) * factor + weight("bias")).cast(x.dtype())
    }

    fn misfit(&self, x: Tensor) -> Option<(String, &'static str)> {
        let (name, features, groups) = (&self.path, self.features, self.groups);
        if groups < 1 || features % groups != 0 {
            let message =
                format!("group norm `{name}`: {features} features do not divide into {groups} groups");
            return Some((message, "use a number of groups that divides the features"));
        }
        if x.rank() < 2 || x.dim(-1) != features {
            let message = format!("group norm `{name}` of {features} features is given {x:?}");
            return Some((message, "give [batch, spatial.., features]"));
        }
        let places: i64 = x.dims()[1..x.rank() - 1].iter().product();
        let count = places * (features / groups);
        (count < 2).then(|| {
            let message = format!(
                "group norm `{name}` over {count} element: each of the {groups} groups of {x:?} has so many, and no variance"
            );
            (message, "use fewer groups, or normalize where there are more places")
        })
    }
}
