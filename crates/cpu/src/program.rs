//! A compiled program and a device that runs it.

use crate::finish::{PlacedAt, finish};
use crate::lower::lower;
use crate::watch::Watched;
use meshwright_base::{Id, IdMap};
use meshwright_ir::{Donation, SpmdModule, TensorType};
use meshwright_kernels::bands::Product;
use meshwright_kernels::isa::Isa;
use meshwright_kernels::step::{Bases, BufId, Step};
use meshwright_kernels::tiled::TiledStep;
use meshwright_runtime::{
    Buffer, Compiler, DeviceId, DeviceMemory, Event, Join, MemoryPlan, Program, ResultPlace, RunError, Site,
    SiteId, StepInfo, Task, TraceEvent, Workers,
};
use std::sync::Arc;

/// The compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cpu {
    /// End with an error that names the first op that makes a NaN or an infinity of finite numbers. Ops are not fused
    /// then, so that each is looked at.
    pub check_numbers: bool,
}

struct CpuProgram {
    params: Vec<TensorType>,
    results: Vec<TensorType>,
    donated: Vec<bool>,
    result_places: Vec<ResultPlace>,
    places: IdMap<BufId, PlacedAt>,
    constants: Vec<Buffer>,
    steps: Vec<Step>,
    infos: Vec<StepInfo>,
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
        let joined = meshwright_ir::join_transfers(module);
        let module = joined.as_ref().unwrap_or(module);
        let spelled_out = crate::reducers::spelled_out(module);
        let module = spelled_out.as_ref().unwrap_or(module);
        let main = module.main();
        let mut lowered = lower(module, devices, !self.check_numbers)?;
        let donated: Vec<bool> = main.params.iter().map(|param| param.donation.is_some()).collect();
        let types = |values: &[meshwright_ir::ValueId]| -> Vec<TensorType> {
            values.iter().map(|value| main.ty(*value).as_array()).collect()
        };
        let (params, results) = (types(main.param_values()), types(main.result_values()));
        let mut finished = finish(&mut lowered, &donated, results.len());
        let packs = |step: &Step| match step {
            Step::Dot(dot) => dot.dtype.is_float(),
            Step::Convolution(_) | Step::Tiled(_) | Step::Sparse(_) => true,
            Step::Band(band) => band.products().any(Product::packs),
            _ => false,
        };
        if lowered.steps.iter().any(packs) {
            finished.memory.scratch = meshwright_kernels::gemm::SCRATCH;
        }
        let keeps = |step: &Step| matches!(step, Step::Band(band) if !band.locals.is_empty());
        if lowered.steps.iter().any(keeps) {
            finished.memory.scratch += meshwright_kernels::bands::SCRATCH;
        }
        let infos = lowered.steps.iter().zip(&lowered.names);
        let infos = infos.map(|(step, name)| info(step, name, &lowered.bufs, &lowered.sites)).collect();
        check_aliases(main, &finished.results)?;
        let watched = self.check_numbers.then(|| lowered.steps.iter().map(Watched::of).collect());
        Ok(Arc::new(CpuProgram {
            params,
            results,
            donated,
            result_places: finished.results,
            places: finished.places,
            constants: lowered.constants,
            steps: lowered.steps,
            infos,
            sites: lowered.sites,
            memory: finished.memory,
            counters: lowered.counters,
            watched,
        }))
    }
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

fn info(
    step: &Step,
    name: &str,
    bufs: &IdMap<BufId, crate::lower::BufInfo>,
    sites: &IdMap<SiteId, Site>,
) -> StepInfo {
    let size = |bufs_of: Vec<BufId>| bufs_of.iter().map(|buf| bufs[*buf].bytes as u64).sum::<u64>();
    let bytes = match step {
        Step::Copy(copy) => 2 * (copy.dims.iter().product::<usize>() * copy.width) as u64,
        Step::Alias(_) => 0,
        _ => size(step.reads()) + size(step.writes()),
    };
    let (flops, name) = match step {
        Step::Dot(dot) | Step::Tiled(TiledStep { dot, .. }) => {
            let batch: usize = dot.batch.iter().product();
            (dot.flops() as u64, format!("{name} = {batch}x[{}x{}x{}]", dot.m, dot.k, dot.n))
        }
        Step::Convolution(step) => (step.flops() as u64, name.to_string()),
        Step::Sparse(step) => (0, format!("{name} = sparse {}x{}", step.masked(), step.n)),
        Step::Sampled(step) => {
            (0, format!("{name} = sampled {}x{}", step.dims.iter().product::<usize>(), step.depth))
        }
        Step::Band(band) => (band.flops() as u64, name.to_string()),
        Step::Fused(fused) => ((fused.ops.len() * fused.count) as u64, name.to_string()),
        _ => (0, name.to_string()),
    };
    let kind = match step {
        Step::Join { site, .. } => sites[*site].kind_name(),
        other => other.kind(),
    };
    StepInfo { name, kind, bytes, flops }
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
        while let Some(step) = self.program.steps.get(self.at) {
            if let Some(error) = workers.stop() {
                return Err(error);
            }
            if let Step::Join { site, operands, results } = step {
                self.at += 1;
                let operands = operands.iter().map(|buf| self.bases.at(*buf).cast_const()).collect();
                let results = results.iter().map(|buf| self.bases.at(*buf)).collect();
                return Ok(Event::Join(Join { site: *site, operands, results }));
            }
            let start = workers.trace().map(|trace| (trace, trace.now()));
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
            Some(Step::Join { .. }) => self.at - 1,
            _ => self.at,
        }
    }
}

impl CpuTask<'_> {
    /// Run one step and look at the numbers it made, if asked to.
    fn watched_step(&mut self, step: &Step, workers: &dyn Workers) -> Result<usize, RunError> {
        let Some(watched) = self.program.watched.as_ref().and_then(|all| all.get(self.at)) else {
            return self.step(step, workers);
        };
        // Operands may be overwritten: look at them first.
        let before = watched.before(&self.bases);
        let next = self.step(step, workers)?;
        watched.judge(&self.bases, before).map(|()| next)
    }

    /// Run one step; the next one.
    fn step(&mut self, step: &Step, workers: &dyn Workers) -> Result<usize, RunError> {
        let next = self.at + 1;
        Ok(match step {
            Step::SetCounter { counter, value } => {
                self.counters[*counter] = *value;
                next
            }
            Step::ExitLoop { counter, trips, target } => {
                if self.counters[*counter] < *trips {
                    next
                } else {
                    *target
                }
            }
            Step::NextTrip { counter, target } => {
                self.counters[*counter] += 1;
                *target
            }
            Step::Jump { target } => *target,
            // SAFETY: a pred has one byte.
            Step::JumpUnless { pred, target } => unsafe {
                if *self.bases.at(*pred) != 0 { next } else { *target }
            },
            Step::Switch { index, targets } => {
                // SAFETY: the index is an s32.
                let index = unsafe { *self.bases.at(*index).cast::<i32>() };
                let last = targets.len().saturating_sub(1);
                let index = usize::try_from(index).unwrap_or(last).min(last);
                targets.get(index).copied().unwrap_or(next)
            }
            Step::Alias(part) => {
                self.bases.put(part.to, part.find(&self.bases, &self.counters));
                next
            }
            other => {
                let device = self.device.index() as u32;
                other.run(&self.bases, &self.counters, (device, self.draws), workers)?;
                self.draws += u64::from(matches!(other, Step::Plain(step) if step.draws));
                next
            }
        })
    }
}
