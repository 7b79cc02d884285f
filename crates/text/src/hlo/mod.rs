//! The text form of XLA's HLO: what XLA dumps before and after its passes, read and printed.
//!
//! Reading goes in two steps: `outline` takes the text apart, `build` makes functions, regions and values of it.
//! Tuples vanish on reading and are rebuilt on printing; asynchronous pairs are read as one op. What HLO cannot say is
//! printed as a custom call (see each family in `op`).
//!
//! ```text
//! computation behind `call`, custom calls        a function
//! reducer, loop body, fusion                      a region of its user (copied for each user)
//! branch of a conditional                         a region without parameters: it uses the operands' values
//! tuple, get-tuple-element                        gone
//! a result's shape that is left out               inferred from operands, where they tell it
//! sharding={..}                                   the value's annotation, as HLO text; of the entry's root tuple: the results'
//! its parts for what an outfeed or a send takes   constraints on that
//! ```

mod build;
mod common;
mod computation;
mod groups;
mod header;
mod inst;
mod lex;
mod line;
mod literal;
mod metadata;
mod names;
mod op;
mod outline;
mod printer;
mod reach;
mod shape;
#[cfg(test)]
mod tests;

use build::ModuleBuilder;
use meshwright_base::{Diagnostic, IdMap, SourceText, Span};
use meshwright_ir::op::Numbering;
use meshwright_ir::{FuncId, Function, InstId, Module, Op};
use outline::Outline;

/// Where each instruction of a module stands in its text. A region that was copied leads to the same places.
pub type Spans = IdMap<FuncId, IdMap<InstId, Span>>;

/// Read a module, or tell everything that is wrong with the text.
pub fn parse(source: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    parse_with_spans(source).map(|(module, _)| module)
}

/// Read a module, and where its instructions stand.
pub fn parse_with_spans(source: &SourceText) -> Result<(Module, Spans), Vec<Diagnostic>> {
    let mut outline = Outline::read(&source.text);
    let mut diagnostics = std::mem::take(&mut outline.diagnostics);
    let parsed = module(&outline, &mut diagnostics);
    match parsed {
        Some((mut module, mut spans)) if diagnostics.is_empty() => {
            crate::expand::library_calls(&mut module, &mut spans);
            Ok((module, spans))
        }
        _ => Err(diagnostics),
    }
}

/// Print a module as HLO text.
///
/// HLO has no scan; a module with scans is printed as if they had been lowered to loops.
pub fn print(module: &Module) -> String {
    let is_scan =
        |func: &Function| func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, Op::Scan(_)));
    if !module.funcs.values().any(is_scan) {
        return printer::print(module);
    }
    let mut lowered = module.clone();
    meshwright_ir::lower_scan(&mut lowered);
    printer::print(&lowered)
}

fn module(outline: &Outline<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<(Module, Spans)> {
    let has_errors = !diagnostics.is_empty();
    let entry = outline.entry.or(outline.computations.len().checked_sub(1))?;
    let mut sources = metadata::Sources::new();
    for (title, body) in &outline.tables {
        sources.table(title.str, *body).map_err(|error| diagnostics.push(*error)).ok();
    }
    let mut number =
        |key| header::number(&outline.header, key).map_err(|error| diagnostics.push(*error)).ok()?;
    let (num_replicas, num_partitions) = (number("replica_count"), number("num_partitions"));
    let numbering = Numbering::said(num_replicas, num_partitions);
    diagnostics.append(&mut reach::twice(outline));
    let mut builder = ModuleBuilder::new(outline, sources, numbering);
    let unnamed = reach::unnamed(outline, entry);
    let roots: Vec<usize> = std::iter::once(entry).chain(unnamed.iter().copied()).collect();
    if diagnostics.is_empty() {
        diagnostics.extend(reach::circles(outline, &roots));
    }
    let entry = builder.function_or_told(entry, true);
    for index in unnamed {
        builder.function_or_told(index, false);
    }
    diagnostics.append(&mut builder.diagnostics);
    let entry = entry?;
    let mut module = Module {
        name: outline.name.map_or("module", |name| name.str).into(),
        meshes: builder.meshes,
        num_partitions,
        num_replicas,
        attrs: Default::default(),
        funcs: builder.funcs,
        entry,
        sources: builder.sources.all,
    };
    // Without its entry computation, the header speaks of another one.
    if outline.entry.is_none() && has_errors {
        return None;
    }
    let built = builder.built;
    let misfits = header::apply(&mut module, &built[entry], &outline.header);
    if !misfits.is_empty() {
        diagnostics.extend(misfits);
        return None;
    }
    let spans = built.values().map(|built| built.spans.clone()).collect();
    op::manual::raise(&mut module, &spans).map_err(|error| diagnostics.push(error)).ok()?;
    Some((module, spans))
}
