//! Mixtures of experts: who goes where ([`route`]), with how much room ([`capacity`]), how it gets there
//! ([`exchange`]), and the layer around it ([`layer`]).

pub mod capacity;
pub mod exchange;
pub mod layer;
pub mod route;
