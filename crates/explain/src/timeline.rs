//! The step of one device over time, as it is simulated.

use crate::layers::Layers;
use crate::model::{Event, Timeline};
use crate::trace::{Input, site_of};
use meshwright_base::Diagnostic;
use meshwright_cost::simulate::Lane;
use meshwright_cost::{Activities, Detail, Machine, Wired, simulate};
use meshwright_ir::Module;

/// A mesh that does not lie on the machine's network is refused.
pub fn timeline(
    program: &Module,
    machine: &Machine,
    input: &Input,
    layers: &Layers,
) -> Result<Timeline, Diagnostic> {
    let wired = Wired::of(program, &machine.network)?;
    let activities = Activities::of(program, machine.habits());
    let step = simulate(&activities, &wired, machine, Detail::Events);
    let events = step.events.iter().map(|event| Event {
        name: event.name.clone(),
        lane: match event.lane {
            Lane::Loops => "loops",
            Lane::Compute => "compute",
            Lane::Links => "links",
        },
        start: event.start,
        seconds: event.seconds,
        trips: event.trips,
        layer: event.source.map_or(layers.elsewhere(), |source| layers.at(source)),
        site: event.source.and_then(|source| input.source(source)).and_then(site_of),
    });
    let mut unknown: Vec<String> = activities.unknown.iter().map(|of| of.what.clone()).collect();
    unknown.dedup();
    Ok(Timeline {
        seconds: step.seconds,
        computing: step.compute(),
        exposed: step.exposed(),
        hidden: step.hidden(),
        events: events.collect(),
        unknown,
    })
}
