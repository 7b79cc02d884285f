//! What a model that reads no text makes of the first examples it has not learnt from, for people to judge: pictures of
//! images with their classes, and lines of what is said beside what is right.

use super::error::Error;
use super::examples::{Found, Shown};
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::net::Net;
use super::pictures;
use super::plan::TrainingPlan;
use super::programs;
use super::restore;
use super::state::States;
use super::transcripts::transcripts;
use crate::checkpoint::Weights;
use crate::data::feed::Feed;

/// Of the weights of a run. Every process must ask; nothing of models of text, which write.
pub fn shown(plan: &TrainingPlan, feed: &mut Feed, states: &States, host: &Host<'_>) -> Result<Shown, Error> {
    let Some(program) = programs::shown(plan) else { return Ok(Shown::default()) };
    launched(plan, Loaded::new(program?, host)?, feed, states, host)
}

/// Of the weights of a checkpoint.
pub fn looked_at(
    plan: &TrainingPlan,
    feed: &mut Feed,
    weights: &mut dyn Weights,
    host: &Host<'_>,
) -> Result<Shown, Error> {
    let Some(program) = programs::shown(plan) else { return Ok(Shown::default()) };
    let program = Loaded::new(program?, host)?;
    let states = restore::parameters(&program, weights, host)?;
    launched(plan, program, feed, &states, host)
}

fn launched(
    plan: &TrainingPlan,
    mut program: Loaded,
    feed: &mut Feed,
    states: &States,
    host: &Host<'_>,
) -> Result<Shown, Error> {
    let rows = usize::try_from(plan.training.batch).unwrap_or(0);
    // All rows, so that whoever tells has them.
    let held_out = feed.held_out(1, &(0..rows))?;
    let examples = held_out.examples.map_or(rows, |count| usize::try_from(count).unwrap_or(rows));
    let Some(batch) = held_out.batches.into_iter().next() else { return Ok(Shown::default()) };
    let mut args = Vec::new();
    for (at, input) in program.program.inputs().iter().enumerate() {
        args.push(if states.held.contains_key(&*input.name) {
            states.lend(&input.name, &program.input_place(at)?, host)?
        } else {
            program.feed(at, batch.get(&input.name), host)?
        });
    }
    let names: Vec<String> = program.program.results().iter().map(|result| result.name.to_string()).collect();
    let mut found = Vec::new();
    for (at, (array, name)) in program.launch(args)?.into_iter().zip(names).enumerate() {
        found.push((name, Held { place: program.result_place(at)?, array }.numbers()?));
    }
    let found = Found(found);
    Ok(match &plan.model {
        Net::Text(_) => Shown::default(),
        Net::Segment(_) => pictures::segmented(plan, &batch, examples, &found),
        Net::Classify(_) => pictures::classified(plan, &batch, examples, &found),
        Net::Speech(_) => {
            let samples = transcripts(&batch, rows, &found).into_iter().take(examples).collect();
            Shown { samples, pictures: Vec::new() }
        }
    })
}
