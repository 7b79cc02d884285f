//! How fast each variant trains, measured by turns: runs that follow each other over an hour, beside whatever else the
//! machine does, are no comparison of time.
//!
//! ```text
//! turn 1: dense, switch, moe    turn 2: dense, switch, moe    ..      the seconds of seed n are those of turn n
//! ```

use super::{Ended, On, commit, config, devices, trained};
use crate::studies::{BUSY, RunResult, Study, Variant};
use meshwright_base::arrange::Arrange;
use meshwright_cli::failure::Failure;
use meshwright_cli::stages::Programs;
use meshwright_cli::train_args::ReproduceArgs;
use meshwright_cli::training::{ended_by, metrics};
use meshwright_cli::watching::Shown;
use meshwright_runtime::clock::cpu_seconds;
use meshwright_train::run::{RunDir, Start, Watch};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

const TURNS: &str = "turns.json";
/// The folder of a run that is timed, as long as it is.
const TURN: &str = "turn";
/// Of one variant in one turn.
const STEPS: u64 = 60;

/// Turns of each variant, in their order.
type Turns = BTreeMap<String, Vec<TimedSteps>>;

/// One turn of a variant.
#[derive(Clone, Copy, PartialEq, Debug)]
struct TimedSteps {
    /// Tokens a second.
    rate: f64,
    /// Seconds of processors for each second of the clock; none where older files have no such number.
    cpu_share: Option<f64>,
}

/// Measures the variants of these runs, unless all of them were measured before. Runs that are shorter than a turn keep
/// their own time. A turn during which other work had the processor is kept with its share of it: judging refuses it.
pub fn measure(
    study: &Study,
    wanted: &[(&Variant, u64)],
    runs: &RunDir,
    programs: &Programs,
    args: &ReproduceArgs,
) -> Result<(), Failure> {
    let turns = wanted.iter().map(|(_, seed)| *seed).max().unwrap_or(0);
    let variants: Vec<&Variant> =
        study.variants.iter().filter(|variant| wanted.iter().any(|(one, _)| one == variant)).collect();
    let known = read(runs).turns;
    let is_known =
        |variant: &&Variant| known.get(variant.name).is_some_and(|rates| rates.len() as u64 >= turns);
    if variants.iter().all(is_known) {
        return Ok(());
    }
    let programs = programs.of_run(TURN);
    let mut measured = Turns::new();
    for turn in 1..=turns {
        Shown::new(false).note(&format!(
            "how fast {} variants train, {STEPS} steps each: turn {turn} of {turns}",
            variants.len()
        ));
        for variant in &variants {
            let Some(turn) = time_turn(study, variant, runs, &programs, args)? else { return Ok(()) };
            if turn.cpu_share.is_some_and(|share| BUSY * share < 1.0) {
                Shown::new(false).note(&format!(
                    "`{}` had a processor for {:.0} % of its turn: the timing will be refused; stop other work, delete `{}` and \
                     begin again",
                    variant.name,
                    100.0 * turn.cpu_share.unwrap_or(0.0),
                    runs.root.join(TURNS).display()
                ));
            }
            measured.entry(variant.name.into()).or_default().push(turn);
        }
    }
    let one = |turn: &TimedSteps| json!({ "rate": turn.rate, "cpu_share": turn.cpu_share });
    let variants: Map<String, Value> =
        measured.iter().map(|(name, turns)| (name.clone(), turns.iter().map(one).collect())).collect();
    let value = json!({ "machine": machine(), "commit": commit(), "variants": variants });
    runs.write(TURNS, format!("{value:#}\n").as_bytes()).map_err(ended_by)?;
    Ok(())
}

/// Times some steps of a variant, without the first: the median between lines of metrics. Returns `None` after an
/// interrupt or a divergence, or if the variant has too few steps.
fn time_turn(
    study: &Study,
    variant: &Variant,
    runs: &RunDir,
    programs: &Programs,
    args: &ReproduceArgs,
) -> Result<Option<TimedSteps>, Failure> {
    let mut config = config(study, (variant, 1), runs, args)?;
    if config.train.steps < STEPS {
        return Ok(None);
    }
    config.train.steps = STEPS;
    config.train.eval_every = STEPS;
    config.train.eval_batches = 1;
    config.train.questions = 0;
    config.checkpoint.every = STEPS;
    let dir = RunDir::new(runs.root.join(TURN));
    let forget = || std::fs::remove_dir_all(&dir.root);
    // Nothing is there unless an earlier turn was cut off.
    let _ = forget();
    let on = On { devices: devices(&config, &args.host)?, programs, args };
    let (clock, cpu) = (Instant::now(), cpu_seconds());
    let ended = trained(&config, &dir, &Start::Fresh, &on, Shown::new(true))?;
    let (clock, cpu) = (clock.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let lines = metrics(&dir, &config)?;
    let _ = forget();
    let mut rates: Vec<f64> = lines.iter().skip(1).filter_map(|line| line.get("tokens_per_s")).collect();
    rates.arrange_by(f64::total_cmp);
    let middle = rates.get(rates.len() / 2).copied().filter(|_| matches!(ended, Ended::Done(_)));
    // Some systems do not report processor time.
    let cpu_share = (cpu > 0.0).then(|| cpu / clock.max(1e-9));
    Ok(middle.map(|rate| TimedSteps { rate, cpu_share }))
}

/// Takes the time of runs from the turns, where there are any, with the machine and the commit of these.
pub fn time(runs: &RunDir, rows: &mut [RunResult]) {
    let known = read(runs);
    for row in rows {
        let turn = row.seed.saturating_sub(1) as usize;
        if let Some(turn) = known.turns.get(&row.variant).and_then(|turns| turns.get(turn)) {
            row.take_time(turn.rate);
            row.timed_cpu = turn.cpu_share.map(|share| share * row.seconds);
            row.machine = known.machine.clone();
            row.timed_at = known.commit.clone();
        }
    }
}

/// Turns as a file has them.
#[derive(Default)]
struct Kept {
    turns: Turns,
    machine: Option<String>,
    commit: Option<String>,
}

/// Reads the turns that were measured before: none of a file that is none of ours.
fn read(runs: &RunDir) -> Kept {
    let text = std::fs::read_to_string(runs.root.join(TURNS)).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let turn = |value: &Value| {
        Some(TimedSteps { rate: value["rate"].as_f64()?, cpu_share: value["cpu_share"].as_f64() })
    };
    let turns = |value: &Value| value.as_array()?.iter().map(turn).collect::<Option<Vec<TimedSteps>>>();
    let pairs = value["variants"].as_object().into_iter().flatten();
    let turns = pairs.filter_map(|(name, value)| Some((name.clone(), turns(value)?))).collect();
    let text = |name: &str| value[name].as_str().map(ToString::to_string);
    Kept { turns, machine: text("machine"), commit: text("commit") }
}

/// The processor and the number of its cores.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {cores} cores")
}
