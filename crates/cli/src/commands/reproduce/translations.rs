//! What the models of a study make of test sentences: translated by the checkpoints that are kept, as often as it is
//! asked for, and scored; then tables and figures.

use super::{dir_of, result};
use crate::failure::Failure;
use crate::report::Report;
use crate::stages::Programs;
use crate::train_args::ReproduceArgs;
use crate::training::{devices, ended_by, no_checkpoint, on_host};
use crate::watching::Shown;
use meshwright_base::arrange::Arrange;
use meshwright_runtime::interrupt;
use meshwright_train::Config;
use meshwright_train::checkpoint::Checkpoint;
use meshwright_train::data::corpus::{Document, Tests, marked, tests};
use meshwright_train::data::source::Source;
use meshwright_train::reproduce::Study;
use meshwright_train::reproduce::translation::{
    OfLanguage, Translated, by_cost, by_language, json, judge, report,
};
use meshwright_train::run::{self, Choice, Error, Generator, Host, RunDir, TrainingPlan, Watch};
use meshwright_train::score::Scores;
use serde_json::Value;

const SCORES: &str = "translations.json";

/// Sentences that are worked on together.
const TOGETHER: usize = 50;

/// Tokens of a source and of a translation, at most. Windows are computed whole: short ones cost less.
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
    let plan = TrainingPlan::of(&config, source.vocabularies()).map_err(ended_by)?;
    let mut all = tests(&args.data, args.lines as usize).map_err(ended_by)?;
    let languages = &config.data.languages;
    all.retain(|one| languages.is_empty() || languages.contains(&one.language));
    let count = devices(&config, &args.host)?;
    let made = on_host(&args.host, count, programs, |host| {
        let mut model = Model::load(&plan, &mut checkpoint, host)?;
        all.iter()
            .map(|one| model.scored(one, &config, &source, dir, host))
            .collect::<Result<Vec<_>, Error>>()
    });
    let made: Value = made.map_err(ended_by)?.iter().map(OfLanguage::to_json).collect();
    dir.write(SCORES, format!("{made:#}\n").as_bytes()).map_err(ended_by)?;
    Ok(())
}

struct Model {
    generator: Generator,
    states: run::States,
}

impl Model {
    fn load(plan: &TrainingPlan, checkpoint: &mut Checkpoint, host: &Host<'_>) -> Result<Model, Error> {
        let generator = Generator::new(plan, TOGETHER, host)?;
        let states = generator.states(checkpoint, host)?;
        Ok(Model { generator, states })
    }

    /// Translates the tests of a language, keeps what came of it beside them, and scores it.
    fn scored(
        &mut self,
        tests: &Tests,
        config: &Config,
        source: &Source,
        dir: &RunDir,
        host: &Host<'_>,
    ) -> Result<OfLanguage, Error> {
        let asked = |one: &Document| {
            let text = if config.data.language_token {
                marked(&tests.language, &one.source)
            } else {
                one.source.clone()
            };
            source.tokenizer().encode(&text)
        };
        let prompts: Vec<Vec<u32>> = tests.documents.iter().map(asked).collect();
        // Sentences of one length are done at about the same time.
        let mut order: Vec<usize> = (0..prompts.len()).collect();
        order.arrange_by_key(|at| (prompts[*at].len(), *at));
        let mut written = vec![String::new(); prompts.len()];
        for some in order.chunks(TOGETHER) {
            let prompts: Vec<Vec<u32>> = some.iter().map(|at| prompts[*at].clone()).collect();
            let limits = (source.end(), config.data.target_length);
            let made = self.generator.run(&self.states, &prompts, limits, Choice::Greedy, host)?;
            for (at, tokens) in some.iter().zip(made) {
                written[*at] = source.target_tokenizer().decode(&tokens).trim().to_string();
            }
        }
        let found = Scores::of(
            written.iter().map(String::as_str).zip(tests.documents.iter().map(|one| &*one.target)),
        );
        let lines = tests.documents.iter().zip(&written);
        let kept: String =
            lines.map(|(one, ours)| format!("{}\t{}\t{ours}\n", one.source, one.target)).collect();
        dir.write(&format!("translations-{}.tsv", tests.language), kept.as_bytes())?;
        let (bleu, chrf) = (found.bleu.score(), found.chrf.score());
        Shown::new(false).note(&format!("{}: BLEU {bleu:.1}, chrF2 {chrf:.1}", tests.language));
        let (language, pairs, lines) = (tests.language.clone(), tests.trained, written.len() as u64);
        Ok(OfLanguage { language, pairs, lines, bleu, chrf })
    }
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
