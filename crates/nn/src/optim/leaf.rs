//! What a rule knows of a leaf besides its numbers: where it stands and what its dims mean.

use crate::params::Spec;
use meshwright_tensor::prelude::*;

/// Dims over layers that lie in one pile: over the stages of a pipeline, rounds through them, layers of a stage.
const PILES: [&str; 3] = ["stage", "round", "layer"];

/// A leaf of the tree of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    /// Its place in the tree, `net.dense.w`.
    pub name: String,
    /// Names and sizes of its dims; a dim without a name has an empty one.
    pub dims: Vec<(String, i64)>,
}

/// A state of a leaf.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    pub name: String,
    pub dims: Vec<(String, i64)>,
}

impl Leaf {
    pub fn of(name: &str, x: Tensor) -> Leaf {
        let called = |name: Option<std::sync::Arc<str>>| name.map_or(String::new(), |name| name.to_string());
        let dims = x.names().into_iter().map(called).zip(x.dims()).collect();
        Leaf { name: name.to_string(), dims }
    }

    /// Dims that are not over experts or stacked layers: a slice over those is a parameter of its own.
    pub fn own_dims(&self) -> Vec<usize> {
        let own = |dim: &usize| self.dims[*dim].0 != "expert" && !self.is_pile(*dim);
        (0..self.dims.len()).filter(own).collect()
    }

    fn is_pile(&self, dim: usize) -> bool {
        PILES.contains(&self.dims[dim].0.as_str())
    }

    /// Whether it is a matrix, or a pile of them.
    pub fn is_matrix(&self) -> bool {
        self.own_dims().len() == 2
    }

    pub fn names(&self) -> Vec<&str> {
        self.dims.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// A state of the leaf's dims.
    pub fn slot(&self, name: &str) -> Slot {
        Slot { name: name.to_string(), dims: self.dims.clone() }
    }

    /// A state without one of the leaf's dims.
    pub fn slot_without(&self, name: &str, dim: usize) -> Slot {
        let mut slot = self.slot(name);
        slot.dims.remove(dim);
        slot
    }

    /// The mean over all elements, of each of stacked layers for itself: they are parameters of their own.
    pub fn mean(&self, x: Tensor) -> Tensor {
        let piles = (0..self.dims.len()).take_while(|dim| self.is_pile(*dim)).count();
        match piles {
            0 => x.mean(..),
            piles => x.mean_keep((piles as i64..x.rank() as i64).collect::<Vec<_>>()),
        }
    }
}

impl From<&Spec> for Leaf {
    fn from(spec: &Spec) -> Leaf {
        let dims = spec.dims.iter().map(|(name, size)| (name.to_string(), *size)).collect();
        Leaf { name: spec.name.clone(), dims }
    }
}

impl Slot {
    pub fn names(&self) -> Vec<&str> {
        self.dims.iter().map(|(name, _)| name.as_str()).collect()
    }

    pub fn sizes(&self) -> Vec<i64> {
        self.dims.iter().map(|(_, size)| *size).collect()
    }
}
