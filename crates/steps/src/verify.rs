//! What must hold of steps between passes.
//!
//! 1. Each step is in the body once.
//! 2. What a part is seen of is found by a step of its own, and buffers that are one have as many bytes.
//! 3. Pieces that steps write into one buffer, at places that are known, do not overlap, unless the later step reads
//!    what is there, or writes all of it.
//! 4. Values are whole where they are read, and nothing is written over that is still read: what [`crate::check()`]
//!    says of a plan in which every buffer has a place of its own, but those that are one.
//!
//! So a wrong union is found by the pass that made it, before memory is planned. Costs what the check costs, and one
//! look at each pair of pieces.

use crate::alias::Relation;
use crate::body::{Effects, Kind, StepId, Steps};
use crate::check::{PlacedAt, Places, check};
use crate::lives::undeclared;
use crate::region::{Access, BufId, Extent, Mode, Region};
use meshwright_base::{Id, IdMap};
use std::collections::{BTreeMap, BTreeSet};

/// Pieces of one buffer that are compared with each other, at most.
const PIECES: usize = 64;

/// All that is wrong between passes; `donated`: which parameters may be written.
pub fn verify<W: Effects>(steps: &Steps<W>, donated: &[bool]) -> Vec<String> {
    let mut faults = repeated(steps);
    faults.extend(unequal(steps));
    faults.extend(colliding(steps));
    let places = apart(steps, donated);
    faults.extend(check(steps, &steps.line(), &places).iter().map(ToString::to_string));
    faults
}

fn repeated<W: Effects>(steps: &Steps<W>) -> Vec<String> {
    let mut seen: BTreeSet<StepId> = BTreeSet::new();
    let twice = steps.order().into_iter().filter(|step| !seen.insert(*step));
    twice
        .map(|step| format!("step {} ({}) is in the body twice", step.index(), steps.arena[step].name))
        .collect()
}

fn unequal<W>(steps: &Steps<W>) -> Vec<String> {
    let wrong = |buf: BufId| {
        let root = steps.shared.root(buf);
        let (own, other) = (steps.bufs[buf].bytes, steps.bufs[root].bytes);
        (own != other)
            .then(|| format!("%{} of {own} bytes lies in %{} of {other}", buf.index(), root.index()))
    };
    steps.bufs.keys().filter_map(wrong).collect()
}

/// A place of its own for every buffer, the same one for those that are one.
fn apart<W>(steps: &Steps<W>, donated: &[bool]) -> Places {
    let mut arena = 0;
    let mut of: IdMap<BufId, PlacedAt> = IdMap::filled(steps.bufs.len(), PlacedAt::Nowhere);
    for buf in steps.bufs.keys().filter(|buf| steps.shared.root(*buf) == *buf) {
        of[buf] = match steps.bufs[buf].kind {
            Kind::Input(at) => PlacedAt::Input(at),
            Kind::Result(at) => PlacedAt::Result(at),
            Kind::Constant(at) => PlacedAt::Constant(at),
            Kind::PartOf(_) => PlacedAt::Nowhere,
            Kind::Arena => {
                arena += steps.bufs[buf].bytes;
                PlacedAt::Arena(arena - steps.bufs[buf].bytes)
            }
        };
    }
    for buf in steps.bufs.keys() {
        of[buf] = of[steps.shared.root(buf)];
    }
    Places { of, arena, donated: donated.to_vec(), lives: undeclared(steps) }
}

/// Pieces of one buffer that are the same bytes.
fn colliding<W: Effects>(steps: &Steps<W>) -> Vec<String> {
    let mut pieces: BTreeMap<BufId, Vec<(StepId, Region)>> = BTreeMap::new();
    let mut faults = Vec::new();
    for step in steps.order() {
        let accesses = steps.work(step).accesses();
        for Access { region, .. } in accesses.iter().filter(|access| access.mode == Mode::Write) {
            let known = matches!(region.extent, Extent::Strided(_));
            if !known || region.extent.is_all(steps.bufs[region.buf].bytes) {
                continue;
            }
            let reads = |other: &Access| other.mode == Mode::Read && other.region.buf == region.buf;
            let own = pieces.entry(region.buf).or_default();
            if !accesses.iter().any(reads) && own.len() < PIECES {
                let meets = own.iter().find(|(_, other)| overlap(steps, region, other));
                faults.extend(meets.map(|(other, _)| {
                    let name = |step: &StepId| &steps.arena[*step].name;
                    format!("{region} is written by two steps: {} and {}", name(other), name(&step))
                }));
            }
            own.push((step, region.clone()));
        }
    }
    faults
}

/// Whether two pieces are certainly the same bytes in part.
fn overlap<W>(steps: &Steps<W>, one: &Region, other: &Region) -> bool {
    match steps.relation(one, other) {
        Relation::Same | Relation::Within => true,
        Relation::Disjoint => false,
        Relation::MayOverlap => steps.relation(other, one) == Relation::Within || meet_in_bytes(one, other),
    }
}

/// Whether two regions without gaps have bytes in common.
fn meet_in_bytes(one: &Region, other: &Region) -> bool {
    let dense = |region: &Region| match &region.extent {
        Extent::Strided(strided) if strided.dims.is_empty() => strided.span(),
        Extent::Strided(_) | Extent::All | Extent::Somewhere => None,
    };
    let (Some(one), Some(other)) = (dense(one), dense(other)) else { return false };
    one.0 < other.1 && other.0 < one.1
}
