//! What the models of a study make of test sentences: translated by the checkpoints that are kept, as often as it is
//! asked for, and scored; then tables and figures.

use super::{dir_of, result};
use crate::studies::Study;
use crate::studies::translation::{OfLanguage, Translated, by_cost, by_language, json, judge, report};
use meshwright_cli::failure::Failure;
use meshwright_cli::report::Report;
use meshwright_cli::stages::Programs;
use meshwright_cli::train_args::ReproduceArgs;
use meshwright_cli::training::{devices, ended_by, no_checkpoint, on_host};
use meshwright_cli::watching::Shown;
use meshwright_runtime::interrupt;
use meshwright_train::Config;
use meshwright_train::checkpoint::Checkpoint;
use meshwright_train::data::corpus::{Document, Tests, marked, tests};
use meshwright_train::data::sentences::Sentences;
use meshwright_train::run::{
    self, NextToken, Room, RunDir, Scored, Search, TrainingPlan, Translating, Watch,
};
use serde_json::Value;

const SCORES: &str = "translations.json";

/// The likeliest token each time, for so many sentences at a time.
const GREEDY: Translating =
    Translating { rows: 64, room: Room::Unlimited, search: Search::One(NextToken::Likeliest), most: None };

/// Tokens of a source and of a translation, at most: shapes are those of the longest.
const WINDOWS: [usize; 2] = [48, 32];

/// Translates tests with a run's newest checkpoint and keeps translations and scores, unless that was done.
pub fn make(dir: &RunDir, programs: &Programs, args: &ReproduceArgs) -> Result<(), Failure> {
    if interrupt::wished().is_some() || !args.again && scores(dir).is_some() {
        return Ok(());
    }
    let saved = run::find(&dir.root).map_err(ended_by)?;
    let Some(path) = saved.checkpoint else { return Err(no_checkpoint(&dir.root)) };
    let mut config = saved.config;
    config.data.files = vec![args.data.display().to_string()];
    config.data.input_length = config.data.input_length.min(WINDOWS[0]);
    config.data.target_length = config.data.target_length.min(WINDOWS[1]);
    let mut checkpoint = Checkpoint::open(&path).map_err(ended_by)?;
    let source = run::open_source(&config, dir).map_err(ended_by)?;
    let plan = TrainingPlan::of(&config, source.vocabularies()).map_err(ended_by)?.text();
    let Some(plan) = plan else { return Err(no_checkpoint(&dir.root)) };
    let mut all = tests(&args.data, args.lines as usize).map_err(ended_by)?;
    let languages = &config.data.languages;
    all.retain(|one| languages.is_empty() || languages.contains(&one.language));
    let count = devices(&config, &args.host)?;
    let sentences: Vec<Sentences> = all.iter().map(|one| asked(one, &config)).collect();
    let made = on_host(&args.host, count, programs, |host| {
        run::scored(&plan, &source, &mut checkpoint, &sentences, &GREEDY, host)
    });
    let made = made.map_err(ended_by)?;
    let kept: Vec<OfLanguage> =
        all.iter().zip(&made).map(|(tests, made)| keep(tests, made, dir)).collect::<Result<_, _>>()?;
    let kept: Value = kept.iter().map(OfLanguage::to_json).collect();
    dir.write(SCORES, format!("{kept:#}\n").as_bytes()).map_err(ended_by)?;
    Ok(())
}

/// Tests as a model reads them.
fn asked(tests: &Tests, config: &Config) -> Sentences {
    let is_marked = config.data.language_token;
    let source = |one: &Document| {
        if is_marked { marked(&tests.language, &one.source) } else { one.source.clone() }
    };
    let one = |one: &Document| Document { source: source(one), target: one.target.clone() };
    Sentences { language: tests.language.clone(), documents: tests.documents.iter().map(one).collect() }
}

/// Keeps the translations of a language beside its tests.
fn keep(tests: &Tests, made: &Scored, dir: &RunDir) -> Result<OfLanguage, Failure> {
    let lines = tests.documents.iter().zip(&made.translations);
    let kept: String = lines.map(|(one, ours)| format!("{}\t{}\t{ours}\n", one.source, one.target)).collect();
    dir.write(&format!("translations-{}.tsv", tests.language), kept.as_bytes()).map_err(ended_by)?;
    let (bleu, chrf) = (made.scores.bleu.score(), made.scores.chrf.score());
    Shown::new(false).note(&format!("{}: BLEU {bleu:.1}, chrF2 {chrf:.1}", tests.language));
    let (language, lines) = (tests.language.clone(), made.translations.len() as u64);
    Ok(OfLanguage { language, pairs: tests.trained, lines, bleu, chrf })
}

/// What was found before.
fn scores(dir: &RunDir) -> Option<Vec<OfLanguage>> {
    let text = std::fs::read_to_string(dir.root.join(SCORES)).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    value.as_array()?.iter().map(OfLanguage::of_json).collect()
}

/// Tables and figures of the runs that are there.
pub fn told(study: &'static Study, out: &RunDir) -> Result<Report, Failure> {
    let found = |(variant, seed)| {
        let dir = dir_of(out, variant, seed);
        Some(Translated { run: result(&dir)?, languages: scores(&dir).unwrap_or_default() })
    };
    let rows: Vec<Translated> = study.rows().into_iter().filter_map(found).collect();
    let table = judge(study, &rows);
    let text = report(&table, &rows);
    let numbers = json(&rows);
    let written = out.write("report.md", text.as_bytes()).map_err(ended_by)?;
    for (name, bytes) in [
        ("figure.svg", by_language(&table)),
        ("cost.svg", by_cost(&table)),
        ("numbers.json", format!("{numbers:#}\n")),
    ] {
        out.write(name, bytes.as_bytes()).map_err(ended_by)?;
    }
    let folder = out.root.display();
    let shown = format!(
        "{text}\nreport: {}\nfigures and numbers: {folder}/figure.svg, cost.svg, numbers.json\n",
        written.display()
    );
    Ok(Report::new(shown)
        .with("runs", rows.len())
        .with("numbers", numbers)
        .with("report", written.display().to_string()))
}
