//! Names of one computation, each once.
//!
//! After reading, [`name_values`] gives a name to every value that is used but has none in the text (part of a tuple
//! that is never taken apart, a step of a bitcast), so that printing and reading again changes no name.

use super::computation::whole_result;
use meshwright_base::Id;
use meshwright_ir::{BlockId, Editor, Function, ValueId};
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

/// Which values some instruction or block uses.
pub(super) fn used_values(func: &Function) -> Vec<bool> {
    let mut used = vec![false; func.value_count()];
    for block in func.blocks_in_order() {
        let block = func.block(block);
        let operands = block.insts.iter().flat_map(|inst| &func.inst(*inst).operands);
        operands.chain(&block.results).for_each(|value| used[value.index()] = true);
    }
    used
}

/// Parameters and results of a block's own instructions, in order.
pub(super) fn defined_in(func: &Function, block: BlockId) -> impl Iterator<Item = ValueId> + '_ {
    let block = func.block(block);
    let results = block.insts.iter().flat_map(|inst| func.inst(*inst).results.iter());
    block.params.iter().chain(results).copied()
}

/// Name every value that is used, and make names that clash within their block differ. Names can only clash where
/// computations were put in line. `keeps_root`: what the function returns is not put into other tuples.
pub(super) fn name_values(func: &mut Function, has_inlined: bool, keeps_root: bool) {
    let used = used_values(func);
    for block in func.blocks_in_order() {
        // An instruction that is the root as it stands is not taken apart.
        let root = if keeps_root || block != func.root() { whole_result(func, block) } else { None };
        let whole = root.map_or(Vec::new(), |inst| func.inst(inst).results.clone());
        let is_used = |value: ValueId| used[value.index()] && !whole.contains(&value);
        let is_nameless = |value: ValueId| func.value(value).name.is_none() && is_used(value);
        if !has_inlined && !defined_in(func, block).any(is_nameless) {
            continue;
        }
        let mut names = Names::default();
        let (mut unnamed, mut renamed) = (Vec::new(), Vec::new());
        for value in defined_in(func, block) {
            match &func.value(value).name {
                Some(name) if names.taken.contains(&**name) => {
                    renamed.push((value, names.numbered(&clean(name))))
                }
                Some(name) => drop(names.taken.insert((&**name).into())),
                None if is_used(value) => unnamed.push(value),
                None => {}
            }
        }
        for value in unnamed {
            let holder = func.def_inst(value).and_then(|inst| func.inst(inst).name.as_deref());
            renamed.push((value, names.fresh(holder.unwrap_or("part"))));
        }
        for (value, name) in renamed {
            Editor::new(func).set_name(value, Some((&*name).into()));
        }
    }
}
