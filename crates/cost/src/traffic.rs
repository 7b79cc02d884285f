//! What a partitioned program sends and computes, counted per device: by kind of collective, with trip counts.
//!
//! Works on our own programs and on foreign ones (what XLA's partitioner leaves) alike.

use crate::again::{is_again, is_backward};
use crate::collective::CollectiveCost;
use crate::compute::work;
use crate::machine::Machine;
use crate::pattern::Pattern;
use meshwright_ir::op::{CollectiveKind, Control, Groups};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, Type};
use meshwright_shard::sdy_text::print_axes;
use std::collections::BTreeMap;

/// Totals of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Traffic {
    /// Bytes each device sends.
    pub sent: f64,
    /// Executed collectives (a loop body counts once per trip).
    pub collectives: f64,
    /// Collective instructions in the text.
    pub instructions: usize,
    pub by_pattern: BTreeMap<Pattern, PatternTotal>,
    /// The same by who takes part.
    pub by_group: BTreeMap<(Pattern, Members), PatternTotal>,
    /// Flops of contractions.
    pub contraction_flops: f64,
    /// Those of them that the user had computed again, to keep less (see [`is_again`]).
    pub again_flops: f64,
    /// Those of them that are of derivatives (see [`is_backward`]).
    pub backward_flops: f64,
    /// All flops, as [`work`] counts them.
    pub flops: f64,
    /// Estimated seconds of one run, nothing overlapped.
    pub seconds: f64,
}

/// The devices of one collective, as far as a reader tells them apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Members {
    /// `{"x", "y":(2)4}`, where the groups are written by axes of a mesh.
    pub axes: Option<String>,
    pub size: i64,
}

/// Totals of one kind of collective.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PatternTotal {
    pub count: f64,
    pub sent: f64,
}

/// Count a whole module, starting at its entry.
pub fn traffic(module: &Module, machine: &Machine) -> Traffic {
    count(module, machine, true)
}

/// All flops of the instructions of a module, those of a loop's body once: as compilers count the ones of theirs.
pub fn flops_once(module: &Module) -> f64 {
    count(module, &Machine::default(), false).flops
}

fn count(module: &Module, machine: &Machine, counts_trips: bool) -> Traffic {
    let mut counter = Counter { module, machine, total: Traffic::default(), depth: 0, counts_trips };
    let main = module.main();
    counter.block(main, main.root(), 1.0);
    counter.total
}

/// Flops of products of the forward pass of a module, of all devices where it has global shapes.
pub fn forward_flops(module: &Module) -> f64 {
    let counted = traffic(module, &Machine::default());
    counted.contraction_flops - counted.again_flops - counted.backward_flops
}

/// Count a block, and what it leads to, as often as it runs.
pub(crate) fn block_traffic(
    module: &Module,
    machine: &Machine,
    func: &Function,
    block: BlockId,
    times: f64,
) -> Traffic {
    let mut counter = Counter { module, machine, total: Traffic::default(), depth: 0, counts_trips: true };
    counter.block(func, block, times);
    counter.total
}

struct Counter<'a> {
    module: &'a Module,
    machine: &'a Machine,
    total: Traffic,
    depth: usize,
    /// Whether the body of a loop counts as often as it runs.
    counts_trips: bool,
}

impl Counter<'_> {
    fn function(&mut self, func: FuncId, times: f64) {
        const DEEPEST: usize = 256;
        if self.depth < DEEPEST
            && let Some(func) = self.module.funcs.get(func)
        {
            self.depth += 1;
            self.block(func, func.root(), times);
            self.depth -= 1;
        }
    }

    fn block(&mut self, func: &Function, block: BlockId, times: f64) {
        for inst in &func.block(block).insts {
            self.inst(func, *inst, times);
        }
    }

    fn inst(&mut self, func: &Function, id: InstId, times: f64) {
        let inst = func.inst(id);
        let operands: Vec<&Type> = inst.operands.iter().map(|value| func.ty(*value)).collect();
        let results: Vec<&Type> = inst.results.iter().map(|value| func.ty(*value)).collect();
        match &inst.op {
            Op::Collective(collective) => {
                let sum = |types: &[&Type]| types.iter().map(|ty| ty.byte_size()).sum::<i64>();
                let pattern = pattern_of(&collective.kind);
                let group = collective.group_size;
                if group > 1 || pattern == Pattern::Permute {
                    let members = Members { axes: self.axes(&collective.groups), size: group };
                    self.collective(pattern, members, sum(&operands), sum(&results), times);
                }
            }
            Op::Call(call) => self.function(call.callee, times),
            Op::Scan(scan) => {
                let trips = if self.counts_trips { scan.trips as f64 } else { 1.0 };
                self.regions(func, id, times * trips);
            }
            Op::Control(Control::While) => {
                let known = if self.counts_trips { trip_count(self.module, func, id) } else { None };
                self.regions(func, id, times * known.unwrap_or(1) as f64);
            }
            Op::Control(_) | Op::Sharding(_) => self.regions(func, id, times),
            op => {
                let work = work(op, &operands, &results);
                self.total.flops += times * work.flops;
                if work.is_contraction {
                    self.total.contraction_flops += times * work.flops;
                    let source = self.module.sources.get(inst.source);
                    if source.is_some_and(is_again) {
                        self.total.again_flops += times * work.flops;
                    } else if source.is_some_and(is_backward) {
                        self.total.backward_flops += times * work.flops;
                    }
                }
                self.total.seconds += times * work.seconds(self.machine);
            }
        }
    }

    fn regions(&mut self, func: &Function, inst: InstId, times: f64) {
        for region in &func.inst(inst).regions {
            self.block(func, *region, times);
        }
    }

    fn axes(&self, groups: &Groups) -> Option<String> {
        let Groups::Axes { mesh, axes } = groups else { return None };
        let mesh = self.module.meshes.get(*mesh)?;
        Some(print_axes(axes, mesh))
    }

    fn collective(&mut self, pattern: Pattern, members: Members, input: i64, output: i64, times: f64) {
        let cost = CollectiveCost::of(pattern, members.size, input, output, self.machine);
        let by_group = self.total.by_group.entry((pattern, members)).or_default();
        for entry in [self.total.by_pattern.entry(pattern).or_default(), by_group] {
            entry.count += times;
            entry.sent += times * cost.sent;
        }
        self.total.sent += times * cost.sent;
        self.total.collectives += times;
        self.total.instructions += 1;
        self.total.seconds += times * cost.seconds;
    }
}

/// The pattern of a collective's kind.
pub fn pattern_of(kind: &CollectiveKind) -> Pattern {
    match kind {
        CollectiveKind::AllReduce => Pattern::AllReduce,
        CollectiveKind::AllGather { .. } => Pattern::AllGather,
        CollectiveKind::ReduceScatter { .. } => Pattern::ReduceScatter,
        CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => Pattern::AllToAll,
        CollectiveKind::Permute { .. } => Pattern::Permute,
        CollectiveKind::Broadcast => Pattern::Broadcast,
    }
}
