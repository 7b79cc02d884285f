//! The arguments of `translate`, and what all share that let a model write.

use crate::languages::LanguageArgs;
use crate::train_args::{HostArgs, ModelArgs};
use clap::ValueEnum;
use meshwright_train::run::{CacheLayout, NextToken, Room, Search, Translating};
use std::path::PathBuf;

const TRANSLATE_EXAMPLES: &str = "\
Examples:
  meshwright translate runs/m4 --from de sentences.de > sentences.en
  tail -f log.de | meshwright translate runs/m4 --from de -     a line as soon as it comes
  meshwright translate runs/m4 --from fr sentences.fr --beam 1  the likeliest token each time
  meshwright translate runs/m4 --from fr sentences.fr --json    with scores and all hypotheses
  meshwright translate runs/m4 --from de - --mesh data=4 --flat
  meshwright translate hf:nllb-moe-54b --from deu_Latn --to eng_Latn sentences.de

Line n of the output is the translation of line n. A line that cannot be translated (too long for the model, no UTF-8) is told \
with its number on standard error and is an empty line; the rest goes on, and the exit code is 1.";

/// Translate a file or standard input, line by line
#[derive(clap::Args, Debug)]
#[command(after_help = TRANSLATE_EXAMPLES)]
pub struct TranslateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The sentences, one a line; `-` is standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

/// How translations are looked for.
#[derive(clap::Args, Clone, Debug)]
pub struct SearchArgs {
    /// Hypotheses that are kept of a sentence; with 1 the likeliest token each time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub beam: u32,
    /// Keep the hypotheses of a sentence in one flat sequence, where no keys and values move (GShard, A.1). The same
    /// translations
    #[arg(long)]
    pub flat: bool,
    /// Divide the score of a hypothesis of n tokens, its end among them, by ((5 + n) / 6)^A; 0 prefers short ones
    #[arg(long, value_name = "A", default_value_t = 0.6, value_parser = exponent)]
    pub alpha: f64,
    /// Most tokens of a translation [default: as many as the model has learnt to write]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_length: Option<u32>,
    /// Sentences that are translated at a time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub batch: u32,
    #[command(flatten)]
    pub room: RoomArgs,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  meshwright bench decode runs/m4
  meshwright bench decode runs/m4 --beams 1,4 --lengths 16,64 --batch 8 --json

Texts are made to go on to their last turn. A turn is what a longer text takes more, by its turns: reading sources and starting are not \
in it. Times are of processors. Bytes are those that a turn cannot do without; the floor is the time in which a core reads weights, \
keys and values from memory once.";

/// Time what a run's model takes to write.
#[derive(clap::Args, Debug)]
#[command(after_help = BENCH_EXAMPLES)]
pub struct BenchDecodeArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Numbers of hypotheses
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,4,8", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub beams: Vec<u32>,
    /// Tokens of a text [default: as many as the model has learnt to write, and half of them]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub lengths: Vec<u32>,
    /// Texts at a time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub batch: u32,
    /// How often; the fastest counts
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub room: RoomArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

/// Room of experts for what is written.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct RoomArgs {
    /// How many tokens an expert takes
    #[arg(long, value_enum, default_value_t = RoomArg::Unlimited)]
    pub capacity: RoomArg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RoomArg {
    /// All that choose it: a text does not depend on those beside it
    Unlimited,
    /// As in training, of the tokens that are read at a time
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

    /// In words.
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
    found.ok_or_else(|| "give a number of 0 or more, as 0.6".to_string())
}
