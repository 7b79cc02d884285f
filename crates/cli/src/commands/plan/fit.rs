//! What would fit, where a step does not: each way is partitioned and looked at before it is named.
//!
//! In the order of what they cost: the compiler computes values again, blocks are computed again, the batch goes in
//! parts, the mesh has another shape, the batch is smaller. Of each kind the first that fits is told.

use super::planned::{Planned, Room};
use super::subject::{Change, Subject};
use super::sweep::shapes;
use crate::failure::Failure;
use meshwright_base::{Ask, asked};
use meshwright_cost::Target;

/// Something that fits.
pub struct Fitting {
    /// What one would type.
    pub typed: String,
    pub peak: i64,
    pub seconds: f64,
    /// What it means.
    pub what: String,
}

/// Parts of a batch, and by how much it is made smaller, as powers of two up to this.
const MOST_HALVINGS: u32 = 6;
/// Meshes that are tried.
const MOST_SHAPES: usize = 6;

/// The ways that fit, and the least peak of those that do not.
pub struct Ways {
    pub fitting: Vec<Fitting>,
    pub least: i64,
}

struct Looking<'a> {
    subject: &'a Subject,
    target: &'a Target,
    change: &'a Change,
    limit: i64,
    found: Ways,
}

/// Look for what fits in so many bytes.
pub fn ways(subject: &Subject, change: &Change, target: &Target, planned: &Planned, limit: i64) -> Ways {
    let found = Ways { fitting: Vec::new(), least: planned.memory.peak };
    let mut looking = Looking { subject, target, change, limit, found };
    looking.again_by_compiler();
    looking.again_by_blocks();
    looking.in_parts();
    looking.in_another_shape(planned);
    looking.smaller();
    looking.found
}

impl Looking<'_> {
    /// The peak of something, which is told if it fits; `None` if it cannot be.
    fn tries(&mut self, change: Change, limit: Option<i64>, what: String) -> Option<i64> {
        let room = limit.map_or(Room::Worth, Room::Limit);
        let made: Result<Planned, Failure> = Planned::of(self.subject, &change, self.target, room);
        let made = made.ok()?;
        let peak = made.memory.peak;
        self.found.least = self.found.least.min(peak);
        if peak > self.limit {
            return Some(peak);
        }
        let within = limit.map(|limit| limit.to_string());
        let changes = change.numbers();
        let within = within.as_deref().map(|limit| Ask::Option("memory-limit", limit));
        let typed = asked(&change.asks(&changes).into_iter().chain(within).collect::<Vec<_>>());
        self.found.fitting.push(Fitting { typed, peak, seconds: made.step.seconds, what });
        Some(peak)
    }

    /// Whether more of the same may fit: the last did not, and took less than the one before.
    fn goes_on(&self, peak: Option<i64>, least: &mut i64) -> bool {
        let Some(peak) = peak else { return true };
        let falls = peak < *least;
        *least = peak.min(*least);
        falls && peak > self.limit
    }

    fn again_by_compiler(&mut self) {
        let what = "values recomputed by the compiler, as `partition` does with this limit";
        self.tries(self.change.clone(), Some(self.limit), what.into());
    }

    fn again_by_blocks(&mut self) {
        if self.subject.recomputes() == Some(false) && self.change.recompute.is_none() {
            let change = Change { recompute: Some(true), ..self.change.clone() };
            self.tries(change, None, "blocks recomputed in the backward pass".into());
        }
    }

    fn in_parts(&mut self) {
        let Some(batch) = self.change.batch.or(self.subject.batch()) else { return };
        let now = self.change.microbatches.unwrap_or(self.subject.microbatches());
        let mut least = i64::MAX;
        for parts in (1..=MOST_HALVINGS).map(|times| now << times).filter(|parts| batch % parts == 0) {
            let change = Change { microbatches: Some(parts), ..self.change.clone() };
            let peak = self.tries(change, None, format!("the batch in {parts} microbatches"));
            if !self.goes_on(peak, &mut least) {
                return;
            }
        }
    }

    fn in_another_shape(&mut self, planned: &Planned) {
        for mesh in shapes(&planned.mesh).into_iter().filter(|mesh| *mesh != planned.mesh).take(MOST_SHAPES) {
            let shown = crate::training::shown_axes(&mesh);
            let change = Change { mesh: Some(mesh), ..self.change.clone() };
            let peak = self.tries(change, None, format!("the same devices as mesh {shown}"));
            if peak.is_some_and(|peak| peak <= self.limit) {
                return;
            }
        }
    }

    fn smaller(&mut self) {
        let Some(batch) = self.change.batch.or(self.subject.batch()) else { return };
        let mut least = i64::MAX;
        for smaller in (1..=MOST_HALVINGS).map(|times| batch >> times).filter(|batch| *batch > 0) {
            let change = Change { batch: Some(smaller), ..self.change.clone() };
            let peak = self.tries(change, None, format!("a batch of {smaller}"));
            if !self.goes_on(peak, &mut least) {
                return;
            }
        }
    }
}
