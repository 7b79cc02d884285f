//! What is shown of examples that a model has not learnt from.

use super::samples::Sample;

/// A drawing of what a model makes of examples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The file beside the report.
    pub file: String,
    pub title: String,
    pub svg: String,
}

/// How many examples are told in a line each.
pub(super) const SAMPLES: usize = 8;

/// Some examples, with what a model makes of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    pub samples: Vec<Sample>,
    pub pictures: Vec<Picture>,
}

/// What a program says of a batch, by name.
pub(super) struct Found(pub(super) Vec<(String, Vec<f64>)>);

impl Found {
    /// Nothing, if it is not said.
    pub(super) fn get(&self, name: &str) -> &[f64] {
        self.0.iter().find(|(known, _)| known == name).map_or(&[], |(_, numbers)| numbers)
    }
}
