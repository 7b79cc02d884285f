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
//! next use: of all of them the one that costs the fewest flops per byte. What it is made of is made again too where that
//! is not at hand any more, or kept if it is small. Then the peak is looked for again. A change that makes the peak
//! higher is taken back, and each value is tried once, so this ends.
//!
//! Values stay what they are, to the bit: the same ops on the same operands. One operand goes through a barrier, so that
//! neither [`cse`](crate::cse()) nor a compiler behind us merges the copy with the original. Only the entry's own
//! instructions are looked at; collectives, calls, and what has regions or effects are never run twice. Costs a walk
//! over the entry per value.

mod chain;

use crate::remat::chain::Chain;
use meshwright_cost::peak::peak_place;
use meshwright_cost::{at_peak, program_peak};
use meshwright_ground::IdMap;
use meshwright_ir::{At, Def, Editor, Function, InstId, Module, Op, ValueId};
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
    let before = program_peak(module);
    let mut report = Rematerialized { before, after: before, ..Rematerialized::default() };
    if before <= limit {
        return report;
    }
    report.flops = chain::entry_flops(module);
    let mut tried = BTreeSet::new();
    while report.after > limit
        && let Some(chain) = best(module, &tried)
    {
        tried.insert(chain.value);
        let undo = module.funcs[module.entry].clone();
        let entry = module.entry;
        apply(&mut module.funcs[entry], &chain);
        let peak = program_peak(module);
        if peak > report.after {
            module.funcs[entry] = undo;
            continue;
        }
        report.after = peak;
        report.values += 1;
        report.again += chain.flops;
    }
    report
}

/// The values of the entry's block in the order of its instructions.
struct Schedule<'f> {
    func: &'f Function,
    places: IdMap<InstId, Option<usize>>,
    /// Places of the instructions that use a value, themselves or in their regions.
    uses: IdMap<ValueId, Vec<usize>>,
    is_returned: IdMap<ValueId, bool>,
}

impl<'f> Schedule<'f> {
    fn of(func: &'f Function) -> Self {
        let order = &func.block(func.root()).insts;
        let mut places = IdMap::filled(func.inst_count(), None);
        let mut uses = IdMap::filled(func.value_count(), Vec::new());
        for (place, inst) in order.iter().enumerate() {
            places[*inst] = Some(place);
            each_use(func, *inst, &mut |value| {
                if uses[value].last() != Some(&place) {
                    uses[value].push(place);
                }
            });
        }
        let mut is_returned = IdMap::filled(func.value_count(), false);
        func.result_values().iter().for_each(|value| is_returned[*value] = true);
        Schedule { func, places, uses, is_returned }
    }

    /// Where a value is made; `None` for parameters and what regions make.
    fn made_at(&self, value: ValueId) -> Option<usize> {
        match self.func.value(value).def {
            Def::Param { .. } => None,
            Def::Result { inst, .. } => self.places[inst],
        }
    }

    /// Whether a value is alive at a place anyway.
    fn is_alive(&self, value: ValueId, place: usize) -> bool {
        let is_given = match self.func.value(value).def {
            Def::Param { index, .. } => {
                self.func.params.get(index).is_none_or(|info| info.donation.is_none())
            }
            Def::Result { .. } => false,
        };
        is_given || self.is_returned[value] || self.uses[value].last().is_some_and(|last| *last >= place)
    }

    fn bytes(&self, value: ValueId) -> i64 {
        self.func.ty(value).byte_size()
    }
}

/// Every operand of an instruction and of all in its regions, and what these return.
fn each_use(func: &Function, inst: InstId, note: &mut impl FnMut(ValueId)) {
    let mut left = vec![inst];
    while let Some(inst) = left.pop() {
        let info = func.inst(inst);
        info.operands.iter().for_each(|value| note(*value));
        for region in &info.regions {
            let block = func.block(*region);
            block.results.iter().for_each(|value| note(*value));
            left.extend(&block.insts);
        }
    }
}

/// Of what is alive at the peak without being used there, what is cheapest to make again for the room it gives.
fn best(module: &Module, tried: &BTreeSet<ValueId>) -> Option<Chain> {
    let func = module.main();
    let schedule = Schedule::of(func);
    let peak = peak_place(module)?;
    let alive = at_peak(module).into_iter().filter(|value| !tried.contains(value));
    let chains = alive.filter_map(|value| Chain::find(&schedule, value, peak));
    chains.min_by(|a, b| a.price().total_cmp(&b.price()).then(a.value.cmp(&b.value)))
}

/// Make a value again before its next use, and let this and all later uses have that.
fn apply(func: &mut Function, chain: &Chain) {
    let order = func.block(func.root()).insts.clone();
    let Some(before) = order.get(chain.next_use).copied() else { return };
    let mut again: Vec<(ValueId, ValueId)> = Vec::new();
    for inst in &chain.insts {
        let mut operands = func.inst(*inst).operands.clone();
        if !operands.iter().any(|operand| renamed(&again, *operand) != *operand)
            && let Some(smallest) = operands.iter().copied().min_by_key(|value| func.ty(*value).byte_size())
        {
            let barrier = copy(func, before, Op::OptimizationBarrier, vec![smallest], &[smallest], *inst);
            again.push((smallest, barrier));
        }
        operands.iter_mut().for_each(|operand| *operand = renamed(&again, *operand));
        let (op, results) = (func.inst(*inst).op.clone(), func.inst(*inst).results.clone());
        let made = copy(func, before, op, operands, &results, *inst);
        again.extend(results.first().map(|result| (*result, made)));
    }
    let made = renamed(&again, chain.value);
    for inst in &order[chain.next_use..] {
        replace_uses(func, *inst, chain.value, made);
    }
}

fn renamed(again: &[(ValueId, ValueId)], value: ValueId) -> ValueId {
    again.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
}

/// An instruction with one result like the first of `like`, its place in the user's program that of `source`.
fn copy(
    func: &mut Function,
    before: InstId,
    op: Op,
    operands: Vec<ValueId>,
    like: &[ValueId],
    source: InstId,
) -> ValueId {
    let known: Vec<_> = like.iter().map(|value| func.value(*value).clone()).collect();
    let types = known.iter().map(|value| value.ty.clone()).collect();
    let (attrs, place) = (func.inst(source).attrs.clone(), func.inst(source).source);
    let is_same = func.inst(source).op == op;
    let mut editor = Editor::new(func);
    let inst = editor.push_typed(At::Before(before), op, operands, Vec::new(), types, place);
    if is_same {
        *editor.attrs_mut(inst) = attrs;
    }
    let made = editor.func().inst(inst).results.clone();
    for (value, known) in made.iter().zip(known) {
        editor.set_sharding(*value, known.sharding);
        editor.set_valid(*value, known.valid);
    }
    made[0]
}

fn replace_uses(func: &mut Function, inst: InstId, old: ValueId, new: ValueId) {
    let swap = |value: &ValueId| if *value == old { new } else { *value };
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
