//! `meshwright eval`: a checkpoint on held-out text.

use crate::failure::Failure;
use crate::report::Report;
use crate::train_args::EvalArgs;
use crate::training::{ended_by, on_devices, opened, shown_axes};
use meshwright_train::run::{self, Evaluation};
use serde_json::json;

pub fn eval(args: &EvalArgs) -> Result<Report, Failure> {
    let mut model = opened(&args.model, &args.host)?;
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
        experts(&found)
    );
    let report = Report { notes: model.notes, ..Report::new(text) };
    Ok(report
        .with("step", step)
        .with("nll", json!(found.nll))
        .with("accuracy", json!(found.accuracy))
        .with("tokens", found.tokens)
        .with("load_entropy", json!(found.experts.map(|experts| experts.entropy)))
        .with("drop_rate", json!(found.experts.map(|experts| experts.drop_rate))))
}

fn experts(found: &Evaluation) -> String {
    found.experts.map_or(String::new(), |experts| {
        let (entropy, drops) = (experts.entropy, experts.drop_rate * 100.0);
        format!("experts: load entropy {entropy:.3} (1 is even), {drops:.2}% of tokens dropped\n")
    })
}
