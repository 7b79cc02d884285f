//! Ops of the texts that the IR does not have, as the ops they stand for.
//!
//! Both forms read them here. An expansion adds all ops but its last through [`Push`] and returns that one, which takes
//! the place, name and attributes of what the text says. What is expanded is written as its parts. Calls of libraries
//! that are ops become these when a module is complete (`lapack`).

mod lapack;
mod product;
mod ragged;

pub(crate) use lapack::library_calls;
pub(crate) use product::high_product;
pub(crate) use ragged::{Ragged, ragged_dot};

use meshwright_ir::{Op, TensorType, ValueId};

/// Adds an op with one result of this type; its value.
pub(crate) type Push<'p> = dyn FnMut(Op, Vec<ValueId>, &TensorType) -> ValueId + 'p;

/// The last op and its operands.
pub(crate) type Last = (Op, Vec<ValueId>);
