//! What a paper claims of two or more variants, and whether it holds here: beyond two standard errors, or not at all.

use super::judge::{first_at, over_seeds, whole_steps};
use super::{Measure, RunResult, Spread, Study};

/// A relation between variants, by their names. In all of them the first is what the paper favours.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Claim {
    /// Ends better.
    Better(&'static str, &'static str),
    /// Ends no better.
    NoBetter(&'static str, &'static str),
    /// Comes to the other's final quality in fewer steps than the other takes.
    SoonerInSteps(&'static str, &'static str),
    /// The same in seconds of training.
    SoonerInSeconds(&'static str, &'static str),
    /// More tokens go through it in a second.
    Faster(&'static str, &'static str),
    /// Its runs differ less from each other.
    Steadier(&'static str, &'static str),
    /// A student that keeps part of what its teacher has over the student alone: student, alone, teacher.
    KeepsGain(&'static str, &'static str, &'static str),
    /// Is better in every part of the corpus.
    BetterInAllParts(&'static str, &'static str),
    /// Comes to the other's final quality sooner in the mean of all parts.
    SoonerInParts(&'static str, &'static str),
    /// Models that are better before fine-tuning are better after it.
    Follows,
}

/// A claim with what the paper says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stated {
    pub claim: Claim,
    pub paper: &'static str,
}

/// Whether a claim holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    Yes,
    No,
    /// Too few runs to say.
    Open,
}

/// A claim, held against runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub claim: String,
    pub paper: &'static str,
    pub here: String,
    pub held: Held,
}

impl Held {
    pub fn word(self) -> &'static str {
        match self {
            Held::Yes => "held",
            Held::No => "not held",
            Held::Open => "open",
        }
    }

    fn of(is_held: bool) -> Held {
        if is_held { Held::Yes } else { Held::No }
    }
}

impl Claim {
    /// The variants that it is about.
    pub fn variants(&self) -> Vec<&'static str> {
        match *self {
            Claim::Better(a, b)
            | Claim::NoBetter(a, b)
            | Claim::SoonerInSteps(a, b)
            | Claim::SoonerInSeconds(a, b)
            | Claim::Faster(a, b)
            | Claim::Steadier(a, b)
            | Claim::BetterInAllParts(a, b)
            | Claim::SoonerInParts(a, b) => vec![a, b],
            Claim::KeepsGain(a, b, c) => vec![a, b, c],
            Claim::Follows => Vec::new(),
        }
    }

    /// Whether the clock decides it.
    pub fn is_of_time(&self) -> bool {
        match self {
            Claim::SoonerInSeconds(..) | Claim::Faster(..) => true,
            Claim::Better(..)
            | Claim::NoBetter(..)
            | Claim::SoonerInSteps(..)
            | Claim::Steadier(..)
            | Claim::KeepsGain(..)
            | Claim::BetterInAllParts(..)
            | Claim::SoonerInParts(..)
            | Claim::Follows => false,
        }
    }

    pub fn text(&self, measure: Measure) -> String {
        let name = measure.name();
        match *self {
            Claim::Better(a, b) => format!("{a} ends better than {b} ({name})"),
            Claim::NoBetter(a, b) => format!("{a} ends no better than {b} ({name})"),
            Claim::SoonerInSteps(a, b) => format!("{a} comes to the quality of {b} in fewer steps"),
            Claim::SoonerInSeconds(a, b) => format!("{a} comes to the quality of {b} in fewer seconds"),
            Claim::Faster(a, b) => format!("{a} takes more tokens a second than {b}"),
            Claim::Steadier(a, b) => format!("seeds differ less in {a} than in {b}"),
            Claim::KeepsGain(a, b, c) => format!("{a} keeps part of what {c} has over {b}"),
            Claim::BetterInAllParts(a, b) => format!("{a} is better than {b} in every part"),
            Claim::SoonerInParts(a, b) => {
                format!("{a} comes to the quality of {b} in fewer steps, in the mean of all parts")
            }
            Claim::Follows => "who is better before fine-tuning is better after it".into(),
        }
    }
}

/// Every claim of a study, held against the runs that are there.
pub fn outcomes(study: &Study, rows: &[RunResult]) -> Vec<Outcome> {
    let of = |stated: &Stated| {
        let (here, held) = judged(study, rows, stated.claim);
        Outcome { claim: stated.claim.text(study.measure), paper: stated.paper, here, held }
    };
    study.claims.iter().map(of).collect()
}

fn judged(study: &Study, rows: &[RunResult], claim: Claim) -> (String, Held) {
    let seen = Seen { measure: study.measure, rows };
    match claim {
        Claim::Better(a, b) => seen.better(a, b),
        Claim::NoBetter(a, b) => match seen.better(a, b) {
            (here, Held::Yes) => (here, Held::No),
            (here, Held::No) => (here, Held::Yes),
            open => open,
        },
        Claim::SoonerInSteps(a, b) => seen.sooner(a, b, |point| point.step as f64, whole_steps),
        Claim::SoonerInSeconds(a, b) => seen.sooner(a, b, |point| point.seconds, |row| Some(row.seconds)),
        Claim::Faster(a, b) => {
            let [a, b] = [a, b].map(|name| seen.spread(name, RunResult::rate));
            let here =
                format!("{:.0} and {:.0} tokens a second, {:.2} times", a.mean, b.mean, a.mean / b.mean);
            told(here, &[a, b], b.is_below(&a))
        }
        Claim::Steadier(a, b) => {
            let [a, b] = [a, b].map(|name| seen.quality(name));
            let is_held = steadier(&a, &b);
            told(format!("standard deviations {:.4} and {:.4}", a.deviation, b.deviation), &[a, b], is_held)
        }
        Claim::KeepsGain(student, alone, teacher) => seen.keeps(student, alone, teacher),
        Claim::BetterInAllParts(a, b) => seen.in_parts(a, b),
        Claim::SoonerInParts(a, b) => seen.sooner_in_parts(a, b),
        Claim::Follows => seen.follows(study),
    }
}

/// With too few runs nothing is said.
fn told(here: String, of: &[Spread], is_held: bool) -> (String, Held) {
    let least = of.iter().map(|spread| spread.runs).min().unwrap_or(0);
    match least {
        0 => ("no runs".into(), Held::Open),
        1 => (format!("{here}; one run"), Held::Open),
        _ => (here, Held::of(is_held)),
    }
}

/// The logarithms of two deviations, which have errors of about 1 / sqrt(2 (n - 1)).
fn steadier(a: &Spread, b: &Spread) -> bool {
    let error = |spread: &Spread| 1.0 / (2.0 * (spread.runs.max(2) - 1) as f64);
    let ratio = (b.deviation / a.deviation.max(1e-12)).ln();
    a.runs >= 2 && b.runs >= 2 && ratio > 2.0 * (error(a) + error(b)).sqrt()
}

/// The runs of a study.
struct Seen<'a> {
    measure: Measure,
    rows: &'a [RunResult],
}

impl Seen<'_> {
    fn of(&self, name: &str) -> impl Iterator<Item = &RunResult> {
        self.rows.iter().filter(move |row| row.variant == name)
    }

    fn spread(&self, name: &str, value: impl Fn(&RunResult) -> Option<f64>) -> Spread {
        over_seeds(self.rows, name, value)
    }

    /// Of runs that came to their end.
    fn quality(&self, name: &str) -> Spread {
        self.spread(name, |row| self.measure.quality(row).filter(|_| row.diverged.is_none()))
    }

    fn better(&self, a: &str, b: &str) -> (String, Held) {
        let lost = |name: &str| self.of(name).filter(|row| row.diverged.is_some()).count();
        let [of_a, of_b] = [a, b].map(|name| self.quality(name));
        match (lost(a), lost(b)) {
            (0, 0) => {}
            (0, many) if of_a.runs >= 2 => {
                return (
                    format!("{many} of {} runs of {b} diverged, none of {a}", self.of(b).count()),
                    Held::Yes,
                );
            }
            (many, _) if many > 0 => {
                return (format!("{many} of {} runs of {a} diverged", self.of(a).count()), Held::No);
            }
            _ => return (format!("{b} diverged; too few runs"), Held::Open),
        }
        let error = of_a.error().hypot(of_b.error());
        let here = format!(
            "{:.4} and {:.4}: {:+.4}, standard error {error:.4}",
            of_a.mean,
            of_b.mean,
            of_a.mean - of_b.mean
        );
        told(here, &[of_a, of_b], of_b.is_below(&of_a))
    }

    fn sooner(
        &self,
        a: &str,
        b: &str,
        amount: impl Fn(&super::Point) -> f64,
        whole: impl Fn(&RunResult) -> Option<f64>,
    ) -> (String, Held) {
        let level = self.spread(b, |row| Some(row.nll).filter(|nll| nll.is_finite()));
        let all = self.of(a).count();
        let reached = self.spread(a, |row| first_at(&row.curve, level.mean).map(|point| amount(&point)));
        let whole = self.spread(b, whole);
        let here = format!(
            "{} of {all} runs come to it, after {:.1} where {b} takes {:.1}: {:.2} times as soon",
            reached.runs,
            reached.mean,
            whole.mean,
            whole.mean / reached.mean
        );
        if reached.runs < all && all >= 2 {
            return (format!("{} of {all} runs come to it", reached.runs), Held::No);
        }
        told(here, &[reached, whole], reached.is_below(&whole))
    }

    fn keeps(&self, student: &str, alone: &str, teacher: &str) -> (String, Held) {
        let [student, alone, teacher] = [student, alone, teacher].map(|name| self.quality(name));
        let gain = teacher.mean - alone.mean;
        // Also where there are no runs, and no numbers.
        if gain.is_nan() || gain <= 0.0 {
            let is_seen = alone.runs.min(teacher.runs) >= 2;
            let held = if is_seen { Held::No } else { Held::Open };
            return ("the teacher has nothing over the student alone".into(), held);
        }
        let share = (student.mean - alone.mean) / gain * 100.0;
        let error = student.error().hypot(alone.error()) / gain * 100.0;
        let here = format!("{share:.0} % of {gain:.4}, standard error {error:.0} %");
        told(here, &[student, alone, teacher], share > 2.0 * error)
    }

    /// NLL of each part at the end, over seeds, of two variants.
    fn by_part(&self, a: &str, b: &str) -> Vec<(String, Spread, Spread)> {
        let names = self.of(b).next().map_or(&[][..], |row| &row.parts);
        let last = |name: &str, part: &str| {
            let found = |row: &RunResult| {
                let own = row.parts.iter().find(|one| one.name == part)?;
                Some(own.curve.last()?.1)
            };
            self.spread(name, found)
        };
        names.iter().map(|part| (part.name.clone(), last(a, &part.name), last(b, &part.name))).collect()
    }

    fn in_parts(&self, a: &str, b: &str) -> (String, Held) {
        let parts = self.by_part(a, b);
        let better = parts.iter().filter(|(_, a, b)| a.mean < b.mean).count();
        let clear = parts.iter().filter(|(_, a, b)| a.is_below(b)).count();
        let here = format!("in {better} of {} parts, in {clear} beyond two standard errors", parts.len());
        let spreads: Vec<Spread> = parts.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
        told(here, &spreads, better == parts.len() && 2 * clear > parts.len())
    }

    fn sooner_in_parts(&self, a: &str, b: &str) -> (String, Held) {
        let ups = self.speed_ups(a, b);
        let ups: Vec<f64> = ups.into_iter().map(|(_, up)| up).collect();
        let (spread, parts) = (Spread::of(&ups), ups.len());
        let four = ups.iter().filter(|up| **up >= 4.0).count();
        let here =
            format!("{:.2} times in the mean of {parts} parts, 4 times or more in {four}", spread.mean);
        let runs = self.of(a).count().min(self.of(b).count());
        told(here, &[Spread { runs, ..spread }], spread.mean - 2.0 * spread.error() > 1.0)
    }

    /// Of each part: all steps over those until the other's final NLL, by the mean curves. A part that does not come to
    /// it counts as one that takes all of them.
    fn speed_ups(&self, a: &str, b: &str) -> Vec<(String, f64)> {
        let one = |(name, _, level): (String, Spread, Spread)| {
            let steps = |row: &RunResult| {
                let part = row.parts.iter().find(|one| one.name == name)?;
                let points = part.curve.iter();
                let points: Vec<super::Point> = points
                    .map(|(step, nll)| super::Point { step: *step, nll: *nll, ..Default::default() })
                    .collect();
                let reached = first_at(&points, level.mean).map(|point| point.step);
                Some(reached.or_else(|| Some(points.last()?.step))? as f64)
            };
            let (whole, own) = (self.spread(b, whole_steps), self.spread(a, steps));
            (name, whole.mean / own.mean.max(1.0))
        };
        self.by_part(a, b).into_iter().map(one).collect()
    }

    /// Rank correlation of the NLL that a run began from with its score.
    fn follows(&self, study: &Study) -> (String, Held) {
        let pair = |row: &RunResult| {
            let from = study.variant(&row.variant)?.from?;
            let before = self.rows.iter().find(|one| one.variant == from && one.seed == row.seed)?;
            Some((-before.nll, row.score?))
        };
        let pairs: Vec<(f64, f64)> = self.rows.iter().filter_map(pair).collect();
        let error = 1.0 / (pairs.len().max(2) as f64 - 1.0).sqrt();
        let is_one = |of: fn(&(f64, f64)) -> f64| pairs.windows(2).all(|two| of(&two[0]) == of(&two[1]));
        if is_one(|pair| pair.0) || is_one(|pair| pair.1) {
            return (format!("{} runs, none better than another", pairs.len()), Held::Open);
        }
        let correlation = rank_correlation(&pairs);
        let here =
            format!("rank correlation {correlation:.2} over {} runs, standard error {error:.2}", pairs.len());
        // Of fewer runs no correlation is beyond two standard errors, however they follow.
        match pairs.len() {
            0..6 => (format!("{} runs", pairs.len()), Held::Open),
            _ => (here, Held::of(correlation > 2.0 * error)),
        }
    }
}

/// Speed-ups by part of what a study's claims compare so, for its report.
pub(super) fn speed_ups(study: &Study, rows: &[RunResult]) -> Vec<(String, f64, f64)> {
    let compared = study.claims.iter().find_map(|stated| match stated.claim {
        Claim::SoonerInParts(a, b) | Claim::BetterInAllParts(a, b) => Some((a, b)),
        _ => None,
    });
    let Some((a, b)) = compared else { return Vec::new() };
    let seen = Seen { measure: study.measure, rows };
    let gains = seen.by_part(a, b).into_iter().map(|(_, a, b)| b.mean - a.mean);
    seen.speed_ups(a, b).into_iter().zip(gains).map(|((name, up), gain)| (name, gain, up)).collect()
}

fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let below = |value: f64| pairs.iter().filter(|other| of(other) < value).count() as f64;
        let equal = |value: f64| pairs.iter().filter(|other| of(other) == value).count() as f64;
        pairs.iter().map(|pair| below(of(pair)) + (equal(of(pair)) - 1.0) / 2.0).collect()
    };
    let (a, b) = (ranks(|pair| pair.0), ranks(|pair| pair.1));
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let product =
        |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    let size = (product(&a, &a) * product(&b, &b)).sqrt();
    if size > 0.0 { product(&a, &b) / size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::{PartResult, Point};

    fn row(variant: &str, seed: u64, nlls: &[f64]) -> RunResult {
        let point = |(at, nll): (usize, &f64)| Point {
            step: 10 * (at as u64 + 1),
            seconds: 2.0 * (at + 1) as f64,
            nll: *nll,
            score: None,
        };
        let curve: Vec<Point> = nlls.iter().enumerate().map(point).collect();
        let of = |name: &str, by: f64| PartResult {
            name: name.into(),
            curve: curve.iter().map(|point| (point.step, point.nll * by)).collect(),
            peak: None,
        };
        let parts = vec![of("de", 1.0), of("fr", 2.0)];
        let (nll, seconds) = (*nlls.last().unwrap(), 2.0 * nlls.len() as f64);
        RunResult {
            variant: variant.into(),
            seed,
            nll,
            seconds,
            tokens: 64,
            curve,
            parts,
            ..RunResult::default()
        }
    }

    fn said(rows: &[RunResult], claim: Claim) -> (String, Held) {
        let study = super::super::study("switch-figure-12").unwrap();
        judged(study, rows, claim)
    }

    #[test]
    fn an_order_is_claimed_beyond_two_standard_errors_only() {
        let rows: Vec<RunResult> = (1..=3u64)
            .flat_map(|seed| {
                let by = 0.02 * seed as f64;
                [
                    row("a", seed, &[4.0, 2.0 + by]),
                    row("b", seed, &[5.0, 3.0 + by]),
                    row("c", seed, &[5.0, 3.02 + by]),
                ]
            })
            .collect();
        let (here, held) = said(&rows, Claim::Better("a", "b"));
        assert_eq!((here.as_str(), held), ("-2.0400 and -3.0400: +1.0000, standard error 0.0163", Held::Yes));
        assert_eq!(said(&rows, Claim::Better("b", "a")).1, Held::No);
        assert_eq!(said(&rows, Claim::Better("b", "c")).1, Held::No);
        assert_eq!(said(&rows, Claim::NoBetter("b", "c")).1, Held::Yes);
        assert_eq!(said(&rows[..3], Claim::Better("a", "b")).1, Held::Open);
        assert_eq!(said(&[], Claim::Better("a", "b")), ("no runs".into(), Held::Open));
        // From 4.0 to about 2.04 in ten steps, 3.04 after half of them.
        let (here, held) = said(&rows, Claim::SoonerInSteps("a", "b"));
        assert!(held == Held::Yes && here.starts_with("3 of 3 runs come to it, after 15"), "{here}");
        assert_eq!(said(&rows, Claim::SoonerInSeconds("a", "b")).1, Held::Yes);
        assert_eq!(said(&rows, Claim::SoonerInSteps("b", "a")), ("0 of 3 runs come to it".into(), Held::No));
        assert_eq!(said(&rows, Claim::Faster("a", "b")).1, Held::No);
        assert_eq!(said(&rows, Claim::BetterInAllParts("a", "b")).1, Held::Yes);
        let (here, held) = said(&rows, Claim::SoonerInParts("a", "b"));
        assert!(held == Held::Yes && here.starts_with("1.33 times in the mean of 2 parts"), "{here}");
    }

    #[test]
    fn who_diverges_is_worse_whatever_its_last_numbers() {
        let mut rows: Vec<RunResult> =
            (1..=3).flat_map(|seed| [row("a", seed, &[3.0]), row("b", seed, &[1.0])]).collect();
        rows[1].diverged = Some(7);
        let (here, held) = said(&rows, Claim::Better("a", "b"));
        assert_eq!((here.as_str(), held), ("1 of 3 runs of b diverged, none of a", Held::Yes));
        assert_eq!(said(&rows, Claim::Better("b", "a")).1, Held::No);
    }

    #[test]
    fn gains_are_shares_of_the_teachers_and_spreads_are_told_apart_by_their_own_errors() {
        let rows: Vec<RunResult> = (1..=3u64)
            .flat_map(|seed| {
                let by = 0.001 * seed as f64;
                [
                    row("teacher", seed, &[2.0 + by]),
                    row("alone", seed, &[3.0 + by]),
                    row("taught", seed, &[2.75 + by]),
                    row("wild", seed, &[3.0 + 100.0 * by]),
                ]
            })
            .collect();
        let (here, held) = said(&rows, Claim::KeepsGain("taught", "alone", "teacher"));
        assert!(held == Held::Yes && here.starts_with("25 % of 1.0000"), "{here}");
        assert_eq!(said(&rows, Claim::KeepsGain("taught", "teacher", "alone")).1, Held::No);
        assert_eq!(said(&rows, Claim::Steadier("alone", "wild")).1, Held::Yes);
        assert_eq!(said(&rows, Claim::Steadier("alone", "taught")).1, Held::No);
        assert_eq!(rank_correlation(&[(1.0, 2.0), (2.0, 3.0), (3.0, 9.0)]), 1.0);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (1.0, 2.0)]), 0.0);
    }
}
