//! The one list of stages, from a module with a few annotations to one program for all devices.
//!
//! ```text
//! preparation -> complete -> inline, dce -> plan -> pad -> reshard -> localize -> cleanup [-> rematerialize]
//! ```
//!
//! Preparation and cleanup are lists of passes (`opt::passes`); the last one runs only for a memory limit, or where
//! memory is to be spared. Runs the stages and passes, has each result verified if asked, and shows it to an observer,
//! who may time or write it. Knows no op. One that breaks the module is our defect: the diagnostic says which, and the
//! observer has seen what it made.

#![forbid(unsafe_code)]

mod before_loops;
mod quickest;
mod search;
mod spare;

pub use before_loops::STORED;
pub use spare::{Spared, Takes};

use before_loops::Completion;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Ask, Caller, Code, Diagnostic};
use meshwright_complete::Report;
use meshwright_cost::peak::held_peak;
use meshwright_cost::step_seconds;
use meshwright_ir::{Module, PlannedModule, ShardedModule, SpmdModule};
use meshwright_opt::Rematerialized;
use meshwright_opt::passes::{BEFORE_PLAN, CLEANUP, ListedPass, PREPARATION, REMATERIALIZE, run_passes};
use meshwright_spmd::Checks;
pub use meshwright_spmd::Goal;
use meshwright_spmd::plan::Memory;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Names of the stages, in order, and what each does. Passes run before, between and behind them; no pass has such a
/// name.
pub const STAGES: &[(&str, &str)] = &[
    ("complete", "gives every value a sharding, from a few annotations"),
    ("plan", "decides how each op runs, and where shardings change"),
    ("pad", "makes every dim that is split divide evenly"),
    ("reshard", "breaks every change of sharding into steps of one collective each"),
    ("localize", "makes one program on local shapes"),
];

/// Every stage and pass an observer may see, with what it does, in the order in which they first run.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let row = |pass: &meshwright_opt::Pass| (pass.name, pass.does);
    let passes = |list: &'static [ListedPass]| list.iter().map(move |listed| row(listed.pass()));
    let (complete, behind) = STAGES.split_at(1);
    let stages = |rows: &'static [(&'static str, &'static str)]| rows.iter().copied();
    let before = passes(PREPARATION).chain(stages(complete)).chain(passes(BEFORE_PLAN));
    let all = before.chain(stages(behind)).chain(passes(CLEANUP)).chain([row(&REMATERIALIZE)]);
    let mut seen = BTreeSet::new();
    all.filter(move |(name, _)| seen.insert(*name))
}

/// The stage that [`plan`] ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopAfter {
    Plan,
    Pad,
    Reshard,
}

/// A stage made a module that does not verify: our defect, and not the input's.
pub const DEFECT: Code = Code(590);

/// What compilation may be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub complete: meshwright_complete::Options,
    pub partition: meshwright_spmd::Options,
    /// Leave out the verifiers between stages (they are on by default).
    pub trust: bool,
    /// Verify behind every pass too, as builds with debug assertions do.
    pub verify_each: bool,
    /// Most bytes of the program peak on a device.
    pub memory_limit: Option<i64>,
    /// Compute and gather again what costs the machine little time for the memory it spares.
    pub spares_memory: bool,
    /// Have annotations spread by their priorities alone, as the papers say, whatever the program costs.
    pub priorities_alone: bool,
}

impl Options {
    /// For devices that share the cores of one machine: nobody computes while it sends, so nothing is arranged for
    /// that.
    pub fn in_process() -> Self {
        Options { partition: meshwright_spmd::Options::in_process(), ..Options::default() }
    }
}

/// Sees the module behind every stage and pass, in order, as soon as it is made.
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
    /// What is computed or gathered again to spare memory.
    pub spared: Option<Spared>,
}

/// Complete the shardings of a module; functions that nobody calls are gone from it.
pub fn complete(
    module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
    let options = &quickest::settled(&module, options);
    completed(module, options, observer, &mut Memory::default(), Loops::AsTheyAre)
}

/// Whether what loops read again may be put together before them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loops {
    AsTheyAre,
    /// Where the program is better for it. All is in its main function then.
    Weighed,
}

/// The same, where a plan may go on from what is remembered of those that were compared.
fn completed(
    mut module: Module,
    options: &Options,
    observer: &mut dyn Observer,
    memory: &mut Memory,
    loops: Loops,
) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
    passes(PREPARATION, &mut module, options, observer)?;
    let stored = match loops {
        Loops::AsTheyAre => None,
        Loops::Weighed => before_loops::stored(&module, options),
    };
    let plain = Completion::of(module, options, memory)?;
    let (found, notes) = match stored {
        None => (plain, Vec::new()),
        Some(stored) => before_loops::weighed(plain, &stored, options, memory)?,
    };
    let Completion { draft, spread, choices } = found;
    let (sharded, mut report) = draft.finish(spread, &choices)?;
    report.conflicts.extend(notes);
    done("complete", sharded.module(), options, observer)?;
    Ok((sharded, report))
}

/// Complete and plan a module, up to explicit reshards.
pub fn plan(
    module: Module,
    options: &Options,
    stop_after: StopAfter,
    observer: &mut dyn Observer,
) -> Result<(PlannedModule, Report), Vec<Diagnostic>> {
    let options = &quickest::settled(&module, options);
    plan_as_told(module, options, stop_after, observer)
}

/// The same, compared by what the options name and nothing else.
fn plan_as_told(
    module: Module,
    options: &Options,
    stop_after: StopAfter,
    observer: &mut dyn Observer,
) -> Result<(PlannedModule, Report), Vec<Diagnostic>> {
    let mut memory = Memory::default();
    let (sharded, mut report) = completed(module, options, observer, &mut memory, Loops::Weighed)?;
    let (mut sharded, notes) = meshwright_complete::everywhere(sharded)?;
    report.conflicts.extend(notes);
    passes(BEFORE_PLAN, sharded.module_mut(), options, observer)?;
    let within = meshwright_spmd::Options { memory_limit: options.memory_limit, ..options.partition.clone() };
    if within.memory_limit != options.partition.memory_limit {
        // Those that were compared had no limit: what is thought of then may not fit.
        memory = Memory::default();
    }
    let checks = if options.trust { Checks::None } else { Checks::All };
    let behind = &mut |name, module: &Module| done(name, module, options, observer);
    Ok((planned(sharded, &within, checks, stop_after, &mut memory, behind)?, report))
}

/// What is to be done behind a stage, of this name.
type Behind<'a> = &'a mut dyn FnMut(&'static str, &Module) -> Result<(), Vec<Diagnostic>>;

/// The stages of planning.
pub(crate) fn planned(
    sharded: ShardedModule,
    options: &meshwright_spmd::Options,
    checks: Checks,
    stop_after: StopAfter,
    memory: &mut Memory,
    behind: Behind<'_>,
) -> Result<PlannedModule, Vec<Diagnostic>> {
    let mut planned = meshwright_spmd::plan::plan(sharded, options, checks, memory)?;
    behind("plan", planned.module())?;
    if stop_after == StopAfter::Plan {
        return Ok(planned);
    }
    meshwright_spmd::pad::pad(&mut planned);
    behind("pad", planned.module())?;
    held("pad", planned.module(), checks)?;
    if stop_after == StopAfter::Pad {
        return Ok(planned);
    }
    meshwright_spmd::reshard::reshard(&mut planned, &options.comparing())?;
    behind("reshard", planned.module())?;
    held("reshard", planned.module(), checks)?;
    Ok(planned)
}

/// What is left of a plan promises still what planning did: shardings agree with rules.
fn held(name: &str, module: &Module, checks: Checks) -> Result<(), Vec<Diagnostic>> {
    match checks {
        Checks::All => meshwright_spmd::pad::check(module).map_err(|found| defect(name, found)),
        Checks::None => Ok(()),
    }
}

/// Annotations spread by priorities alone, as what cost decides does not fit the memory limit.
pub const PLAIN: Code = Code(592);

/// All stages. What does not fit a memory limit as cost decides is tried by priorities alone: then all stages run
/// twice. For least time several programs are made, and one of them is taken.
pub fn partition(
    module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Compiled, Vec<Diagnostic>> {
    let settled = quickest::settled(&module, options);
    let Some(limit) = options.memory_limit.filter(|_| !options.priorities_alone) else {
        return partition_once(module, &settled, observer);
    };
    let found = match partition_once(module.clone(), &settled, observer) {
        Err(found) if found.iter().any(|found| found.code == meshwright_spmd::memory::TOO_LARGE) => found,
        done => return done,
    };
    let alone = quickest::settled(&module, &Options { priorities_alone: true, ..options.clone() });
    let mut compiled = partition_once(module, &alone, observer).map_err(|_| found)?;
    let message = format!(
        "annotations spread by their priorities alone: what cost decides would not fit in {limit} bytes"
    );
    let help = format!("a larger limit, by `{}`, has what sends less", Ask::Option("memory-limit", "BYTES"));
    compiled.completion.conflicts.push(Diagnostic::note_only(PLAIN, message).help(help));
    Ok(compiled)
}

fn partition_once(
    module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Compiled, Vec<Diagnostic>> {
    let spares_memory = spares_memory(&module, options);
    let (planned, completion) = plan_as_told(module, options, StopAfter::Reshard, observer)?;
    let mut program = local(planned, options, observer)?;
    let machine = &options.partition.machine;
    let mut rematerialized = None;
    if let Some(limit) = options.memory_limit {
        rematerialized =
            Some(meshwright_opt::rematerialize_for(program.module_mut(), limit, machine.holds()));
    }
    let spared = spares_memory.then(|| spare::spare(&mut program, machine)).flatten();
    if options.memory_limit.is_some() || spared.is_some() {
        done(REMATERIALIZE.name, program.module(), options, observer)?;
    }
    if let Some(limit) = options.memory_limit {
        meshwright_spmd::memory::check(&program, limit, machine.holds())?;
    }
    Ok(Compiled { program, completion, rematerialized, spared })
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
    let mut program = meshwright_spmd::localize::localize(planned, &local)?;
    done("localize", program.module(), options, observer)?;
    passes(CLEANUP, program.module_mut(), options, observer)?;
    verified("cleanup", program.module(), options)?;
    Ok(program)
}

/// A program with its peak, and the memory limit or the goal that asks for it.
pub struct Point {
    pub program: SpmdModule,
    pub peak: i64,
    pub limit: Option<i64>,
    pub goal: Goal,
}

/// Most values that are looked at for the smallest of the points.
const MOST_TRIED: usize = 64;

/// The program without a limit, one that is made as small as it can be, and one that has to fit halfway; those of them
/// that differ, the largest first. Where memory is spared, the program without a limit is the one that spares it, and
/// the first has a limit to say. Each costs about what a compilation takes behind its plan. At last the one that is
/// planned for the least time, if it takes less than the first.
pub fn points(module: Module, options: &Options) -> Result<Vec<Point>, Vec<Diagnostic>> {
    let free = Options { memory_limit: None, trust: true, ..options.clone() };
    let (planned, _) = plan(module.clone(), &free, StopAfter::Reshard, &mut Unobserved)?;
    let peak = |program: &SpmdModule| held_peak(program.module(), options.partition.machine.holds());
    let point = |limit: Option<i64>| -> Result<Point, Vec<Diagnostic>> {
        let options = Options { memory_limit: limit, ..free.clone() };
        let mut program = local(planned.clone(), &options, &mut Unobserved)?;
        let least = limit.unwrap_or(i64::MAX);
        meshwright_opt::rematerialize_at_most(program.module_mut(), least, MOST_TRIED);
        let peak = peak(&program);
        Ok(Point { program, peak, limit: limit.map(|limit| limit.max(peak)), goal: free.partition.goal })
    };
    let (mut fast, small) = (point(None)?, point(Some(0))?);
    let spared = spares_memory(&module, options).then(|| spared(&mut fast, options)).flatten();
    if small.peak >= fast.peak {
        return with_quickest(module, &free, [Some(fast), spared].into_iter().flatten().collect());
    }
    let between = point(Some(small.peak + (fast.peak - small.peak) / 2))?;
    let differs = small.peak < between.peak && between.peak < fast.peak;
    let points = [Some(fast), spared, Some(between).filter(|_| differs), Some(small)];
    let mut points: Vec<Point> = points.into_iter().flatten().collect();
    points.arrange_by_key(|point| Reverse(point.peak));
    with_quickest(module, &free, points)
}

/// A program that was partitioned before is taken as it is.
fn spares_memory(module: &Module, options: &Options) -> bool {
    options.spares_memory && !meshwright_spmd::embed::is_embedded(module)
}

/// The point without a limit, where it spares memory that another takes; that one has a limit from then on.
fn spared(fast: &mut Point, options: &Options) -> Option<Point> {
    let mut program = fast.program.clone();
    spare::spare(&mut program, &options.partition.machine)?;
    fast.limit = Some(fast.peak);
    let peak = held_peak(program.module(), options.partition.machine.holds());
    Some(Point { program, peak, limit: None, goal: fast.goal })
}

/// Shares of the first point's time that count as less.
const QUICKER: f64 = 0.99;

fn with_quickest(
    module: Module,
    options: &Options,
    mut points: Vec<Point>,
) -> Result<Vec<Point>, Vec<Diagnostic>> {
    let goal = Goal::Seconds;
    if options.partition.goal == goal {
        return Ok(points);
    }
    let partition = meshwright_spmd::Options { goal, ..options.partition.clone() };
    let (planned, _) =
        plan(module, &Options { partition, ..options.clone() }, StopAfter::Reshard, &mut Unobserved)?;
    let program = local(planned, options, &mut Unobserved)?;
    let seconds = |program: &SpmdModule| step_seconds(program.module(), &options.partition.machine);
    let peak = held_peak(program.module(), options.partition.machine.holds());
    if points.first().is_some_and(|first| seconds(&program) < seconds(&first.program) * QUICKER) {
        points.push(Point { program, peak, limit: None, goal });
    }
    Ok(points)
}

/// Run a list of passes. Verified behind every pass that changed the module if that is asked for, and in builds with
/// debug assertions.
fn passes(
    list: &[ListedPass],
    module: &mut Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(), Vec<Diagnostic>> {
    run_passes(list, module, |pass, changed, module| {
        observer.stage(pass.name, module);
        let verifies = cfg!(debug_assertions) || options.verify_each;
        if verifies && changed { verified(pass.name, module, options) } else { Ok(()) }
    })
}

fn done(
    name: &'static str,
    module: &Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(), Vec<Diagnostic>> {
    observer.stage(name, module);
    verified(name, module, options)
}

fn verified(name: &str, module: &Module, options: &Options) -> Result<(), Vec<Diagnostic>> {
    if options.trust {
        return Ok(());
    }
    meshwright_ir::verify(module).map_err(|found| defect(name, found))
}

/// What was found of a module, behind the stage or pass that made it.
fn defect(name: &str, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let head = Diagnostic::error(DEFECT, format!("`{name}` made a module that does not verify"))
        .note("this is a defect of Meshwright, not of the input")
        .help(match Caller::here() {
            Caller::CommandLine => "write out what every stage and pass makes with `--dump-dir DIR`, and report it with the input",
            Caller::Python => "report it with the module's text, as `str(program)` has it",
        });
    std::iter::once(head).chain(found).collect()
}
