//! The floor everything stands on: typed ids and maps keyed by them, source text with spans, diagnostics,
//! lists that are mostly short, the word somebody meant, the memory that the process may take, sorting,
//! random numbers by seeds, names of options in messages, numbers with units, cancellation, text that is safe to print.
//!
//! Knows nothing of tensors, does no IO, reads no clock. Anything here must be of use to every crate above.

#![forbid(unsafe_code)]

pub mod arrange;
pub mod budget;
pub mod caller;
pub mod cancel;
pub mod diagnostic;
pub mod hash;
pub mod id;
pub mod id_set;
pub mod inline_vec;
pub mod nearest;
pub mod random;
pub mod source;
pub mod units;
pub mod visible;

pub use caller::{Ask, Caller, asked};
pub use diagnostic::{Code, Diagnostic, Severity, render};
pub use hash::LookupMap;
pub use id::{Id, IdMap};
pub use id_set::IdSet;
pub use inline_vec::InlineVec;
pub use source::{SourceText, Span};
