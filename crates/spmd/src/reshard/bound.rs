//! How long the rest of a way takes at least: as long as the way between numbers of tiles alone.
//!
//! Which atoms lie on a dim, and in which order, is forgotten; how many tiles it has is not. Every step of a real way
//! is one here too, of the same cost, and permutes are for nothing, so no real way is shorter. Where it counts on which
//! links atoms lie, a step costs what it does over the fastest that so many devices may have. There are few such
//! states, and their ways to the goal are found all at once, from the goal on backwards.

use super::opened::Opened;
use super::setting::Setting;
use crate::atoms::{Atom, AtomSet};
use meshwright_base::LookupMap;
use meshwright_base::arrange::Arrange;
use meshwright_cost::network::Group;
use meshwright_cost::{Coefficient, CollectiveCost, Machine, Pattern};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// States whose ways are looked for. All others are as far away as the last of them.
const MOST_STATES: usize = 2_000;

/// Bounds stay below what they bound, however sums are rounded.
const BELOW: f64 = 1.0 - 1e-12;

/// Tiles of each dim, and of partial sums.
type State = Vec<i64>;

pub struct Bound {
    seconds: LookupMap<State, f64>,
    /// All states that are not there are at least so far away.
    others: f64,
}

impl Bound {
    pub fn new(setting: &Setting<'_>) -> Self {
        let factors = products(&setting.question.atoms);
        let groups = groups(setting);
        let (mut seconds, mut queue) = (LookupMap::default(), BinaryHeap::new());
        let mut others = f64::INFINITY;
        queue.push(Reverse((0u64, state(setting, &setting.goal))));
        while let Some(Reverse((bits, at))) = queue.pop() {
            if seconds.contains_key(&at) {
                continue;
            }
            let here = f64::from_bits(bits);
            if seconds.len() == MOST_STATES {
                others = here;
                break;
            }
            before(setting, (&factors, &groups), &at, &mut |state, cost| {
                if !seconds.contains_key(&state) {
                    queue.push(Reverse(((here + cost).to_bits(), state)));
                }
            });
            seconds.insert(at, here);
        }
        Bound { seconds, others }
    }

    /// Least seconds from so many tiles to the goal.
    pub fn of(&self, state: &[i64]) -> f64 {
        self.seconds.get(state).copied().unwrap_or(self.others) * BELOW
    }
}

pub fn state(setting: &Setting<'_>, layout: &Opened) -> State {
    layout.tiles.iter().copied().chain([setting.question.sizes(&layout.partial)]).collect()
}

/// Every state that is one step before another, with the cost of the step.
fn before(
    setting: &Setting<'_>,
    (factors, groups): (&[i64], &Laid),
    after: &State,
    found: &mut dyn FnMut(State, f64),
) {
    let (partial, all) = (after.len() - 1, setting.question.atoms.iter().product::<i64>());
    let (free, held) = (all / after.iter().product::<i64>(), bytes(setting, after));
    // What joins a sum on the way stays in it.
    let finishes = !setting.start.partial.is_empty();
    let mut step = |grown: Option<usize>, shrunk: Option<usize>, factor: i64, pattern: Option<Pattern>| {
        let has_room = grown.is_none() || shrunk.is_some() || free % factor == 0;
        if !has_room || shrunk.is_some_and(|at| after[at] % factor != 0) {
            return;
        }
        let mut state = after.clone();
        grown.into_iter().for_each(|at| state[at] *= factor);
        shrunk.into_iter().for_each(|at| state[at] /= factor);
        if setting.is_allowed(state[..partial].iter().copied()) {
            let cost = pattern.map_or(setting.machine[Coefficient::Launch], |pattern| {
                least(pattern, factor, (bytes(setting, &state), held), setting.machine, groups)
            });
            found(state, cost);
        }
    };
    for factor in factors {
        for dim in 0..partial {
            step(None, Some(dim), *factor, None);
            step(Some(dim), None, *factor, Some(Pattern::AllGather));
            for to in (0..partial).filter(|to| *to != dim) {
                step(Some(dim), Some(to), *factor, Some(Pattern::AllToAll));
            }
            if finishes {
                step(Some(partial), Some(dim), *factor, Some(Pattern::ReduceScatter));
            }
        }
        if finishes {
            step(Some(partial), None, *factor, Some(Pattern::AllReduce));
        }
        step(None, Some(partial), *factor, None);
    }
}

/// Groups of each size that atoms make.
type BySize = BTreeMap<i64, Vec<Group>>;

/// What is known of where atoms lie.
enum Laid {
    /// Nothing, or it does not count.
    Anywhere,
    On(BySize),
    /// So many atoms that not all sets of them are looked at.
    TooMany,
}

/// Atoms of which all sets are looked at.
const MOST_ATOMS: usize = 12;

fn groups(setting: &Setting<'_>) -> Laid {
    let (question, network) = (setting.question, &setting.machine.network);
    let count = question.atoms.len();
    match question.lies {
        None => return Laid::Anywhere,
        Some(_) if count > MOST_ATOMS => return Laid::TooMany,
        Some(_) => {}
    }
    let mut groups = BySize::new();
    for set in 1u32..1 << count {
        let atoms: Vec<Atom> = (0..count as Atom).filter(|atom| set >> atom & 1 == 1).collect();
        let known = groups.entry(question.sizes(&atoms)).or_default();
        let group = question.group(AtomSet::of(&atoms), network);
        if let Some(group) = group.filter(|group| !known.contains(group)) {
            known.push(group);
        }
    }
    Laid::On(groups)
}

/// Seconds of a collective among so many over the fastest links that they may have.
fn least(pattern: Pattern, factor: i64, (before, after): (i64, i64), machine: &Machine, laid: &Laid) -> f64 {
    match laid {
        Laid::Anywhere => CollectiveCost::of(pattern, factor, before, after, machine).seconds,
        Laid::TooMany => machine[Coefficient::Start],
        Laid::On(groups) => {
            let all = groups.get(&factor).into_iter().flatten();
            let seconds =
                all.map(|group| CollectiveCost::among(pattern, group, before, after, machine).seconds);
            seconds.fold(f64::INFINITY, f64::min)
        }
    }
}

fn bytes(setting: &Setting<'_>, state: &[i64]) -> i64 {
    setting.question.bytes(state[..state.len() - 1].iter().copied())
}

/// What some of these numbers multiply to, without 1.
fn products(sizes: &[i64]) -> Vec<i64> {
    let mut products = vec![1];
    for size in sizes {
        products.extend(products.clone().iter().map(|product| product * size));
        products.arrange();
        products.dedup();
    }
    products.remove(0);
    products
}
