//! The arguments. Help texts are part of the program: they teach by example.

use crate::processes::ProcessArgs;
use clap::{Parser, Subcommand, ValueEnum};
use meshwright_cost::Target;
use meshwright_cpu::Isa;
use meshwright_spmd::Goal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir                      what is in this module, and is it sound?
  meshwright print step.hlo --format stablehlo    rewrite HLO text as StableHLO
  meshwright run step.mlir --inputs in.npz --expect out.npz
  meshwright partition step.mlir -o local.mlir    one program for all devices
  meshwright verify step.mlir                     is it equal to the original?
  python lower.py | meshwright check - --json

Modules are StableHLO text (as `jax.jit(f).lower(x).as_text(debug_info=True)` gives) or HLO text; which of them is told by content.

Exit codes: 0 done, 1 the input is wrong (or differs, or does not fit, where that was asked), 2 usage, 3 environment (files, \
memory, threads, plugins), 70 a bug of ours; 130 and 143 a run that Ctrl-C or SIGTERM ended. Sizes are in kB, MB and GB, powers of \
1,000; with `--json` all are in bytes.";

/// What stands over the options that every command takes.
const EVERY: &str = "Options of every command";

/// Complete, partition, explain and run SPMD programs.
#[derive(Parser, Debug)]
#[command(name = "meshwright", version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Args {
    /// Print one JSON object to stdout instead of text
    #[arg(long, global = true, help_heading = EVERY)]
    pub json: bool,
    /// Vector instructions of the CPU engine: portable, avx2, avx512 or amx; on AArch64 portable or neon [default:
    /// $MESHWRIGHT_CPU, or all there are]
    #[arg(long, global = true, help_heading = EVERY, value_name = "SET", value_parser = crate::engine::instructions)]
    pub cpu: Option<Isa>,
    /// Most bytes of memory that this process may take: it never changes what is computed, what does not fit is refused
    /// [default: half of what is free]
    #[arg(long, global = true, help_heading = EVERY, value_name = "BYTES", value_parser = crate::bytes::size)]
    pub host_memory_limit: Option<u64>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Check(CheckArgs),
    Print(PrintArgs),
    Run(RunArgs),
    Complete(CompleteArgs),
    Explain(ExplainArgs),
    /// Draw a tensor on its mesh, an op before and after partitioning, a halo exchange, a pipeline: as SVG
    #[command(subcommand)]
    Draw(crate::draw_args::DrawCommand),
    Partition(PartitionArgs),
    Plan(crate::plan_args::PlanArgs),
    Compile(crate::plan_args::CompileArgs),
    Verify(VerifyArgs),
    /// Measure how long things take on this machine
    #[command(subcommand)]
    Bench(BenchCommand),
    CompareXla(CompareXlaArgs),
    Campaign(CampaignArgs),
    Train(crate::train_args::TrainArgs),
    Eval(crate::train_args::EvalArgs),
    Export(crate::train_args::ExportArgs),
    Convert(crate::train_args::ConvertArgs),
    Generate(crate::train_args::GenerateArgs),
    Translate(crate::decode_args::TranslateArgs),
    Score(crate::train_args::ScoreArgs),
    Doctor(crate::plan_args::DoctorArgs),
    /// List the models that come with the program, with their sizes
    Presets,
    /// List the stages and passes of a compilation, with what each does
    Passes,
    Schedule(ScheduleArgs),
    Reproduce(crate::train_args::ReproduceArgs),
    /// Text to train on
    #[command(subcommand)]
    Data(crate::train_args::DataCommand),
}

const SCHEDULE_EXAMPLES: &str = "\
Examples:
  meshwright schedule                                    the known ones side by side
  meshwright schedule 1f1b --stages 8 --microbatches 32  one of them, drawn
  meshwright schedule gpipe --durations 1,2,1            stages are computed again on the way back
  meshwright schedule zero-bubble --orders > mine.txt    as text, to be changed
  meshwright schedule mine.txt                           checked and drawn

In the text a line is a stage: `F3` is the forward pass of microbatch 3, `B3` its backward pass, `I3` and `W3` the halves of that \
(gradients of inputs, of weights); `F3.1` is in round 1, on a stage that has several layers. What is missing, done twice, or waits \
for itself is refused.";

/// Draw the order of work in a pipeline: how long stages wait, and what they keep
#[derive(clap::Args, Debug)]
#[command(after_help = SCHEDULE_EXAMPLES)]
pub struct ScheduleArgs {
    #[command(flatten)]
    pub of: PipelineArgs,
    /// Write the orders as text
    #[arg(long)]
    pub orders: bool,
}

/// Which schedule, and of what sizes.
#[derive(clap::Args, Debug)]
pub struct PipelineArgs {
    /// gpipe, circular, 1f1b, interleaved, zero-bubble, or a file with one; `-` is standard input [default: all the
    /// known ones, compared]
    #[arg(value_name = "SCHEDULE")]
    pub which: Option<PathBuf>,
    /// How many stages [default: 4]
    #[arg(long, value_name = "N")]
    pub stages: Option<i64>,
    /// How many layers each stage takes turns with: circular and interleaved [default: 2]
    #[arg(long, value_name = "N")]
    pub rounds: Option<i64>,
    /// How many microbatches [default: 8]
    #[arg(long, value_name = "N")]
    pub microbatches: Option<i64>,
    /// What a layer's passes take: forward, backward to its inputs, backward to its weights [default: 1,1,1]
    #[arg(long, value_name = "F,I,W", value_parser = durations)]
    pub durations: Option<[i64; 3]>,
}

/// Three numbers, as `1,2,1`.
fn durations(text: &str) -> Result<[i64; 3], String> {
    const MOST: i64 = 1000;
    let numbers: Result<Vec<i64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([forward, inputs, weights])
            if [forward, inputs, weights].iter().all(|n| (1..=MOST).contains(*n)) =>
        {
            Ok([*forward, *inputs, *weights])
        }
        _ => Err(format!("three whole numbers from 1 to {MOST}, as `1,1,1`")),
    }
}

const CHECK_EXAMPLES: &str = "\
Examples:
  meshwright check step.mlir
  meshwright check - --json < step.hlo";

/// Read a module, verify it, and say what is in it
#[derive(clap::Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program
    pub file: PathBuf,
}

const PRINT_EXAMPLES: &str = "\
Examples:
  meshwright print step.hlo --format stablehlo > step.mlir
  meshwright print step.mlir --format hlo -o step.hlo";

/// Read a module and write it again, in either format
#[derive(clap::Args, Debug)]
#[command(after_help = PRINT_EXAMPLES)]
pub struct PrintArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program
    pub file: PathBuf,
    /// The format to write
    #[arg(long, value_enum, default_value_t = Format::Stablehlo)]
    pub format: Format,
    /// Write MLIR's generic form (StableHLO only)
    #[arg(long)]
    pub generic: bool,
    /// Write where each op came from (StableHLO only)
    #[arg(long)]
    pub locations: bool,
    /// Write here instead of to standard output, which is also `-`
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// A text form of a module.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Stablehlo,
    Hlo,
}

const RUN_EXAMPLES: &str = "\
Examples:
  meshwright run step.mlir                                    inputs made up from seed 0
  meshwright run step.mlir --inputs in.npz --outputs out.npz
  meshwright run step.mlir --inputs in.npz --expect jax.npz   compare, exit with 1 if they differ
  meshwright run partitioned.hlo --seed 3                     on simulated devices
  meshwright run loop.mlir --infeed in.npz --outfeed out.npz  what enters and leaves while it runs
  meshwright run step.mlir --backend cpu                      partitioned, on this machine's cores
  mpirun -n 2 meshwright run step.mlir --backend mpi          the same over two processes

Arrays are called 0, 1, ... in an archive, in the order of parameters or results; `arr_0` and a parameter's own name are \
understood too. Numpy has no bf16 or f8: arrays that JAX made are taken for what the program has there; others are bits \
(uint16, uint8) under a key that names the type, as `0:bf16`, which is also what is written. \
A partitioned program runs on several devices. An array for it is the local value (the same on every device), all local \
values stacked along a new leading dim, or the global value, which is cut by the parameter's sharding.";

/// Run a module: on the reference interpreter, this machine's cores, or over MPI
#[derive(clap::Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program
    pub file: PathBuf,
    /// Devices to run a partitioned program on [default: as many as it says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub devices: Option<u32>,
    /// Read the parameters from an archive
    #[arg(long, value_name = "FILE.npz")]
    pub inputs: Option<PathBuf>,
    /// Write the results to an archive
    #[arg(long, value_name = "FILE.npz")]
    pub outputs: Option<PathBuf>,
    /// Compare the results with an archive
    #[arg(long, value_name = "FILE.npz")]
    pub expect: Option<PathBuf>,
    #[command(flatten)]
    pub close: CloseArgs,
    /// Queue the arrays of an archive for `infeed`, the same for every device
    #[arg(long, value_name = "FILE.npz")]
    pub infeed: Option<PathBuf>,
    /// Write what `outfeed` gives to an archive
    #[arg(long, value_name = "FILE.npz")]
    pub outfeed: Option<PathBuf>,
    /// Make up the parameters from this number
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "inputs")]
    pub seed: u64,
    /// What runs it. Engines complete and partition a program on global shapes first
    #[arg(long, value_enum, default_value_t = Backend::Interp)]
    pub backend: Backend,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub dump: DumpArgs,
}

/// When results count as the expected ones.
#[derive(clap::Args, Clone, Debug)]
pub struct CloseArgs {
    /// How far floats may be off, as a share of the largest expected magnitude of a result [default: by type: f32 2e-5,
    /// f64 1e-9, bf16 and f16 0.0078]
    #[arg(long, value_name = "REL", value_parser = crate::compare::bound, requires = "expect", conflicts_with_all = ["rtol", "atol"])]
    pub tolerance: Option<f64>,
    /// NumPy's bound instead, for each number, also integers: `ATOL + RTOL * |expected|`
    #[arg(long, value_name = "RTOL", value_parser = crate::compare::bound, requires = "expect")]
    pub rtol: Option<f64>,
    /// Its absolute part [default: 0]
    #[arg(long, value_name = "ATOL", value_parser = crate::compare::bound, requires = "expect")]
    pub atol: Option<f64>,
}

/// What runs a program.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The reference interpreter: slow, and the meaning of every op
    Interp,
    /// Compiled, on devices of this process
    Cpu,
    /// The same on the ranks that `mpirun` started
    Mpi,
    /// On the devices of a plugin of PJRT
    Pjrt,
}

/// What runs a program in this process alone.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalBackend {
    /// Compiled, on devices of this process
    Cpu,
    /// On the devices of a plugin of PJRT, whose ops are not told apart
    Pjrt,
}

/// How an engine runs.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct EngineArgs {
    /// Worker threads of this process [default: one per core; with MPI one per rank]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Refuse a program that needs more bytes on a device, before it runs, as 4096, 512k, 16M or 1.5G
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::size)]
    pub memory_limit: Option<u64>,
    /// Stop at the first op that makes a NaN or an infinity of finite numbers (slow)
    #[arg(long)]
    pub check_nans: bool,
    /// Write when each op ran on each device (Chrome's trace JSON, which Perfetto reads)
    #[arg(long, value_name = "OUT.json")]
    pub trace: Option<PathBuf>,
    /// Seconds that is waited for other ranks or processes: by a collective, and while they start and end; `inf` is for
    /// ever
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = crate::bytes::seconds)]
    pub deadline: f64,
    #[command(flatten)]
    pub plugin: crate::plan_args::PluginArgs,
    /// Load what `meshwright compile --save` wrote of the same file for the same devices, in place of compiling it;
    /// with `--backend pjrt`
    #[arg(long, value_name = "FILE")]
    pub stored: Option<PathBuf>,
    #[command(flatten)]
    pub processes: ProcessArgs,
}

const COMPLETE_EXAMPLES: &str = "\
Examples:
  meshwright complete step.mlir -o completed.mlir
  meshwright complete step.hlo --stats                    how many were given, inferred, replicated
  meshwright complete step.hlo --format stablehlo         with named axes, as Shardy writes them
  meshwright complete model.mlir --devices 8
  meshwright complete step.mlir --propagate-to-outputs none --propagate-to-parameters 0,2

What is annotated is kept; dims left open (`?`, `unspecified_dims`) may be split further. Annotations that pull different \
ways are told on stderr, with both origins. `meshwright explain` says where each axis came from.";

/// Give every value of a module a sharding, from a few annotations
#[derive(clap::Args, Debug)]
#[command(after_help = COMPLETE_EXAMPLES)]
pub struct CompleteArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// The format to write [default: that of the input]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write here instead of to standard output, which is also `-`: then with the counts of `--stats` on stderr
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Say how many values were given, inferred, replicated, instead of writing the module to standard output
    #[arg(long)]
    pub stats: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  meshwright explain step.mlir                         layers, collectives, memory, advice
  meshwright explain step.mlir --why \"p['w1']\"        where does this parameter's split come from?
  meshwright explain step.mlir --why '%e.1' --full     the same for dim 1 of %e, with every step
  meshwright explain step.mlir --why model.py:31       of what is made at this line
  meshwright explain step.mlir --why-not '%e=[x, _]'   what would it cost, and what is against it?
  meshwright explain --diff old.mlir new.mlir          what changed, and which annotation did it
  meshwright explain step.mlir --target tpu-v4         the same for that machine, as `plan`
  meshwright explain step.mlir --html report.html      all of it as a page for a browser
  meshwright explain step.mlir --tiles '%e'            which device holds which part

Values are asked for as the text calls them (`%e`, `@block:%h`), as the framework does (`p['w1']`, with `*` for any number; an op's \
name or its end, as `block_0/attn/dot_general`), or by a line of the user's program (`model.py:31`); `.1` behind it asks for one dim. \
Sizes are of one device and one run. What advice would save was measured, by partitioning with it.";

/// Say what a partitioned program does and why: what is sent, what is kept, and where shardings come from
#[derive(clap::Args, Debug)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// A value, and `.DIM` for one of its dims: where does its split come from? May be given several times
    #[arg(long, value_name = "VALUE.DIM", allow_hyphen_values = false)]
    pub why: Vec<String>,
    /// With `--why`: every step that an axis took, and all neighbours
    #[arg(long, requires = "why")]
    pub full: bool,
    /// What would this sharding cost instead, and what stood against it? As `%x=[a, _]`, an entry for each dim, `_` for
    /// one that stays whole
    #[arg(long, value_name = "VALUE=[..]", conflicts_with_all = ["why", "diff"])]
    pub why_not: Option<String>,
    /// With `--why-not`: in place of what the value is annotated as
    #[arg(long, requires = "why_not")]
    pub instead: bool,
    /// What changed from this module to FILE: bytes, time, memory, collectives, and which annotation did it, in
    /// Markdown. Exits with 1 where one of the first three grew beyond the threshold
    #[arg(long, value_name = "BEFORE", conflicts_with = "why")]
    pub diff: Option<PathBuf>,
    /// With `--diff`: percent that bytes, time or memory may grow by
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, requires = "diff", value_parser = crate::bytes::percent)]
    pub threshold: f64,
    /// Draw how a value is cut: its tiles, and the devices that hold each
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["why", "why_not", "diff"])]
    pub tiles: Option<String>,
    /// Write the graph with its shardings and collectives as JSON for Google's Model Explorer
    #[arg(long, value_name = "OUT.json", conflicts_with_all = ["why", "why_not", "diff", "tiles"])]
    pub model_explorer: Option<PathBuf>,
    /// Write it all as a page for a browser, one file that needs no network: layers that unfold, what is sent and why,
    /// memory, the timeline, and your lines
    #[arg(long, value_name = "OUT.html", conflicts_with_all = ["why", "why_not", "diff", "tiles", "model_explorer"])]
    pub html: Option<PathBuf>,
    /// The machine that the program is partitioned for and its step simulated on, as `plan` does [default: a plain one]
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target)]
    pub target: Option<Target>,
}

/// A module with annotations, and what it may leave open.
#[derive(clap::Args, Debug)]
pub struct AnnotatedArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program
    pub file: PathBuf,
    /// Number of devices, where the module does not say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub devices: Option<u32>,
    /// Which unannotated parameters may be split: `all`, `none`, or numbers as `0,2` [default: as the module says]
    #[arg(long, value_name = "WHICH")]
    pub propagate_to_parameters: Option<Free>,
    /// Which unannotated results may be split: `all`, `none`, or numbers as `0,2` [default: as the module says]
    #[arg(long, value_name = "WHICH")]
    pub propagate_to_outputs: Option<Free>,
    /// Spread annotations by their priorities alone, as the papers say, whatever the program costs
    #[arg(long)]
    pub no_cost_completion: bool,
    /// What the program should have least of: bytes sent, or seconds as they are estimated
    #[arg(long, value_enum, default_value_t = Least::Bytes)]
    pub least: Least,
    /// Bytes from which on what an einsum gathers or scatters may travel in pieces while it computes (a windowed
    /// einsum), where that saves time; or `never`. A memory limit may ask for more loops [default: 256M]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::loops_from)]
    pub loops_from: Option<f64>,
    #[command(flatten)]
    pub dump: DumpArgs,
}

/// What a program should have least of.
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

/// Which modules are written while a module is compiled.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct DumpArgs {
    /// Write the modules behind every stage and pass into this folder, and the steps behind every pass of the CPU
    /// engine where it runs, numbered in the order in which they ran; where a command compiles several programs,
    /// each into a folder of its name there. Files of an older dump into it are taken away first
    /// [default: $MESHWRIGHT_DUMP]
    #[arg(long, value_name = "DIR")]
    pub dump_dir: Option<PathBuf>,
    /// Only behind this stage or pass; may be given several times. `meshwright passes` lists them
    #[arg(long, value_name = "NAME", value_parser = crate::stages::name)]
    pub dump_after: Vec<&'static str>,
    /// Verify behind every pass, over modules and over the CPU engine's steps, and say which one is wrong: for who
    /// writes passes (slow)
    #[arg(long)]
    pub verify_each: bool,
}

/// Which unannotated values of the signature completion may choose for.
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
                numbers.map(Free::Only).map_err(|_| "write `all`, `none`, or numbers as `0,2`".into())
            }
        }
    }
}

const PARTITION_EXAMPLES: &str = "\
Examples:
  meshwright partition step.mlir -o local.mlir        and what it would cost in less memory
  meshwright partition step.mlir --style embedded     a program XLA and JAX compile unchanged
  meshwright partition step.mlir --stop-after plan    strategies and reshards, on global shapes
  meshwright partition step.mlir --memory-limit 16G   within a device's memory, or why not
  meshwright partition step.mlir --target tpu-v3      the same, planned for that machine
  meshwright partition step.mlir --stats stats.json
  meshwright partition step.mlir --dump-dir out       the module behind every stage and pass
  meshwright partition preset:gshard-12l-2048e -o step.hlo    a model at a paper's size";

/// Turn an annotated module into one program for all devices
#[derive(clap::Args, Debug)]
#[command(after_help = PARTITION_EXAMPLES)]
pub struct PartitionArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// The format to write [default: that of the input]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Local shapes, or a global signature with everything inside a manual region
    #[arg(long, value_enum, default_value_t = Style::Plain)]
    pub style: Style,
    /// Groups of collectives as axes of the mesh, or as lists of devices, which every version of StableHLO reads
    #[arg(long, value_enum, default_value_t = GroupStyle::Axes)]
    pub groups: GroupStyle,
    /// Stop early and write that stage's module
    #[arg(long, value_enum, conflicts_with = "style")]
    pub stop_after: Option<Stage>,
    /// Write here instead of to standard output, which is also `-`: then with the table of traffic on stderr
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Write collectives, bytes and flops per device to this JSON file; `-` is standard output, and the module is then
    /// written with `-o` alone
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// Most bytes of a device's program peak, as 4096, 512k, 16M or 1.5G: what does not fit is made smaller or refused
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    pub memory_limit: Option<i64>,
    /// The machine that the program is for, as tpu-v3, tpu-v4:4x4x4, h100:8x4, `this` or a file: what it takes there is
    /// told, with `--least seconds` decides between plans, and its memory is the limit where none is given
    #[arg(long, value_name = "MACHINE", value_parser = crate::target::target)]
    pub target: Option<Target>,
}

/// How a partitioned program is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Embedded,
}

/// How the groups of collectives are written in StableHLO text.
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
  meshwright verify step.mlir
  meshwright verify step.mlir --devices 8 --seeds 3
  meshwright verify step.mlir --inputs state.npz    on inputs of one's own
  meshwright verify step.mlir --scaled              a smaller one, where it fits no memory
  meshwright verify step.mlir --backend cpu         in seconds: both sides on the engine
  meshwright verify step.mlir --dtype asis          with the rounding of its own types

Results agree where no element differs by more than 1e-9 (in f64) or 1e-3 (in the module's own types) times the largest \
magnitude of that result in the original.";

/// Partition a module and run both it and the original, on the interpreter if nothing else is said: are they equal?
#[derive(clap::Args, Debug)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// How many sets of random inputs
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// The first seed of random inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Arrays of an archive instead of random inputs, named as for `run`
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["seeds", "seed"])]
    pub inputs: Option<PathBuf>,
    /// Verify a module with smaller dims in place of one too large to run; the verdict says which
    #[arg(long, conflicts_with = "inputs")]
    pub scaled: bool,
    /// In which types
    #[arg(long, value_enum, default_value_t = Compute::Auto)]
    pub dtype: Compute,
    /// What runs both sides; of what the CPU engine makes, the interpreter judges elements that are drawn
    #[arg(long, visible_alias = "engine", value_enum, default_value_t = Judge::Interp)]
    pub backend: Judge,
    #[command(flatten)]
    pub plugin: crate::plan_args::PluginArgs,
}

/// What runs both sides of `verify`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// The reference interpreter: slow, and the meaning of every op
    Interp,
    /// The CPU engine: the module on one device beside its partitioned program
    Cpu,
    /// The same with the partitioned program on the devices of a plugin of PJRT
    Pjrt,
}

/// The types `verify` computes in.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compute {
    /// Floats widened to f64 if nothing in the module looks at their bits, else the module's own, as always on the CPU
    /// engine
    Auto,
    /// Floats widened to f64, or an error
    F64,
    /// The module's own
    Asis,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  meshwright bench compile step.mlir --repeat 20
  meshwright bench step step.mlir --repeat 10         seconds, GFLOP/s, bytes
  meshwright bench step step.mlir --trace out.json    open it in https://ui.perfetto.dev
  meshwright bench collectives --devices 8
  meshwright bench machine                            then `meshwright plan step.mlir --target this`";

/// Measure
#[derive(Subcommand, Debug)]
pub enum BenchCommand {
    /// Time each stage from text to partitioned text
    #[command(after_help = BENCH_EXAMPLES)]
    Compile(BenchCompileArgs),
    /// Run a program again and again on this machine's cores, on made-up inputs
    #[command(after_help = BENCH_EXAMPLES)]
    Step(BenchStepArgs),
    /// Time what a run's model takes to write, by beam and length, in both layouts of keys and values
    Decode(crate::decode_args::BenchDecodeArgs),
    /// Time collectives of in-process devices against copying as many bytes
    #[command(after_help = BENCH_EXAMPLES)]
    Collectives(BenchCollectivesArgs),
    /// Measure this machine for `plan --target this`, or hold predicted steps against measured ones
    #[command(after_help = BENCH_EXAMPLES)]
    Machine(BenchMachineArgs),
}

#[derive(clap::Args, Debug)]
pub struct BenchMachineArgs {
    /// Write here [default: $MESHWRIGHT_MACHINE, or meshwright-machine.json]
    #[arg(short, long, value_name = "OUT.json")]
    pub output: Option<PathBuf>,
    /// Measure nothing: run these programs, and print the CPU seconds of their steps beside those that the file of
    /// this machine predicts
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub against: Vec<PathBuf>,
    /// Say of each kind of step too what was predicted and what it took; with `--json`, of each step
    #[arg(long, requires = "against")]
    pub by_kind: bool,
    /// How often each of them runs
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
}

#[derive(clap::Args, Debug)]
pub struct BenchStepArgs {
    /// A module, StableHLO or HLO text; `-` is standard input, `preset:NAME` a model that comes with the program
    pub file: PathBuf,
    /// Devices [default: as many as the module's mesh has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub devices: Option<u32>,
    /// How often; the median is reported
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub repeat: u32,
    /// Make up the inputs from this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many of the slowest ops are listed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub top: u32,
    /// What runs it
    #[arg(long, value_enum, default_value_t = LocalBackend::Cpu)]
    pub backend: LocalBackend,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub dump: DumpArgs,
}

#[derive(clap::Args, Debug)]
pub struct BenchCollectivesArgs {
    /// Devices
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub devices: u32,
    /// Megabytes of the array on each device that goes in (all-gather: that comes out)
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub megabytes: u32,
    /// How often; the median is reported
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
}

#[derive(clap::Args, Debug)]
pub struct BenchCompileArgs {
    #[command(flatten)]
    pub input: AnnotatedArgs,
    /// How often; medians are reported
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  meshwright compare-xla tests/golden/yardstick
  meshwright compare-xla dumps/                 every folder in it

A folder holds before_propagation.hlo, after_propagation.hlo and after_partitioning.hlo, as XLA dumps them with \
--xla_dump_hlo_pass_re='spmd.*|sharding.*' --xla_dump_hlo_as_text --xla_dump_large_constants";

/// Compare completion and partitions with what XLA made of the same programs
#[derive(clap::Args, Debug)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareXlaArgs {
    /// Folders of dumps, or folders of such folders
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
}

const CAMPAIGN_EXAMPLES: &str = "\
Examples:
  meshwright campaign --cases 10000 --seed 1
  meshwright campaign --faults --cases 2000       are twenty deliberate faults found?";

/// Partition random programs and run them beside the originals
#[derive(clap::Args, Debug)]
#[command(after_help = CAMPAIGN_EXAMPLES)]
pub struct CampaignArgs {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub cases: u64,
    /// The same seed gives the same programs on any machine
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,
    /// Spoil the partitioned programs in known ways instead, and say after how many cases each is noticed
    #[arg(long)]
    pub faults: bool,
    /// Make programs of these families of ops only
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "faults")]
    pub families: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// A command and all below it.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        command.get_subcommands().flat_map(all).chain([command]).collect()
    }

    /// Examples are as wide as a help text may be, and paragraphs are wrapped where they are shown: one that is broken
    /// by hand too would have ends of lines alone on lines.
    #[test]
    fn what_stands_behind_options_is_not_broken_twice() {
        let root = Args::command();
        for command in all(&root) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
                let is_shown = line.starts_with(' ') || line.ends_with(':');
                assert!(!line.starts_with(' ') || line.chars().count() <= 100, "too wide: {line}");
                assert!(is_shown || next.is_empty() || line.is_empty(), "broken by hand: {line}");
            }
        }
    }
}
