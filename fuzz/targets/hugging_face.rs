//! Checkpoints of Hugging Face.

#![no_main]

meshwright_fuzz::attack!("hugging_face");
