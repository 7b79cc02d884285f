//! Batch normalization: each feature by its mean and variance over the batch and all places.
//!
//! ```text
//! training     y = (x - mean(batch)) / sqrt(variance(batch) + epsilon) scale + bias     mean' = keep mean + (1 - keep) mean(batch)
//! afterwards   y = (x - mean) / sqrt(variance + epsilon) scale + bias
//! ```
//!
//! Places that are padding can be left out of mean and variance. The batch is the whole one, on however many devices it
//! lies: a mean over a split dim is a sum over devices. Running averages are parameters that are statistics: named,
//! drawn, split and saved as weights are, and put in place by the step, not by an optimizer.

use crate::init::Init;
use crate::layers::attention::wide;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// Sizes of a batch normalization.
///
/// ```
/// use meshwright_nn::layers::batch_norm::{BatchNorm, Statistics};
/// use meshwright_nn::layers::conv::Conv;
/// use meshwright_nn::optim::Optimizer;
/// use meshwright_nn::params::{Params, Specs};
/// use meshwright_nn::tensor::prelude::*;
/// let (conv, norm) = (Conv::new("conv", [3, 3], 1, 8), BatchNorm::new("norm", 8));
/// let mut specs = Specs::default();
/// conv.declare(&mut specs);
/// norm.declare(&mut specs);
/// let (weights, running) = specs.parted();
/// #[derive(Tree)]
/// struct Found {
///     loss: Tensor,
///     net: Params, // called as the running averages are, it takes their place
/// }
/// let step = trace("step", |t| {
///     let x = t.input("x", f32, [4, 6, 6, 1]);
///     let running = running.states(t, "net", f32);
///     let like = weights.draw(Key::seed(1), f32);
///     Optimizer::adam(1e-3).train(t, "net", like, |p| {
///         let all = Params { list: [p.list, running.list.clone()].concat() };
///         let mut statistics = Statistics::of_batch();
///         let y = norm.apply(&all, conv.apply(&all, x), &mut statistics).relu();
///         Found { loss: y.square().mean(..), net: statistics.new }
///     })
/// })?;
/// let names: Vec<&str> = step.results().iter().map(|result| &*result.name).collect();
/// assert_eq!(names[..5], ["loss", "net.norm.mean", "net.norm.variance", "step.net", "net.conv.kernel"]);
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct BatchNorm {
    pub path: String,
    pub features: i64,
    pub epsilon: f64,
    /// How much running averages keep in a step.
    pub keep: f64,
}

/// What batch norms normalize by, and what they learn of it.
#[derive(Clone, Debug)]
pub struct Statistics {
    of_batch: bool,
    /// New values of running averages, by the names of the parameters they are to replace. What is collected in the
    /// body of a loop is returned from it.
    pub new: Params,
}

impl Statistics {
    /// By the batch, in training.
    pub fn of_batch() -> Statistics {
        Statistics { of_batch: true, new: Params::default() }
    }

    /// By the running averages, afterwards.
    pub fn running() -> Statistics {
        Statistics { of_batch: false, new: Params::default() }
    }

    /// The same way, with nothing collected: for the body of a loop.
    pub fn fresh(&self) -> Statistics {
        Statistics { of_batch: self.of_batch, new: Params::default() }
    }

    /// By the batch if `key` says that this is training.
    pub fn by_key(key: Option<Key>) -> Statistics {
        if key.is_some() { Statistics::of_batch() } else { Statistics::running() }
    }
}

impl BatchNorm {
    /// Averages that keep nine tenths in a step.
    pub fn new(path: impl Into<String>, features: i64) -> BatchNorm {
        BatchNorm { path: path.into(), features, epsilon: 1e-5, keep: 0.9 }
    }

    pub fn declare(&self, specs: &mut Specs) {
        let dims = [("channels", self.features)];
        specs.add(join(&self.path, "scale"), dims, Init::Ones);
        specs.add(join(&self.path, "bias"), dims, Init::Zeros);
        specs.add_statistic(join(&self.path, "mean"), dims, Init::Zeros);
        specs.add_statistic(join(&self.path, "variance"), dims, Init::Ones);
    }

    /// `[batch, spatial.., features]`. Computed in `f32` at least, and given back in the type of `x`.
    #[track_caller]
    pub fn apply(&self, p: &Params, x: Tensor, statistics: &mut Statistics) -> Tensor {
        self.of_real(p, x, None, statistics)
    }

    /// The same, where `real`, `pred[batch, spatial..]`, says which places are there: the others are no part of mean
    /// and variance.
    ///
    /// ```
    /// use meshwright_nn::layers::batch_norm::{BatchNorm, Statistics};
    /// use meshwright_nn::params::Specs;
    /// use meshwright_nn::tensor::prelude::*;
    /// let norm = BatchNorm::new("norm", 8);
    /// let mut specs = Specs::default();
    /// norm.declare(&mut specs);
    /// let program = trace("norm", |t| {
    ///     let (x, times) = (t.input("x", f32, [4, 10, 8]), t.input("times", i32, [4]));
    ///     let real = iota(i32, [4, 10], 1).lt(times.unsqueeze(-1));
    ///     norm.of_real(&specs.params(t, "params", f32), x, Some(real), &mut Statistics::of_batch())
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn of_real(
        &self,
        p: &Params,
        x: Tensor,
        real: Option<Tensor>,
        statistics: &mut Statistics,
    ) -> Tensor {
        if let Some((message, help)) = self.misfit(x, statistics.of_batch) {
            return refuse(&[x], x.ty(), &message, help);
        }
        let dtype = wide(x.dtype());
        let [scale, bias, mean, variance] =
            ["scale", "bias", "mean", "variance"].map(|name| p.get(&join(&self.path, name)).cast(dtype));
        let wide = x.cast(dtype);
        let (mean, variance) = if statistics.of_batch {
            self.learn(wide, real, [mean, variance], statistics)
        } else {
            (mean, variance)
        };
        ((wide - mean) * ((variance + self.epsilon).rsqrt() * scale) + bias).cast(x.dtype())
    }

    /// Mean and variance of a batch, of which the running averages learn. As theirs is to be that of all data, they are
    /// told the variance that a sample lets expect: by one element less.
    fn learn(
        &self,
        x: Tensor,
        real: Option<Tensor>,
        [mean, variance]: [Tensor; 2],
        statistics: &mut Statistics,
    ) -> (Tensor, Tensor) {
        let all: Vec<i64> = (0..x.rank() as i64 - 1).collect();
        let (now, spread, sample) = match real {
            None => {
                let count = (x.elements() / self.features.max(1)) as f64;
                let now = x.mean(&all[..]);
                let spread = (x - now).square().mean(&all[..]);
                (now, spread, spread * (count / (count - 1.0)))
            }
            Some(real) => {
                let count = real.cast(x.dtype()).sum(..);
                let counts = real.unsqueeze(-1);
                let sum = |x: Tensor| counts.select(x, 0.0).sum(&all[..]);
                let now = sum(x) / count.maximum(1.0);
                let square = sum((x - now).square());
                (now, square / count.maximum(1.0), square / (count - 1.0).maximum(1.0))
            }
        };
        let learnt = |old: Tensor, new: Tensor| {
            (old * self.keep + new.stop_gradient() * (1.0 - self.keep)).logical(["channels"])
        };
        let name = |what: &str| join(&self.path, what);
        statistics
            .new
            .list
            .extend([(name("mean"), learnt(mean, now)), (name("variance"), learnt(variance, sample))]);
        (now, spread)
    }

    fn misfit(&self, x: Tensor, of_batch: bool) -> Option<(String, &'static str)> {
        let (name, features) = (&self.path, self.features);
        if x.rank() < 2 || x.dim(-1) != features {
            let message = format!("batch norm `{name}` of {features} features is given {x:?}");
            return Some((message, "give [batch, spatial.., features]"));
        }
        let count = x.elements() / features.max(1);
        (of_batch && count < 2).then(|| {
            let message = format!(
                "batch norm `{name}` over {count} element: {x:?} has so many for each of its {features} features, and no variance"
            );
            (message, "use a larger batch or image, or group norm")
        })
    }
}
