//! The step of one device over time, as it is simulated.

use crate::layers::Layers;
use crate::model::{Event, Timeline};
use crate::trace::{Input, site_of};
use meshwright_cost::activity::{Exchange, Rounded};
use meshwright_cost::simulate::Lane;
use meshwright_cost::{Activities, Detail, Machine, StepTime, Wired, simulate};
use meshwright_ir::op::Collective;
use meshwright_ir::{Function, InstId, Module};

/// A program on its machine.
pub struct Simulated<'m> {
    machine: &'m Machine,
    wired: Wired,
    activities: Activities,
    step: StepTime,
    /// Of each function what is sent in fewer bits.
    rounded: Vec<(&'m Function, Rounded)>,
}

impl<'m> Simulated<'m> {
    pub fn of(program: &'m Module, machine: &'m Machine) -> Simulated<'m> {
        let wired = Wired::near(program, &machine.network);
        let activities = Activities::of(program, machine.habits());
        let step = simulate(&activities, &wired, machine, Detail::Events);
        let rounded = program.funcs.values().map(|func| (func, Rounded::by(func, machine.habits())));
        Simulated { machine, wired, activities, step, rounded: rounded.collect() }
    }

    /// Of the step.
    pub fn seconds(&self) -> f64 {
        self.step.seconds
    }

    /// Of one collective.
    pub fn collective(&self, func: &Function, inst: InstId, of: &Collective) -> f64 {
        let known = self.rounded.iter().find(|(known, _)| std::ptr::eq(*known, func));
        let exchange = known.and_then(|(_, rounded)| Exchange::of(func, inst, of, rounded));
        exchange.map_or(0.0, |exchange| self.wired.price(&exchange, self.machine).seconds)
    }

    /// Tell layers how long they compute.
    pub fn computing(&self, layers: &mut Layers) {
        for (source, seconds) in &self.step.places {
            let at = layers.at(*source);
            layers.list[at].compute_seconds += seconds;
        }
    }

    pub fn timeline(&self, input: &Input, layers: &Layers) -> Timeline {
        let events = self.step.events.iter().map(|event| Event {
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
        let mut unknown: Vec<String> = self.activities.unknown.iter().map(|of| of.what.clone()).collect();
        unknown.dedup();
        Timeline {
            seconds: self.step.seconds,
            computing: self.step.compute(),
            exposed: self.step.exposed(),
            hidden: self.step.hidden(),
            events: events.collect(),
            unknown,
        }
    }
}
