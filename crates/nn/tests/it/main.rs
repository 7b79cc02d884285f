//! The integration tests of `meshwright-nn`: one binary, one module per subject.

mod conformer;
mod convolutions;
mod decode;
mod golden;
mod golden_images;
mod halos;
mod layers;
mod least_seconds;
mod models;
mod moe_layer;
mod moe_routing;
mod moe_variants;
mod optimizers;
mod piped;
mod presets;
mod seeing;
mod split_images;
mod stored;
mod strategies;
mod support;
mod switch;
mod table_9;
mod transcribe;
mod unet;
mod variety;
