//! Which microbatch is where when: the arithmetic of a pipeline's schedule.
//!
//! ```text
//!            trip 0  1  2  3  4  5  6          4 stages, 1 round, 4 microbatches: 7 trips, 3 of which each stage spends
//! stage 0         0  1  2  3                   on nothing of use
//! stage 1            0  1  2  3
//! stage 2               0  1  2  3
//! stage 3                  0  1  2  3
//! ```
//!
//! With several rounds a microbatch that leaves the last stage enters the first one again. Microbatches go in groups of
//! as many as there are stages, so that it finds its place free at that very trip; the next group follows at once.

/// Sizes of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slots {
    pub stages: i64,
    pub rounds: i64,
    pub microbatches: i64,
}

impl Slots {
    /// How many microbatches enter one after another before others come round.
    pub fn group(&self) -> i64 {
        if self.rounds == 1 { self.microbatches } else { self.stages }
    }

    /// How many groups there are; the last may not be full.
    pub fn groups(&self) -> i64 {
        (self.microbatches + self.group() - 1) / self.group()
    }

    /// Trips in which the first stage is at work.
    pub fn entering(&self) -> i64 {
        self.groups() * self.rounds * self.group()
    }

    /// All trips: those, and those in which what entered last goes on to the last stage.
    pub fn trips(&self) -> i64 {
        self.entering() + self.stages - 1
    }

    /// The microbatch and the round a stage is at; `None` if it has nothing of use to do.
    pub fn at(&self, trip: i64, stage: i64) -> Option<(i64, i64)> {
        let since = trip - stage;
        if since < 0 || since >= self.entering() {
            return None;
        }
        let in_group = since % (self.rounds * self.group());
        let (round, place) = (in_group / self.group(), in_group % self.group());
        let microbatch = since / (self.rounds * self.group()) * self.group() + place;
        (microbatch < self.microbatches).then_some((microbatch, round))
    }

    /// The share of all work that is done on nothing of use.
    pub fn bubble(&self) -> f64 {
        (self.trips() - self.rounds * self.microbatches) as f64 / self.trips() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn all() -> impl Iterator<Item = Slots> {
        (1..=5).flat_map(|stages| {
            (1..=3).flat_map(move |rounds| {
                (1..=11).map(move |microbatches| Slots { stages, rounds, microbatches })
            })
        })
    }

    /// Every microbatch passes every layer once, one stage further at each trip, from the last to the first.
    #[test]
    fn layers_follow_each_other_trip_by_trip() {
        for slots in all() {
            let mut seen: BTreeMap<(i64, i64), i64> = BTreeMap::new();
            for trip in 0..slots.trips() {
                for stage in 0..slots.stages {
                    if let Some((microbatch, round)) = slots.at(trip, stage) {
                        assert_eq!(seen.insert((microbatch, round * slots.stages + stage), trip), None);
                    }
                }
            }
            assert_eq!(seen.len() as i64, slots.microbatches * slots.stages * slots.rounds, "{slots:?}");
            for ((microbatch, layer), trip) in &seen {
                let before = seen.get(&(*microbatch, layer - 1));
                assert!(before.is_none_or(|before| before + 1 == *trip), "{slots:?} {microbatch} {layer}");
            }
        }
    }

    /// (L - 1) / (microbatches + L - 1), as the papers have it; the same for rounds of full groups.
    #[test]
    fn the_bubble_is_the_one_of_the_papers() {
        let of = |stages, rounds, microbatches| Slots { stages, rounds, microbatches }.bubble();
        assert!((of(4, 1, 4) - 3.0 / 7.0).abs() < 1e-12);
        assert!((of(8, 1, 32) - 7.0 / 39.0).abs() < 1e-12);
        // A quarter of the microbatches with four rounds: no more bubbles.
        assert!((of(8, 4, 8) - of(8, 1, 32)).abs() < 1e-12);
        assert!((of(4, 2, 6) - (1.0 - 12.0 / 19.0)).abs() < 1e-12);
    }
}
