//! Checks of every reader of untrusted bytes: functions from bytes to nothing that panic on a broken promise.
//!
//! A row of [`TARGETS`] names a reader's check. The fuzzer in `fuzz/` runs it on bytes of its own, a test replays the
//! committed corpus in `fuzz/seeds`, and `cargo xtask mutants` gives damaged files to the binary. Nothing here needs
//! libFuzzer.
//!
//! A format with checksums, lengths or several files is given as a [bundle] of its parts, from which the check
//! [assembles](formats) a sound file: otherwise no mutant would pass the first check of the reader. Other bytes are the
//! file itself.

#![forbid(unsafe_code)]

pub mod bundle;
pub mod change;
mod checkpoints;
mod engine;
mod files;
pub mod formats;
mod packages;
mod programs;
mod scratch;
pub mod seeds;
mod small;
mod tokenizers;

use meshwright_base::{Diagnostic, SourceText, budget, render};
use meshwright_text::Format;

/// A reader under attack.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Panics if the reader breaks a promise on these bytes. Returns whether it takes them.
    pub check: fn(&[u8]) -> bool,
    /// Words that the fuzzer puts in, one file of `fuzz/`.
    pub dictionary: Option<&'static str>,
    /// Whether the fuzzer changes lines and words besides bytes.
    pub is_text: bool,
}

const fn of_text(name: &'static str, check: fn(&[u8]) -> bool, dictionary: &'static str) -> Target {
    Target { name, check, dictionary: Some(dictionary), is_text: true }
}

/// Every target. `cargo xtask fuzz` and the files in `fuzz/targets` follow this table, which a test holds.
pub const TARGETS: &[Target] = &[
    of_text("stablehlo", |bytes| programs::text(bytes, Format::Stablehlo), "words.dict"),
    of_text("hlo", |bytes| programs::text(bytes, Format::Hlo), "words.dict"),
    of_text("modules", programs::run, "words.dict"),
    Target { name: "engine", check: engine::engine, dictionary: None, is_text: false },
    of_text("npz", files::npz, "readers.dict"),
    of_text("safetensors", files::safetensors, "readers.dict"),
    of_text("hugging_face", checkpoints::hugging_face, "readers.dict"),
    of_text("t5x", checkpoints::t5x, "readers.dict"),
    of_text("checkpoint", checkpoints::own, "readers.dict"),
    of_text("tokenizer", tokenizers::tokenizer, "readers.dict"),
    of_text("deb", packages::deb, "readers.dict"),
    of_text("catalogue", packages::catalogue, "readers.dict"),
    of_text("config", small::config, "readers.dict"),
    of_text("stored", small::stored_program, "readers.dict"),
    of_text("http", small::http, "readers.dict"),
    of_text("images", small::images, "readers.dict"),
];

/// Returns the target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Most memory that a check may take for its bytes: no reader believes a length that its file does not bear out.
pub const MOST_BYTES: u64 = 512 << 20;

impl Target {
    /// Runs the check. With a counting allocator, a check that takes more than [`MOST_BYTES`] ends the process.
    pub fn run(&self, bytes: &[u8]) -> bool {
        budget::set_limit(budget::taken().saturating_add(MOST_BYTES));
        (self.check)(bytes)
    }
}

/// A refusal has a code, and a message that can be shown. Returns that nothing was taken.
fn judge_refusal(refusal: &Diagnostic, source: Option<&SourceText>) -> bool {
    assert!(refusal.code.0 > 0 && !refusal.message.is_empty(), "refused without a reason: {refusal:?}");
    assert!(!render(refusal, source).is_empty(), "nothing is shown of {refusal:?}");
    false
}

/// Checks a list of refusals, which must not be empty.
fn judge_refusals(refusals: &[Diagnostic], source: Option<&SourceText>) -> bool {
    assert!(!refusals.is_empty(), "refused without a reason");
    refusals.iter().fold(false, |_, refusal| judge_refusal(refusal, source))
}

/// Judges the sentence of a reader that gives no code: its caller adds it.
fn judge_reason(reason: &str) -> bool {
    assert!(!reason.trim().is_empty(), "refused without a reason");
    false
}
