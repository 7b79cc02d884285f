//! One plan: the partitioned program of a subject on a target, its step and its memory.

use super::memory::Memory;
use super::subject::{Change, Subject, Subjected};
use crate::args::DumpArgs;
use crate::engine::{as_it_is, prepare};
use crate::failure::Failure;
use crate::load::{Loaded, is_partitioned, stated_devices};
use crate::native::Native;
use meshwright_base::SourceText;
use meshwright_compile::{Observer, Options, Spared, Unobserved, partition};
use meshwright_cost::activity::Unknown;
use meshwright_cost::interval::estimates;
use meshwright_cost::{
    Activities, Detail, Estimate, Machine, StepTime, Target, Wired, forward_flops, roofline, simulate,
};
use meshwright_ir::{Module, SpmdModule};
use meshwright_spmd::Goal;
use meshwright_train::config::Axes;

/// What memory a plan may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Room {
    /// What is worth the time that less of it would cost.
    Worth,
    /// As much as what is fastest takes.
    Any,
    /// So many bytes of a device.
    Limit(i64),
}

/// A program on a machine.
pub struct Planned {
    pub program: SpmdModule,
    pub text: SourceText,
    pub machine: Machine,
    pub activities: Activities,
    pub wired: Wired,
    /// As the engine runs it, where the machine is this one.
    pub native: Option<Native>,
    pub step: StepTime,
    pub memory: Memory,
    /// What is computed or gathered again to spare memory.
    pub spared: Option<Spared>,
    pub mesh: Axes,
    pub sequences: Option<f64>,
    pub tokens: Option<f64>,
    /// Flops of the forward pass of all devices.
    pub forward: f64,
    /// Flops of products that a device does for nothing: bubbles, and what is computed again.
    pub wasted: f64,
}

/// The parts of a step that have intervals of their own.
pub struct Parts {
    pub seconds: Estimate,
    pub compute: Estimate,
    pub exposed: Estimate,
    pub hidden: Estimate,
    pub bubbles: Estimate,
    pub again: Estimate,
}

impl Planned {
    /// Partition a subject for a target.
    pub fn of(subject: &Subject, change: &Change, target: &Target, room: Room) -> Result<Planned, Failure> {
        Planned::heard(subject, change, target, room, &mut Unobserved)
    }

    /// The same, while somebody hears how far it is.
    pub fn heard(
        subject: &Subject,
        change: &Change,
        target: &Target,
        room: Room,
        observer: &mut dyn Observer,
    ) -> Result<Planned, Failure> {
        let planned = Planned::for_goal(subject, change, target, room, observer)?;
        if planned.native.is_none() || change.goal == Goal::Bytes {
            return Ok(planned);
        }
        // How long the engine takes is known behind partitioning alone.
        let fewest = Change { goal: Goal::Bytes, ..change.clone() };
        let fewest = Planned::for_goal(subject, &fewest, target, room, observer)?;
        Ok(if planned.step.seconds < fewest.step.seconds { planned } else { fewest })
    }

    fn for_goal(
        subject: &Subject,
        change: &Change,
        target: &Target,
        room: Room,
        observer: &mut dyn Observer,
    ) -> Result<Planned, Failure> {
        let Subjected { module, text, sequences, tokens, mesh } = subject.with(change)?;
        let machine = target.machine(stated_devices(&module)).map_err(Failure::input)?;
        let forward = forward_flops(&module);
        let failed = |found| Failure::in_text(text.clone(), found);
        let is_here =
            machine.workers.is_some() && !matches!(room, Room::Limit(_)) && change.goal == Goal::Bytes;
        let mut spared = None;
        let (program, forward) = if is_here {
            let each = if is_partitioned(&module) { stated_devices(&module) as f64 } else { 1.0 };
            let loaded = Loaded { module, text: text.clone() };
            (prepare(&loaded, None, &DumpArgs::default(), true)?.program, forward * each)
        } else if is_partitioned(&module) {
            // One device's share is all that is known of it.
            let stated = stated_devices(&module);
            let mut program = as_it_is(module, stated).map_err(failed)?;
            if let Room::Limit(limit) = room {
                meshwright_opt::rematerialize_for(program.module_mut(), limit, machine.holds());
                meshwright_spmd::memory::check(&program, limit, machine.holds()).map_err(failed)?;
            }
            (program, forward * stated as f64)
        } else {
            let options = options(&machine, change.goal, room);
            let made = partition(module, &options, observer).map_err(failed)?;
            spared = made.spared;
            (made.program, forward)
        };
        let wired = Wired::of(program.module(), &machine.network).map_err(Failure::input)?;
        let activities = Activities::of(program.module(), machine.habits());
        let devices = usize::try_from(stated_devices(program.module())).unwrap_or(1).max(1);
        let native = machine.workers.map(|_| Native::of(&program, devices)).transpose()?;
        let step = match &native {
            Some(native) => native.step(&machine),
            None => simulate(&activities, &wired, &machine, Detail::Totals),
        };
        let mut memory = Memory::of(program.module(), machine.habits());
        if let Some(native) = &native {
            memory.is_planned_as(i64::try_from(native.memory.peak()).unwrap_or(i64::MAX));
        }
        let wasted = wasted(program.module(), &machine);
        Ok(Planned {
            program,
            text,
            machine,
            activities,
            wired,
            native,
            step,
            memory,
            spared,
            mesh,
            sequences,
            tokens,
            forward,
            wasted,
        })
    }

    pub fn module(&self) -> &Module {
        self.program.module()
    }

    pub fn devices(&self) -> i64 {
        self.wired.devices().max(self.mesh.devices() as i64)
    }

    pub fn unknown(&self) -> &[Unknown] {
        &self.activities.unknown
    }

    /// The step with other numbers of its machine.
    pub fn step_on(&self, machine: &Machine, detail: Detail) -> StepTime {
        match (&self.native, detail) {
            (Some(native), Detail::Totals) => native.step(machine),
            (Some(native), Detail::Events) => native.events(machine),
            (None, detail) => simulate(&self.activities, &self.wired, machine, detail),
        }
    }

    /// The step's parts with their intervals.
    pub fn parts(&self) -> Parts {
        let [seconds, compute, exposed, hidden, bubbles, again] = estimates(&self.machine, |machine| {
            let step = self.step_on(machine, Detail::Totals);
            [step.seconds, step.compute(), step.exposed(), step.hidden(), step.bubbles, step.again]
        });
        Parts { seconds, compute, exposed, hidden, bubbles, again }
    }

    /// Seconds of the same step at the machine's peaks.
    pub fn roofline(&self) -> f64 {
        roofline(&self.activities, &self.wired, &self.machine)
    }

    /// Peak flops of a device, as utilization counts them.
    pub fn peak_flops(&self) -> f64 {
        meshwright_cost::simulate::peak_flops(&self.machine)
    }

    /// Flops of products that a device does, and those of use.
    pub fn flops(&self) -> (f64, f64) {
        (self.step.flops, self.step.flops - self.wasted)
    }

    pub fn tokens_per_second(&self) -> Option<f64> {
        self.tokens.map(|tokens| tokens / self.step.seconds)
    }
}

/// Planned by what things take on the machine itself.
fn options(machine: &Machine, goal: Goal, room: Room) -> Options {
    let partition =
        meshwright_spmd::Options { machine: machine.clone(), goal, ..meshwright_spmd::Options::default() };
    let memory_limit = match room {
        Room::Limit(limit) => Some(limit),
        Room::Worth | Room::Any => None,
    };
    let spares_memory = room == Room::Worth && goal == Goal::Bytes;
    Options { partition, memory_limit, spares_memory, trust: true, ..Options::default() }
}

fn wasted(module: &Module, machine: &Machine) -> f64 {
    let counted = meshwright_cost::traffic(module, machine);
    let useful = meshwright_cost::usefulness(module, machine, &counted);
    useful.flops - useful.useful()
}
