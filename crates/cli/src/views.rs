//! A module and its partitioned program on the same arrays, on the interpreter.
//!
//! Mostly all devices see the same global arrays, and the module runs as one. Replicas see other ones, and so do
//! devices of values that are local over manual axes where the program begins or ends inside a manual part: then the
//! module runs as often as there are devices.

use crate::queues::MadeUp;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::set;
use meshwright_interp::global::{device_count, run_spmd_views, views};
use meshwright_interp::{Options, Tensor, check_devices, run_global_fed, run_views};
use meshwright_ir::{Module, Placement, SpmdModule};
use std::collections::{BTreeMap, BTreeSet};

/// What came of both runs, the module's first.
pub struct Both {
    /// Results of each device that sees others than those before it.
    pub results: Vec<(Vec<Tensor>, Vec<Tensor>)>,
    /// What each device of the program gave out while it ran, and what the module did in its place.
    pub outfeeds: Vec<(Vec<Tensor>, Vec<Tensor>)>,
}

/// What devices gave out, in order.
pub type Given = BTreeMap<usize, Vec<Tensor>>;

/// Run both. Inputs are made for each view, of which 0 is the usual one; queues are made up from a seed.
pub fn run_both(
    module: &Module,
    program: &SpmdModule,
    seed: u64,
    made: impl Fn(u64) -> Result<Vec<Tensor>, Diagnostic>,
) -> Result<Both, Diagnostic> {
    check_devices(device_count(program), program.params.len())?;
    let inputs = inputs(program, made)?;
    let distinct = distinct(program);
    let queues = [MadeUp::new(seed), MadeUp::new(seed)];
    let whole = match &distinct[..] {
        [_] => vec![run_global_fed(module, &inputs[0], Options::default(), Some(&queues[0]))?],
        _ => run_views(module, &inputs, Some(&queues[0]))?,
    };
    let parts = run_spmd_views(program, &inputs, Some(&queues[1]))?;
    let pairs = whole.into_iter().zip(parts).enumerate();
    let results = pairs.filter(|(device, _)| distinct.contains(device)).map(|(_, pair)| pair).collect();
    let [whole, parts] = queues.map(MadeUp::left);
    Ok(Both { results, outfeeds: beside(&whole, &parts) })
}

/// What each device of the program gave out beside what the module did: one that ran as one gave out for all.
pub fn beside(whole: &Given, parts: &Given) -> Vec<(Vec<Tensor>, Vec<Tensor>)> {
    let own = |device: &usize| whole.get(device).or(whole.get(&0)).cloned().unwrap_or_default();
    let devices: BTreeSet<usize> = set(whole.keys().chain(parts.keys()).copied());
    devices.iter().map(|device| (own(device), parts.get(device).cloned().unwrap_or_default())).collect()
}

/// Whether all devices see the same arrays.
pub fn sees_one(program: &SpmdModule) -> bool {
    distinct(program).len() == 1
}

/// What each device sees.
fn inputs(
    program: &SpmdModule,
    made: impl Fn(u64) -> Result<Vec<Tensor>, Diagnostic>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let seen: Vec<Vec<usize>> = program.params.iter().map(|param| views(program, param)).collect();
    let devices = device_count(program);
    let mut sets: Vec<Option<Vec<Tensor>>> = vec![None; devices];
    let mut inputs = vec![Vec::with_capacity(seen.len()); devices];
    for (at, views) in seen.iter().enumerate() {
        for (view, own) in views.iter().zip(&mut inputs) {
            if sets[*view].is_none() {
                sets[*view] = Some(made(*view as u64)?);
            }
            own.extend(sets[*view].as_ref().and_then(|set| set.get(at)).cloned());
        }
    }
    Ok(inputs)
}

/// The first device of each way to see parameters and results.
fn distinct(program: &SpmdModule) -> Vec<usize> {
    let all: Vec<&Placement> = program.params.iter().chain(&program.results).collect();
    let seen: Vec<Vec<usize>> = all.iter().map(|placement| views(program, placement)).collect();
    let of = |device: usize| -> Vec<usize> { seen.iter().map(|views| views[device]).collect() };
    let is_first = |device: &usize| (0..*device).all(|other| of(other) != of(*device));
    (0..device_count(program)).filter(is_first).collect()
}
