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
use meshwright_base::{Id, LookupMap};
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
    /// What was chosen before stays.
    Stay,
}

/// What a trial of several instructions together does with which of them, first first. Nothing, if what it came to is
/// not better than what was.
pub type Trial = Vec<(usize, Act)>;

/// What came out before, by the surroundings.
#[derive(Default)]
pub struct Remembered {
    preferred: LookupMap<Box<[u64]>, Preferred>,
    trials: LookupMap<Box<[u64]>, Rc<Trial>>,
    /// The surroundings that were asked about last, and the values there.
    around: Vec<u64>,
    values: Vec<ValueId>,
}

impl Planner<'_> {
    /// The best strategy of an instruction as things are. Most have one alone, wherever they stand.
    pub(super) fn preferred(&mut self, inst: InstId, compared: Compared) -> Preferred {
        self.think(inst);
        if let Some([strategy]) = self.thought(inst).map(|thought| &*thought.strategies) {
            return Preferred { thought: self.ideas[inst], strategy: Some(*strategy) };
        }
        self.read_surroundings([u64::from(compared == Compared::All)].into_iter(), &[inst]);
        if let Some(known) = self.remembered.preferred.get(&self.remembered.around[..]) {
            return *known;
        }
        let around: Box<[u64]> = self.remembered.around.as_slice().into();
        let preferred = self.compare(inst, compared);
        self.remembered.preferred.insert(around, preferred);
        preferred
    }

    /// What came of a trial of instructions like these, of which the first pass on these operands, in such
    /// surroundings.
    pub(super) fn trial_before(
        &mut self,
        passed: &[(InstId, usize)],
        touched: &[InstId],
    ) -> Option<Rc<Trial>> {
        self.read_surroundings(passed.iter().map(|(_, at)| *at as u64), touched);
        self.remembered.trials.get(&self.remembered.around[..]).cloned()
    }

    /// The key of the surroundings that were asked about last.
    pub(super) fn last_surroundings(&self) -> Box<[u64]> {
        self.remembered.around.as_slice().into()
    }

    pub(super) fn note_trial(&mut self, around: Box<[u64]>, trial: Trial) {
        self.remembered.trials.insert(around, Rc::new(trial));
    }

    /// Write down all that choices for some instructions depend on, behind what is asked.
    fn read_surroundings(&mut self, asked: impl Iterator<Item = u64>, insts: &[InstId]) {
        let mut words = std::mem::take(&mut self.remembered.around);
        let mut values = std::mem::take(&mut self.remembered.values);
        words.clear();
        values.clear();
        words.extend(asked);
        words.push(insts.len() as u64);
        for inst in insts {
            let times = self.known.times(*inst);
            words.push(pair(numbered(self.known.kind[*inst]), numbered(self.draft.chosen[*inst])));
            words.push(times.to_bits());
            for value in self.known.tensors(*inst) {
                let known = values.iter().position(|known| known == value);
                words.push(known.unwrap_or(values.len()) as u64);
                if known.is_none() {
                    values.push(*value);
                    self.write_value(*value, insts, times, &mut words);
                }
            }
        }
        (self.remembered.around, self.remembered.values) = (words, values);
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
