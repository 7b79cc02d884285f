//! Parameters: declared by name, with named dims and a first value; then a tree of tensors under those names.
//!
//! ```text
//! specs "block_0.mlp.wi": expert=8, model=16, hidden=64   =>   state "params.block_0.mlp.wi" of the step
//! ```
//!
//! The names of dims are logical: a table beside the model says over which mesh axes each is split.

use crate::init::Init;
use meshwright_base::nearest::suggest;
use meshwright_ir::{DType, TensorType};
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// One parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    pub name: String,
    pub dims: Vec<(&'static str, i64)>,
    pub init: Init,
    /// It is no weight, but what is known of data, as a running average is: no gradient reaches it, no optimizer
    /// changes it, and a training step puts the model's new value in its place.
    pub is_statistic: bool,
}

impl Spec {
    /// Sizes without names.
    pub fn sizes(&self) -> Vec<i64> {
        self.dims.iter().map(|(_, size)| *size).collect()
    }

    /// Names without sizes.
    pub fn names(&self) -> Vec<&'static str> {
        self.dims.iter().map(|(name, _)| *name).collect()
    }
}

/// The parameters of a model, in the order they were declared.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Specs {
    pub list: Vec<Spec>,
}

impl Specs {
    /// Declare a parameter.
    pub fn add(&mut self, name: String, dims: impl Into<Vec<(&'static str, i64)>>, init: Init) {
        self.list.push(Spec { name, dims: dims.into(), init, is_statistic: false });
    }

    /// Declare a statistic.
    pub fn add_statistic(&mut self, name: String, dims: impl Into<Vec<(&'static str, i64)>>, init: Init) {
        self.list.push(Spec { name, dims: dims.into(), init, is_statistic: true });
    }

    /// Those that are weights, and those that are statistics.
    pub fn parted(&self) -> (Specs, Specs) {
        let (statistics, weights) = self.list.iter().cloned().partition(|spec| spec.is_statistic);
        (Specs { list: weights }, Specs { list: statistics })
    }

    /// Number of elements of all parameters.
    pub fn elements(&self) -> i64 {
        self.list.iter().map(|spec| spec.sizes().iter().product::<i64>()).sum()
    }

    /// First values, traced: parameter `i` is drawn from the key folded with `i`.
    pub fn draw(&self, key: Key, dtype: DType) -> Params {
        let one = |(at, spec): (usize, &Spec)| {
            let drawn = spec.init.draw(key.fold_in(at), dtype, &spec.sizes());
            (spec.name.clone(), drawn)
        };
        Params { list: self.list.iter().enumerate().map(one).collect() }
    }

    /// The parameters as states of a step, called `PREFIX.NAME`: the result of the same name replaces each in place.
    pub fn states(&self, t: Trace, prefix: &str, dtype: DType) -> Params {
        let one =
            |spec: &Spec| (spec.name.clone(), t.state(&format!("{prefix}.{}", spec.name), dtype, &spec.dims));
        Params { list: self.list.iter().map(one).collect() }
    }

    /// The parameters as parameters, for evaluation.
    pub fn params(&self, t: Trace, prefix: &str, dtype: DType) -> Params {
        let one = |spec: &Spec| {
            (spec.name.clone(), t.param_of(&format!("{prefix}.{}", spec.name), dtype, &spec.dims))
        };
        Params { list: self.list.iter().map(one).collect() }
    }
}

/// Tensors under names.
#[derive(Clone, Debug, Default)]
pub struct Params {
    pub list: Vec<(String, Tensor)>,
}

impl Params {
    /// A parameter. One that was never declared is an error of the trace, at the line that asks for it.
    #[track_caller]
    pub fn get(&self, name: &str) -> Tensor {
        if let Some((_, found)) = self.list.iter().find(|(known, _)| known == name) {
            return *found;
        }
        let names = || self.list.iter().map(|(name, _)| name.as_str());
        let all: Vec<&str> = names().take(8).collect();
        let more = self.list.len().saturating_sub(all.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let help = suggest(name, names()).unwrap_or_else(|| format!("there are {}{more}", all.join(", ")));
        let nothing = TensorType::new(default_float(), [0]);
        refuse(&[], nothing, &format!("no parameter is called `{name}`"), &help)
    }
}

impl Tree for Params {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        self.list.visit(path, visit);
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        Params { list: self.list.map(next) }
    }
}

/// `a.b`.
pub fn join(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}
