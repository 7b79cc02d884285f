//! `meshwright eval`: a checkpoint on held-out text.

mod bleu;

use crate::failure::Failure;
use crate::report::Report;
use crate::train_args::EvalArgs;
use crate::training::{ended_by, on_devices, opened, shown_axes};
use meshwright_train::run::{self, Evaluation, OfPart};
use serde_json::{Value, json};

pub fn eval(args: &EvalArgs) -> Result<Report, Failure> {
    let mut model = opened(&args.model, &args.host)?;
    if let Some(split) = &args.bleu {
        return bleu::bleu(args, split, model);
    }
    let batches = args.batches.unwrap_or(model.config.train.eval_batches);
    let (plan, source, checkpoint) = (&model.plan, &mut model.source, &mut model.checkpoint);
    let found = on_devices(&args.host, args.model.backend, model.devices, |host| {
        run::evaluate(plan, source, checkpoint, batches, host).map_err(ended_by)
    })?;
    let Some(found) = found else { return Ok(Report::elsewhere()) };
    let step = model.checkpoint.state().step;
    let text = format!(
        "step {step}: NLL {:.6} nats per token, accuracy {:.2}%, {} tokens, on {}\n{}",
        found.nll,
        found.accuracy * 100.0,
        found.tokens,
        shown_axes(&model.config.mesh.axes),
        experts(&found) + &by_part(&found.parts)
    );
    let report = Report { notes: model.notes, ..Report::new(text) };
    Ok(report
        .with("step", step)
        .with("nll", json!(found.nll))
        .with("accuracy", json!(found.accuracy))
        .with("tokens", found.tokens)
        .with("parts", parts(&found.parts))
        .with("load_entropy", json!(found.experts.map(|experts| experts.entropy)))
        .with("drop_rate", json!(found.experts.map(|experts| experts.drop_rate))))
}

/// `  de  nll 0.0512  98.1% of 412 tokens`, a line for each part; nothing for a corpus of one.
pub fn by_part(parts: &[OfPart]) -> String {
    let width = parts.iter().map(|part| part.name.chars().count()).max().unwrap_or(0);
    let line = |part: &OfPart| {
        let (name, percent) = (&part.name, part.accuracy * 100.0);
        format!("  {name:width$}  nll {:.4}  {percent:5.1}% of {} tokens\n", part.nll, part.tokens)
    };
    parts.iter().map(line).collect()
}

/// The same as JSON.
pub fn parts(parts: &[OfPart]) -> Vec<Value> {
    let one = |part: &OfPart| json!({ "name": part.name, "nll": part.nll, "accuracy": part.accuracy, "tokens": part.tokens });
    parts.iter().map(one).collect()
}

fn experts(found: &Evaluation) -> String {
    found.experts.map_or(String::new(), |experts| {
        let (entropy, drops) = (experts.entropy, experts.drop_rate * 100.0);
        format!("experts: load entropy {entropy:.3} (1 is even), {drops:.2}% of tokens dropped\n")
    })
}
