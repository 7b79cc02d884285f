//! From what a user writes to values: `%e.1`, `%e` (all dims), `@callee:%e.1`, and the names of the user's own program:
//! `p['blocks'][0]['w1']` (with `*` for any number), `block_0/attn/dot_general`, `model.py:31`.

use crate::trace::{called, name_of};
use meshwright_base::arrange::Arrange;
use meshwright_base::nearest::{distance, is_slip};
use meshwright_base::{Ask, Code, Diagnostic};
use meshwright_ir::{FuncId, Function, Module, Source, ValueId};
use std::collections::BTreeSet;

const NO_VALUE: Code = Code(620);
const NO_DIM: Code = Code(621);

/// A value, and one dim of it or all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub func: FuncId,
    pub value: ValueId,
    pub name: String,
    pub dim: Option<usize>,
}

/// The values that are meant, at least one. A whole name is preferred, as names of HLO end in numbers too.
pub fn find(module: &Module, asked: &str) -> Result<Vec<Question>, Diagnostic> {
    let (within, rest) = match asked.strip_prefix('@').and_then(|rest| rest.split_once(':')) {
        Some((func, rest)) => (Some(func), rest),
        None => (None, asked),
    };
    let named = named_values(module, within);
    let bare = rest.trim();
    let all = matching(module, &named, bare);
    if !all.is_empty() {
        return Ok(all.into_iter().map(|of| question(module, of, None)).collect());
    }
    let split = bare.rsplit_once('.').and_then(|(name, dim)| Some((name, dim.parse::<usize>().ok()?)));
    let found = split.map(|(name, dim)| (matching(module, &named, name), dim));
    let Some((all, dim)) = found.filter(|(all, _)| !all.is_empty()) else {
        let name = split.map_or(bare, |(name, _)| name).trim_start_matches('%');
        return Err(unknown(asked, name, module, &named));
    };
    let rank = |of: &Named| module.funcs[of.0].dims(of.1).len();
    if all.iter().all(|of| dim >= rank(of)) {
        let (name, rank) = (question(module, all[0], None).name, rank(all[0]));
        let message = format!("`{name}` has {rank} dims, so no dim {dim}");
        let help = match rank {
            0 => "a scalar is never split".to_string(),
            _ => format!("dims are counted from 0 to {}", rank - 1),
        };
        return Err(Diagnostic::error(NO_DIM, message).help(help));
    }
    Ok(all.into_iter().filter(|of| dim < rank(of)).map(|of| question(module, of, Some(dim))).collect())
}

/// A parameter by what the user's program calls it.
fn question(module: &Module, (func, value, name): &Named, dim: Option<usize>) -> Question {
    let main = module.main();
    let index = main.param_values().iter().position(|param| param == value).filter(|_| *func == module.entry);
    let name = index.and_then(|index| called(main, index)).unwrap_or_else(|| format!("%{name}"));
    Question { func: *func, value: *value, name, dim }
}

/// Values of this name: of the text, else of the framework, else of an op, else of a line.
fn matching<'n>(module: &Module, named: &'n [Named], asked: &str) -> Vec<&'n Named> {
    let bare = asked.trim_start_matches('%');
    if let Some(one) = named.iter().find(|(_, _, name)| name == bare) {
        return vec![one];
    }
    let main = module.main();
    let by_call = |(func, value, _): &&Named| {
        let index = main.param_values().iter().position(|param| param == value);
        let name = index.filter(|_| *func == module.entry).and_then(|index| called(main, index));
        name.is_some_and(|name| is_like(asked, &name))
    };
    let found: Vec<&Named> = named.iter().filter(by_call).collect();
    if !found.is_empty() {
        return found;
    }
    let source = |(func, value, _): &&Named| {
        let inst = module.funcs[*func].def_inst(*value)?;
        module.sources.get(module.funcs[*func].inst(inst).source)
    };
    let has_dims = |(func, value, _): &&Named| !module.funcs[*func].dims(*value).is_empty();
    let by_op = |of: &&Named| {
        let name = source(of).and_then(|source| source.op_name.as_deref());
        name.is_some_and(|name| {
            name == asked || name.strip_suffix(asked).is_some_and(|before| before.ends_with('/'))
        })
    };
    let found: Vec<&Named> = named.iter().filter(by_op).filter(has_dims).collect();
    if !found.is_empty() {
        return found;
    }
    let Some((file, line)) = as_line(asked) else { return Vec::new() };
    let at_line = |of: &&Named| {
        let frame = source(of).and_then(|source| source.frames.first());
        frame.is_some_and(|frame| is_file(&frame.file, file) && frame.line == line)
    };
    named.iter().filter(at_line).filter(has_dims).collect()
}

/// A line of a file, as in `model.py:31`.
fn as_line(asked: &str) -> Option<(&str, u32)> {
    let (file, line) = asked.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// Whether a file is the one that is asked for, by its name or by the end of its path.
fn is_file(path: &str, asked: &str) -> bool {
    path == asked || path.strip_suffix(asked).is_some_and(|before| before.ends_with('/'))
}

/// Whether a name is what is asked for, `*` being any number.
fn is_like(asked: &str, name: &str) -> bool {
    let Some((before, after)) = asked.split_once('*') else { return asked == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=digits).any(|count| is_like(after, &rest[count..]))
}

/// Function, value, and its name without `%`.
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
        let name = |value: ValueId| Some(name_of(func, value).strip_prefix('%')?.to_string());
        found.extend(all.filter_map(|value| Some((*value, name(*value)?))));
    }
    found
}

/// Whether parameters have the names of the user's program, or ops their lines.
fn has_names(module: &Module) -> bool {
    let main = module.main();
    (0..main.param_values().len()).any(|index| called(main, index).is_some())
}

/// Names that an unknown one may have been meant to be.
const MOST: usize = 5;

fn unknown(asked: &str, name: &str, module: &Module, named: &[Named]) -> Diagnostic {
    let is_of_source = name.contains(['[', ':', '.']);
    let near = near_lines(asked, module, named).unwrap_or_else(|| {
        let (given, ops) = (near_params(name, module), near_ops(asked, module, named));
        let known = given.into_iter().chain(ops).chain(near_values(name, named));
        known.take(MOST).map(|known| format!("`{known}`")).collect()
    });
    let help = match near.as_slice() {
        _ if is_of_source && !has_names(module) => {
            "this module tells no names or lines of the program it is of: in JAX, `lowered.as_text(debug_info=True)` writes them".into()
        }
        [] => {
            let all = Ask::Either { line: "meshwright complete FILE", python: "print(explanation.completed)" };
            let does = Ask::Either { line: "prints", python: "shows" };
            format!("`{all}` {does} every value with its name")
        }
        names => format!("there are {}", names.join(", ")),
    };
    Diagnostic::error(NO_VALUE, format!("no value is called `{asked}`")).help(help)
}

/// Parameters that are called alike, or have the name as a part.
fn near_params(name: &str, module: &Module) -> Vec<String> {
    let main = module.main();
    let given = (0..main.param_values().len()).filter_map(|index| called(main, index));
    let is_near = |known: &String| !name.is_empty() && (known.contains(name) || distance(name, known) <= 3);
    given.filter(is_near).take(3).collect()
}

/// The values that differ least: those with the name as a part, and those that a slip away from it.
fn near_values(name: &str, named: &[Named]) -> Vec<String> {
    let mut scored: Vec<(usize, usize, &str)> = Vec::new();
    for (at, (_, _, known)) in named.iter().enumerate() {
        let is_part = !name.is_empty() && (known.contains(name) || name.contains(known.as_str()));
        let edits = distance(name, known);
        // A slip makes any name of one or two letters out of another.
        let tells = known.len() > 2 || name.len() <= 2;
        if is_part || tells && is_slip(edits, name.len()) {
            scored.push((edits, at, known));
        }
    }
    scored.arrange();
    // Functions have values of the same names.
    let mut told: BTreeSet<&str> = BTreeSet::new();
    scored
        .into_iter()
        .filter(|(.., known)| told.insert(known))
        .map(|(.., known)| format!("%{known}"))
        .collect()
}

/// What tensors are made at: ops and lines of the user's program.
fn sources<'m>(module: &'m Module, named: &[Named]) -> impl Iterator<Item = &'m Source> {
    named.iter().filter_map(|(func, value, _)| {
        let func = &module.funcs[*func];
        let inst = func.def_inst(*value).filter(|_| !func.dims(*value).is_empty())?;
        module.sources.get(func.inst(inst).source)
    })
}

/// If a line is asked for: those nearest to it in its file, else the files whose names differ least.
fn near_lines(asked: &str, module: &Module, named: &[Named]) -> Option<Vec<String>> {
    let (file, line) = as_line(asked)?;
    let frames = || sources(module, named).filter_map(|source| source.frames.first());
    let lines: BTreeSet<u32> =
        frames().filter(|frame| is_file(&frame.file, file)).map(|frame| frame.line).collect();
    if lines.is_empty() {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
        let files: BTreeSet<String> = frames().map(|frame| last(&frame.file)).collect();
        let mut scored: Vec<(usize, String)> =
            files.into_iter().map(|known| (distance(&last(file), &known), known)).collect();
        scored.arrange();
        return Some(scored.into_iter().take(MOST).map(|(_, known)| format!("`{known}`")).collect());
    }
    let mut lines: Vec<u32> = lines.into_iter().collect();
    lines.arrange_by_key(|known| known.abs_diff(line));
    lines.truncate(MOST);
    lines.arrange();
    Some(lines.into_iter().map(|known| format!("`{file}:{known}`")).collect())
}

/// Ops whose scopes or names are a slip away from what is asked, told from there on: `attention/dot_general` for
/// `atention`.
fn near_ops(asked: &str, module: &Module, named: &[Named]) -> Vec<String> {
    let parts = asked.split('/').count();
    let mut scored: Vec<(usize, usize, &str)> = Vec::new();
    for (at, name) in sources(module, named).filter_map(|source| source.op_name.as_deref()).enumerate() {
        let starts: Vec<usize> =
            std::iter::once(0).chain(name.match_indices('/').map(|(slash, _)| slash + 1)).collect();
        for (first, start) in starts.iter().enumerate() {
            let end = starts.get(first + parts).map_or(name.len(), |next| next - 1);
            let edits = distance(asked, &name[*start..end]);
            if first + parts <= starts.len() && asked.len() > 2 && is_slip(edits, asked.len()) {
                scored.push((edits, at, &name[*start..]));
            }
        }
    }
    scored.arrange();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    scored.into_iter().filter(|(.., known)| told.insert(known)).map(|(.., known)| known.to_string()).collect()
}
