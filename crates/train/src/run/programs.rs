//! The programs of a run: first values, evaluation, decoding. (The step is the model's own.)
//!
//! Parameters are called `params.NAME` in all of them and cut by one table, so that what one program holds on the devices
//! another reads where it lies.

use super::plan::Plan;
use meshwright_ir::DType;
use meshwright_nn::layers::attention::wide;
use meshwright_nn::models::switch::{Switch, train_step};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::optim::Slot;
use meshwright_nn::params::{Params, Spec};
use meshwright_nn::tensor::prelude::*;

/// One training step.
pub fn step(plan: &Plan) -> Result<Program, Errors> {
    train_step(&plan.model, &plan.training, &plan.rules)
}

/// All states before the first step, under the names that the step gives them.
pub fn first(plan: &Plan) -> Result<Program, Errors> {
    let dtype = plan.training.dtype;
    trace_with("first", &plan.rules, |_| {
        let specs = plan.model.specs();
        let drawn = specs.draw(Key::seed(plan.seed), dtype).list;
        let mut out = vec![("step".to_string(), scalar(i32, 0))];
        for (spec, (name, value)) in specs.list.iter().zip(drawn) {
            out.push((format!("params.{name}"), placed(value, &names(&spec.dims))));
            out.extend(plan.training.optimizer.slots(spec).into_iter().map(|slot| empty(spec, &slot, dtype)));
        }
        out
    })
}

fn empty(spec: &Spec, slot: &Slot, dtype: DType) -> (String, Tensor) {
    let sizes: Vec<i64> = slot.dims.iter().map(|(_, size)| *size).collect();
    (format!("{}.{}", slot.name, spec.name), placed(zeros(dtype, sizes), &names(&slot.dims)))
}

fn names(dims: &[(&'static str, i64)]) -> Vec<&'static str> {
    dims.iter().map(|(name, _)| *name).collect()
}

/// Cut as the table says of these names. Parameters have four dims at most.
fn placed(x: Tensor, names: &[&str]) -> Tensor {
    match names {
        [a] => x.logical([a]),
        [a, b] => x.logical([a, b]),
        [a, b, c] => x.logical([a, b, c]),
        [a, b, c, d] => x.logical([a, b, c, d]),
        _ => x,
    }
}

/// A batch that nothing is learnt from: `nll` in nats and `accuracy`, means over its tokens, and the experts' counts.
pub fn evaluate(plan: &Plan) -> Result<Program, Errors> {
    let (model, batch, length) = (plan.evaluated(), plan.training.batch, plan.training.length);
    trace_with("evaluate", &plan.rules, |t| {
        let tokens = t.input("tokens", i32, [("batch", batch), ("length", length)]);
        let (logits, counts) = heard(&model, &params(t, plan, &model), tokens.slice((.., 0..length - 1)));
        let asked = tokens.slice((.., 1..length));
        let right = logits.argmax(-1).cast(i32).eq(asked).cast(logits.dtype());
        let mut out = vec![
            ("nll".to_string(), logits.cross_entropy(asked).mean(..)),
            ("accuracy".to_string(), right.mean(..)),
        ];
        for (at, counts) in counts.iter().enumerate() {
            out.push((format!("routed.{at}"), counts.routed));
            out.push((format!("dropped.{at}"), counts.dropped));
        }
        out
    })
}

/// The logits after one place of each of `rows` sequences. What stands behind the place does not count: attention looks
/// back only, and every token finds a place with its expert.
pub fn decode(plan: &Plan, rows: i64) -> Result<Program, Errors> {
    let length = plan.training.length - 1;
    let model = Switch { capacity: Capacity::Unlimited, groups: 1, ..plan.model.clone() };
    trace_with("decode", &plan.rules, |t| {
        let tokens = t.input("tokens", i32, [rows, length]);
        let place = t.input("place", i32, [rows]);
        let (logits, _) = heard(&model, &params(t, plan, &model), tokens);
        let here = place.one_hot(length, logits.dtype());
        vec![("logits".to_string(), einsum("bl,blv->bv", [here, logits]))]
    })
}

fn params(t: Trace, plan: &Plan, model: &Switch) -> Params {
    model.specs().params(t, "params", plan.training.dtype)
}

fn heard(
    model: &Switch,
    params: &Params,
    tokens: Tensor,
) -> (Tensor, Vec<meshwright_nn::moe::route::Counts>) {
    let (logits, _, counts) = model.logits(params, tokens, None);
    (logits.cast(wide(model.compute)), counts)
}
