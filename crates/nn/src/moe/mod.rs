//! Mixtures of experts: who goes where ([`route`]), with how much room ([`capacity`]), and the layer around it
//! ([`layer`]).

pub mod capacity;
pub mod layer;
pub mod route;
