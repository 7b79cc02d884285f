//! Resharding.

pub mod solve;
