//! The programs of a run: first values, evaluation, texts foretold. (The step is the model's own, decoding is in
//! [`decoding`](super::decoding).)
//!
//! Parameters are called `params.NAME` in all of them and cut by one table, so that what one program holds on the
//! devices another reads where it lies.

use super::net::{Net, TextNet};
use super::plan::{TextPlan, TrainingPlan};
use super::taught::Taught;
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
    match (&plan.teacher, &plan.model) {
        (Some(teacher), Net::Text(student)) => {
            let taught = Taught { student: (**student).clone(), teacher: teacher.clone(), weights: None };
            train_step(&taught, &plan.training, &plan.rules)
        }
        (_, model) => train_step(model, &plan.training, &plan.rules),
    }
}

/// All states before the first step, under the names that the step gives them.
pub fn first(plan: &TrainingPlan) -> Result<Program, Errors> {
    trace_with("first", &plan.rules, |_| {
        let specs = plan.model.specs();
        let drawn = specs.draw(Key::seed(plan.seed), plan.training.dtype);
        let placed = |(spec, (name, value)): (&Spec, (String, Tensor))| (name, laid(value, spec.names()));
        let drawn: Vec<_> = specs.list.iter().zip(drawn.list).collect();
        let (statistics, weights): (Vec<_>, Vec<_>) =
            drawn.into_iter().partition(|(spec, _)| spec.is_statistic);
        let drawn = Params { list: weights.into_iter().map(placed).collect() };
        let statistics = statistics.into_iter().map(placed);
        let statistics = statistics.map(|(name, value)| (format!("params.{name}"), value));
        let zeros = plan.training.optimizer.zeros("", &drawn);
        let kept = drawn.list.into_iter().flat_map(|(name, value)| plan.training.stored.kept(&name, value));
        std::iter::once(("step".to_string(), scalar(i32, 0)))
            .chain(kept)
            .chain(zeros.list)
            .chain(statistics)
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
        let judged = model.judged(&params(t, plan, &model), &batch);
        let counted = |x: Tensor| judged.counts_as.map_or(x, |counts| counts.select(x, 0.0));
        let count = match judged.counts_as {
            Some(counts) => counts.cast(judged.nats.dtype()).sum(..).maximum(1.0),
            None => model.predicted(&batch),
        };
        let (nats, right) = (counted(judged.nats), counted(judged.right));
        let mut out = vec![
            ("nll".to_string(), nats.sum(..) / count),
            ("accuracy".to_string(), right.sum(..) / count),
            ("asked".to_string(), count),
        ];
        if parts > 0 {
            let dims = [("batch", nats.dim(0)), ("length", nats.dim(1))];
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
        out.extend(judged.sums.iter().map(|(name, x)| (format!("sum.{name}"), x.replicate())));
        for (at, counts) in judged.experts.iter().enumerate() {
            out.push((format!("routed.{at}"), counts.routed));
            out.push((format!("dropped.{at}"), counts.dropped));
        }
        out
    })
}

/// What a model makes of a batch, for those that are looked at: see [`Net::shown`]. None of models of text, which
/// write.
pub fn shown(plan: &TrainingPlan) -> Option<Result<Program, Errors>> {
    let model = plan.evaluated();
    let is_shown = model.text().is_none();
    is_shown.then(|| {
        trace_with("shown", &plan.rules, |t| {
            let batch = batch_inputs(t, &model, &plan.training);
            let found = model.shown(&params(t, plan, &model), &batch);
            found.into_iter().map(|(name, x)| (name.to_string(), x.replicate())).collect::<Vec<_>>()
        })
    })
}

/// Tensors of texts under way, with their lengths.
pub fn windows(plan: &TextPlan) -> Vec<(&'static str, i64)> {
    match &plan.model {
        TextNet::Language(_) => vec![("tokens", plan.training.length - 1)],
        TextNet::Pair(model) => vec![("source", plan.training.length), ("target", model.target_length)],
    }
}

/// What the model finds likeliest at every place of `rows` texts, `s32[rows, length]`. Every token finds a place with
/// its expert, and the other texts do not count: each is a group of its own. Where experts choose they have the room of
/// an evaluation: with more, every expert would take every token.
pub fn likeliest(plan: &TextPlan, rows: i64) -> Result<Program, Errors> {
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

pub(super) fn params<P, M: Model>(t: Trace, plan: &TrainingPlan<P>, model: &M) -> Params {
    let (wide, stored) = (plan.training.dtype, plan.training.stored);
    let (weights, statistics) = model.specs().parted();
    let weights = widened(&weights.params(t, "params", stored.dtype(wide)), wide);
    Params { list: [weights.list, statistics.params(t, "params", wide).list].concat() }
}

pub(super) fn no_result() -> RunError {
    RunError::new(RunErrorKind::Unsound, "a program gave no result here")
}
