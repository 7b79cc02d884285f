//! What is legal and hardly meant: told when the trace ends, at the line it is about.
//!
//! | slip | becomes |
//! |---|---|
//! | a state that no result replaces, or one of another type | an error |
//! | a row of the rules that no dim follows, while a dim of nearly that name has no row | an error |
//! | other such rows; inputs that nothing uses | a note |
//! | a loss that does not use a weight | a note |

use crate::codes;
use crate::mesh::Cut;
use crate::rules::NamedCut;
use crate::state::{self, InputInfo, Line, Role, State, place};
use meshwright_base::diagnostic::Place;
use meshwright_base::nearest::suggest;
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::{Function, ValueId};

/// Names shorter than this are near to any other.
const SHORTEST: usize = 4;

/// Names that a message lists.
const MOST: usize = 8;

impl State {
    /// Every state must be a result of its type.
    pub(crate) fn replaced(&mut self, results: &[u32], names: &[String], line: Line) {
        let states: Vec<(InputInfo, Line)> =
            self.inputs.iter().cloned().zip(self.lines.iter().copied()).collect();
        for (info, made) in states.into_iter().filter(|(info, _)| info.role == Role::State) {
            match names.iter().position(|name| **name == *info.name) {
                Some(at) => self.same_type(&info, made, results[at], line),
                None => self.never_returned(&info, made, names),
            }
        }
    }

    fn same_type(&mut self, info: &InputInfo, made: Line, result: u32, line: Line) {
        let Some(entry) = self.entries.get(result as usize).filter(|entry| !entry.poisoned) else { return };
        if entry.ty == info.ty {
            return;
        }
        let message = format!("state `{}` is {}, but its new value is {}", info.name, info.ty, entry.ty);
        let diagnostic = Diagnostic::error(codes::NAME, message)
            .at_place(Some(self.made_at(entry.value).unwrap_or_else(|| place(line))))
            .label(Some(place(made)), format!("state `{}`", info.name))
            .help("return a value of the state's shape and element type, or under another name");
        self.report(line, diagnostic);
    }

    /// The line of the op that made a value of the entry function.
    fn made_at(&self, value: ValueId) -> Option<Place> {
        let main = self.module.main();
        let insts = main.block(main.root()).insts.iter().map(|inst| main.inst(*inst));
        let made = insts.rev().find(|inst| inst.results.contains(&value))?;
        let frame = self.module.sources.get(made.source)?.frames.first()?;
        Some(Place::Source { file: frame.file.to_string(), line: frame.line, column: frame.column })
    }

    fn never_returned(&mut self, info: &InputInfo, made: Line, names: &[String]) {
        let message = format!("no result replaces state `{}`", info.name);
        let meant =
            suggest(&info.name, names.iter().map(String::as_str)).filter(|_| info.name.len() >= SHORTEST);
        let more = if names.len() > MOST { ", .." } else { "" };
        let results: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
        let help = format!(
            "return its next value under its name, `[(\"{}\", ..)]`; what never changes is a `param`",
            info.name
        );
        let note = format!(
            "the results are {}{more}{}",
            results.join(", "),
            meant.map_or(String::new(), |meant| format!("; {meant}"))
        );
        self.report(made, Diagnostic::error(codes::NAME, message).note(note).help(help));
    }

    /// Every row of the rules that says something should have a dim that follows it.
    pub(crate) fn followed(&mut self) {
        let Some(rules) = self.rules.clone() else { return };
        let says = |row: &&NamedCut| !matches!(row.cut, Cut::Open | Cut::Whole);
        let idle: Vec<&NamedCut> =
            rules.table.iter().filter(says).filter(|row| !self.dim_names.contains(row.dim())).collect();
        let free = self.dim_names.iter().filter(|name| !rules.table.iter().any(|row| row.dim() == &***name));
        let free: Vec<&str> = free.map(|name| &**name).filter(|name| name.len() >= SHORTEST).collect();
        let mut far = Vec::new();
        let mut near = Vec::new();
        for row in idle {
            match suggest(row.dim(), free.iter().copied()).filter(|_| row.dim().len() >= SHORTEST) {
                Some(meant) => near.push((row, meant)),
                None => far.push(row),
            }
        }
        for (row, meant) in near {
            let message = format!("the rules split dims called `{}`, but no tensor has one", row.name);
            let help =
                "name the dim so, or give the other name a row of its own (`OPEN` if it is to stay as it is)";
            let diagnostic = Diagnostic::error(codes::NAME, message).note(meant).help(help);
            self.report(row.line, diagnostic.at_place(Some(place(row.line))));
        }
        self.notes.extend(unfollowed(&far));
    }
}

fn unfollowed(rows: &[&NamedCut]) -> Option<Diagnostic> {
    let first = rows.first()?;
    let names: Vec<String> = rows.iter().map(|row| format!("`{}`", row.name)).collect();
    let message = format!("the rules split dims called {}, but no tensor has one", names.join(", "));
    let note = Diagnostic::note_only(codes::NAME, message).at_place(Some(place(first.line)));
    Some(note.help("name dims so where tensors are made, or leave the rows out"))
}

/// Inputs and parameters that nothing uses.
pub(crate) fn unused(state: &State) -> Vec<Diagnostic> {
    let main = state.module.main();
    let used = used_values(main);
    let inputs = state.inputs.iter().zip(&state.lines).zip(main.param_values());
    let forgotten = inputs.filter(|((input, _), value)| input.role != Role::State && used[**value] == 0);
    let note = |(input, line): (&InputInfo, &Line)| {
        let what = if input.role == Role::Param { "parameter" } else { "input" };
        Diagnostic::note_only(codes::NAME, format!("{what} `{}` is used nowhere", input.name))
            .at_place(Some(place(line)))
            .help("use it, or do not make it: it must be given at every run")
    };
    forgotten.map(|(forgotten, _)| note(forgotten)).collect()
}

/// How often each value of a function is used.
pub(crate) fn used_values(func: &Function) -> IdMap<ValueId, usize> {
    let mut used = IdMap::filled(func.value_count(), 0);
    let insts = func.insts_in_order();
    let operands = insts.iter().flat_map(|inst| &func.inst(*inst).operands);
    let blocks = func.blocks_in_order();
    let returned = blocks.iter().flat_map(|block| &func.block(*block).results);
    operands.chain(returned).for_each(|value| used[*value] += 1);
    used
}

/// Weights that a loss does not use at all.
pub(crate) fn no_gradient(loss: meshwright_ir::FuncId, paths: &[String], line: Line) {
    state::with(|state| {
        let func = &state.module.funcs[loss];
        let used = used_values(func);
        let idle = paths.iter().zip(func.param_values()).filter(|(_, value)| used[**value] == 0);
        let named =
            |path: &str| if path.is_empty() { "its argument".to_string() } else { format!("`{path}`") };
        let names: Vec<String> = idle.map(|(path, _)| named(path)).collect();
        if !names.is_empty() && names.len() < paths.len().max(2) {
            let message = format!("the loss does not use {}: the gradient is 0", names.join(", "));
            let note = Diagnostic::note_only(codes::GRADIENT, message).at_place(Some(place(line)));
            state
                .notes
                .push(note.help("use it in the closure, from the closure's argument, or leave it out"));
        }
    });
}
