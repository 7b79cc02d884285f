//! Models: each stands once, with its tables of strategies beside it ([`strategy`]).
//!
//! What they are made of is in [`transformer`]; [`language`] and [`encoder_decoder`] put embeddings, stacks and a loss
//! together; [`piped`] says how a stack's blocks lie on the stages of a pipeline; [`step`] trains any of them;
//! [`decode`] lets them write; [`conformer`] hears labels in sound; [`images`] has those that see; [`switch`] is the
//! decoder-only Switch Transformer; [`family`] has T5's, Switch's, GShard's and GSPMD's choices, [`presets`] their
//! sizes, and [`flops`] what Switch's Table 9 counts of them.
//!
//! ```
//! use meshwright_nn::models::family::{Sizes, switch};
//! use meshwright_nn::models::presets;
//! use meshwright_nn::models::step::train_step;
//! use meshwright_nn::models::strategy::EXPERT_DATA;
//! use meshwright_nn::tensor::prelude::*;
//! # use meshwright_nn::tensor::Errors;
//!
//! let sizes = Sizes { model: 64, hidden: 128, heads: 4, kv: 16, gated: false, experts: 8, every: 2, groups: 8, room: 200 };
//! let model = switch(&sizes, 2);
//! let training = presets::find("switch-base").map(|preset| preset.training());
//! let training = training.map(|paper| meshwright_nn::models::step::Training { batch: 8, length: 32, ..paper });
//! let mesh = Mesh::new([("data", 2), ("expert", 4)])?;
//! let step = training.map(|training| train_step(&model, &training, &EXPERT_DATA.rules(&mesh))).transpose()?;
//! # Ok::<(), Errors>(())
//! ```

mod blocks;
pub mod conformer;
pub mod decode;
pub mod encoder_decoder;
pub mod family;
pub mod flops;
pub mod images;
pub mod language;
pub mod piped;
pub mod presets;
mod stages;
pub mod step;
pub mod strategy;
pub mod switch;
pub mod transformer;
pub mod unet;
