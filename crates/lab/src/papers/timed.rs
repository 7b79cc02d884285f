//! A row of a table, partitioned once and timed on its machine.

use super::program::{partitioned_by, unet_within_a_core};
use super::rows::Measured;
use meshwright_cli::failure::Failure;
use meshwright_compile::Options;
use meshwright_cost::machine::Machine;
use meshwright_cost::peak::held_peak;
use meshwright_cost::{Activities, Detail, Pattern, StepTime, Target, Wired, roofline, simulate};
use meshwright_ir::Module;
use meshwright_nn::models::presets::{Family, Preset, find};
use meshwright_nn::models::unet::TABLE_8;
use meshwright_spmd::Loops;

/// A program for one device of a machine, ready to be timed.
pub struct Timed {
    activities: Activities,
    wired: Wired,
    pub machine: Machine,
    pub peak: f64,
}

impl Timed {
    pub fn of(module: &Module, target: &str) -> Result<Timed, Failure> {
        let machine = Target::parse(target).and_then(|target| target.machine(1)).map_err(Failure::input)?;
        let wired = Wired::of(module, &machine.network).map_err(Failure::input)?;
        let activities = Activities::of(module, machine.habits());
        let peak = held_peak(module, machine.habits()) as f64;
        Ok(Timed { activities, wired, machine, peak })
    }

    /// A preset's training step. Einsums are not loops: the compiler that the papers measured had them for at most 32
    /// devices, and its successor for TPUs came later. GShard's models are fitted into their devices by computing
    /// again.
    pub fn row(row: &Measured) -> Result<Timed, Failure> {
        if let Some(of) = TABLE_8.iter().find(|of| of.name == row.preset) {
            return Timed::of(unet_within_a_core(of)?.program.module(), row.target);
        }
        let Some(preset) = find(row.preset) else {
            return Err(Failure::bug(&format!("no preset `{}`", row.preset)));
        };
        Timed::preset(&preset, row.target)
    }

    /// As [`Timed::row`], of any preset.
    pub fn preset(preset: &Preset, target: &str) -> Result<Timed, Failure> {
        let mut options = Options::default();
        options.partition.loops = Loops::Never;
        if preset.family == Family::GShard {
            let machine =
                Target::parse(target).and_then(|target| target.machine(1)).map_err(Failure::input)?;
            options.memory_limit = Some(machine.capacity);
        }
        let compiled = partitioned_by(preset.step(), &options)?;
        Timed::of(compiled.program.module(), target)
    }

    pub fn step(&self, machine: &Machine) -> StepTime {
        simulate(&self.activities, &self.wired, machine, Detail::Totals)
    }

    /// Seconds if every op ran at the machine's peaks.
    pub fn roofline(&self) -> f64 {
        roofline(&self.activities, &self.wired, &self.machine)
    }
}

/// Seconds that a step waits for collectives of one pattern.
pub fn waits(step: &StepTime, pattern: Pattern) -> f64 {
    step.communication.iter().filter(|((of, _), _)| *of == pattern).map(|(_, one)| one.exposed).sum()
}
