//! What a run keeps on the devices between programs: parameters, the optimizer's states, the step's number.

use super::error::Error;
use super::held::{ArrayPlace, Held};
use super::host::Host;
use super::load::Loaded;
use super::plan::TrainingPlan;
use super::programs;
use meshwright_runtime::{DeviceArray, RunError, RunErrorKind};
use std::collections::BTreeMap;

/// Arrays by the names that the step gives them.
#[derive(Clone, Debug, Default)]
pub struct States {
    pub held: BTreeMap<String, Held>,
}

/// Names and places of the states of a step, in its order.
pub fn wanted(step: &Loaded) -> Result<Vec<(String, ArrayPlace)>, Error> {
    let inputs = step.program.inputs().iter().enumerate();
    let states = inputs.filter(|(_, input)| step.result(&input.name).is_some());
    states.map(|(at, input)| Ok((input.name.to_string(), step.input_place(at)?))).collect()
}

impl States {
    /// First values, drawn by a program of their own: the same on any mesh.
    pub fn drawn(plan: &TrainingPlan, step: &Loaded, host: &Host<'_>) -> Result<States, Error> {
        let mut first = Loaded::new(programs::first(plan)?, host)?;
        let results = first.launch(Vec::new())?;
        let mut drawn = States::default();
        for (at, (array, info)) in results.into_iter().zip(first.program.results()).enumerate() {
            let held = Held { place: first.result_place(at)?, array };
            drawn.held.insert(info.name.to_string(), held);
        }
        let mut states = States::default();
        for (name, place) in wanted(step)? {
            let array = drawn.lend(&name, &place, host)?;
            states.held.insert(name, Held { place, array });
        }
        Ok(states)
    }

    /// An array as another program wants it: the same one, if it lies there already.
    pub fn lend(&self, name: &str, place: &ArrayPlace, host: &Host<'_>) -> Result<DeviceArray, Error> {
        let held = self.held.get(name).ok_or_else(|| missing(name))?;
        Ok(moved(held, place, host)?)
    }

    /// The same, given away.
    pub fn give(&mut self, name: &str, place: &ArrayPlace, host: &Host<'_>) -> Result<DeviceArray, Error> {
        let held = self.held.remove(name).ok_or_else(|| missing(name))?;
        Ok(moved(&held, place, host)?)
    }
}

/// An array laid out anew where it must be, through the memory of this process.
fn moved(held: &Held, place: &ArrayPlace, host: &Host<'_>) -> Result<DeviceArray, RunError> {
    if held.place == *place {
        return Ok(held.array.clone());
    }
    let whole = held.whole(host)?.filter(|_| host.is_alone());
    let whole = whole.ok_or_else(|| {
        let message =
            "two programs of a run hold an array in different places, which no rank can change alone";
        RunError::new(RunErrorKind::Unsound, message)
    })?;
    place.put(&whole, host)
}

fn missing(name: &str) -> RunError {
    RunError::new(RunErrorKind::Unsound, format!("the state `{name}` is not on the devices"))
}
