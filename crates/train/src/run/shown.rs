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
use crate::data::mixture::Side;

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
    let (batch, _) = feed.batch(Side::HeldOut, None, &(0..rows))?;
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
        Net::Segment(_) => pictures::segmented(plan, &batch, &found),
        Net::Classify(_) => pictures::classified(plan, &batch, &found),
        Net::Speech(_) => Shown { samples: transcripts(&batch, rows, &found), pictures: Vec::new() },
    })
}
