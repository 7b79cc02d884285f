//! Beginning with another run's weights: what can be taken by name, and a report of what cannot.

use super::{Checkpoint, Element, Region, Role, finite};
use meshwright_base::Diagnostic;
use std::fmt;

/// Where weights can be taken from: a checkpoint, or a folder of another library.
pub trait Weights {
    /// Name, type and whole shape of each.
    fn weights(&self) -> Vec<(String, Element, Vec<usize>)>;
    /// The type and shape of a tensor, weight or not.
    fn tensor(&self, name: &str) -> Option<(Element, &[usize])>;
    /// The bytes of a box of a tensor. Floats that are not finite are refused.
    fn read(&mut self, name: &str, region: &Region) -> Result<Vec<u8>, Diagnostic>;
}

impl Weights for Checkpoint {
    fn weights(&self) -> Vec<(String, Element, Vec<usize>)> {
        let weights = self.tensors().filter(|(_, role, ..)| *role == Role::Weight);
        weights.map(|(name, _, element, shape)| (name.to_string(), element, shape.to_vec())).collect()
    }

    fn tensor(&self, name: &str) -> Option<(Element, &[usize])> {
        self.tensors().find(|(known, ..)| *known == name).map(|(_, _, element, shape)| (element, shape))
    }

    fn read(&mut self, name: &str, region: &Region) -> Result<Vec<u8>, Diagnostic> {
        let bytes = Checkpoint::read(self, name, region)?;
        if let Some((element, _)) = self.tensor(name) {
            finite(name, &self.path().display().to_string(), element, &bytes)?;
        }
        Ok(bytes)
    }
}

/// A weight that the model wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub name: String,
    pub element: Element,
    pub shape: Vec<usize>,
}

/// What is taken, and everything that is not, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InitReport {
    pub taken: Vec<String>,
    /// Wanted and not there: they begin as the model's initializers say.
    pub missing: Vec<String>,
    /// There in another shape or element type.
    pub different: Vec<String>,
    /// There and not wanted.
    pub unused: Vec<String>,
}

/// Holds what is wanted against the weights that are there. Optimizer state is never taken.
pub fn plan_init(wanted: &[Wanted], from: &dyn Weights) -> InitReport {
    let there = from.weights();
    let mut report = InitReport::default();
    for want in wanted {
        match there.iter().find(|(name, ..)| *name == want.name) {
            None => report.missing.push(want.name.clone()),
            Some((_, element, shape)) if are_alike(*element, want.element) && *shape == want.shape => {
                report.taken.push(want.name.clone());
            }
            Some((_, element, shape)) => report.different.push(format!(
                "{}: {} {shape:?} there, {} {:?} wanted",
                want.name,
                element.word(),
                want.element.word(),
                want.shape
            )),
        }
    }
    let is_wanted = |name: &str| wanted.iter().any(|want| want.name == name);
    report.unused = there.into_iter().map(|(name, ..)| name).filter(|name| !is_wanted(name)).collect();
    report
}

/// Floats are taken in any width: rounded to the nearest, where the model's are narrower.
pub fn are_alike(there: Element, wanted: Element) -> bool {
    let is_float = |element| matches!(element, Element::Bf16 | Element::F32 | Element::F64);
    there == wanted || is_float(there) && is_float(wanted)
}

impl InitReport {
    /// In a line, without names.
    pub fn summary(&self) -> String {
        let wanted = self.taken.len() + self.missing.len() + self.different.len();
        let kinds = self.kinds().into_iter().filter(|(_, names)| !names.is_empty());
        let rest: String = kinds.map(|(what, names)| format!(", {} {what}", names.len())).collect();
        format!("took {} of {wanted} weights{rest}", self.taken.len())
    }

    fn kinds(&self) -> [(&'static str, &Vec<String>); 3] {
        [
            ("begin fresh", &self.missing),
            ("differ and begin fresh", &self.different),
            ("are not used", &self.unused),
        ]
    }
}

/// The names of all that is not taken.
impl fmt::Display for InitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, names) in self.kinds().into_iter().filter(|(_, names)| !names.is_empty()) {
            writeln!(f, "{} {what}:", names.len())?;
            names.iter().try_for_each(|name| writeln!(f, "  {name}"))?;
        }
        Ok(())
    }
}
