//! Models: each stands once, with its tables of strategies beside it ([`strategy`]).
//!
//! What they are made of is in [`transformer`]; [`language`] and [`encoder_decoder`] put embeddings, stacks and a loss
//! together; [`step`] trains any of them; [`switch`] is the decoder-only Switch Transformer.

pub mod encoder_decoder;
pub mod family;
pub mod language;
pub mod presets;
pub mod step;
pub mod strategy;
pub mod switch;
pub mod transformer;
