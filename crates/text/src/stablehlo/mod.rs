//! The text form of StableHLO, with the Shardy dialect and `mhlo` annotations.
//!
//! Reads what JAX lowers, pretty or generic, with or without locations; writes what JAX and MLIR read. Tuples are
//! flattened, dynamic shapes and quantized types are refused by name.
//!
//! ```text
//! text -- lexer --> tokens -- parser, block, op --> drafts -- forms, families --> ops
//! ops -- describe, families --> named attributes -- writer, forms --> text
//! ```
//! An op's attributes are interpreted in one place, its family: pretty and generic form are two spellings of the same
//! named attributes. A new op is a row in `table`, a pair of functions in its family, and an arm in `describe`.

/// Append formatted text to a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        let _ = write!($out, $($text)*);
    }};
}

mod annotate;
mod block;
mod dense;
mod describe;
mod edges;
mod families;
mod forms;
mod lexer;
mod loc;
mod module;
mod names;
mod op;
mod parser;
mod print;
mod props;
mod scope;
mod symbols;
mod table;
mod tree;
mod types;
mod writer;

#[cfg(test)]
mod tests;

use crate::Spans;
use meshwright_base::{Diagnostic, SourceText};
use meshwright_ir::{Function, Module};

/// How a module is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// Every op as `"name"(..) <{..}> : (..) -> ..`.
    pub generic: bool,
    /// Where each op came from, as aliases at the end.
    pub locations: bool,
    pub groups: GroupForm,
}

/// How the groups of collectives are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GroupForm {
    /// As axes of a mesh where they are, whatever the number of devices.
    #[default]
    Axes,
    /// As lists of devices, which every version of StableHLO has.
    Lists,
}

/// The element-wise op of a name.
pub(crate) fn elementwise_named(name: &str) -> Option<meshwright_ir::Op> {
    match table::find(name)?.build {
        table::Build::Unary(op) => Some(meshwright_ir::Op::Unary(op)),
        table::Build::Binary(op) => Some(meshwright_ir::Op::Binary(op)),
        table::Build::By(_) | table::Build::Written(_) | table::Build::Tuple => None,
    }
}

/// Whether a text is an attribute by itself, so that it can be kept and written verbatim.
pub(crate) fn is_attribute(text: &str) -> bool {
    let mut parser = parser::Parser::new(text);
    parser.tree().is_ok() && parser.peek().kind == lexer::Kind::End && parser.diagnostics.is_empty()
}

/// Read a module, or say everything that is wrong with it.
pub fn parse(source: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    parse_with_spans(source).map(|(module, _)| module)
}

/// Read a module and remember where each instruction stands.
pub fn parse_with_spans(source: &SourceText) -> Result<(Module, Spans), Vec<Diagnostic>> {
    let mut parser = parser::Parser::new(&source.text);
    parser.text();
    let (mut module, mut spans) = module::finish(parser)?;
    crate::expand::library_calls(&mut module, &mut spans);
    Ok((module, spans))
}

/// Write a module in pretty form without locations.
pub fn print(module: &Module) -> String {
    print_with(module, &PrintOptions::default())
}

/// Write a module. Scans are written as the loops they stand for.
pub fn print_with(module: &Module, options: &PrintOptions) -> String {
    let is_scan = |func: &Function| {
        func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, meshwright_ir::Op::Scan(_)))
    };
    let mut module = std::borrow::Cow::Borrowed(module);
    if let Some(tiled) = edges::with_tiles(&module) {
        module = std::borrow::Cow::Owned(tiled);
    }
    if options.groups == GroupForm::Lists {
        families::collective::expand_groups(module.to_mut());
    }
    if module.funcs.values().any(is_scan) {
        meshwright_ir::lower_scan(module.to_mut());
    }
    print::module(&module, *options)
}
