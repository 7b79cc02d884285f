//! GShard's M4 in small: what a model of many languages gains over a model of each, by experts and by depth.
//!
//! ```text
//! run --checkpoint--> translations of test sentences --score--> Translated --judge--> tables 2 and 3, figures 1 and 6
//! ```
//!
//! All runs see equally many tokens. "1 expert" is one of twice the width, so that a token costs what it costs where it
//! goes through two. What is said of two variants holds beyond the noise of seeds or is not said.

mod figure;
mod judge;
mod report;

pub use figure::{by_cost, by_language};
pub use judge::{Judged, Table, judge};
pub use report::{json, report};

use super::{Measure, RunResult, Study, Variant};
use serde_json::{Value, json};

/// Languages from the one with the most pairs to the one with the fewest.
pub const LANGUAGES: [&str; 8] = ["de", "fr", "pl", "es", "ja", "it", "nl", "sv"];

/// How the corpus of the study is made.
pub const CORPUS_COMMAND: &str =
    "meshwright data m4 --languages de,fr,pl,es,ja,it,nl,sv --skew 1.2 --words 8";

/// GShard, section 4: figures 1 and 6, tables 2 and 3.
pub const M4: Study = Study {
    name: "gshard-m4",
    runs: "gshard-m4",
    sets: &[],
    paper: "",
    claims: &[],
    about: "GShard, figures 1 and 6, tables 2 and 3: more experts and more layers translate many languages better",
    preset: "gshard-m4-dense",
    measure: Measure::Translations,
    axis: "experts",
    variants: &[
        moe("1e-4l", 1, 3, &[ONE[0], ONE[1], ONE[2], ONE[3], ONE[4], GROUP]),
        moe("4e-4l", 4, 1, &["model.experts=4", TWO[0], TWO[1], GROUP]),
        moe("16e-4l", 16, 3, &["model.experts=16", TWO[0], TWO[1], GROUP]),
        alone("de alone", &["data.languages=[\"de\"]"]),
        alone("fr alone", &["data.languages=[\"fr\"]"]),
        alone("pl alone", &["data.languages=[\"pl\"]"]),
        alone("es alone", &["data.languages=[\"es\"]"]),
        alone("ja alone", &["data.languages=[\"ja\"]"]),
        alone("it alone", &["data.languages=[\"it\"]"]),
        alone("nl alone", &["data.languages=[\"nl\"]"]),
        alone("sv alone", &["data.languages=[\"sv\"]"]),
        moe("1e-12l", 1, 1, &[ONE[0], ONE[1], ONE[2], ONE[3], ONE[4], GROUP, DEEP]),
        moe("4e-12l", 4, 1, &["model.experts=4", TWO[0], TWO[1], GROUP, DEEP]),
        moe("16e-12l", 16, 1, &["model.experts=16", TWO[0], TWO[1], GROUP, DEEP]),
        Variant::new("dense-20l", &["model.layers=10"]).seeds(1),
    ],
};

/// One expert, which each token goes through once: as wide as two of the others.
const ONE: [&str; 5] = [
    "model.experts=1",
    "model.expert_ff=512",
    "model.explore=argmax",
    "model.capacity_factor=1.0",
    "model.eval_capacity_factor=1.0",
];
/// Two experts for each token, as GShard has it.
const TWO: [&str; 2] = ["model.routing=gshard", "model.capacity_rule=gshard"];
const GROUP: &str = "model.group_size=512";
/// Three times the layers.
const DEEP: &str = "model.layers=6";

const fn moe(name: &'static str, at: u32, seeds: u64, sets: &'static [&'static str]) -> Variant {
    Variant::new(name, sets).at(at).seeds(seeds)
}

/// A dense model of one language.
const fn alone(name: &'static str, sets: &'static [&'static str]) -> Variant {
    Variant::new(name, sets).seeds(1)
}

/// The language of a bilingual variant.
pub fn language_of(variant: &str) -> Option<&str> {
    variant.strip_suffix(" alone")
}

/// What a model's translations of a language's test sentences came to.
#[derive(Clone, PartialEq, Debug)]
pub struct OfLanguage {
    pub language: String,
    /// Pairs that it has for training.
    pub pairs: u64,
    /// Test sentences.
    pub lines: u64,
    pub bleu: f64,
    pub chrf: f64,
}

impl OfLanguage {
    pub fn to_json(&self) -> Value {
        json!({
            "language": self.language, "pairs": self.pairs, "lines": self.lines, "bleu": self.bleu,
            "chrf2": self.chrf,
        })
    }

    /// `None` if it is not what [`to_json`](OfLanguage::to_json) gives.
    pub fn of_json(value: &Value) -> Option<OfLanguage> {
        Some(OfLanguage {
            language: value["language"].as_str()?.to_string(),
            pairs: value["pairs"].as_u64()?,
            lines: value["lines"].as_u64()?,
            bleu: value["bleu"].as_f64()?,
            chrf: value["chrf2"].as_f64()?,
        })
    }
}

/// A run, and what its model makes of tests; nothing, if it has not been asked yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Translated {
    pub run: RunResult,
    pub languages: Vec<OfLanguage>,
}

impl Translated {
    /// The mean of a score over some languages; no number, if one of them is not there.
    pub fn mean(&self, languages: &[&str], score: impl Fn(&OfLanguage) -> f64) -> f64 {
        let of = |name: &&str| self.languages.iter().find(|one| one.language == **name).map(&score);
        let all: Option<Vec<f64>> = languages.iter().map(of).collect();
        match all {
            Some(all) if !all.is_empty() => all.iter().sum::<f64>() / all.len() as f64,
            _ => f64::NAN,
        }
    }
}
