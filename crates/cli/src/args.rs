//! The arguments of the commands on modules, and those that several commands share.

use crate::help::{
    self, COMPARISON, DEBUGGING, EXECUTION, INPUT, MEASUREMENT, OUTPUT, PARTITIONING, QUESTIONS, TARGET,
};
use crate::processes::ProcessArgs;
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use meshwright_cost::Target;
use meshwright_cpu::Isa;
use meshwright_spmd::Goal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir                       # verify a module and summarize it
  meshwright explain step.mlir                     # shardings, collectives and peak memory
  meshwright partition step.mlir -o local.mlir     # one SPMD program for all devices
  meshwright verify step.mlir                      # compare it with the original module
  meshwright plan step.mlir --target tpu-v4:4x4x4  # step time and memory on a target machine
  meshwright train switch-tiny                     # train a preset on this machine
  python lower.py | meshwright check - --json      # read stdin, print JSON

Input formats: a module is StableHLO text, such as the output of `jax.jit(f).lower(x).as_text(debug_info=True)`, or HLO text. \
Meshwright detects the format from the content. `-` reads stdin, and `preset:NAME` is a built-in model.

Exit codes:
  0          success
  1          invalid input, a failed comparison, or a program that does not fit
  2          usage error
  3          environment error: files, memory, threads or plugins
  70         a bug in Meshwright
  130, 138, 143  ended by Ctrl-C, SIGUSR1 or SIGTERM

Sizes: output is in kB, MB and GB, powers of 1,000, and `--json` prints bytes. In options, 16GB is 16 x 1000^3 bytes, and 16G or \
16GiB is 16 x 1024^3 bytes.";

/// Partition, explain, plan and run programs across a mesh of devices
#[derive(Parser, Debug)]
#[command(
    name = "meshwright",
    version,
    after_long_help = EXAMPLES,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true
)]
pub struct Args {
    /// Print one JSON object to stdout instead of text
    #[arg(long, global = true, help_heading = help::GLOBAL)]
    pub json: bool,
    /// Set the instruction set of the CPU engine [default: $MESHWRIGHT_CPU, or the best available].
    ///
    /// On x86-64: portable, avx2, avx512 or amx. On AArch64: portable or neon.
    #[arg(long, global = true, hide_short_help = true, help_heading = help::GLOBAL, value_name = "SET", value_parser = crate::engine::instructions)]
    pub cpu: Option<Isa>,
    /// Limit the memory of this process (for example 16GB) [default: half of the free memory].
    ///
    /// The limit never changes a result. Work that exceeds it is refused.
    #[arg(long, global = true, hide_short_help = true, help_heading = help::GLOBAL, value_name = "BYTES", value_parser = crate::bytes::size)]
    pub host_memory_limit: Option<u64>,
    /// Print help; `--help` adds rare options and examples
    #[arg(short, long, global = true, action = ArgAction::Help, help_heading = help::GLOBAL)]
    pub help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, hide_short_help = true, help_heading = help::GLOBAL)]
    pub version: Option<bool>,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order of [`help::GROUPS`].
#[derive(Subcommand, Debug)]
pub enum Command {
    Check(CheckArgs),
    Print(PrintArgs),
    Explain(ExplainArgs),
    /// Draw shardings, partitioned ops and pipelines as SVG
    #[command(subcommand)]
    Draw(crate::draw_args::DrawCommand),
    /// List the built-in models and their sizes
    Presets,
    Doctor(crate::plan_args::DoctorArgs),
    Complete(CompleteArgs),
    Partition(PartitionArgs),
    Verify(VerifyArgs),
    Plan(crate::plan_args::PlanArgs),
    Compile(crate::plan_args::CompileArgs),
    Schedule(ScheduleArgs),
    Run(RunArgs),
    Train(crate::train_args::TrainArgs),
    Eval(crate::train_args::EvalArgs),
    Generate(crate::train_args::GenerateArgs),
    Translate(crate::decode_args::TranslateArgs),
    Score(crate::train_args::ScoreArgs),
    /// Prepare training text
    #[command(subcommand)]
    Data(crate::train_args::DataCommand),
    Export(crate::train_args::ExportArgs),
    Convert(crate::train_args::ConvertArgs),
    /// Measure compilation, steps and collectives on this machine
    #[command(subcommand)]
    Bench(BenchCommand),
    Campaign(CampaignArgs),
    CompareXla(CompareXlaArgs),
    /// List the stages and passes of compilation
    Passes,
    Reproduce(crate::train_args::ReproduceArgs),
}

const SCHEDULE_EXAMPLES: &str = "\
Examples:
  meshwright schedule                                    # compare the built-in schedules
  meshwright schedule 1f1b --stages 8 --microbatches 32  # draw one of them
  meshwright schedule gpipe --durations 1,2,1            # rematerialize in the backward pass
  meshwright schedule zero-bubble --orders > mine.txt    # write a schedule to edit
  meshwright schedule mine.txt                           # check and draw your own

A schedule file has one line per stage. `F3` is the forward pass of microbatch 3, and `B3` its backward pass. `I3` and `W3` are \
the two halves of `B3`: gradients of inputs and of weights. `F3.1` is in round 1 of a stage that holds several layers. Missing \
passes, duplicates and deadlocks are errors.";

/// Draw and compare pipeline schedules
#[derive(clap::Args, Debug)]
#[command(after_long_help = SCHEDULE_EXAMPLES)]
pub struct ScheduleArgs {
    #[command(flatten)]
    pub of: PipelineArgs,
    /// Print the schedule as text that `meshwright schedule` reads
    #[arg(long, help_heading = OUTPUT)]
    pub orders: bool,
}

/// A pipeline schedule and its sizes.
#[derive(clap::Args, Debug)]
pub struct PipelineArgs {
    /// gpipe, circular, 1f1b, interleaved, zero-bubble, a file, or `-` for stdin [default: compare all]
    #[arg(value_name = "SCHEDULE")]
    pub which: Option<PathBuf>,
    /// Set the number of stages [default: 4]
    #[arg(long, value_name = "N", help_heading = "Pipeline")]
    pub stages: Option<i64>,
    /// Set the number of layers per stage (circular and interleaved) [default: 2]
    #[arg(long, value_name = "N", help_heading = "Pipeline")]
    pub rounds: Option<i64>,
    /// Set the number of microbatches [default: 8]
    #[arg(long, value_name = "N", help_heading = "Pipeline")]
    pub microbatches: Option<i64>,
    /// Set the durations of the passes of a layer: forward, backward to inputs, backward to weights [default: 1,1,1]
    #[arg(long, value_name = "F,I,W", value_parser = durations, help_heading = "Pipeline")]
    pub durations: Option<[i64; 3]>,
}

/// Parses three numbers, such as `1,2,1`.
fn durations(text: &str) -> Result<[i64; 3], String> {
    const MOST: i64 = 1000;
    let numbers: Result<Vec<i64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([forward, inputs, weights])
            if [forward, inputs, weights].iter().all(|n| (1..=MOST).contains(*n)) =>
        {
            Ok([*forward, *inputs, *weights])
        }
        _ => Err(format!("expected three integers from 1 to {MOST}, for example 1,1,1")),
    }
}

const CHECK_EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir           # a file
  meshwright check preset:switch-base  # a built-in model
  meshwright check - --json < step.hlo # stdin, as JSON";

/// Parse and verify a module, and summarize its contents
#[derive(clap::Args, Debug)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    #[arg(value_name = "MODULE", help = help::MODULE)]
    pub file: PathBuf,
}

const PRINT_EXAMPLES: &str = "\
Examples:
  meshwright print step.hlo > step.mlir                # HLO to StableHLO
  meshwright print step.mlir --format hlo -o step.hlo  # StableHLO to HLO";

/// Print a module as StableHLO or HLO text
#[derive(clap::Args, Debug)]
#[command(after_long_help = PRINT_EXAMPLES)]
pub struct PrintArgs {
    #[arg(value_name = "MODULE", help = help::MODULE)]
    pub file: PathBuf,
    /// Set the output format
    #[arg(long, value_enum, default_value_t = Format::Stablehlo, help_heading = OUTPUT)]
    pub format: Format,
    /// Print MLIR's generic form (StableHLO only)
    #[arg(long, help_heading = OUTPUT)]
    pub generic: bool,
    /// Print the source location of each op (StableHLO only)
    #[arg(long, help_heading = OUTPUT)]
    pub locations: bool,
    /// Write to this file; `-` is stdout [default: -]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
}

/// The text format of a module.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Stablehlo,
    Hlo,
}

const RUN_EXAMPLES: &str = "\
Examples:
  meshwright run step.mlir                                    # random inputs from seed 0
  meshwright run step.mlir --inputs in.npz --outputs out.npz  # read and write arrays
  meshwright run step.mlir --inputs in.npz --expect jax.npz   # compare; exit 1 on a difference
  meshwright run partitioned.hlo --seed 3                     # on simulated devices
  meshwright run loop.mlir --infeed in.npz --outfeed out.npz  # feed the program while it runs
  meshwright run step.mlir --backend cpu                      # partition, run on this machine
  mpirun -n 2 meshwright run step.mlir --backend mpi          # partition, run on two processes

Backends: `interp` runs the module as it is. `cpu`, `mpi` and `pjrt` first complete and partition a program that has global shapes.

Arrays: archives name arrays 0, 1, ... in the order of parameters or results. `arr_0` and the name of a parameter also work. NumPy \
has no bf16 or f8, so Meshwright writes their bits (uint16, uint8) under a key with the type, such as `0:bf16`. It reads that form, \
and the arrays that JAX saves.

Partitioned programs: an array may be the local value (the same on every device), all local values stacked along a new leading dim, \
or the global value, which Meshwright shards like the parameter.";

/// Run a module on the interpreter, CPU devices, MPI or PJRT
#[derive(clap::Args, Debug)]
#[command(after_long_help = RUN_EXAMPLES)]
pub struct RunArgs {
    #[arg(value_name = "MODULE", help = help::MODULE)]
    pub file: PathBuf,
    /// Read parameters from this archive [default: random]
    #[arg(long, value_name = "FILE.npz", help_heading = INPUT)]
    pub inputs: Option<PathBuf>,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "inputs", help_heading = INPUT)]
    pub seed: u64,
    /// Feed `infeed` on every device from this archive
    #[arg(long, value_name = "FILE.npz", hide_short_help = true, help_heading = INPUT)]
    pub infeed: Option<PathBuf>,
    /// Write results to this archive
    #[arg(long, value_name = "FILE.npz", help_heading = OUTPUT)]
    pub outputs: Option<PathBuf>,
    /// Write the data of `outfeed` to this archive
    #[arg(long, value_name = "FILE.npz", hide_short_help = true, help_heading = OUTPUT)]
    pub outfeed: Option<PathBuf>,
    /// Compare results with this archive; exit 1 if they differ
    #[arg(long, value_name = "FILE.npz", help_heading = COMPARISON)]
    pub expect: Option<PathBuf>,
    #[command(flatten)]
    pub close: CloseArgs,
    /// Run on this backend
    #[arg(long, value_enum, default_value_t = Backend::Interp, help_heading = EXECUTION)]
    pub backend: Backend,
    /// Set the number of devices [default: from the module]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = EXECUTION)]
    pub devices: Option<u32>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub dump: DumpArgs,
}

/// Tolerances of a comparison.
#[derive(clap::Args, Clone, Debug)]
pub struct CloseArgs {
    /// Set the tolerance of floats, relative to the largest value of a result.
    ///
    /// The default depends on the type: f32 2e-5, f64 1e-9, bf16 and f16 0.0078.
    #[arg(long, value_name = "REL", value_parser = crate::compare::bound, requires = "expect", conflicts_with_all = ["rtol", "atol"], help_heading = COMPARISON)]
    pub tolerance: Option<f64>,
    /// Set NumPy's relative tolerance: ATOL + RTOL * |expected|, per element, also for integers
    #[arg(long, value_name = "RTOL", value_parser = crate::compare::bound, requires = "expect", hide_short_help = true, help_heading = COMPARISON)]
    pub rtol: Option<f64>,
    /// Set NumPy's absolute tolerance [default: 0]
    #[arg(long, value_name = "ATOL", value_parser = crate::compare::bound, requires = "expect", hide_short_help = true, help_heading = COMPARISON)]
    pub atol: Option<f64>,
}

/// The backends of `run`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The reference interpreter: slow, defines the semantics of every op
    Interp,
    /// Compiled code on devices in this process
    Cpu,
    /// Compiled code on the ranks that `mpirun` started
    Mpi,
    /// The devices of a PJRT plugin
    Pjrt,
}

/// The backends of a command that runs in a single process.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalBackend {
    /// Compiled code on devices in this process
    Cpu,
    /// The devices of a PJRT plugin, without times per op
    Pjrt,
}

/// Options of the engine.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct EngineArgs {
    /// Set the number of worker threads.
    ///
    /// The default is one per core, and with MPI one per rank.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = EXECUTION)]
    pub threads: Option<u32>,
    /// Limit peak memory per device (for example 16GB)
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::size, help_heading = EXECUTION)]
    pub memory_limit: Option<u64>,
    /// Stop at the first op that makes a NaN or an infinity from finite inputs (slow)
    #[arg(long, help_heading = EXECUTION)]
    pub check_nans: bool,
    /// Write a timeline of ops per device to this file, for Perfetto
    #[arg(long, value_name = "FILE.json", help_heading = OUTPUT)]
    pub trace: Option<PathBuf>,
    /// Fail if other ranks or processes do not respond for this many seconds; `inf` waits forever
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = crate::bytes::seconds, hide_short_help = true, help_heading = EXECUTION)]
    pub deadline: f64,
    #[command(flatten)]
    pub plugin: crate::plan_args::PluginArgs,
    /// Load an executable from `meshwright compile --save` instead of compiling.
    ///
    /// Needs `--backend pjrt`, and the module and device count that were compiled.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = help::PLUGIN)]
    pub stored: Option<PathBuf>,
    #[command(flatten)]
    pub processes: ProcessArgs,
}

const COMPLETE_EXAMPLES: &str = "\
Examples:
  meshwright complete step.mlir -o completed.mlir  # write the module with every sharding
  meshwright complete step.hlo --summary           # count annotated and inferred values
  meshwright complete step.hlo --format stablehlo  # name mesh axes, as Shardy does
  meshwright complete model.mlir --devices 8       # for a module that states no device count
  meshwright complete step.mlir --propagate-to-outputs none --propagate-to-parameters 0,2

Completion keeps every annotation. It may split open dims (`?`, `unspecified_dims`) further. Conflicts between annotations are \
reported on stderr, with the origin of both. `meshwright explain` traces each axis to its annotation. With `-o`, the summary goes \
to stdout, or to stderr if the module does.";

/// Propagate sharding annotations to every value of a module
#[derive(clap::Args, Debug)]
#[command(after_long_help = COMPLETE_EXAMPLES)]
pub struct CompleteArgs {
    /// Write to this file; `-` is stdout [default: -]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Set the output format [default: that of the input]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub format: Option<Format>,
    /// Count annotated, inferred and replicated values instead of printing the module
    #[arg(long = "summary", visible_alias = "stats", help_heading = OUTPUT)]
    pub stats: bool,
    #[command(flatten)]
    pub input: AnnotatedArgs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  meshwright explain step.mlir                         # layers, collectives, memory, suggestions
  meshwright explain step.mlir --why \"p['w1']\"         # the origin of a parameter's sharding
  meshwright explain step.mlir --why '%e.1' --full     # dim 1 of %e, every propagation step
  meshwright explain step.mlir --why model.py:31       # values made on a line of your program
  meshwright explain step.mlir --why-not '%e=[x, _]'   # the cost of another sharding
  meshwright explain --diff old.mlir new.mlir          # changes and their causes
  meshwright explain step.mlir --target tpu-v4         # partition for a machine, simulate its step
  meshwright explain step.mlir --html report.html      # everything on one page
  meshwright explain step.mlir --tiles '%e'            # the devices that hold each tile

Values: use the name in the module (`%e`, `@block:%h`), in the framework (`p['w1']`, with `*` for any number, or the end of an op \
name, such as `block_0/attn/dot_general`), or a line of your program (`model.py:31`). A suffix such as `.1` selects one dim.

Sizes are per device and per run. Without `--target`, the simulated machine is a generic one. Meshwright partitions the module with \
each suggestion to measure its savings.";

/// Explain a partitioned program: shardings, collectives, memory
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXPLAIN_EXAMPLES)]
pub struct ExplainArgs {
    /// Trace the sharding of a value, or one dim of it, to its annotations (repeatable)
    #[arg(long, value_name = "VALUE[.DIM]", allow_hyphen_values = false, help_heading = QUESTIONS)]
    pub why: Vec<String>,
    /// Print every propagation step and neighbour (with `--why`)
    #[arg(long, requires = "why", help_heading = QUESTIONS)]
    pub full: bool,
    /// Price another sharding, and print the reasons against it.
    ///
    /// `%x=[a, _]` has one entry per dim, and `_` leaves a dim unsplit.
    #[arg(long, value_name = "VALUE=[..]", conflicts_with_all = ["why", "diff"], help_heading = QUESTIONS)]
    pub why_not: Option<String>,
    /// Replace the annotation of the value (with `--why-not`)
    #[arg(long, requires = "why_not", help_heading = QUESTIONS)]
    pub instead: bool,
    /// Compare with an older module, as Markdown.
    ///
    /// Reports changes in bytes, time, memory and collectives, and the annotations that cause them. Exits with 1 if
    /// bytes, time or memory grow by more than the threshold.
    #[arg(long, value_name = "BEFORE", conflicts_with = "why", help_heading = QUESTIONS)]
    pub diff: Option<PathBuf>,
    /// Allow growth of this many percent (with `--diff`)
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, requires = "diff", value_parser = crate::bytes::percent, help_heading = QUESTIONS)]
    pub threshold: f64,
    /// Draw the tiles of a value, with the devices that hold each
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["why", "why_not", "diff"], help_heading = QUESTIONS)]
    pub tiles: Option<String>,
    /// Write the explanation as one HTML page that needs no network
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["why", "why_not", "diff", "tiles", "model_explorer"], help_heading = OUTPUT)]
    pub html: Option<PathBuf>,
    /// Write the graph as JSON for Google's Model Explorer
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["why", "why_not", "diff", "tiles"], help_heading = OUTPUT)]
    pub model_explorer: Option<PathBuf>,
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target, help = help::TARGET_HELP, long_help = help::TARGET_LONG_HELP, help_heading = TARGET)]
    pub target: Option<Target>,
    #[command(flatten)]
    pub input: AnnotatedArgs,
}

/// An annotated module, and options of completion and partitioning.
#[derive(clap::Args, Debug)]
pub struct AnnotatedArgs {
    #[arg(value_name = "MODULE", help = help::MODULE)]
    pub file: PathBuf,
    /// Set the number of devices [default: from the module]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = PARTITIONING)]
    pub devices: Option<u32>,
    /// Minimize bytes sent or estimated step time
    #[arg(long, value_enum, default_value_t = Least::Bytes, value_name = "COST", help_heading = PARTITIONING)]
    pub least: Least,
    /// Set the parameters that completion may split: `all`, `none` or indices such as 0,2.
    ///
    /// Applies to parameters without an annotation. [default: from the module]
    #[arg(long, value_name = "WHICH", hide_short_help = true, help_heading = PARTITIONING)]
    pub propagate_to_parameters: Option<Free>,
    /// Set the results that completion may split: `all`, `none` or indices such as 0,2.
    ///
    /// Applies to results without an annotation. [default: from the module]
    #[arg(long, value_name = "WHICH", hide_short_help = true, help_heading = PARTITIONING)]
    pub propagate_to_outputs: Option<Free>,
    /// Propagate annotations by priority only, as in the GSPMD paper, without the cost model
    #[arg(long, hide_short_help = true, help_heading = PARTITIONING)]
    pub no_cost_completion: bool,
    /// Set the smallest transfer for a windowed einsum, or `never` [default: 256M].
    ///
    /// A windowed einsum overlaps computation with an all-gather or reduce-scatter in pieces. Meshwright uses it where
    /// it saves time. A memory limit may allow smaller transfers.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::loops_from, hide_short_help = true, help_heading = PARTITIONING)]
    pub loops_from: Option<f64>,
    #[command(flatten)]
    pub dump: DumpArgs,
}

/// The cost that partitioning minimizes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    Bytes,
    Seconds,
}

impl Least {
    pub fn goal(self) -> Goal {
        match self {
            Least::Bytes => Goal::Bytes,
            Least::Seconds => Goal::Seconds,
        }
    }
}

/// Dumps and checks of a compilation.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct DumpArgs {
    /// Write the module after every stage and pass to this directory [default: $MESHWRIGHT_DUMP].
    ///
    /// Files are numbered in the order of the passes. On the CPU engine, the steps after each of its passes are written
    /// too. A command that compiles several programs writes each to its own subdirectory. Files of an older dump are
    /// removed first.
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = DEBUGGING)]
    pub dump_dir: Option<PathBuf>,
    /// Write the module only after this stage or pass (repeatable); `meshwright passes` lists the names
    #[arg(long, value_name = "NAME", value_parser = crate::stages::name, hide_short_help = true, help_heading = DEBUGGING)]
    pub dump_after: Vec<&'static str>,
    /// Verify the module, or the steps of the CPU engine, after every pass (slow)
    #[arg(long, hide_short_help = true, help_heading = DEBUGGING)]
    pub verify_each: bool,
}

/// The unannotated parameters or results that completion may split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Free {
    All,
    None,
    Only(Vec<usize>),
}

impl std::str::FromStr for Free {
    type Err = String;

    fn from_str(text: &str) -> Result<Free, String> {
        match text {
            "all" => Ok(Free::All),
            "none" => Ok(Free::None),
            numbers => {
                let numbers: Result<_, _> = numbers.split(',').map(|number| number.trim().parse()).collect();
                numbers.map(Free::Only).map_err(|_| "expected `all`, `none`, or indices such as `0,2`".into())
            }
        }
    }
}

const PARTITION_EXAMPLES: &str = "\
Examples:
  meshwright partition step.mlir -o local.mlir        # write the program, report its cost
  meshwright partition step.mlir --style embedded     # a program that XLA and JAX compile as it is
  meshwright partition step.mlir --stop-after plan    # strategies and reshards, on global shapes
  meshwright partition step.mlir --memory-limit 16GB  # fit a device, or fail with the reason
  meshwright partition step.mlir --target tpu-v3      # plan for a target machine
  meshwright partition step.mlir --stats stats.json   # collectives, bytes and flops as JSON
  meshwright partition step.mlir --dump-dir out       # the module after every stage and pass
  meshwright partition preset:gshard-12l-2048e -o step.hlo  # a model at the size of its paper

Memory: Meshwright shrinks a program that exceeds `--memory-limit`, for example by rematerialization. If it still does not fit, the \
command fails.

Streams: with `-o`, the traffic table goes to stdout, or to stderr if the module does. With `--stats -`, the module is written only \
if `-o` names a file.";

/// Partition an annotated module into one SPMD program
#[derive(clap::Args, Debug)]
#[command(after_long_help = PARTITION_EXAMPLES)]
pub struct PartitionArgs {
    /// Write to this file; `-` is stdout [default: -]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Set the output format [default: that of the input]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub format: Option<Format>,
    /// Set the form of the program: local shapes, or a manual region in a global signature
    #[arg(long, value_enum, default_value_t = Style::Plain, help_heading = OUTPUT)]
    pub style: Style,
    /// Write replica groups as mesh axes, or as device lists that every StableHLO version reads
    #[arg(long, value_enum, default_value_t = GroupStyle::Axes, hide_short_help = true, help_heading = OUTPUT)]
    pub groups: GroupStyle,
    /// Stop after this stage and write its module
    #[arg(long, value_enum, conflicts_with = "style", help_heading = OUTPUT)]
    pub stop_after: Option<Stage>,
    /// Write collectives, bytes and flops per device to this file; `-` is stdout
    #[arg(long, value_name = "FILE.json", help_heading = OUTPUT)]
    pub stats: Option<PathBuf>,
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target, help = help::TARGET_HELP, long_help = help::TARGET_LONG_HELP, help_heading = TARGET)]
    pub target: Option<Target>,
    /// Limit peak memory per device (for example 16GB) [default: the target's memory]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, help_heading = TARGET)]
    pub memory_limit: Option<i64>,
    #[command(flatten)]
    pub input: AnnotatedArgs,
}

/// The form of a partitioned program.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Local shapes
    Plain,
    /// A global signature around one manual region
    Embedded,
}

/// The form of replica groups in StableHLO text.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupStyle {
    Axes,
    Lists,
}

/// A stage that partitioning may stop after.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Plan,
    Pad,
    Reshard,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  meshwright verify step.mlir                        # random inputs, on the interpreter
  meshwright verify step.mlir --devices 8 --seeds 3  # three sets of random inputs
  meshwright verify step.mlir --inputs state.npz     # your own inputs
  meshwright verify step.mlir --scaled               # shrink a module that is too large to run
  meshwright verify step.mlir --backend cpu          # run both sides on the CPU engine
  meshwright verify step.mlir --dtype asis           # keep the module's own types

Results agree if no element differs by more than 1e-9 (in f64) or 1e-3 (in the module's own types), relative to the largest \
magnitude of that result in the original. On the CPU engine, the interpreter also checks a sample of elements.";

/// Check a partitioned program against the original module
#[derive(clap::Args, Debug)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    /// Read parameters from this archive [default: random]
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["seeds", "seed"], help_heading = INPUT)]
    pub inputs: Option<PathBuf>,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = INPUT)]
    pub seed: u64,
    /// Set the number of seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000), help_heading = INPUT)]
    pub seeds: u64,
    /// Verify a smaller version of the module if it is too large to run; the report names its dims
    #[arg(long, conflicts_with = "inputs", help_heading = INPUT)]
    pub scaled: bool,
    /// Run on this backend
    #[arg(long, visible_alias = "engine", value_enum, default_value_t = Judge::Interp, help_heading = EXECUTION)]
    pub backend: Judge,
    /// Compute in these types
    #[arg(long, value_enum, default_value_t = Compute::Auto, help_heading = EXECUTION)]
    pub dtype: Compute,
    #[command(flatten)]
    pub plugin: crate::plan_args::PluginArgs,
    #[command(flatten)]
    pub input: AnnotatedArgs,
}

/// The backends of `verify`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// The reference interpreter: slow, defines the semantics of every op
    Interp,
    /// The CPU engine: the module on one device, and its partitioned program
    Cpu,
    /// The module on the CPU engine, and its partitioned program on a PJRT plugin
    Pjrt,
}

/// The types that `verify` computes in.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compute {
    /// f64 for all floats, unless an op depends on their bits; on the CPU engine the module's own types
    Auto,
    /// f64 for all floats, or an error
    F64,
    /// The module's own types
    Asis,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  meshwright bench compile step.mlir --repeat 20    # time per compilation stage
  meshwright bench step step.mlir --repeat 10       # seconds, GFLOP/s and bytes of a step
  meshwright bench step step.mlir --trace out.json  # a timeline for https://ui.perfetto.dev
  meshwright bench collectives --devices 8          # time per collective
  meshwright bench machine                          # measure the machine for `plan --target this`";

/// Measurements of this machine.
#[derive(Subcommand, Debug)]
pub enum BenchCommand {
    /// Time each compilation stage, from text to partitioned text
    #[command(after_long_help = BENCH_EXAMPLES)]
    Compile(BenchCompileArgs),
    /// Time a program on this machine, on random inputs
    #[command(after_long_help = BENCH_EXAMPLES)]
    Step(BenchStepArgs),
    /// Time decoding by beam size, length and key-value cache layout
    Decode(crate::decode_args::BenchDecodeArgs),
    /// Time collectives of in-process devices against copies of equal size
    #[command(after_long_help = BENCH_EXAMPLES)]
    Collectives(BenchCollectivesArgs),
    /// Measure this machine for `--target this`, or check its predictions
    #[command(after_long_help = BENCH_EXAMPLES)]
    Machine(BenchMachineArgs),
}

#[derive(clap::Args, Debug)]
pub struct BenchMachineArgs {
    /// Write to this file; `-` is stdout [default: $MESHWRIGHT_MACHINE, or meshwright-machine.json]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Run these modules and compare measured with predicted step times.
    ///
    /// Measures no machine: it compares CPU seconds per step with the prediction from the machine file.
    #[arg(long, value_name = "MODULE", num_args = 1.., help_heading = MEASUREMENT)]
    pub against: Vec<PathBuf>,
    /// Compare each kind of step too; with `--json`, each step
    #[arg(long, requires = "against", help_heading = MEASUREMENT)]
    pub by_kind: bool,
    /// Repeat each measurement N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = MEASUREMENT)]
    pub repeat: u32,
}

#[derive(clap::Args, Debug)]
pub struct BenchStepArgs {
    #[arg(value_name = "MODULE", help = help::MODULE)]
    pub file: PathBuf,
    /// Repeat each measurement N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = MEASUREMENT)]
    pub repeat: u32,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = MEASUREMENT)]
    pub seed: u64,
    /// List the N slowest ops
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = MEASUREMENT)]
    pub top: u32,
    /// Run on this backend
    #[arg(long, value_enum, default_value_t = LocalBackend::Cpu, help_heading = EXECUTION)]
    pub backend: LocalBackend,
    /// Set the number of devices [default: from the module]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = EXECUTION)]
    pub devices: Option<u32>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub dump: DumpArgs,
}

#[derive(clap::Args, Debug)]
pub struct BenchCollectivesArgs {
    /// Repeat each measurement N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = MEASUREMENT)]
    pub repeat: u32,
    /// Set the array size per device, in MiB: the operand, or the result of an all-gather
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = MEASUREMENT)]
    pub megabytes: u32,
    /// Set the number of devices
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=256), help_heading = EXECUTION)]
    pub devices: u32,
    /// Set the number of worker threads.
    ///
    /// The default is one per core, and with MPI one per rank.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = EXECUTION)]
    pub threads: Option<u32>,
}

#[derive(clap::Args, Debug)]
pub struct BenchCompileArgs {
    /// Repeat each measurement N times
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = MEASUREMENT)]
    pub repeat: u32,
    #[command(flatten)]
    pub input: AnnotatedArgs,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  meshwright compare-xla tests/golden/yardstick  # one dump
  meshwright compare-xla dumps/                  # every dump in a directory

A dump holds before_propagation.hlo, after_propagation.hlo and after_partitioning.hlo. XLA writes them with \
--xla_dump_hlo_pass_re='spmd.*|sharding.*' --xla_dump_hlo_as_text --xla_dump_large_constants";

/// Compare completed and partitioned modules with XLA's
#[derive(clap::Args, Debug)]
#[command(after_long_help = COMPARE_EXAMPLES)]
pub struct CompareXlaArgs {
    /// Directories of XLA dumps
    #[arg(required = true, value_name = "DUMPS")]
    pub folders: Vec<PathBuf>,
}

const CAMPAIGN_EXAMPLES: &str = "\
Examples:
  meshwright campaign --cases 10000 --seed 1     # 10,000 random programs
  meshwright campaign --faults --cases 2000      # detect twenty planted faults

This command runs in `meshwright-lab`: `cargo build --release -p meshwright-lab` builds it. That build ends at the first panic. \
`cargo xtask campaign` counts panics and continues.";

/// Test the partitioner on random programs
#[derive(clap::Args, Debug)]
#[command(after_long_help = CAMPAIGN_EXAMPLES)]
pub struct CampaignArgs {
    /// Set the number of programs
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = INPUT)]
    pub cases: u64,
    /// Set the random seed
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = INPUT)]
    pub seed: u64,
    /// Start at this program
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = INPUT)]
    pub first: u64,
    /// Generate only ops of these families
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "faults", help_heading = INPUT)]
    pub families: Vec<String>,
    /// Plant known faults in the partitioned programs, and count the cases until each is detected
    #[arg(long, help_heading = INPUT)]
    pub faults: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Returns a command and all of its subcommands.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        command.get_subcommands().flat_map(all).chain([command]).collect()
    }

    /// The terminal width wraps paragraphs, so a manual line break would leave short lines. Examples keep their lines.
    #[test]
    fn paragraphs_after_options_have_no_manual_line_breaks() {
        let root = Args::command();
        for command in all(&root) {
            let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
                let is_shown = line.starts_with(' ') || line.ends_with(':');
                assert!(!line.starts_with(' ') || line.chars().count() <= 100, "too wide: {line}");
                assert!(is_shown || next.is_empty() || line.is_empty(), "broken by hand: {line}");
            }
        }
    }
}
