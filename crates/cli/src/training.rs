//! What the commands that run models share: configurations from arguments, devices, and whose fault an error is.

use crate::commands::run::memory::limit_of_device;
use crate::engine::{failed, on_plugin};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::plugins;
use crate::stages::Programs;
use crate::train_args::{HostArgs, ModelArgs, TrainBackend};
use meshwright_base::{Code, Diagnostic, SourceText};
use meshwright_cpu::Cpu;
use meshwright_pjrt::Exchange;
use meshwright_runtime::files::read_regular;
use meshwright_runtime::{Devices, InProcess, RunError};
use meshwright_train::Config;
use meshwright_train::checkpoint::{Checkpoint, State, Weights};
use meshwright_train::config::{Axes, Bound, Corpus};
use meshwright_train::data::content::Contents;
use meshwright_train::data::feed::Feed;
use meshwright_train::data::source::Source;
use meshwright_train::foreign::{Foreign, Library};
use meshwright_train::metrics::{Metrics, history};
use meshwright_train::preset::preset;
use meshwright_train::run::{Error, Host, RunDir, TextPlan, TrainingPlan};
use std::path::Path;
use std::sync::Arc;

const MESH: Code = Code(1144);
const NO_CHECKPOINT: Code = Code(1147);
const NO_CONFIGURATION: Code = Code(1148);
const NO_TEXT: Code = Code(1154);
const NO_TOKENIZER: Code = Code(1214);
const NO_DATA: Code = Code(1216);

/// Most devices of one process.
const MOST_DEVICES: usize = 4096;

/// A configuration by name: a file if it looks like one, or a preset; with its text, which diagnostics point into. What
/// stands in a preset tells nothing of what its user believes, so none of it is refused for having no effect.
pub fn named(name: &str) -> Result<(Config, SourceText), Failure> {
    let path = Path::new(name);
    let is_run_dir = path.join("config.toml").is_file();
    let has_form = name.ends_with(".toml") || name.contains(std::path::MAIN_SEPARATOR) || path.is_file();
    let (text, read) = match has_form {
        _ if is_run_dir => return Err(is_run(name)),
        true => (input::read_configuration(path)?, Config::read as fn(&SourceText) -> _),
        false => (preset_of(name)?, Config::read_whole as fn(&SourceText) -> _),
    };
    match read(&text) {
        Ok(config) => Ok((config, text)),
        Err(found) => Err(Failure::in_text(text, found)),
    }
}

/// The text of a preset, also where its name is written as in other commands: `preset:NAME`.
fn preset_of(name: &str) -> Result<SourceText, Failure> {
    let name = crate::preset::name(Path::new(name)).unwrap_or(name);
    preset(name).map_err(|_| crate::preset::untrainable(name))
}

/// A run where a configuration was asked for.
fn is_run(name: &str) -> Failure {
    let message = format!("`{name}` is the directory of a run");
    let help = format!(
        "go on with it by `--resume {name}`, or begin another as it was by `train {name}/config.toml`"
    );
    Failure::input(Diagnostic::error(NO_CONFIGURATION, message).help(help))
}

/// Fields that arguments set, in the order they are given.
pub fn set(config: &mut Config, assignments: &[String]) -> Result<(), Failure> {
    assignments.iter().try_for_each(|one| config.set(one).map_err(wrong))
}

/// A mesh from an argument.
pub fn axes(text: &str) -> Result<Axes, Failure> {
    // None at all is what a variable without a value leaves.
    Axes::parse(text).filter(|axes| !axes.0.is_empty()).ok_or_else(|| {
        let diagnostic = Diagnostic::error(MESH, format!("`--mesh {text}` is no list of axes with sizes"))
            .help("write distinct axes with sizes of 1 or more, as `data=2,expert=4`");
        Failure::new(Fault::Usage, diagnostic)
    })
}

/// Errors end the command; what a choice costs is returned as text.
pub fn checked(config: &Config, text: Option<&SourceText>) -> Result<String, Failure> {
    let (errors, costs): (Vec<Diagnostic>, Vec<Diagnostic>) =
        config.check().into_iter().partition(Diagnostic::is_error);
    match (errors.is_empty(), text) {
        (true, _) => Ok(costs.iter().map(|cost| meshwright_base::render(cost, text)).collect()),
        (false, Some(text)) => Err(Failure::in_text(text.clone(), errors)),
        (false, None) => Err(wrong(errors)),
    }
}

/// As many devices as the mesh has, which must be as many as were asked for.
pub fn devices(config: &Config, args: &HostArgs) -> Result<usize, Failure> {
    let needed = config.mesh.axes.devices();
    let asked = args.devices.map_or(needed, |devices| devices as usize);
    let of = if config.mesh.axes.0.is_empty() { "of " } else { "" };
    let shown = || format!("{of}{}", shown_axes(&config.mesh.axes));
    if asked != needed {
        let message = format!("`--devices {asked}`, but the mesh {} has {needed} devices", shown());
        let help = "change `--mesh` so that its sizes multiply to the number of devices, or drop `--devices`";
        return Err(Failure::new(Fault::Usage, Diagnostic::error(MESH, message).help(help)));
    }
    if needed > MOST_DEVICES {
        let message =
            format!("the mesh {} has {needed} devices, a process runs {MOST_DEVICES} at most", shown());
        let help = "use a smaller `--mesh`";
        return Err(Failure::new(Fault::Usage, Diagnostic::error(MESH, message).help(help)));
    }
    Ok(needed)
}

/// `mesh data=2,expert=4`; `one device` where there are no axes.
pub fn mesh_text(axes: &Axes) -> String {
    let shown = shown_axes(axes);
    if axes.0.is_empty() { shown } else { format!("mesh {shown}") }
}

pub fn shown_axes(axes: &Axes) -> String {
    let one = |(name, size): &(String, usize)| format!("{name}={size}");
    if axes.0.is_empty() {
        "one device".to_string()
    } else {
        axes.0.iter().map(one).collect::<Vec<_>>().join(",")
    }
}

/// Devices of this process.
pub fn in_process(args: &HostArgs, devices: usize) -> InProcess {
    InProcess::new(devices, args.threads.map(|n| n as usize), Arc::new(engine(args)))
}

fn engine(args: &HostArgs) -> Cpu {
    Cpu { verify_each: args.dump.verify_each, ..Cpu::default() }
}

/// Runs `work` on the devices of this process, or of all ranks. `None` in processes that tell nothing.
pub fn on_devices<R>(
    args: &HostArgs,
    backend: TrainBackend,
    devices: usize,
    work: impl FnOnce(&Host<'_>) -> Result<R, Failure>,
) -> Result<Option<R>, Failure> {
    if backend != TrainBackend::Pjrt {
        plugins::unused(&args.plugin, None, Some(&args.processes))?;
    }
    let programs = Programs::new(&args.dump)?;
    match backend {
        TrainBackend::Cpu => on_host(args, devices, &programs, work).map(Some),
        TrainBackend::Mpi => over_ranks(args, devices, programs, work),
        TrainBackend::Pjrt => {
            let set = on_plugin(&args.plugin, args.processes.job(args.deadline)?, devices)?;
            // The plugin knows how much its devices have.
            let limit = args.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            match set.exchange() {
                None => on(&set, limit, &programs, work).map(Some),
                Some(exchange) => among(&set, exchange, limit, programs, work),
            }
        }
    }
}

/// How many ranks there are.
pub fn ranks_there(backend: TrainBackend) -> usize {
    match backend {
        TrainBackend::Cpu | TrainBackend::Pjrt => 1,
        #[cfg(feature = "mpi")]
        TrainBackend::Mpi => meshwright_mpi::expected_ranks(),
        #[cfg(not(feature = "mpi"))]
        TrainBackend::Mpi => 1,
    }
}

/// Runs `work` on devices of this process, which hold everything.
pub fn on_host<R>(
    args: &HostArgs,
    devices: usize,
    programs: &Programs,
    work: impl FnOnce(&Host<'_>) -> R,
) -> R {
    on(&in_process(args, devices), Some(memory_limit(args, devices)), programs, work)
}

/// Runs `work` on devices that hold everything.
fn on<R>(
    devices: &dyn Devices,
    memory_limit: Option<usize>,
    programs: &Programs,
    work: impl FnOnce(&Host<'_>) -> R,
) -> R {
    let gather = |shards: Vec<Vec<u8>>| Ok::<_, RunError>(Some(shards));
    work(&Host {
        devices,
        gather: &gather,
        say: &|own| Ok(vec![own]),
        is_first: true,
        memory_limit,
        compile: &|module| programs.compile(module),
    })
}

/// Runs `work` in each of several processes, which have devices of a plugin.
fn among<R>(
    devices: &dyn Devices,
    exchange: &Exchange,
    memory_limit: Option<usize>,
    programs: Programs,
    work: impl FnOnce(&Host<'_>) -> Result<R, Failure>,
) -> Result<Option<R>, Failure> {
    let is_first = exchange.is_first();
    let programs = if is_first { programs } else { Programs::default() };
    // Only the first process shows the run, and any may be the one that is asked to stop. One that fails leaves without
    // a word, and the others are told.
    let _listening = meshwright_runtime::interrupt::listen_gently();
    let done = work(&Host {
        devices,
        gather: &|shards| exchange.gather(shards),
        say: &|own| exchange.all(own),
        is_first,
        memory_limit,
        compile: &|module| programs.compile(module),
    })?;
    exchange.leave().map_err(|error| failed(&error))?;
    Ok(is_first.then_some(done))
}

/// Runs `work` in every rank, where this binary was built for MPI.
#[cfg(feature = "mpi")]
fn over_ranks<R>(
    args: &HostArgs,
    devices: usize,
    programs: Programs,
    work: impl FnOnce(&Host<'_>) -> Result<R, Failure>,
) -> Result<Option<R>, Failure> {
    let set = ranks(args, devices)?;
    let gather = |shards: Vec<Vec<u8>>| set.gather(&shards);
    let say = |own: u64| set.all(own);
    let is_first = set.rank() == 0;
    let memory_limit = Some(memory_limit(args, meshwright_runtime::Devices::local(&set).len()));
    let programs = if is_first { programs } else { Programs::default() };
    let compile = |module| programs.compile(module);
    let host = Host { devices: &set, gather: &gather, say: &say, is_first, memory_limit, compile: &compile };
    // Only the first rank shows the run, and any may be the one that is asked to stop.
    let _listening = meshwright_runtime::interrupt::listen_gently();
    let done = work(&host).map_err(|failure| -> Failure {
        // Others may wait for this rank for ever: say what it was, then end all.
        let _ = failure.print(false);
        set.abort(i32::from(failure.exit_code()))
    })?;
    Ok(is_first.then_some(done))
}

#[cfg(not(feature = "mpi"))]
fn over_ranks<R>(
    _: &HostArgs,
    _: usize,
    _: Programs,
    _: impl FnOnce(&Host<'_>) -> Result<R, Failure>,
) -> Result<Option<R>, Failure> {
    Err(crate::engine::no_ranks())
}

/// What was asked for, or what this machine has for so many devices of a process: a run that does not fit is refused
/// before it takes anything.
fn memory_limit(args: &HostArgs, devices: usize) -> usize {
    let asked = args.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    asked.unwrap_or_else(|| limit_of_device(devices))
}

/// Weights with everything it takes to use them.
pub struct Opened<P = TrainingPlan, F = Feed> {
    pub config: Config,
    pub plan: P,
    pub feed: F,
    pub dir: RunDir,
    pub weights: Box<dyn Weights>,
    /// Steps that they were trained here. Without any, the corpus of the configuration is none that they know.
    pub step: u64,
    pub devices: usize,
    /// What the configuration costs, in words.
    pub notes: String,
}

/// The newest checkpoint of a run, the one that was named, or another library's folder, on the mesh that was asked for.
pub fn opened(args: &ModelArgs, host: &HostArgs) -> Result<Opened, Failure> {
    let Found { mut config, dir, weights, step, contents, found } =
        match Library::of(&args.dir.to_string_lossy()) {
            Some((library, folder)) => foreign(library, folder)?,
            None => of_run(&args.dir)?,
        };
    // A small model needs no mesh to be looked at; groups of tokens stay as they were in training.
    config.model.group_size = meshwright_train::run::group_size(&config);
    config.mesh.axes = args.mesh.as_deref().map(axes).transpose()?.unwrap_or_default();
    let before = config.clone();
    set(&mut config, &args.set)?;
    // Another text may be looked at, and other batches; not another model.
    let binds = |bound| matches!(bound, Bound::Model | Bound::Vocabulary | Bound::States);
    let refused = config.refused_on_resume(&before, binds);
    if !refused.is_empty() {
        return Err(wrong(refused));
    }
    let notes = found + &checked(&config, None)?;
    let devices = devices(&config, host)?;
    if contents.is_none() && config.data.tokenizer.is_empty() {
        return Err(no_tokenizer(&args.dir));
    }
    let feed = meshwright_train::run::open_feed(&config, &dir).map_err(ended_by)?;
    if let Some(contents) = &contents {
        feed.contents().tokenizer_since(contents).map_err(ended_by)?;
    }
    let plan = TrainingPlan::fed(&config, &feed).map_err(ended_by)?;
    Ok(Opened { config, plan, feed, dir, weights, step, devices, notes })
}

/// Weights as they were found.
struct Found {
    config: Config,
    dir: RunDir,
    weights: Box<dyn Weights>,
    step: u64,
    /// What the run has read, if it is one.
    contents: Option<Contents>,
    /// What is to be told of it, in lines.
    found: String,
}

fn of_run(dir: &Path) -> Result<Found, Failure> {
    let saved = meshwright_train::run::find(dir).map_err(ended_by)?;
    let Some(path) = saved.checkpoint else { return Err(no_checkpoint(dir)) };
    let checkpoint = Checkpoint::open(&path).map_err(ended_by)?;
    let State { step, contents, .. } = checkpoint.state().clone();
    Ok(Found {
        config: saved.config,
        dir: saved.dir,
        weights: Box::new(checkpoint),
        step,
        contents: Some(contents),
        found: String::new(),
    })
}

/// A folder of another library, as it lies there.
fn foreign(library: Library, folder: &Path) -> Result<Found, Failure> {
    let foreign = Foreign::open(library, folder).map_err(ended_by)?;
    let found = foreign.notes().iter().map(|note| format!("note: {note}\n")).collect();
    Ok(Found {
        config: foreign.with_tokenizer().map_err(ended_by)?,
        dir: RunDir::new(folder),
        weights: Box::new(foreign),
        step: 0,
        contents: None,
        found,
    })
}

fn no_tokenizer(dir: &Path) -> Failure {
    let message = format!("there is no tokenizer in `{}`, so no text can be read", dir.display());
    let folder = Library::of(&dir.to_string_lossy()).map_or(dir.to_path_buf(), |(_, folder)| folder.into());
    // Its pieces have other numbers in the model, which its `tokenizer.json` has.
    let shifted = "sentencepiece.bpe.model";
    let help = if folder.join(shifted).is_file() {
        format!(
            "`{shifted}` numbers pieces otherwise than the model: write `tokenizer.json` in Python, by \
             `transformers.AutoTokenizer.from_pretrained('{0}').save_pretrained('{0}')`",
            folder.display()
        )
    } else {
        "put its `tokenizer.json` or `spiece.model` there, or name one: `--set data.tokenizer=FILE`"
            .to_string()
    };
    Failure::input(Diagnostic::error(NO_TOKENIZER, message).help(help))
}

/// The same, to be judged by texts. Weights that were not trained here have no corpus of their own: one is named, and
/// of files every line is read, as none was trained on.
pub fn opened_to_judge(args: &ModelArgs, host: &HostArgs) -> Result<Opened, Failure> {
    let mut model = opened(args, host)?;
    if model.step > 0 {
        return Ok(model);
    }
    let says = |field: &str| args.set.iter().any(|set| set.split('=').next() == Some(field));
    if !says("data.corpus") {
        return Err(no_data(&args.dir));
    }
    if model.config.data.corpus == Corpus::Files && !says("data.held_out_one_in") {
        model.config.data.held_out_one_in = 1;
        model.feed = meshwright_train::run::open_feed(&model.config, &model.dir).map_err(ended_by)?;
    }
    Ok(model)
}

fn no_data(dir: &Path) -> Failure {
    let dir = dir.display();
    let message = format!("`{dir}` has weights, and no texts to judge them by: they were not trained here");
    let help = format!(
        "name some, one a line, with a tab before what is to be written: `meshwright eval {dir} --set data.corpus=files \
         --set 'data.files=[\"held-out.txt\"]'`; or phrases made by rules: `--set data.corpus=multilingual`"
    );
    Failure::new(Fault::Usage, Diagnostic::error(NO_DATA, message).help(help))
}

/// Names the texts that an evaluation reads.
pub fn judged(config: &Config) -> String {
    let data = &config.data;
    let names: Vec<String> = data.files.iter().map(|file| format!("`{file}`")).collect();
    match data.corpus {
        _ if data.corpus.reads_files() && !names.is_empty() && data.held_out_one_in == 1 => names.join(", "),
        _ if data.corpus.reads_files() && !names.is_empty() => {
            format!("the held-out part of {}", names.join(", "))
        }
        corpus => format!("the held-out part of corpus \"{}\"", corpus.word()),
    }
}

/// A checkpoint of a model that reads and writes text.
pub type OpenedText = Opened<TextPlan, Source>;

/// The same of a run that has learnt from text; any other is refused.
pub fn opened_text(args: &ModelArgs, host: &HostArgs) -> Result<OpenedText, Failure> {
    as_text(&args.dir, opened(args, host)?)
}

/// The same of what was opened.
pub fn as_text(at: &Path, model: Opened) -> Result<OpenedText, Failure> {
    let Opened { config, plan, feed, dir, weights, step, devices, notes } = model;
    let Some((plan, feed)) = plan.text().zip(feed.into_text()) else {
        return Err(no_text(at, &config));
    };
    Ok(Opened { config, plan, feed, dir, weights, step, devices, notes })
}

fn no_text(dir: &Path, config: &Config) -> Failure {
    let message =
        format!("the run in `{}` has learnt to {}, and no text", dir.display(), config.data.task.word());
    let help = format!("see how good it is by `meshwright eval {}`", dir.display());
    Failure::input(Diagnostic::error(NO_TEXT, message).help(help))
}

pub fn no_checkpoint(path: &Path) -> Failure {
    let message = format!("the run in `{}` has no checkpoint yet", path.display());
    let help = format!("go on with it by `meshwright train --resume {}`", path.display());
    Failure::input(Diagnostic::error(NO_CHECKPOINT, message).help(help))
}

/// Returns the metrics that a run has logged so far: none if it logs nowhere or has not begun.
pub fn metrics(dir: &RunDir, config: &Config) -> Result<Vec<Metrics>, Failure> {
    let Some(path) = dir.within(&config.metrics.jsonl) else { return Ok(Vec::new()) };
    match read_regular(&path) {
        Ok(bytes) => Ok(history(&bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(crate::input::unreadable(&path.display().to_string(), &error)),
    }
}

/// The directory that a run gets if none is named: after its preset or its file.
pub fn dir_of(name: &str) -> RunDir {
    let name = crate::preset::name(Path::new(name)).unwrap_or(name);
    let stem = Path::new(name).file_stem().map_or("run".into(), |stem| stem.to_string_lossy().into_owned());
    RunDir::first_free(Path::new("runs"), &stem)
}

pub fn ended_by(error: impl Into<Error>) -> Failure {
    match error.into() {
        Error::Input(found) => wrong(found),
        Error::Environment(found) => Failure::new(Fault::Environment, found),
        Error::Run(error) => failed(&error),
    }
}

fn wrong(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::found(diagnostics, None)
}

/// The devices of all ranks.
#[cfg(feature = "mpi")]
fn ranks(args: &HostArgs, devices: usize) -> Result<meshwright_mpi::MpiDevices, Failure> {
    let engine = crate::args::EngineArgs {
        threads: args.threads,
        memory_limit: args.memory_limit,
        check_nans: false,
        trace: None,
        deadline: args.deadline,
        plugin: crate::plan_args::PluginArgs::default(),
        stored: None,
        processes: crate::processes::ProcessArgs::default(),
    };
    crate::engine::over_ranks(&engine, args.dump.verify_each, devices)
}
