//! How the blocks of a stack lie on the stages of a pipeline (GSPMD 3.3 and 5.2).
//!
//! ```text
//! 64 blocks, 4 stages             stage 0: blocks 0 to 15     stage 1: blocks 16 to 31     ..
//! 64 blocks, 4 stages, 2 rounds   stage 0: blocks 0 to 7 and 32 to 39                      ..
//! ```
//!
//! Sizes only: how they work is in `stages`.

use crate::moe::layer::CONFIG;
use meshwright_base::Diagnostic;
use meshwright_tensor::prelude::*;

/// How the blocks of a stack lie on stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piped {
    /// Stages, each on devices of its own.
    pub stages: i64,
    /// How often a microbatch goes through all stages: once is GPipe's schedule, more often the circular one.
    pub rounds: i64,
    /// Parts of the batch that go through the stages one behind the other.
    pub microbatches: i64,
    /// Keep only what enters a stage for the backward pass, and compute the rest again. The blocks' own `recompute`
    /// keeps what enters each block.
    pub recompute: bool,
}

impl Piped {
    /// As the front end has it.
    pub fn how(self) -> Pipeline {
        let how = match self.rounds {
            1 => Pipeline::gpipe(self.stages),
            rounds => Pipeline::circular(self.stages, rounds),
        };
        if self.recompute { how.recompute() } else { how }
    }

    /// How many runs of blocks there are.
    pub fn runs(self) -> usize {
        usize::try_from(self.stages.saturating_mul(self.rounds)).unwrap_or(0)
    }

    /// The dims that runs of blocks lie in.
    pub fn piles(self) -> Vec<(&'static str, i64)> {
        let round = (self.rounds > 1).then_some(("round", self.rounds));
        [("stage", self.stages)].into_iter().chain(round).collect()
    }

    /// The number of each run, where it lies: `[stage]` or `[stage, round]`.
    pub(super) fn numbers(self) -> Tensor {
        let sizes: Vec<i64> = self.piles().iter().map(|(_, size)| *size).collect();
        let stage = iota(i32, &sizes[..], 0);
        if self.rounds == 1 { stage } else { stage + iota(i32, &sizes[..], 1) * self.stages }
    }

    /// What is wrong with it, for so many blocks, which repeat themselves in periods, sequences, and groups of tokens.
    pub fn check(self, blocks: i64, period: i64, rows: i64, groups: Option<i64>) -> Result<(), Diagnostic> {
        let Piped { stages, rounds, microbatches, .. } = self;
        let refused = |message: String, help: String| Err(Diagnostic::error(CONFIG, message).help(help));
        if stages < 1 || rounds < 1 || microbatches < 1 {
            let message =
                format!("a pipeline of {stages} stages, {rounds} rounds and {microbatches} microbatches");
            return refused(message, "there is at least one of each".to_string());
        }
        let unit = stages.saturating_mul(rounds).saturating_mul(period);
        if blocks % unit != 0 {
            let of = if period > 1 { format!(", each of whole runs of {period}") } else { String::new() };
            let times = if rounds > 1 { format!(" in {rounds} rounds") } else { String::new() };
            let message = format!("{blocks} blocks do not divide into {stages} stages{times}{of}");
            let more = (blocks / unit + 1).saturating_mul(unit);
            let near = if blocks > unit { format!("{} or {more}", more - unit) } else { more.to_string() };
            return refused(message, format!("use a multiple of {unit} blocks, as {near}, or other stages"));
        }
        if rows % microbatches != 0 {
            let message = format!("{rows} sequences do not divide into {microbatches} microbatches");
            let help = format!("use a divisor of {rows}, or a batch that is a multiple of {microbatches}");
            return refused(message, help);
        }
        match groups {
            Some(groups) if groups % microbatches != 0 => {
                let message =
                    format!("{groups} groups of tokens do not divide into {microbatches} microbatches");
                let help = "each microbatch has its share of the groups: use a number of groups, or of microbatches, \
                            that divides";
                refused(message, help.to_string())
            }
            _ => Ok(()),
        }
    }

    /// As many microbatches as were asked for, or, of fewer sequences than in training, as many as divide both.
    pub(super) fn fitted(self, rows: i64, groups: Option<i64>) -> Piped {
        let fits = |parts: &i64| rows % parts == 0 && groups.is_none_or(|groups| groups % parts == 0);
        let microbatches = (1..=self.microbatches).rev().find(fits).unwrap_or(1);
        Piped { microbatches, ..self }
    }
}
