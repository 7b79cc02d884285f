//! Whether parameters that a loop reads again in every trip are put together once, before it.
//!
//! A pipeline's trips, or those over microbatches, all use the same weights. If these are stored in pieces over an axis
//! that splits something else inside, each trip would gather them, or move activations. With an annotation in front of
//! the loop they are gathered once. That is tried for each such axis, and kept where the program sends less and its
//! memory allows it: within the limit, or if there is none at most twice as much.

use crate::Options;
use crate::search::{self, Cost, Measured};
use meshwright_base::{Ask, Code, Diagnostic};
use meshwright_complete::{Choice, Draft, Order, Spread, Stored};
use meshwright_ir::Module;
use meshwright_ir::op::{Control, Structure};
use meshwright_opt::passes::{BEFORE_PLAN, run_unseen};
use meshwright_spmd::plan::Memory;

/// Parameters are gathered before loops, or would be.
pub const STORED: Code = Code(591);

/// A program that sends a larger share than this of what the other sends is not worth the memory.
const WORTH_IT: f64 = 0.95;

/// A completion that may be finished.
pub(crate) struct Completion {
    pub draft: Draft,
    pub spread: Spread,
    pub choices: Vec<Choice>,
}

impl Completion {
    pub(crate) fn of(
        module: Module,
        options: &Options,
        memory: &mut Memory,
    ) -> Result<Completion, Vec<Diagnostic>> {
        Completion::searched(Draft::new(module, &options.complete)?, options, memory)
    }

    fn searched(draft: Draft, options: &Options, memory: &mut Memory) -> Result<Completion, Vec<Diagnostic>> {
        let (spread, choices) = search::spread(&draft, options, memory)?;
        Ok(Completion { draft, spread, choices })
    }

    /// The same for a draft whose plan is better by priorities alone already: one plan, for most that there are.
    fn promising(
        module: Module,
        than: &Cost,
        options: &Options,
        memory: &mut Memory,
    ) -> Result<Option<Completion>, Vec<Diagnostic>> {
        let draft = Draft::new(module, &options.complete)?;
        let first = search::cost(&draft, options, &draft.spread(&Order::default()), memory)?;
        let is_promising = first.price.sent <= WORTH_IT * than.price.sent;
        if is_promising { Completion::searched(draft, options, memory).map(Some) } else { Ok(None) }
    }
}

/// What there is to decide; `None` if no loop reads again what is stored in pieces.
pub(crate) fn stored(module: &Module, options: &Options) -> Option<Stored> {
    if options.priorities_alone || !has_loop(module) {
        return None;
    }
    let mut module = module.clone();
    run_unseen(BEFORE_PLAN, &mut module);
    Stored::of(module, &options.complete).ok().filter(|stored| !stored.axes().is_empty())
}

fn has_loop(module: &Module) -> bool {
    module.funcs.values().any(|func| {
        func.insts_in_order().into_iter().any(|inst| {
            let structure = func.inst(inst).op.structure();
            matches!(structure, Some(Structure::Scan(_) | Structure::Control(Control::While)))
        })
    })
}

/// The completion as it is, or with what is stored over some axis whole from before the loops on; and what is to be
/// told of it.
pub(crate) fn weighed(
    plain: Completion,
    stored: &Stored,
    options: &Options,
    memory: &mut Memory,
) -> Result<(Completion, Vec<Diagnostic>), Vec<Diagnostic>> {
    let planned = search::cost(&plain.draft, options, &plain.spread, memory)?;
    let (mut best, mut known, mut notes) = (plain, None, Vec::new());
    for axis in stored.axes() {
        let mut own = Memory::default();
        let other = Completion::promising(stored.whole_along(axis), &planned, options, &mut own);
        let Ok(Some(other)) = other else { continue };
        let Ok(cost) = search::measured(&other.draft, &other.spread, options, &mut own) else { continue };
        let (start, least) = match known {
            Some(known) => known,
            None => {
                let start = search::measured(&best.draft, &best.spread, options, memory)?;
                *known.insert((start, start))
            }
        };
        let is_worth_it = cost.cost.price.sent <= WORTH_IT * least.cost.price.sent;
        if !is_worth_it || !cost.cost.beats(&least.cost, options.partition.goal) {
            continue;
        }
        let fits = fits(&cost, &start, options.memory_limit);
        let note = Note { name: stored.axis_name(axis), values: stored.values(axis), cost, start, fits };
        if fits {
            (best, known, *memory) = (other, Some((start, cost)), own);
            notes.clear();
        }
        notes.push(note);
    }
    Ok((best, notes.iter().map(Note::told).collect()))
}

fn fits(cost: &Measured, start: &Measured, limit: Option<i64>) -> bool {
    cost.peak <= limit.unwrap_or(2 * start.peak).max(start.peak)
}

struct Note {
    name: String,
    values: usize,
    cost: Measured,
    start: Measured,
    fits: bool,
}

impl Note {
    fn told(&self) -> Diagnostic {
        let Note { name, values, cost, start, fits } = self;
        let which = match values {
            1 => "1 value".to_string(),
            values => format!("{values} values"),
        };
        let would = if *fits { "is" } else { "could be" };
        let message = format!(
            "what is stored over `{name}` and read in each trip of a loop {would} put together once, before it ({which}): \
             {:.0} bytes sent a run instead of {:.0}, program peak {} instead of {}",
            cost.cost.price.sent, start.cost.price.sent, cost.peak, start.peak
        );
        let limit = Ask::Option("memory-limit", "BYTES");
        let help = if *fits {
            format!(
                "annotate these values in front of the loop to decide it yourself; a smaller limit, by `{limit}`, keeps \
                     them in pieces"
            )
        } else {
            format!(
                "give a limit that has room for it, by `{limit}`, or annotate these values in front of the loop"
            )
        };
        Diagnostic::note_only(STORED, message).help(help)
    }
}
