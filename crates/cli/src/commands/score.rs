//! `meshwright score`: how near systems' translations come to a reference, as BLEU and chrF2 of sacreBLEU.

use crate::failure::{Failure, Fault};
use crate::input;
use crate::output::is_stdout;
use crate::report::Report;
use crate::train_args::ScoreArgs;
use meshwright_base::{Code, Diagnostic, SourceText};
use meshwright_train::score::{Bleu, Chrf, Scores};
use serde_json::{Value, json};
use std::path::PathBuf;

const LINES: Code = Code(1160);
const STDIN: Code = Code(1161);

/// A system by the file of its translations.
struct System {
    name: String,
    scores: Scores,
}

pub fn score(args: &ScoreArgs) -> Result<Report, Failure> {
    let paths: Vec<&PathBuf> = [&args.reference].into_iter().chain(&args.translations).collect();
    let stdins = paths.iter().filter(|path| is_stdout(path)).count();
    if stdins > 1 {
        let message = format!("`-` stands {stdins} times: standard input can be read once");
        let diagnostic = Diagnostic::error(STDIN, message).help("name files for the others");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let reference = lines(&args.reference)?;
    let systems: Vec<System> =
        args.translations.iter().map(|path| system(path, &reference)).collect::<Result<_, _>>()?;
    let count = reference.text.lines().count();
    Ok(Report::new(table(&systems, &reference.name, count))
        .with("reference", reference.name.clone())
        .with("lines", count)
        .with("signatures", json!({ "bleu": Bleu::SIGNATURE, "chrf2": Chrf::SIGNATURE }))
        .with("systems", systems.iter().map(row).collect::<Vec<Value>>()))
}

fn lines(path: &std::path::Path) -> Result<SourceText, Failure> {
    let text = input::read_lines(path)?;
    if text.text.is_empty() {
        let diagnostic = Diagnostic::error(LINES, format!("`{}` has no lines", text.name))
            .help("write one sentence a line; one that has no translation is an empty line");
        return Err(Failure::input(diagnostic));
    }
    Ok(text)
}

fn system(path: &std::path::Path, reference: &SourceText) -> Result<System, Failure> {
    let text = lines(path)?;
    let counts = [&text, reference].map(|text| text.text.lines().count());
    if counts[0] != counts[1] {
        let message = format!(
            "`{}` has {} lines, and the reference `{}` has {}",
            text.name, counts[0], reference.name, counts[1]
        );
        let help = "line n of one is held against line n of the other; write an empty line where there is no translation";
        return Err(Failure::input(Diagnostic::error(LINES, message).help(help)));
    }
    let scores = Scores::of(text.text.lines().zip(reference.text.lines()));
    Ok(System { name: text.name, scores })
}

fn table(systems: &[System], reference: &str, lines: usize) -> String {
    let width = systems.iter().map(|system| system.name.chars().count()).max().unwrap_or(0);
    let head = format!("{:width$}    BLEU   chrF2  1 to 4 words, %          brevity     words\n", "");
    let rows = systems.iter().map(|System { name, scores }| {
        let Scores { bleu, chrf } = scores;
        let shares = bleu.precisions().map(|share| format!("{share:5.1}")).join(" ");
        format!(
            "{name:width$}  {:6.2}  {:6.2}  {shares}    {:5.3}  {:8}\n",
            bleu.score(),
            chrf.score(),
            bleu.brevity(),
            bleu.translated()
        )
    });
    let words = systems.first().map_or(0, |system| system.scores.bleu.expected());
    let signatures = format!("BLEU:  {}\nchrF2: {}\n", Bleu::SIGNATURE, Chrf::SIGNATURE);
    format!(
        "{head}{}reference: {reference}, {lines} lines, {words} words\n{signatures}",
        rows.collect::<String>()
    )
}

fn row(System { name, scores }: &System) -> Value {
    let Scores { bleu, chrf } = scores;
    json!({
        "system": name, "bleu": bleu.score(), "chrf2": chrf.score(), "precisions": bleu.precisions(),
        "brevity": bleu.brevity(), "words": bleu.translated(), "reference_words": bleu.expected(),
    })
}
