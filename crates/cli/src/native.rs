//! A program as the engine of this process runs it: its steps with how often each runs, what each takes by what was
//! measured of this machine, and the memory that the engine's own plan says.
//!
//! ```text
//! seconds = launch + products, each by its sizes + rows + the longer of (bytes at the rate of their cache, operations)
//! ```
//!
//! What a large step reads was in a cache before if the whole program fits it. Masked products and drawn bits go by
//! rates of their own.
//!
//! Nothing runs: the program is compiled as for a launch, and what its steps are is read off it. Work of all devices is
//! added up, and shared by as many workers as the machine has.

use crate::engine::failed;
use crate::failure::Failure;
use meshwright_cost::activity::{Activities, Among, Doing, Exchange, Kind, Product, Sequence};
use meshwright_cost::machine::Habits;
use meshwright_cost::network::Group;
use meshwright_cost::price::price;
use meshwright_cost::simulate::{Communication, Event, Lane};
use meshwright_cost::traffic::Members;
use meshwright_cost::{Coefficient, Machine, Pattern, StepTime};
use meshwright_cpu::{Cpu, steps_after_each};
use meshwright_ir::op::{CollectiveKind, Precision};
use meshwright_ir::{DType, Module, SpmdModule, TensorType};
use meshwright_runtime::{Compiler, MemoryPlan, Program, Site, StepInfo};
use std::collections::BTreeMap;

/// What the engine makes of a program.
pub struct Native {
    body: Vec<Node>,
    works: Vec<Work>,
    pub memory: MemoryPlan,
    devices: usize,
    /// Functions, as exponentials, that the loops of one device evaluate.
    functions: f64,
}

/// Steps, loops and branches, in order.
#[derive(Clone, PartialEq, Debug)]
enum Node {
    /// A step, by its place among all steps.
    Step(usize),
    Loop {
        trips: f64,
        body: Vec<Node>,
    },
    /// One of these.
    Branch(Vec<Vec<Node>>),
}

/// What one step does.
#[derive(Clone, PartialEq, Debug)]
struct Work {
    name: String,
    kind: Kind,
    products: Vec<Product>,
    bytes: f64,
    /// Elementwise operations.
    steps: f64,
    /// Loops and products that it begins.
    begun: f64,
    /// Rows that its loops go over, all together, or pieces that a collective copies.
    rows: f64,
    /// At what rate its bytes go, if not at that of loops.
    rate: Option<Coefficient>,
    exchange: Option<Exchange>,
}

impl Native {
    /// Compile a program for so many devices, and look at its steps.
    pub fn of(program: &SpmdModule, devices: usize) -> Result<Native, Failure> {
        let wrong = |error| failed(&error);
        let compiled = Cpu::default().compile(program, devices).map_err(wrong)?;
        let texts = steps_after_each(program.module(), devices).map_err(wrong)?;
        let text = texts.last().map_or("", |(_, text)| text.as_str());
        let (body, count) = nodes(text);
        let works = works(&*compiled);
        if works.len() != count {
            let message = format!("the text of a plan has {count} steps, the plan {}", works.len());
            return Err(Failure::bug(&message));
        }
        let memory = compiled.memory().clone();
        let functions = functions(program.module());
        Ok(Native { body, works, memory, devices, functions })
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

    /// CPU seconds of a step.
    pub fn cpu_seconds(&self, machine: &Machine) -> f64 {
        self.step(machine).seconds * machine.workers.unwrap_or(1).max(1) as f64
    }

    fn timed(&self, machine: &Machine, records: bool) -> StepTime {
        let workers = machine.workers.unwrap_or(1).max(1) as f64;
        let scale = self.devices as f64 / workers;
        let footprint =
            (self.devices * (self.memory.arena + self.memory.inputs + self.memory.outputs)) as f64;
        let mut run =
            Run { works: &self.works, machine, scale, footprint, records, total: StepTime::default() };
        run.total.seconds = machine[Coefficient::Begin] * scale;
        run.body(&self.body, 1.0);
        let functions = self.functions * machine[Coefficient::Function] / machine[Coefficient::Elements];
        *run.total.computing.entry(Kind::Loops).or_default() += functions * scale;
        run.total.seconds += functions * scale;
        run.total
    }
}

/// Bytes that so many devices of this process take at most.
pub fn all_bytes(memory: &MemoryPlan, devices: usize, workers: usize) -> usize {
    devices * (memory.arena + memory.inputs + memory.outputs) + memory.constants + workers * memory.scratch
}

struct Run<'a> {
    works: &'a [Work],
    machine: &'a Machine,
    scale: f64,
    /// Bytes that all devices go through in a step.
    footprint: f64,
    records: bool,
    total: StepTime,
}

impl Run<'_> {
    fn body(&mut self, body: &[Node], times: f64) {
        for node in body {
            match node {
                Node::Step(at) => self.step(*at, times),
                Node::Loop { trips, body } => self.body(body, times * trips),
                Node::Branch(arms) => {
                    let seconds = |arm: &&Vec<Node>| {
                        let total = StepTime::default();
                        let mut run = Run { total, records: false, ..*self };
                        run.body(arm, 1.0);
                        run.total.seconds
                    };
                    let longest = arms.iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b)));
                    if let Some(arm) = longest {
                        self.body(arm, times);
                    }
                }
            }
        }
    }

    fn step(&mut self, at: usize, times: f64) {
        let Some(work) = self.works.get(at) else { return };
        let seconds = work.seconds(self.machine, self.footprint) * self.scale;
        if self.records {
            let lane = if work.exchange.is_some() { Lane::Links } else { Lane::Compute };
            let (name, start) = (work.name.clone(), self.total.seconds);
            self.total.events.push(Event {
                name,
                lane,
                start,
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
                *self.total.computing.entry(work.kind).or_default() += times * seconds;
                self.total.flops += times * work.products.iter().map(Product::flops).sum::<f64>();
            }
        }
    }
}

impl Work {
    /// Seconds of one worker, in a program that goes through so many bytes.
    fn seconds(&self, machine: &Machine, footprint: f64) -> f64 {
        if let Some(of) = &self.exchange {
            let group = Group::packed(&machine.network, of.size);
            let copied = price(of.pattern, &group, of.input, of.output, machine);
            let rows = self.rows * machine[Coefficient::Row];
            return machine[Coefficient::Launch] + rows + copied.seconds;
        }
        let products: f64 = self.products.iter().map(|product| product.seconds(machine)).sum();
        let moving = match self.rate {
            Some(of) => self.bytes / machine[of],
            None => self.bytes / machine.moves(self.reaches(machine, footprint)),
        };
        let rows = self.rows * machine[Coefficient::Row];
        machine[Coefficient::Launch]
            + products
            + rows
            + moving.max(self.steps / machine[Coefficient::Elements])
    }
}

impl Work {
    /// The bytes by which its cache is found: its own, or those of the whole program where it is too large for what the
    /// steps before it left in the nearer caches.
    fn reaches(&self, machine: &Machine, footprint: f64) -> f64 {
        const NEARER: f64 = 16.0;
        let last = machine.caches.last().map_or(0.0, |(bytes, _)| *bytes);
        if self.bytes * NEARER > last { self.bytes.max(footprint) } else { self.bytes }
    }
}

/// What every step of a program does, jumps left out.
fn works<'a>(program: &'a dyn Program) -> Vec<Work> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut one = |info: &'a StepInfo| {
        // Of collectives of one name, each is the next that was written down.
        let mut named = program.sites().values().filter(|site| site.name == info.name);
        let at = seen.entry(&info.name).or_default();
        let site = named.clone().nth(*at).or(named.next_back());
        *at += 1;
        let exchange = pattern(info.kind).zip(site).map(|(pattern, site)| {
            let size = site.groups.first().map_or(1, Vec::len);
            let input = site.bytes() as f64;
            Exchange {
                pattern,
                among: Among::Near,
                size: size as i64,
                input,
                output: (info.bytes as f64 - input).max(0.0),
            }
        });
        let rows = site.map_or(0.0, pieces);
        let work = work(info, exchange);
        Work { rows: work.rows + rows, ..work }
    };
    let is_step = |info: &&'a StepInfo| info.kind != "control";
    program.steps().iter().filter(is_step).map(&mut one).collect()
}

/// Pieces that lie together of what a device copies in a collective: as many for each member as there are places before
/// the dim that is cut or joined.
fn pieces(site: &Site) -> f64 {
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

fn pattern(kind: &str) -> Option<Pattern> {
    Some(match kind {
        "all_reduce" => Pattern::AllReduce,
        "all_gather" => Pattern::AllGather,
        "reduce_scatter" => Pattern::ReduceScatter,
        "all_to_all" => Pattern::AllToAll,
        "collective_permute" => Pattern::Permute,
        "collective_broadcast" => Pattern::Broadcast,
        _ => return None,
    })
}

fn work(info: &StepInfo, exchange: Option<Exchange>) -> Work {
    let products = products(&info.name);
    let kind = match info.kind {
        "dot" | "convolution" if products.iter().all(|product| product.batch <= 1.0) => Kind::Products,
        "dot" | "convolution" | "band" => Kind::BatchedProducts,
        "fused" | "rows" | "reduce" | "scalar_loop" | "sparse" => Kind::Loops,
        "copy" | "fill" | "gather" | "scatter" | "other" | "feed" => Kind::Moves,
        _ => Kind::Running,
    };
    let in_products: f64 = products.iter().map(Product::flops).sum();
    // A reduction does something with each element that it is given.
    let least = if info.kind == "reduce" { info.bytes as f64 / 4.0 } else { 0.0 };
    let steps = (info.flops as f64 - in_products).max(least);
    let products = if info.kind == "convolution" { vec![even(info)] } else { products };
    let steps = if info.kind == "convolution" { 0.0 } else { steps };
    let rate = match info.kind {
        "sparse" => Some(Coefficient::Masked),
        "random" => Some(Coefficient::Drawn),
        _ => None,
    };
    let begun = (loops(&info.name) + products.len() as f64).max(1.0);
    let rows = rows(info);
    Work {
        name: info.name.clone(),
        kind,
        products,
        bytes: info.bytes as f64,
        steps,
        begun,
        rows,
        rate,
        exchange,
    }
}

/// Loops that go together, as `4 loops over ..` and `.. and 3 loops`.
fn loops(name: &str) -> f64 {
    let before = name.split_once(" loops").map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0.0)
}

/// Rows that the loops of a step go over: `4 loops over 32 rows of 8`, or those that a reduction leaves one element of.
fn rows(info: &StepInfo) -> f64 {
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok());
    if let Some((_, rest)) = info.name.split_once(" loops over ") {
        return loops(&info.name) * number(rest.split(" rows").next()).unwrap_or(0.0);
    }
    if info.kind != "reduce" {
        return 0.0;
    }
    let dims = info.name.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    dims.map_or(0.0, |(dims, _)| dims.split(',').filter_map(|size| number(Some(size))).product())
}

/// A product of so many flops of which no sizes are known: as of a cube.
fn even(info: &StepInfo) -> Product {
    let side = (info.flops as f64 / 2.0).max(1.0).cbrt();
    product(1.0, [side; 3], dtype(&info.name))
}

fn product(batch: f64, [rows, depth, columns]: [f64; 3], dtype: DType) -> Product {
    Product { batch, rows, columns, depth, dtype, precision: Precision::Default }
}

/// Products that a step's name lists, as `dot_general bf16[8,16] = 1x[8x32x16]`: rows, depth, columns.
fn products(name: &str) -> Vec<Product> {
    let mut found = Vec::new();
    let mut before = "";
    for part in name.split(" = ") {
        let sizes = part.split_once("x[").and_then(|(batch, rest)| {
            let sizes = rest.split_once(']')?.0;
            let sizes: Vec<f64> = sizes.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
            Some((batch.parse::<f64>().ok()?, <[f64; 3]>::try_from(sizes).ok()?))
        });
        if let Some((batch, sizes)) = sizes {
            found.push(product(batch, sizes, dtype(before)));
        }
        before = part;
    }
    found
}

/// The element type of the last array that a text names.
fn dtype(text: &str) -> DType {
    let array = text.split_whitespace().rev().find(|word| word.contains('['));
    let name = array.and_then(|word| word.split_once('[')).map_or("", |(name, _)| name);
    DType::from_hlo(name).unwrap_or(DType::F32)
}

/// The steps of a text as loops and branches of them, and how many there are. A loop of unknown trips is run once.
fn nodes(text: &str) -> (Vec<Node>, usize) {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").trim());
    let mut reader = Reader { lines: lines.skip_while(|line| *line != "{").skip(1), count: 0 };
    let (body, _) = reader.body();
    (body, reader.count)
}

struct Reader<'a, L: Iterator<Item = &'a str>> {
    lines: L,
    count: usize,
}

impl<'a, L: Iterator<Item = &'a str>> Reader<'a, L> {
    /// To the line that ends it, which is returned too.
    fn body(&mut self) -> (Vec<Node>, &'a str) {
        let mut body = Vec::new();
        while let Some(line) = self.lines.next() {
            if line.starts_with('}') {
                return (body, line);
            }
            // A name for what is there already: nothing runs.
            if line.is_empty() || line.starts_with("rename ") {
                continue;
            }
            if !line.ends_with('{') {
                body.push(Node::Step(self.count));
                self.count += 1;
            } else if let Some(rest) = line.strip_prefix("loop ") {
                let trips = rest.trim_end_matches('{').split('<').nth(1).and_then(|n| n.trim().parse().ok());
                body.push(Node::Loop { trips: trips.unwrap_or(1.0), body: self.body().0 });
            } else if line.starts_with("while") {
                let (mut turn, mut end) = self.body();
                while end.ends_with('{') {
                    let (more, next) = self.body();
                    turn.extend(more);
                    end = next;
                }
                body.push(Node::Loop { trips: 1.0, body: turn });
            } else {
                let mut arms = Vec::new();
                loop {
                    let (arm, end) = self.body();
                    arms.push(arm);
                    if !end.ends_with('{') {
                        break;
                    }
                }
                body.push(Node::Branch(arms));
            }
        }
        (body, "")
    }
}

/// Functions that a device evaluates in one step.
fn functions(module: &Module) -> f64 {
    in_sequence(&Activities::of(module, Habits::PLAIN).main)
}

fn in_sequence(of: &Sequence) -> f64 {
    of.activities
        .iter()
        .map(|activity| match &activity.doing {
            Doing::Compute(load) => load.functions,
            Doing::Communicate(_) => 0.0,
            Doing::Repeat(repeat) => repeat.trips as f64 * in_sequence(&repeat.body),
            Doing::Call(callee) => in_sequence(callee),
            Doing::Branch(arms) => arms.iter().map(|arm| in_sequence(arm)).fold(0.0, f64::max),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_with_its_loops_and_branches() {
        let text = "%0 = input 0, 64 bytes\n{\n  fused(1 ops, 2 tiles) %0 -> %1  // {\n  loop c0 < 3 {  // a loop\n    \
                    rename %1 -> %4\n    copy %1 -> %2\n    if %2 {\n      copy %1 -> %3\n    } else {\n    }\n  }\n  while {\n    copy %1 -> \
                    %2\n  } %7 {\n    copy %1 -> %2\n  }\n  dot(1x[2x2x2]) %0 -> %1\n}\n";
        let (body, count) = nodes(text);
        assert_eq!(count, 6);
        let branch = Node::Branch(vec![vec![Node::Step(2)], Vec::new()]);
        let turns = Node::Loop { trips: 3.0, body: vec![Node::Step(1), branch] };
        let searches = Node::Loop { trips: 1.0, body: vec![Node::Step(3), Node::Step(4)] };
        assert_eq!(body, [Node::Step(0), turns, searches, Node::Step(5)]);
    }

    #[test]
    fn rows_are_those_of_each_loop_or_of_what_a_reduction_leaves() {
        let of = |name: &str, kind| rows(&StepInfo { name: name.into(), kind, bytes: 0, flops: 0 });
        assert_eq!(
            (of("4 loops over 32 rows of 8", "rows"), loops("8 rows by 4: dot = 1x[8x4x4] and 3 loops")),
            (128.0, 3.0)
        );
        assert_eq!(of("reduce s32[1,512]", "reduce"), 512.0);
        assert_eq!(of("fused of 3 ops [512]", "fused"), 0.0);
    }

    #[test]
    fn products_are_read_from_names_with_their_types() {
        let found = products(
            "64 rows by 8: dot_general bf16[8,4] = 8x[16x2x4], dot_general f32[4] = 1x[3x5x7] and 2 loops",
        );
        assert_eq!(
            found,
            [product(8.0, [16.0, 2.0, 4.0], DType::BF16), product(1.0, [3.0, 5.0, 7.0], DType::F32)]
        );
        assert!(products("6 loops over 16 rows of 32").is_empty());
    }
}
