//! Which annotations spread first: decided by what the programs cost, where the annotations leave it open.
//!
//! Pure priorities are the start. In each round every claim that came off badly is tried as the next to spread
//! before the others, or before those chosen so far if it lost to these; the best is kept if its plan is better, and
//! the next round goes on from there. Then the claims found are tried alone, which must not take more memory either.
//! At last come splits that no annotation asks for, of large sums over devices: one is kept that saves a twentieth
//! of all that is sent, and takes no more time. A plan is better if it sends fewer bytes, or as many in less time
//! (or has less of what else is the goal), and computes no more, or hardly more in less time. Plans foresee what
//! cleanup and localization make of them but for a little, so a close call is left to the programs themselves, and
//! so is a small module. The number of plans is bounded, so the same module gives the same program on every run.

use crate::{Options, StopAfter, planned};
use meshwright_base::Diagnostic;
use meshwright_complete::{Addition, Choice, Chosen, Draft, Order, Spread, everywhere};
use meshwright_cost::{Traffic, program_peak, step_seconds, traffic};
use meshwright_ir::ShardedModule;
use meshwright_opt::passes::{BEFORE_PLAN, run_unseen};
use meshwright_spmd::plan::{Memory, Price};
use meshwright_spmd::{Checks, Goal, plan};
use std::collections::BTreeSet;

/// Most plans that are compared.
pub const MOST_PLANS: usize = 24;

/// Most claims that are tried in a round.
const MOST_CLAIMS: usize = 6;

/// A claim is tried if it did not get its axes on so much of what nobody annotated.
const WORTH_TRYING: f64 = 1.0 / 64.0;

/// The same in a module that says of values inside how they are split: what it leaves open follows from that.
const WORTH_TRYING_INSIDE: f64 = 1.0 / 6.0;

/// Most additions that are tried in a round, each of what is at least so large a share of all that is sent.
const MOST_ADDITIONS: usize = 4;
const WORTH_ADDING: f64 = 1.0 / 16.0;

/// A plan with an addition that sends a larger share than this, or takes more time, is not worth a split that nobody
/// asked for.
const ADDED_SENDS: f64 = 0.95;

/// A plan that saves a smaller share than this is a close call.
const CLEAR: f64 = 0.5;

/// Programs of at most so many instructions are made rather than foreseen: that costs little, and what is folded in one
/// of them is much of it.
const SMALL: usize = 256;

/// Flops of one plan by those of another, if it computes as much.
const AS_MANY: f64 = 1.001;

/// The same if it may compute more, because it takes less time.
const A_FEW_MORE: f64 = 1.04;

/// What a plan or program costs each device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub price: Price,
    flops: f64,
}

impl Cost {
    pub(crate) fn beats(&self, other: &Cost, goal: Goal) -> bool {
        let most = if self.price.seconds < other.price.seconds { A_FEW_MORE } else { AS_MANY };
        self.flops <= other.flops * most && self.price.beats(other.price, goal)
    }
}

/// The same of a program that was made, with the most bytes alive on a device.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub cost: Cost,
    pub peak: i64,
}

/// An order, how annotations spread by it, and what its plan costs.
struct Found {
    order: Order,
    spread: Spread,
    cost: Cost,
    /// What each claim of the order saves.
    choices: Vec<Choice>,
}

impl Found {
    /// Preferred to another for one choice more, after those made `before`.
    fn chosen(self, chosen: Chosen, to: &Cost, before: &[Choice]) -> Found {
        let choice = Choice { chosen, before: to.price.sent, after: self.cost.price.sent };
        Found { choices: before.iter().copied().chain([choice]).collect(), ..self }
    }
}

/// How a draft's annotations spread best, and what was chosen for that.
pub(crate) fn spread(
    draft: &Draft,
    options: &Options,
    memory: &mut Memory,
) -> Result<(Spread, Vec<Choice>), Vec<Diagnostic>> {
    let first = draft.spread(&Order::default());
    let least = if draft.annotates_inside() { WORTH_TRYING_INSIDE } else { WORTH_TRYING };
    let is_contested = badly_off(draft, &first, least).next().is_some();
    let is_whole = additions(draft, &first).next().is_none();
    let is_settled =
        !is_contested && is_whole && draft.splits_contractions(&first) && draft.instructions() > SMALL;
    if options.priorities_alone || is_settled {
        return Ok((first, Vec::new()));
    }
    let seen = BTreeSet::from([first.mark()]);
    let start = cost(draft, options, &first, memory)?;
    let mut best = Found { order: Order::default(), spread: first, cost: start, choices: Vec::new() };
    let mut search = Search { draft, options, least, start, made: None, memory, seen };
    while let Some(better) = search.round(&best)? {
        best = better;
    }
    let mut best = vec![best];
    for first in [best[0].order.first.clone(), Vec::new()] {
        best.extend(search.alone(&first, &best[best.len() - 1])?);
    }
    while let Some(better) = search.added(&best[best.len() - 1])? {
        best.push(better);
    }
    for found in best.into_iter().rev() {
        if search.holds(&found)? {
            return Ok((found.spread, found.choices));
        }
    }
    Ok((draft.spread(&Order::default()), Vec::new()))
}

/// Claims worth trying, those that are contested most first.
fn badly_off(draft: &Draft, spread: &Spread, least: f64) -> impl Iterator<Item = usize> {
    let lost = draft.lost(spread).into_iter().enumerate();
    lost.filter(move |(_, lost)| *lost >= least).map(|(claim, _)| claim).take(MOST_CLAIMS)
}

/// Splits that nobody asks for. Who says of values inside how they are split has none: what is open follows from that.
fn additions(draft: &Draft, spread: &Spread) -> impl Iterator<Item = Addition> {
    let additions = if draft.annotates_inside() { Vec::new() } else { draft.additions(spread) };
    additions.into_iter()
}

struct Search<'a> {
    draft: &'a Draft,
    options: &'a Options,
    /// A claim is tried that did not get its axes on at least so much.
    least: f64,
    /// What priorities alone lead to: by the plan, and by the program once it was made.
    start: Cost,
    made: Option<Measured>,
    memory: &'a mut Memory,
    /// Marks of the completions that were planned.
    seen: BTreeSet<u64>,
}

impl Search<'_> {
    fn goal(&self) -> Goal {
        self.options.partition.goal
    }

    /// The best order that has one claim more than the best so far, if it is better.
    fn round(&mut self, best: &Found) -> Result<Option<Found>, Vec<Diagnostic>> {
        let mut better: Option<Found> = None;
        for claim in
            badly_off(self.draft, &best.spread, self.least).filter(|claim| !best.order.first.contains(claim))
        {
            let Some(found) = self.promoted(claim, &best.order.first)? else { continue };
            if found.cost.beats(&better.as_ref().unwrap_or(best).cost, self.goal()) {
                better = Some(found.chosen(Chosen::Claim(claim), &best.cost, &best.choices));
            }
        }
        Ok(better)
    }

    /// A claim behind those that spread first already, or before them if it lost to these.
    fn promoted(&mut self, claim: usize, first: &[usize]) -> Result<Option<Found>, Vec<Diagnostic>> {
        for first in [[first, &[claim]].concat(), [&[claim], first].concat()] {
            let order = Order { first, ..Order::default() };
            let spread = self.draft.spread(&order);
            let found = self.found(order, spread)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The claims of an order with no others spreading, if that is better and takes no more time.
    fn alone(&mut self, first: &[usize], best: &Found) -> Result<Option<Found>, Vec<Diagnostic>> {
        let order = Order { first: first.to_vec(), alone: true, ..Order::default() };
        let spread = self.draft.spread(&order);
        let found = self.found(order, spread)?;
        let is_better = |found: &Found| {
            found.cost.beats(&best.cost, self.goal()) && found.cost.price.seconds <= best.cost.price.seconds
        };
        let before = if first.is_empty() { &[][..] } else { &best.choices };
        Ok(found.filter(is_better).map(|found| found.chosen(Chosen::Alone, &best.cost, before)))
    }

    /// The best so far with one addition more, if it is worth it.
    fn added(&mut self, best: &Found) -> Result<Option<Found>, Vec<Diagnostic>> {
        let mut better: Option<Found> = None;
        let is_large = |added: &Addition| added.bytes as f64 >= WORTH_ADDING * best.cost.price.sent;
        for addition in additions(self.draft, &best.spread).take_while(is_large).take(MOST_ADDITIONS) {
            let mut order = best.order.clone();
            order.added.push(addition);
            let spread = self.draft.spread(&order);
            let Some(found) = self.found(order, spread)? else { continue };
            let (price, before) = (found.cost.price, best.cost.price);
            let is_worth_it = price.sent <= ADDED_SENDS * before.sent && price.seconds <= before.seconds;
            if is_worth_it && found.cost.beats(&better.as_ref().unwrap_or(best).cost, self.goal()) {
                let chosen = Chosen::Addition(found.order.added.len() - 1);
                better = Some(found.chosen(chosen, &best.cost, &best.choices));
            }
        }
        Ok(better)
    }

    /// Whether what was found is better than priorities alone: by the programs themselves, where it is a close call.
    fn holds(&mut self, found: &Found) -> Result<bool, Vec<Diagnostic>> {
        let is_clear = self.goal() == Goal::Bytes
            && !found.order.alone
            && self.draft.instructions() > SMALL
            && found.cost.price.sent <= (1.0 - CLEAR) * self.start.price.sent;
        if is_clear || found.order == Order::default() {
            return Ok(true);
        }
        let theirs = match self.made {
            Some(made) => made,
            None => {
                let made = self.measured(&self.draft.spread(&Order::default()))?;
                *self.made.insert(made)
            }
        };
        let ours = self.measured(&found.spread)?;
        let fits = !found.order.alone || ours.peak <= theirs.peak;
        Ok(fits && ours.cost.beats(&theirs.cost, self.goal()))
    }

    fn measured(&mut self, spread: &Spread) -> Result<Measured, Vec<Diagnostic>> {
        measured(self.draft, spread, self.options, self.memory)
    }

    /// What the program costs; `None` if another order came to the same, or enough were planned.
    fn found(&mut self, order: Order, spread: Spread) -> Result<Option<Found>, Vec<Diagnostic>> {
        if self.seen.len() >= MOST_PLANS || !self.seen.insert(spread.mark()) {
            return Ok(None);
        }
        let cost = cost(self.draft, self.options, &spread, self.memory)?;
        Ok(Some(Found { order, spread, cost, choices: Vec::new() }))
    }
}

/// What the program itself costs.
pub(crate) fn measured(
    draft: &Draft,
    spread: &Spread,
    options: &Options,
    memory: &mut Memory,
) -> Result<Measured, Vec<Diagnostic>> {
    let (sharded, within) = (needed(draft, spread)?, &options.partition);
    let planned = planned(sharded, within, Checks::None, StopAfter::Reshard, memory, &mut |_, _| Ok(()))?;
    let mut program = meshwright_spmd::localize::localize(planned, within)?;
    meshwright_opt::cleanup(program.module_mut());
    let Traffic { sent, seconds, contraction_flops: flops, .. } = traffic(program.module(), &within.machine);
    let seconds = match within.goal {
        Goal::Bytes => seconds,
        Goal::Seconds => step_seconds(program.module(), &within.machine),
    };
    let cost = Cost { price: Price { sent, seconds }, flops };
    Ok(Measured { cost, peak: program_peak(program.module()) })
}

/// What the plan of a completion costs.
pub(crate) fn cost(
    draft: &Draft,
    options: &Options,
    spread: &Spread,
    memory: &mut Memory,
) -> Result<Cost, Vec<Diagnostic>> {
    let sharded = needed(draft, spread)?;
    let (price, flops) = plan::price(sharded, &options.partition, memory)?;
    Ok(Cost { price, flops })
}

/// A completion as it is planned: without what nobody uses.
fn needed(draft: &Draft, spread: &Spread) -> Result<ShardedModule, Vec<Diagnostic>> {
    let (mut sharded, _) = everywhere(draft.complete(spread)?)?;
    run_unseen(BEFORE_PLAN, sharded.module_mut());
    Ok(sharded)
}
