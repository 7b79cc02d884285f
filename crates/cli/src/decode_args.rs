//! The arguments of `translate`, and those that all decoding commands share.

use crate::help::{DECODING, MEASUREMENT};
use crate::languages::LanguageArgs;
use crate::train_args::{HostArgs, ModelArgs};
use clap::ValueEnum;
use meshwright_train::run::{CacheLayout, NextToken, Room, Search, Translating};
use std::path::PathBuf;

const TRANSLATE_EXAMPLES: &str = "\
Examples:
  meshwright translate runs/m4 --from de sentences.de > sentences.en  # a file, line by line
  tail -f log.de | meshwright translate runs/m4 --from de -           # each line as it arrives
  meshwright translate runs/m4 --from fr sentences.fr --beam 1        # greedy
  meshwright translate runs/m4 --from fr sentences.fr --json          # scores and all hypotheses
  meshwright translate runs/m4 --from de - --mesh data=4 --flat       # flat beams on 4 devices
  meshwright translate hf:nllb-moe-54b --from deu_Latn --to eng_Latn sentences.de  # Hugging Face

Line n of the output translates line n of the input. A line that is too long for the model or not UTF-8 becomes an empty line, with \
an error on stderr that has its number. The rest is translated, and the exit code is 1.";

/// Translate sentences with a checkpoint
#[derive(clap::Args, Debug)]
#[command(after_long_help = TRANSLATE_EXAMPLES)]
pub struct TranslateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Sentences, one per line; `-` is stdin
    #[arg(value_name = "SENTENCES")]
    pub file: PathBuf,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

/// Options of beam search.
#[derive(clap::Args, Clone, Debug)]
pub struct SearchArgs {
    /// Set the beam size; 1 is greedy
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64), help_heading = DECODING)]
    pub beam: u32,
    /// Set the number of sequences per batch
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = DECODING)]
    pub batch: u32,
    /// Limit the generated tokens [default: as trained]
    #[arg(long = "max-tokens", alias = "max-length", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = DECODING)]
    pub max_length: Option<u32>,
    /// Divide the score of n tokens by ((5 + n) / 6)^A; 0 prefers short translations
    #[arg(long, value_name = "A", default_value_t = 0.6, value_parser = exponent, hide_short_help = true, help_heading = DECODING)]
    pub alpha: f64,
    /// Keep all hypotheses in one flat sequence (GShard, A.1).
    ///
    /// No keys and values move between hypotheses, and the translations are equal.
    #[arg(long, hide_short_help = true, help_heading = DECODING)]
    pub flat: bool,
    #[command(flatten)]
    pub room: RoomArgs,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  meshwright bench decode runs/m4                                  # beams 1, 4 and 8
  meshwright bench decode runs/m4 --beams 1,4 --lengths 16,64 --batch 8 --json  # your own sizes

Each text runs to its full length. The time per step excludes the first step, and so encoding and startup. Times are CPU times of \
the fastest repetition. Bytes are the minimum traffic of a step. The floor is the time for one core to \
read weights, keys and values from memory once.";

/// Time decoding by beam size, length and key-value cache layout
#[derive(clap::Args, Debug)]
#[command(after_long_help = BENCH_EXAMPLES)]
pub struct BenchDecodeArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Set the beam sizes
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,4,8", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = MEASUREMENT)]
    pub beams: Vec<u32>,
    /// Set the text lengths, in tokens [default: the model's training length, and half of it]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = MEASUREMENT)]
    pub lengths: Vec<u32>,
    /// Set the number of sequences per batch
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = MEASUREMENT)]
    pub batch: u32,
    /// Repeat each measurement N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = MEASUREMENT)]
    pub repeat: u32,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub room: RoomArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

/// The expert capacity of decoding.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct RoomArgs {
    /// Set the expert capacity in decoding
    #[arg(long, value_enum, default_value_t = RoomArg::Unlimited, hide_short_help = true, help_heading = DECODING)]
    pub capacity: RoomArg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RoomArg {
    /// No limit: a text does not depend on the others in its batch
    Unlimited,
    /// The capacity factor of training, for the tokens of one step
    Training,
}

impl RoomArg {
    pub fn room(self) -> Room {
        match self {
            RoomArg::Unlimited => Room::Unlimited,
            RoomArg::Training => Room::Training,
        }
    }
}

impl SearchArgs {
    pub fn translating(&self) -> Translating {
        let layout = if self.flat { CacheLayout::Flat } else { CacheLayout::ByHypothesis };
        let search = match self.beam {
            1 => Search::One(NextToken::Likeliest),
            beam => Search::Beam { beam: beam as usize, layout, alpha: self.alpha },
        };
        Translating {
            rows: self.batch as usize,
            room: self.room.capacity.room(),
            search,
            most: self.max_length.map(|tokens| tokens as usize),
        }
    }

    /// Returns a short description for reports.
    pub fn shown(&self) -> String {
        let room = match self.room.capacity {
            RoomArg::Unlimited => "experts take all",
            RoomArg::Training => "experts take as many as in training",
        };
        let flat = if self.flat { ", flat" } else { "" };
        match self.beam {
            1 => format!("greedy, {room}"),
            beam => format!("beam {beam}{flat}, alpha {}, {room}", self.alpha),
        }
    }
}

fn exponent(text: &str) -> Result<f64, String> {
    let found = text.parse::<f64>().ok().filter(|alpha| alpha.is_finite() && *alpha >= 0.0);
    found.ok_or_else(|| "expected a number of 0 or more, for example 0.6".to_string())
}
