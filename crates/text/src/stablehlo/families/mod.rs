//! What the attributes of each op family mean: `fn name(p, draft) -> Op` reads them by their generic names, `props`
//! gives them back. One file per family of the IR.

pub mod batch_norm;
pub mod collective;
pub mod contract;
pub mod control;
pub mod convert;
pub mod convolution;
pub mod data;
pub mod elementwise;
pub mod foreign;
pub mod gather;
pub mod linalg;
pub mod movement;
pub mod random;
pub mod reduce;
pub mod scan;
pub mod sharding;
pub mod sort;
pub mod token;
pub mod window;

use super::op::Draft;
use super::parser::{Parsed, Parser};
use super::tree::{Prop, Tree};

/// `name = array<i64: ..>` of dims.
fn dims(name: &'static str, dims: &[usize]) -> Prop<'static> {
    Prop::made(name, Tree::Ints(dims.iter().map(|dim| *dim as i64).collect()))
}

fn ints(name: &'static str, values: &[i64]) -> Prop<'static> {
    Prop::made(name, Tree::Ints(values.to_vec()))
}

/// `name = value : i64`.
fn int(name: &'static str, value: i64) -> Prop<'static> {
    Prop::made(name, Tree::Int(value, "i64".into()))
}

fn flag(name: &'static str, value: bool) -> Prop<'static> {
    Prop::made(name, Tree::Bool(value))
}

/// `name = #stablehlo<kind CASE>`.
fn case(name: &'static str, kind: &'static str, case: &'static str) -> Prop<'static> {
    Prop::made(name, Tree::Enum(kind.into(), case.into()))
}

/// The word of a value in a table of cases.
fn word_of<T: PartialEq>(cases: &[(&'static str, T)], value: &T) -> &'static str {
    cases.iter().find(|(_, known)| known == value).map_or("", |(word, _)| word)
}

/// Fields of a dialect attribute, `a = [1, 2], b = 3`; empty lists are left out, as MLIR does.
fn field_lists(out: &mut String, fields: &[(&str, &[usize])]) {
    for (name, dims) in fields.iter().filter(|(_, dims)| !dims.is_empty()) {
        if !out.ends_with('<') {
            out.push_str(", ");
        }
        out.push_str(name);
        out.push_str(" = ");
        write_dims(out, dims);
    }
}

pub fn write_dims(out: &mut String, dims: &[usize]) {
    out.push('[');
    super::tree::separated(out, dims, |out, dim| out.push_str(&dim.to_string()));
    out.push(']');
}

/// An op without attributes.
fn bare<'a, T>(p: &mut Parser<'a>, draft: &Draft<'a>, operands: usize, op: T) -> Parsed<T> {
    p.operand_count(draft, operands)?;
    Ok(op)
}
