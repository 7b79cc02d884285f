//! A study as a drawing: what it compares over steps, one line per variant, the mean of its seeds with a band of one
//! standard deviation; or by part of the corpus, where that is what it is about.

use super::claim::speed_ups;
use super::{Measure, Point, RunResult, Spread, Study};
use meshwright_train::metrics::{Chart, Dot, Line};

/// The figure of the rows that are there.
pub fn figure(study: &Study, rows: &[RunResult]) -> String {
    let parts = speed_ups(study, rows);
    if !parts.is_empty() {
        return by_part(study, &parts);
    }
    let line = |name: &str| Line { name: name.into(), dots: means(study.measure, name, rows) };
    let is_answers = study.measure == Measure::Answers;
    let shown = study.variants.iter().map(|variant| line(variant.name)).filter(|line| !line.dots.is_empty());
    Chart {
        title: study.name.into(),
        x: "steps".into(),
        y: if is_answers { "score of answers, mean of tasks" } else { "held-out NLL, nats per token" }.into(),
        lines: shown.collect(),
        names: Vec::new(),
        is_steep: !is_answers,
    }
    .svg()
}

/// What is gained in each part, and how many times sooner.
fn by_part(study: &Study, parts: &[(String, f64, f64)]) -> String {
    let line = |name: &str, of: fn(&(String, f64, f64)) -> f64| Line {
        name: name.into(),
        dots: parts
            .iter()
            .enumerate()
            .map(|(at, part)| Dot { x: at as f64, y: of(part), spread: 0.0 })
            .collect(),
    };
    Chart {
        title: study.name.into(),
        x: "parts of the corpus".into(),
        y: "nats per token gained; times sooner in steps".into(),
        lines: vec![line("gain", |part| part.1), line("times sooner", |part| part.2)],
        names: parts.iter().map(|part| part.0.clone()).collect(),
        is_steep: false,
    }
    .svg()
}

/// Means over the runs of a variant, at every step that all of them have.
fn means(measure: Measure, variant: &str, rows: &[RunResult]) -> Vec<Dot> {
    let rows: Vec<&RunResult> = rows.iter().filter(|row| row.variant == variant).collect();
    let Some(first) = rows.first() else { return Vec::new() };
    let value = |point: &Point| match measure {
        Measure::Answers => point.score,
        Measure::HeldOut | Measure::Translations => Some(point.nll).filter(|nll| nll.is_finite()),
    };
    let at = |step: u64| {
        let of = |row: &&RunResult| row.curve.iter().find(|point| point.step == step).and_then(value);
        let values: Option<Vec<f64>> = rows.iter().map(of).collect();
        let spread = Spread::of(&values?);
        Some(Dot { x: step as f64, y: spread.mean, spread: spread.deviation })
    };
    first.curve.iter().filter_map(|point| at(point.step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::study;

    #[test]
    fn a_figure_has_a_line_for_each_variant_with_runs_and_a_band_for_several() {
        let curve = |by: f64| {
            let point =
                |at: u64| Point { step: at * 50, seconds: 1.0, nll: 5.0 - by * at as f64, score: None };
            (0..3).map(point).collect()
        };
        let row = |variant: &str, seed, by| RunResult {
            variant: variant.into(),
            seed,
            nll: 3.0,
            curve: curve(by),
            ..RunResult::default()
        };
        let svg = figure(
            study("switch-figure-12").unwrap(),
            &[row("dense", 1, 0.5), row("dense", 2, 0.6), row("8 experts", 1, 1.0)],
        );
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (2, 1));
        assert!(svg.contains(">8 experts</text>") && !svg.contains(">4 experts</text>"));
    }
}
