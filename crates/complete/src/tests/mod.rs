//! Completion on small modules, built by hand: what each value gets.

mod build;
mod edges;
mod figures;
