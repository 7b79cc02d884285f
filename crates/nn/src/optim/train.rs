//! A training step of one's own weights and loss: any tree, any loss.
//!
//! ```
//! use meshwright_nn::layers::dense::Dense;
//! use meshwright_nn::optim::Optimizer;
//! use meshwright_nn::tensor::prelude::*;
//! let adam = Optimizer::adam(1e-3);
//! let net = || Dense::new(Key::seed(1), 4, 2);
//! let first = trace("first", |_| adam.first("net", net()))?;
//! let step = trace("step", |t| {
//!     let (x, y) = (t.input("x", f32, [8, 4]), t.input("y", f32, [8, 2]));
//!     adam.train(t, "net", net(), |net| (net.apply(x) - y).square().mean(..))
//! })?;
//! let names: Vec<&str> = step.results().iter().map(|result| &*result.name).collect();
//! assert_eq!(names[..4], ["loss", "step.net", "net.w", "net.b"]);
//! assert_eq!(first.results().len() + 1, names.len()); // all but the loss
//! # Ok::<(), Errors>(())
//! ```

use super::Optimizer;
use meshwright_tensor::prelude::*;

/// Results by name.
pub type Named = Vec<(String, Tensor)>;

impl Optimizer {
    /// One step on weights that are shaped as `like`. Results: what `loss` gives, of which the first is minimized
    /// (called `loss` if it is one tensor); `gradient_norm` if there is a clip; and under the names of the states
    /// `step.NAME`, weights and the optimizer's states.
    #[track_caller]
    pub fn train<P: Tree, R: Tree>(&self, t: Trace, name: &str, like: P, loss: impl FnOnce(P) -> R) -> Named {
        let before = t.state(&steps(name), i32, ());
        let weights = t.states(name, like);
        let states = self.states(t, name, &weights);
        let (found, gradients) = value_and_grad(weights.map(&mut |x| x), loss);
        let mut out = Named::new();
        found.visit("", &mut |path, x| {
            out.push((if path.is_empty() { "loss".to_string() } else { path.to_string() }, x));
        });
        let (gradients, norm) = match self.clip {
            Some(_) => {
                let (gradients, norm) = self.clipped(gradients);
                (gradients, Some(("gradient_norm".to_string(), norm)))
            }
            None => (gradients, None),
        };
        let step = before + 1;
        let (weights, states) = self.step(name, &weights, &gradients, &states, step);
        out.extend(norm);
        out.push((steps(name), step));
        weights.visit(name, &mut |path, x| out.push((path.to_string(), x)));
        out.extend(states.list);
        out
    }

    /// All states of [`train`](Optimizer::train) before the first step: the weights as given, everything else 0.
    pub fn first<P: Tree>(&self, name: &str, weights: P) -> Named {
        let mut out = vec![(steps(name), scalar(i32, 0))];
        weights.visit(name, &mut |path, x| out.push((path.to_string(), x)));
        out.extend(self.zeros(name, &weights).list);
        out
    }
}

fn steps(name: &str) -> String {
    format!("step.{name}")
}
