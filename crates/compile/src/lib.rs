//! The one list of stages, from a module with a few annotations to one program for all devices.
//!
//! ```text
//! prune -> batch_indices -> complete -> plan -> pad -> reshard -> localize -> cleanup [-> rematerialize]
//! ```
//!
//! The last one only for a memory limit that einsums in loops do not reach. Runs the stages, has each result verified if asked, and shows it to an observer, who may time or write it. Knows no
//! op. A stage that breaks the module is our defect: the diagnostic says which stage, and the observer has seen what it
//! made.

#![forbid(unsafe_code)]

mod search;

use meshwright_complete::{Draft, Report};
use meshwright_ground::{Code, Diagnostic};
use meshwright_ir::{Module, PlannedModule, ShardedModule, SpmdModule};
use meshwright_opt::Rematerialized;

/// A stage made a module that does not verify: our defect, and not the input's.
pub const DEFECT: Code = Code(590);

/// What compilation may be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub complete: meshwright_complete::Options,
    pub partition: meshwright_spmd::Options,
    /// Leave out the verifiers between stages (they are on by default).
    pub trust: bool,
    /// Most bytes of the program peak on a device.
    pub memory_limit: Option<i64>,
    /// Have annotations spread by their priorities alone, as the papers say, whatever the program costs.
    pub priorities_alone: bool,
}

impl Options {
    /// For devices that share the cores of one machine: nobody computes while it sends, so nothing is arranged for that.
    pub fn in_process() -> Self {
        Options { partition: meshwright_spmd::Options::in_process(), ..Options::default() }
    }
}

/// Sees every stage's module, in order, as soon as it is made.
pub trait Observer {
    fn stage(&mut self, name: &'static str, module: &Module);
}

/// Looks at nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn stage(&mut self, _: &'static str, _: &Module) {}
}

/// What compilation gives.
pub struct Compiled {
    pub program: SpmdModule,
    pub completion: Report,
    /// What is computed again so that the program fits its limit, if it has one.
    pub rematerialized: Option<Rematerialized>,
}

/// Complete the shardings of a module; functions that nobody calls are gone from it.
pub fn complete(
    mut module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
    meshwright_opt::prune(&mut module);
    meshwright_opt::batch_indices(&mut module);
    let draft = Draft::new(module, &options.complete)?;
    let (spread, choices) = search::spread(&draft, options)?;
    let (sharded, report) = draft.finish(spread, &choices)?;
    done("complete", sharded.module(), options, observer)?;
    Ok((sharded, report))
}

/// Complete and plan a module, up to explicit reshards: `stop_after` one of `plan`, `pad`, `reshard`.
pub fn plan(
    module: Module,
    options: &Options,
    stop_after: &str,
    observer: &mut dyn Observer,
) -> Result<(PlannedModule, Report), Vec<Diagnostic>> {
    let (sharded, mut report) = complete(module, options, observer)?;
    let (sharded, notes) = meshwright_complete::everywhere(sharded)?;
    report.conflicts.extend(notes);
    let machine = &options.partition.machine;
    let within = meshwright_spmd::Options { memory_limit: options.memory_limit, ..options.partition.clone() };
    let mut planned = meshwright_spmd::plan::plan(sharded, &within, options.trust)?;
    done("plan", planned.module(), options, observer)?;
    if stop_after == "plan" {
        return Ok((planned, report));
    }
    meshwright_spmd::pad::pad(&mut planned);
    done("pad", planned.module(), options, observer)?;
    if stop_after == "pad" {
        return Ok((planned, report));
    }
    meshwright_spmd::reshard::reshard(&mut planned, machine)?;
    done("reshard", planned.module(), options, observer)?;
    Ok((planned, report))
}

/// All stages.
pub fn partition(
    module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Compiled, Vec<Diagnostic>> {
    let (planned, completion) = plan(module, options, "reshard", observer)?;
    let mut program = local(planned, options, observer)?;
    let mut rematerialized = None;
    if let Some(limit) = options.memory_limit {
        rematerialized = Some(meshwright_opt::rematerialize(program.module_mut(), limit));
        done("rematerialize", program.module(), options, observer)?;
        meshwright_spmd::memory::check(&program, limit)?;
    }
    Ok(Compiled { program, completion, rematerialized })
}

/// A planned module as one program, with as many of its einsums in loops as a memory limit asks for.
fn local(
    planned: PlannedModule,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<SpmdModule, Vec<Diagnostic>> {
    let loops = match options.memory_limit {
        Some(limit) => {
            meshwright_spmd::memory::loops(&planned, limit, &options.partition, &meshwright_opt::cleanup)?
        }
        None => options.partition.loops,
    };
    let local = meshwright_spmd::Options { loops, ..options.partition.clone() };
    let mut program = meshwright_spmd::localize::localize_with(planned, &local)?;
    done("localize", program.module(), options, observer)?;
    meshwright_opt::cleanup(program.module_mut());
    done("cleanup", program.module(), options, observer)?;
    Ok(program)
}

/// A program with its peak, and the memory limit that asks for it.
pub struct Point {
    pub program: SpmdModule,
    pub peak: i64,
    pub limit: Option<i64>,
}

/// Most values that are looked at for the smallest of the points.
const MOST_TRIED: usize = 64;

/// The program without a limit, one that is made as small as it can be, and one that has to fit halfway; those of them that
/// differ, the largest first. Each costs about what a compilation takes behind its plan.
pub fn points(module: Module, options: &Options) -> Result<Vec<Point>, Vec<Diagnostic>> {
    let free = Options { memory_limit: None, trust: true, ..options.clone() };
    let (planned, _) = plan(module, &free, "reshard", &mut Unobserved)?;
    let point = |limit: Option<i64>| -> Result<Point, Vec<Diagnostic>> {
        let options = Options { memory_limit: limit, ..free.clone() };
        let mut program = local(planned.clone(), &options, &mut Unobserved)?;
        let least = limit.unwrap_or(i64::MAX);
        let made = meshwright_opt::rematerialize_at_most(program.module_mut(), least, MOST_TRIED);
        Ok(Point { program, peak: made.after, limit: limit.map(|limit| limit.max(made.after)) })
    };
    let (fast, small) = (point(None)?, point(Some(0))?);
    if small.peak >= fast.peak {
        return Ok(vec![fast]);
    }
    let between = point(Some(small.peak + (fast.peak - small.peak) / 2))?;
    let differs = small.peak < between.peak && between.peak < fast.peak;
    Ok([Some(fast), Some(between).filter(|_| differs), Some(small)].into_iter().flatten().collect())
}

fn done(
    name: &'static str,
    module: &Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(), Vec<Diagnostic>> {
    observer.stage(name, module);
    if options.trust {
        return Ok(());
    }
    meshwright_ir::verify(module).map_err(|found| {
        let head = Diagnostic::error(DEFECT, format!("stage `{name}` made a module that does not verify"))
            .note("this is a defect of Meshwright, not of the input")
            .help("write the stages out with MESHWRIGHT_DUMP=dir and report it with the input");
        std::iter::once(head).chain(found).collect()
    })
}
