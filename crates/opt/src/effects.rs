//! Which instructions may be dropped, merged or moved over others: facts of their ops (`ir::op::Facts`), with those of
//! what is in their regions and in the functions they name.

use meshwright_base::{Id, IdMap};
use meshwright_ir::{FuncId, Function, InstId, Module};

/// What running something may do besides making its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Does {
    has_effect: bool,
    is_drawn: bool,
}

impl Does {
    const BOTH: Does = Does { has_effect: true, is_drawn: true };

    fn and(self, other: Does) -> Does {
        Does { has_effect: self.has_effect || other.has_effect, is_drawn: self.is_drawn || other.is_drawn }
    }
}

/// What the functions of a module do besides. It stays true while passes take away, move and repeat what they may.
pub struct Effects {
    funcs: IdMap<FuncId, Does>,
}

impl Effects {
    pub fn of(module: &Module) -> Effects {
        if module.funcs.len() == 1 {
            // Nobody calls it, but perhaps it itself.
            return Effects { funcs: IdMap::filled(1, Does::BOTH) };
        }
        let mut funcs = IdMap::filled(module.funcs.len(), Does::default());
        let mut callers: IdMap<FuncId, Vec<FuncId>> = IdMap::filled(module.funcs.len(), Vec::new());
        let mut work: Vec<FuncId> = Vec::new();
        for (id, func) in module.funcs.iter() {
            for inst in func.insts_in_order() {
                let op = &func.inst(inst).op;
                funcs[id] = funcs[id].and(itself(func, inst));
                for callee in op.callees().iter().filter(|callee| callee.index() < module.funcs.len()) {
                    callers[*callee].push(id);
                }
            }
            work.extend((funcs[id] != Does::default()).then_some(id));
        }
        while let Some(callee) = work.pop() {
            for caller in &callers[callee] {
                let more = funcs[*caller].and(funcs[callee]);
                if more != funcs[*caller] {
                    funcs[*caller] = more;
                    work.push(*caller);
                }
            }
        }
        Effects { funcs }
    }

    /// Whether an instruction does something besides making its results.
    pub fn has_effect(&self, func: &Function, inst: InstId) -> bool {
        self.does(func, inst).has_effect
    }

    /// Whether two equal instructions always make equal results, and do nothing else.
    pub fn is_pure(&self, func: &Function, inst: InstId) -> bool {
        self.does(func, inst) == Does::default()
    }

    fn does(&self, func: &Function, inst: InstId) -> Does {
        let info = func.inst(inst);
        if info.regions.is_empty() && !info.op.facts().refers {
            return itself(func, inst);
        }
        let callees = info.op.callees().iter();
        let called = callees.map(|callee| self.funcs.get(*callee).copied().unwrap_or(Does::BOTH));
        let inside = info.regions.iter().flat_map(|region| &func.block(*region).insts);
        inside.map(|inner| self.does(func, *inner)).chain(called).fold(itself(func, inst), Does::and)
    }
}

/// Whether two equal instructions always make equal results, and do nothing else, as far as the function shows: an op
/// that names another function may do anything.
pub fn is_pure(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let mut inside = info.regions.iter().flat_map(|region| &func.block(*region).insts);
    itself(func, inst) == Does::default()
        && info.op.callees().is_empty()
        && inside.all(|inner| is_pure(func, *inner))
}

fn itself(func: &Function, inst: InstId) -> Does {
    let facts = func.inst(inst).op.facts();
    Does { has_effect: facts.has_effect, is_drawn: facts.is_drawn }
}
