//! Which computations nobody names: they are functions too, which are kept though nothing calls them.
//!
//! Only names are looked at. Computations that name each other in a circle, and that nothing else names, are nobody's:
//! they could never run, and are told.

use super::lex::{Piece, fault};
use super::outline::{Outline, RawAttr, RawComputation};
use crate::codes;
use meshwright_base::{Diagnostic, LookupMap};

/// Attributes that name computations, one or a list.
const NAMING: [&str; 11] = [
    "to_apply",
    "calls",
    "condition",
    "body",
    "true_computation",
    "false_computation",
    "branch_computations",
    "called_computation",
    "called_computations",
    "select",
    "scatter",
];

/// Computations besides the entry that no instruction names, in the order of the text.
pub(super) fn unnamed(outline: &Outline<'_>, entry: usize) -> Vec<usize> {
    let by_name = by_name(outline);
    let mut named = vec![false; outline.computations.len()];
    for index in outline.computations.iter().flat_map(|computation| uses(outline, &by_name, computation)) {
        named[index] = true;
    }
    let unnamed = named.iter().enumerate().filter(|(index, named)| !**named && *index != entry);
    unnamed.map(|(index, _)| index).collect()
}

/// Computations that no root leads to: each is named, but only by others of them.
pub(super) fn circles(outline: &Outline<'_>, roots: &[usize]) -> Option<Diagnostic> {
    let by_name = by_name(outline);
    let mut reached = vec![false; outline.computations.len()];
    let mut open = roots.to_vec();
    while let Some(index) = open.pop() {
        if let Some(computation) = outline.computations.get(index).filter(|_| !reached[index]) {
            reached[index] = true;
            open.extend(uses(outline, &by_name, computation));
        }
    }
    let lost: Vec<Piece<'_>> =
        outline.computations.iter().zip(&reached).filter(|(_, is)| !**is).map(|(one, _)| one.name).collect();
    let first = lost.first()?;
    let shown: Vec<String> = lost.iter().take(4).map(|name| format!("`{:.60}`", name.str)).collect();
    let more = if lost.len() > 4 { format!(" and {} more", lost.len() - 4) } else { String::new() };
    let message = format!("nothing but each other names {}{more}: they could never run", shown.join(", "));
    let diagnostic = fault(codes::NEVER_RUN, first.span(), message);
    Some(diagnostic.help("name one of them in a computation that runs, or remove them"))
}

/// The computations that the instructions of one name.
fn uses<'o, 't>(
    outline: &'o Outline<'t>,
    by_name: &'o LookupMap<&'t str, usize>,
    computation: &'o RawComputation<'t>,
) -> impl Iterator<Item = usize> + 'o {
    let insts = outline.insts.get(computation.insts.clone()).unwrap_or(&[]);
    let attrs = insts.iter().flat_map(|inst| outline.attrs(inst));
    attrs.flat_map(names).filter_map(|name| by_name.get(name).copied())
}

fn by_name<'t>(outline: &Outline<'t>) -> LookupMap<&'t str, usize> {
    outline
        .computations
        .iter()
        .enumerate()
        .map(|(index, computation)| (computation.name.str, index))
        .collect()
}

/// The names in `%a` or `{%a, %b}`.
fn names<'t>(attr: &RawAttr<'t>) -> impl Iterator<Item = &'t str> {
    let list = if NAMING.contains(&attr.key.str) { attr.value.str } else { "" };
    let names = list.trim_matches(['{', '}']).split(',').map(str::trim);
    names.map(|name| name.trim_start_matches('%')).filter(|name| !name.is_empty())
}

/// Computations whose name another one before them has.
pub(super) fn twice(outline: &Outline<'_>) -> Vec<Diagnostic> {
    let mut seen: LookupMap<&str, Piece<'_>> = LookupMap::default();
    let mut found = Vec::new();
    for computation in &outline.computations {
        if seen.insert(computation.name.str, computation.name).is_some() {
            let message = format!("computation `{:.60}` is defined twice", computation.name.str);
            let diagnostic = fault(codes::DEFINED_TWICE, computation.name.span(), message);
            found.push(diagnostic.help("give one of them another name"));
        }
    }
    found
}
