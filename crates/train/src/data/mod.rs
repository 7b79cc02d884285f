//! From documents to batches.
//!
//! ```text
//! corpus --document(part, n)--> text --tokenizer--> tokens --spans--> samples --pack--> rows --batch--> arrays
//! ```
//!
//! Batches of whatever a model reads are [`arrays`], which a [`feed`] makes.
//!
//! Every arrow is a function of its input and of integers that say where we are, so a run resumes exactly from a few
//! integers and every host can make any rows of any batch by itself.

pub mod arrays;
pub mod batch;
pub mod content;
pub mod corpus;
pub mod feed;
pub mod fields;
pub mod languages;
pub mod mixture;
pub mod pairs;
pub mod prose;
pub mod sentences;
pub mod source;
pub mod spans;
pub mod tokenizer;
