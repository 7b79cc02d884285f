//! What is said of an op without derivative: which it is, and how it lies between a parameter and the loss.

use crate::codes::NOT_DIFFERENTIABLE;
use crate::tape::Tape;
use meshwright_base::{Diagnostic, LookupMap};
use meshwright_ir::op::Control;
use meshwright_ir::{Def, Function, InstId, Op, ValueId};

/// Ops named on each half of a path.
const MOST_NAMED: usize = 6;

impl Tape<'_> {
    /// Report that an instruction has no derivative.
    pub(crate) fn no_derivative(&mut self, inst: InstId) {
        let it = self.func.inst(inst);
        let message = format!("{} has no derivative, but the loss depends on it", it.op.mnemonic());
        let mut diagnostic =
            Diagnostic::error(NOT_DIFFERENTIABLE, message).at_place(self.module.place(it.source));
        if !self.func.is_public {
            diagnostic = diagnostic.note(format!("it stands in @{}, which is called", self.func.name));
        }
        if let Some(note) = self.path_from_parameter(inst) {
            diagnostic = diagnostic.note(note);
        }
        if let Some(note) = self.path_to_loss(inst) {
            diagnostic = diagnostic.note(note);
        }
        let help = help(&it.op);
        self.report(diagnostic.help(help));
    }

    /// The nearest chain of varied values that leads from a parameter to the instruction.
    fn path_from_parameter(&self, inst: InstId) -> Option<String> {
        let mut chain = Vec::new();
        let mut at = self.first_varied(inst)?;
        loop {
            match self.func.value(at).def {
                Def::Param { block, index } => match self.func.block(block).parent {
                    None => return Some(format!("it depends on parameter {index}{}", through(chain))),
                    Some(owner) => at = *self.func.inst(owner).operands.get(index)?,
                },
                Def::Result { inst, .. } => {
                    chain.insert(0, self.name(inst));
                    at = self.first_varied(inst)?;
                }
            }
            if chain.len() > self.func.inst_count() {
                return None;
            }
        }
    }

    fn first_varied(&self, inst: InstId) -> Option<ValueId> {
        self.func.inst(inst).operands.iter().copied().find(|operand| self.is_varied(*operand))
    }

    /// The chain of first users from the instruction to a returned value.
    fn path_to_loss(&self, inst: InstId) -> Option<String> {
        let users = first_users(&self.func);
        let mut chain = Vec::new();
        let mut at = inst;
        while let Some(user) =
            self.func.inst(at).results.iter().find_map(|result| users.get(result)).or_else(|| self.owner(at))
        {
            chain.push(self.name(*user));
            at = *user;
            if chain.len() > self.func.inst_count() {
                return None;
            }
        }
        Some(format!("the loss depends on it{}", through(chain)))
    }

    /// The instruction whose region an instruction stands in.
    fn owner(&self, inst: InstId) -> Option<&InstId> {
        self.func.block(self.func.block_of(inst)).parent.as_ref()
    }

    fn name(&self, inst: InstId) -> String {
        let it = self.func.inst(inst);
        let place = self.module.sources.get(it.source).and_then(|source| source.frames.first());
        match place {
            Some(frame) => format!("{} ({}:{})", it.op.mnemonic(), frame.file, frame.line),
            None => it.op.mnemonic().to_string(),
        }
    }
}

/// The first instruction that uses each value, among those that stand in the program.
fn first_users(func: &Function) -> LookupMap<ValueId, InstId> {
    let mut users = LookupMap::default();
    for inst in func.insts_in_order() {
        for operand in &func.inst(inst).operands {
            users.entry(*operand).or_insert(inst);
        }
    }
    users
}

fn through(chain: Vec<String>) -> String {
    let more = chain.len().saturating_sub(MOST_NAMED);
    let named: Vec<String> = chain.into_iter().take(MOST_NAMED).collect();
    match (named.is_empty(), more) {
        (true, _) => " directly".to_string(),
        (false, 0) => format!(" through {}", named.join(", ")),
        (false, more) => format!(" through {} and {more} more", named.join(", ")),
    }
}

fn help(op: &Op) -> &'static str {
    match op {
        Op::Control(Control::While) => {
            "give the loop a trip count that is known beforehand (a scan), or stop the gradient before it"
        }
        _ => "stop the gradient before it, or call it from a function with a derivative of its own",
    }
}
