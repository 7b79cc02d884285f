//! A partitioned program explained: what its devices send and why, what they keep, how long it takes, and what an
//! annotation more would change.
//!
//! ```text
//! Module --explain--> Explanation   (layers, collectives with reasons, memory, timeline, graph)
//! Module + wish --tried--> what the program costs with one annotation more
//! ```
//!
//! The types of [`model`] are the report: the terminal, the page and JSON show the same. Nothing is estimated twice:
//! bytes, seconds and the peak are those of `cost` on the program that `compile` makes, and what an annotation would
//! save is found by partitioning with it. Reads no files and prints nothing.

#![forbid(unsafe_code)]

mod collectives;
mod diff;
mod explain;
mod graph;
mod layers;
mod memory;
pub mod model;
mod model_explorer;
pub mod names;
mod overview;
pub mod pictures;
mod reasons;
mod suggest;
mod tiles;
mod timeline;
mod trace;
mod walk;
mod why_not;
mod wish;
mod written;

pub use diff::{Difference, diff};
pub use explain::{Explained, explain, totals};
pub use layers::{Scopes, folded, folded_name};
pub use model::Explanation;
pub use model_explorer::model_explorer;
pub use overview::{BACKWARD, in_short, overview};
pub use suggest::{Advice, suggest, tried_with};
pub use tiles::tiles;
pub use trace::{Input, called};
pub use why_not::{WhyNot, why_not, why_not_text};
pub use wish::Wish;
pub use written::{short_axes, short_sharding};
