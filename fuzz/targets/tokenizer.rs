//! Tokenizers: `tokenizer.json` and SentencePiece.

#![no_main]

meshwright_fuzz::attack!("tokenizer");
