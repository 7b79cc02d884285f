//! `meshwright eval DIR --bleu SPLIT`: a checkpoint's translations, scored by language.

use crate::failure::{Failure, Fault};
use crate::report::Report;
use crate::train_args::EvalArgs;
use crate::training::{OpenedText, ended_by, on_devices};
use meshwright_base::{Code, Diagnostic};
use meshwright_train::data::sentences::{HELD_OUT, sentences};
use meshwright_train::run::{Scored, TextNet, scored};
use meshwright_train::score::{Bleu, Chrf};
use serde_json::{Value, json};

const NO_SENTENCES: Code = Code(1174);

pub fn bleu(args: &EvalArgs, split: &str, mut model: OpenedText) -> Result<Report, Failure> {
    if matches!(model.plan.model, TextNet::Language(_)) {
        let message = format!("the model in `{}` has no encoder to read a source", args.model.dir.display());
        let help = "leave out `--bleu`, or train a translator: `meshwright train gshard-tiny`";
        return Err(Failure::input(Diagnostic::error(NO_SENTENCES, message).help(help)));
    }
    let all = sentences(&model.config, &mut model.feed, split, args.sentences as usize).map_err(ended_by)?;
    if all.is_empty() {
        let message = format!("the corpus has no sentences of the split `{split}`");
        let help = format!("take `{HELD_OUT}`, or `test` of a folder that `meshwright data m4` wrote");
        return Err(Failure::new(Fault::Usage, Diagnostic::error(NO_SENTENCES, message).help(help)));
    }
    let how = args.search.translating();
    let (plan, source, weights) = (&model.plan, &model.feed, &mut *model.weights);
    let found = on_devices(&args.host, args.model.backend, model.devices, |host| {
        scored(plan, source, weights, &all, &how, host).map_err(ended_by)
    })?;
    let Some(found) = found else { return Ok(Report::elsewhere()) };
    let step = model.step;
    let head = format!("step {step}, split `{split}`: {}\n", args.search.shown());
    Ok(Report { notes: model.notes, ..Report::new(head + &table(&found)) }
        .with("step", step)
        .with("split", split)
        .with("search", args.search.shown())
        .with("signatures", json!({ "bleu": Bleu::SIGNATURE, "chrf2": Chrf::SIGNATURE }))
        .with("languages", found.iter().map(row).collect::<Vec<Value>>())
        .with("mean", json!({ "bleu": mean(&found, bleu_of), "chrf2": mean(&found, chrf_of) })))
}

fn bleu_of(one: &Scored) -> f64 {
    one.scores.bleu.score()
}

fn chrf_of(one: &Scored) -> f64 {
    one.scores.chrf.score()
}

fn mean(all: &[Scored], of: fn(&Scored) -> f64) -> f64 {
    all.iter().map(of).sum::<f64>() / all.len().max(1) as f64
}

fn table(all: &[Scored]) -> String {
    let width = all.iter().map(|one| one.language.chars().count()).max().unwrap_or(0).max(4);
    let line = |name: &str, sentences: String, bleu: f64, chrf: f64, more: String| {
        format!("  {name:width$}  {sentences:>9}  {bleu:6.2}  {chrf:6.2}{more}\n")
    };
    let of = |one: &Scored| {
        let ratio = one.scores.bleu.translated() as f64 / one.scores.bleu.expected().max(1) as f64;
        let more = format!("  {ratio:8.3}  {:5}  {:8}", one.cut, one.too_long);
        line(&one.language, one.translations.len().to_string(), bleu_of(one), chrf_of(one), more)
    };
    let head = format!("  {:width$}  sentences    BLEU   chrF2    length    cut  too long\n", "");
    let last = line("mean", String::new(), mean(all, bleu_of), mean(all, chrf_of), String::new());
    let told = "length: words by those of the reference; cut: without an end; too long: read in part\n";
    head + &all.iter().map(of).collect::<String>() + &last + told
}

fn row(one: &Scored) -> Value {
    let (bleu, chrf) = (&one.scores.bleu, &one.scores.chrf);
    json!({
        "language": one.language, "sentences": one.translations.len(), "bleu": bleu.score(), "chrf2": chrf.score(),
        "brevity": bleu.brevity(), "words": bleu.translated(), "reference_words": bleu.expected(),
        "tokens": one.tokens, "cut": one.cut, "too_long": one.too_long,
    })
}
