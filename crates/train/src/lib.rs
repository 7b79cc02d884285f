//! Training: configuration, data, tokenizers, checkpoints, metrics.
//!
//! What is pure stays pure: a batch is a function of (configuration, position), a metric line of its numbers, a
//! checkpoint's plan of its index. Files, threads and clocks are met only where a run reads, writes and is timed.
//!
//! A checkpoint is evaluated by [`run::evaluate`] (nats per token) and by [`run::scored`], which translates
//! [`data::sentences`] and gives BLEU and chrF by language.
//!
//! Knows nothing of ops, passes or kernels.

#![forbid(unsafe_code)]

mod anchor;
pub mod checkpoint;
pub mod checksum;
pub mod config;
pub mod data;
pub mod disk;
pub mod foreign;
pub mod lock;
pub mod metrics;
pub mod npz;
pub mod presence;
pub mod preset;
pub mod protobuf;
pub mod run;
pub mod score;
mod staging;

#[cfg(test)]
mod power;

pub use config::Config;
