//! The arguments of `train`, of the commands that use its runs, and of `data`.

use crate::args::DumpArgs;
use crate::decode_args::{RoomArgs, SearchArgs};
use crate::help::{self, DECODING, EXECUTION, INPUT, MODEL, OUTPUT, RESTARTS, TRAINING};
use crate::languages::LanguageArgs;
use crate::processes::ProcessArgs;
use clap::ValueEnum;
use meshwright_train::preset::PRESETS;
use std::path::PathBuf;

const TRAIN_EXAMPLES: &str = "\
Examples:
  meshwright train switch-translate-tiny                   # a preset, on 8 devices of this process
  meshwright train switch-tiny --mesh data=8 --steps 100   # another mesh, fewer steps
  meshwright train config.toml --set model.experts=16      # your own configuration
  meshwright train --resume runs/switch-tiny               # continue from the newest checkpoint
  meshwright train --resume runs/switch-tiny --mesh expert=2    # ... on another mesh
  meshwright train switch-tiny --init-from runs/other      # weights by name, a fresh optimizer
  meshwright train mine.toml --init-from hf:t5-small       # Hugging Face weights
  meshwright train switch-tiny --print-config > mine.toml  # every field with its meaning
  meshwright train switch-tiny --serve 8080                # live charts in a browser
  mpirun -n 2 meshwright train switch-tiny --backend mpi   # the devices split over two processes
  meshwright train switch-tiny --backend mpi --ranks 4 --restarts 3
                                        # start `mpirun`; use three ranks if one is killed

Run directory: runs/NAME, or runs/NAME-2 and so on if it exists. Meshwright overwrites nothing in it. During training, no other \
process may write to the directory; `eval` and `generate` may read it.

Signals: Ctrl-C, SIGTERM and SIGUSR1 write a checkpoint and end the run, also over ranks. A second signal ends the process at once. \
The exit code is 128 plus the signal number: 130 for Ctrl-C, 143 for SIGTERM, 138 for SIGUSR1.

Presets:";

/// Returns the examples and the list of presets.
fn train_help() -> String {
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let rows = PRESETS.iter().map(|preset| format!("\n  {:width$}  {}", preset.name, preset.about));
    format!("{TRAIN_EXAMPLES}{}", rows.collect::<String>())
}

/// Train a preset or a configured model
#[derive(clap::Args, Debug)]
#[command(after_long_help = train_help())]
pub struct TrainArgs {
    /// Preset or configuration (`.toml`) [default with `--resume`: that of the checkpoint]
    #[arg(required_unless_present = "resume")]
    pub config: Option<String>,
    /// Set the mesh axes, for example data=2,expert=4.
    ///
    /// The outermost axis comes first.
    #[arg(long, value_name = "AXES", help_heading = TRAINING)]
    pub mesh: Option<String>,
    /// Set the number of training steps
    #[arg(long, value_name = "N", help_heading = TRAINING)]
    pub steps: Option<u64>,
    /// Set a configuration field such as model.experts=16.
    ///
    /// May be repeated.
    #[arg(long, value_name = "FIELD=VALUE", help_heading = TRAINING)]
    pub set: Vec<String>,
    /// Write to this directory [default: runs/NAME]
    #[arg(long, value_name = "DIR", help_heading = TRAINING)]
    pub out: Option<PathBuf>,
    /// Print the configuration as TOML and exit.
    ///
    /// A comment explains each field.
    #[arg(long, help_heading = TRAINING)]
    pub print_config: bool,
    /// Show the run in a browser at this port of 127.0.0.1.
    ///
    /// The page shows loss curves, expert load and communication. Only this machine can open it, and it is read-only.
    /// Port 0 selects a free port and prints it.
    #[arg(long, value_name = "PORT", help_heading = TRAINING)]
    pub serve: Option<u16>,
    /// Continue the run in this directory, or from one of its checkpoints
    #[arg(long, value_name = "DIR", help_heading = help::CHECKPOINTS)]
    pub resume: Option<PathBuf>,
    /// Start from the weights of a run or of `hf:DIR`, with a fresh optimizer.
    ///
    /// Weights of a run are matched by name, and mismatches are skipped. Weights of a Hugging Face directory must all
    /// match.
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = help::CHECKPOINTS)]
    pub init_from: Option<PathBuf>,
    /// Continue with `ok` although files of `data.files` changed
    #[arg(long, value_enum, value_name = "ok", hide_possible_values = true, requires = "resume", hide_short_help = true, help_heading = help::CHECKPOINTS)]
    pub data_changed: Option<DataChanged>,
    /// Run on this backend
    #[arg(long, value_enum, default_value_t = TrainBackend::Cpu, help_heading = EXECUTION)]
    pub backend: TrainBackend,
    #[command(flatten)]
    pub host: HostArgs,
    /// Restart up to N times if the run is killed.
    ///
    /// A run over ranks restarts with one rank fewer.
    #[arg(long, value_name = "N", help_heading = RESTARTS)]
    pub restarts: Option<u32>,
    /// Shrink or grow the mesh to the available ranks or `--devices`.
    ///
    /// The mesh keeps its axes and takes the largest size that fits. The batch and the groups of tokens do not change.
    #[arg(long, hide_short_help = true, help_heading = RESTARTS)]
    pub elastic: bool,
    /// Start this many ranks with `--mpirun`; implies `--elastic`.
    ///
    /// A launcher without a living rank for `--deadline` seconds is ended, even if it waits in a queue.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), hide_short_help = true, help_heading = RESTARTS)]
    pub ranks: Option<u32>,
    /// Set the command that starts ranks, with its options
    #[arg(long, value_name = "COMMAND", default_value = "mpirun", hide_short_help = true, help_heading = RESTARTS)]
    pub mpirun: String,
    /// Hold this file for the lifetime of the process; set by a supervisor
    #[arg(long, value_name = "FILE", hide = true)]
    pub alive: Option<PathBuf>,
}

/// A confirmation that training texts changed since the checkpoint.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataChanged {
    /// The run continues with their current content
    Ok,
}

/// The backends of a model.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrainBackend {
    /// Compiled code on devices in this process
    Cpu,
    /// Compiled code on the ranks that `mpirun` started
    Mpi,
    /// The devices of a PJRT plugin
    Pjrt,
}

/// Devices, threads and memory.
#[derive(clap::Args, Clone, Debug)]
pub struct HostArgs {
    /// Set the number of devices [default: mesh size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = EXECUTION)]
    pub devices: Option<u32>,
    /// Set the number of worker threads.
    ///
    /// The default is one per core, and with MPI one per rank.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = EXECUTION)]
    pub threads: Option<u32>,
    /// Limit peak memory per device (for example 16GB) [default: half of free memory, shared by devices]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::size, help_heading = EXECUTION)]
    pub memory_limit: Option<u64>,
    /// Fail if other ranks or processes do not respond for this many seconds; `inf` waits forever
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = crate::bytes::seconds, hide_short_help = true, help_heading = EXECUTION)]
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
  meshwright eval runs/switch-tiny                               # newest checkpoint, one device
  meshwright eval runs/switch-tiny --mesh expert=4 --batches 50  # four devices, 50 batches
  meshwright eval runs/switch-tiny/checkpoints/step-00000200 --json  # one checkpoint, as JSON
  meshwright eval hf:t5-small --set data.corpus=files --set 'data.files=[\"held-out.txt\"]'
  meshwright eval runs/m4 --bleu test --beam 1                   # BLEU of greedy translations
  meshwright eval runs/m4 --bleu dev --sentences 100 --json      # 100 sentences per language";

/// Evaluate a checkpoint on held-out data
#[derive(clap::Args, Debug)]
#[command(after_long_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Set the number of batches [default: configured]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000), conflicts_with = "bleu", help_heading = EVALUATION)]
    pub batches: Option<u64>,
    /// Write held-out images and predictions to this directory
    #[arg(long, value_name = "DIR", conflicts_with = "bleu", help_heading = EVALUATION)]
    pub pictures: Option<PathBuf>,
    /// Translate this split; report BLEU and chrF2 by language.
    ///
    /// `dev` is the split that training holds out. Corpora from `meshwright data m4` also have `test`.
    #[arg(long, value_name = "SPLIT", help_heading = EVALUATION)]
    pub bleu: Option<String>,
    /// Limit the test sentences per language
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..), help_heading = EVALUATION)]
    pub sentences: u32,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

const EVALUATION: &str = "Evaluation";

const EXPORT_EXAMPLES: &str = "\
Examples:
  meshwright export runs/switch-tiny -o model.safetensors           # the newest checkpoint
  meshwright export runs/switch-tiny/checkpoints/step-00000200 -o early.safetensors  # an older one
  meshwright export runs/switch-tiny --all -o - > all.safetensors   # with the optimizer state

In Python, read the file with `load_file` of `safetensors.numpy` or `safetensors.torch`. Sharded tensors are written whole.";

/// Export a checkpoint to a safetensors file
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// Run directory, or one of its checkpoints
    #[arg(value_name = "RUN")]
    pub dir: PathBuf,
    /// Write to this file; `-` is stdout
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: PathBuf,
    /// Include the optimizer state and the step
    #[arg(long, help_heading = OUTPUT)]
    pub all: bool,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  meshwright convert hf:t5-small runs/t5-small        # Hugging Face to a run
  meshwright convert runs/mine hf:mine                # and back, for `from_pretrained(\"mine\")`
  meshwright convert t5x:checkpoint_1000000 runs/t5x  # T5X, recognized by array shapes
  meshwright generate runs/t5-small --prompt 'translate English to German: The house is small.'
  meshwright train runs/t5-small/config.toml --init-from hf:t5-small --out runs/mine  # fine-tune

Supported models: T5, mT5, Switch Transformers, NLLB-MoE and Mixtral of Hugging Face; T5 and Switch of T5X and flaxformer. The \
weights must match the model exactly. A feature that Meshwright lacks is an error that names it. Nothing is overwritten.";

/// Convert checkpoints to and from Hugging Face and T5X
#[derive(clap::Args, Debug)]
#[command(after_long_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    /// Source: `hf:DIR`, `t5x:DIR`, a run directory or a checkpoint.
    ///
    /// `hf:DIR` holds `config.json` and safetensors. `t5x:DIR` holds a file `checkpoint`.
    pub from: String,
    /// Destination: an empty or new run directory, `hf:DIR` or `t5x:DIR`.
    ///
    /// One of source and destination is a run.
    pub to: String,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  meshwright generate runs/switch-tiny --prompt 'drei Uhr ='              # the likeliest tokens
  meshwright generate runs/switch-tiny --prompt 'drei Uhr =' --temperature 0.8 --seed 7  # sample
  meshwright generate runs/switch-tiny --prompt 'a =' --prompt 'b =' --json  # two prompts
  meshwright generate runs/switch-translate-tiny --prompt 'vier Pferde'   # an encoder-decoder
  meshwright generate hf:t5-small --prompt 'translate English to German: The house is small.'
  meshwright generate hf:nllb-moe-54b --from deu_Latn --to eng_Latn --prompt 'Das Haus ist klein.'";

/// Generate text from a checkpoint
#[derive(clap::Args, Debug)]
#[command(after_long_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Continue this text (repeatable)
    #[arg(long, value_name = "TEXT", required = true, help_heading = DECODING)]
    pub prompt: Vec<String>,
    /// Limit the generated tokens
    #[arg(long = "max-tokens", alias = "tokens", value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = DECODING)]
    pub tokens: u32,
    /// Sample at this temperature [default: always the likeliest token]
    #[arg(long, value_name = "T", help_heading = DECODING)]
    pub temperature: Option<f64>,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 0, requires = "temperature", help_heading = DECODING)]
    pub seed: u64,
    #[command(flatten)]
    pub languages: LanguageArgs,
    #[command(flatten)]
    pub room: RoomArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

const SCORE_EXAMPLES: &str = "\
Examples:
  meshwright score reference.en greedy.en beam.en  # two systems
  meshwright score reference.en - < greedy.en      # a translation on stdin
  meshwright score reference.en greedy.en --json   # the scores as JSON

BLEU and chrF2 equal those of sacreBLEU for the whole text, with `13a` tokens and one reference. Line n of a translation is scored \
against line n of the reference.";

/// Score translations against a reference: BLEU and chrF2
#[derive(clap::Args, Debug)]
#[command(after_long_help = SCORE_EXAMPLES)]
pub struct ScoreArgs {
    /// Reference sentences, one per line; `-` is stdin
    pub reference: PathBuf,
    /// Translations, one file per system
    #[arg(required = true)]
    pub translations: Vec<PathBuf>,
}

/// A trained model, and the devices that run it.
#[derive(clap::Args, Debug)]
pub struct ModelArgs {
    /// Run directory, one of its checkpoints, `hf:DIR` or `t5x:DIR`
    #[arg(value_name = "CHECKPOINT")]
    pub dir: PathBuf,
    /// Set the mesh axes, for example data=2,expert=4 [default: one device].
    ///
    /// The outermost axis comes first.
    #[arg(long, value_name = "AXES", help_heading = MODEL)]
    pub mesh: Option<String>,
    /// Set a configuration field such as model.experts=16.
    ///
    /// May be repeated.
    #[arg(long, value_name = "FIELD=VALUE", help_heading = MODEL)]
    pub set: Vec<String>,
    /// Run on this backend
    #[arg(long, value_enum, default_value_t = TrainBackend::Cpu, help_heading = MODEL)]
    pub backend: TrainBackend,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  meshwright reproduce --list                                # every table, figure and algorithm
  meshwright reproduce switch-figure-12                      # train all runs, plot the figure
  meshwright reproduce switch-figure-12 --only 'dense,8 experts' --seeds 2  # some of the runs
  meshwright reproduce switch-figure-12 --report             # report the finished runs
  meshwright reproduce switch-table-1 --steps 20 --seeds 1   # a short look at every variant
  meshwright reproduce --outcomes                            # every claim, and whether it holds
  meshwright reproduce gshard-m4 --data m4                   # translation into English, scored
  meshwright reproduce gshard-m4 --again --sentences 500     # score more test sentences
  meshwright reproduce gspmd-table-1                         # at paper size, beside its numbers

Each run is kept with its seed and commit, and an interrupted run continues where it stopped. Tables that are computed rather than \
trained take no options. This command runs in `meshwright-lab`: `cargo build --release -p meshwright-lab` builds it.";

/// Reproduce tables and figures of the papers
#[derive(clap::Args, Debug)]
#[command(after_long_help = REPRODUCE_EXAMPLES)]
pub struct ReproduceArgs {
    /// Table or figure; `--list` names them
    #[arg(required_unless_present_any = ["list", "outcomes"])]
    pub study: Option<String>,
    /// List all tables, figures and algorithms with their commands
    #[arg(long, conflicts_with = "study", help_heading = OUTPUT)]
    pub list: bool,
    /// Write a page on every claim of the Switch Transformer paper, from all kept runs
    #[arg(long, conflicts_with_all = ["study", "list"], help_heading = OUTPUT)]
    pub outcomes: bool,
    /// Report the finished runs without training
    #[arg(long, help_heading = OUTPUT)]
    pub report: bool,
    /// Write to this directory [default: reproduce/STUDY; with `--outcomes` reproduce]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Run only these variants.
    ///
    /// Variants that provide their initial weights run too.
    #[arg(long, value_name = "NAMES", help_heading = help::STUDY)]
    pub only: Option<String>,
    /// Set the number of seeds [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = help::STUDY)]
    pub seeds: Option<u64>,
    /// Set the number of training steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = help::STUDY)]
    pub steps: Option<u64>,
    /// Multiply widths, batch and steps by N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = help::STUDY)]
    pub scale: Option<u32>,
    /// Read the corpus from this directory of `meshwright data m4` (translation studies)
    #[arg(long, value_name = "DIR", default_value = "m4", help_heading = help::STUDY)]
    pub data: PathBuf,
    /// Limit the test sentences per language
    #[arg(long = "sentences", alias = "lines", value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = help::STUDY)]
    pub lines: u32,
    /// Translate again with the kept checkpoints
    #[arg(long, help_heading = help::STUDY)]
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
  meshwright data collect                            # from installed documentation
  meshwright data collect --out texts --megabytes 8  # 8 MiB of text
  meshwright data collect --from ~/notes --from /usr/share/doc/bash  # from these directories

Without `--from`, the text comes from the documentation of the Rust toolchain and of Debian packages. The command keeps each \
paragraph that reads like prose once, one per line. `sources.json` lists the path, package, version and checksum of every source \
file.";

/// Collect training text from installed documentation
#[derive(clap::Args, Debug)]
#[command(after_long_help = COLLECT_EXAMPLES)]
pub struct CollectArgs {
    /// Read from this directory (repeatable) [default: installed documentation]
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub from: Vec<PathBuf>,
    /// Write to this directory
    #[arg(long, value_name = "DIR", default_value = "collected", help_heading = OUTPUT)]
    pub out: PathBuf,
    /// Limit the size of the text, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = OUTPUT)]
    pub megabytes: u64,
}

const M4_EXAMPLES: &str = "\
Examples:
  meshwright data m4 --languages de,fr,es,ja           # download packages, write to m4
  meshwright data m4 --languages de,fr --from debs     # read packages from a directory
  meshwright data m4 --languages de,fr,sv --skew 1     # language n keeps 1/n of its pairs
  meshwright data m4 --languages de,fr --phrases 9999  # generated phrases, no packages

Sentences come from the help of LibreOffice, matched by paragraph id, from screen, and from the message catalogues on this machine. \
The letters and digits of the English sentence select the test split, so no test sentence is trained on in another language. \
`manifest.json` records versions, checksums and counts. Packages are downloaded, never installed. This command runs in \
`meshwright-lab`: `cargo build --release -p meshwright-lab` builds it.";

/// Collect sentences in many languages with their English translations
#[derive(clap::Args, Debug)]
#[command(after_long_help = M4_EXAMPLES)]
pub struct M4Args {
    /// Set the languages, largest first, as Debian packages name them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true, help_heading = INPUT)]
    pub languages: Vec<String>,
    /// Read packages (`.deb`) from this directory instead of downloading them
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub from: Option<PathBuf>,
    /// Generate N phrases per language by rules instead of reading packages
    #[arg(long, value_name = "N", conflicts_with = "from",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = INPUT)]
    pub phrases: Option<u64>,
    /// Read message catalogues from this directory
    #[arg(long, value_name = "DIR", default_value = "/usr/share/locale", help_heading = INPUT)]
    pub catalogues: PathBuf,
    /// Write to this directory
    #[arg(long, value_name = "DIR", default_value = "m4", help_heading = OUTPUT)]
    pub out: PathBuf,
    /// Keep n^-F of the first language's training pairs for language n [default: keep all]
    #[arg(long, value_name = "F", value_parser = skew, help_heading = SELECTION)]
    pub skew: Option<f64>,
    /// Leave out sentences of more than N English words
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(3..=80), help_heading = SELECTION)]
    pub words: u32,
    /// Put one sentence in N into the test split
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..=1_000_000), help_heading = SELECTION)]
    pub test_one_in: u64,
    /// Put one sentence in N of the rest into the dev split, which training holds out
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..=1_000_000), help_heading = SELECTION)]
    pub dev_one_in: u64,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = SELECTION)]
    pub seed: u64,
}

const SELECTION: &str = "Selection";

/// Parses the exponent of `--skew`.
fn skew(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=10.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 10, for example 1".to_string())
}
