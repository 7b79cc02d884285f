//! One training step after another: a batch in, the states replaced in place, what became of it out.

use super::error::Error;
use super::held::Held;
use super::load::{Host, Loaded};
use super::net::field;
use super::state::States;
use crate::data::batch::Batch;
use crate::metrics::load_entropy;
use meshwright_ir::DType;
use meshwright_runtime::{DeviceArray, HostArray};

/// The numbers of a step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Numbers {
    pub loss: f64,
    /// The loss without what balances experts: nats per token.
    pub nll: f64,
    pub gradient_norm: f64,
    pub experts: Option<Experts>,
}

/// Where the tokens of a batch went, over all layers of experts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Experts {
    /// 1 is evenly, 0 all on one; the mean over layers.
    pub entropy: f64,
    /// Share of choices that found no place.
    pub drop_rate: f64,
}

/// Runs the step on a batch. The states of before are used up.
pub fn run(
    step: &mut Loaded,
    states: &mut States,
    batch: &Batch,
    host: &Host<'_>,
) -> Result<Vec<Held>, Error> {
    let names: Vec<String> = step.program.inputs().iter().map(|input| input.name.to_string()).collect();
    let mut args = Vec::new();
    for (at, name) in names.iter().enumerate() {
        args.push(match states.held.contains_key(name) {
            true => states.give(name, &step.input_place(at)?, host)?,
            false => step.feed(at, &field(batch, name), host)?,
        });
    }
    let results = step.launch(args)?;
    keep(step, states, results)
}

/// States go back under their names; the rest is returned by position, states as empty places.
fn keep(step: &Loaded, states: &mut States, results: Vec<DeviceArray>) -> Result<Vec<Held>, Error> {
    let mut rest = Vec::new();
    for (at, array) in results.into_iter().enumerate() {
        let held = Held { place: step.result_place(at)?, array };
        let name = &step.program.results()[at].name;
        match step.program.input(name) {
            Some(_) => drop(states.held.insert(name.to_string(), held)),
            None => rest.push(held),
        }
    }
    Ok(rest)
}

/// Reads the numbers of results; `names` are theirs. Every process must ask, and all know loss and norm.
pub fn numbers(names: &[String], results: &[Held], host: &Host<'_>) -> Result<Numbers, Error> {
    let number = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.and_then(|at| results.get(at)).and_then(Held::number).unwrap_or(f64::NAN)
    };
    let (loss, nll, gradient_norm) = (number("loss"), number("nats"), number("gradient_norm"));
    Ok(Numbers { loss, nll, gradient_norm, experts: experts(names, results, host)? })
}

/// Names of the results that are no states, in order.
pub fn names(step: &Loaded) -> Vec<String> {
    let results = step.program.results().iter().filter(|result| step.program.input(&result.name).is_none());
    results.map(|result| result.name.to_string()).collect()
}

/// `None` without experts, and in processes that do not gather.
pub fn experts(names: &[String], results: &[Held], host: &Host<'_>) -> Result<Option<Experts>, Error> {
    let (mut entropies, mut routed, mut dropped) = (Vec::new(), 0.0, 0.0);
    for (name, result) in names.iter().zip(results) {
        if name.starts_with("routed.") {
            let Some(array) = result.whole(host)? else { continue };
            let loads = loads(&array);
            entropies.push(load_entropy(&loads));
            routed += loads.iter().sum::<f64>();
        } else if name.starts_with("dropped.") {
            let Some(array) = result.whole(host)? else { continue };
            dropped += loads(&array).iter().sum::<f64>();
        }
    }
    let count = entropies.len() as f64;
    let entropy = entropies.iter().sum::<f64>() / count;
    let drop_rate = dropped / (routed + dropped).max(1.0);
    Ok((count > 0.0).then_some(Experts { entropy, drop_rate }))
}

/// Tokens per expert, summed over groups.
fn loads(counts: &HostArray) -> Vec<f64> {
    let experts = counts.ty.dims.last().map_or(1, |size| usize::try_from(*size).unwrap_or(1)).max(1);
    let mut loads = vec![0.0; experts];
    for (at, count) in whole_numbers(counts).into_iter().enumerate() {
        loads[at % experts] += count;
    }
    loads
}

fn whole_numbers(array: &HostArray) -> Vec<f64> {
    let one = |bytes: &[u8]| bytes.try_into().map_or(0.0, |bytes| f64::from(i32::from_le_bytes(bytes)));
    if array.ty.dtype == DType::S32 { array.bytes.chunks_exact(4).map(one).collect() } else { Vec::new() }
}
