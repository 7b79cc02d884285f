//! Models: each stands once, with its tables of strategies beside it.

pub mod switch;
