//! The cheapest chain of steps from one layout to another.
//!
//! Dijkstra's search, ties by order of discovery. A question that is not answered soon is asked again in two rounds:
//! the first goes where a bound of what is left says that the goal may be near, and tells how long the cheapest chain
//! takes. The second is the plain search again, without layouts through which no chain is as cheap; what is left of
//! its order is the same, and so is its answer.

use super::bound::{Bound, state};
use super::layouts::{LayoutId, Layouts, Spot};
use super::moves::{Move, moves, spots_after};
use super::opened::Opened;
use super::setting::Setting;
use meshwright_base::{Id, IdMap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a search gives up.
#[derive(Clone, Copy)]
pub struct Ends {
    /// Ways that take as long are not followed.
    pub seconds: f64,
    /// So many layouts have been reached.
    pub layouts: usize,
}

/// Steps, each with the places of atoms behind it.
pub struct Chain {
    pub steps: Vec<(Move, Vec<Spot>)>,
    pub seconds: f64,
    pub sent: f64,
}

/// Layouts that are reached before a bound is worth its making.
const SOON: usize = 256;

/// Sums of one chain in another order differ by less.
const ROUNDED: f64 = 1.0 + 1e-9;

/// What the search knows of a layout it has reached.
struct Reached {
    seconds: f64,
    sent: f64,
    /// Least seconds that are left.
    left: f64,
    came: Option<(LayoutId, Move)>,
    done: bool,
}

/// How one round goes.
enum Order<'a> {
    /// Those first that are reached soonest.
    Plain,
    /// Those first that the goal may be reached through soonest.
    Led(&'a Bound),
    /// As plain, where the goal may be reached in time.
    Within(&'a Bound),
}

impl Order<'_> {
    fn bound(&self) -> Option<&Bound> {
        match self {
            Order::Plain => None,
            Order::Led(bound) | Order::Within(bound) => Some(bound),
        }
    }
}

/// What a round came to.
enum Outcome {
    Found(Chain),
    NoWay,
    GaveUp,
}

/// The cheapest chain, if one is found before the search gives up.
pub fn cheapest(setting: &Setting<'_>, ends: Ends) -> Option<Chain> {
    let round = |order, ends| Round::start(setting, order, ends).run();
    let soon = Ends { layouts: ends.layouts.min(SOON), ..ends };
    match round(Order::Plain, soon) {
        Outcome::Found(chain) => return Some(chain),
        Outcome::NoWay => return None,
        Outcome::GaveUp => {}
    }
    let bound = Bound::new(setting);
    let Outcome::Found(led) = round(Order::Led(&bound), ends) else { return None };
    let seconds = (led.seconds * ROUNDED).min(ends.seconds);
    match round(Order::Within(&bound), Ends { seconds, ..ends }) {
        Outcome::Found(chain) => Some(chain),
        Outcome::NoWay | Outcome::GaveUp => Some(led),
    }
}

/// One search, from the start on.
struct Round<'a> {
    setting: &'a Setting<'a>,
    order: Order<'a>,
    ends: Ends,
    layouts: Layouts,
    reached: IdMap<LayoutId, Reached>,
    /// Seconds and the number of the discovery, the least first.
    queue: BinaryHeap<Reverse<(u64, u64, LayoutId)>>,
    discoveries: u64,
}

impl<'a> Round<'a> {
    fn start(setting: &'a Setting<'a>, order: Order<'a>, ends: Ends) -> Self {
        let layouts = Layouts::of_atoms(setting.question.atoms.len());
        let (reached, queue) = (IdMap::new(), BinaryHeap::new());
        let mut round = Round { setting, order, ends, layouts, reached, queue, discoveries: 0 };
        let start = round.met(&setting.start.spots);
        round.reached[start].seconds = 0.0;
        round.queue.push(Reverse((0, 0, start)));
        round
    }

    fn run(&mut self) -> Outcome {
        while let Some(Reverse((_, _, at))) = self.queue.pop() {
            if std::mem::replace(&mut self.reached[at].done, true) {
                continue;
            }
            if self.layouts.get(at) == self.setting.goal.spots {
                return Outcome::Found(self.chain(at));
            }
            if self.layouts.len() > self.ends.layouts {
                return Outcome::GaveUp;
            }
            self.go_on(at);
        }
        Outcome::NoWay
    }

    /// Reach what is one step from a layout.
    fn go_on(&mut self, at: LayoutId) {
        let Setting { question, machine, goal, .. } = self.setting;
        let here = Opened::new(question, self.layouts.get(at));
        let (seconds, sent) = (self.reached[at].seconds, self.reached[at].sent);
        let mut spots = Vec::new();
        for step in moves(question, &here, goal) {
            let effect = question.effect(&here, step, goal);
            let tiles = effect.tiles(&here.tiles);
            if !self.setting.is_allowed(tiles.clone()) {
                continue;
            }
            let cost = effect.cost(question, here.bytes, question.bytes(tiles), machine);
            let (seconds, sent) = (seconds + cost.seconds, sent + cost.sent);
            if seconds < self.ends.seconds {
                spots_after(&here, step, goal, &mut spots);
                let next = self.met(&spots);
                self.reach(next, seconds, sent, (at, step));
            }
        }
    }

    fn reach(&mut self, next: LayoutId, seconds: f64, sent: f64, came: (LayoutId, Move)) {
        let next_is = &mut self.reached[next];
        let is_late = seconds + next_is.left >= self.ends.seconds;
        if is_late || next_is.done || seconds >= next_is.seconds {
            return;
        }
        *next_is = Reached { seconds, sent, came: Some(came), ..*next_is };
        let first = match self.order {
            Order::Plain | Order::Within(_) => seconds,
            Order::Led(_) => seconds + next_is.left,
        };
        self.discoveries += 1;
        self.queue.push(Reverse((first.to_bits(), self.discoveries, next)));
    }

    /// The number of a layout.
    fn met(&mut self, spots: &[Spot]) -> LayoutId {
        let id = self.layouts.number(spots);
        if id.index() == self.reached.len() {
            let left = self.order.bound().map_or(0.0, |bound| {
                bound.of(&state(self.setting, &Opened::new(self.setting.question, spots)))
            });
            self.reached.push(Reached { seconds: f64::INFINITY, sent: 0.0, left, came: None, done: false });
        }
        id
    }

    fn chain(&self, goal: LayoutId) -> Chain {
        let end = &self.reached[goal];
        let (mut steps, mut at) = (Vec::new(), goal);
        while let Some((before, step)) = self.reached[at].came {
            steps.push((step, self.layouts.get(at).to_vec()));
            at = before;
        }
        steps.reverse();
        Chain { steps, seconds: end.seconds, sent: end.sent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::AtomSize;
    use crate::reshard::path::Subject;
    use crate::reshard::setting::Room;
    use crate::reshard::way::Ways;
    use meshwright_cost::Machine;
    use meshwright_shard::{Axis, AxisId, AxisRef, DimSharding, Mesh, MeshId, Sharding};

    /// Numbers as good as any, the same in every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }

        fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
            all[self.below(all.len())]
        }
    }

    fn mesh(sizes: &[i64]) -> Mesh {
        let axes = sizes.iter().enumerate();
        let axes = axes.map(|(at, size)| Axis { name: format!("a{at}").into(), size: *size });
        Mesh { name: "m".into(), axes: axes.collect(), order: None }
    }

    /// Whole axes, or the halves of those that have some, each on a dim, in a partial sum or nowhere.
    fn drawn(numbers: &mut Numbers, mesh: &Mesh, rank: usize, may_be_partial: bool) -> Sharding {
        let mut sharding = Sharding::replicated(MeshId::from_index(0), rank);
        let mut pieces: Vec<AxisRef> = Vec::new();
        for (axis, info) in mesh.axes.iter() {
            match (info.size % 2, numbers.below(3)) {
                (0, 0) if info.size > 2 => pieces.extend([
                    AxisRef { axis, pre: 1, size: 2 },
                    AxisRef { axis, pre: 2, size: info.size / 2 },
                ]),
                _ => pieces.push(AxisRef { axis, pre: 1, size: info.size }),
            }
        }
        while !pieces.is_empty() {
            let piece = pieces.remove(numbers.below(pieces.len()));
            match numbers.below(rank + 2) {
                0 => {}
                1 if may_be_partial => sharding.partial.push(piece),
                dim => sharding.dims[(dim + rank - 1) % rank].axes.push(piece),
            }
        }
        sharding.canonical()
    }

    /// Layouts reached by a round, and its chain.
    fn reached(setting: &Setting<'_>, order: Order<'_>, ends: Ends) -> (usize, Option<Chain>) {
        let mut round = Round::start(setting, order, ends);
        let chain = match round.run() {
            Outcome::Found(chain) => Some(chain),
            Outcome::NoWay | Outcome::GaveUp => None,
        };
        (round.layouts.len(), chain)
    }

    const ALL: Ends = Ends { seconds: f64::INFINITY, layouts: 20_000 };

    #[test]
    fn a_search_that_is_led_finds_the_chain_that_the_plain_one_finds() {
        let (mut numbers, machine, mut were_led) = (Numbers(7), Machine::default(), 0);
        for _ in 0..200 {
            let sizes: Vec<i64> =
                (0..2 + numbers.below(2)).map(|_| numbers.one_of(&[2, 3, 4, 4, 8])).collect();
            let (mesh, rank) = (mesh(&sizes), 1 + numbers.below(4));
            let dims: Vec<i64> = (0..rank).map(|_| numbers.one_of(&[24, 64, 100, 512, 1536])).collect();
            let from = drawn(&mut numbers, &mesh, rank, true);
            let to = drawn(&mut numbers, &mesh, rank, false);
            let subject = Subject { dims: &dims, element_bits: 32 };
            let size = numbers.one_of(&[AtomSize::AsUsed, AtomSize::Prime]);
            let ways = Ways::new(subject, [&from, &to], &mesh, size, &machine).expect("one reducer");
            let room = numbers.one_of(&[Room::OfEnds, Room::Any]);
            let setting = Setting::new(&ways.question, &machine, room);
            let (layouts, plain) = reached(&setting, Order::Plain, ALL);
            if layouts <= ALL.layouts {
                let steps =
                    |chain: Option<Chain>| chain.map(|chain| (chain.steps, chain.seconds, chain.sent));
                assert_eq!(steps(cheapest(&setting, ALL)), steps(plain), "{from:?} to {to:?} of {dims:?}");
                were_led += usize::from(layouts > SOON);
            }
        }
        assert!(were_led > 10, "{were_led}");
    }

    /// Over three axes of 8, in parts: the plain search gives up before it is there.
    #[test]
    fn a_question_of_many_layouts_is_answered_by_way_of_few() {
        let mesh = mesh(&[8, 8, 8]);
        let piece = |axis: usize, pre, size| AxisRef { axis: AxisId::from_index(axis), pre, size };
        let over = |dims: [&[AxisRef]; 2]| {
            let dims = dims.map(|axes| DimSharding::closed(axes.to_vec())).to_vec();
            Sharding { dims, ..Sharding::replicated(MeshId::from_index(0), 2) }
        };
        let mut from = over([&[piece(2, 2, 4)], &[piece(2, 1, 2), piece(1, 1, 8)]]);
        from.partial.push(piece(0, 1, 8));
        let to = over([&[piece(0, 1, 8)], &[piece(2, 1, 8)]]);
        let (machine, dims) = (Machine::default(), [1536, 1536]);
        let subject = Subject { dims: &dims, element_bits: 32 };
        let ways = Ways::new(subject, [&from, &to], &mesh, AtomSize::Prime, &machine).expect("atoms");
        let setting = Setting::new(&ways.question, &machine, Room::OfEnds);
        let bound = Bound::new(&setting);
        let (plain, none) = reached(&setting, Order::Plain, ALL);
        let (led, found) = reached(&setting, Order::Led(&bound), ALL);
        assert!(plain > ALL.layouts && none.is_none());
        assert!(led < 12_000 && found.is_some(), "{led}");
    }
}
