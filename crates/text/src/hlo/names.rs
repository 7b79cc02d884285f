//! Names of one computation, each once.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Names {
    // lookup only: which names are taken
    taken: HashSet<Rc<str>>,
    /// Last number given after each base.
    last: BTreeMap<Rc<str>, usize>,
}

impl Names {
    /// This name, made fit for HLO; with a number after it if it is taken.
    pub fn unique(&mut self, wanted: &str) -> Rc<str> {
        let wanted = clean(wanted);
        if self.taken.insert(wanted.clone()) { wanted } else { self.numbered(&wanted) }
    }

    /// A name made from a word.
    pub fn fresh(&mut self, base: &str) -> Rc<str> {
        self.numbered(&clean(base))
    }

    fn numbered(&mut self, base: &Rc<str>) -> Rc<str> {
        let last = self.last.entry(base.clone()).or_default();
        loop {
            *last += 1;
            let name: Rc<str> = format!("{base}.{last}").into();
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Only letters, digits, `_`, `.` and `-`, and a letter or `_` first.
pub(super) fn clean(name: &str) -> Rc<str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.chars().all(fits) && name.starts_with(starts) {
        return name.into();
    }
    let kept: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if kept.starts_with(starts) { kept.into() } else { format!("v{kept}").into() }
}
