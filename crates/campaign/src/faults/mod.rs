//! Deliberate faults: ways a partitioner could be wrong, put into its output.
//!
//! A campaign that does not notice them would prove nothing. Each fault looks at one instruction the partitioner added
//! and says how to spoil it; which of several such instructions is spoilt follows from the case's number. Types stay as
//! they are, so that only the numbers can tell.

mod change;
mod halo;
mod local;
mod planned;

use change::{Change, apply};
use meshwright_base::Id;
use meshwright_ir::{FuncId, Function, InstId, Module};

/// At which stage a fault is put in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// Global shapes, explicit reshards: after padding and resharding.
    Planned,
    /// Local shapes, explicit collectives: after localization.
    Local,
}

/// One instruction among the partitioner's.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    module: &'a Module,
    func: &'a Function,
    inst: InstId,
    /// Instructions from here on are the partitioner's.
    added_from: usize,
}

/// Its name, and what it changes at a site that it is possible at.
type FaultRow = (&'static str, fn(Site<'_>) -> Option<Change>);

/// A way to be wrong.
pub struct Fault {
    pub name: &'static str,
    pub place: Where,
    spoil: fn(Site<'_>) -> Option<Change>,
}

/// All of them.
pub fn faults() -> Vec<Fault> {
    let of = |place| {
        move |(name, spoil): &(&'static str, fn(Site<'_>) -> Option<Change>)| Fault {
            name,
            place,
            spoil: *spoil,
        }
    };
    let planned = planned::FAULTS.iter().map(of(Where::Planned));
    let local = local::FAULTS.iter().chain(halo::FAULTS).map(of(Where::Local));
    planned.chain(local).collect()
}

/// The fault of that name.
pub fn fault(name: &str) -> Option<Fault> {
    faults().into_iter().find(|fault| fault.name == name)
}

impl Fault {
    /// Spoil one of the instructions that can be; false if there is none.
    ///
    /// `before` tells how many instructions each function had before the partitioner added its own.
    pub fn apply(&self, module: &mut Module, before: &[usize], pick: usize) -> bool {
        let mut found: Vec<(FuncId, InstId, Change)> = Vec::new();
        for (id, func) in module.funcs.iter() {
            let added_from = before.get(id.index()).copied().unwrap_or(0);
            let added = func.insts_in_order().into_iter().filter(|inst| inst.index() >= added_from);
            let spoilt = |inst| (self.spoil)(Site { module, func, inst, added_from });
            found.extend(added.filter_map(|inst| Some((id, inst, spoilt(inst)?))));
        }
        if found.is_empty() {
            return false;
        }
        let (id, inst, change) = found.swap_remove(pick % found.len());
        apply(&mut module.funcs[id], inst, change);
        true
    }
}
