//! Pretty forms: how an op is written between its name and its location, one file per kind of form.
//!
//! Each form is a pair: `read` fills a draft by the attribute names of the generic form, `write` prints an item with
//! the same names. What an attribute means is none of their business.

mod call;
mod contract;
mod plain;
mod region;
mod sdy;
mod small;

pub use plain::{Key, KeyKind, Plain, Types};
pub use region::plain_reducer;

use super::op::Draft;
use super::parser::{Parsed, Parser};
use super::writer::{Item, Writer};

#[derive(Clone, Copy)]
pub enum Form {
    /// Operands, `key = value` pairs, types.
    Plain(Plain),
    /// `"name"(..) <{..}> ({..}) {..} : (..) -> ..` only.
    Generic,
    Call,
    Compare,
    Composite,
    Constant,
    Convolution,
    CustomCall,
    Dot,
    Reduce,
    ReducePrecision,
    Scan,
    Slice,
    TopK,
    TupleElement,
    While,
    /// `sdy.sharding_constraint %x <..> : T`, `sdy.reshard`.
    Annotated,
    SdyCollective,
    Manual,
    Named,
    Barrier,
    Group,
}

impl Form {
    /// Read what follows the op's name.
    pub fn read<'a>(self, p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
        match self {
            Form::Plain(form) => form.read(p, draft),
            Form::Generic => {
                Err(p.expected(&format!("the generic form of this op, in quotes: \"{}\"", draft.name)))
            }
            Form::Call => call::read_call(p, draft),
            Form::Compare => small::read_compare(p, draft),
            Form::Composite => call::read_composite(p, draft),
            Form::Constant => small::read_constant(p, draft),
            Form::Convolution => contract::read_convolution(p, draft),
            Form::CustomCall => call::read_custom_call(p, draft),
            Form::Dot => contract::read_dot(p, draft),
            Form::Reduce => region::read_reduce(p, draft),
            Form::ReducePrecision => small::read_reduce_precision(p, draft),
            Form::Scan => region::read_scan(p, draft),
            Form::Slice => small::read_slice(p, draft),
            Form::TopK => small::read_top_k(p, draft),
            Form::TupleElement => small::read_tuple_element(p, draft),
            Form::While => region::read_while(p, draft),
            Form::Annotated => sdy::read_annotated(p, draft),
            Form::SdyCollective => sdy::read_collective(p, draft),
            Form::Manual => sdy::read_manual(p, draft),
            Form::Named => sdy::read_named(p, draft),
            Form::Barrier => sdy::read_barrier(p, draft),
            Form::Group => sdy::read_group(p, draft),
        }
    }

    /// Write an item, from its name on.
    pub fn write(self, w: &mut Writer<'_>, item: &Item<'_>) {
        match self {
            Form::Plain(form) => form.write(w, item),
            Form::Generic | Form::Scan | Form::TupleElement => w.generic(item),
            Form::Call => call::write_call(w, item),
            Form::Compare => small::write_compare(w, item),
            Form::Composite => call::write_composite(w, item),
            Form::Constant => small::write_constant(w, item),
            Form::Convolution => contract::write_convolution(w, item),
            Form::CustomCall => call::write_custom_call(w, item),
            Form::Dot => contract::write_dot(w, item),
            Form::Reduce => region::write_reduce(w, item),
            Form::ReducePrecision => small::write_reduce_precision(w, item),
            Form::Slice => small::write_slice(w, item),
            Form::TopK => small::write_top_k(w, item),
            Form::While => region::write_while(w, item),
            Form::Annotated => sdy::write_annotated(w, item),
            Form::SdyCollective => sdy::write_collective(w, item),
            Form::Manual => sdy::write_manual(w, item),
            Form::Named => sdy::write_named(w, item),
            Form::Barrier => sdy::write_barrier(w, item),
            Form::Group => sdy::write_group(w, item),
        }
    }
}
