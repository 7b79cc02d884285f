//! What a module is made of: how often each op stands in it.

use crate::module::Module;
use meshwright_base::arrange::Arrange;
use std::collections::BTreeMap;
use std::fmt;

/// Number of instructions by mnemonic, regions included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary(pub BTreeMap<&'static str, usize>);

/// Count the instructions of all functions.
pub fn summary(module: &Module) -> Summary {
    let mut counts = BTreeMap::new();
    for func in module.funcs.values() {
        for inst in func.insts_in_order() {
            *counts.entry(func.inst(inst).op.mnemonic()).or_default() += 1;
        }
    }
    Summary(counts)
}

impl Summary {
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// How often an op stands in the module.
    pub fn of(&self, mnemonic: &str) -> usize {
        self.0.get(mnemonic).copied().unwrap_or(0)
    }
}

impl fmt::Display for Summary {
    /// One line per op, most frequent first: `  12 add`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<_> = self.0.iter().collect();
        rows.arrange_by_key(|(name, count)| (std::cmp::Reverse(**count), **name));
        rows.into_iter().try_for_each(|(name, count)| writeln!(f, "{count:6} {name}"))
    }
}
