//! Claims of a paper about two or more variants, as samples of pairs of runs, and the verdict on each.

use super::judge::first_at;
use super::verdict::{Expected, Interval, LEAST_PAIRS, Relation, Verdict, interval, verdict};
use super::{Measure, Point, RunResult, Study};

/// A relation between variants, by their names. In all of them the first is the one that the paper favours.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Claim {
    /// Ends better.
    Better(&'static str, &'static str),
    /// Ends as well, within the measure's margin.
    Alike(&'static str, &'static str),
    /// Comes to the quality that both end with at least, in fewer steps.
    SoonerInSteps(&'static str, &'static str),
    /// Comes to it in fewer seconds of training.
    SoonerInSeconds(&'static str, &'static str),
    /// More tokens go through it in a second.
    Faster(&'static str, &'static str),
    /// Its runs differ less from each other.
    Steadier(&'static str, &'static str),
    /// A student that keeps a share of its teacher's gain over the student alone, beyond the gain of its first weights:
    /// the control is that student with the same first weights and no teacher.
    KeepsGain {
        student: &'static str,
        alone: &'static str,
        teacher: &'static str,
        control: Option<&'static str>,
    },
    /// Is better in every part of the corpus.
    BetterInAllParts(&'static str, &'static str),
    /// Comes to the quality of both sooner in the mean of all parts.
    SoonerInParts(&'static str, &'static str),
    /// Models that are better before fine-tuning are better after it.
    Follows,
}

/// A claim with the paper's words, and its size in the unit of the claim's samples where the paper prints one: nats or
/// scores, logarithms of times, shares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stated {
    pub claim: Claim,
    pub paper: &'static str,
    pub size: Option<Size>,
}

/// The paper's size of an effect, as it prints it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Size {
    /// In nats, scores, or a share.
    By(f64),
    /// A ratio.
    Times(f64),
}

impl Size {
    /// In the unit of samples.
    pub fn value(self) -> f64 {
        match self {
            Size::By(by) => by,
            Size::Times(times) => times.ln(),
        }
    }
}

impl Stated {
    pub const fn by(self, by: f64) -> Stated {
        Stated { size: Some(Size::By(by)), ..self }
    }

    pub const fn times(self, times: f64) -> Stated {
        Stated { size: Some(Size::Times(times)), ..self }
    }
}

/// A claim, judged by runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub claim: String,
    pub paper: &'static str,
    pub here: String,
    pub verdict: Verdict,
    pub samples: Vec<f64>,
    pub expected: Expected,
}

/// Samples of a claim, one for each seed that has all its runs, or why there are none.
struct Samples {
    effects: Vec<f64>,
    /// The reason why pairs have no sample.
    refused: Option<String>,
}

impl From<Vec<f64>> for Samples {
    fn from(effects: Vec<f64>) -> Samples {
        Samples { effects, refused: None }
    }
}

/// The unit in which an interval is written.
#[derive(Clone, Copy)]
enum Unit {
    Plain,
    Times,
    Percent,
}

impl Claim {
    /// The variants that it is about.
    pub fn variants(&self) -> Vec<&'static str> {
        match *self {
            Claim::Better(a, b)
            | Claim::Alike(a, b)
            | Claim::SoonerInSteps(a, b)
            | Claim::SoonerInSeconds(a, b)
            | Claim::Faster(a, b)
            | Claim::Steadier(a, b)
            | Claim::BetterInAllParts(a, b)
            | Claim::SoonerInParts(a, b) => vec![a, b],
            Claim::KeepsGain { student, alone, teacher, control } => {
                [student, alone, teacher].into_iter().chain(control).collect()
            }
            Claim::Follows => Vec::new(),
        }
    }

    /// Whether the clock decides it.
    pub fn is_of_time(&self) -> bool {
        match self {
            Claim::SoonerInSeconds(..) | Claim::Faster(..) => true,
            Claim::Better(..)
            | Claim::Alike(..)
            | Claim::SoonerInSteps(..)
            | Claim::Steadier(..)
            | Claim::KeepsGain { .. }
            | Claim::BetterInAllParts(..)
            | Claim::SoonerInParts(..)
            | Claim::Follows => false,
        }
    }

    fn unit(&self) -> Unit {
        match self {
            Claim::SoonerInSteps(..)
            | Claim::SoonerInSeconds(..)
            | Claim::Faster(..)
            | Claim::SoonerInParts(..) => Unit::Times,
            Claim::KeepsGain { .. } => Unit::Percent,
            Claim::Better(..)
            | Claim::Alike(..)
            | Claim::Steadier(..)
            | Claim::BetterInAllParts(..)
            | Claim::Follows => Unit::Plain,
        }
    }

    /// An effect below this is none, in the samples' unit: 0.02 nats or two of a hundred answers, 5 % of time, a tenth
    /// of a teacher's gain.
    fn margin(&self) -> f64 {
        match self.unit() {
            Unit::Plain => 0.02,
            Unit::Times => 0.05,
            Unit::Percent => 0.1,
        }
    }

    fn relation(&self) -> Relation {
        if matches!(self, Claim::Alike(..)) { Relation::Alike } else { Relation::More }
    }

    pub fn text(&self, measure: Measure) -> String {
        let name = measure.name();
        match *self {
            Claim::Better(a, b) => format!("{a} ends better than {b} ({name})"),
            Claim::Alike(a, b) => format!("{a} ends within {} of {b} ({name})", self.margin()),
            Claim::SoonerInSteps(a, b) => format!("{a} comes to the quality of {b} in fewer steps"),
            Claim::SoonerInSeconds(a, b) => format!("{a} comes to the quality of {b} in fewer seconds"),
            Claim::Faster(a, b) => format!("{a} takes more tokens a second than {b}"),
            Claim::Steadier(a, b) => format!("seeds differ less in {a} than in {b}"),
            Claim::KeepsGain { student, alone, teacher, control } => {
                let other = control.filter(|control| *control != alone);
                let over = other.map_or(String::new(), |control| format!(", beyond {control}"));
                format!("{student} keeps part of the gain of {teacher} over {alone}{over}")
            }
            Claim::BetterInAllParts(a, b) => format!("{a} is better than {b} in every part"),
            Claim::SoonerInParts(a, b) => {
                format!("{a} comes to the quality of {b} in fewer steps, in the mean of all parts")
            }
            Claim::Follows => "better models before fine-tuning are better after it".into(),
        }
    }
}

/// Every claim of a study, judged by the runs that are there.
pub fn outcomes(study: &Study, rows: &[RunResult]) -> Vec<Outcome> {
    study.claims.iter().map(|stated| outcome(study, rows, stated)).collect()
}

fn outcome(study: &Study, rows: &[RunResult], stated: &Stated) -> Outcome {
    let claim = stated.claim;
    let Samples { effects, refused } = samples(study, rows, claim);
    let expected =
        Expected { relation: claim.relation(), size: stated.size.map(Size::value), margin: claim.margin() };
    let verdict = verdict(&effects, &expected);
    let mut here = match effects.len() {
        0 => String::new(),
        _ => shown(&interval(&effects), claim.unit()),
    };
    if verdict == Verdict::NotResolved && (1..LEAST_PAIRS).contains(&effects.len()) {
        here += &format!("; {LEAST_PAIRS} needed");
    }
    let reason = refused.or_else(|| effects.is_empty().then(|| "no runs".to_string()));
    if let Some(reason) = reason {
        here += if here.is_empty() { "" } else { "; " };
        here += &reason;
    }
    Outcome {
        claim: claim.text(study.measure),
        paper: stated.paper,
        here,
        verdict,
        samples: effects,
        expected,
    }
}

fn shown(found: &Interval, unit: Unit) -> String {
    let one = |value: f64| match unit {
        Unit::Plain => format!("{value:+.4}"),
        Unit::Times => format!("{:.2} times", value.exp()),
        Unit::Percent => format!("{:.0} %", 100.0 * value),
    };
    let Interval { pairs, mean, low, high } = *found;
    match (pairs, mean.is_finite()) {
        (_, false) => format!("runs diverged in {pairs} pairs"),
        (1, true) => format!("{}, one pair", one(mean)),
        (_, true) => format!("{}, from {} to {}, {pairs} pairs", one(mean), one(low), one(high)),
    }
}

fn samples(study: &Study, rows: &[RunResult], claim: Claim) -> Samples {
    let seen = Seen { measure: study.measure, rows };
    let at_other_capacity = claim.variants().into_iter().find_map(|name| {
        let own = study.variant(name)?.own_capacity()?;
        seen.of(name).find(|row| row.eval_capacity != Some(own))?;
        Some(format!("not measured: {name} was not judged at its own capacity of {own}"))
    });
    if at_other_capacity.is_some() {
        return Samples { effects: Vec::new(), refused: at_other_capacity };
    }
    match claim {
        Claim::Better(a, b) | Claim::Alike(a, b) => seen.paired(a, b, |a, b| seen.gain(a, b)).into(),
        Claim::SoonerInSteps(a, b) => {
            seen.paired(a, b, |a, b| sooner(a, b, |point| point.step as f64)).into()
        }
        Claim::SoonerInSeconds(a, b) => seen.timed(a, b, |a, b| sooner(a, b, |point| point.seconds)),
        Claim::Faster(a, b) => seen.timed(a, b, |a, b| Some((a.rate()? / b.rate()?).ln())),
        Claim::Steadier(a, b) => seen.steadier(a, b).into(),
        Claim::KeepsGain { student, alone, teacher, control } => seen.keeps(student, alone, teacher, control),
        Claim::BetterInAllParts(a, b) => seen
            .paired(a, b, |a, b| {
                let gains = parts(a, b).map(|(a, b)| Some(b.last()?.1 - a.last()?.1));
                gains.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
            })
            .into(),
        Claim::SoonerInParts(a, b) => seen
            .paired(a, b, |a, b| {
                let ups: Vec<f64> = parts(a, b).filter_map(|(a, b)| sooner_in_part(a, b)).collect();
                (!ups.is_empty()).then(|| ups.iter().sum::<f64>() / ups.len() as f64)
            })
            .into(),
        Claim::Follows => seen.follows(study).into(),
    }
}

/// The curves of a part in both runs.
type Curves<'a> = (&'a [(u64, f64)], &'a [(u64, f64)]);

fn parts<'a>(a: &'a RunResult, b: &'a RunResult) -> impl Iterator<Item = Curves<'a>> {
    let in_a = |name: &str| a.parts.iter().find(|part| part.name == name);
    b.parts.iter().filter_map(move |part| Some((&in_a(&part.name)?.curve[..], &part.curve[..])))
}

fn sooner_in_part(a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<f64> {
    let points = |curve: &[(u64, f64)]| -> Vec<Point> {
        curve.iter().map(|(step, nll)| Point { step: *step, nll: *nll, ..Point::default() }).collect()
    };
    let level = a.last()?.1.max(b.last()?.1);
    let at = |curve: &[(u64, f64)]| first_at(&points(curve), level).map(|point| point.step.max(1) as f64);
    Some((at(b)? / at(a)?).ln())
}

/// By how many times sooner a run comes to the quality that both end with at least, as a logarithm. Both are read off
/// their curves: against the whole of the other run, each run would be sooner than itself.
fn sooner(a: &RunResult, b: &RunResult, amount: impl Fn(&Point) -> f64) -> Option<f64> {
    if let Some(unbounded) = divergence(a, b) {
        return unbounded;
    }
    let level = a.nll.max(b.nll);
    let at = |row: &RunResult| first_at(&row.curve, level).map(|point| amount(&point).max(1e-9));
    Some((at(b)? / at(a)?).ln())
}

/// Where a run of a pair diverged: a sample without bound, or none.
fn divergence(a: &RunResult, b: &RunResult) -> Option<Option<f64>> {
    match (a.diverged.is_some(), b.diverged.is_some()) {
        (false, false) => None,
        (true, true) => Some(None),
        (true, false) => Some(Some(f64::NEG_INFINITY)),
        (false, true) => Some(Some(f64::INFINITY)),
    }
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

    fn run(&self, name: &str, seed: u64) -> Option<&RunResult> {
        self.of(name).find(|row| row.seed == seed)
    }

    /// A sample for each seed that both variants have.
    fn paired(&self, a: &str, b: &str, of: impl Fn(&RunResult, &RunResult) -> Option<f64>) -> Vec<f64> {
        self.of(a).filter_map(|row| of(row, self.run(b, row.seed)?)).collect()
    }

    fn gain(&self, a: &RunResult, b: &RunResult) -> Option<f64> {
        match divergence(a, b) {
            Some(unbounded) => unbounded,
            None => Some(self.measure.quality(a)? - self.measure.quality(b)?),
        }
    }

    /// Samples that need a clock: pairs with a refused timing have none.
    fn timed(&self, a: &str, b: &str, of: impl Fn(&RunResult, &RunResult) -> Option<f64>) -> Samples {
        let reason = |a: &RunResult, b: &RunResult| [a, b].into_iter().find_map(RunResult::refused_timing);
        let refused = self.of(a).filter_map(|row| reason(row, self.run(b, row.seed)?));
        let refused: Vec<String> = refused.collect();
        let effects = self.paired(a, b, |a, b| if reason(a, b).is_none() { of(a, b) } else { None });
        let refused = refused.first().map(|first| format!("{} timings refused: {first}", refused.len()));
        Samples { effects, refused }
    }

    /// Distances from the mean of each variant: the other's over this one's, by seeds.
    fn steadier(&self, a: &str, b: &str) -> Vec<f64> {
        let middle = |name: &str| {
            let all: Vec<f64> = self.of(name).filter_map(|row| self.measure.quality(row)).collect();
            all.iter().sum::<f64>() / all.len().max(1) as f64
        };
        let (of_a, of_b) = (middle(a), middle(b));
        self.paired(a, b, |a, b| {
            let far = |row: &RunResult, middle: f64| Some((self.measure.quality(row)? - middle).abs());
            Some(far(b, of_b)? - far(a, of_a)?)
        })
    }

    /// Shares of the teacher's gain that a student has over its control, with the errors of all four. The ratio of
    /// means is linearized, which yields one sample per seed.
    fn keeps(&self, student: &str, alone: &str, teacher: &str, control: Option<&str>) -> Samples {
        let Some(control) = control else {
            let refused = format!("no control: {student} without its teacher, with the same first weights");
            return Samples { effects: Vec::new(), refused: Some(refused) };
        };
        let gains: Vec<(f64, f64)> = self
            .of(student)
            .filter_map(|row| {
                let run = |name| self.run(name, row.seed);
                Some((self.gain(row, run(control)?)?, self.gain(run(teacher)?, run(alone)?)?))
            })
            .collect();
        if gains.is_empty() {
            let refused = format!("no runs of {student} with {control}, {alone} and {teacher}");
            return Samples { effects: Vec::new(), refused: Some(refused) };
        }
        let of_teacher = interval(&gains.iter().map(|(_, gain)| *gain).collect::<Vec<f64>>());
        if of_teacher.low.is_nan() || of_teacher.low <= 0.0 {
            let gain = shown(&of_teacher, Unit::Plain);
            return Samples {
                effects: Vec::new(),
                refused: Some(format!("the gain of {teacher} over {alone} is not resolved: {gain}")),
            };
        }
        let own = gains.iter().map(|(own, _)| own).sum::<f64>() / gains.len() as f64;
        let share = own / of_teacher.mean;
        gains
            .iter()
            .map(|(own, gain)| share + (own - share * gain) / of_teacher.mean)
            .collect::<Vec<f64>>()
            .into()
    }

    /// Rank correlations over the variants of a seed: of the NLL that a run began from with its score.
    fn follows(&self, study: &Study) -> Vec<f64> {
        let pair = |row: &RunResult| {
            let before = self.run(study.variant(&row.variant)?.from?, row.seed)?;
            Some((-before.nll, row.score?))
        };
        let seeds = self.rows.iter().map(|row| row.seed).max().unwrap_or(0);
        let of_seed = |seed: u64| {
            let own = self.rows.iter().filter(|row| row.seed == seed);
            let pairs: Vec<(f64, f64)> = own.filter_map(pair).collect();
            (pairs.len() >= 3).then(|| rank_correlation(&pairs))
        };
        (1..=seeds).filter_map(of_seed).collect()
    }
}

/// By part of the corpus, for a study's report: the NLL gained and the times sooner in steps, means over seeds.
pub(super) fn speed_ups(study: &Study, rows: &[RunResult]) -> Vec<(String, f64, f64)> {
    let compared = study.claims.iter().find_map(|stated| match stated.claim {
        Claim::SoonerInParts(a, b) | Claim::BetterInAllParts(a, b) => Some((a, b)),
        _ => None,
    });
    let Some((a, b)) = compared else { return Vec::new() };
    let seen = Seen { measure: study.measure, rows };
    let names = seen.of(b).next().map_or(&[][..], |row| &row.parts);
    let of = |name: &str| {
        let curves = |a: &RunResult, b: &RunResult| {
            let curve =
                |row: &RunResult| Some(row.parts.iter().find(|part| part.name == name)?.curve.clone());
            Some((curve(a)?, curve(b)?))
        };
        let gains = seen.paired(a, b, |a, b| {
            let (a, b) = curves(a, b)?;
            Some(b.last()?.1 - a.last()?.1)
        });
        let ups = seen.paired(a, b, |a, b| {
            let (a, b) = curves(a, b)?;
            sooner_in_part(&a, &b)
        });
        (interval(&gains).mean, interval(&ups).mean.exp())
    };
    let all = names.iter().map(|part| (part.name.clone(), of(&part.name)));
    all.map(|(name, (gain, up))| (name, gain, up)).collect()
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
    use crate::studies::PartResult;

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
            by_turns: true,
            cpu_seconds: seconds,
            tokens: 64,
            curve,
            parts,
            ..RunResult::default()
        }
    }

    fn said(rows: &[RunResult], claim: Claim) -> (String, Verdict) {
        let study = super::super::study("switch-figure-12").unwrap();
        let found = outcome(study, rows, &Stated { claim, paper: "", size: None });
        (found.here, found.verdict)
    }

    fn rows(seeds: u64) -> Vec<RunResult> {
        (1..=seeds)
            .flat_map(|seed| {
                let by = 0.02 * seed as f64;
                let chance = 0.001 * (seed % 3) as f64;
                [
                    row("a", seed, &[4.0, 2.0 + by + chance]),
                    row("b", seed, &[5.0, 3.0 + by]),
                    row("c", seed, &[5.0, 3.002 + by + chance]),
                ]
            })
            .collect()
    }

    #[test]
    fn runs_of_one_seed_are_compared_with_each_other() {
        let rows = rows(5);
        let (here, found) = said(&rows, Claim::Better("a", "b"));
        // Seeds differ by 0.08, pairs by 0.002.
        assert_eq!((here.as_str(), found), ("+0.9988, from +0.9978 to +0.9998, 5 pairs", Verdict::Held));
        assert_eq!(said(&rows, Claim::Better("b", "a")).1, Verdict::NotHeld);
        assert_eq!(said(&rows, Claim::Better("c", "b")).1, Verdict::NotHeld);
        assert_eq!(said(&rows, Claim::Alike("c", "b")).1, Verdict::Held);
        assert_eq!(said(&rows, Claim::Alike("a", "b")).1, Verdict::NotHeld);
        let (here, found) = said(&rows[..12], Claim::Better("a", "b"));
        assert!(found == Verdict::NotResolved && here.ends_with(", 4 pairs; 5 needed"), "{here}");
        assert_eq!(said(&[], Claim::Better("a", "b")), ("no runs".into(), Verdict::NotResolved));
        assert_eq!(said(&rows, Claim::SoonerInSteps("a", "b")).1, Verdict::Held);
        assert_eq!(said(&rows, Claim::SoonerInSteps("b", "a")).1, Verdict::NotHeld);
        assert_eq!(said(&rows, Claim::SoonerInSeconds("a", "b")).1, Verdict::Held);
        assert_eq!(said(&rows, Claim::Faster("a", "b")).1, Verdict::NotHeld);
        assert_eq!(said(&rows, Claim::BetterInAllParts("a", "b")).1, Verdict::Held);
        assert_eq!(said(&rows, Claim::SoonerInParts("a", "b")).1, Verdict::Held);
    }

    #[test]
    fn a_run_is_not_sooner_than_itself() {
        let rows = rows(5);
        let same: Vec<RunResult> = rows[..].iter().filter(|row| row.variant == "a").cloned().collect();
        let other = same.iter().map(|row| RunResult { variant: "again".into(), ..row.clone() });
        let both: Vec<RunResult> = same.iter().cloned().chain(other).collect();
        assert_eq!(said(&both, Claim::SoonerInSteps("a", "again")).1, Verdict::NotHeld);
        assert_eq!(said(&both, Claim::SoonerInParts("a", "again")).1, Verdict::NotHeld);
    }

    #[test]
    fn sizes_off_by_more_than_two_leave_the_direction() {
        let study = super::super::study("switch-figure-12").unwrap();
        let of = |stated: Stated| outcome(study, &rows(5), &stated).verdict;
        let better = Stated { claim: Claim::Better("a", "b"), paper: "", size: None };
        assert_eq!(of(better.by(1.2)), Verdict::Held);
        assert_eq!(of(better.by(3.0)), Verdict::DirectionOnly);
        // 20 steps for some 15.
        let sooner = Stated { claim: Claim::SoonerInSteps("a", "b"), ..better };
        assert_eq!(of(sooner.times(1.4)), Verdict::Held);
        assert_eq!(of(sooner.times(5.0)), Verdict::DirectionOnly);
    }

    #[test]
    fn a_timing_beside_other_work_is_refused() {
        let mut rows = rows(5);
        rows[0].seconds = 2.0 * rows[0].cpu_seconds;
        let (here, found) = said(&rows, Claim::SoonerInSeconds("a", "b"));
        assert!(
            found == Verdict::NotResolved && here.contains("1 timings refused: 8.0 s of the clock"),
            "{here}"
        );
        rows.iter_mut().for_each(|row| row.by_turns = false);
        let (here, _) = said(&rows, Claim::Faster("a", "b"));
        assert!(here.starts_with("5 timings refused: not measured by turns"), "{here}");
        assert_eq!(said(&rows, Claim::SoonerInSteps("a", "b")).1, Verdict::Held, "steps have no clock");
    }

    #[test]
    fn diverging_runs_are_worse_whatever_their_last_numbers() {
        let all = (1..=5).flat_map(|seed| [row("a", seed, &[3.0]), row("b", seed, &[1.0])]);
        let mut rows: Vec<RunResult> = all.collect();
        rows.iter_mut().filter(|row| row.variant == "b").for_each(|row| row.diverged = Some(7));
        let (here, found) = said(&rows, Claim::Better("a", "b"));
        assert_eq!((here.as_str(), found), ("runs diverged in 5 pairs", Verdict::Held));
        assert_eq!(said(&rows, Claim::Better("b", "a")).1, Verdict::NotHeld);
    }

    fn taught(seeds: u64) -> Vec<RunResult> {
        (1..=seeds)
            .flat_map(|seed| {
                let by = 0.001 * seed as f64;
                [
                    row("teacher", seed, &[2.0 + by]),
                    row("alone", seed, &[3.0 - by]),
                    row("weights", seed, &[2.5 + by]),
                    row("taught", seed, &[2.25 - by]),
                    row("wild", seed, &[3.0 + 100.0 * by]),
                ]
            })
            .collect()
    }

    #[test]
    fn a_students_gain_is_judged_over_its_control_with_its_teachers_error() {
        let rows = taught(5);
        let keeps =
            |control| Claim::KeepsGain { student: "taught", alone: "alone", teacher: "teacher", control };
        let (here, found) = said(&rows, keeps(Some("weights")));
        assert!(found == Verdict::Held && here.starts_with("26 %, from 25 % to 26 %"), "{here}");
        let (here, found) = said(&rows, keeps(None));
        assert!(found == Verdict::NotResolved && here.starts_with("no control"), "{here}");
        // The weights alone are better than the student: nothing was taught.
        let same = Claim::KeepsGain {
            student: "weights",
            alone: "alone",
            teacher: "teacher",
            control: Some("taught"),
        };
        assert_eq!(said(&rows, same).1, Verdict::NotHeld);
        let unclear =
            Claim::KeepsGain { student: "taught", alone: "alone", teacher: "wild", control: Some("weights") };
        let (here, found) = said(&rows, unclear);
        assert!(found == Verdict::NotResolved && here.contains("is not resolved"), "{here}");
    }

    #[test]
    fn spreads_and_ranks_are_compared_by_seeds() {
        let rows = taught(9);
        assert_eq!(said(&rows, Claim::Steadier("alone", "wild")).1, Verdict::Held);
        assert_ne!(said(&rows, Claim::Steadier("wild", "alone")).1, Verdict::Held);
        assert_eq!(rank_correlation(&[(1.0, 2.0), (2.0, 3.0), (3.0, 9.0)]), 1.0);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (1.0, 2.0)]), 0.0);
    }

    /// Of labels exchanged at random within seeds, at most one in twenty holds.
    #[test]
    fn a_held_claim_of_each_kind_is_not_held_with_exchanged_labels() {
        let study = super::super::study("switch-figure-12").unwrap();
        for claim in [
            Claim::Better("a", "b"),
            Claim::Alike("c", "b"),
            Claim::SoonerInSteps("a", "b"),
            Claim::SoonerInSeconds("a", "b"),
            Claim::BetterInAllParts("a", "b"),
            Claim::SoonerInParts("a", "b"),
        ] {
            let found = outcome(study, &rows(5), &Stated { claim, paper: "", size: None });
            assert_eq!(found.verdict, Verdict::Held, "{claim:?}");
            let chance = super::super::verdict::held_by_chance(&found.samples, &found.expected);
            assert!(chance <= 0.05, "{claim:?}: {chance}");
        }
    }
}
