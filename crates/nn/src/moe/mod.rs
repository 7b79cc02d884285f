//! Mixtures of experts: who goes where ([`route`]), with how much room ([`capacity`]).

pub mod capacity;
pub mod route;
