//! Give each buffer its place: in the arena, or where parameters, results and constants lie.
//!
//! Buffers that are alive at the same time have different bytes ([`meshwright_runtime::assign`]); those that are one
//! have the same. The plan declares from which step to which that is, and [`meshwright_steps::lives()`] holds it to
//! that. One walk over all buffers, and the planner's.

use super::lives::Lives;
use crate::lower::{Kind, Lowered};
use meshwright_base::arrange::Arrange;
use meshwright_base::{Id, IdMap};
use meshwright_kernels::step::BufId;
use meshwright_runtime::{Interval, MemoryPlan, ResultPlace, assign};
use meshwright_steps::{Life, PlacedAt, Places};

/// Where everything lies, and what that takes.
#[derive(Clone, Default)]
pub struct Placed {
    pub places: IdMap<BufId, PlacedAt>,
    /// How long buffers of the arena keep their bytes; of those that are one, the root says it.
    pub lives: IdMap<BufId, Option<Life>>,
    pub results: Vec<ResultPlace>,
    pub memory: MemoryPlan,
}

impl Placed {
    /// The plan as checkers and texts see it; `None` before there is one.
    pub fn plan(&self, donated: &[bool]) -> Option<Places> {
        let Placed { places, lives, memory, .. } = self;
        let plan = Places {
            of: places.clone(),
            arena: memory.arena,
            donated: donated.to_vec(),
            lives: lives.clone(),
        };
        (!places.is_empty()).then_some(plan)
    }
}

/// Give each buffer its place.
pub fn place_buffers(lowered: &mut Lowered) {
    let lives = Lives::of(lowered);
    lowered.placed = placed(lowered, &lives);
}

pub(super) fn placed(lowered: &Lowered, lives: &Lives) -> Placed {
    let roots: Vec<BufId> = lowered
        .steps
        .bufs
        .keys()
        .filter(|buf| {
            lowered.steps.shared.root(*buf) == *buf && lives.used[*buf] && lowered.kind(*buf) == Kind::Arena
        })
        .collect();
    let intervals: Vec<Interval> = roots
        .iter()
        .map(|buf| Interval { bytes: lowered.bytes(*buf), first: lives.first[*buf], last: lives.last[*buf] })
        .collect();
    let (offsets, arena) = assign(&intervals);
    let mut places: IdMap<BufId, PlacedAt> = IdMap::filled(lowered.steps.bufs.len(), PlacedAt::Nowhere);
    let mut declared = IdMap::filled(lowered.steps.bufs.len(), None);
    for (buf, offset) in roots.iter().zip(&offsets) {
        places[*buf] = PlacedAt::Arena(*offset);
        declared[*buf] = Some(Life { first: lives.first[*buf], last: lives.last[*buf] });
    }
    let mut memory =
        MemoryPlan { arena, largest: largest(lowered, lives, &roots, &intervals), ..MemoryPlan::default() };
    let mut result_places = vec![ResultPlace::Fresh; lowered.results];
    for (buf, info) in lowered.steps.bufs.iter() {
        match info.kind {
            Kind::Input(param) => {
                places[buf] = PlacedAt::Input(param);
                memory.inputs += info.bytes;
            }
            Kind::Constant(index) => {
                places[buf] = PlacedAt::Constant(index);
                memory.constants += info.bytes;
            }
            Kind::Result(result) => match lowered.kind(lowered.steps.shared.root(buf)) {
                Kind::Input(param) => result_places[result] = ResultPlace::Donated { param },
                _ => {
                    places[lowered.steps.shared.root(buf)] = PlacedAt::Result(result);
                    memory.outputs += info.bytes;
                }
            },
            Kind::Arena | Kind::PartOf(_) => {}
        }
    }
    for buf in lowered.steps.bufs.keys() {
        places[buf] = places[lowered.steps.shared.root(buf)];
    }
    // Parameters and results live all the time.
    for (buf, info) in lowered.steps.bufs.iter() {
        let stays = matches!(places[buf], PlacedAt::Input(_) | PlacedAt::Result(_));
        if stays && !matches!(info.kind, Kind::Arena) && lowered.steps.shared.root(buf) == buf {
            memory.largest.push((info.name.clone(), info.bytes));
        }
    }
    memory.largest.arrange_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    memory.largest.truncate(12);
    Placed { places, lives: declared, results: result_places, memory }
}

/// The largest buffers that are alive when most is.
fn largest(
    lowered: &Lowered,
    lives: &Lives,
    roots: &[BufId],
    intervals: &[Interval],
) -> Vec<(String, usize)> {
    let mut change = vec![0i64; lives.line.points.len() + 2];
    for interval in intervals {
        change[interval.first.min(lives.line.points.len())] += interval.bytes as i64;
        change[interval.last.min(lives.line.points.len()) + 1] -= interval.bytes as i64;
    }
    let (mut live, mut most, mut fullest) = (0, 0, 0);
    for (at, change) in change.iter().enumerate() {
        live += change;
        if live > most {
            (most, fullest) = (live, at);
        }
    }
    let mut alive: Vec<(usize, BufId)> = intervals
        .iter()
        .zip(roots)
        .filter(|(interval, _)| interval.first <= fullest && fullest <= interval.last)
        .map(|(interval, buf)| (interval.bytes, *buf))
        .collect();
    alive.arrange_by_key(|(bytes, buf)| (std::cmp::Reverse(*bytes), buf.index()));
    let named = |(bytes, buf): &(usize, BufId)| (lowered.steps.bufs[*buf].name.clone(), *bytes);
    alive.iter().take(12).map(named).collect()
}
