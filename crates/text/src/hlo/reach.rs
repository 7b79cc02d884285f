//! Which computations nobody names: they are functions too, which are kept though nothing calls them.
//!
//! Only names are looked at. Computations that name each other in a circle are reached by nothing that could be printed,
//! and are left out.

use super::lex::{Piece, fault};
use super::outline::{Outline, RawAttr};
use crate::codes;
use meshwright_ground::{Diagnostic, LookupMap};

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
    for attr in outline.insts.iter().flat_map(|inst| outline.attrs(inst)) {
        for name in names(attr) {
            if let Some(place) = by_name.get(name).and_then(|index| named.get_mut(*index)) {
                *place = true;
            }
        }
    }
    let unnamed = named.iter().enumerate().filter(|(index, named)| !**named && *index != entry);
    unnamed.map(|(index, _)| index).collect()
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
