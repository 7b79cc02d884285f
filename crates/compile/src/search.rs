//! Which annotations spread first: decided by what the programs cost, where the annotations leave it open.
//!
//! Pure priorities are the start. In each round every claim that came off badly is tried as the next to spread before the
//! others; the best is kept if its plan is better, and the next round goes on from there. A plan is better if it sends fewer
//! bytes, or as many in less time, and computes no more. The number of plans is bounded, so the same module gives the
//! same program on every run.

use crate::Options;
use meshwright_complete::{Choice, Draft, Order, Spread, everywhere};
use meshwright_ground::Diagnostic;
use meshwright_spmd::plan;
use meshwright_spmd::plan::table::{Memory, Price};
use std::collections::BTreeSet;

/// Most plans that are compared.
pub const MOST_PLANS: usize = 24;

/// Most claims that are tried in a round.
const MOST_CLAIMS: usize = 6;

/// A claim is tried if it did not get its axes on so much of what nobody annotated.
const WORTH_TRYING: f64 = 1.0 / 6.0;

/// What a plan costs each device.
#[derive(Clone, Copy, Debug)]
struct Cost {
    price: Price,
    flops: f64,
}

impl Cost {
    fn beats(&self, other: &Cost) -> bool {
        const AS_MANY: f64 = 1.001;
        self.flops <= other.flops * AS_MANY && self.price.beats(other.price)
    }
}

/// An order, how annotations spread by it, and what its plan costs.
struct Found {
    order: Order,
    spread: Spread,
    cost: Cost,
    /// What each claim of the order saves.
    choices: Vec<Choice>,
}

/// How a draft's annotations spread best, and what was chosen for that.
pub(crate) fn spread(draft: &Draft, options: &Options) -> Result<(Spread, Vec<Choice>), Vec<Diagnostic>> {
    let first = draft.spread(&Order::default());
    if options.priorities_alone || worth_trying(draft, &first).next().is_none() {
        return Ok((first, Vec::new()));
    }
    let mut search = Search { draft, options, memory: Memory::default(), seen: BTreeSet::new() };
    let Some(mut best) = search.found(Order::default(), first)? else {
        return Ok((draft.spread(&Order::default()), Vec::new()));
    };
    while let Some(better) = search.round(&best)? {
        best = better;
    }
    Ok((best.spread, best.choices))
}

/// Claims that came off badly, those that are contested most first.
fn worth_trying(draft: &Draft, spread: &Spread) -> impl Iterator<Item = usize> {
    let lost = draft.lost(spread).into_iter().enumerate();
    lost.filter(|(_, lost)| *lost >= WORTH_TRYING).map(|(claim, _)| claim).take(MOST_CLAIMS)
}

struct Search<'a> {
    draft: &'a Draft,
    options: &'a Options,
    memory: Memory,
    /// Marks of the completions that were planned.
    seen: BTreeSet<u64>,
}

impl Search<'_> {
    /// The best order that has one claim more than the best so far, if it is better.
    fn round(&mut self, best: &Found) -> Result<Option<Found>, Vec<Diagnostic>> {
        let mut better: Option<Found> = None;
        for claim in worth_trying(self.draft, &best.spread).filter(|claim| !best.order.0.contains(claim)) {
            let order = Order([best.order.0.as_slice(), &[claim]].concat());
            let spread = self.draft.spread(&order);
            let Some(found) = self.found(order, spread)? else { continue };
            if found.cost.beats(&better.as_ref().unwrap_or(best).cost) {
                let choice = Choice { claim, before: best.cost.price.sent, after: found.cost.price.sent };
                let choices = best.choices.iter().copied().chain([choice]).collect();
                better = Some(Found { choices, ..found });
            }
        }
        Ok(better)
    }

    /// What the program costs; `None` if another order came to the same, or enough were planned.
    fn found(&mut self, order: Order, spread: Spread) -> Result<Option<Found>, Vec<Diagnostic>> {
        if self.seen.len() >= MOST_PLANS || !self.seen.insert(spread.mark()) {
            return Ok(None);
        }
        let (sharded, _) = everywhere(self.draft.complete(&spread)?)?;
        let (price, flops) = plan::price(sharded, &self.options.partition, &mut self.memory)?;
        Ok(Some(Found { order, spread, cost: Cost { price, flops }, choices: Vec::new() }))
    }
}
