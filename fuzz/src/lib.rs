//! What the fuzz targets share: how a text is changed, and what must hold of any text.
//!
//! Bytes changed blindly hardly ever pass a lexer. Half of all changes are therefore made on lines and words: lines are
//! dropped, doubled and swapped, numbers become other numbers, words are replaced by words of the same text or of the
//! dictionary. What a target checks stands in [`check`] and [`engine`].

#![forbid(unsafe_code)]

pub mod change;
pub mod check;
pub mod engine;
