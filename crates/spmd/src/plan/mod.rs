//! Choose one strategy per instruction, judged by the time of the whole program.
//!
//! The price is the bytes sent and the time of every op on its local shapes plus, for every value, the cheapest tree of
//! reshards from the sharding it is made with to all those it is needed with (each need is paid once, whoever asks).
//! Fewer bytes win, then less time; no contraction is repeated to save either. Sweeps over the instructions re-choose
//! one at a time and keep a change only if the price strictly falls; forward and backward in turn, at most [`SWEEPS`].
//! Bodies of loops count their trips. What no single change reaches is tried apart: pieces that stay where they are
//! (`pieces`), sums that pass several ops (`postpone`) and sums that a loop carries (`carried`).
//!
//! ```text
//! %c = dot %a, %b                             %b1 = reshard %b
//! %d = add %c, %e                     =>      %c = dot %a, %b1          partial over x
//!                                             %c1 = reshard %c          reduce-scatter, later
//!                                             %d = add %c1, %e
//! ```

mod agenda;
pub mod agree;
pub mod apply;
mod attempt;
pub mod candidates;
pub mod carried;
mod choices;
mod draft;
pub mod edges;
mod factor_groups;
pub mod inside;
pub mod kinds;
mod known;
mod linear_way;
mod needs;
mod pieces;
mod postpone;
mod price;
pub mod relocate_split;
pub mod strategy;
pub mod table;
pub mod whole;

use crate::exchange::ties::ties;
use crate::prepare::prepared;
use crate::{Checks, Options};
use agenda::Agenda;
use candidates::{Candidate, Source, candidates};
use choices::{Preferred, Remembered};
use draft::Draft;
use kinds::{AtHand, Kinds, Sources, Thought};
use known::{Known, calls};
use meshwright_base::{Diagnostic, Id, IdMap, cancel};
use meshwright_ir::project::FactorAxes;
use meshwright_ir::{
    Annotation, BlockId, FuncId, Function, InstId, Localize, Module, PlannedModule, Rule, ShardedModule,
    ValueId,
};
use meshwright_shard::{MeshId, Sharding};
use needs::Others;
pub use price::Price;
use std::collections::BTreeSet;
use std::sync::Arc;
use strategy::{PartialThrough, Strategy, StrategyId, Subject};
use table::{Entries, ShapeId, ShardingId, Table};

/// Most sweeps over the instructions.
pub const SWEEPS: usize = 8;

/// A contraction is not repeated on several devices to save communication: strategies with more flops than this times
/// the least are left out.
const REPEATED: f64 = 1.001;

/// From so many bytes on, operands and results together, a line is sorted or transformed in pieces even where fetching
/// it would send less.
const MOST_WHOLE: f64 = 256.0 * 1024.0 * 1024.0;

/// The number of operands from which sets replace searches through lists.
const LONG: usize = 16;

/// Plan a whole module: each function by itself, its edges as completion left them. `memory` is that of plans of the
/// same module with other shardings, or empty.
pub fn plan(
    module: ShardedModule,
    options: &Options,
    checks: Checks,
    memory: &mut Memory,
) -> Result<PlannedModule, Vec<Diagnostic>> {
    let options = &Options { machine: options.comparing(), ..options.clone() };
    let mut module = prepared(module, most_whole(options))?;
    let ids: Vec<FuncId> = module.funcs.keys().collect();
    let mut plans = Vec::new();
    for id in ids {
        let mut planner = planned_function(&module, id, memory, options);
        planner.run_late();
        plans.push((id, planner.decided()));
    }
    for (id, decided) in plans {
        apply::apply(&mut module.funcs[id], decided);
    }
    PlannedModule::new(module, |module, func, inst| match checks {
        Checks::All => agree::agree(module, func, inst),
        Checks::None => None,
    })
}

/// What the plan of a module costs each device, and the flops of its contractions. `memory` is that of plans of the
/// same module with other shardings.
pub fn price(
    module: ShardedModule,
    options: &Options,
    memory: &mut Memory,
) -> Result<(Price, f64), Vec<Diagnostic>> {
    let options = &Options { machine: options.comparing(), ..options.clone() };
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
    let mut planner = Planner::new(module, &module.funcs[id], memory, options);
    planner.run(Compared::Early);
    planner.leave_pieces();
    planner.postpone_sums();
    planner.carry_sums();
    planner
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
    pub have: Vec<(ValueId, Arc<Sharding>)>,
    /// Reshards per value, in the order to be made: (value, from, to).
    pub reshards: Vec<(ValueId, Arc<Sharding>, Arc<Sharding>)>,
    /// Sharding each use needs, where it is not the one the value has.
    pub uses: Vec<(ValueId, Use, Arc<Sharding>)>,
}

/// What stays true from one plan of a module to the next.
#[derive(Default)]
pub struct Memory {
    entries: Entries,
    kinds: Kinds,
    remembered: Remembered,
}

/// Which strategies are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// All but the late ones.
    Early,
    All,
}

/// One function while it is planned.
struct Planner<'a> {
    known: Known<'a>,
    draft: Draft<'a>,
    agenda: Agenda,
    /// What was thought last of an instruction: the number it has among the thoughts of its kind.
    ideas: IdMap<InstId, Option<usize>>,
    table: Table<'a>,
    /// Of values that were to be resharded, as far as they were.
    shapes: IdMap<ValueId, Option<ShapeId>>,
    /// Instructions that are alike, and the strategies thought of for them.
    kinds: &'a mut Kinds,
    /// What was chosen and tried before.
    remembered: &'a mut Remembered,
    /// From how many bytes on a line is not put together.
    most_whole: f64,
}

/// The values of a list, each once.
fn first_uses(values: &[ValueId]) -> impl Iterator<Item = &ValueId> {
    let mut seen = BTreeSet::new();
    values.iter().enumerate().filter_map(move |(at, value)| {
        let is_new = if values.len() > LONG { seen.insert(*value) } else { !values[..at].contains(value) };
        is_new.then_some(value)
    })
}

impl<'a> Planner<'a> {
    fn new(module: &'a Module, func: &'a Function, memory: &'a mut Memory, options: &'a Options) -> Self {
        let Memory { entries, kinds, remembered } = memory;
        let mut table =
            Table { meshes: &module.meshes, machine: &options.machine, goal: options.goal, entries };
        let known = Known::new(module, func, &mut table, kinds);
        let draft = Draft::start(&known, &mut table);
        let ideas = IdMap::filled(func.inst_count(), None);
        let shapes = IdMap::filled(func.value_count(), None);
        let (agenda, most_whole) = (Agenda::new(func, &known.order), most_whole(options));
        Planner { known, draft, agenda, ideas, table, shapes, kinds, remembered, most_whole }
    }

    fn run(&mut self, compared: Compared) {
        for sweep in 0..SWEEPS {
            if !self.sweep(sweep % 2 == 1, compared) {
                break;
            }
        }
    }

    /// Choose anew where something has changed, along the program or against it; whether any choice is another.
    fn sweep(&mut self, backward: bool, compared: Compared) -> bool {
        let mut changed = false;
        let mut next = self.agenda.begin(backward);
        while let Some(at) = next {
            cancel::look();
            changed |= self.choose(self.known.order[at.index()], compared);
            next = self.agenda.next(at, backward);
        }
        changed
    }

    /// Go on from there with late strategies: what comes out is never worse. Plans that are only priced do without.
    fn run_late(&mut self) {
        for inst in self.ideas.keys() {
            if self.ideas_of(inst).any(|(_, strategy)| strategy.is_late) {
                self.agenda.call(inst);
            }
        }
        self.run(Compared::All);
    }

    /// The price of the whole plan.
    fn price(&mut self) -> Price {
        let mut price = Price::default();
        for inst in &self.known.order {
            price.add(self.known.times(*inst), self.own_price(*inst));
        }
        for value in self.known.func.values().keys() {
            self.add_reshards(&mut price, value);
        }
        price
    }

    /// The strategy that is chosen so far.
    fn chosen(&self, inst: InstId) -> Option<&Strategy> {
        Some(self.kinds.strategy(self.draft.chosen[inst]?))
    }

    /// What an instruction costs as it is chosen.
    fn own_price(&self, inst: InstId) -> Price {
        self.chosen(inst).map_or(Price::default(), Strategy::price)
    }

    /// Add what it costs to bring a value to its users.
    fn add_reshards(&mut self, price: &mut Price, value: ValueId) {
        if let Some(have) = self.draft.have[value].filter(|_| self.known.is_planned(value)) {
            price.add(self.known.times_of(value), self.tree_price(value, have, None));
        }
    }

    /// What it costs to bring a value to all its users from the sharding it has; one of them may need its operands
    /// otherwise.
    fn tree_price(
        &mut self,
        value: ValueId,
        have: ShardingId,
        instead: Option<(InstId, &[ShardingId])>,
    ) -> Price {
        match self.draft.needs.others(value, have, instead) {
            Others::Nothing => Price::default(),
            Others::One(need) => {
                let shape = self.shape(value);
                self.table.reshard(shape, have, need)
            }
            Others::Several => {
                let shape = self.shape(value);
                let needs = match instead {
                    None => self.draft.needs.all(value),
                    Some((user, operands)) => self.draft.needs.all_with(value, user, operands),
                };
                self.table.tree(shape, have, &needs).0
            }
        }
    }

    fn shape(&mut self, value: ValueId) -> ShapeId {
        let ty = self.known.func.ty(value);
        *self.shapes[value].get_or_insert_with(|| self.table.shape(ty))
    }

    /// Flops of all contractions.
    fn flops(&self) -> f64 {
        let of = |inst: &InstId| {
            let strategy = self.chosen(*inst)?;
            Some(self.known.times(*inst) * strategy.flops)
        };
        self.known.order.iter().filter_map(of).sum()
    }

    /// Re-choose one instruction; whether anything changed.
    fn choose(&mut self, inst: InstId, compared: Compared) -> bool {
        if self.known.kind[inst].is_none() || !self.agenda.is_waiting(inst, self.known.tensors(inst)) {
            return false;
        }
        self.agenda.mark_fresh(inst);
        let Preferred { thought, strategy } = self.preferred(inst, compared);
        self.ideas[inst] = thought.or(self.ideas[inst]);
        match strategy {
            Some(strategy) if self.draft.chosen[inst] != Some(strategy) => {
                self.adopt(inst, strategy);
                true
            }
            _ => false,
        }
    }

    /// Think of strategies and compare them.
    fn compare(&mut self, inst: InstId, compared: Compared) -> Preferred {
        self.think(inst);
        let ideas = self.thought(inst).map(|thought| thought.strategies.clone());
        let strategy = ideas.and_then(|ideas| self.best(inst, &ideas, compared));
        Preferred { thought: self.ideas[inst], strategy }
    }

    fn thought(&self, inst: InstId) -> Option<&Thought> {
        Some(self.kinds.thought(self.known.kind[inst]?, self.ideas[inst]?))
    }

    /// The strategies that were thought of last.
    fn ideas_of(&self, inst: InstId) -> impl Iterator<Item = (StrategyId, &Strategy)> {
        let ids = self.thought(inst).map_or(&[][..], |thought| &thought.strategies);
        ids.iter().map(|id| (*id, &**self.kinds.strategy(*id)))
    }

    /// The cheapest strategy; ties go to the one that is chosen already, then to the one that comes first.
    fn best(&mut self, inst: InstId, ideas: &[StrategyId], compared: Compared) -> Option<StrategyId> {
        if ideas.len() <= 1 {
            return ideas.first().copied();
        }
        let chosen = self.draft.chosen[inst].filter(|chosen| ideas.contains(chosen));
        let mut best: Option<(Price, StrategyId)> = None;
        for id in chosen.into_iter().chain(ideas.iter().copied()) {
            let strategy = self.kinds.strategy(id).clone();
            if Some(id) != chosen && compared == Compared::Early && strategy.is_late {
                continue;
            }
            let price = self.total(inst, &strategy);
            if best.is_none_or(|(least, _)| price.beats(least, self.table.goal)) {
                best = Some((price, id));
            }
        }
        best.map(|(_, id)| id)
    }

    fn adopt(&mut self, inst: InstId, id: StrategyId) {
        let (info, strategy) = (self.known.func.inst(inst), self.kinds.strategy(id).clone());
        for (at, value) in info.operands.iter().enumerate() {
            if self.draft.need(*value, Use::Operand(inst, at), Some(strategy.operands[at])) {
                self.disturb(*value);
            }
        }
        for (value, id) in info.results.iter().zip(&strategy.results) {
            if self.draft.make(*value, Some(*id)) != Some(*id) {
                self.disturb(*value);
            }
        }
        self.draft.choose(inst, Some(id));
        self.agenda.mark_fresh(inst);
    }

    /// Have everyone at a value think again.
    fn disturb(&mut self, value: ValueId) {
        self.agenda.disturb(value, self.known.func.def_inst(value), self.draft.needs.uses_of(value));
    }

    /// Make the strategies worth comparing, unless they were made from the same shardings before.
    fn think(&mut self, inst: InstId) {
        let sources = self.sources(inst);
        if self.thought(inst).is_some_and(|thought| thought.sources == sources) {
            return;
        }
        let (Some(kind), Some(mesh)) = (self.known.kind[inst], self.mesh_of(inst)) else { return };
        let known = self.kinds.thought_of(kind, mesh, &sources);
        self.ideas[inst] = Some(known.unwrap_or_else(|| {
            let rule = self.kinds.rule(kind).clone();
            let made = self.strategies(inst, &rule, mesh, &sources);
            self.kinds.remember(kind, mesh, sources, made)
        }));
    }

    fn strategies(&mut self, inst: InstId, rule: &Rule, mesh: MeshId, sources: &[AtHand]) -> Vec<Strategy> {
        let info = self.known.func.inst(inst);
        let sharding = |id: ShardingId| self.table.sharding(id);
        let here = sources.iter().map(|at| sharding(at.sharding)).find(|sharding| sharding.mesh == mesh);
        let manual = here.map_or(Vec::new(), |sharding| sharding.manual.clone());
        let choices = {
            let sources: Vec<Source<'_>> = sources
                .iter()
                .map(|at| Source { tensor: at.tensor as usize, sharding: sharding(at.sharding) })
                .collect();
            candidates(&info.op, rule, mesh, &sources)
        };
        let subject = Subject {
            op: &info.op,
            rule,
            operands: info.operands.iter().map(|value| self.known.func.ty(*value)).collect(),
            results: info.results.iter().map(|value| self.known.func.ty(*value)).collect(),
            mesh,
            manual: &manual,
            ties: ties(self.known.func, inst),
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
        let of = |value: &ValueId| self.known.wish[*value].map(|id| self.table.sharding(id).mesh);
        self.known.results(inst).iter().chain(self.known.operands(inst)).find_map(of)
    }

    /// Shardings at hand: what completion wished for the results, then what the operands have, what the results' users
    /// need, and what completion wished for the operands.
    fn sources(&self, inst: InstId) -> Sources {
        let (operands, results) = (self.known.operands(inst), self.known.results(inst));
        let mut ids = Sources::new();
        let mut seen = BTreeSet::new();
        let is_long = operands.len() > LONG;
        let mut add = |tensor: usize, id: Option<ShardingId>| {
            let Some(sharding) = id else { return };
            let at_hand = AtHand { tensor: tensor as u32, sharding };
            let is_new = if is_long { seen.insert((tensor, sharding)) } else { !ids.contains(&at_hand) };
            ids.extend(is_new.then_some(at_hand));
        };
        for (at, value) in results.iter().enumerate() {
            add(operands.len() + at, self.known.wish[*value]);
        }
        for (at, value) in operands.iter().enumerate() {
            add(at, self.draft.have[*value]);
        }
        for (at, value) in results.iter().enumerate() {
            self.draft.needs.each(*value, |need| add(operands.len() + at, Some(need)));
        }
        for (at, value) in operands.iter().enumerate() {
            add(at, self.known.wish[*value]);
        }
        ids
    }

    /// Everything the choice of this instruction touches: its own time, the reshards of its operands and results.
    fn total(&mut self, inst: InstId, strategy: &Strategy) -> Price {
        let info = self.known.func.inst(inst);
        let mut total = Price::default();
        total.add(self.known.times(inst), strategy.price());
        for value in first_uses(&info.operands) {
            if let Some(have) = self.draft.have[*value].filter(|_| self.known.is_planned(*value)) {
                let instead = Some((inst, &strategy.operands[..]));
                let price = self.tree_price(*value, have, instead);
                total.add(self.known.times_of(*value), price);
            }
        }
        for (value, have) in info.results.iter().zip(&strategy.results) {
            if self.known.is_planned(*value) {
                let price = self.tree_price(*value, *have, None);
                total.add(self.known.times_of(*value), price);
            }
        }
        total
    }

    fn decided(&mut self) -> Decided {
        let mut decided = Decided { have: Vec::new(), reshards: Vec::new(), uses: Vec::new() };
        for value in self.known.func.values().keys() {
            let Some(have) = self.draft.have[value].filter(|_| self.known.is_planned(value)) else {
                continue;
            };
            let annotated = self.known.func.value(value).sharding.as_ref().and_then(Annotation::as_shared);
            let made = self.table.sharding(have);
            if annotated != Some(made) {
                decided.have.push((value, made.clone()));
            }
            if matches!(self.draft.needs.others(value, have, None), Others::Nothing) {
                continue;
            }
            let (needs, shape) = (self.draft.needs.all(value), self.shape(value));
            for (from, to) in self.table.tree(shape, have, &needs).1 {
                let (from, to) = (self.table.sharding(from).clone(), self.table.sharding(to).clone());
                decided.reshards.push((value, from, to));
            }
            for of in self.draft.needs.uses_of(value) {
                if let Some(need) = self.draft.needs.of(*of)
                    && need != have
                {
                    decided.uses.push((value, *of, self.table.sharding(need).clone()));
                }
            }
        }
        decided
    }
}
