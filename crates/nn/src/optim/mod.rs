//! Optimizers: from gradients and their own states to new parameters.
//!
//! States are named `SLOT.PARAM` and keep the names of the dims, so that they are split as their parameters are. The
//! step counts from 1 and is a float scalar; the rate comes from a [`schedule`].

pub mod adafactor;
pub mod adam;
pub mod clip;
pub mod schedule;
pub mod stored;

use crate::params::{Spec, Specs};
use adafactor::Adafactor;
use adam::Adam;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// The choice of an optimizer.
#[derive(Clone, Debug)]
pub enum Optimizer {
    /// Gradient descent, with momentum if it is not 0.
    Sgd {
        momentum: f64,
    },
    Adam(Adam),
    Adafactor(Adafactor),
}

/// A state of one parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    pub name: &'static str,
    pub dims: Vec<(&'static str, i64)>,
}

impl Optimizer {
    /// The states that a parameter needs; all begin with zeros.
    pub fn slots(&self, spec: &Spec) -> Vec<Slot> {
        let whole = |name| Slot { name, dims: spec.dims.clone() };
        match self {
            Optimizer::Sgd { momentum } if *momentum == 0.0 => Vec::new(),
            Optimizer::Sgd { .. } => vec![whole("momentum")],
            Optimizer::Adam(_) => vec![whole("mean"), whole("square")],
            Optimizer::Adafactor(adafactor) => adafactor.slots(spec),
        }
    }

    /// All states of a model's parameters as states of a step, in the order of the parameters.
    pub fn states(&self, t: Trace, specs: &Specs, dtype: DType) -> Vec<Vec<(String, Tensor)>> {
        let one = |spec: &Spec| {
            let state = |slot: Slot| {
                let name = format!("{}.{}", slot.name, spec.name);
                (name.clone(), t.state(&name, dtype, &slot.dims))
            };
            self.slots(spec).into_iter().map(state).collect()
        };
        specs.list.iter().map(one).collect()
    }

    /// A parameter and its states after a step.
    pub fn update(
        &self,
        spec: &Spec,
        (w, gradient): (Tensor, Tensor),
        states: &[Tensor],
        (step, rate): (Tensor, Tensor),
    ) -> (Tensor, Vec<Tensor>) {
        match (self, states) {
            (Optimizer::Sgd { momentum }, [v]) => {
                let v = *v * *momentum + gradient;
                (w - rate * v, vec![v])
            }
            (Optimizer::Sgd { .. }, _) => (w - rate * gradient, Vec::new()),
            (Optimizer::Adam(adam), states) => adam.update((w, gradient), states, (step, rate)),
            (Optimizer::Adafactor(adafactor), states) => {
                adafactor.update(spec, (w, gradient), states, (step, rate))
            }
        }
    }
}
