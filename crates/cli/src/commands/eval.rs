//! `meshwright eval`: a checkpoint on what is held out: text, or images and sound with some examples to look at.

mod bleu;

use crate::failure::Failure;
use crate::languages::Reader;
use crate::report::Report;
use crate::train_args::EvalArgs;
use crate::training::{as_text, ended_by, judged, mesh_text, on_devices, opened_to_judge};
use meshwright_base::Diagnostic;
use meshwright_base::units::count;
use meshwright_train::config::Task;
use meshwright_train::run::{self, Amount, Answered, Evaluation, Figure, OfPart, Picture, RunDir, TextNet};
use serde_json::{Value, json};

pub fn eval(args: &EvalArgs) -> Result<Report, Failure> {
    if let Some(split) = &args.bleu {
        let mut model = as_text(&args.model.dir, opened_to_judge(&args.model, &args.host)?)?;
        args.languages.drawn(Reader::of(&mut model))?;
        return bleu::bleu(args, split, model);
    }
    if let Some(dir) = &args.pictures {
        run::check_pictures(dir).map_err(ended_by)?;
    }
    let mut model = opened_to_judge(&args.model, &args.host)?;
    let has_encoder = matches!(model.plan.model.text(), Some(TextNet::Pair(_)));
    match model.feed.text_mut() {
        Some(source) => {
            let is_learnt = model.step > 0;
            args.languages.drawn(Reader { config: &model.config, source, is_learnt, has_encoder })?;
        }
        None => args.languages.none()?,
    }
    let mut amount = Amount::of(&model.config);
    amount.batches = args.batches.unwrap_or(amount.batches);
    let (plan, feed, weights) = (&model.plan, &mut model.feed, &mut *model.weights);
    let found = on_devices(&args.host, args.model.backend, model.devices, |host| {
        let found = run::evaluate(plan, feed, weights, amount, host).map_err(ended_by)?;
        let shown = run::looked_at(plan, feed, weights, host).map_err(ended_by)?;
        Ok((found, shown))
    })?;
    let Some((found, shown)) = found else { return Ok(Report::elsewhere()) };
    let step = model.step;
    let places = model.config.data.task.places();
    let text = format!(
        "step {step}: NLL {:.6} nats per {}, accuracy {:.2}% of {} {places}, {}\nevaluated on {} from {}\n{}",
        found.nll,
        places.trim_end_matches('s'),
        found.accuracy * 100.0,
        found.tokens,
        mesh_text(&model.config.mesh.axes),
        by(&found, amount.batches, model.config.data.batch),
        judged(&model.config),
        experts(&found)
            + &figures(model.config.data.task, &found.figures)
            + &by_part(&found.parts)
            + &by_task(&found.answers)
            + &samples(model.config.data.task, &shown.samples)
            + &drawn(args, &shown.pictures)?
    );
    let report = Report { notes: model.notes, ..Report::new(text) };
    Ok(report
        .with("step", step)
        .with("judged", judged(&model.config))
        .with("nll", json!(found.nll))
        .with("accuracy", json!(found.accuracy))
        .with("tokens", found.tokens)
        .with("examples", json!(found.examples))
        .with("figures", figures_as_json(&found.figures))
        .with("parts", parts(&found.parts))
        .with("answers", answers(&found.answers))
        .with("samples", samples_as_json(&shown.samples))
        .with("load_entropy", json!(found.experts.map(|experts| experts.entropy)))
        .with("drop_rate", json!(found.experts.map(|experts| experts.drop_rate))))
}

/// `40 held-out examples`, each once; or `8 batches of 64 rows` where there is no end to them.
fn by(found: &Evaluation, count: u64, rows: usize) -> String {
    match found.examples {
        Some(1) => "1 held-out example".to_string(),
        Some(examples) => format!("{examples} held-out examples"),
        None => batches(count, rows),
    }
}

/// `8 batches of 64 rows`
fn batches(count: u64, rows: usize) -> String {
    let batches = if count == 1 { "batch" } else { "batches" };
    format!("{count} {batches} of {rows} rows")
}

/// Writes pictures where they are asked for, and says so.
fn drawn(args: &EvalArgs, pictures: &[Picture]) -> Result<String, Failure> {
    let Some(dir) = &args.pictures else { return Ok(String::new()) };
    let into = RunDir::new(dir.clone());
    let help = "make room, or name another directory with `--pictures`";
    let full = |found: Diagnostic| Diagnostic { help: Some(help.into()), ..found };
    let written = pictures.iter().map(|one| into.write(&one.file, one.svg.as_bytes()).map_err(full));
    let written = written.collect::<Result<Vec<_>, _>>().map_err(ended_by)?;
    if written.is_empty() {
        return Ok("pictures: none, this task has no images\n".to_string());
    }
    let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    Ok(format!("pictures: {}\n", names.join(", ")))
}

/// Examples in a line each, beside what is right.
pub fn samples(task: Task, samples: &[run::Sample]) -> String {
    if samples.is_empty() {
        return String::new();
    }
    let mut text = format!("samples: {}\n", run::summary(task, samples));
    for sample in samples {
        let (written, marked) = (sample.written.trim(), &sample.marked);
        let told = if sample.is_right() { "correct".to_string() } else { format!("expected: {marked}") };
        text += &format!("  {} -> {written}   ({told})\n", sample.prompt);
    }
    if !task.of_text() || samples.iter().all(run::Sample::is_right) {
        text
    } else {
        text + "  [..] marks expected text that the model gets wrong under teacher forcing\n"
    }
}

/// The same as JSON.
pub fn samples_as_json(samples: &[run::Sample]) -> Vec<Value> {
    let one = |one: &run::Sample| {
        json!({ "prompt": one.prompt, "written": one.written, "expected": one.expected,
                "tokens": one.tokens, "tokens_right": one.right })
    };
    samples.iter().map(one).collect()
}

/// `  dice  0.9312  (baseline, one class everywhere: 0.2210)`, a line for each figure, with the best constant answer.
pub fn figures(task: Task, figures: &[Figure]) -> String {
    let beside = match task {
        Task::Classify => "one class always",
        Task::Speech => "one label always",
        Task::Segment | Task::Spans | Task::Translate | Task::Next => "one class everywhere",
    };
    let width = figures.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    let line = |one: &Figure| {
        format!("  {:width$}  {:.4}  (baseline, {beside}: {:.4})\n", one.name, one.value, one.trivial)
    };
    figures.iter().map(line).collect()
}

/// The same as JSON.
pub fn figures_as_json(figures: &[Figure]) -> Vec<Value> {
    figures
        .iter()
        .map(|one| json!({ "name": one.name, "value": one.value, "trivial": one.trivial }))
        .collect()
}

/// `  de  NLL 0.0512  accuracy 98.1% of 412 tokens`, a line for each part; nothing for a corpus of one.
pub fn by_part(parts: &[OfPart]) -> String {
    let width = parts.iter().map(|part| part.name.chars().count()).max().unwrap_or(0);
    let line = |part: &OfPart| {
        let (name, percent) = (&part.name, part.accuracy * 100.0);
        format!("  {name:width$}  NLL {:.4}  accuracy {percent:5.1}% of {} tokens\n", part.nll, part.tokens)
    };
    parts.iter().map(line).collect()
}

/// `  inference  accuracy 81.3 on 32 questions`, a line for each task that was asked.
pub fn by_task(answers: &[Answered]) -> String {
    let width = answers.iter().map(|one| one.part.chars().count()).max().unwrap_or(0);
    let line = |one: &Answered| {
        let (part, name, percent) = (&one.part, one.metric_name(), one.score() * 100.0);
        format!("  {part:width$}  {name} {percent:.1} on {}\n", count(one.questions, "question"))
    };
    let mean =
        run::score(answers).map(|mean| format!("answers: mean score {:.1} over tasks\n", mean * 100.0));
    mean.into_iter().chain(answers.iter().map(line)).collect()
}

/// The same as JSON.
pub fn answers(answers: &[Answered]) -> Vec<Value> {
    let one = |one: &Answered| {
        let metrics: serde_json::Map<String, Value> =
            one.answer.named().map(|(name, value)| (name.to_string(), json!(value))).into_iter().collect();
        json!({ "name": one.part, "metric": one.metric_name(), "score": one.score(),
                "questions": one.questions, "metrics": metrics })
    };
    answers.iter().map(one).collect()
}

/// The same as JSON.
pub fn parts(parts: &[OfPart]) -> Vec<Value> {
    let one = |part: &OfPart| json!({ "name": part.name, "nll": part.nll, "accuracy": part.accuracy, "tokens": part.tokens });
    parts.iter().map(one).collect()
}

fn experts(found: &Evaluation) -> String {
    found.experts.map_or(String::new(), |experts| {
        let (entropy, drops) = (experts.entropy, experts.drop_rate * 100.0);
        format!("experts: load entropy {entropy:.3} (1 is balanced), {drops:.2}% of tokens dropped\n")
    })
}
