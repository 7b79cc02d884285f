//! Neighbouring steps that go by the same rows become one step.
//!
//! ```text
//! product: s = q * k, for 64 heads               band:  product: s = q * k, for 126 rows of a head
//! loop: m = max(s)                                      loop: m = max(s)
//! loop: t = sum(exp(s - m))              =>             loop: e = exp(s - m), t = sum(e)
//! loop: p = exp(s - m) / t                              loop: p = e / t
//! product: o = p * v                                    product: o = p * v
//! ```
//!
//! That is sound where each step reads, of what steps before it made, only the rows it is at. Steps between that are
//! none of them move before the band if one of it needs them, else behind it. Values that no other step uses have no
//! place in memory. An exponential (or another function that takes long) that two of the loops compute is kept for the
//! second one.
//!
//! A band begins with a product whose rows its other members go by, if what it saves is larger than a cache, or else
//! with a loop that folds rows; then all others are loops.

mod cut;
mod join;
mod keep;
mod members;
mod order;
mod placed;
#[cfg(test)]
mod tests;
mod transpose;
mod within;

pub use join::join_bands;
