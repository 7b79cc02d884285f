//! A program as the engine of this process runs it: its steps with how often each runs, what each takes by what was
//! measured of this machine, and the memory that the engine's own plan says.
//!
//! ```text
//! seconds = launch + products, each by its sizes + rows and runs + the longer of (bytes at the rate of their cache, operations)
//! ```
//!
//! A loop that works on tiles, and each run or window that is moved by itself, take their time beside that.
//! Bytes come from the cache that still has them, by what was touched since ([`reuse`]); what another worker wrote a
//! short while ago is in a cache of its own. Masked products and drawn bits go by rates of their own.
//!
//! Nothing runs: the program is compiled as for a launch, and says of each step what it is, how often it runs and into
//! how many pieces it is cut. Devices go side by side, one on each worker:
//!
//! ```text
//! 8 devices, 3 workers    two rounds of 3, each as long as the step takes; 2 devices left, whose pieces 3 workers share
//! 1 device, 2 workers     3 pieces: 2 of 3 as long, and what it takes to hand pieces over; 1 piece: as long
//! ```
//!
//! A collective is done by one worker for its group, who shares pieces too; workers wait for each other there.

use crate::engine::failed;
use crate::failure::Failure;
use meshwright_base::Id;
use meshwright_cost::activity::{Exchange, Kind, Product};
use meshwright_cost::machine::Machine;
use meshwright_cost::network::Group;
use meshwright_cost::price::price;
use meshwright_cost::simulate::{Communication, Event, Lane};
use meshwright_cost::traffic::{Members, pattern_of};
use meshwright_cost::{Coefficient, StepTime};
use meshwright_cpu::Cpu;
use meshwright_ir::op::{CollectiveKind, Precision};
use meshwright_ir::{SpmdModule, TensorType};
use meshwright_runtime::{
    Compiler, DeviceId, LoopSize, MemoryPlan, ProductSize, Program, Site, StepInfo, StepOrder,
};

mod reuse;

use reuse::{Reuse, reuses};

/// What the engine makes of a program.
pub struct Native {
    order: Vec<StepOrder>,
    /// By their places in the program; jumps, which cost nothing, are among them.
    works: Vec<Work>,
    pub memory: MemoryPlan,
    devices: usize,
    /// That a device is given and gives.
    arrays: usize,
}

/// A step as it is predicted.
pub struct Priced<'a> {
    pub info: &'a StepInfo,
    pub times: f64,
    pub seconds: f64,
    /// Of a collective: who joins whom.
    pub groups: &'a [Vec<u32>],
    /// Bytes touched since each of the places that it touches was touched last.
    pub distances: Vec<f64>,
}

/// A step, and the collective that it joins.
struct Work {
    info: StepInfo,
    exchange: Option<Exchange>,
    /// Runs of elements that the collective copies.
    copies: f64,
    groups: Vec<Vec<u32>>,
    reuses: Vec<Reuse>,
}

impl Native {
    /// Compile a program for so many devices, and look at its steps.
    pub fn of(program: &SpmdModule, devices: usize) -> Result<Native, Failure> {
        let compiled = Cpu::default().compile(program, devices).map_err(|error| failed(&error))?;
        let (order, memory) = (compiled.order().to_vec(), compiled.memory().clone());
        let infos: Vec<&StepInfo> = compiled.steps().iter().collect();
        let reuses = reuses(&infos, &order, devices);
        let works = infos.iter().zip(reuses);
        let works = works.map(|(info, reuses)| Work::of((*info).clone(), reuses, &*compiled)).collect();
        let arrays = compiled.params().len() + compiled.results().len();
        Ok(Native { order, works, memory, devices, arrays })
    }

    /// Bytes of all devices together: constants are shared, scratch belongs to workers.
    pub fn peak(&self, workers: usize) -> usize {
        all_bytes(&self.memory, self.devices, workers)
    }

    /// A step on a machine: the work of all devices, shared by its workers.
    pub fn step(&self, machine: &Machine) -> StepTime {
        self.timed(machine, false)
    }

    /// The same with what happens when, each loop's first trip for all of them.
    pub fn events(&self, machine: &Machine) -> StepTime {
        self.timed(machine, true)
    }

    pub fn devices(&self) -> usize {
        self.devices
    }

    /// Workers of a machine.
    pub fn workers(&self, machine: &Machine) -> usize {
        workers(machine)
    }

    /// CPU seconds of a step.
    pub fn cpu_seconds(&self, machine: &Machine) -> f64 {
        let alone = Machine { workers: Some(1), ..machine.clone() };
        self.step(&alone).seconds
    }

    /// Each step with how often a device runs it, and its CPU seconds on all of them. Of branches the arm runs that
    /// takes longest; loops of unknown trips make one.
    pub fn parts(&self, machine: &Machine) -> Vec<Priced<'_>> {
        self.shared_parts(&Machine { workers: Some(1), ..machine.clone() })
    }

    /// The same, with the seconds until all workers of the machine have done it.
    pub fn shared_parts(&self, machine: &Machine) -> Vec<Priced<'_>> {
        let run = self.run(machine, false);
        let mut parts = Vec::new();
        for (at, work) in self.works.iter().enumerate() {
            let times = run.times[at];
            parts.push(Priced {
                info: &work.info,
                times,
                seconds: times * run.seconds[at],
                groups: &work.groups,
                distances: work.reuses.iter().map(|reuse| reuse.distance).collect(),
            });
        }
        parts
    }

    fn timed(&self, machine: &Machine, records: bool) -> StepTime {
        self.run(machine, records).total
    }

    fn run(&self, machine: &Machine, records: bool) -> Run<'_> {
        let sharing = Sharing {
            devices: self.devices,
            workers: workers(machine),
            handing: machine[Coefficient::Handing],
        };
        let seconds = self.works.iter().map(|work| work.elapsed(machine, &sharing)).collect();
        let mut run = Run {
            works: &self.works,
            seconds,
            records,
            total: StepTime::default(),
            times: vec![0.0; self.works.len()],
        };
        // One worker begins for all devices.
        let arrays = self.arrays as f64 * machine[Coefficient::Array];
        run.total.seconds = (machine[Coefficient::Begin] + arrays) * self.devices as f64;
        run.body(&self.order, 1.0);
        run
    }
}

fn workers(machine: &Machine) -> usize {
    usize::try_from(machine.workers.unwrap_or(1)).unwrap_or(1).max(1)
}

/// How a step's work is shared.
struct Sharing {
    devices: usize,
    workers: usize,
    /// Seconds to hand pieces over.
    handing: f64,
}

impl Sharing {
    /// Seconds until so many have done what takes one worker these seconds, in so many pieces; those that are shared
    /// take more.
    fn elapsed(&self, many: usize, seconds: f64, more: f64, pieces: Option<u64>) -> f64 {
        let (rounds, left) = (many / self.workers, many % self.workers);
        let whole = rounds as f64 * seconds;
        if left == 0 {
            return whole;
        }
        let seconds = seconds + more;
        let shared = match pieces {
            Some(0 | 1) => return whole + seconds,
            Some(pieces) => {
                let turns = (left as u64 * pieces).div_ceil(self.workers as u64);
                seconds * turns as f64 / pieces as f64
            }
            None => seconds * left as f64 / self.workers as f64,
        };
        whole + seconds.min(shared + self.handing)
    }
}

/// Bytes that so many devices of this process take at most.
pub fn all_bytes(memory: &MemoryPlan, devices: usize, workers: usize) -> usize {
    devices * (memory.arena + memory.inputs + memory.outputs) + memory.constants + workers * memory.scratch
}

struct Run<'a> {
    works: &'a [Work],
    /// Of each step once.
    seconds: Vec<f64>,
    records: bool,
    total: StepTime,
    times: Vec<f64>,
}

impl Run<'_> {
    fn body(&mut self, body: &[StepOrder], times: f64) {
        for one in body {
            match one {
                StepOrder::Step(at) => self.step(*at, times),
                StepOrder::Loop { trips, body } => self.body(body, times * *trips as f64),
                StepOrder::While { head, body } => {
                    self.body(head, times);
                    self.body(body, times);
                }
                StepOrder::Branch(arms) => {
                    let longest = arms.iter().max_by(|a, b| self.once(a).total_cmp(&self.once(b)));
                    if let Some(arm) = longest {
                        self.body(arm, times);
                    }
                }
            }
        }
    }

    /// Seconds of steps that run once.
    fn once(&self, body: &[StepOrder]) -> f64 {
        let one = |one: &StepOrder| match one {
            StepOrder::Step(at) => self.seconds.get(*at).copied().unwrap_or(0.0),
            StepOrder::Loop { trips, body } => *trips as f64 * self.once(body),
            StepOrder::While { head, body } => self.once(head) + self.once(body),
            StepOrder::Branch(arms) => arms.iter().map(|arm| self.once(arm)).fold(0.0, f64::max),
        };
        body.iter().map(one).sum()
    }

    fn step(&mut self, at: usize, times: f64) {
        let (Some(work), Some(seconds)) = (self.works.get(at), self.seconds.get(at)) else { return };
        self.times[at] += times;
        if self.records {
            let lane = if work.exchange.is_some() { Lane::Links } else { Lane::Compute };
            self.total.events.push(Event {
                name: work.info.name.clone(),
                lane,
                start: self.total.seconds,
                seconds: seconds * times,
                source: None,
                trips: times as i64,
            });
        }
        self.total.seconds += times * seconds;
        match &work.exchange {
            Some(of) => {
                let (pattern, size) = (of.pattern, of.size);
                let members = Members { axes: None, size };
                let total: &mut Communication =
                    self.total.communication.entry((pattern, members)).or_default();
                total.count += times;
                total.sent += times * meshwright_cost::collective::sent(pattern, size, of.input, of.output);
                total.seconds += times * seconds;
                total.exposed += times * seconds;
            }
            None => {
                *self.total.computing.entry(kind(&work.info)).or_default() += times * seconds;
                let flops: u64 = work.info.work.products.iter().map(ProductSize::flops).sum();
                self.total.flops += times * flops as f64;
            }
        }
    }
}

/// What a step's time is counted under.
fn kind(info: &StepInfo) -> Kind {
    let work = &info.work;
    if work.products.iter().any(|product| product.batch > 1) || info.kind == "band" {
        return Kind::BatchedProducts;
    }
    match info.kind {
        "dot" | "convolution" => Kind::Products,
        "fused" | "rows" | "reduce" | "scalar_loop" | "sparse" => Kind::Loops,
        "copy" | "fill" | "gather" | "scatter" | "other" | "feed" => Kind::Moves,
        _ => Kind::Running,
    }
}

impl Work {
    fn of(info: StepInfo, reuses: Vec<Reuse>, program: &dyn Program) -> Work {
        let site = info.work.site.and_then(|id| program.sites().get(id));
        let exchange = site.map(|site| {
            let input = site.bytes() as f64;
            Exchange {
                pattern: pattern_of(&site.kind),
                among: meshwright_cost::activity::Among::Near,
                size: site.groups.first().map_or(1, Vec::len) as i64,
                input,
                output: (info.bytes as f64 - input).max(0.0),
                share: 1.0,
            }
        });
        let copies = site.map_or(0.0, copies);
        let numbers = |group: &Vec<DeviceId>| group.iter().map(|device| device.index() as u32).collect();
        let groups = site.map_or(Vec::new(), |site| site.groups.iter().map(numbers).collect());
        Work { info, exchange, copies, groups, reuses }
    }

    /// Seconds until all devices have done it.
    fn elapsed(&self, machine: &Machine, sharing: &Sharing) -> f64 {
        let seconds = self.seconds(machine);
        let Some(of) = &self.exchange else {
            let crossing = if sharing.workers > 1 { self.crossing(machine, sharing.workers) } else { 0.0 };
            return sharing.elapsed(sharing.devices, seconds, crossing, self.info.work.pieces);
        };
        let size = usize::try_from(of.size).unwrap_or(1).max(1);
        let groups = sharing.devices.div_ceil(size);
        let waits =
            if sharing.workers > 1 && sharing.devices > 1 { machine[Coefficient::Meeting] } else { 0.0 };
        sharing.elapsed(groups, size as f64 * seconds, 0.0, Some(self.pieces())) + waits
    }

    /// Seconds to bring what other workers have near them.
    fn crossing(&self, machine: &Machine, workers: usize) -> f64 {
        let own = own_caches(machine);
        let near = self.reuses.iter().filter(|reuse| reuse.distance <= own);
        let bytes: f64 = near.map(|reuse| reuse.bytes).sum();
        let others = (workers - 1) as f64 / workers as f64;
        others * bytes / machine[Coefficient::Crossed]
    }

    /// Pieces of what one member of a collective has, as all of it is cut.
    fn pieces(&self) -> u64 {
        const PIECE: f64 = 65_536.0;
        let bytes = self.exchange.as_ref().map_or(0.0, |of| of.input);
        (bytes / (4.0 * PIECE)).ceil().max(1.0) as u64
    }

    /// Seconds of one worker.
    fn seconds(&self, machine: &Machine) -> f64 {
        if let Some(of) = &self.exchange {
            let group = Group::packed(&machine.network, of.size);
            let copied = price(of.pattern, &group, of.input, of.output, machine);
            let runs = self.copies * machine[Coefficient::Run];
            return machine[Coefficient::Launch] + runs + copied.seconds;
        }
        if self.info.kind == "control" {
            return 0.0;
        }
        let work = &self.info.work;
        let products: f64 = work.products.iter().map(|size| multiplied(size, machine)).sum();
        let bytes = self.info.bytes as f64;
        let moving = match self.info.kind {
            "random" => bytes / machine[Coefficient::Drawn],
            "sparse" => (bytes / machine[Coefficient::Masked]).max(self.moving(machine)),
            _ => self.moving(machine),
        };
        let loops: f64 = work.loops.iter().map(|size| around(size, machine)).sum();
        let operations: f64 = work.loops.iter().map(|size| operations(size, machine)).sum();
        let each = match self.info.kind {
            "gather" | "scatter" => machine[Coefficient::Window],
            "sparse" if self.is_far(machine) => machine[Coefficient::Far],
            "sparse" => 0.0,
            _ => machine[Coefficient::Run],
        };
        let apart = work.runs.count as f64 * each;
        // What only gives a part of a buffer a name takes no time to speak of.
        let launch = if self.info.kind == "other" { 0.0 } else { machine[Coefficient::Launch] };
        let operations = operations / machine[Coefficient::Elements];
        // What a lone product takes to read what it read before is in the fit of products. A band goes block by block
        // from products to loops and back: what one of them waits for is not there while the other computes.
        let at_once = match &work.loops[..] {
            [] if products > 0.0 => products + (moving - self.again(machine)).max(0.0),
            _ if products > 0.0 => products + moving + operations,
            _ => moving.max(operations),
        };
        launch + at_once + loops + apart
    }

    /// Seconds to read and write all that it touches, each from the cache that still has it.
    fn moving(&self, machine: &Machine) -> f64 {
        self.reuses.iter().map(|reuse| reuse.bytes / machine.moves(reuse.distance)).sum()
    }

    /// The same if it ran again and again alone.
    fn again(&self, machine: &Machine) -> f64 {
        let all: f64 = self.reuses.iter().map(|reuse| reuse.bytes).sum();
        all / machine.moves(all)
    }

    /// Whether what it reads most of is in no cache.
    fn is_far(&self, machine: &Machine) -> bool {
        let last = machine.caches.last().map_or(0.0, |(bytes, _)| *bytes);
        let most = self.reuses.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        most.is_some_and(|reuse| reuse.distance > last)
    }
}

/// Bytes of what a worker has near it: the largest of the caches that are faster than the one all share.
fn own_caches(machine: &Machine) -> f64 {
    const FASTER: f64 = 1.25;
    let shared = machine.caches.last().map_or(f64::INFINITY, |(_, times)| *times);
    let own = machine.caches.iter().filter(|(_, times)| *times >= FASTER * shared);
    own.map(|(bytes, _)| *bytes).fold(0.0, f64::max)
}

fn multiplied(size: &ProductSize, machine: &Machine) -> f64 {
    let each = if size.is_turned { Coefficient::Turned } else { Coefficient::Each };
    product(size).seconds(machine) + size.batch as f64 * machine[each]
}

/// What a loop takes beside its elements.
fn around(size: &LoopSize, machine: &Machine) -> f64 {
    let by = |count: u64, of: Coefficient| count as f64 * machine[of];
    let tiles = size.tiles.map_or(0.0, |work| {
        machine[Coefficient::Tiles]
            + by(work.runs, Coefficient::Run)
            + by(work.counted, Coefficient::Counted)
            + by(if work.folded > 0 { size.rows } else { 0 }, Coefficient::Folded)
    });
    // The first call is the step's own.
    let told = size.calls.saturating_sub(1) * size.arrays.max(1);
    tiles + by(size.rows, Coefficient::Row) + by(told, Coefficient::Call)
}

/// Operations of a loop, quotients and functions by what they take.
fn operations(size: &LoopSize, machine: &Machine) -> f64 {
    let each = size.steps as f64
        + size.divisions as f64 * machine[Coefficient::Division]
        + size.functions as f64 * machine[Coefficient::Function];
    size.elements as f64 * each
}

/// Runs that lie together of what a device copies in a collective: as many for each member as there are places before
/// the dim that is cut or joined.
fn copies(site: &Site) -> f64 {
    let members = site.groups.first().map_or(1, Vec::len) as f64;
    let before = |types: &[TensorType], dim: usize| -> f64 {
        types.iter().map(|ty| ty.dims.iter().take(dim).map(|size| *size as f64).product::<f64>()).sum()
    };
    match &site.kind {
        CollectiveKind::AllGather { dim } => members * before(&site.results, *dim),
        CollectiveKind::ReduceScatter { dim } => members * before(&site.operands, *dim),
        CollectiveKind::AllToAll { split_dim, concat_dim, .. } => {
            members * before(&site.operands, *split_dim).max(before(&site.results, *concat_dim))
        }
        CollectiveKind::AllReduce
        | CollectiveKind::AllToAllTuple
        | CollectiveKind::Permute { .. }
        | CollectiveKind::Broadcast => 0.0,
    }
}

fn product(size: &ProductSize) -> Product {
    Product {
        batch: size.batch as f64,
        rows: size.rows as f64,
        columns: size.columns as f64,
        depth: size.depth as f64,
        dtype: size.dtype,
        precision: Precision::Default,
    }
}

#[cfg(test)]
mod tests;
