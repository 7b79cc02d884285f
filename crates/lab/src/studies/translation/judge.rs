//! Means over seeds and languages, and which differences are more than seeds make.

use super::{OfLanguage, Translated, language_of};
use crate::studies::judge::first_at;
use crate::studies::{Point, Spread, Study, Variant};
use meshwright_base::arrange::Arrange;

/// A variant over its seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    pub variant: &'static Variant,
    pub runs: Vec<Translated>,
}

/// All that was found, by variant, and the languages in the order of their pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Models of all languages.
    pub models: Vec<Judged>,
    /// Models of one.
    pub baselines: Vec<Judged>,
    /// With the pairs that each has for training.
    pub languages: Vec<(String, u64)>,
}

/// Every variant that has runs, in the order of the study.
pub fn judge(study: &Study, rows: &[Translated]) -> Table {
    let of = |variant: &'static Variant| Judged {
        variant,
        runs: rows.iter().filter(|row| row.run.variant == variant.name).cloned().collect(),
    };
    let all = study.variants.iter().map(of).filter(|one| !one.runs.is_empty());
    let (baselines, models) = all.partition(|one| language_of(one.variant.name).is_some());
    let mut table = Table { models, baselines, languages: Vec::new() };
    table.languages = table.in_order();
    table
}

impl Judged {
    /// The mean over runs that have it.
    pub fn mean(&self, number: impl Fn(&Translated) -> f64) -> Spread {
        let values: Vec<f64> = self.runs.iter().map(number).filter(|value| value.is_finite()).collect();
        Spread::of(&values)
    }

    /// The same; no number, if no run has it.
    pub fn number(&self, number: impl Fn(&Translated) -> f64) -> f64 {
        let found = self.mean(number);
        if found.runs == 0 { f64::NAN } else { found.mean }
    }

    /// BLEU of a language; no number where it was not tested.
    pub fn bleu(&self, language: &str) -> f64 {
        self.number(|run| run.mean(&[language], |one| one.bleu))
    }

    /// Layers of both stacks, by its fields.
    pub fn layers(&self) -> u32 {
        let layers = self.variant.sets.iter().find_map(|set| set.strip_prefix("model.layers="));
        2 * layers.and_then(|layers| layers.parse().ok()).unwrap_or(2)
    }

    /// Steps until held-out NLL is at a level, if it gets there.
    pub fn steps_to(&self, level: f64) -> Option<f64> {
        let reached: Vec<Point> =
            self.runs.iter().filter_map(|run| first_at(&run.run.curve, level)).collect();
        let steps: Vec<f64> = reached.iter().map(|point| point.step as f64).collect();
        (steps.len() == self.runs.len()).then(|| Spread::of(&steps).mean)
    }
}

impl Table {
    fn in_order(&self) -> Vec<(String, u64)> {
        let runs = self.models.iter().chain(&self.baselines).flat_map(|one| &one.runs);
        let mut found: Vec<(String, u64)> = Vec::new();
        for OfLanguage { language, pairs, .. } in runs.flat_map(|run| &run.languages) {
            if !found.iter().any(|(name, _)| name == language) {
                found.push((language.clone(), *pairs));
            }
        }
        found.arrange_by_key(|(name, pairs)| (u64::MAX - pairs, name.clone()));
        found
    }

    /// Names of all languages.
    pub fn names(&self) -> Vec<&str> {
        self.languages.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Languages with the most pairs, with fewer, with the fewest.
    pub fn thirds(&self) -> [Vec<&str>; 3] {
        let names = self.names();
        let count = names.len().max(1);
        std::array::from_fn(|third| {
            let is_in = |at: &usize| at * 3 / count == third;
            (0..names.len()).filter(is_in).map(|at| names[at]).collect()
        })
    }

    /// BLEU of the model of a language alone.
    pub fn baseline(&self, language: &str) -> f64 {
        let found = self.baselines.iter().find(|one| language_of(one.variant.name) == Some(language));
        found.map_or(f64::NAN, |one| one.bleu(language))
    }

    /// The model of so many experts and layers.
    pub fn model(&self, experts: u32, layers: u32) -> Option<&Judged> {
        self.models.iter().find(|one| one.variant.at == Some(experts) && one.layers() == layers)
    }

    /// By how much a number of the second is higher, for each seed that both have.
    pub fn differences(&self, a: &Judged, b: &Judged, number: impl Fn(&Translated) -> f64) -> Vec<f64> {
        let of = |run: &Translated| {
            let other = b.runs.iter().find(|other| other.run.seed == run.run.seed)?;
            Some(number(other) - number(run)).filter(|by| by.is_finite())
        };
        a.runs.iter().filter_map(of).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::studies::RunResult;
    use crate::studies::translation::{LANGUAGES, M4};

    /// A run of a variant whose BLEU falls with the language, plus `more`.
    pub fn row(variant: &str, seed: u64, more: f64) -> Translated {
        let curve = [(0, 6.0), (100, 4.0 - more / 10.0), (200, 3.0 - more / 10.0)];
        let point = |(step, nll): (u64, f64)| Point { step, seconds: step as f64 / 2.0, nll, score: None };
        let run = RunResult {
            variant: variant.into(),
            seed,
            nll: 3.0 - more / 10.0,
            accuracy: 0.5,
            seconds: 100.0,
            cpu_seconds: 180.0,
            parameters: 1_000_000,
            tokens: 8192,
            commit: "abc".into(),
            curve: curve.map(point).to_vec(),
            ..RunResult::default()
        };
        let of = |(at, name): (usize, &&str)| OfLanguage {
            language: name.to_string(),
            pairs: 8000 / (at as u64 + 1),
            lines: 100,
            bleu: 20.0 - at as f64 + more,
            chrf: 40.0,
        };
        let is_tested = |name: &&str| language_of(variant).is_none_or(|own| own == *name);
        let languages = LANGUAGES.iter().enumerate().filter(|(_, name)| is_tested(name)).map(of).collect();
        Translated { run, languages }
    }

    #[test]
    fn variants_are_compared_in_pairs_of_one_seed() {
        let seeds = |name: &'static str, more: f64| {
            (1..=3).map(move |seed| row(name, seed, more + 0.1 * seed as f64))
        };
        let rows: Vec<Translated> =
            seeds("1e-4l", 0.0).chain([row("4e-4l", 1, 0.3), row("16e-4l", 1, 2.0)]).collect();
        let table = judge(&M4, &rows);
        let bleu = |run: &Translated| run.mean(&LANGUAGES, |one| one.bleu);
        let [one, four, sixteen] = [1, 4, 16].map(|experts| table.model(experts, 4).unwrap());
        let near = table.differences(one, four, bleu);
        assert!(near.len() == 1 && (near[0] - 0.2).abs() < 1e-9, "{near:?}");
        assert_eq!(table.differences(one, sixteen, bleu).len(), 1, "only seed 1 is a pair");
        assert_eq!(one.steps_to(2.985), None, "not in every run");
        assert_eq!(four.steps_to(3.97), Some(100.0));
    }

    #[test]
    fn languages_are_in_the_order_of_their_pairs_and_in_thirds() {
        let table = judge(&M4, &[row("fr alone", 1, -3.0), row("4e-4l", 1, 0.0)]);
        assert_eq!(table.names(), LANGUAGES);
        assert_eq!(table.thirds(), [vec!["de", "fr", "pl"], vec!["es", "ja", "it"], vec!["nl", "sv"]]);
        assert_eq!((table.baseline("fr"), table.models[0].bleu("fr")), (16.0, 19.0));
        assert!(table.baseline("de").is_nan());
        assert_eq!((table.models.len(), table.baselines.len()), (1, 1));
    }
}
