//! From what a user writes to a value: `%e.1`, `%e` (all dims), `e.1`, `%r#1.0`, `@callee:%e.1`.

use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::{Def, FuncId, Function, Module, ValueId};

const NO_VALUE: Code = Code(620);
const NO_DIM: Code = Code(621);

/// A value, and one dim of it or all.
pub struct Question {
    pub func: FuncId,
    pub value: ValueId,
    pub name: String,
    pub dim: Option<usize>,
}

/// The value that is meant. A whole name is preferred, as names of HLO end in numbers too.
pub fn find(module: &Module, asked: &str) -> Result<Question, Diagnostic> {
    let (within, rest) = match asked.strip_prefix('@').and_then(|rest| rest.split_once(':')) {
        Some((func, rest)) => (Some(func), rest),
        None => (None, asked),
    };
    let named = named_values(module, within);
    let bare = rest.trim().trim_start_matches('%');
    if let Some((func, value, name)) = named.iter().find(|(_, _, name)| name == bare) {
        return Ok(Question { func: *func, value: *value, name: format!("%{name}"), dim: None });
    }
    let split = bare.rsplit_once('.').and_then(|(name, dim)| Some((name, dim.parse::<usize>().ok()?)));
    let found = split.and_then(|(name, dim)| Some((named.iter().find(|(_, _, known)| known == name)?, dim)));
    let Some(((func, value, name), dim)) = found else {
        return Err(unknown(asked, split.map_or(bare, |(name, _)| name), &named));
    };
    let rank = module.funcs[*func].dims(*value).len();
    if dim >= rank {
        let message = format!("`%{name}` has {rank} dims, so no dim {dim}");
        let help = match rank {
            0 => "a scalar is never split".to_string(),
            _ => format!("dims are counted from 0 to {}", rank - 1),
        };
        return Err(Diagnostic::error(NO_DIM, message).help(help));
    }
    Ok(Question { func: *func, value: *value, name: format!("%{name}"), dim: Some(dim) })
}

type Named = (FuncId, ValueId, String);

/// The values of one function or all, the entry's first, with their names.
fn named_values(module: &Module, within: Option<&str>) -> Vec<Named> {
    let others = module.funcs.keys().filter(|id| *id != module.entry);
    let funcs = std::iter::once(module.entry).chain(others);
    let wanted = funcs.filter(|id| within.is_none_or(|name| *module.funcs[*id].name == *name));
    wanted
        .flat_map(|id| values(&module.funcs[id]).into_iter().map(move |(value, name)| (id, value, name)))
        .collect()
}

/// Values in program order with the names texts give them.
fn values(func: &Function) -> Vec<(ValueId, String)> {
    let mut found = Vec::new();
    for block in func.blocks_in_order() {
        let insts = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
        let all = func.block(block).params.iter().chain(insts);
        found.extend(all.filter_map(|value| Some((*value, name(func, *value)?))));
    }
    found
}

fn name(func: &Function, value: ValueId) -> Option<String> {
    let info = func.value(value);
    match (&info.name, info.def) {
        (Some(name), _) => Some(name.to_string()),
        (None, Def::Result { inst, index }) => {
            func.inst(inst).name.as_ref().map(|name| format!("{name}#{index}"))
        }
        (None, Def::Param { .. }) => None,
    }
}

fn unknown(asked: &str, name: &str, named: &[Named]) -> Diagnostic {
    let near = near(name, named);
    let help = match near.as_slice() {
        [] => "`meshwright complete FILE` prints every value with its name".to_string(),
        names => format!("there are {}", names.join(", ")),
    };
    Diagnostic::error(
        NO_VALUE,
        format!("no value is called `{asked}`; the module has {} named values", named.len()),
    )
    .help(help)
}

/// Up to five names that differ least: those with the name as a part first, then by edits.
fn near(name: &str, named: &[Named]) -> Vec<String> {
    const MOST: usize = 5;
    let mut scored: Vec<(usize, usize, &str)> = Vec::new();
    for (at, (_, _, known)) in named.iter().enumerate() {
        let part = known.contains(name) || name.contains(known.as_str());
        let edits = edits(name, known);
        if (part && !name.is_empty()) || edits <= 2.max(name.len() / 3) {
            scored.push((edits, at, known));
        }
    }
    scored.arrange();
    scored.dedup_by_key(|(.., known)| *known);
    scored.into_iter().take(MOST).map(|(.., known)| format!("`%{known}`")).collect()
}

/// Number of single-character edits between two names; names too long to compare are far apart.
fn edits(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (cell, to) in row.iter_mut().skip(1).zip(b) {
            let swap = diagonal + usize::from(from != to);
            diagonal = *cell;
            left = swap.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
