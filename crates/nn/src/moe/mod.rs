//! Mixtures of experts: who goes where ([`route`]), with how much room ([`capacity`]), how it gets there
//! ([`exchange`], [`sorted`]), the router that decides ([`router`]), and what it leads to: feed-forward layers
//! ([`layer`]) and attention ([`attention`]).

pub mod attention;
pub mod capacity;
pub mod exchange;
pub mod layer;
pub mod route;
pub mod router;
pub mod rows;
pub mod sorted;
