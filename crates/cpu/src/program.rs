//! A compiled program and a device that runs it.

use crate::info::{infos, order};
use crate::lower::{Lowered, lower};
use crate::passes::{Placed, run_all};
use crate::watch::Watched;
use meshwright_base::{Id, IdMap};
use meshwright_ir::{Donation, Module, SpmdModule, TensorType};
use meshwright_kernels::bands::Product;
use meshwright_kernels::isa::Isa;
use meshwright_kernels::step::{Bases, BufId, Step};
use meshwright_runtime::{
    Buffer, Compiler, DeviceId, DeviceMemory, Event, Join, MemoryPlan, Program, ResultPlace, RunError, Site,
    SiteId, StepInfo, StepOrder, Task, TraceEvent, Workers,
};
use meshwright_steps::{PlacedAt, Point, StepId};
use std::sync::Arc;

/// The compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cpu {
    /// End with an error that names the first op that makes a NaN or an infinity of finite numbers. Ops are not fused
    /// then, so that each is looked at.
    pub check_numbers: bool,
    /// Verify the steps behind every pass, and the finished plan, as builds with debug assertions do.
    pub verify_each: bool,
}

struct CpuProgram {
    params: Vec<TensorType>,
    results: Vec<TensorType>,
    donated: Vec<bool>,
    result_places: Vec<ResultPlace>,
    places: IdMap<BufId, PlacedAt>,
    constants: Vec<Buffer>,
    steps: Vec<Point<Step>>,
    infos: Vec<StepInfo>,
    order: Vec<StepOrder>,
    sites: IdMap<SiteId, Site>,
    memory: MemoryPlan,
    counters: usize,
    watched: Option<Vec<Watched>>,
}

impl Compiler for Cpu {
    fn compile(&self, module: &SpmdModule, devices: usize) -> Result<Arc<dyn Program>, RunError> {
        Isa::select(None)?;
        meshwright_kernels::unoptimized::told_once();
        let module = module.module();
        let main = module.main();
        let mut lowered = lowered(module, devices, !self.check_numbers)?;
        let types = |values: &[meshwright_ir::ValueId]| -> Vec<TensorType> {
            values.iter().map(|value| main.ty(*value).as_array()).collect()
        };
        let (params, results) = (types(main.param_values()), types(main.result_values()));
        run_all(&mut lowered, self.verify_each, &mut |_, _| {})?;
        let (infos, order) = (infos(&lowered), order(&lowered));
        let Lowered { steps, constants, sites, counters, donated, placed, .. } = lowered;
        let Placed { places, results: result_places, mut memory, .. } = placed;
        check_aliases(main, &result_places)?;
        let line = steps.line();
        let mut arena = steps.arena;
        let mut take = |id: StepId| std::mem::replace(&mut arena[id].work, Step::Nothing);
        let steps: Vec<Point<Step>> = line.points.into_iter().map(|point| point.map(&mut take)).collect();
        memory.scratch = scratch(&steps);
        let watch = |point: &Point<Step>| point.step().map_or(Watched::nothing(), Watched::of);
        let watched = self.check_numbers.then(|| steps.iter().map(watch).collect());
        Ok(Arc::new(CpuProgram {
            params,
            results,
            donated,
            result_places,
            places,
            constants,
            steps,
            infos,
            order,
            sites,
            memory,
            counters,
            watched,
        }))
    }
}

/// The steps of a module; `fuse`: whether they may join.
fn lowered(module: &Module, devices: usize, fuse: bool) -> Result<Lowered, RunError> {
    let joined = meshwright_ir::join_transfers(module);
    let module = joined.as_ref().unwrap_or(module);
    let spelled_out = crate::reducers::spelled_out(module);
    let module = spelled_out.as_ref().unwrap_or(module);
    let written_out = crate::batch_norm::written_out(module);
    let module = written_out.as_ref().unwrap_or(module);
    let parted = crate::parted_folds::in_parts(module);
    lower(parted.as_ref().unwrap_or(module), devices, fuse)
}

/// The text of a module's steps on each of so many devices: when they are lowered, and behind each pass.
pub fn steps_after_each(module: &Module, devices: usize) -> Result<Vec<(&'static str, String)>, RunError> {
    let mut lowered = lowered(module, devices, true)?;
    let mut texts = vec![("lower", lowered.steps.text(None))];
    run_all(&mut lowered, false, &mut |name, lowered| {
        texts.push((name, lowered.steps.text(lowered.placed.plan(&lowered.donated).as_ref())));
    })?;
    Ok(texts)
}

/// `must` aliases are promises about memory; an engine that copies anyway still gives the right values.
fn check_aliases(main: &meshwright_ir::Function, places: &[ResultPlace]) -> Result<(), RunError> {
    for param in &main.params {
        if let Some(Donation::Alias { result, .. }) = param.donation
            && places.get(result).is_none()
        {
            let message = format!("a parameter is donated to result {result}, which does not exist");
            return Err(RunError::new(meshwright_runtime::RunErrorKind::Unsound, message));
        }
    }
    Ok(())
}

/// Bytes of one worker's scratch.
fn scratch(steps: &[Point<Step>]) -> usize {
    let packs = |step: &Step| match step {
        Step::Dot(dot) => dot.dtype.is_float(),
        Step::Convolution(_) | Step::Tiled(_) | Step::Sparse(_) => true,
        Step::Band(band) => band.products().any(Product::packs),
        Step::Cholesky(step) => step.packs(),
        Step::Solve(step) => step.packs(),
        _ => false,
    };
    let keeps = |step: &Step| matches!(step, Step::Band(band) if !band.locals.is_empty());
    let any = |takes: &dyn Fn(&Step) -> bool| usize::from(steps.iter().filter_map(Point::step).any(takes));
    let most = steps.iter().filter_map(Point::step).map(Step::scratch).max().unwrap_or(0);
    any(&packs) * meshwright_kernels::gemm::SCRATCH + any(&keeps) * meshwright_kernels::bands::SCRATCH + most
}

impl Program for CpuProgram {
    fn params(&self) -> &[TensorType] {
        &self.params
    }

    fn results(&self) -> &[TensorType] {
        &self.results
    }

    fn donated(&self) -> &[bool] {
        &self.donated
    }

    fn result_places(&self) -> &[ResultPlace] {
        &self.result_places
    }

    fn sites(&self) -> &IdMap<SiteId, Site> {
        &self.sites
    }

    fn memory(&self) -> &MemoryPlan {
        &self.memory
    }

    fn steps(&self) -> &[StepInfo] {
        &self.infos
    }

    fn order(&self) -> &[StepOrder] {
        &self.order
    }

    fn start(&self, device: DeviceId, memory: DeviceMemory) -> Box<dyn Task + '_> {
        let at = |place: &PlacedAt| match place {
            PlacedAt::Arena(offset) => memory.arena.wrapping_add(*offset),
            PlacedAt::Input(param) => memory.inputs[*param],
            PlacedAt::Result(result) => memory.results[*result],
            PlacedAt::Constant(index) => self.constants[*index].as_ptr(),
            PlacedAt::Nowhere => std::ptr::null_mut(),
        };
        let bases = Bases(self.places.values().map(at).collect());
        Box::new(CpuTask { program: self, bases, at: 0, counters: vec![0; self.counters], draws: 0, device })
    }
}

struct CpuTask<'p> {
    program: &'p CpuProgram,
    bases: Bases,
    at: usize,
    counters: Vec<i64>,
    /// How often `rng` ran.
    draws: u64,
    device: DeviceId,
}

impl Task for CpuTask<'_> {
    fn resume(&mut self, workers: &dyn Workers) -> Result<Event, RunError> {
        let trace = workers.trace();
        while let Some(step) = self.program.steps.get(self.at) {
            if let Some(error) = workers.stop() {
                return Err(error);
            }
            if let Point::Step(Step::Join { site, operands, results }) = step {
                self.at += 1;
                let operands = operands.iter().map(|buf| self.bases.at(*buf).cast_const()).collect();
                let results = results.iter().map(|buf| self.bases.at(*buf)).collect();
                return Ok(Event::Join(Join { site: *site, operands, results }));
            }
            let start = trace.map(|trace| (trace, trace.now()));
            let next = self.watched_step(step, workers)?;
            if let Some((trace, start_ns)) = start {
                let (device, step) = (self.device.index() as u32, self.at as u32);
                trace.add(TraceEvent { device, step, start_ns, end_ns: trace.now() });
            }
            self.at = next;
        }
        Ok(Event::Done)
    }

    fn position(&self) -> usize {
        // At a collective the next step is already set.
        match self.at.checked_sub(1).and_then(|at| self.program.steps.get(at)) {
            Some(Point::Step(Step::Join { .. })) => self.at - 1,
            _ => self.at,
        }
    }
}

impl CpuTask<'_> {
    /// Run one step and look at the numbers it made, if asked to.
    fn watched_step(&mut self, step: &Point<Step>, workers: &dyn Workers) -> Result<usize, RunError> {
        let Some(watched) = self.program.watched.as_ref().and_then(|all| all.get(self.at)) else {
            return self.step(step, workers);
        };
        // Operands may be overwritten: look at them first.
        let before = watched.before(&self.bases);
        let next = self.step(step, workers)?;
        watched.judge(&self.bases, before).map(|()| next)
    }

    /// Run one step; the next one.
    fn step(&mut self, step: &Point<Step>, workers: &dyn Workers) -> Result<usize, RunError> {
        let next = self.at + 1;
        Ok(match step {
            Point::SetCounter { counter, value } => {
                self.counters[*counter] = *value;
                next
            }
            Point::ExitLoop { counter, trips, target } => {
                if self.counters[*counter] < *trips {
                    next
                } else {
                    *target
                }
            }
            Point::NextTrip { counter, target } => {
                self.counters[*counter] += 1;
                *target
            }
            Point::Jump { target } => *target,
            Point::JumpUnless { pred, target } => {
                if self.bases.truth(*pred) {
                    next
                } else {
                    *target
                }
            }
            Point::Switch { index, targets } => {
                let last = targets.len().saturating_sub(1);
                let index = usize::try_from(self.bases.number(*index)).unwrap_or(last).min(last);
                targets.get(index).copied().unwrap_or(next)
            }
            Point::Step(Step::Alias(part)) => {
                self.bases.put(part.to, part.find(&self.bases, &self.counters));
                next
            }
            Point::Step(other) => {
                let device = self.device.index() as u32;
                other.run(&self.bases, &self.counters, (device, self.draws), workers)?;
                self.draws += u64::from(matches!(other, Step::Plain(step) if step.draws));
                next
            }
        })
    }
}
