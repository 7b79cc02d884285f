//! A study as a drawing: held-out NLL over steps, one line per variant, the mean of its seeds with a band of one
//! standard deviation.

use super::{RunResult, Spread, Study};
use crate::metrics::{Chart, Dot, Line};

/// The figure of the rows that are there.
pub fn figure(study: &Study, rows: &[RunResult]) -> String {
    let line = |name: &str| Line { name: name.into(), dots: means(name, rows) };
    Chart {
        title: study.name.into(),
        x: "steps".into(),
        y: "held-out NLL, nats per token".into(),
        lines: study.variants.iter().map(|variant| line(variant.name)).collect(),
        names: Vec::new(),
        is_steep: true,
    }
    .svg()
}

/// Means over the runs of a variant, at every step that all of them have.
fn means(variant: &str, rows: &[RunResult]) -> Vec<Dot> {
    let rows: Vec<&RunResult> = rows.iter().filter(|row| row.variant == variant).collect();
    let Some(first) = rows.first() else { return Vec::new() };
    let at = |step: u64| {
        let values: Option<Vec<f64>> = rows
            .iter()
            .map(|row| row.curve.iter().find(|point| point.step == step).map(|point| point.nll))
            .collect();
        let spread = Spread::of(&values?);
        Some(Dot { x: step as f64, y: spread.mean, spread: spread.deviation })
    };
    first.curve.iter().filter_map(|point| at(point.step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Point, study};

    #[test]
    fn a_figure_has_a_line_for_each_variant_with_runs_and_a_band_for_several() {
        let curve = |by: f64| {
            (0..3).map(|at| Point { step: at * 50, seconds: 1.0, nll: 5.0 - by * at as f64 }).collect()
        };
        let row = |variant: &str, seed, by| RunResult {
            variant: variant.into(),
            seed,
            nll: 3.0,
            accuracy: 0.0,
            seconds: 1.0,
            cpu_seconds: 1.0,
            parameters: 1,
            tokens: 1,
            commit: String::new(),
            curve: curve(by),
        };
        let svg = figure(
            study("switch-figure-12").unwrap(),
            &[row("dense", 1, 0.5), row("dense", 2, 0.6), row("8 experts", 1, 1.0)],
        );
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (2, 1));
        assert!(svg.contains(">8 experts</text>") && !svg.contains(">4 experts</text>"));
    }
}
