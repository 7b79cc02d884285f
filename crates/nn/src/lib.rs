//! Layers and models on the front end: mixtures of experts, Transformer layers, initializers, optimizers.
//!
//! Everything here is a traced function over [`Tensor`](meshwright_tensor::Tensor)s. Parameters carry the names of
//! their dims; a table beside a model ([`Rules`](meshwright_tensor::Rules)) says which mesh axis each name is split
//! over, so that changing the parallelism changes no line of a model.
//!
//! No data, no loop, no files: those are `train`'s.

#![forbid(unsafe_code)]

pub mod init;
pub mod layers;
pub mod losses;
pub mod models;
pub mod moe;
pub mod optim;
pub mod params;
pub mod transcribe;

/// The front end that layers are written in: whoever uses a model names meshes, tables and programs by it.
pub use meshwright_tensor as tensor;
