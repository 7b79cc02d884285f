//! Compute values again instead of keeping them, until the program fits a limit.
//!
//! ```text
//! %a = sine %x                          %a = sine %x
//! %b = .. %a ..                         %b = .. %a ..
//! (peak)                        =>      (peak)
//!                                       %w = optimization_barrier %x
//!                                       %a2 = sine %w
//! %c = .. %a ..                         %c = .. %a2 ..
//! ```
//!
//! Where most bytes are alive (`meshwright_cost::peak`), a value that is only kept for later is made again before its
//! next use: of all of them the one that costs the least time per byte. What it is made of is made again too where that
//! is not at hand any more, or kept if it is small. Where the peak is inside a loop, its body's values are looked at
//! too.
//!
//! What one loop stacks up for another one behind it is made again there, slice by slice (`stacks`): that is how a
//! model of layers in a loop is differentiated. Then the peak is looked for again. A change that makes the peak higher
//! is taken back, so are the last ones if they did not make it lower, and each value is tried once, those made again
//! not at all, so this ends. The changes for a limit are the first ones of those for any lower limit.
//!
//! Values stay what they are, to the bit: the same ops on the same operands. One operand goes through a barrier, so
//! that neither [`cse`](crate::cse()) nor a compiler behind us merges the copy with the original. Calls, reductions
//! over devices, and what has regions or effects are never run twice. Costs some walks over the entry per value.

mod chain;
mod schedule;
mod stacks;
mod work;

use chain::Chain;
use meshwright_base::cancel;
use meshwright_cost::peak::{Level, held_peak, peak_levels, storage};
use meshwright_cost::{Habits, program_peak};
use meshwright_ir::copy::{Copier, Names, Renaming};
use meshwright_ir::{At, BlockId, Build, Builder, Editor, Function, InstId, Module, Op, ValueId};
use schedule::Schedule;
use stacks::Stack;
use std::collections::BTreeSet;

/// What a program took and takes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rematerialized {
    /// Program peak before and after, in bytes.
    pub before: i64,
    pub after: i64,
    /// How many values are made again.
    pub values: usize,
    /// Flops of the program as it was, and of what is made again.
    pub flops: f64,
    pub again: f64,
}

impl Rematerialized {
    /// The part of the program's flops that is computed again.
    pub fn share(&self) -> f64 {
        if self.flops > 0.0 { self.again / self.flops } else { 0.0 }
    }
}

/// Make values again until the program peak is at most `limit`, or nothing is left that would lower it.
pub fn rematerialize(module: &mut Module, limit: i64) -> Rematerialized {
    rematerialize_at_most(module, limit, usize::MAX)
}

/// The same, looking at no more values than so many.
pub fn rematerialize_at_most(module: &mut Module, limit: i64, most: usize) -> Rematerialized {
    let mut shrinking = Shrinking::of(module, limit);
    for _ in 0..most {
        if shrinking.is_done() || !shrinking.go_on(module) {
            break;
        }
    }
    shrinking.finish(module)
}

/// Make values again until a machine whose compiler has these habits holds at most `limit` bytes, or nothing is left
/// that would lower its peak.
pub fn rematerialize_for(module: &mut Module, limit: i64, habits: Habits) -> Rematerialized {
    if habits == Habits::PLAIN {
        return rematerialize(module, limit);
    }
    let mut least = held_peak(module, habits);
    if least <= limit {
        let before = program_peak(module);
        return Rematerialized { before, after: before, ..Rematerialized::default() };
    }
    rematerialize_judged(module, &mut |module| {
        if least <= limit {
            return Judged::Last;
        }
        let peak = held_peak(module, habits);
        let is_lower = peak < least;
        least = least.min(peak);
        if is_lower { Judged::Better } else { Judged::NoBetter }
    })
}

/// What somebody thinks of a program in which values were made again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Better than those before it.
    Better,
    NoBetter,
    /// Nothing behind it could be.
    Last,
}

/// Make values again as long as somebody wants to see more: of the programs that have a lower peak than all before
/// them, the last that is judged better is kept, and the program as it was if there is none.
pub fn rematerialize_judged(module: &mut Module, judge: &mut dyn FnMut(&Module) -> Judged) -> Rematerialized {
    let mut shrinking = Shrinking::of(module, 0);
    let entry = module.entry;
    let mut best = (module.funcs[entry].clone(), shrinking.report);
    while shrinking.go_on(module) {
        if !shrinking.is_lower() {
            continue;
        }
        match judge(module) {
            Judged::Better => best = (module.funcs[entry].clone(), shrinking.report),
            Judged::NoBetter => {}
            Judged::Last => break,
        }
    }
    module.funcs[entry] = best.0;
    best.1
}

/// A program whose values are made again one after the other, the cheapest first.
struct Shrinking {
    limit: i64,
    report: Rematerialized,
    tried: BTreeSet<ValueId>,
    /// As it was before the first change since the peak fell last.
    lowest: Option<(Function, Rematerialized)>,
}

impl Shrinking {
    fn of(module: &Module, limit: i64) -> Shrinking {
        let before = program_peak(module);
        let mut report = Rematerialized { before, after: before, ..Rematerialized::default() };
        if before > limit {
            report.flops = work::entry_flops(module);
        }
        Shrinking { limit, report, tried: BTreeSet::new(), lowest: None }
    }

    fn is_done(&self) -> bool {
        self.report.after <= self.limit
    }

    /// Whether the last change made the peak lower.
    fn is_lower(&self) -> bool {
        self.lowest.is_none()
    }

    /// Try one more value; whether there was one.
    fn go_on(&mut self, module: &mut Module) -> bool {
        cancel::look();
        let entry = module.entry;
        let Some(choice) = best(module, &self.tried) else { return false };
        self.tried.insert(choice.value());
        let undo = module.funcs[entry].clone();
        choice.apply(&mut module.funcs[entry]);
        let peak = program_peak(module);
        if peak > self.report.after {
            module.funcs[entry] = undo;
            return true;
        }
        // What was made again stands right before its use already.
        self.tried.extend(module.main().values().keys().skip(undo.value_count()));
        self.lowest =
            if peak < self.report.after { None } else { self.lowest.take().or(Some((undo, self.report))) };
        self.report.after = peak;
        self.report.values += 1;
        self.report.again += choice.flops;
        true
    }

    /// Take back what came since the peak fell last.
    fn finish(self, module: &mut Module) -> Rematerialized {
        let Some((func, earlier)) = self.lowest else { return self.report };
        module.funcs[module.entry] = func;
        earlier
    }
}

/// A way to have less alive at the peak.
struct Choice {
    way: Way,
    block: BlockId,
    /// Seconds per byte.
    price: f64,
    flops: f64,
}

enum Way {
    Chain(Chain),
    Stack(Stack),
}

impl Choice {
    fn value(&self) -> ValueId {
        match &self.way {
            Way::Chain(chain) => chain.value,
            Way::Stack(stack) => stack.value,
        }
    }

    fn apply(&self, func: &mut Function) {
        match &self.way {
            Way::Chain(chain) => apply(func, self.block, chain),
            Way::Stack(stack) => stack.apply(func),
        }
    }
}

/// Of what is alive at the peak without being used there, what is cheapest to make again for the room it gives.
fn best(module: &Module, tried: &BTreeSet<ValueId>) -> Option<Choice> {
    let func = module.main();
    let mut times = 1.0;
    let mut choices = Vec::new();
    for level in peak_levels(module) {
        choices.extend(choices_at(func, &level, times, tried));
        times *= work::trips(module, func, func.block(level.block).insts[level.place]);
    }
    let by_price = |a: &Choice, b: &Choice| {
        a.price.total_cmp(&b.price).then(a.flops.total_cmp(&b.flops)).then(a.value().cmp(&b.value()))
    };
    choices.into_iter().min_by(by_price)
}

fn choices_at<'a>(
    func: &'a Function,
    level: &'a Level,
    times: f64,
    tried: &'a BTreeSet<ValueId>,
) -> impl Iterator<Item = Choice> + 'a {
    let schedule = Schedule::of(func, level.block);
    let alive = level.alive.iter().copied().filter(|value| !tried.contains(value));
    alive.filter_map(move |value| {
        let choice = |way, (flops, seconds): (f64, f64), saved: i64| {
            let price = times * seconds / saved as f64;
            Choice { way, block: level.block, price, flops: times * flops }
        };
        let chain = Chain::find(&schedule, value, level.place);
        let chain = chain.map(|chain| (chain.cost, chain.saved, Way::Chain(chain)));
        let stack =
            || Stack::find(&schedule, value).map(|stack| (stack.cost, stack.saved, Way::Stack(stack)));
        chain.or_else(stack).map(|(cost, saved, way)| choice(way, cost, saved))
    })
}

/// Make a value again before its next use, and let this and all later uses have that.
fn apply(func: &mut Function, block: BlockId, chain: &Chain) {
    let order = func.block(block).insts.clone();
    let Some(before) = order.get(chain.next_use).copied() else { return };
    let mut again: Vec<(ValueId, ValueId)> = Vec::new();
    for inst in &chain.insts {
        let operands = &func.inst(*inst).operands;
        if !operands.iter().any(|operand| again.now(*operand) != *operand)
            && let Some(smallest) = operands.iter().copied().min_by_key(|value| func.ty(*value).byte_size())
        {
            again.rename(smallest, barrier(func, smallest, *inst, before));
        }
        copy(func, *inst, before, &mut again);
    }
    // Only the value itself: what it was made of is used as it was.
    let mut now = vec![(chain.value, again.now(chain.value))];
    for inst in &order[chain.next_use..] {
        see_again(func, before, *inst, chain.value, &mut now);
        replace_uses(func, *inst, &now);
    }
}

/// A value behind a barrier, for the copy of an instruction.
fn barrier(func: &mut Function, value: ValueId, copied: InstId, before: InstId) -> ValueId {
    let source = func.inst(copied).source;
    let mut b = Builder::new(func, At::Before(before), source);
    b.looking_like(value).push(Op::OptimizationBarrier, [value])
}

/// Views of a value, for an instruction that uses one: the same of what stands for the value now. Views that are made
/// inside of the instruction stay there: they are renamed with all else in its regions.
fn see_again(
    func: &mut Function,
    before: InstId,
    user: InstId,
    value: ValueId,
    now: &mut Vec<(ValueId, ValueId)>,
) {
    let mut seen = Vec::new();
    crate::uses::each(func, user, &mut |used| seen.push(used));
    let block = func.block_of(before);
    let is_beside = |view: ValueId| func.def_inst(view).is_some_and(|inst| func.block_of(inst) == block);
    seen.retain(|used| *used != value && is_beside(*used) && storage(func, *used) == value);
    for view in seen {
        // The views between the two, the innermost first.
        let chain = std::iter::successors(Some(view), |view| meshwright_cost::peak::viewed(func, *view));
        let mut chain: Vec<ValueId> = chain.take_while(|view| *view != value).collect();
        chain.reverse();
        for view in chain {
            let Some(inst) = func.def_inst(view).filter(|_| now.now(view) == view) else { continue };
            copy(func, inst, before, now);
        }
    }
}

/// An instruction with one result once more, of what stands for its operands now.
fn copy(func: &mut Function, inst: InstId, before: InstId, now: &mut Vec<(ValueId, ValueId)>) {
    Copier { from: None, to: func, map: now, names: Names::Left }.inst(inst, At::Before(before));
}

fn replace_uses(func: &mut Function, inst: InstId, now: &impl Renaming) {
    let swap = |value: &ValueId| now.now(*value);
    let mut left = vec![inst];
    while let Some(inst) = left.pop() {
        let operands: Vec<ValueId> = func.inst(inst).operands.iter().map(swap).collect();
        let regions = func.inst(inst).regions.clone();
        Editor::new(func).set_operands(inst, operands);
        for region in regions {
            let results: Vec<ValueId> = func.block(region).results.iter().map(swap).collect();
            left.extend(&func.block(region).insts);
            Editor::new(func).set_results(region, results);
        }
    }
}
