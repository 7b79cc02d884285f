//! Beginning with another run's weights: what can be taken by name, and a report of what cannot.

use super::{Checkpoint, Element, Role};
use std::fmt;

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

/// Holds what is wanted against the weights of a checkpoint. Optimizer state is never taken.
pub fn plan_init(wanted: &[Wanted], checkpoint: &Checkpoint) -> InitReport {
    let there = || checkpoint.tensors().filter(|(_, role, ..)| *role == Role::Weight);
    let mut report = InitReport::default();
    for want in wanted {
        match there().find(|(name, ..)| *name == want.name) {
            None => report.missing.push(want.name.clone()),
            Some((_, _, element, shape)) if fits(element, want.element) && shape == want.shape => {
                report.taken.push(want.name.clone());
            }
            Some((_, _, element, shape)) => report.different.push(format!(
                "{}: {} {shape:?} there, {} {:?} wanted",
                want.name,
                element.word(),
                want.element.word(),
                want.shape
            )),
        }
    }
    let is_wanted = |name: &str| wanted.iter().any(|want| want.name == name);
    report.unused = there().map(|(name, ..)| name.to_string()).filter(|name| !is_wanted(name)).collect();
    report
}

/// Floats are taken in any width: rounded to the nearest, where the model's are narrower.
fn fits(there: Element, wanted: Element) -> bool {
    let is_float = |element| matches!(element, Element::Bf16 | Element::F32 | Element::F64);
    there == wanted || is_float(there) && is_float(wanted)
}

impl fmt::Display for InitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = self.taken.len() + self.missing.len() + self.different.len();
        writeln!(f, "took {} of {wanted} weights", self.taken.len())?;
        let kinds = [
            ("begin fresh", &self.missing),
            ("differ and begin fresh", &self.different),
            ("are not used", &self.unused),
        ];
        for (what, names) in kinds.into_iter().filter(|(_, names)| !names.is_empty()) {
            writeln!(f, "{} {what}:", names.len())?;
            names.iter().try_for_each(|name| writeln!(f, "  {name}"))?;
        }
        Ok(())
    }
}
