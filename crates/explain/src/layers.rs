//! The layers of a program, as its author sees them: scopes of the framework's op names, or functions in functions.
//!
//! ```text
//! jit(step)/jvp(Model)/block_3/attn/dot_general             ->  Model/block_#/attn, number 3
//! jit(step)/jvp()/dot_general, in `attn` called by `block`  ->  block/attn
//! ```
//!
//! Transformations (`jvp`, `transpose`, `jit`) and loops are no scopes: the derivative of a layer belongs to it. Layers
//! that differ by numbers alone are one. Where no scope is named, the call stack is the scope, without the functions
//! that all ops are in, and lines tell how often a layer is there.

use crate::model::{Layer, Site};
use crate::trace::{Input, site_of};
use crate::walk::each_run;
use meshwright_ir::{Frame, Module, Source, SourceId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What belongs to no layer: what stages add without being asked by an instruction.
const ELSEWHERE: &str = "elsewhere";

/// What has neither a scope nor a function.
pub const MAIN: &str = "main";

/// Layers, and which one a place of the input is in.
pub struct Layers {
    pub list: Vec<Layer>,
    of_source: BTreeMap<SourceId, usize>,
    elsewhere: usize,
}

/// An op at a line, by its framework's name and ours.
type Line = (Option<Site>, Option<Arc<str>>, &'static str);

/// What is counted of a layer to know how often it is there.
#[derive(Default)]
struct Seen {
    numbers: BTreeSet<String>,
    lines: BTreeMap<Line, usize>,
    sites: BTreeSet<(Arc<str>, u32)>,
}

impl Layers {
    pub fn of(input: &Input) -> Layers {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        let (mut names, mut seen, mut of_source) = (Vec::new(), Vec::<Seen>::new(), BTreeMap::new());
        let scopes = Scopes::of(&input.module);
        each_run(&input.module, &mut |func, inst, _| {
            let info = func.inst(inst);
            let Some(source) = input.source(info.source) else { return };
            let (name, number) = scopes.scope(source);
            let at = *by_name.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                seen.push(Seen::default());
                names.len() - 1
            });
            of_source.insert(info.source, at);
            let of = &mut seen[at];
            of.numbers.insert(number);
            let site = site_of(source);
            of.sites.extend(site.iter().map(|site| (site.file.clone(), site.line)));
            // What is called twice is there twice.
            *of.lines.entry((site, source.op_name.clone(), info.op.mnemonic())).or_default() += 1;
        });
        let layer = |(name, seen): (String, Seen)| Layer {
            instances: if scopes.is_outer(&name) { 1 } else { instances(&seen) },
            name,
            sites: seen.sites.into_iter().map(plain_site).collect(),
            ..Layer::default()
        };
        let mut list: Vec<Layer> = names.into_iter().zip(seen).map(layer).collect();
        list.push(Layer { name: ELSEWHERE.into(), instances: 1, ..Layer::default() });
        let elsewhere = list.len() - 1;
        Layers { list, of_source, elsewhere }
    }

    pub fn at(&self, source: SourceId) -> usize {
        self.of_source.get(&source).copied().unwrap_or(self.elsewhere)
    }

    pub fn elsewhere(&self) -> usize {
        self.elsewhere
    }

    /// Returns the layers, without the last one, `elsewhere`, if it is empty and no node, live value or event is in it.
    pub fn finish(mut self, mut members: impl Iterator<Item = usize>) -> Vec<Layer> {
        let is_empty = |layer: &Layer| layer.instructions == 0 && layer.collectives.is_empty();
        if is_empty(&self.list[self.elsewhere]) && members.all(|layer| layer != self.elsewhere) {
            self.list.pop();
        }
        self.list
    }
}

fn plain_site((file, line): (Arc<str>, u32)) -> Site {
    Site { file, line, function: None, column: 0, end_column: 0 }
}

/// Numbers that were folded, or what each line is there for at least: of the forward pass, as the first layer may have
/// no gradient of what it is given.
fn instances(seen: &Seen) -> usize {
    let named = seen.numbers.iter().filter(|number| !number.is_empty()).count();
    if named > 0 {
        return named;
    }
    let known = || seen.lines.iter().filter(|((site, ..), _)| site.is_some());
    let is_forward =
        |((_, name, _), _): &(&Line, &usize)| name.as_deref().is_none_or(|name| !name.contains("transpose("));
    let forward = known().filter(is_forward).map(|(_, count)| *count).min();
    forward.or_else(|| known().map(|(_, count)| *count).min()).unwrap_or(1).max(1)
}

/// How scopes are read in one program.
pub struct Scopes {
    /// Functions that all its ops are in, the outermost first.
    common: Vec<String>,
}

impl Scopes {
    pub fn of(module: &Module) -> Scopes {
        let mut common: Option<Vec<String>> = None;
        for func in module.funcs.values() {
            for inst in func.insts_in_order() {
                let Some(source) = module.sources.get(func.inst(inst).source) else { continue };
                let stack = stack(&source.frames);
                if stack.is_empty() {
                    continue;
                }
                match &mut common {
                    None => common = Some(stack),
                    Some(common) => {
                        let same = common.iter().zip(&stack).take_while(|(a, b)| a == b).count();
                        common.truncate(same);
                    }
                }
            }
        }
        Scopes { common: common.unwrap_or_default() }
    }

    /// The scope with `#` for numbers, and the numbers.
    pub fn scope(&self, source: &Source) -> (String, String) {
        let named = source.op_name.as_deref().map(scope_of_name).unwrap_or_default();
        if !named.is_empty() {
            return folded(&named.join("/"));
        }
        let stack = stack(&source.frames);
        let inner = stack.get(self.common.len()..).filter(|inner| !inner.is_empty());
        (inner.map_or_else(|| self.outer().to_string(), |inner| inner.join("/")), String::new())
    }

    /// The function that is around all others, if there is one.
    fn outer(&self) -> &str {
        self.common.last().map_or(MAIN, String::as_str)
    }

    /// Whether a scope is that of what is in none.
    pub fn is_outer(&self, name: &str) -> bool {
        name == self.outer()
    }
}

/// The functions of a call stack, the outermost first: what is written within another by its own name, a comprehension
/// as what it is written in.
fn stack(frames: &[Frame]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for function in frames.iter().rev().filter_map(|frame| frame.function.as_deref()) {
        let Some(name) = innermost_name(function) else { continue };
        if names.last().is_none_or(|last| last != name) {
            names.push(name.to_string());
        }
    }
    names
}

/// The last function of a qualified name that has a name of its own.
fn innermost_name(function: &str) -> Option<&str> {
    if !function.contains('<') {
        return Some(function);
    }
    let parts = function.split(".<locals>.").flat_map(|part| part.split("<locals>."));
    parts.filter(|part| !part.starts_with('<') || *part == "<lambda>").last()
}

/// Digits as `#`, and the digits.
pub fn folded(name: &str) -> (String, String) {
    let (mut out, mut numbers) = (String::new(), String::new());
    let mut in_number = false;
    for letter in name.chars() {
        if letter.is_ascii_digit() {
            out.push_str(if in_number { "" } else { "#" });
            numbers.push_str(if in_number || numbers.is_empty() { "" } else { "." });
            numbers.push(letter);
        } else {
            out.push(letter);
        }
        in_number = letter.is_ascii_digit();
    }
    (out, numbers)
}

/// A name of the user's data with `#` for places in lists and numbers behind a separator. Digits of a word belong to
/// it: `p['layers'][3]['w1']` is `p['layers'][#]['w1']`.
pub fn folded_name(name: &str) -> String {
    let (mut out, mut before, mut is_folded) = (String::new(), None::<char>, false);
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if before.is_some_and(|before| before.is_ascii_digit()) {
            out.extend((!is_folded).then_some(letter));
        } else {
            is_folded = !before.is_some_and(char::is_alphabetic);
            out.push(if is_folded { '#' } else { letter });
        }
        before = Some(letter);
    }
    out
}

/// The scopes of an op's name, its last part (the op) left out.
pub fn scope_of_name(name: &str) -> Vec<&str> {
    let mut parts = split_outside(name);
    parts.pop();
    parts.into_iter().flat_map(scopes).collect()
}

/// At slashes that are in no brackets.
fn split_outside(name: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (at, letter) in name.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '/' if depth == 0 => {
                parts.push(&name[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&name[start..]);
    parts
}

/// What of a part is a scope: not transformations, which scopes stand within, and not how frameworks write loops.
fn scopes(part: &str) -> Vec<&str> {
    const STRUCTURE: [&str; 13] = [
        "while",
        "body",
        "cond",
        "scan",
        "closed_call",
        "core_call",
        "checkpoint",
        "remat",
        "rematted_computation",
        "custom_jvp_call",
        "custom_vjp_call",
        "shard_map",
        "pjit",
    ];
    if let Some((of, inner)) = part.strip_suffix(')').and_then(|part| part.split_once('(')) {
        let is_function = matches!(of, "jit" | "pjit");
        return if is_function {
            Vec::new()
        } else {
            split_outside(inner).into_iter().flat_map(scopes).collect()
        };
    }
    let is_branch = part.starts_with("branch_") && part.ends_with("_fun");
    // As a framework names what an einsum becomes.
    let is_einsum = part.contains("->");
    if part.is_empty() || is_branch || is_einsum || STRUCTURE.contains(&part) {
        Vec::new()
    } else {
        vec![part]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope_of(name: &str) -> (String, String) {
        let scopes = Scopes { common: Vec::new() };
        scopes.scope(&Source { op_name: Some(name.into()), ..Source::default() })
    }

    fn called(functions: &[&str]) -> Source {
        let frame = |function: &&str| Frame {
            file: "train.py".into(),
            function: Some((*function).into()),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
        };
        Source { frames: functions.iter().map(frame).collect(), ..Source::default() }
    }

    #[test]
    fn functions_that_are_not_around_all_are_scopes() {
        let scopes = Scopes { common: vec!["main".into(), "step".into()] };
        let of = |functions: &[&str]| scopes.scope(&called(functions)).0;
        assert_eq!(of(&["attn", "block", "loss", "step", "main", "<module>"]), "loss/block/attn");
        assert_eq!(of(&["loss.<locals>.<listcomp>", "loss", "step", "main"]), "loss");
        assert_eq!(of(&["adam.<locals>.<lambda>", "adam", "step", "main"]), "adam/<lambda>");
        assert_eq!(of(&["step", "main"]), "step");
        assert!(scopes.is_outer("step") && !scopes.is_outer("loss"));
        assert_eq!(Scopes { common: Vec::new() }.scope(&called(&["<module>"])).0, MAIN);
    }

    #[test]
    fn a_scope_is_what_the_author_named() {
        let of = |name: &str| scope_of(name).0;
        assert_eq!(of("jit(step)/jvp(Model)/block_3/attn/dot_general"), "Model/block_#/attn");
        assert_eq!(of("jit(step)/transpose(jvp(Model))/block_11/attn/dot_general"), "Model/block_#/attn");
        assert_eq!(of("jit(step)/transpose(jvp(Model/block_2))/add_any"), "Model/block_#");
        assert_eq!(of("jit(step)/while/body/closed_call/mlp/mul"), "mlp");
        assert_eq!(of("jit(step)/mul"), "main");
        assert_eq!(of("jit(step)/jvp(bsd,dnk->bsnk)/dot_general"), "main");
    }

    #[test]
    fn numbers_tell_layers_apart() {
        assert_eq!(folded("block_12/head_3"), ("block_#/head_#".into(), "12.3".into()));
        assert_eq!(folded("attn"), ("attn".into(), String::new()));
        assert_eq!(folded_name("p['layers'][12]['w1']"), "p['layers'][#]['w1']");
        assert_eq!(folded_name("block_12.h10.3"), "block_#.h10.#");
    }
}
