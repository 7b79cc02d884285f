//! The programs of a run: first values, evaluation, texts foretold. (The step is the model's own, decoding is in
//! [`decoding`](super::decoding).)
//!
//! Parameters are called `params.NAME` in all of them and cut by one table, so that what one program holds on the
//! devices another reads where it lies.

use super::net::Net;
use super::plan::TrainingPlan;
use meshwright_nn::models::step::{Model, batch_inputs, train_step};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::layer::Gate;
use meshwright_nn::optim::laid;
use meshwright_nn::optim::stored::widened;
use meshwright_nn::params::{Params, Spec};
use meshwright_nn::tensor::prelude::*;
use meshwright_runtime::{RunError, RunErrorKind};

/// One training step.
pub fn step(plan: &TrainingPlan) -> Result<Program, Errors> {
    train_step(&plan.model, &plan.training, &plan.rules)
}

/// All states before the first step, under the names that the step gives them.
pub fn first(plan: &TrainingPlan) -> Result<Program, Errors> {
    trace_with("first", &plan.rules, |_| {
        let specs = plan.model.specs();
        let drawn = specs.draw(Key::seed(plan.seed), plan.training.dtype);
        let placed = |(spec, (name, value)): (&Spec, (String, Tensor))| (name, laid(value, spec.names()));
        let drawn = Params { list: specs.list.iter().zip(drawn.list).map(placed).collect() };
        let zeros = plan.training.optimizer.zeros("", &drawn);
        let kept = drawn.list.into_iter().flat_map(|(name, value)| plan.training.stored.kept(&name, value));
        std::iter::once(("step".to_string(), scalar(i32, 0)))
            .chain(kept)
            .chain(zeros.list)
            .collect::<Vec<_>>()
    })
}

/// A batch that nothing is learnt from: `nll` in nats and `accuracy`, means over the tokens that are asked for, how
/// many these are, and the experts' counts. With `parts` of the corpus, of which `parts` tells for each token, also
/// sums by part.
pub fn evaluate(plan: &TrainingPlan, parts: usize) -> Result<Program, Errors> {
    let model = plan.evaluated();
    trace_with("evaluate", &plan.rules, |t| {
        let batch = batch_inputs(t, &model, &plan.training);
        let said = model.said(&params(t, plan, &model), &batch);
        let count = model.predicted(&batch);
        let counted = |x: Tensor| said.counts_as.map_or(x, |counts| counts.select(x, 0.0));
        let right = said.logits.argmax(-1).cast(i32).eq(said.asked).cast(said.logits.dtype());
        let (nats, right) = (counted(said.logits.cross_entropy(said.asked)), counted(right));
        let mut out = vec![
            ("nll".to_string(), nats.sum(..) / count),
            ("accuracy".to_string(), right.sum(..) / count),
            ("asked".to_string(), count),
        ];
        if parts > 0 {
            let dims = [("batch", said.asked.dim(0)), ("length", said.asked.dim(1))];
            let part = t.input("parts", i32, dims);
            let by_part = |x: Tensor| {
                let none = zeros(x.dtype(), [parts]);
                none.scatter_add(part.reshape([-1]), x.reshape([-1])).replicate()
            };
            let sums = [
                ("part_nats", nats),
                ("part_right", right),
                ("part_asked", counted(nats.zeros_like() + 1.0)),
            ];
            out.extend(sums.map(|(name, x)| (name.to_string(), by_part(x))));
        }
        for (at, counts) in said.experts.iter().enumerate() {
            out.push((format!("routed.{at}"), counts.routed));
            out.push((format!("dropped.{at}"), counts.dropped));
        }
        out
    })
}

/// Tensors of texts under way, with their lengths.
pub fn windows(plan: &TrainingPlan) -> Vec<(&'static str, i64)> {
    match &plan.model {
        Net::Language(_) => vec![("tokens", plan.training.length - 1)],
        Net::Pair(model) => vec![("source", plan.training.length), ("target", model.target_length)],
    }
}

/// What the model finds likeliest at every place of `rows` texts, `s32[rows, length]`. Every token finds a place with
/// its expert, and the other texts do not count: each is a group of its own. Where experts choose they have the room of
/// an evaluation: with more, every expert would take every token.
pub fn likeliest(plan: &TrainingPlan, rows: i64) -> Result<Program, Errors> {
    let room = |gate: Gate| if gate.looks_ahead() { plan.eval_capacity } else { Capacity::Unlimited };
    let model = plan.model.unpacked().with_capacity(room, Some(rows));
    trace_with("likeliest", &plan.rules, |t| {
        let one =
            |(name, length): (&'static str, i64)| (name.to_string(), t.input(name, i32, [rows, length]));
        let batch = Params { list: windows(plan).into_iter().map(one).collect() };
        let logits = model.heard(&params(t, plan, &model), &batch);
        vec![("likeliest".to_string(), logits.argmax(-1).replicate())]
    })
}

pub(super) fn params(t: Trace, plan: &TrainingPlan, model: &Net) -> Params {
    let (wide, stored) = (plan.training.dtype, plan.training.stored);
    widened(&model.specs().params(t, "params", stored.dtype(wide)), wide)
}

pub(super) fn no_result() -> RunError {
    RunError::new(RunErrorKind::Unsound, "a program gave no result here")
}
