//! Which regions are the same bytes: the one answer that passes ask for.
//!
//! ```text
//! %1[0 + 2 x 64 : 32] and %1[32 + 2 x 64 : 32]     disjoint: columns side by side
//! %2 (a part of %1)   and %1[0 : 4]                may overlap: the part's place is known when the program runs
//! %3 (united with %1) and %1                       same
//! ```
//!
//! A part is followed to what it is a part of, a buffer to the one it was united with. Two lists of strides are
//! compared digit by digit: as places of a mixed-radix number, they are disjoint if one digit's ranges are.

use crate::body::{Effects, Kind, StepId, Steps};
use crate::region::{Access, BufId, Extent, Mode, Region, Strided};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;

/// A buffer that a step reads or writes.
pub type Touch = (Mode, BufId);

/// How the bytes of one region lie to those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Same,
    /// The first lies inside the second.
    Within,
    Disjoint,
    MayOverlap,
}

impl<W> Steps<W> {
    /// The buffer whose bytes another one is, or is a part of.
    pub fn storage_of(&self, buf: BufId) -> BufId {
        self.shared.root(self.memory_of(buf))
    }

    pub fn relation(&self, one: &Region, other: &Region) -> Relation {
        if self.storage_of(one.buf) != self.storage_of(other.buf) {
            return Relation::Disjoint;
        }
        let is_part = |buf: BufId| matches!(self.bufs[buf].kind, Kind::PartOf(_));
        if is_part(one.buf) || is_part(other.buf) {
            return Relation::MayOverlap;
        }
        let all = |region: &Region| region.extent.is_all(self.bufs[region.buf].bytes);
        match (&one.extent, &other.extent) {
            _ if all(one) && all(other) => Relation::Same,
            _ if all(other) => Relation::Within,
            (Extent::Strided(one), Extent::Strided(other)) => strided(one, other),
            _ => Relation::MayOverlap,
        }
    }
}

impl<W: Effects> Steps<W> {
    /// Whether two steps must stay in order: one writes what the other touches, or what that is a part of.
    pub fn in_order(&self, one: StepId, other: StepId) -> bool {
        self.in_order_but(&self.touches(one), &self.touches(other), None)
    }

    /// The same of what two steps touch, if both may write this buffer: other pieces of it.
    pub fn in_order_but(&self, one: &[Touch], other: &[Touch], pieces: Option<BufId>) -> bool {
        let both = |a: Touch, b: Touch| a == b && pieces == Some(a.1) && a.0 == Mode::Write;
        one.iter().any(|a| other.iter().any(|b| self.meet(*a, *b) && !both(*a, *b)))
    }

    /// Whether a step touches a buffer, a part of it, or what it is a part of.
    pub fn touches_any_of(&self, step: StepId, buf: BufId) -> bool {
        self.touches(step).iter().any(|(_, own)| self.meet((Mode::Write, buf), (Mode::Read, *own)))
    }

    /// Whether a step is right with what it writes of `to` lying where `from` does: it touches nothing there, or
    /// says of each buffer there that it is done with an element before it writes that ([`Effects::may_share`]).
    pub fn may_lie_over(&self, step: StepId, to: BufId, from: BufId) -> bool {
        let work = self.work(step);
        let touches = self.touches(step);
        let of = |buf: BufId| {
            let storage = self.storage_of(buf);
            touches.iter().filter(move |touch| self.storage_of(touch.1) == storage)
        };
        let over = |write: BufId| {
            of(from).all(|(mode, other)| {
                let is_part = matches!(self.bufs[*other].kind, Kind::PartOf(_));
                let made_last = *mode == Mode::Write && work.may_share(write, *other);
                !is_part && (made_last || work.may_share(*other, write))
            })
        };
        of(to).filter(|touch| touch.0 == Mode::Write).all(|touch| over(touch.1))
    }

    /// What a step reads and writes, to be asked once where it is compared often.
    pub fn touches(&self, step: StepId) -> Vec<Touch> {
        self.work(step).accesses().iter().map(|Access { mode, region }| (*mode, region.buf)).collect()
    }

    /// Whether one of two touches writes bytes of the other. Finding where a part lies writes no bytes.
    fn meet(&self, one: Touch, other: Touch) -> bool {
        let is_part = |buf: BufId| matches!(self.bufs[buf].kind, Kind::PartOf(_));
        let writes = |touch: Touch| touch.0 == Mode::Write;
        let over = |write: Touch, other: Touch| {
            writes(write) && !is_part(write.1) && is_part(other.1) && self.memory_of(other.1) == write.1
        };
        (one.1 == other.1 && (writes(one) || writes(other)))
            || (over(one, other) && !writes(other))
            || (over(other, one) && !writes(one))
    }
}

/// A digit of a place: where it begins, and how many values it has.
type Digit = (isize, isize);

fn strided(one: &Strided, other: &Strided) -> Relation {
    if one == other {
        return Relation::Same;
    }
    let (Some(a), Some(b)) = (one.span(), other.span()) else { return Relation::Disjoint };
    if a.1 <= b.0 || b.1 <= a.0 {
        return Relation::Disjoint;
    }
    let mut strides: Vec<isize> = [one, other].iter().flat_map(|x| x.dims.iter().map(|dim| dim.1)).collect();
    strides.push(1);
    strides.arrange_by_key(|stride| -stride);
    strides.dedup();
    let (Some(a), Some(b)) = (digits(one, &strides), digits(other, &strides)) else {
        return Relation::MayOverlap;
    };
    let pairs = || a.iter().zip(&b);
    if pairs().any(|(a, b)| a.0 + a.1 <= b.0 || b.0 + b.1 <= a.0) {
        return Relation::Disjoint;
    }
    let within = pairs().all(|(a, b)| a.0 >= b.0 && a.0 + a.1 <= b.0 + b.1);
    if within { Relation::Within } else { Relation::MayOverlap }
}

/// A region as a box of digits, one for each stride; `None` if one runs over into the next.
fn digits(region: &Strided, strides: &[isize]) -> Option<Vec<Digit>> {
    let (mut left, mut width) = (region.offset, region.width as isize);
    let mut radix = isize::MAX;
    let mut found = Vec::new();
    for stride in strides {
        let mut count = region.dims.iter().find(|dim| dim.1 == *stride).map_or(1, |dim| dim.0 as isize);
        if width > *stride {
            if count > 1 || width % stride != 0 {
                return None;
            }
            (count, width) = (width / stride, *stride);
        }
        let first = left / stride;
        left %= stride;
        if first < 0 || (first + count).checked_mul(*stride)? > radix {
            return None;
        }
        found.push((first, count));
        radix = *stride;
    }
    Some(found)
}

/// Which steps touch each buffer, in order, once for each access.
pub struct Uses {
    pub reads: IdMap<BufId, Vec<StepId>>,
    pub writes: IdMap<BufId, Vec<StepId>>,
    /// How many loops and branches look at it.
    pub tests: IdMap<BufId, usize>,
}

impl Uses {
    pub fn of<W: Effects>(steps: &Steps<W>) -> Uses {
        let count = steps.bufs.len();
        let none = IdMap::filled(count, Vec::new());
        let mut uses = Uses { reads: none.clone(), writes: none, tests: IdMap::filled(count, 0) };
        for step in steps.order() {
            for Access { mode, region } in steps.work(step).accesses() {
                match mode {
                    Mode::Read => uses.reads[region.buf].push(step),
                    Mode::Write => uses.writes[region.buf].push(step),
                }
            }
        }
        steps.tests().into_iter().for_each(|buf| uses.tests[buf] += 1);
        uses
    }

    /// How many steps, loops and branches read a buffer.
    pub fn readers(&self, buf: BufId) -> usize {
        let mut steps = self.reads[buf].clone();
        steps.dedup();
        steps.len() + self.tests[buf]
    }

    pub fn is_read(&self, buf: BufId) -> bool {
        !self.reads[buf].is_empty() || self.tests[buf] > 0
    }
}
