//! Choose one strategy per instruction, judged by the time of the whole program.
//!
//! The price is the bytes sent and the time of every op on its local shapes plus, for every value, the cheapest tree of
//! reshards from the sharding it is made with to all those it is needed with (each need is paid once, whoever asks).
//! Fewer bytes win, then less time; no contraction is repeated to save either. Sweeps over the instructions re-choose one
//! at a time and keep a change only if the price strictly falls; forward and backward in turn, at most [`SWEEPS`]. Bodies
//! of loops count their trips. What no single change reaches is tried apart: sums that pass several ops (`postpone`) and
//! sums that a loop carries (`carried`).
//!
//! ```text
//! %c = dot %a, %b                             %b1 = reshard %b
//! %d = add %c, %e                     =>      %c = dot %a, %b1          partial over x
//!                                             %c1 = reshard %c          reduce-scatter, later
//!                                             %d = add %c1, %e
//! ```

pub mod agree;
pub mod apply;
pub mod candidates;
pub mod carried;
pub mod edges;
mod factor_groups;
pub mod inside;
pub mod kinds;
mod needs;
mod postpone;
pub mod relocate_split;
pub mod strategy;
pub mod table;
pub mod whole;

use crate::Options;
use crate::blocks::program_insts;
use crate::exchange::ties::ties;
use crate::prepare::prepared;
use candidates::{Candidate, Source, candidates};
use kinds::{KindId, Sources};
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::op::{Control, Structure};
use meshwright_ir::project::FactorAxes;
use meshwright_ir::{
    Annotation, BlockId, FuncId, Function, InstId, Localize, Module, PlannedModule, Rule, ShardedModule,
    ValueId,
};
use meshwright_shard::{MeshId, Sharding};
use needs::Needs;
use std::rc::Rc;
use strategy::{PartialThrough, Strategy, Subject};
use table::{Memory, Price, ShapeId, ShardingId, Table};

/// Most sweeps over the instructions.
pub const SWEEPS: usize = 8;

/// A contraction is not repeated on several devices to save communication: strategies with more flops than this times
/// the least are left out.
const REPEATED: f64 = 1.001;

/// From so many bytes on, operands and results together, a line is sorted or transformed in pieces even where fetching it
/// would send less.
const MOST_WHOLE: f64 = 256.0 * 1024.0 * 1024.0;

/// Plan a whole module: each function by itself, its edges as completion left them.
///
/// With `trust` nobody checks that the plan holds.
pub fn plan(module: ShardedModule, options: &Options, trust: bool) -> Result<PlannedModule, Vec<Diagnostic>> {
    let mut module = prepared(module, most_whole(options))?;
    let ids: Vec<FuncId> = module.funcs.keys().collect();
    let (mut plans, mut memory) = (Vec::new(), Memory::default());
    for id in ids {
        let mut planner = planned_function(&module, id, &mut memory, options);
        planner.run_late();
        plans.push((id, planner.decided()));
    }
    for (id, decided) in plans {
        apply::apply(&mut module.funcs[id], decided);
    }
    PlannedModule::new(
        module,
        |module, func, inst| if trust { None } else { agree::agree(module, func, inst) },
    )
}

/// What the plan of a module costs each device, and the flops of its contractions. `memory` is that of plans of the same
/// module with other shardings.
pub fn price(
    module: ShardedModule,
    options: &Options,
    memory: &mut Memory,
) -> Result<(Price, f64), Vec<Diagnostic>> {
    let module = prepared(module, most_whole(options))?;
    let times = calls(&module);
    let (mut price, mut flops) = (Price::default(), 0.0);
    for (id, times) in times.iter() {
        let mut planner = planned_function(&module, id, memory, options);
        price.add(*times, planner.price());
        flops += times * planner.flops();
    }
    Ok((price, flops))
}

fn planned_function<'a>(
    module: &'a Module,
    id: FuncId,
    memory: &'a mut Memory,
    options: &'a Options,
) -> Planner<'a> {
    let table = Table { meshes: &module.meshes, machine: &options.machine, goal: options.goal, memory };
    let mut planner = Planner::new(module, &module.funcs[id], table);
    planner.most_whole = most_whole(options);
    planner.run();
    planner.postpone_sums();
    planner.carry_sums();
    planner
}

/// How often each function runs. Completion has given every call a function of its own.
fn calls(module: &Module) -> IdMap<FuncId, f64> {
    let mut times = IdMap::filled(module.funcs.len(), 0.0);
    let mut stack = vec![(module.entry, 1.0)];
    while let Some((id, often)) = stack.pop() {
        times[id] += often;
        let func = &module.funcs[id];
        let mut inside: IdMap<BlockId, f64> = IdMap::filled(func.block_count(), often);
        for inst in program_insts(func) {
            let info = func.inst(inst);
            let here = inside[func.block_of(inst)];
            for region in &info.regions {
                inside[*region] = here * trips(module, func, inst);
            }
            if let Some(Structure::Call(call)) = info.op.structure() {
                stack.push((call.callee, here));
            }
        }
    }
    times
}

/// From how many bytes on a line is not put together: also where it would not fit.
fn most_whole(options: &Options) -> f64 {
    options.memory_limit.map_or(MOST_WHOLE, |limit| MOST_WHOLE.min(limit as f64 + 1.0))
}

/// Who uses a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Operand(InstId, usize),
    Result(BlockId, usize),
}

/// What a plan says of one function.
pub struct Decided {
    /// Sharding each value is made with, where it is not the one that completion gave it.
    pub have: Vec<(ValueId, Sharding)>,
    /// Reshards per value, in the order to be made: (value, from, to).
    pub reshards: Vec<(ValueId, Sharding, Sharding)>,
    /// Sharding each use needs, where it is not the one the value has.
    pub uses: Vec<(ValueId, Use, Sharding)>,
}

/// Strategies worth comparing, and the shardings at hand (of which tensor) they were made from.
type Known = (Sources, Rc<[Strategy]>);

struct Planner<'a> {
    module: &'a Module,
    func: &'a Function,
    table: Table<'a>,
    order: Vec<InstId>,
    /// Kinds of the instructions that have a choice.
    kind: IdMap<InstId, Option<KindId>>,
    chosen: IdMap<InstId, Option<Strategy>>,
    known: IdMap<InstId, Known>,
    /// Instructions that are to be chosen though nothing around them has changed.
    stale: IdMap<InstId, bool>,
    /// When a value was last disturbed, and when an instruction was last chosen.
    disturbed: IdMap<ValueId, u64>,
    settled: IdMap<InstId, u64>,
    now: u64,
    wish: IdMap<ValueId, Option<ShardingId>>,
    have: IdMap<ValueId, Option<ShardingId>>,
    shape: IdMap<ValueId, Option<ShapeId>>,
    needs: Needs<'a>,
    /// How often each block runs.
    times: IdMap<BlockId, f64>,
    /// From how many bytes on a line is not put together.
    most_whole: f64,
    /// Whether late strategies are compared too.
    is_late: bool,
}

impl<'a> Planner<'a> {
    fn new(module: &'a Module, func: &'a Function, table: Table<'a>) -> Self {
        let (values, insts, blocks) = (func.value_count(), func.inst_count(), func.block_count());
        let mut planner = Planner {
            module,
            func,
            table,
            order: program_insts(func),
            kind: IdMap::filled(insts, None),
            chosen: IdMap::filled(insts, None),
            known: IdMap::filled(insts, Default::default()),
            stale: IdMap::filled(insts, true),
            disturbed: IdMap::filled(values, 0),
            settled: IdMap::filled(insts, 0),
            now: 0,
            wish: IdMap::filled(values, None),
            have: IdMap::filled(values, None),
            shape: IdMap::filled(values, None),
            needs: Needs::new(func),
            times: IdMap::filled(blocks, 1.0),
            most_whole: MOST_WHOLE,
            is_late: false,
        };
        planner.read_wishes();
        planner.read_edges();
        planner.needs.read_uses(&planner.order);
        planner
    }

    fn read_wishes(&mut self) {
        for (value, info) in self.func.values().iter() {
            if let Some(sharding) = info.sharding.as_ref().and_then(|sharding| sharding.as_mesh()) {
                let id = self.table.planned(sharding);
                self.wish[value] = Some(id);
                self.have[value] = Some(id);
                self.shape[value] = Some(self.table.shape(&info.ty));
            }
        }
    }

    /// Fixed instructions, and for the others the completed shardings as a start.
    fn read_edges(&mut self) {
        let root = self.func.root();
        let entry = self.entry_needs();
        self.needs.start_returns(root, entry);
        for inst in self.order.clone() {
            let info = self.func.inst(inst);
            let times = self.times[self.func.block_of(inst)];
            for region in &info.regions {
                self.times[*region] = times * trips(self.module, self.func, inst);
            }
            match edges::edges(self.module, self.func, inst) {
                Some(edges) => self.fix(inst, edges),
                None => {
                    self.kind[inst] = Some(self.table.memory.kinds.of(self.func, inst));
                    let wishes = info.operands.iter().map(|value| self.wish[*value]);
                    self.needs.start_operands(inst, wishes);
                }
            }
        }
    }

    fn fix(&mut self, inst: InstId, edges: edges::Edges) {
        let info = self.func.inst(inst);
        let needs = self.intern_all(edges.operands);
        self.needs.start_operands(inst, needs);
        let results = self.intern_all(edges.results);
        for (value, sharding) in info.results.iter().zip(results) {
            self.have[*value] = sharding.or(self.have[*value]);
        }
        for (region, needs) in info.regions.iter().zip(edges.regions) {
            let needs = self.intern_all(needs);
            self.needs.start_returns(*region, needs);
        }
        for (region, params) in info.regions.iter().zip(edges.params) {
            let params = self.intern_all(params);
            for (param, sharding) in self.func.block(*region).params.iter().zip(params) {
                self.have[*param] = sharding.or(self.have[*param]);
            }
        }
    }

    fn intern_all(&mut self, shardings: Vec<Option<Sharding>>) -> Vec<Option<ShardingId>> {
        shardings.iter().map(|sharding| sharding.as_ref().map(|s| self.table.planned(s))).collect()
    }

    fn entry_needs(&mut self) -> Vec<Option<ShardingId>> {
        let values = self.func.result_values().to_vec();
        let asked =
            |at: usize| self.func.results.get(at).and_then(|info| info.sharding.as_ref()?.as_mesh().cloned());
        let asked: Vec<_> = (0..values.len()).map(asked).collect();
        let asked = self.intern_all(asked);
        values.iter().zip(asked).map(|(value, asked)| asked.or(self.wish[*value])).collect()
    }

    fn run(&mut self) {
        for sweep in 0..SWEEPS {
            let mut order: Vec<InstId> = self.order.clone();
            if sweep % 2 == 1 {
                order.reverse();
            }
            let changed = order.into_iter().filter(|inst| self.choose(*inst)).count();
            if changed == 0 {
                break;
            }
        }
    }

    /// Go on from there with late strategies: what comes out is never worse. Plans that are only priced do without.
    fn run_late(&mut self) {
        self.is_late = true;
        for inst in self.order.clone() {
            self.stale[inst] |= self.known[inst].1.iter().any(|strategy| strategy.is_late);
        }
        self.run();
    }

    /// The price of the whole plan.
    fn price(&mut self) -> Price {
        let mut price = Price::default();
        for inst in &self.order {
            if let Some(strategy) = &self.chosen[*inst] {
                let own = Price { sent: strategy.sent, seconds: strategy.seconds };
                price.add(self.times[self.func.block_of(*inst)], own);
            }
        }
        for value in self.func.values().keys() {
            if let (Some(have), Some(shape)) = (self.have[value], self.shape[value]) {
                let needs = self.needs.all(value);
                price.add(self.times_of(value), self.table.tree_price(shape, have, &needs));
            }
        }
        price
    }

    /// Flops of all contractions.
    fn flops(&self) -> f64 {
        let of = |inst: &InstId| {
            let strategy = self.chosen[*inst].as_ref()?;
            Some(self.times[self.func.block_of(*inst)] * strategy.flops)
        };
        self.order.iter().filter_map(of).sum()
    }

    /// Re-choose one instruction; whether anything changed.
    fn choose(&mut self, inst: InstId) -> bool {
        if self.kind[inst].is_none() || !self.is_stale(inst) {
            return false;
        }
        self.mark_fresh(inst);
        self.know(inst);
        let known = self.known[inst].1.clone();
        let best = self.best(inst, &known);
        let adopted = best.map(|at| known[at].clone());
        match adopted {
            Some(strategy) if self.chosen[inst].as_ref() != Some(&strategy) => {
                self.adopt(inst, strategy);
                true
            }
            _ => false,
        }
    }

    /// Index of the cheapest strategy; ties go to the one that is chosen already, then to the one that comes first.
    fn best(&mut self, inst: InstId, known: &[Strategy]) -> Option<usize> {
        if known.len() <= 1 {
            return (!known.is_empty()).then_some(0);
        }
        let chosen =
            self.chosen[inst].as_ref().and_then(|old| known.iter().position(|strategy| strategy == old));
        let mut best: Option<(Price, usize)> = None;
        let is_late = self.is_late;
        let open = (0..known.len()).filter(|at| is_late || !known[*at].is_late);
        for at in chosen.into_iter().chain(open) {
            let price = self.total(inst, &known[at]);
            if best.is_none_or(|(least, _)| price.beats(least, self.table.goal)) {
                best = Some((price, at));
            }
        }
        best.map(|(_, at)| at)
    }

    fn adopt(&mut self, inst: InstId, strategy: Strategy) {
        let info = self.func.inst(inst);
        for (at, value) in info.operands.iter().enumerate() {
            if self.needs.set(*value, Use::Operand(inst, at), strategy.operands[at]) {
                self.disturb(*value);
            }
        }
        for (value, id) in info.results.iter().zip(&strategy.results) {
            if self.have[*value] != Some(*id) {
                self.have[*value] = Some(*id);
                self.disturb(*value);
            }
        }
        self.chosen[inst] = Some(strategy);
        self.mark_fresh(inst);
    }

    /// Everyone at a value has to think again.
    fn disturb(&mut self, value: ValueId) {
        self.now += 1;
        self.disturbed[value] = self.now;
    }

    /// Nothing around an instruction has changed since now.
    fn mark_fresh(&mut self, inst: InstId) {
        self.stale[inst] = false;
        self.settled[inst] = self.now;
    }

    fn is_stale(&self, inst: InstId) -> bool {
        let info = self.func.inst(inst);
        let is_new = |value: &ValueId| self.disturbed[*value] > self.settled[inst];
        self.stale[inst] || info.operands.iter().chain(&info.results).any(is_new)
    }

    /// Make the strategies worth comparing, unless they were made from the same shardings before.
    fn know(&mut self, inst: InstId) {
        let sources = self.sources(inst);
        if self.known[inst].0 == sources && !self.known[inst].1.is_empty() {
            return;
        }
        let (Some(kind), Some(mesh)) = (self.kind[inst], self.mesh_of(inst)) else { return };
        let strategies = self.table.memory.kinds.strategies(kind, mesh, &sources).unwrap_or_else(|| {
            let rule = self.table.memory.kinds.rule(kind).clone();
            let made: Rc<[Strategy]> = self.strategies(inst, &rule, mesh, &sources).into();
            self.table.memory.kinds.remember(kind, mesh, sources.clone(), made.clone());
            made
        });
        self.known[inst] = (sources, strategies);
    }

    fn strategies(
        &mut self,
        inst: InstId,
        rule: &Rule,
        mesh: MeshId,
        sources: &[(usize, ShardingId)],
    ) -> Vec<Strategy> {
        let info = self.func.inst(inst);
        let sharding = |id: ShardingId| self.table.sharding(id);
        let here = sources.iter().map(|(_, id)| sharding(*id)).find(|sharding| sharding.mesh == mesh);
        let manual = here.map_or(Vec::new(), |sharding| sharding.manual.clone());
        let choices = {
            let sources: Vec<Source<'_>> = sources
                .iter()
                .map(|(tensor, id)| Source { tensor: *tensor, sharding: sharding(*id) })
                .collect();
            candidates(&info.op, rule, mesh, &sources)
        };
        let subject = Subject {
            op: &info.op,
            rule,
            operands: info.operands.iter().map(|value| self.func.ty(*value)).collect(),
            results: info.results.iter().map(|value| self.func.ty(*value)).collect(),
            mesh,
            manual: &manual,
            ties: ties(self.func, inst),
        };
        let mut strategies: Vec<Strategy> = Vec::new();
        for Candidate { axes, through, is_late } in choices {
            if let Some(strategy) = subject.strategy(&axes, &through, &mut self.table)
                && !strategies.iter().any(|known| known.splits_as(&strategy))
            {
                strategies.push(Strategy { is_late, ..strategy });
            }
        }
        let least = strategies.iter().map(|strategy| strategy.flops).fold(f64::INFINITY, f64::min);
        strategies.retain(|strategy| strategy.flops <= least * REPEATED);
        if rule.localizes(Localize::Merge) {
            let least = strategies.iter().map(|strategy| strategy.held).fold(f64::INFINITY, f64::min);
            strategies.retain(|strategy| strategy.held <= least || strategy.held < self.most_whole);
        }
        if strategies.is_empty() {
            let undivided = FactorAxes::filled(rule.factors.len(), Vec::new());
            strategies.extend(subject.strategy(&undivided, &PartialThrough::Nothing, &mut self.table));
        }
        strategies
    }

    fn mesh_of(&self, inst: InstId) -> Option<MeshId> {
        let info = self.func.inst(inst);
        let of = |value: &ValueId| self.wish[*value].map(|id| self.table.sharding(id).mesh);
        info.results.iter().chain(&info.operands).find_map(of)
    }

    /// Shardings at hand: what completion wished for the results, then what the operands have, what the results' users
    /// need, and what completion wished for the operands.
    fn sources(&self, inst: InstId) -> Sources {
        let info = self.func.inst(inst);
        let mut ids = Sources::new();
        let mut add = |tensor: usize, id: Option<ShardingId>| {
            if let Some(id) = id
                && !ids.contains(&(tensor, id))
            {
                ids.push((tensor, id));
            }
        };
        let operands = info.operands.len();
        for (at, value) in info.results.iter().enumerate() {
            add(operands + at, self.wish[*value]);
        }
        for (at, value) in info.operands.iter().enumerate() {
            add(at, self.have[*value]);
        }
        for (at, value) in info.results.iter().enumerate() {
            self.needs.all(*value).iter().for_each(|need| add(operands + at, Some(*need)));
        }
        for (at, value) in info.operands.iter().enumerate() {
            add(at, self.wish[*value]);
        }
        ids
    }

    fn times_of(&self, value: ValueId) -> f64 {
        match self.func.value(value).def {
            meshwright_ir::Def::Param { block, .. } => self.times[block],
            meshwright_ir::Def::Result { inst, .. } => self.times[self.func.block_of(inst)],
        }
    }

    /// Everything the choice of this instruction touches: its own time, the reshards of its operands and results.
    fn total(&mut self, inst: InstId, strategy: &Strategy) -> Price {
        let info = self.func.inst(inst);
        let mut total = Price::default();
        total.add(
            self.times[self.func.block_of(inst)],
            Price { sent: strategy.sent, seconds: strategy.seconds },
        );
        for (at, value) in info.operands.iter().enumerate() {
            if info.operands[..at].contains(value) {
                continue;
            }
            let needs = self.needs.all_with(*value, inst, &strategy.operands);
            if let (Some(have), Some(shape)) = (self.have[*value], self.shape[*value]) {
                total.add(self.times_of(*value), self.table.tree_price(shape, have, &needs));
            }
        }
        for (value, have) in info.results.iter().zip(&strategy.results) {
            let needs = self.needs.all(*value);
            if let Some(shape) = self.shape[*value] {
                total.add(self.times_of(*value), self.table.tree_price(shape, *have, &needs));
            }
        }
        total
    }

    fn decided(&mut self) -> Decided {
        let mut decided = Decided { have: Vec::new(), reshards: Vec::new(), uses: Vec::new() };
        for value in self.func.values().keys() {
            let (Some(have), Some(shape)) = (self.have[value], self.shape[value]) else { continue };
            let annotated = self.func.value(value).sharding.as_ref().and_then(Annotation::as_mesh);
            let made = self.table.sharding(have);
            if annotated != Some(made) {
                decided.have.push((value, made.clone()));
            }
            let needs = self.needs.all(value);
            for (from, to) in self.table.tree(shape, have, &needs).1 {
                let (from, to) = (self.table.sharding(from).clone(), self.table.sharding(to).clone());
                decided.reshards.push((value, from, to));
            }
            for of in &self.needs.uses()[value] {
                if let Some(need) = self.needs.of(*of)
                    && need != have
                {
                    decided.uses.push((value, *of, self.table.sharding(need).clone()));
                }
            }
        }
        decided
    }
}

fn trips(module: &Module, func: &Function, inst: InstId) -> f64 {
    const UNKNOWN: f64 = 16.0;
    match func.inst(inst).op.structure() {
        Some(Structure::Scan(scan)) => scan.trips as f64,
        Some(Structure::Control(Control::While)) => {
            meshwright_ir::raise_scan::trip_count(module, func, inst).map_or(UNKNOWN, |trips| trips as f64)
        }
        Some(Structure::Control(Control::If | Control::Case | Control::Fusion { .. })) => 1.0,
        Some(Structure::Call(_) | Structure::Sharding(_) | Structure::Token(_)) | None => 1.0,
    }
}
