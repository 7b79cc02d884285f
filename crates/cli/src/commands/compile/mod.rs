//! `compile`: a program partitioned here and compiled by a plugin of PJRT, with what its compiler says of memory, time
//! and collectives beside what `plan` says.

mod machine;
mod shown;

use super::plan::planned::{Planned, Room};
use super::plan::subject::{Change, Subject};
use crate::engine::{BAD_DEVICES, failed};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::load::stated_devices;
use crate::plan_args::CompileArgs;
use crate::plugins;
use crate::report::Report;
use crate::still::{Hearing, Still};
use crate::stored::PlannedAs;
use crate::units;
use crate::watching::Shown;
use machine::Machine;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_compile::Observer;
use meshwright_cost::machine::target::shapes_of;
use meshwright_cost::traffic::pattern_of;
use meshwright_cost::{Pattern, Target};
use meshwright_ir::{FuncId, Module, Op};
use meshwright_pjrt::abi::ErrorCode;
use meshwright_pjrt::{
    Client, Collectives, CompileOptions, CompiledCollectives, CompiledMemory, Cycles, DeviceInfo,
    LoadedProgram, NamedValue, Plugin, PluginError, Stored, TOO_LARGE, TOPOLOGY, Topology, Tried, Trouble,
    collectives, cycles, handed_over, mark_of, mark_of_devices, text_of,
};
use meshwright_train::run::Watch;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// What was compiled, and what its compiler says of it.
struct Told {
    plugin: &'static Plugin,
    machine: String,
    devices: usize,
    /// Those of the machine.
    there: usize,
    seconds: f64,
    memory: Option<CompiledMemory>,
    costs: Vec<(String, NamedValue)>,
    /// As the program has them, and as the compiled one does, if that can be looked at.
    written: Collectives,
    kept: Option<CompiledCollectives>,
    /// Of its computing, where the compiler writes them.
    cycles: Option<Cycles>,
    saved: Option<(String, usize)>,
    /// What was asked for.
    limit: Option<i64>,
    /// The peak and the seconds, by `plan`, of what did not fit the machine.
    before: Option<(i64, f64)>,
}

pub fn compile(args: &CompileArgs) -> Result<Report, Failure> {
    // What no plugin could do is told before one is looked for.
    let kind =
        args.target.as_ref().map(|target| Machine::of(target, 1).map(|machine| machine.kind)).transpose()?;
    let plugin = plugins::chosen(&args.plugin, kind)?;
    if let Some(path) = &args.save {
        input::check_other(path, &args.subject.what)?;
        input::check_place(path)?;
    }
    let subject = Subject::open(&args.subject)?;
    let change = Change::of(&args.subject)?;
    let given = subject.with(&change)?;
    let machine = Opened::of(plugin, args, stated_devices(&given.module))?;
    let still = Still::begun();
    let Fitting { planned, room, before } = fitting(args, &subject, &change, &mut Hearing(still.as_ref()))?;
    let devices = machine.assigned(&planned)?;
    let whole = handed_over(&planned.program, devices.len()).map_err(|error| failed(&error))?;
    let text = text_of(&whole);
    let begun = Instant::now();
    let library = Path::new(plugin.path()).file_name().unwrap_or_default().to_string_lossy();
    still.iter().for_each(|still| still.working(format!("by `{library}` for {}", machine.name)));
    let options = CompileOptions { devices };
    let results = planned.program.results.iter().map(|result| result.global.dims.len()).collect();
    // What a client compiled is looked at as long as the client has it.
    let loaded;
    let compiled = match &machine.of {
        Devices::Described { topology, .. } => topology.compile(&text, &options),
        Devices::There(client) => match LoadedProgram::new(client, &text, &options, results) {
            Ok(program) => {
                loaded = program;
                loaded.compiled()
            }
            Err(error) => Err(error),
        },
    };
    let compiled = compiled.map_err(|error| refused(&error, &planned, args.top))?;
    drop(still);
    let seconds = begun.elapsed().as_secs_f64();
    let asking = |error: PluginError| plugins::failed(&error, Tried::Asking);
    let save = |path: &Path| -> Result<(String, usize), Failure> {
        let (platform, version) = machine.platform().map_err(asking)?;
        let plan = planned_as(args, &planned, room).written();
        let (mark, devices) = (mark_of(&text), mark_of_devices(&options));
        let bytes = compiled.serialized().map_err(asking)?;
        let bytes = Stored { platform, version, plan, mark, devices, bytes }.to_bytes();
        input::write_file(path, &bytes)?;
        Ok((path.display().to_string(), bytes.len()))
    };
    let saved = args.save.as_deref().map(save).transpose()?;
    let mut untold = String::new();
    let optimized = offered(compiled.optimized(), &mut untold);
    let told = Told {
        plugin,
        machine: machine.name.clone(),
        devices: options.devices.len(),
        there: machine.devices.len(),
        seconds,
        memory: offered(compiled.memory(), &mut untold),
        costs: offered(compiled.costs(), &mut untold).unwrap_or_default(),
        written: collectives_of(&whole, whole.entry, &mut BTreeMap::new()),
        kept: optimized.as_ref().and_then(collectives),
        cycles: optimized.as_ref().and_then(cycles),
        saved,
        limit: args.memory_limit,
        before,
    };
    Ok(shown::report(&planned, &told).noted(untold))
}

/// A plugin may have no analysis to offer: what was compiled is compiled all the same.
fn offered<T>(told: Result<T, PluginError>, untold: &mut String) -> Option<T> {
    told.inspect_err(|error| {
        if !error.has_code(ErrorCode::UNIMPLEMENTED) && !matches!(error.trouble, Trouble::Lacks { .. }) {
            untold.push_str(&format!("note: {error}\n"));
        }
    })
    .ok()
}

/// How the program was planned, for who runs what was stored.
fn planned_as(args: &CompileArgs, planned: &Planned, room: Room) -> PlannedAs {
    let shape = args.target.as_ref().and_then(|target| target.shape(planned.devices()));
    let target = shape.map(|(kind, sizes)| {
        let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
        format!("{kind}:{}", sizes.join("x"))
    });
    PlannedAs { target, room, mesh: args.subject.mesh.clone() }
}

/// The devices that a plugin opened, or describes.
struct Opened {
    of: Devices,
    /// As `--target` names it; the platform in the plugin's words, without one.
    name: String,
    devices: Vec<DeviceInfo>,
}

enum Devices {
    Described { topology: Topology, has_parts: bool },
    There(Arc<Client>),
}

impl Opened {
    fn of(plugin: &'static Plugin, args: &CompileArgs, devices: i64) -> Result<Opened, Failure> {
        let options = &args.plugin.plugin_option;
        let Some(target) = &args.target else {
            let failed = |error: PluginError| plugins::failed(&error, Tried::Devices);
            let client = Client::new(plugin, options).map_err(failed)?;
            let (name, devices) = (client.platform().map_err(failed)?, client.devices().map_err(failed)?);
            return Ok(Opened { of: Devices::There(Arc::new(client)), name, devices });
        };
        let machine = Machine::of(target, devices)?;
        let failed = |error: PluginError| unknown(&error, &machine.name, target);
        let topology = Topology::named(plugin, &machine.called, &machine.options(options)).map_err(failed)?;
        let mut devices = topology.devices().map_err(failed)?;
        devices.arrange_by_key(lies_at);
        Ok(Opened {
            of: Devices::Described { topology, has_parts: machine.has_parts },
            name: machine.name,
            devices,
        })
    }

    /// The devices that run the program's partitions: the first of the machine, where it has more.
    fn assigned(&self, planned: &Planned) -> Result<Vec<i64>, Failure> {
        let wanted = usize::try_from(planned.devices()).unwrap_or(1);
        let there = self.devices.len();
        let (is_right, help) = match self.of {
            Devices::Described { has_parts: true, .. } => (
                wanted <= there,
                "name a larger machine, or drop its shape; `--mesh` gives the program other sizes",
            ),
            Devices::Described { has_parts: false, .. } => (
                wanted == there,
                "name a machine of as many, or drop its shape: no part of this kind can be compiled for; `--mesh` gives \
                 the program other sizes",
            ),
            Devices::There(_) => (wanted <= there, "give the program fewer devices by `--mesh`"),
        };
        if !is_right {
            let message = format!("the program has {wanted} devices, `{}` has {there}", self.name);
            return Err(Failure::new(Fault::Usage, Diagnostic::error(BAD_DEVICES, message).help(help)));
        }
        Ok(self.devices.iter().take(wanted).map(|device| device.id).collect())
    }

    /// What runs there, and its version.
    fn platform(&self) -> Result<(String, String), PluginError> {
        match &self.of {
            Devices::Described { topology, .. } => Ok((topology.platform()?, topology.platform_version()?)),
            Devices::There(client) => Ok((client.platform()?, client.platform_version()?)),
        }
    }
}

/// A machine that the plugin does not take, with those that it does.
fn unknown(error: &PluginError, name: &str, target: &Target) -> Failure {
    let mut told = error.diagnostic(Tried::Topology(name));
    if told.code != TOPOLOGY {
        return Failure::new(Fault::Environment, told);
    }
    let help = target.shape(1).and_then(|(kind, _)| shapes_of(kind));
    told.help = help.or(told.help);
    Failure::new(Fault::Usage, told)
}

/// Where a device lies in the machine, outermost direction first, as `plan` lays a mesh; then its core and its number.
fn lies_at(device: &DeviceInfo) -> (Vec<i64>, i64, i64) {
    let told =
        |wanted: &str| device.attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let at = match told("coords") {
        Some(NamedValue::Ints(at)) => at.clone(),
        _ => Vec::new(),
    };
    let core = match told("core_on_chip") {
        Some(NamedValue::Int(core)) => *core,
        _ => 0,
    };
    (at, core, device.id)
}

/// A plan, and what it was made of.
struct Fitting {
    planned: Planned,
    room: Room,
    /// The peak and the seconds of the plan that did not fit the machine.
    before: Option<(i64, f64)>,
}

/// The plan within the memory that was asked for; within the machine's, where it can be kept.
fn fitting(
    args: &CompileArgs,
    subject: &Subject,
    change: &Change,
    observer: &mut dyn Observer,
) -> Result<Fitting, Failure> {
    let target = args.target.clone().unwrap_or_else(|| Target::of(meshwright_cost::Machine::default()));
    let mut plan = |room, before| {
        let planned = Planned::heard(subject, change, &target, room, observer)?;
        Ok(Fitting { planned, room, before })
    };
    let room = match (args.memory_limit, &args.target) {
        (Some(limit), _) => return plan(Room::Limit(limit), None),
        (None, Some(_)) => Room::Worth,
        (None, None) => Room::Any,
    };
    let first = plan(room, None)?;
    let (capacity, peak) = (first.planned.machine.capacity, first.planned.memory.peak);
    if peak <= capacity || args.target.is_none() {
        return Ok(first);
    }
    let told = format!("it does not fit {} as it is: looking for a way", units::bytes(capacity));
    Shown::new(false).note(&told);
    let before = Some((peak, first.planned.step.seconds));
    Ok(plan(Room::Limit(capacity), before).unwrap_or(first))
}

/// The compiler's words, and ours of what is large. What does not fit is at fault itself, as `plan` has it, and neither
/// the plugin nor the machine.
fn refused(error: &PluginError, planned: &Planned, top: usize) -> Failure {
    let mut diagnostic = error.diagnostic(Tried::Compiling);
    if diagnostic.code == TOO_LARGE {
        diagnostic = diagnostic.note(format!(
            "`plan` counts {} of a device, {} of them parameters and the optimizer's",
            units::bytes(planned.memory.peak),
            units::bytes(planned.memory.inputs.state())
        ));
        for live in planned.memory.largest.iter().take(top) {
            diagnostic =
                diagnostic.note(format!("{} of {}: {}", units::bytes(live.bytes), live.what, live.ty));
        }
    }
    let fault = if diagnostic.code == TOO_LARGE { Fault::Input } else { Fault::Environment };
    Failure::new(fault, diagnostic)
}

/// Collectives of a function as XLA calls them, those of what it calls as often as it does.
fn collectives_of(module: &Module, func: FuncId, known: &mut BTreeMap<FuncId, Collectives>) -> Collectives {
    if let Some(counted) = known.get(&func) {
        return counted.clone();
    }
    let mut counts = Collectives::new();
    for inst in module.funcs[func].insts_in_order() {
        match &module.funcs[func].inst(inst).op {
            Op::Call(call) => {
                for (kind, count) in collectives_of(module, call.callee, known) {
                    *counts.entry(kind).or_default() += count;
                }
            }
            Op::Collective(collective) => {
                *counts.entry(hlo_name(pattern_of(&collective.kind))).or_default() += 1
            }
            _ => {}
        }
    }
    known.insert(func, counts.clone());
    counts
}

/// A kind of collective as XLA calls it.
fn hlo_name(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::AllReduce => "all-reduce",
        Pattern::AllGather => "all-gather",
        Pattern::ReduceScatter => "reduce-scatter",
        Pattern::AllToAll => "all-to-all",
        Pattern::Permute => "collective-permute",
        Pattern::Broadcast => "collective-broadcast",
    }
}
