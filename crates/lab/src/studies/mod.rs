//! Tables and figures of the papers at a size that can be run here: what is run, and what may be said of it.
//!
//! ```text
//! study --rows--> (variant, seed) --runs elsewhere--> RunResult --judge--> means, claims --> Markdown, SVG
//! ```
//!
//! A study is variants by seeds, with claims: a preset, fields set for all, and for each variant more fields, whose
//! weights it begins with, and who teaches it. Nothing here trains or reads a clock; a study is added as an entry of
//! [`studies`]. Studies of one paper that look at the same runs share them by [`Study::runs`].

pub mod checks;
mod claim;
mod figure;
mod judge;
mod outcomes;
mod report;
mod result;
mod switch;
pub mod translation;
pub mod verdict;

pub use claim::{Claim, Outcome, Size, Stated, outcomes};
pub use figure::figure;
pub use judge::{Judged, Spread, judge};
pub use outcomes::{judged, page};
pub use report::report;
pub use result::{BUSY, PartResult, Point, RunResult};
pub use verdict::Verdict;

use meshwright_base::{Code, Diagnostic, nearest};
use verdict::LEAST_PAIRS;

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
    /// The variant with whose weights it begins, of the same seed.
    pub from: Option<&'static str>,
    /// The variant that teaches it, of the same seed.
    pub teacher: Option<&'static str>,
    /// What the paper has in its row.
    pub paper: &'static str,
}

impl Variant {
    pub const fn new(name: &'static str, sets: &'static [&'static str]) -> Variant {
        Variant { name, at: None, sets, seeds: LEAST_PAIRS as u64, from: None, teacher: None, paper: "" }
    }

    const fn at(self, at: u32) -> Variant {
        Variant { at: Some(at), ..self }
    }

    const fn seeds(self, seeds: u64) -> Variant {
        Variant { seeds, ..self }
    }

    const fn from(self, from: &'static str) -> Variant {
        Variant { from: Some(from), ..self }
    }

    const fn taught_by(self, teacher: &'static str) -> Variant {
        Variant { teacher: Some(teacher), ..self }
    }

    const fn paper(self, paper: &'static str) -> Variant {
        Variant { paper, ..self }
    }

    /// The capacity factor that it sets, if it is about that: its runs are judged at it, not at the default of
    /// evaluations.
    pub fn own_capacity(&self) -> Option<f64> {
        let set = self.sets.iter().find_map(|set| set.strip_prefix("model.capacity_factor="));
        set.and_then(|factor| factor.parse().ok())
    }
}

/// What runs are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Negative NLL of held-out text in nats per token: the papers' negative log perplexity.
    HeldOut,
    /// The mean of the peaks of all tasks' scores.
    Answers,
    /// BLEU of what the model makes of test sentences ([`translation`]).
    Translations,
}

impl Measure {
    /// The more, the better.
    pub fn quality(self, row: &RunResult) -> Option<f64> {
        match self {
            Measure::HeldOut | Measure::Translations => Some(-row.nll).filter(|quality| quality.is_finite()),
            Measure::Answers => row.score,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Measure::HeldOut | Measure::Translations => "held-out NLL",
            Measure::Answers => "score",
        }
    }
}

/// A table or figure.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    pub name: &'static str,
    /// The study whose runs these are: itself, unless it looks at another's.
    pub runs: &'static str,
    /// What the paper shows there.
    pub about: &'static str,
    pub preset: &'static str,
    /// Fields of all variants that differ from the preset.
    pub sets: &'static [&'static str],
    pub measure: Measure,
    /// What `at` counts.
    pub axis: &'static str,
    pub variants: &'static [Variant],
    /// What the numbers are that the paper has beside each variant.
    pub paper: &'static str,
    pub claims: &'static [Stated],
}

/// All studies.
pub fn studies() -> impl Iterator<Item = &'static Study> {
    [&translation::M4].into_iter().chain(switch::STUDIES)
}

/// The study of a name.
pub fn study(name: &str) -> Result<&'static Study, Diagnostic> {
    studies().find(|study| study.name == name).ok_or_else(|| {
        let names: Vec<&str> = studies().map(|study| study.name).collect();
        let help = nearest::suggest(name, names.iter().copied())
            .unwrap_or_else(|| format!("what can be reproduced is {}", names.join(", ")));
        Diagnostic::error(NO_STUDY, format!("there is no study `{name}`")).help(help)
    })
}

impl Study {
    /// Every run of it: all variants of a seed before the next seed, so that an early end leaves a comparison. A
    /// variant stands behind those that it begins with or learns from.
    pub fn rows(&self) -> Vec<(&'static Variant, u64)> {
        let most = self.variants.iter().map(|variant| variant.seeds).max().unwrap_or(0);
        let of = |seed| self.variants.iter().filter(move |variant| seed <= variant.seeds);
        (1..=most).flat_map(|seed| of(seed).map(move |variant| (variant, seed))).collect()
    }

    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// The variants that one needs to be run before it, the first needed first.
    pub fn before(&self, variant: &Variant) -> Vec<&'static Variant> {
        let needed = [variant.from, variant.teacher].into_iter().flatten();
        let mut all: Vec<&'static Variant> = Vec::new();
        for needed in needed.filter_map(|name| self.variant(name)) {
            for one in self.before(needed).into_iter().chain([needed]) {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        all
    }

    /// Whether a claim of it is about time: how fast its variants train is measured by turns then.
    pub fn compares_time(&self) -> bool {
        self.claims.iter().any(|stated| stated.claim.is_of_time())
    }

    /// What a variant sets, in order.
    pub fn sets_of(&self, variant: &Variant) -> impl Iterator<Item = &'static str> {
        self.sets.iter().chain(variant.sets).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_train::Config;
    use meshwright_train::preset::preset;

    #[test]
    fn every_row_of_every_study_is_a_sound_configuration() {
        for study in studies() {
            for variant in study.variants {
                let mut config = Config::read_whole(&preset(study.preset).unwrap()).unwrap();
                config.distill.teacher = variant.teacher.unwrap_or_default().into();
                study.sets_of(variant).for_each(|set| config.set(set).unwrap());
                let found: Vec<_> = config.check().into_iter().filter(|found| found.is_error()).collect();
                assert!(found.is_empty(), "{} {}: {found:?}", study.name, variant.name);
            }
        }
    }

    #[test]
    fn what_a_study_names_is_there() {
        for study in studies() {
            let place = |name: &str| study.variants.iter().position(|variant| variant.name == name);
            for (at, variant) in study.variants.iter().enumerate() {
                assert_eq!(place(variant.name), Some(at), "{} has {} twice", study.name, variant.name);
                for needed in [variant.from, variant.teacher].into_iter().flatten() {
                    let needed = place(needed).expect(needed);
                    assert!(needed < at && study.variants[needed].seeds >= variant.seeds, "{}", variant.name);
                }
            }
            for stated in study.claims {
                for name in stated.claim.variants() {
                    assert!(place(name).is_some(), "{}: {name}", study.name);
                }
            }
            let owner = studies().find(|one| one.name == study.runs).expect(study.runs);
            assert_eq!(owner.runs, owner.name);
            for variant in study.variants {
                assert_eq!(owner.variant(variant.name), Some(variant), "{} {}", study.name, variant.name);
            }
            assert_eq!((owner.preset, owner.sets), (study.preset, study.sets), "{}", study.name);
        }
        assert!(study("switch-figure-9").unwrap_err().help.unwrap().contains("switch-figure-"));
    }

    #[test]
    fn a_variant_of_a_capacity_is_evaluated_at_it() {
        let mut seen = 0;
        for (study, variant) in studies().flat_map(|study| study.variants.iter().map(move |one| (study, one)))
        {
            let Some(own) = variant.own_capacity() else { continue };
            let wanted = format!("model.eval_capacity_factor={own:?}");
            assert!(variant.sets.contains(&&*wanted), "{} {}", study.name, variant.name);
            seen += 1;
        }
        assert!(seen >= 9, "{seen}");
    }

    #[test]
    fn what_is_needed_is_run_before() {
        let study = study("switch-table-8").unwrap();
        let last = study.variants.last().unwrap();
        let names: Vec<&str> = study.before(last).iter().map(|one| one.name).collect();
        assert!(names.len() >= 2 && names[0].contains("pre-trained"), "{names:?}");
    }
}
