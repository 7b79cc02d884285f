//! Choices and trials that were made before in equal surroundings: layers that are alike are planned alike, once.
//!
//! What is chosen for an instruction depends on its kind, on what is chosen so far, and on what stands around it: the
//! shardings its operands and results have, those that completion wished for, those that other users need, and how
//! often each is made. So does what comes out when several instructions are tried together. All of that, written down
//! as words, is the key; equal keys have equal answers, and none is compared twice. The answers stay true from one plan
//! of a module to the next.

use crate::plan::needs::Needed;
use crate::plan::strategy::StrategyId;
use crate::plan::{Compared, Planner};
use meshwright_base::{Id, InlineVec, LookupMap};
use meshwright_ir::{InstId, ValueId};
use std::rc::Rc;

/// The strategy that was best, if there was any, and the number of the thought that it is from.
#[derive(Clone, Copy, Debug)]
pub struct Preferred {
    pub thought: Option<usize>,
    pub strategy: Option<StrategyId>,
}

/// What a trial does with one of its instructions.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// This thought is had.
    Think(usize),
    Adopt(StrategyId),
    /// It is left as it is, for now.
    Leave,
}

/// A trial of several instructions together.
#[derive(Default)]
pub struct Trial {
    /// What is done with which of them, first first.
    pub acts: Vec<(usize, Act)>,
    /// Whether what it came to is better than what was.
    pub stays: bool,
}

/// What came out before, by the surroundings.
#[derive(Default)]
pub struct Remembered {
    preferred: LookupMap<Box<[u64]>, Preferred>,
    trials: LookupMap<Box<[u64]>, Rc<Trial>>,
    /// The surroundings that were asked about last.
    around: Vec<u64>,
}

impl Planner<'_> {
    /// The best strategy of an instruction as things are.
    pub(super) fn preferred(&mut self, inst: InstId, compared: Compared) -> Preferred {
        let mut around = std::mem::take(&mut self.remembered.around);
        around.clear();
        around.push(u64::from(compared == Compared::All));
        self.write_surroundings(&[inst], &mut around);
        let known = self.remembered.preferred.get(&around[..]).copied();
        let preferred = known.unwrap_or_else(|| {
            let preferred = self.compare(inst, compared);
            self.remembered.preferred.insert(around.as_slice().into(), preferred);
            preferred
        });
        self.remembered.around = around;
        preferred
    }

    /// What came of a trial of instructions like these, of which the first pass on these operands, in such
    /// surroundings; and the key to note it by.
    pub(super) fn trial_before(
        &self,
        passed: &[(InstId, usize)],
        touched: &[InstId],
    ) -> (Box<[u64]>, Option<Rc<Trial>>) {
        let mut around: Vec<u64> = passed.iter().map(|(_, at)| *at as u64).collect();
        self.write_surroundings(touched, &mut around);
        let around = around.into_boxed_slice();
        let trial = self.remembered.trials.get(&around).cloned();
        (around, trial)
    }

    pub(super) fn note_trial(&mut self, around: Box<[u64]>, trial: Trial) {
        self.remembered.trials.insert(around, Rc::new(trial));
    }

    /// All that choices for some instructions depend on.
    fn write_surroundings(&self, insts: &[InstId], words: &mut Vec<u64>) {
        words.push(insts.len() as u64);
        let mut values: InlineVec<ValueId, 6> = InlineVec::new();
        for inst in insts {
            let info = self.known.func.inst(*inst);
            let times = self.known.times(*inst);
            words.push(pair(numbered(self.known.kind[*inst]), numbered(self.draft.chosen[*inst])));
            words.push(times.to_bits());
            for value in info.operands.iter().chain(&info.results) {
                match values.iter().position(|known| known == value) {
                    Some(at) => words.push(at as u64),
                    None => {
                        words.push(values.len() as u64);
                        values.push(*value);
                        self.write_value(*value, insts, times, words);
                    }
                }
            }
        }
    }

    /// What completion wished a value to be, what it is, how often it is made, and what its users need, each need once:
    /// of `own` ones, where they stand.
    fn write_value(&self, value: ValueId, own: &[InstId], times: f64, words: &mut Vec<u64>) {
        words.push(pair(numbered(self.known.wish[value]), numbered(self.draft.have[value])));
        let start = words.len();
        words.push(0);
        self.draft.needs.each_beside(value, own, |needed| {
            let word = match needed {
                Needed::By(sharding) => (sharding.index() as u64) << 1,
                Needed::ByOwn(which, at) => pair(which as u64, at as u64) << 1 | 1,
            };
            if !words[start + 1..].contains(&word) {
                words.push(word);
            }
        });
        let made = self.known.times_of(value);
        words[start] = ((words.len() - start) as u64) << 1 | u64::from(made != times);
        words.extend((made != times).then_some(made.to_bits()));
    }
}

fn numbered<K: Id>(id: Option<K>) -> u64 {
    id.map_or(0, |id| id.index() as u64 + 1)
}

fn pair(high: u64, low: u64) -> u64 {
    high << 32 | low
}
