//! The arguments of `train`, of what uses its runs, and of `data`.

use crate::args::DumpArgs;
use crate::decode_args::{RoomArgs, SearchArgs};
use crate::languages::LanguageArgs;
use crate::processes::ProcessArgs;
use clap::ValueEnum;
use meshwright_train::preset::PRESETS;
use std::path::PathBuf;

const TRAIN_EXAMPLES: &str = "\
Examples:
  meshwright train switch-translate-tiny                   a preset, on 8 devices of this process
  meshwright train switch-tiny --mesh data=8 --steps 100
  meshwright train config.toml --set model.experts=16 --set optimizer.warmup=50
  meshwright train --resume runs/switch-tiny               go on from its newest checkpoint
  meshwright train --resume runs/switch-tiny --mesh expert=2    ... on another mesh
  meshwright train switch-tiny --init-from runs/other      weights by name, a fresh optimizer
  meshwright train mine.toml --init-from hf:t5-small       weights of another library
  meshwright train switch-tiny --print-config > mine.toml  every field with its meaning
  meshwright train switch-tiny --serve 8080                look at it in a browser while it trains
  mpirun -n 2 meshwright train switch-tiny --backend mpi   the same devices over two processes
  meshwright train switch-tiny --backend mpi --ranks 4 --restarts 3
                                        starts `mpirun`; on three ranks if one is killed

A run has a directory: runs/NAME, or runs/NAME-2 and so on if it is there already. Nothing in a directory is overwritten. \
Ctrl-C, SIGTERM and SIGUSR1 end a run with a checkpoint, over ranks too; a second one ends the process. Such a run exits with \
128 and the signal's number: 130 after Ctrl-C, 143 after SIGTERM, 138 after SIGUSR1. While a run lasts, no other may write to \
its directory; `eval` and `generate` may read it.

Presets:";

/// Examples, and the presets there are.
fn train_help() -> String {
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let rows = PRESETS.iter().map(|preset| format!("\n  {:width$}  {}", preset.name, preset.about));
    format!("{TRAIN_EXAMPLES}{}", rows.collect::<String>())
}

/// Train a model: a preset, or a configuration
#[derive(clap::Args, Debug)]
#[command(after_help = train_help())]
pub struct TrainArgs {
    /// A preset, or a configuration (`.toml`); with `--resume` that of the checkpoint, if none is given
    #[arg(required_unless_present = "resume")]
    pub config: Option<String>,
    /// Axes and sizes, major first, as `data=2,expert=4`
    #[arg(long, value_name = "AXES")]
    pub mesh: Option<String>,
    /// Steps of the whole run
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Go on with the run in this directory, or from one of its checkpoints
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// With `ok`, go on although files of `data.files` are not as they were
    #[arg(long, value_enum, value_name = "ok", hide_possible_values = true, requires = "resume")]
    pub data_changed: Option<DataChanged>,
    /// Begin with weights from here: those of a run by name, as far as they fit; those of a folder of Hugging Face's,
    /// `hf:DIR`, all or none
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub init_from: Option<PathBuf>,
    /// Set a field of the configuration, as `model.experts=16`. May be given several times
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// The directory of the run
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the whole configuration as TOML, every field with its meaning, and train nothing
    #[arg(long)]
    pub print_config: bool,
    /// Show the run in a browser while it lasts, at this port of 127.0.0.1: curves, loads of experts, what is sent.
    /// Only this machine can look, and nobody can change anything. 0 takes a free port and tells which
    #[arg(long, value_name = "PORT")]
    pub serve: Option<u16>,
    /// What runs it
    #[arg(long, value_enum, default_value_t = TrainBackend::Cpu)]
    pub backend: TrainBackend,
    /// Take the largest mesh of the same axes that the ranks, or `--devices`, have; batch and groups of tokens stay as
    /// they are
    #[arg(long)]
    pub elastic: bool,
    /// Go on so often by itself if the run is killed, over ranks with one rank fewer
    #[arg(long, value_name = "N")]
    pub restarts: Option<u32>,
    /// Start so many ranks by `--mpirun`, with `--elastic`. A launcher under which none has lived for `--deadline` is
    /// ended, one that waits in a queue too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,
    /// How ranks are started, with options between spaces
    #[arg(long, value_name = "COMMAND", default_value = "mpirun")]
    pub mpirun: String,
    /// Hold this file for as long as the process lives: a supervisor asks for it
    #[arg(long, value_name = "FILE", hide = true)]
    pub alive: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostArgs,
}

/// What is said of texts that changed while a run stood still.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataChanged {
    /// The run goes on with what they hold now
    Ok,
}

/// What runs a model.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrainBackend {
    /// Compiled, on devices of this process
    Cpu,
    /// The same on the ranks that `mpirun` started
    Mpi,
    /// On the devices of a plugin of PJRT
    Pjrt,
}

/// Devices and threads.
#[derive(clap::Args, Clone, Debug)]
pub struct HostArgs {
    /// How many devices there are; the mesh must have as many [default: as many as the mesh has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub devices: Option<u32>,
    /// Worker threads of this process [default: one per core; with MPI one per rank]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Refuse programs that need more bytes on a device, before they run, as 512M or 1.5G [default: half of what is
    /// free on this machine, by devices]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::size)]
    pub memory_limit: Option<u64>,
    /// Seconds that is waited for other ranks or processes: by a collective, and while they start and end; `inf` is for
    /// ever
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = crate::bytes::seconds)]
    pub deadline: f64,
    #[command(flatten)]
    pub plugin: crate::plan_args::PluginArgs,
    #[command(flatten)]
    pub processes: ProcessArgs,
    #[command(flatten)]
    pub dump: DumpArgs,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  meshwright eval runs/switch-tiny                        its newest checkpoint, on one device
  meshwright eval runs/switch-tiny --mesh expert=4 --batches 50
  meshwright eval runs/switch-tiny/checkpoints/step-00000200 --json
  meshwright eval hf:t5-small --set data.corpus=files --set 'data.files=[\"held-out.txt\"]'
  meshwright eval runs/m4 --bleu test --beam 1            greedy translations, scored by language
  meshwright eval runs/m4 --bleu dev --sentences 100 --json";

/// Say how good a checkpoint is on text, images or sound it has not learnt from
#[derive(clap::Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Batches to evaluate on [default: as many as in training]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000), conflicts_with = "bleu")]
    pub batches: Option<u64>,
    /// Where the run has learnt from images: also write pictures of held-out ones, with what the model says of them
    #[arg(long, value_name = "DIR", conflicts_with = "bleu")]
    pub pictures: Option<PathBuf>,
    /// Translate sentences of this split of the corpus instead, and score them: BLEU and chrF2 by language. `dev` is
    /// what training holds out; folders that `data m4` wrote also have `test`
    #[arg(long, value_name = "SPLIT")]
    pub bleu: Option<String>,
    #[command(flatten)]
    pub languages: LanguageArgs,
    /// With `--bleu`: sentences of each language at most
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    pub sentences: u32,
    #[command(flatten, next_help_heading = "With --bleu")]
    pub search: SearchArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  meshwright export runs/switch-tiny -o model.safetensors           its newest checkpoint
  meshwright export runs/switch-tiny/checkpoints/step-00000200 -o early.safetensors
  meshwright export runs/switch-tiny --all -o - > all.safetensors   with the optimizer's states

In Python: `safetensors.numpy.load_file(\"model.safetensors\")`, or the same of `safetensors.torch`.";

/// Write what a run has learnt as one file of safetensors, tensors that were split put together
#[derive(clap::Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// The directory of a run, or one of its checkpoints
    pub dir: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.safetensors")]
    pub output: PathBuf,
    /// Also what the optimizer keeps, and the step
    #[arg(long)]
    pub all: bool,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  meshwright convert hf:t5-small runs/t5-small       a folder of Hugging Face's as a run
  meshwright generate runs/t5-small --prompt 'translate English to German: The house is small.'
  meshwright train runs/t5-small/config.toml --init-from hf:t5-small --out runs/mine
  meshwright convert runs/mine hf:mine               and back: for `from_pretrained(\"mine\")`
  meshwright convert t5x:checkpoint_1000000 runs/t5x of T5X, by its arrays' shapes

Read and written are T5, mT5, Switch Transformers, NLLB-MoE and Mixtral of Hugging Face's, and T5 and Switch of T5X's and flaxformer's. Every weight must be there, in its shape, and nothing else; what a model here does not have is \
refused by name. Nothing is overwritten.";

/// Turn a checkpoint of another library into a run, or a run's weights into such a checkpoint
#[derive(clap::Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    /// `hf:DIR`, a folder with `config.json` and safetensors; `t5x:DIR`, one with a file `checkpoint`; or the
    /// directory of a run, or one of its checkpoints
    pub from: String,
    /// The directory of a run, or `hf:DIR` or `t5x:DIR`: the other of the two. There must be nothing in it
    pub to: String,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  meshwright generate runs/switch-tiny --prompt 'drei Uhr ='
  meshwright generate runs/switch-tiny --prompt 'drei Uhr =' --temperature 0.8 --seed 7
  meshwright generate runs/switch-tiny --prompt 'a =' --prompt 'b =' --json
  meshwright generate runs/switch-translate-tiny --prompt 'vier Pferde'   an encoder's answers
  meshwright generate hf:t5-small --prompt 'translate English to German: The house is small.'
  meshwright generate hf:nllb-moe-54b --from deu_Latn --to eng_Latn --prompt 'Das Haus ist klein.'";

/// Let a checkpoint go on with a text
#[derive(clap::Args, Debug)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// How the text begins. May be given several times
    #[arg(long, value_name = "TEXT", required = true)]
    pub prompt: Vec<String>,
    #[command(flatten)]
    pub languages: LanguageArgs,
    /// Most tokens to write
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tokens: u32,
    /// Draw tokens, the less likely ones more often the higher this is [default: always the most likely token]
    #[arg(long, value_name = "T")]
    pub temperature: Option<f64>,
    /// The same seed draws the same text
    #[arg(long, value_name = "N", default_value_t = 0, requires = "temperature")]
    pub seed: u64,
    #[command(flatten)]
    pub room: RoomArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

const SCORE_EXAMPLES: &str = "\
Examples:
  meshwright score reference.en greedy.en beam.en
  meshwright score reference.en - < greedy.en
  meshwright score reference.en greedy.en --json

BLEU and chrF2 are those of sacreBLEU: of the whole text, on words cut as `13a`, one reference. Line n of a translation is held \
against line n of the reference.";

/// Say how near translations come to a reference: BLEU and chrF2
#[derive(clap::Args, Debug)]
#[command(after_help = SCORE_EXAMPLES)]
pub struct ScoreArgs {
    /// What is right, one sentence a line; `-` is standard input
    pub reference: PathBuf,
    /// Translations, a file for each system
    #[arg(required = true)]
    pub translations: Vec<PathBuf>,
}

/// A trained model, and what it is laid on.
#[derive(clap::Args, Debug)]
pub struct ModelArgs {
    /// The directory of a run, or one of its checkpoints; or another library's folder, as `hf:DIR` or `t5x:DIR`
    pub dir: PathBuf,
    /// Axes and sizes, major first, as `expert=4` [default: one device]
    #[arg(long, value_name = "AXES")]
    pub mesh: Option<String>,
    /// Set a field of the run's configuration. May be given several times
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// What runs it
    #[arg(long, value_enum, default_value_t = TrainBackend::Cpu)]
    pub backend: TrainBackend,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  meshwright reproduce switch-figure-12                    all runs, then table and figure
  meshwright reproduce switch-figure-12 --only 'dense,8 experts' --seeds 2
  meshwright reproduce switch-figure-12 --report           of the runs that are there
  meshwright reproduce switch-table-1 --steps 20 --seeds 1 a look at all of its variants
  meshwright reproduce --outcomes                          every claim, and whether it holds
  meshwright reproduce gshard-m4 --data m4                 many languages into English, scored
  meshwright reproduce gshard-m4 --again --lines 500       the same runs, more test sentences
  meshwright reproduce gspmd-table-1                       at the paper's sizes, beside its numbers
  meshwright reproduce --list                              every table, figure and algorithm

Runs are kept one by one, with seed and commit: what was interrupted goes on where it stopped. What is computed takes no options.";

/// Run again what a paper shows, at a size for this machine
#[derive(clap::Args, Debug)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub struct ReproduceArgs {
    /// Which table or figure
    #[arg(required_unless_present_any = ["list", "outcomes"])]
    pub study: Option<String>,
    /// List every table, figure and algorithm of the papers with its command
    #[arg(long, conflicts_with = "study")]
    pub list: bool,
    /// Write what became of each claim of the Switch Transformer, from all runs that are kept, as a page
    #[arg(long, conflicts_with_all = ["study", "list"])]
    pub outcomes: bool,
    /// Where runs and results are kept [default: reproduce/STUDY]; with `--outcomes` the folder of all [default:
    /// reproduce]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run these variants only, and those whose weights they need
    #[arg(long, value_name = "NAMES")]
    pub only: Option<String>,
    /// Run with so many seeds at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: Option<u64>,
    /// Steps of each run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// For a larger machine: widths, batch and steps so many times as large
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub scale: Option<u32>,
    /// Run nothing: write the report of what is there
    #[arg(long)]
    pub report: bool,
    /// The folder that `meshwright data m4` wrote, of a study of translations
    #[arg(long, value_name = "DIR", default_value = "m4")]
    pub data: PathBuf,
    /// Test sentences of each language that models are asked to translate
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lines: u32,
    /// Translate the tests again with the checkpoints that are kept
    #[arg(long)]
    pub again: bool,
    #[command(flatten)]
    pub host: HostArgs,
}

#[derive(clap::Subcommand, Debug)]
pub enum DataCommand {
    Collect(CollectArgs),
    M4(M4Args),
}

const COLLECT_EXAMPLES: &str = "\
Examples:
  meshwright data collect              documentation of the Rust toolchain and of Debian packages
  meshwright data collect --out texts --megabytes 8
  meshwright data collect --from ~/notes --from /usr/share/doc/bash

Paragraphs that read like prose are kept, each once, one to a line. `sources.json` beside them has the path, package, \
version and checksum of every file that gave some.";

/// Collect documentation that is installed here as text to train on
#[derive(clap::Args, Debug)]
#[command(after_help = COLLECT_EXAMPLES)]
pub struct CollectArgs {
    /// Where the text is put
    #[arg(long, value_name = "DIR", default_value = "collected")]
    pub out: PathBuf,
    /// Look there instead
    #[arg(long, value_name = "DIR")]
    pub from: Vec<PathBuf>,
    /// Collect at most so much text
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub megabytes: u64,
}

const M4_EXAMPLES: &str = "\
Examples:
  meshwright data m4 --languages de,fr,es,ja          download packages, write the folder m4
  meshwright data m4 --languages de,fr --from debs    of packages that lie in a folder
  meshwright data m4 --languages de,fr,sv --skew 1    the n-th language keeps 1/n of the first one's
  meshwright data m4 --languages de,fr --phrases 9999 without packages: phrases that rules make

Sentences are those of LibreOffice's help (paragraphs with one id) and screen, and of the catalogues that programs on this \
machine have. Which are for testing, letters and digits of the English decide, so no sentence that is tested is trained on in \
another language. `manifest.json` has versions, checksums and counts. Packages are downloaded, never installed.";

/// Collect sentences of many languages with their English
#[derive(clap::Args, Debug)]
#[command(after_help = M4_EXAMPLES)]
pub struct M4Args {
    /// Which languages, from the largest to the smallest, as Debian's packages name them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    pub languages: Vec<String>,
    /// Where the corpus is put
    #[arg(long, value_name = "DIR", default_value = "m4")]
    pub out: PathBuf,
    /// Take the packages (`.deb`) that lie there, and download none
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Take so many phrases of each language that the program makes by rules, and no packages
    #[arg(long, value_name = "N", conflicts_with = "from",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub phrases: Option<u64>,
    /// Where catalogues are installed, by locale
    #[arg(long, value_name = "DIR", default_value = "/usr/share/locale")]
    pub catalogues: PathBuf,
    /// The n-th language keeps n^-F of what the first has for training [default: all keep all]
    #[arg(long, value_name = "F", value_parser = skew)]
    pub skew: Option<f64>,
    /// Leave out sentences of more English words
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(3..=80))]
    pub words: u32,
    /// One sentence in so many is for testing
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub test_one_in: u64,
    /// One of the others in so many is held out in training
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub dev_one_in: u64,
    /// Which pairs a language keeps with `--skew`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// An exponent.
fn skew(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=10.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 10, as `1`".to_string())
}
