//! Which steps made what each step reads, and whether a pass kept that.
//!
//! ```text
//! copy %1 -> %2;  fill -> %2[0 : 4];  dot %2 -> %3        dot reads what copy and fill made
//! copy %1 -> %2;  dot %2 -> %3;  fill -> %2[0 : 4]        refused: now it reads what copy made
//! ```
//!
//! [`crate::check()`] knows whether a value is whole, not which of its writers a reader is to see: of a buffer that is
//! written more than once (a carry, an array that is updated or put together), no order is wrong by itself. So what a
//! pass may not change is written down before it, and compared behind it: for each buffer that a step reads before and
//! after, the steps that made what it sees on some way there. A step that another one does now stands for it
//! ([`Steps::hand_over`]); what a step makes for itself is its own affair. One walk until nothing changes, before and
//! behind each pass.

use crate::alias::Relation;
use crate::body::{Effects, Kind, StepId, Steps};
use crate::flow::Pieces;
use crate::line::Point;
use crate::region::{Access, BufId, Mode, Region};
use meshwright_base::{Id, IdMap};
use std::collections::{BTreeMap, BTreeSet};

/// Who reads: a step, or control flow and the caller.
type Reader = Option<StepId>;

/// For each reader and buffer, the steps that made what it sees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Makers(BTreeMap<(Reader, BufId), BTreeSet<StepId>>);

/// The steps that made what is in each buffer at a place of the list.
type Made = IdMap<BufId, BTreeSet<StepId>>;

impl Makers {
    pub fn of<W: Effects>(steps: &Steps<W>) -> Makers {
        let line = steps.line();
        let pieces = Pieces::of(&line);
        let mut makers = Makers::default();
        let start: Made = IdMap::filled(steps.bufs.len(), BTreeSet::new());
        let walk = &mut |piece: std::ops::Range<usize>, made: &mut Made| {
            line.points[piece].iter().for_each(|point| pass(steps, point, made, &mut |_, _, _| {}));
        };
        let reached = pieces.reach(start, walk, join);
        for (first, mut made) in reached {
            let piece = pieces.from(first);
            if piece.is_empty() {
                results(steps).for_each(|buf| makers.note(None, buf, &made[buf]));
            }
            for point in &line.points[piece] {
                pass(steps, point, &mut made, &mut |reader, buf, makers_of| {
                    makers.note(reader, buf, makers_of)
                });
            }
        }
        makers
    }

    fn note(&mut self, reader: Reader, buf: BufId, makers: &BTreeSet<StepId>) {
        self.0.entry((reader, buf)).or_default().extend(makers);
    }

    /// The same, said of the steps that do now what these did.
    fn as_done_now<W>(&self, steps: &Steps<W>) -> Makers {
        let mut found = Makers::default();
        for ((reader, buf), makers) in &self.0 {
            let reader = reader.map(|step| steps.doer(step));
            let others = makers.iter().map(|step| steps.doer(*step)).filter(|step| Some(*step) != reader);
            found.0.entry((reader, *buf)).or_default().extend(others);
        }
        found
    }

    /// What is seen otherwise than before a pass, in words.
    pub fn changed<W: Effects>(&self, steps: &Steps<W>) -> Vec<String> {
        let (before, now) = (self.as_done_now(steps), Makers::of(steps).as_done_now(steps));
        let pairs = now.0.iter().filter_map(|(key, now)| Some((key, now, before.0.get(key)?)));
        let others = pairs.filter(|(_, now, before)| now != before);
        let name = |step: &StepId| format!("step {} ({})", step.index(), steps.arena[*step].name);
        let names = |made: &BTreeSet<StepId>| {
            if made.is_empty() {
                "nobody".to_string()
            } else {
                made.iter().map(name).collect::<Vec<_>>().join(" and ")
            }
        };
        let told = others.map(|((reader, buf), now, before)| {
            let reader = reader.as_ref().map_or("the caller or a test".to_string(), name);
            let (now, before, buf) = (names(now), names(before), buf.index());
            format!("{reader} reads %{buf} as made by {now}, and read it as made by {before}")
        });
        told.collect()
    }
}

fn results<W>(steps: &Steps<W>) -> impl Iterator<Item = BufId> {
    let results = steps.bufs.iter().filter(|(_, info)| matches!(info.kind, Kind::Result(_)));
    results.map(|(buf, _)| buf)
}

/// What a place of the list sees, and what it makes.
fn pass<W: Effects>(
    steps: &Steps<W>,
    point: &Point<StepId>,
    made: &mut Made,
    see: &mut dyn FnMut(Reader, BufId, &BTreeSet<StepId>),
) {
    if let Some(test) = point.test() {
        see(None, test, &made[test]);
    }
    let Some(step) = point.step() else { return };
    let (reads, writes): (Vec<Access>, Vec<Access>) =
        steps.work(*step).accesses().into_iter().partition(|access| access.mode == Mode::Read);
    for Access { region, .. } in reads {
        see(Some(*step), region.buf, &made[region.buf]);
        let whole = steps.memory_of(region.buf);
        if whole != region.buf {
            see(Some(*step), whole, &made[whole]);
        }
    }
    for Access { region, .. } in writes {
        let covered = |other: &StepId| steps.covers(&region, *other);
        made[region.buf].retain(|other| !covered(other));
        made[region.buf].insert(*step);
    }
}

/// What was made on either way; whether the first is other than it was.
fn join(one: &mut Made, other: &Made) -> bool {
    let mut changed = false;
    for (own, other) in one.values_mut().zip(other.values()) {
        let before = own.len();
        own.extend(other);
        changed |= own.len() != before;
    }
    changed
}

impl<W: Effects> Steps<W> {
    /// Whether nothing is left of what a step writes to a buffer once a region of it is written.
    fn covers(&self, region: &Region, step: StepId) -> bool {
        if region.extent.is_all(self.bufs[region.buf].bytes) {
            return true;
        }
        let accesses = self.work(step).accesses();
        let mut own = accesses.iter().filter(|own| own.mode == Mode::Write && own.region.buf == region.buf);
        own.all(|own| matches!(self.relation(&own.region, region), Relation::Same | Relation::Within))
    }
}
