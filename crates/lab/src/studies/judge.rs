//! Means and standard errors over seeds, and how long each variant takes to the quality of the one that it is compared
//! with: numbers for tables. Which differences are more than chance is [`verdict`](super::verdict)'s to say.

use super::{Measure, Point, RunResult, Study};

/// A number over several runs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spread {
    pub runs: usize,
    pub mean: f64,
    /// Standard deviation of a run; 0 for fewer than two.
    pub deviation: f64,
}

/// A variant over its seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    pub name: &'static str,
    pub at: Option<u32>,
    /// What the paper has.
    pub paper: &'static str,
    /// By what the study compares, of runs that came to their end; the more, the better.
    pub quality: Spread,
    pub nll: Spread,
    /// Runs, and how many of them diverged.
    pub runs: usize,
    pub diverged: usize,
    /// Tokens that go through a second.
    pub rate: Spread,
    /// Share of choices that found no place.
    pub dropped: Spread,
    /// Dropped choices in training.
    pub dropped_in_training: Spread,
    pub parameters: u64,
    /// Steps until the mean final NLL of what it is compared with, of the runs that reach it.
    pub steps_to_quality: Spread,
    pub seconds_to_quality: Spread,
    /// Of whole runs.
    pub steps: Spread,
    pub seconds: Spread,
}

impl Spread {
    pub fn of(values: &[f64]) -> Spread {
        let count = values.len() as f64;
        if values.is_empty() {
            return Spread::default();
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = if values.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() };
        Spread { runs: values.len(), mean, deviation }
    }

    /// Of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.runs.max(1) as f64).sqrt()
    }
}

/// Every variant that has runs, in the order of the study.
pub fn judge(study: &Study, rows: &[RunResult]) -> Vec<Judged> {
    let of = |name: &str| rows.iter().filter(|row| row.variant == name).collect::<Vec<_>>();
    let level = base(study).map(|variant| Spread::of(&nlls(&of(variant)))).filter(|base| base.runs > 0);
    let judged = study.variants.iter().map(|variant| {
        let own = of(variant.name);
        let reached: Vec<Point> = match level {
            None => Vec::new(),
            Some(level) => own.iter().filter_map(|row| first_at(&row.curve, level.mean)).collect(),
        };
        let spread = |value: fn(&RunResult) -> Option<f64>| over_seeds(rows, variant.name, value);
        let ended = |row: &RunResult| study.measure.quality(row).filter(|_| row.diverged.is_none());
        Judged {
            name: variant.name,
            at: variant.at,
            paper: variant.paper,
            quality: over_seeds(rows, variant.name, ended),
            nll: Spread::of(&nlls(&own)),
            runs: own.len(),
            diverged: own.iter().filter(|row| row.diverged.is_some()).count(),
            rate: spread(RunResult::rate),
            dropped: spread(|row| row.dropped),
            dropped_in_training: spread(|row| row.dropped_in_training),
            parameters: own.first().map_or(0, |row| row.parameters),
            steps_to_quality: Spread::of(&reached.iter().map(|point| point.step as f64).collect::<Vec<_>>()),
            seconds_to_quality: Spread::of(&reached.iter().map(|point| point.seconds).collect::<Vec<_>>()),
            steps: spread(whole_steps),
            seconds: spread(|row| Some(row.seconds)),
        }
    });
    judged.filter(|one| one.runs > 0).collect()
}

/// What others are compared with, where a study has an axis: the first variant that is not on it.
pub(super) fn base(study: &Study) -> Option<&'static str> {
    let has_axis =
        study.measure != Measure::Answers && study.variants.iter().any(|variant| variant.at.is_some());
    let found = study.variants.iter().find(|variant| variant.at.is_none()).filter(|_| has_axis);
    found.map(|variant| variant.name)
}

/// A number of the runs of a variant.
pub(super) fn over_seeds(
    rows: &[RunResult],
    variant: &str,
    value: impl Fn(&RunResult) -> Option<f64>,
) -> Spread {
    let own = rows.iter().filter(|row| row.variant == variant);
    Spread::of(&own.filter_map(value).collect::<Vec<f64>>())
}

pub(super) fn whole_steps(row: &RunResult) -> Option<f64> {
    row.curve.last().map(|point| point.step as f64)
}

fn nlls(rows: &[&RunResult]) -> Vec<f64> {
    rows.iter().map(|row| row.nll).filter(|nll| nll.is_finite()).collect()
}

/// Where a curve first comes down to a level, on the line between two points.
pub(super) fn first_at(curve: &[Point], level: f64) -> Option<Point> {
    let at = curve.iter().position(|point| point.nll <= level)?;
    let (end, begin) = (curve[at], at.checked_sub(1).map(|before| curve[before]));
    let Some(begin) = begin.filter(|begin| begin.nll > end.nll) else { return Some(end) };
    let share = (begin.nll - level) / (begin.nll - end.nll);
    let between = |a: f64, b: f64| a + share * (b - a);
    let step = between(begin.step as f64, end.step as f64).ceil() as u64;
    Some(Point { step, seconds: between(begin.seconds, end.seconds), nll: level, score: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::study;

    fn row(variant: &str, seed: u64, nlls: &[f64]) -> RunResult {
        let point = |(at, nll): (usize, &f64)| Point {
            step: 10 * at as u64,
            seconds: at as f64,
            nll: *nll,
            score: None,
        };
        let curve: Vec<Point> = nlls.iter().enumerate().map(point).collect();
        let nll = *nlls.last().unwrap();
        RunResult {
            variant: variant.into(),
            seed,
            nll,
            accuracy: 0.5,
            seconds: 9.0,
            curve,
            ..RunResult::default()
        }
    }

    #[test]
    fn spreads_are_those_of_samples() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((spread.runs, spread.mean), (4, 2.5));
        assert!((spread.deviation - 1.290_994_448_735_805_6).abs() < 1e-15);
        assert!((spread.error() - 0.645_497_224_367_902_8).abs() < 1e-15);
    }

    #[test]
    fn time_to_quality_is_read_between_the_points_of_a_curve() {
        let rows = [row("dense", 1, &[5.0, 4.0, 3.0]), row("8 experts", 1, &[5.0, 3.5, 2.5, 2.0])];
        let judged = judge(study("switch-figure-12").unwrap(), &rows);
        assert_eq!(judged.iter().map(|one| one.name).collect::<Vec<_>>(), ["dense", "8 experts"]);
        assert_eq!((judged[0].seconds_to_quality.mean, judged[1].seconds_to_quality.mean), (2.0, 1.5));
        assert_eq!(judged[1].steps_to_quality.mean, 15.0);
        assert_eq!(first_at(&rows[0].curve, 1.0), None);
    }
}
