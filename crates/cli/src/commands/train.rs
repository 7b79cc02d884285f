//! `meshwright train`: a preset or a configuration becomes a run in a directory.

use crate::commands::eval::{
    answers, by_part, by_task, figures, figures_as_json, parts, samples, samples_as_json,
};
use crate::failure::Failure;
use crate::html::run_page;
use crate::report::Report;
use crate::serve::{Shelf, serve};
use crate::train_args::{DataChanged, HostArgs, TrainArgs};
use crate::training::{self, axes, checked, dir_of, ended_by};
use crate::watching::{Live, Shown};
use meshwright_base::units::count;
use meshwright_base::{Code, Diagnostic, SourceText};
use meshwright_train::Config;
use meshwright_train::checkpoint::Kept;
use meshwright_train::config::{Bound, Task};
use meshwright_train::data::content::DataChange;
use meshwright_train::presence;
use meshwright_train::preset;
use meshwright_train::run::{
    self, Claim, Ending, Host, Outcome, RunDir, Seen, Setup, Start, Told, Watch, view,
};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STOPPED: Code = Code(1145);

/// A run about to begin.
struct Planned {
    config: Config,
    /// What the configuration was read from, unless it is a checkpoint's.
    text: Option<SourceText>,
    dir: RunDir,
    start: Start,
    /// The configuration of the run that goes on.
    saved: Option<Config>,
    /// Keeps others from removing the checkpoint that it goes on from.
    kept: Option<Arc<Kept>>,
    /// What a preset that is left as it is comes to.
    expects: Option<&'static str>,
    /// What was chosen for it, in lines.
    notes: String,
    /// Where it is shown while it lasts.
    port: Option<u16>,
}

pub fn train(args: &TrainArgs) -> Result<Report, Failure> {
    // Held to the end of the process: it lives while it prints what came of the run.
    std::mem::forget(args.alive.as_deref().and_then(presence::show));
    let mut planned = planned(args)?;
    if let Some(saved) = &planned.saved {
        check_resumed(&planned, saved)?;
    }
    let notes = planned.notes.clone() + &checked(&planned.config, planned.text.as_ref())?;
    if args.print_config {
        return Ok(Report { notes, ..Report::new(planned.config.explained()) });
    }
    // An elastic mesh has as many as it found.
    let asked = args.host.devices.filter(|_| !args.elastic);
    let devices = training::devices(&planned.config, &HostArgs { devices: asked, ..args.host.clone() })?;
    let kept = planned.kept.take();
    let run = |host: &Host<'_>| on(host, &planned, kept, &notes);
    let done = training::on_devices(&args.host, args.backend, devices, run)?;
    match done {
        // Others may have the directory once its report is there.
        Some((outcome, setup, claim)) => build_report(&planned, &claim, &outcome, &setup),
        None => Ok(Report::elsewhere()),
    }
}

/// Configuration, directory and beginning, from the arguments.
fn planned(args: &TrainArgs) -> Result<Planned, Failure> {
    let mut planned = match (&args.resume, &args.config) {
        (Some(path), config) => resumed(path, config.as_deref(), args)?,
        (None, config) => fresh(config.as_deref().unwrap_or_default(), args)?,
    };
    planned.port = args.serve;
    if changes(args) {
        planned.expects = None;
    }
    let config = &mut planned.config;
    training::set(config, &args.set)?;
    if let Some(text) = &args.mesh {
        config.mesh.axes = axes(text)?;
    }
    config.train.steps = args.steps.unwrap_or(config.train.steps);
    if let Some(path) = &args.init_from {
        config.checkpoint.init_from = path.display().to_string();
    }
    if args.elastic {
        planned.notes = stretched(&mut planned, args)?;
    }
    Ok(planned)
}

/// Whether anything is asked for but what the configuration says.
fn changes(args: &TrainArgs) -> bool {
    !args.set.is_empty() || args.mesh.is_some() || args.steps.is_some() || args.init_from.is_some()
}

/// Takes the largest mesh on what is there. Groups of tokens stay as the run had them: without a size they would follow
/// the mesh.
fn stretched(planned: &mut Planned, args: &TrainArgs) -> Result<String, Failure> {
    let config = &mut planned.config;
    if config.model.group_size == 0 {
        config.model.group_size = run::group_size(planned.saved.as_ref().unwrap_or(&*config));
    }
    let ranks = training::ranks_there(args.backend);
    let wished = config.mesh.axes.devices();
    let there = args.host.devices.map_or((wished / ranks * ranks).max(ranks), |devices| devices as usize);
    let Some(axes) = config.largest_mesh(there, ranks) else {
        let message = format!(
            "no mesh of {} fits on {there} devices over {ranks} ranks",
            training::shown_axes(&config.mesh.axes)
        );
        let help = "give `--mesh` and `--devices`, or start another number of ranks";
        return Err(Failure::input(Diagnostic::error(STOPPED, message).help(help)));
    };
    if axes == config.mesh.axes {
        return Ok(String::new());
    }
    let [before, now] = [&config.mesh.axes, &axes].map(training::shown_axes);
    let (rows, tokens) = (config.data.batch, config.model.group_size);
    config.mesh.axes = axes;
    Ok(format!(
        "mesh {now} instead of {before}; the batch stays at {rows} rows and routing groups at {tokens} tokens\n"
    ))
}

/// The directory of the run that the arguments begin or go on with.
pub fn directory(args: &TrainArgs) -> Result<RunDir, Failure> {
    match (&args.out, &args.resume) {
        (Some(out), _) => Ok(RunDir::new(out)),
        (None, Some(path)) => Ok(run::find(path).map_err(ended_by)?.dir),
        (None, None) => Ok(dir_of(args.config.as_deref().unwrap_or_default())),
    }
}

/// What to do where processes cannot be started.
pub fn elastic_help() -> &'static str {
    "say how ranks are started with `--mpirun`, as `--mpirun 'mpirun --oversubscribe'`"
}

fn fresh(name: &str, args: &TrainArgs) -> Result<Planned, Failure> {
    let dir = args.out.as_ref().map_or_else(|| dir_of(name), RunDir::new);
    let (config, text) = training::named(name)?;
    let expects = preset::find(name).map(|preset| preset.expects);
    Ok(Planned {
        config,
        text: Some(text),
        dir,
        start: Start::Fresh,
        saved: None,
        kept: None,
        expects,
        notes: String::new(),
        port: None,
    })
}

fn resumed(path: &Path, config: Option<&str>, args: &TrainArgs) -> Result<Planned, Failure> {
    let saved = run::find(path).map_err(ended_by)?;
    let (config, text) = config.map(training::named).transpose()?.unzip();
    if let (Some(newest), None) = (saved.newer.last(), &args.out) {
        let message = format!("the run has a newer checkpoint, of step {newest}, that would be overwritten");
        let help = "resume the run's directory itself, or name a new one with `--out`";
        return Err(Failure::input(Diagnostic::error(STOPPED, message).help(help)));
    }
    let dir = match &args.out {
        None => saved.dir,
        Some(path) => {
            let dir = RunDir::new(path);
            dir.check_free().map_err(ended_by)?;
            dir
        }
    };
    let config = config.unwrap_or_else(|| saved.config.clone());
    let change = match args.data_changed {
        Some(DataChanged::Ok) => DataChange::Accept,
        None => DataChange::Refuse,
    };
    let start = Start::Resume(saved.checkpoint, change);
    Ok(Planned {
        config,
        text,
        dir,
        start,
        saved: Some(saved.config),
        kept: saved.kept,
        expects: None,
        notes: String::new(),
        port: None,
    })
}

/// A run goes on with what its first steps were made with. One without a checkpoint begins again, with the vocabulary
/// that it has learnt.
fn check_resumed(planned: &Planned, saved: &Config) -> Result<(), Failure> {
    let has_checkpoint = matches!(planned.start, Start::Resume(Some(_), _));
    let is_learnt = planned.dir.tokenizer().is_some();
    let binds = |bound| has_checkpoint || bound == Bound::Vocabulary && is_learnt;
    let refused = planned.config.refused_on_resume(saved, binds);
    match (refused.is_empty(), &planned.text) {
        (true, _) => Ok(()),
        (false, Some(text)) => Err(Failure::in_text(text.clone(), refused)),
        (false, None) => Err(ended_by(refused)),
    }
}

/// What a run came to, what was known of it before its first step, and its directory.
type Ended = (Outcome, Setup, Claim);

/// What an exit code is over 128 by is the signal that ended a process: shells and queues know it.
const BY_SIGNAL: u8 = 128;

fn on(host: &Host<'_>, planned: &Planned, kept: Option<Arc<Kept>>, notes: &str) -> Result<Ended, Failure> {
    let mut shown = Shown::new(!host.is_first);
    let expects = planned.expects.map(|expects| format!("expect: {expects}"));
    expects.iter().map(String::as_str).chain(notes.lines()).for_each(|line| shown.note(line));
    let claim = Claim::of(&planned.dir, host).map_err(ended_by)?;
    // From here on no other run removes checkpoints, and this one removes it in its turn.
    drop(kept);
    if let Some(port) = planned.port.filter(|_| host.is_first) {
        shown.live = Some(live(planned, port, &mut shown)?);
    }
    let done = run::train(&planned.config, &claim, &planned.start, host, &mut shown);
    let setup = std::mem::take(&mut shown.setup);
    done.map(|outcome| (outcome, setup, claim)).map_err(ended_by)
}

/// The page of a run that begins, and where it is.
fn live(planned: &Planned, port: u16, shown: &mut Shown) -> Result<Live, Failure> {
    let shelf = Shelf::default();
    let address = serve(port, &shelf)?;
    shown.note(&format!("live page: http://{address}/"));
    let dir = planned.dir.root.display().to_string();
    let before = match planned.start {
        Start::Fresh => Vec::new(),
        Start::Resume(..) => training::metrics(&planned.dir, &planned.config)?,
    };
    Ok(Live::new(shelf, dir, planned.config.clone(), before))
}

/// Builds the report of a run that ended.
fn build_report(
    planned: &Planned,
    claim: &Claim,
    outcome: &Outcome,
    setup: &Setup,
) -> Result<Report, Failure> {
    if let Ending::BadNumber { what, value } = &outcome.ending {
        return Err(stopped(what, *value, planned, outcome));
    }
    let report = write_report(planned, claim, outcome, setup)?;
    let mut text = text_of(planned, outcome);
    let signal = match outcome.ending {
        Ending::Asked(signal) => Some(signal),
        Ending::Done | Ending::BadNumber { .. } => None,
    };
    text += &format!("report: {} (page: {PAGE})\n", report.display());
    text += &next(planned, outcome);
    let evaluation = outcome.evaluation.as_ref();
    let exit = signal.map_or(0, |signal| BY_SIGNAL.saturating_add(signal));
    Ok(Report { exit, ..Report::new(text) }
        .with("run", outcome.run.to_string())
        .with("steps", outcome.step)
        .with("is_done", outcome.ending == Ending::Done)
        .with("seconds", outcome.seconds)
        .with("last_loss", json!(outcome.losses.last()))
        .with("eval_nll", json!(evaluation.map(|found| found.nll)))
        .with("eval_accuracy", json!(evaluation.map(|found| found.accuracy)))
        .with("parts", evaluation.map_or_else(Vec::new, |found| parts(&found.parts)))
        .with("answers", evaluation.map_or_else(Vec::new, |found| answers(&found.answers)))
        .with("samples", samples_as_json(&outcome.samples))
        .with("figures", evaluation.map_or_else(Vec::new, |found| figures_as_json(&found.figures)))
        .with("checkpoint", json!(outcome.checkpoint.as_ref().map(|path| path.display().to_string())))
        .with("directory", planned.dir.root.display().to_string()))
}

/// The report as a page, beside the one in Markdown.
const PAGE: &str = "report.html";

/// Writes the report with its curve, and the page.
fn write_report(
    planned: &Planned,
    claim: &Claim,
    outcome: &Outcome,
    setup: &Setup,
) -> Result<PathBuf, Failure> {
    let dir = planned.dir.root.display().to_string();
    let lines = training::metrics(&planned.dir, &planned.config)?;
    let told = Told { dir: &dir, config: &planned.config, setup, outcome, history: &lines };
    claim.write(run::CURVE, run::curve(&told).as_bytes()).map_err(ended_by)?;
    for picture in &outcome.pictures {
        claim.write(&picture.file, picture.svg.as_bytes()).map_err(ended_by)?;
    }
    let data =
        view(&Seen { dir: &dir, config: &planned.config, setup, history: &lines, outcome: Some(outcome) });
    claim.write(PAGE, run_page(&data, &planned.config.mesh.axes.0).as_bytes()).map_err(ended_by)?;
    let report = claim.write("report.md", run::report(&told).as_bytes()).map_err(ended_by)?;
    // Exit code 0 promises that all files are at the printed paths.
    claim.check_place().map_err(ended_by)?;
    Ok(report)
}

fn text_of(planned: &Planned, outcome: &Outcome) -> String {
    let mesh = training::mesh_text(&planned.config.mesh.axes);
    let mut text = format!("{}, {mesh}\n", outcome.summary());
    if let (Some(first), Some(last)) = (outcome.losses.first(), outcome.losses.last()) {
        let curve = meshwright_train::metrics::sparkline(&outcome.losses, 40);
        text += &format!("loss: {first:.4} -> {last:.4}  {curve}\n");
    }
    if let Some(found) = &outcome.evaluation {
        let places = planned.config.data.task.places();
        text += &format!(
            "held out: NLL {:.4} nats per {}, accuracy {:.1}% of {} {places}{}\n",
            found.nll,
            places.trim_end_matches('s'),
            found.accuracy * 100.0,
            found.tokens,
            found
                .examples
                .map_or(String::new(), |examples| format!(" in {}", count(examples as usize, "example")))
        );
        text += &figures(planned.config.data.task, &found.figures);
        text += &by_part(&found.parts);
        text += &by_task(&found.answers);
    }
    text += &samples(planned.config.data.task, &outcome.samples);
    if let Some(path) = &outcome.checkpoint {
        text += &format!("checkpoint: {}\n", path.display());
    }
    text
}

/// What to go on with, to be typed as it stands. Who learnt to fill gaps is not asked to write, for a prompt has none;
/// nor is who hears.
fn next(planned: &Planned, outcome: &Outcome) -> String {
    let (us, dir) = (called_as(), planned.dir.root.display());
    let more = match outcome.ending {
        Ending::Done => format!(" --steps {}", planned.config.train.steps.saturating_mul(2)),
        Ending::Asked(_) | Ending::BadNumber { .. } => String::new(),
    };
    let asks = |sample: &run::Sample| {
        let prompt = sample.prompt.replace('\'', "'\\''");
        format!("  {us} generate {dir} --prompt '{prompt}'\n")
    };
    let task = planned.config.data.task;
    let writes = task != Task::Spans && task.of_text();
    let generate = outcome.samples.last().filter(|_| writes).map(asks).unwrap_or_default();
    format!("next:\n{generate}  {us} train --resume {dir}{more}\n  {us} eval {dir} --batches 50\n")
}

/// The name or path that this process was started by.
fn called_as() -> String {
    let name = std::env::args().next().unwrap_or_default();
    if name.contains(std::path::MAIN_SEPARATOR) { name } else { "meshwright".to_string() }
}

/// What the model writes, beside what it should. Accuracy counts tokens after the true ones before them: it is told
/// apart.
fn stopped(what: &str, value: f64, planned: &Planned, outcome: &Outcome) -> Failure {
    let message = format!("the {what} of step {} is {value}", outcome.step);
    let note = match &outcome.checkpoint {
        Some(path) => format!("the last good checkpoint is `{}`", path.display()),
        None => "there is no checkpoint yet".to_string(),
    };
    let help = format!(
        "lower `optimizer.learning_rate` or set `optimizer.clip_norm`, as in `meshwright train --resume {} \
         --set optimizer.clip_norm=1`",
        planned.dir.root.display()
    );
    Failure::input(Diagnostic::error(STOPPED, message).note(note).help(help))
}
