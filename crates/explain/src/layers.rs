//! The layers of a program, as its author sees them: scopes of the framework's op names, or functions.
//!
//! ```text
//! jit(step)/jvp(Model)/block_3/attn/dot_general   ->  Model/block_#/attn, number 3
//! jit(step)/jvp()/dot_general, in `layer`         ->  layer
//! ```
//!
//! Transformations (`jvp`, `transpose`, `jit`) and loops are no scopes: the derivative of a layer belongs to it. Layers
//! that differ by numbers alone are one. Where no scope is named, lines tell how often a layer is there.

use crate::model::{Layer, Site};
use crate::trace::{Input, site_of};
use crate::walk::each_run;
use meshwright_ir::{Source, SourceId};
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
        each_run(&input.module, &mut |func, inst, _| {
            let info = func.inst(inst);
            let Some(source) = input.source(info.source) else { return };
            let (name, number) = scope(source);
            let at = *by_name.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                seen.push(Seen::default());
                names.len() - 1
            });
            if of_source.insert(info.source, at).is_some() {
                return;
            }
            let of = &mut seen[at];
            of.numbers.insert(number);
            let site = site_of(source);
            of.sites.extend(site.iter().map(|site| (site.file.clone(), site.line)));
            *of.lines.entry((site, source.op_name.clone(), info.op.mnemonic())).or_default() += 1;
        });
        let layer = |(name, seen): (String, Seen)| Layer {
            name,
            instances: instances(&seen),
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

    /// Without what nothing is in, at the end.
    pub fn finish(mut self) -> Vec<Layer> {
        let is_used = |layer: &Layer| layer.instructions > 0 || !layer.collectives.is_empty();
        if self.list.last().is_some_and(|last| last.name == ELSEWHERE && !is_used(last)) {
            self.list.pop();
        }
        self.list
    }
}

fn plain_site((file, line): (Arc<str>, u32)) -> Site {
    Site { file, line, function: None, column: 0, end_column: 0 }
}

/// Numbers that were folded, or what each line is there for at least.
fn instances(seen: &Seen) -> usize {
    let named = seen.numbers.iter().filter(|number| !number.is_empty()).count();
    if named > 0 {
        return named;
    }
    let known = seen.lines.iter().filter(|((site, ..), _)| site.is_some());
    known.map(|(_, count)| *count).min().unwrap_or(1).max(1)
}

/// The scope with `#` for numbers, and the numbers.
pub fn scope(source: &Source) -> (String, String) {
    let named = source.op_name.as_deref().map(scope_of_name).unwrap_or_default();
    if !named.is_empty() {
        return folded(&named.join("/"));
    }
    let function = source.frames.first().and_then(|frame| frame.function.as_deref());
    let function = function.filter(|name| *name != "<module>");
    (function.unwrap_or(MAIN).to_string(), String::new())
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
        scope(&Source { op_name: Some(name.into()), ..Source::default() })
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
    }
}
