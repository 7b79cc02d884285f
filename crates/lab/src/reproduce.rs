//! `meshwright reproduce`: a table that is computed, or the runs of a study one after the other, each kept as it is
//! done, then table and figure.

mod alike;
mod translations;
mod turns;

use crate::papers;
use crate::studies::{
    Measure, PartResult, Point, RunResult, Study, Variant, figure, page, report, studies, study,
};
use meshwright_base::{Code, Diagnostic, nearest};
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::report::Report;
use meshwright_cli::stages::Programs;
use meshwright_cli::train_args::ReproduceArgs;
use meshwright_cli::training::{checked, devices, ended_by, metrics, on_host, set};
use meshwright_cli::watching::Shown;
use meshwright_runtime::clock::cpu_seconds;
use meshwright_runtime::interrupt;
use meshwright_train::Config;
use meshwright_train::checkpoint::Checkpoint;
use meshwright_train::data::content::DataChange;
use meshwright_train::metrics::Metrics;
use meshwright_train::preset::preset;
use meshwright_train::run::{self, Amount, Claim, Ending, Evaluation, RunDir, Start, TrainingPlan, Watch};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

const UNKNOWN: Code = Code(1151);
const RESULT: &str = "result.json";
const NUMBERS: &str = "numbers.json";

pub fn reproduce(args: &ReproduceArgs) -> Result<Report, Failure> {
    if args.outcomes {
        return Ok(Report::new(page(|study| kept(args, study))));
    }
    let Some(name) = args.study.as_deref().filter(|_| !args.list) else { return Ok(papers::list()) };
    if let Some(table) = papers::find(name) {
        takes_no_options(name, args)?;
        return table.report();
    }
    let study = study(name).map_err(|found| Failure::input(found.help(names_near(name))))?;
    let programs = Programs::new(&args.host.dump)?;
    let wanted = wanted(study, args)?;
    let out = RunDir::new(folder(args, study.name));
    // Studies that look at the same runs keep them in one place.
    let runs = RunDir::new(folder(args, study.runs));
    for (variant, seed) in study.rows() {
        let is_there = dir_of(&runs, variant, seed);
        is_there.check_same(&config(study, (variant, seed), &runs, args)?).map_err(ended_by)?;
    }
    for (at, (variant, seed)) in wanted.iter().enumerate() {
        if args.report || interrupt::wished().is_some() {
            break;
        }
        let dir = dir_of(&runs, variant, *seed);
        let programs = programs.of_run(&name_of(variant, *seed));
        if result(&dir).is_none() {
            Shown::new(false).note(&format!(
                "run {} of {}: {}, seed {seed}",
                at + 1,
                wanted.len(),
                variant.name
            ));
            one(study, (variant, *seed), &runs, &programs, args)?;
        }
        if study.measure == Measure::Translations && result(&dir).is_some() {
            translations::make(&dir, &programs, args)?;
        }
    }
    let is_whole = || wanted.iter().all(|(variant, seed)| result(&dir_of(&runs, variant, *seed)).is_some());
    if study.compares_time() && !args.report && interrupt::wished().is_none() && is_whole() {
        turns::measure(study, &wanted, &runs, &programs, args)?;
    }
    match study.measure {
        Measure::HeldOut | Measure::Answers => told(study, &runs, &out),
        Measure::Translations => translations::told(study, &out),
    }
}

/// Where a study is kept.
fn folder(args: &ReproduceArgs, study: &str) -> PathBuf {
    args.out.clone().unwrap_or_else(|| PathBuf::from("reproduce").join(study))
}

/// What the runs of a study left: a file of numbers, in its own folder or by its name in the folder that was given.
fn kept(args: &ReproduceArgs, study: &str) -> Option<Value> {
    let root = args.out.clone().unwrap_or_else(|| PathBuf::from("reproduce"));
    let places = [root.join(study).join(NUMBERS), root.join(format!("{study}.json"))];
    let text = places.iter().find_map(|path| std::fs::read_to_string(path).ok())?;
    serde_json::from_str(&text).ok()
}

/// What is computed has no runs that options could change.
fn takes_no_options(name: &str, args: &ReproduceArgs) -> Result<(), Failure> {
    let given = [
        ("--out", args.out.is_some()),
        ("--only", args.only.is_some()),
        ("--seeds", args.seeds.is_some()),
        ("--steps", args.steps.is_some()),
        ("--scale", args.scale.is_some()),
        ("--report", args.report),
        ("--again", args.again),
    ];
    let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let message = format!("`{name}` is computed, not trained: `{option}` has nothing to change");
    let help = format!("leave it out; `meshwright reproduce {name} --json` has the numbers for programs");
    Err(Failure::new(Fault::Usage, Diagnostic::error(UNKNOWN, message).help(help)))
}

/// Where to look for a name that is not there.
fn names_near(name: &str) -> String {
    let trained = studies().map(|study| study.name);
    let names: Vec<&str> = trained.chain(papers::COMPUTED.iter().map(|table| table.name)).collect();
    nearest::suggest(name, names.iter().copied())
        .unwrap_or_else(|| "`meshwright reproduce --list` lists what there is".to_string())
}

/// The runs that were asked for.
fn wanted(study: &'static Study, args: &ReproduceArgs) -> Result<Vec<(&'static Variant, u64)>, Failure> {
    let asked = args.only.as_deref().map(|names| named(study, names)).transpose()?;
    let with_needed: Option<Vec<&Variant>> = asked
        .map(|asked| asked.into_iter().flat_map(|one| study.before(one).into_iter().chain([one])).collect());
    let is_wanted = |variant: &Variant| with_needed.as_ref().is_none_or(|wanted| wanted.contains(&variant));
    let seeds = args.seeds.unwrap_or(u64::MAX);
    Ok(study.rows().into_iter().filter(|(variant, seed)| is_wanted(variant) && *seed <= seeds).collect())
}

/// Variants by their names, with commas between them and, in some, within.
fn named(study: &'static Study, names: &str) -> Result<Vec<&'static Variant>, Failure> {
    let (mut found, mut rest) = (Vec::new(), names.trim());
    while !rest.is_empty() {
        let is_next = |variant: &&Variant| {
            let behind = rest.strip_prefix(variant.name).map(str::trim_start);
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(','))
        };
        let longest = study.variants.iter().filter(is_next).max_by_key(|variant| variant.name.len());
        let Some(variant) = longest else {
            let names: Vec<String> =
                study.variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
            let diagnostic = Diagnostic::error(UNKNOWN, format!("`{}` has no variant `{rest}`", study.name))
                .help(format!("its variants are {}", names.join(", ")));
            return Err(Failure::new(Fault::Usage, diagnostic));
        };
        found.push(variant);
        rest = rest[variant.name.len()..].trim_start().trim_start_matches(',').trim_start();
    }
    Ok(found)
}

/// Where a run is kept.
fn dir_of(out: &RunDir, variant: &Variant, seed: u64) -> RunDir {
    RunDir::new(out.root.join(name_of(variant, seed)))
}

fn name_of(variant: &Variant, seed: u64) -> String {
    format!("{}-seed-{seed}", variant.name.replace(' ', "-"))
}

/// What a run that is done came to.
fn result(dir: &RunDir) -> Option<RunResult> {
    let text = std::fs::read_to_string(dir.root.join(RESULT)).ok()?;
    RunResult::of_json(&serde_json::from_str(&text).ok()?)
}

/// What a run is run on.
struct On<'a> {
    devices: usize,
    programs: &'a Programs,
    args: &'a ReproduceArgs,
}

/// Begins a run, or goes on with it, and keeps its result.
fn one(
    study: &Study,
    (variant, seed): (&Variant, u64),
    runs: &RunDir,
    programs: &Programs,
    args: &ReproduceArgs,
) -> Result<(), Failure> {
    let dir = &dir_of(runs, variant, seed);
    let config = config(study, (variant, seed), runs, args)?;
    let cpu = cpu_seconds();
    let count = devices(&config, &args.host)?;
    let on = On { devices: count, programs, args };
    let begun = dir.root.join("config.toml").is_file();
    // Of a study that has its place among the others.
    if !begun
        && args.out.is_none()
        && let Some(all) = runs.root.parent()
        && let Some(taken) = alike::take(all, &config, variant, dir)
    {
        Shown::new(false).note(&format!("the same run is `{}`: it is taken over", taken.display()));
        return Ok(());
    }
    let checkpoint = if begun { run::find(&dir.root).map_err(ended_by)?.checkpoint } else { None };
    let done = checkpoint.as_ref().map(|path| Checkpoint::open(path)).transpose().map_err(ended_by)?;
    let steps_before = done.as_ref().map_or(0, |done| done.state().step);
    let ended = match done.filter(|done| done.state().step >= config.train.steps) {
        // It was ended between its last checkpoint and its result.
        Some(mut checkpoint) => Ended::Done(evaluated(&config, dir, &mut checkpoint, &on)?),
        None => {
            let start = if begun { Start::Resume(checkpoint, DataChange::Refuse) } else { Start::Fresh };
            trained(&config, dir, &start, &on, Shown::new(false))?
        }
    };
    let (found, diverged) = match ended {
        Ended::Asked => return Ok(()),
        Ended::Done(found) => (Some(found), None),
        Ended::Diverged(step) => (None, Some(step)),
    };
    let history = metrics(dir, &config)?;
    let mut curve = curve(&history, &config);
    let seconds = curve.last().map_or(0.0, |point| point.seconds);
    if let (Some(found), Some(last)) =
        (&found, curve.last_mut().filter(|last| last.step == config.train.steps))
    {
        last.nll = found.nll;
    }
    curve.retain(|point| point.nll.is_finite());
    let parts = parts(&history);
    let peaks: Vec<f64> = parts.iter().filter_map(|part| part.peak).collect();
    let plan = TrainingPlan::of(&config, run::open_feed(&config, dir).map_err(ended_by)?.vocabularies());
    let plan = plan.map_err(ended_by)?;
    let row = RunResult {
        variant: variant.name.into(),
        seed,
        nll: found.as_ref().map_or(f64::NAN, |found| found.nll),
        accuracy: found.as_ref().map_or(f64::NAN, |found| found.accuracy),
        score: (!peaks.is_empty()).then(|| peaks.iter().sum::<f64>() / peaks.len() as f64),
        diverged,
        seconds,
        by_turns: false,
        cpu_seconds: whole(cpu_seconds() - cpu, steps_before, config.train.steps),
        timed_cpu: None,
        machine: None,
        timed_at: None,
        parameters: plan.parameters().unsigned_abs(),
        tokens: plan.places().unsigned_abs(),
        dropped: found.and_then(|found| found.experts).map(|experts| experts.drop_rate),
        dropped_in_training: dropped_in_training(&history),
        eval_capacity: (config.model.experts > 0).then_some(config.model.eval_capacity_factor),
        commit: commit(),
        curve,
        parts,
    };
    dir.write(RESULT, format!("{:#}\n", row.to_json()).as_bytes()).map_err(ended_by)?;
    Ok(())
}

/// The configuration of a run: the preset, what all variants set, what this one sets, the runs that it needs, and what
/// was asked for.
fn config(
    study: &Study,
    (variant, seed): (&Variant, u64),
    runs: &RunDir,
    args: &ReproduceArgs,
) -> Result<Config, Failure> {
    let text = preset(study.preset).map_err(Failure::input)?;
    let mut config = Config::read(&text).map_err(|found| Failure::in_text(text, found))?;
    let sets: Vec<String> = study.sets_of(variant).map(ToString::to_string).collect();
    set(&mut config, &sets)?;
    let run_of = |name: &str| {
        let needed = study.variant(name).map(|needed| dir_of(runs, needed, seed).root.display().to_string());
        needed.unwrap_or_default()
    };
    config.checkpoint.init_from = variant.from.map_or_else(String::new, run_of);
    config.distill.teacher = variant.teacher.map_or_else(String::new, run_of);
    if let Some(scale) = args.scale {
        scaled(&mut config, scale as usize);
    }
    if study.measure == Measure::Translations {
        config.data.files = vec![args.data.display().to_string()];
    }
    config.train.seed = seed;
    config.train.steps = args.steps.unwrap_or(config.train.steps);
    checked(&config, None)?;
    Ok(config)
}

/// The same for a machine so many times as large: widths, batch and steps.
fn scaled(config: &mut Config, by: usize) {
    let model = &mut config.model;
    for size in
        [&mut model.d_model, &mut model.d_ff, &mut model.expert_ff, &mut model.d_kv, &mut config.data.batch]
    {
        *size = size.saturating_mul(by);
    }
    config.train.steps = config.train.steps.saturating_mul(by as u64);
}

/// How training ended.
enum Ended {
    Done(Evaluation),
    Asked,
    /// At this step.
    Diverged(u64),
}

fn trained(
    config: &Config,
    dir: &RunDir,
    start: &Start,
    on: &On<'_>,
    mut shown: Shown,
) -> Result<Ended, Failure> {
    let outcome = on_host(&on.args.host, on.devices, on.programs, |host| {
        let claim = Claim::of(dir, host)?;
        run::train(config, &claim, start, host, &mut shown)
    });
    let outcome = outcome.map_err(ended_by)?;
    Ok(match (&outcome.ending, outcome.evaluation) {
        (Ending::Done, Some(found)) => Ended::Done(found),
        (Ending::BadNumber { .. }, _) => Ended::Diverged(outcome.step),
        (Ending::Done | Ending::Asked(_), _) => Ended::Asked,
    })
}

fn evaluated(
    config: &Config,
    dir: &RunDir,
    checkpoint: &mut Checkpoint,
    on: &On<'_>,
) -> Result<Evaluation, Failure> {
    let mut feed = run::open_feed(config, dir).map_err(ended_by)?;
    let plan = TrainingPlan::of(config, feed.vocabularies()).map_err(ended_by)?;
    let amount = Amount::of(config);
    let found = on_host(&on.args.host, on.devices, on.programs, |host| {
        run::evaluate(&plan, &mut feed, checkpoint, amount, host)
    });
    found.map_err(ended_by)
}

/// Evaluations of a run with the time it had trained by then, and its last step, from its metrics.
fn curve(history: &[Metrics], config: &Config) -> Vec<Point> {
    let sides = if config.model.decoder_only { 0 } else { config.data.input_length };
    let tokens = config.data.batch.saturating_mul(config.data.target_length + sides) as f64;
    let (mut points, mut before, mut seconds) = (Vec::new(), 0, 0.0);
    for line in history {
        let (step, Some(rate)) = (line.step, line.get("tokens_per_s")) else { continue };
        seconds += step.saturating_sub(before) as f64 * tokens / rate.max(1e-9);
        before = step;
        let score = line.get("eval_score");
        match line.get("eval_nll") {
            Some(nll) => points.push(Point { step, seconds, nll, score }),
            None if step == config.train.steps => points.push(Point { step, seconds, nll: f64::NAN, score }),
            None => {}
        }
    }
    points
}

/// The share of choices of experts that found no place in training: the mean of all logged steps.
fn dropped_in_training(history: &[Metrics]) -> Option<f64> {
    let shares: Vec<f64> = history.iter().filter_map(|line| line.get("drop_rate")).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// The parts of the corpus over a run.
fn parts(history: &[Metrics]) -> Vec<PartResult> {
    let mut parts: Vec<PartResult> = Vec::new();
    for line in history {
        for (name, nll) in &line.values {
            let Some(name) = name.strip_prefix("eval_nll/") else { continue };
            let at = parts.iter().position(|part| part.name == name).unwrap_or(parts.len());
            if at == parts.len() {
                parts.push(PartResult { name: name.into(), ..PartResult::default() });
            }
            parts[at].curve.push((line.step, *nll));
        }
    }
    for peak in run::peaks(history) {
        match parts.iter_mut().find(|part| part.name == peak.part) {
            Some(part) => part.peak = Some(peak.score),
            None => {
                parts.push(PartResult { name: peak.part, peak: Some(peak.score), ..PartResult::default() });
            }
        }
    }
    parts
}

/// What a whole run cost, of which this process made the steps after `before`: the first part is taken to have cost as
/// much for each step. 0 of a run that was only evaluated here.
fn whole(seconds: f64, before: u64, steps: u64) -> f64 {
    match steps.checked_sub(before) {
        None | Some(0) => 0.0,
        Some(made) => seconds * steps as f64 / made as f64,
    }
}

/// Of the source tree that the command is run in.
fn commit() -> String {
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let output = output.ok().filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or_else(|| format!("unknown, version {}", env!("CARGO_PKG_VERSION")), |text| text.trim().into())
}

/// Table and figure of the runs that are there, and their numbers in one file.
fn told(study: &Study, runs: &RunDir, out: &RunDir) -> Result<Report, Failure> {
    let mut rows: Vec<RunResult> =
        study.rows().into_iter().filter_map(|(variant, seed)| result(&dir_of(runs, variant, seed))).collect();
    turns::time(runs, &mut rows);
    let text = report(study, &rows);
    let table = out.write("report.md", text.as_bytes()).map_err(ended_by)?;
    let drawn = out.write("figure.svg", figure(study, &rows).as_bytes()).map_err(ended_by)?;
    let numbers: Value = rows.iter().map(RunResult::to_json).collect();
    out.write(NUMBERS, format!("{numbers}\n").as_bytes()).map_err(ended_by)?;
    let shown = format!("{text}\nreport: {}\nfigure: {}\n", table.display(), drawn.display());
    Ok(Report::new(shown)
        .with("runs", rows.len())
        .with("rows", numbers)
        .with("report", json!(table.display().to_string()))
        .with("figure", json!(drawn.display().to_string())))
}
