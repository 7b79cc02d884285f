//! Tables and figures of the papers at a size that can be run here: what is run, and what may be said of it.
//!
//! ```text
//! study --rows--> (variant, seed) --runs elsewhere--> Row --judge--> means, standard errors, claims --> Markdown, SVG
//! ```
//!
//! A row is one run: a preset, some fields set, a seed. Nothing here trains or reads a clock; a study is added as an
//! entry of [`STUDIES`]. An order of two variants is claimed only if their means differ by more than two standard
//! errors of the difference.

mod figure;
mod judge;
mod report;
pub mod translation;

pub use figure::figure;
pub use judge::{Judged, Spread, judge};
pub use report::report;

use meshwright_base::{Code, Diagnostic, nearest};
use serde_json::{Value, json};

const NO_STUDY: Code = Code(1150);

/// One thing that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    pub name: &'static str,
    /// Where it stands on the figure's axis; `None` for what it is compared with.
    pub at: Option<u32>,
    /// Fields that differ from the preset.
    pub sets: &'static [&'static str],
    /// How many seeds it is run with.
    pub seeds: u64,
}

/// What runs are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// NLL of held-out text, over steps.
    HeldOut,
    /// BLEU of what the model makes of test sentences ([`translation`]).
    Translations,
}

/// A table or figure.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    pub name: &'static str,
    /// What the paper shows there.
    pub about: &'static str,
    pub preset: &'static str,
    pub measure: Measure,
    /// What `at` counts.
    pub axis: &'static str,
    pub variants: &'static [Variant],
}

const fn experts(name: &'static str, at: u32, sets: &'static [&'static str]) -> Variant {
    Variant { name, at: Some(at), sets, seeds: 3 }
}

/// All studies.
pub const STUDIES: &[Study] = &[
    translation::M4,
    Study {
        name: "switch-figure-12",
        about: "Switch Transformer, figures 4 and 12: more experts at equal flops per token learn faster",
        preset: "switch-figure-12",
        measure: Measure::HeldOut,
        axis: "experts",
        variants: &[
            Variant { name: "dense", at: None, sets: &["model.experts=0"], seeds: 3 },
            experts("1 expert", 1, &["model.experts=1"]),
            experts("2 experts", 2, &["model.experts=2"]),
            experts("4 experts", 4, &["model.experts=4"]),
            experts("8 experts", 8, &["model.experts=8"]),
            experts("16 experts", 16, &["model.experts=16"]),
        ],
    },
];

/// A point of a run's curve on held-out text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    pub step: u64,
    /// Seconds of training, evaluations not counted.
    pub seconds: f64,
    pub nll: f64,
}

/// What one run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct RunResult {
    pub variant: String,
    pub seed: u64,
    /// Held out, at the end.
    pub nll: f64,
    pub accuracy: f64,
    pub seconds: f64,
    /// Of processors, evaluations and what else there is between steps included; 0 if nobody knows.
    pub cpu_seconds: f64,
    pub parameters: u64,
    /// Places for tokens in a batch, of both sides.
    pub tokens: u64,
    /// Of the source that it ran from.
    pub commit: String,
    pub curve: Vec<Point>,
}

/// The study of a name.
pub fn study(name: &str) -> Result<&'static Study, Diagnostic> {
    STUDIES.iter().find(|study| study.name == name).ok_or_else(|| {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        let help = nearest::suggest(name, names.iter().copied())
            .unwrap_or_else(|| format!("what can be reproduced is {}", names.join(", ")));
        Diagnostic::error(NO_STUDY, format!("there is no study `{name}`")).help(help)
    })
}

impl Study {
    /// Every run of it: all variants of a seed before the next seed, so that an early end leaves a comparison.
    pub fn rows(&self) -> Vec<(&'static Variant, u64)> {
        let most = self.variants.iter().map(|variant| variant.seeds).max().unwrap_or(0);
        let of = |seed| self.variants.iter().filter(move |variant| seed <= variant.seeds);
        (1..=most).flat_map(|seed| of(seed).map(move |variant| (variant, seed))).collect()
    }
}

impl RunResult {
    pub fn to_json(&self) -> Value {
        let curve: Vec<Value> =
            self.curve.iter().map(|point| json!([point.step, point.seconds, point.nll])).collect();
        json!({
            "variant": self.variant, "seed": self.seed, "nll": self.nll, "accuracy": self.accuracy,
            "seconds": self.seconds, "cpu_seconds": self.cpu_seconds, "parameters": self.parameters,
            "tokens": self.tokens, "commit": self.commit, "curve": curve,
        })
    }

    /// `None` if it is not what [`to_json`](RunResult::to_json) gives.
    pub fn of_json(value: &Value) -> Option<RunResult> {
        let point = |point: &Value| {
            let (step, seconds, nll) = (point[0].as_u64()?, point[1].as_f64()?, point[2].as_f64()?);
            Some(Point { step, seconds, nll })
        };
        Some(RunResult {
            variant: value["variant"].as_str()?.to_string(),
            seed: value["seed"].as_u64()?,
            nll: value["nll"].as_f64()?,
            accuracy: value["accuracy"].as_f64()?,
            seconds: value["seconds"].as_f64()?,
            // Runs of older versions lack these.
            cpu_seconds: value["cpu_seconds"].as_f64().unwrap_or(0.0),
            parameters: value["parameters"].as_u64().unwrap_or(0),
            tokens: value["tokens"].as_u64().unwrap_or(0),
            commit: value["commit"].as_str()?.to_string(),
            curve: value["curve"].as_array()?.iter().map(point).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::preset::preset;

    #[test]
    fn every_row_of_every_study_is_a_sound_configuration() {
        for study in STUDIES {
            for (variant, _) in study.rows() {
                let mut config = Config::read(&preset(study.preset).unwrap()).unwrap();
                variant.sets.iter().for_each(|set| config.set(set).unwrap());
                let found = config.check();
                assert!(found.is_empty(), "{} {}: {found:?}", study.name, variant.name);
            }
        }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let curve = vec![Point { step: 5, seconds: 0.25, nll: 3.5 }];
        let row = RunResult {
            variant: "dense".into(),
            seed: 2,
            nll: 2.5,
            accuracy: 0.5,
            seconds: 1.0,
            cpu_seconds: 1.5,
            parameters: 7,
            tokens: 64,
            commit: "abc".into(),
            curve,
        };
        assert_eq!(RunResult::of_json(&row.to_json()), Some(row));
        assert_eq!(RunResult::of_json(&json!({"variant": "dense"})), None);
        assert!(study("switch-figure-11").unwrap_err().help.unwrap().contains("switch-figure-12"));
    }
}
