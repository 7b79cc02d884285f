//! Decoding: a decoder writes one token after the other. One program holds the loop, so that what is kept between
//! tokens stays on the devices and is written in place.
//!
//! ```text
//! source => memory, its keys and values of every block (once)
//! token, place, keys and values so far => logits, keys and values with the token's => next token     (each turn)
//! ```
//!
//! Keys and values lie as the batch and the heads do in training, by the same table ([`cache`]). [`writer`] is one turn
//! of a decoder, [`greedy`] chooses the likeliest token or draws one, [`beam`] keeps several hypotheses.
//!
//! Shapes are static: all rows are at the same place, a row that is done goes on and nothing of it is read.

pub mod beam;
pub mod cache;
pub mod greedy;
#[cfg(test)]
mod tests;
pub mod writer;
