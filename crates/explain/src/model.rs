//! The report: what is known of a partitioned program, as plain data.
//!
//! All counts are of one device and one run. Shardings are written as `[x, _, y*z]`, an entry for each dim, with
//! `sum over y` behind them where a value is partial. Numbers that point elsewhere are places in the lists of
//! [`Explanation`]: `layer` in `layers`, `node` in `graph.nodes`.

use meshwright_ir::{FuncId, ValueId};
use serde::Serialize;
use std::sync::Arc;

/// Everything.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Explanation {
    pub program: Program,
    pub totals: Totals,
    /// In the order in which they first run.
    pub layers: Vec<Layer>,
    /// Those that are alike as one, by the bytes that are sent in all, largest first.
    pub collectives: Vec<Collective>,
    pub memory: Memory,
    pub timeline: Timeline,
    pub graph: Graph,
    /// What the user annotated.
    pub annotations: Vec<Given>,
    /// Annotations that would save bytes, what saves most first. Empty until somebody asks for them.
    pub suggestions: Vec<Suggestion>,
    /// Annotations that were tried for it.
    pub tried: usize,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Program {
    pub name: String,
    pub devices: i64,
    pub meshes: Vec<MeshInfo>,
    /// Instructions of the module as it was given.
    pub instructions: usize,
    /// The machine that seconds are of.
    pub machine: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct MeshInfo {
    pub name: String,
    pub axes: Vec<AxisInfo>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct AxisInfo {
    pub name: String,
    pub size: i64,
}

/// What a program costs.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Totals {
    /// Bytes that a device sends.
    pub sent: f64,
    /// Collectives that are run.
    pub collectives: f64,
    /// Of a step, as it is simulated on the program's machine.
    pub seconds: f64,
    /// The program peak: nothing is fused.
    pub peak: i64,
    /// The peak on the target, whose compiler fuses loops, as plans tell it; `None` where no target is named.
    pub planned_peak: Option<i64>,
    pub flops: f64,
}

/// A line of the user's program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Site {
    pub file: Arc<str>,
    pub line: u32,
    pub function: Option<Arc<str>>,
    /// Columns of the expression as the framework counts them (JAX: from 0); both 0 where they are not known.
    pub column: u32,
    pub end_column: u32,
}

/// A value, as a user may know it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Label {
    /// `%12`, as the text has it.
    pub name: String,
    /// What the user's program calls it, as `p['blocks']['w1']`.
    pub called: Option<String>,
    /// The op that makes it; `parameter` for an input.
    pub op: String,
    /// The framework's name of the op, as `jit(step)/block_0/dot_general`.
    pub op_name: Option<Arc<str>>,
    pub site: Option<Site>,
    /// `f32[8,16]`, global.
    pub ty: String,
    /// `[x, _]`.
    pub sharding: Option<String>,
    /// It, in the module as it was given.
    #[serde(skip)]
    pub of: Option<(FuncId, ValueId)>,
}

impl Label {
    /// Its line in the user's program; `None` where all that is known is the line of the module's text, which is
    /// another one for each layer.
    pub fn line(&self) -> Option<&Site> {
        self.site.as_ref().filter(|site| self.op_name.is_some() || site.function.is_some())
    }
}

/// What belongs together in the user's program: a scope of op names, or a function. Equal ones are one.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Layer {
    /// `block_#/attn`, with `#` for the number of the layer; a function's name where nothing else is known.
    pub name: String,
    /// How many layers are folded into this one.
    pub instances: usize,
    /// Lines of it, by file.
    pub sites: Vec<Site>,
    /// Instructions of the program of one device.
    pub instructions: usize,
    pub flops: f64,
    /// Bytes that a device sends.
    pub sent: f64,
    /// Seconds of computing; a loop of several ops is where the heaviest of them is.
    pub compute_seconds: f64,
    /// Seconds of collectives, those that hide behind computing among them.
    pub collective_seconds: f64,
    /// Elements of the collectives' list.
    pub collectives: Vec<usize>,
}

/// Collectives that are alike: one kind, over the same axes, of the same type, for the same reason.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Collective {
    /// `all-gather`, `all-reduce`, `reduce-scatter`, `all-to-all`, `permute`, `broadcast`.
    pub kind: String,
    /// `x*y`; empty where the groups are not written by axes.
    pub axes: String,
    pub group_size: i64,
    /// What a device has behind it.
    pub ty: String,
    /// Instructions that are folded into this one.
    pub instructions: usize,
    /// Runs of all of them, with trips of loops.
    pub runs: f64,
    /// Bytes that a device sends in one run of one.
    pub bytes: f64,
    /// Bytes of all runs, and what part that is of all that is sent.
    pub sent: f64,
    pub share: f64,
    /// Of all runs, each by itself.
    pub seconds: f64,
    pub layer: usize,
    /// The value that is sent.
    pub value: Label,
    /// It, in the graph.
    pub node: Option<usize>,
    pub reason: Reason,
}

/// Why there is a collective.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Reason {
    pub kind: ReasonKind,
    /// One sentence.
    pub text: String,
    /// The two shardings that met.
    pub from: Option<String>,
    pub to: Option<String>,
    /// Who needs the value so.
    pub consumers: Vec<Label>,
    /// Annotations that the two come from.
    pub origins: Vec<Origin>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// A sum over devices is finished.
    PartialSum,
    /// A value is used split otherwise than it was made.
    Reshard,
    /// The op itself has its pieces look at each other.
    Exchange,
    #[default]
    Unknown,
}

/// An annotated dim that an axis came from.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Origin {
    pub axis: String,
    /// The annotated value.
    pub value: String,
    pub dim: usize,
    pub site: Option<Site>,
    /// Whether it splits the value as it is made (or as it is needed).
    pub of_producer: bool,
    /// The annotated tensor as text shows it: the operand of a sharding constraint, else `value`.
    #[serde(skip)]
    pub tensor: String,
    /// The annotated value, in the module as it was given.
    #[serde(skip)]
    pub of: Option<(FuncId, ValueId)>,
}

/// Memory over program order.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Memory {
    pub peak: i64,
    /// The instruction at which it is reached, by its place in the main function; `None` before the first.
    pub at: Option<usize>,
    pub label: Option<Label>,
    /// Values that take room then, the largest first; those inside of a loop or call behind those of the main function.
    pub alive: Vec<Alive>,
    /// Bytes at each instruction of the main function, the insides of loops and calls at theirs.
    pub curve: Vec<i64>,
}

/// A value that is alive at the peak.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Alive {
    pub label: Label,
    /// `f32[2,16]`, on a device.
    pub local: String,
    pub bytes: i64,
    /// Where it is made and last used, in the main function; `None` for a parameter, and for what is returned.
    pub made: Option<usize>,
    pub last_use: Option<usize>,
    pub layer: usize,
    /// In a loop or a call that runs at the peak.
    pub inside: bool,
}

/// The step of one device, simulated: what computes and what sends, side by side where the machine can.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Timeline {
    pub seconds: f64,
    pub computing: f64,
    /// Seconds that the device waits for collectives, and those that hide behind computing.
    pub exposed: f64,
    pub hidden: f64,
    pub events: Vec<Event>,
    /// What nobody knows the price of.
    pub unknown: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Event {
    pub name: String,
    /// `compute`, `links` or `loops`.
    pub lane: &'static str,
    pub start: f64,
    pub seconds: f64,
    /// Trips that look like this one.
    pub trips: i64,
    pub layer: usize,
    pub site: Option<Site>,
}

/// The program on global shapes, with every change of sharding as a node of its own.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Node {
    pub label: Label,
    pub layer: usize,
    /// Nodes whose results it takes, in order.
    pub inputs: Vec<usize>,
    /// The loop or branch that it is in.
    pub parent: Option<usize>,
    /// Global bytes of its results.
    pub bytes: i64,
    /// The collectives that it becomes.
    pub collectives: Vec<usize>,
}

/// What the user annotated.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Given {
    pub axis: String,
    pub value: String,
    pub dim: usize,
    pub site: Option<Site>,
    /// Dims of values that have the axis from there.
    pub reached: usize,
    /// The annotated tensor as text shows it: the operand of a sharding constraint, else `value`.
    #[serde(skip)]
    pub tensor: String,
}

/// An annotation that would save bytes: measured, by partitioning with it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Suggestion {
    /// The values that would be annotated alike: those of one name or line, in all layers.
    pub values: Vec<Label>,
    /// `[x, _]`.
    pub sharding: String,
    /// What they are annotated as now, where that would have to change.
    pub instead_of: Option<String>,
    /// Of a backward pass of JAX: no line of the user's program makes it.
    pub backward: bool,
    /// The line for JAX, and for the front end.
    pub jax: Option<String>,
    pub rust: String,
    /// What `--annotate` takes, one for each value.
    pub annotate: Vec<String>,
    pub before: Totals,
    pub after: Totals,
}
