//! The program in execution order: instructions with their edges, regions between entry and exit, callees at their
//! calls.
//!
//! Every function is walked once, at its first call (callees that are called more than once were copied before); those
//! that nobody calls come last. The walk keeps its own stack, so its depth is not bounded by the thread's.

use crate::edges::{Edge, Edges, edges_of, return_edges};
use meshwright_base::IdMap;
use meshwright_ir::{BlockId, FuncId, InstId, Module};

/// One stop of the walk.
pub(crate) enum Stop {
    /// An instruction that flows by its rule.
    Rule(FuncId, InstId),
    /// Edges, with the instruction they belong to (`None`: the return of the function).
    Edges(FuncId, Option<InstId>, Vec<Edge>),
}

enum Task {
    Block(FuncId, BlockId, usize),
    Exit(FuncId, InstId, Vec<Edge>),
    Return(FuncId),
}

/// Visit the whole module.
pub(crate) fn walk(module: &Module, mut visit: impl FnMut(Stop)) {
    let mut walk = ProgramWalk { module, stack: Vec::new(), seen: IdMap::filled(module.funcs.len(), false) };
    for func in std::iter::once(module.entry).chain(module.funcs.keys()) {
        walk.enter(func);
        while let Some(task) = walk.stack.pop() {
            walk.run(task, &mut visit);
        }
    }
}

struct ProgramWalk<'a> {
    module: &'a Module,
    stack: Vec<Task>,
    seen: IdMap<FuncId, bool>,
}

impl ProgramWalk<'_> {
    fn enter(&mut self, func: FuncId) {
        if !std::mem::replace(&mut self.seen[func], true) {
            self.stack.push(Task::Return(func));
            self.stack.push(Task::Block(func, self.module.funcs[func].root(), 0));
        }
    }

    fn run(&mut self, task: Task, visit: &mut impl FnMut(Stop)) {
        match task {
            Task::Return(func) => visit(Stop::Edges(func, None, return_edges(self.module, func))),
            Task::Exit(func, inst, edges) => visit(Stop::Edges(func, Some(inst), edges)),
            Task::Block(func, block, at) => {
                let Some(inst) = self.module.funcs[func].block(block).insts.get(at) else { return };
                self.stack.push(Task::Block(func, block, at + 1));
                self.inst(func, *inst, visit);
            }
        }
    }

    fn inst(&mut self, func: FuncId, inst: InstId, visit: &mut impl FnMut(Stop)) {
        let Edges { entry, exit, callee, enters_regions, replaces_rule } = edges_of(self.module, func, inst);
        if !replaces_rule {
            visit(Stop::Rule(func, inst));
        }
        if !entry.is_empty() {
            visit(Stop::Edges(func, Some(inst), entry));
        }
        if !exit.is_empty() {
            self.stack.push(Task::Exit(func, inst, exit));
        }
        if enters_regions {
            let regions = self.module.funcs[func].inst(inst).regions.iter().rev();
            self.stack.extend(regions.map(|region| Task::Block(func, *region, 0)));
        }
        if let Some(callee) = callee {
            self.enter(callee);
        }
    }
}
