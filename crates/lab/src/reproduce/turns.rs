//! How fast each variant trains, measured by turns: runs that follow each other over an hour, beside whatever else the
//! machine does, are no comparison of time.
//!
//! ```text
//! turn 1: dense, switch, moe    turn 2: dense, switch, moe    ..      the seconds of seed n are those of turn n
//! ```

use super::{Ended, On, config, devices, trained};
use crate::studies::{RunResult, Study, Variant};
use meshwright_base::arrange::Arrange;
use meshwright_cli::failure::Failure;
use meshwright_cli::stages::Programs;
use meshwright_cli::train_args::ReproduceArgs;
use meshwright_cli::training::{ended_by, metrics};
use meshwright_cli::watching::Shown;
use meshwright_train::run::{RunDir, Start, Watch};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TURNS: &str = "turns.json";
/// The folder of a run that is timed, as long as it is.
const TURN: &str = "turn";
/// Of one variant in one turn.
const STEPS: u64 = 60;

/// Tokens a second of each variant, turn by turn.
type Rates = BTreeMap<String, Vec<f64>>;

/// Measure the variants of these runs, unless all of them were measured before. Runs that are shorter than a turn keep
/// their own time.
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
    let known = read(runs);
    let is_known =
        |variant: &&Variant| known.get(variant.name).is_some_and(|rates| rates.len() as u64 >= turns);
    if variants.iter().all(is_known) {
        return Ok(());
    }
    let programs = programs.of_run(TURN);
    let mut rates = Rates::new();
    for turn in 1..=turns {
        Shown::new(false).note(&format!(
            "how fast {} variants train, {STEPS} steps each: turn {turn} of {turns}",
            variants.len()
        ));
        for variant in &variants {
            let Some(rate) = rate(study, variant, runs, &programs, args)? else { return Ok(()) };
            rates.entry(variant.name.into()).or_default().push(rate);
        }
    }
    runs.write(TURNS, format!("{:#}\n", json!(rates)).as_bytes()).map_err(ended_by)?;
    Ok(())
}

/// Tokens a second of some steps of a variant, the first of them not counted: the median between lines of metrics.
/// `None` if it was asked to end, diverged, or has no run of so many steps.
fn rate(
    study: &Study,
    variant: &Variant,
    runs: &RunDir,
    programs: &Programs,
    args: &ReproduceArgs,
) -> Result<Option<f64>, Failure> {
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
    let ended = trained(&config, &dir, &Start::Fresh, &on, Shown::new(true))?;
    let lines = metrics(&dir, &config)?;
    let _ = forget();
    let mut rates: Vec<f64> = lines.iter().skip(1).filter_map(|line| line.get("tokens_per_s")).collect();
    rates.arrange_by(f64::total_cmp);
    let middle = rates.get(rates.len() / 2).copied();
    Ok(middle.filter(|_| matches!(ended, Ended::Done(_))))
}

/// Take the time of runs from the turns, where there are any.
pub fn time(runs: &RunDir, rows: &mut [RunResult]) {
    let known = read(runs);
    for row in rows {
        let turn = row.seed.saturating_sub(1) as usize;
        if let Some(rate) = known.get(&row.variant).and_then(|rates| rates.get(turn)) {
            row.take_time(*rate);
        }
    }
}

/// What was measured before; nothing of a file that is none of ours.
fn read(runs: &RunDir) -> Rates {
    let text = std::fs::read_to_string(runs.root.join(TURNS)).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let rates = |value: &Value| value.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let pairs = value.as_object().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), rates(value)?))).collect()
}
