//! Rule 7: who calls whom, and that no call comes back.

use super::Report;
use crate::codes;
use crate::module::{FuncId, InstId, Module};
use meshwright_base::IdMap;

/// The calls of a module, collected by the walks.
pub(super) struct Calls {
    of: IdMap<FuncId, Vec<(FuncId, InstId)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

impl Calls {
    pub fn new(module: &Module) -> Self {
        Calls { of: IdMap::filled(module.funcs.len(), Vec::new()) }
    }

    pub fn add(&mut self, caller: FuncId, callee: FuncId, inst: InstId) {
        self.of[caller].push((callee, inst));
    }

    /// A depth-first walk; a call of a function that is still open closes a circle.
    pub fn check(&self, report: &mut Report<'_>) {
        let mut states = IdMap::filled(self.of.len(), State::New);
        for start in self.of.keys() {
            let mut stack = vec![(start, 0)];
            while let Some((func, at)) = stack.last_mut() {
                let func = *func;
                states[func] = if states[func] == State::New { State::Open } else { states[func] };
                let Some(&(callee, inst)) = self.of[func].get(*at).filter(|_| states[func] == State::Open)
                else {
                    states[func] = State::Done;
                    stack.pop();
                    continue;
                };
                *at += 1;
                match states.get(callee) {
                    None => {
                        let message = "the called function does not exist";
                        report.at_inst(codes::CALL, func, inst, message, None);
                    }
                    Some(State::New) => stack.push((callee, 0)),
                    Some(State::Done) => {}
                    Some(State::Open) => {
                        let message = circle(report.module, &stack, callee);
                        report.at_inst(
                            codes::CALL,
                            func,
                            inst,
                            message,
                            Some("write the recursion as a loop".into()),
                        );
                    }
                }
            }
        }
    }
}

/// `` `@f` calls `@g` calls `@f` ``.
fn circle(module: &Module, stack: &[(FuncId, usize)], callee: FuncId) -> String {
    let open = stack.iter().map(|(func, _)| *func).skip_while(|func| *func != callee);
    let names: Vec<_> = open.chain([callee]).map(|func| format!("`@{}`", module.funcs[func].name)).collect();
    format!("{} is a recursion", names.join(" calls "))
}
