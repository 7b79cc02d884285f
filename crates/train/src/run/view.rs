//! A run as a page shows it: what its report tells, as data, also while the run is under way. Pure data from what was
//! seen; curves and loads are thinned, so that a page of a long run is no larger than one of a short run.

use super::report::{Setup, points};
use super::trainer::{Ending, Outcome};
use crate::config::{Config, Task};
use crate::metrics::{Metrics, duration};
use serde_json::{Value, json};

/// Most points of a drawn line, and most columns of a map of loads.
const POINTS: usize = 400;
const COLUMNS: usize = 120;

/// Most parts of a corpus that get a line each.
const PARTS: usize = 16;

/// What is known of a run so far.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The run's directory as commands name it.
    pub dir: &'a str,
    pub config: &'a Config,
    pub setup: &'a Setup,
    /// All lines of metrics, also of what was done before the run was resumed.
    pub history: &'a [Metrics],
    /// `None` while it trains.
    pub outcome: Option<&'a Outcome>,
}

/// The data of a page.
pub fn view(seen: &Seen<'_>) -> Value {
    json!({
        "title": seen.dir,
        "is_over": seen.outcome.is_some(),
        "axes": seen.config.mesh.axes.0,
        "stats": stats(seen),
        "charts": charts(seen),
        "loads": loads(seen),
        "sent": sent(seen.setup),
        "layout": layout(seen.setup),
        "parts": parts(seen),
        "samples": samples(seen),
        "samples_told": samples_told(seen.config.data.task),
        "figures": figures(seen),
        "pictures": pictures(seen),
    })
}

/// Figures with what they are of.
fn stats(seen: &Seen<'_>) -> Vec<[String; 2]> {
    let (step, steps) = (seen.history.last().map_or(0, |one| one.step), seen.config.train.steps);
    let newest = |field: &str| seen.history.iter().rev().find_map(|one| one.get(field));
    let how = match seen.outcome.map(|outcome| &outcome.ending) {
        None => "under way".to_string(),
        Some(Ending::Done) => "all steps are done".to_string(),
        Some(Ending::Asked(_)) => "stopped on request".to_string(),
        Some(Ending::BadNumber { what, value }) => format!("stopped: the {what} is {value}"),
    };
    let mut all = vec![[format!("{step} of {steps}"), format!("steps; {how}")]];
    let mut tell =
        |value: Option<String>, what: &str| all.extend(value.map(|value| [value, what.to_string()]));
    let places = seen.config.data.task.places();
    let per_place = format!("training NLL, nats per {}, last logged", places.trim_end_matches('s'));
    tell(newest("nll").map(|nll| format!("{nll:.4}")), &per_place);
    tell(newest("eval_nll").map(|nll| format!("{nll:.4}")), "held-out NLL, last evaluated");
    tell(newest("eval_accuracy").map(|share| format!("{:.1} %", share * 100.0)), "held-out accuracy");
    tell(newest("eval_dice").map(|dice| format!("{dice:.4}")), "held-out Dice, last evaluated");
    let rate = newest(&format!("{places}_per_s"));
    tell(rate.map(|rate| format!("{rate:.0}")), &format!("{places} a second, last logged"));
    tell(
        newest("drop_rate").map(|share| format!("{:.2} %", share * 100.0)),
        "of choices dropped, last logged",
    );
    tell(Some(seen.setup.parameters.to_string()), "parameters");
    tell(seen.outcome.map(|outcome| duration(outcome.seconds)), "of training here");
    all
}

/// Lines over steps, by what they measure.
fn charts(seen: &Seen<'_>) -> Vec<Value> {
    let (history, places) = (seen.history, seen.config.data.task.places());
    let line = |(name, field): (&str, &str), factor: f64| {
        let dots = points(history, field, POINTS);
        let dots: Vec<[f64; 2]> =
            dots.into_iter().map(|(step, value)| [short(step), short(value * factor)]).collect();
        (!dots.is_empty()).then(|| json!({ "name": name, "dots": dots }))
    };
    let chart = |title: &str, lines: &[(&str, &str)], factor: f64| {
        let lines: Vec<Value> = lines.iter().filter_map(|one| line(*one, factor)).collect();
        // One point alone is among the figures.
        let is_drawn = |line: &Value| line["dots"].as_array().is_some_and(|dots| dots.len() > 1);
        lines.iter().any(is_drawn).then(|| json!({ "title": title, "lines": lines }))
    };
    let both = |name: &'static str, held_out: &'static str| [("training", name), ("held out", held_out)];
    let by_part = fields(history, "eval_nll/");
    let by_part: Vec<(&str, &str)> = by_part.iter().map(|(name, field)| (*name, field.as_str())).collect();
    let (dice, rate) = (fields(history, "eval_dice/"), format!("{places}_per_s"));
    let dice: Vec<(&str, &str)> = dice.iter().map(|(name, field)| (*name, field.as_str())).collect();
    let per_place = format!("NLL, nats per {}", places.trim_end_matches('s'));
    let all = [
        chart(&per_place, &both("nll", "eval_nll"), 1.0),
        chart("held-out NLL by part of the corpus", &by_part, 1.0),
        chart("held-out accuracy, %", &[("held out", "eval_accuracy")], 100.0),
        chart("held-out Dice by class", &dice, 1.0),
        chart(&format!("{places} a second"), &[("training", &rate)], 1.0),
        chart("gradient norm", &[("training", "gradient_norm")], 1.0),
        chart("learning rate", &[("training", "learning_rate")], 1.0),
        chart("choices dropped, %", &both("drop_rate", "eval_drop_rate"), 100.0),
        chart("load entropy, 1 is even", &both("load_entropy", "eval_load_entropy"), 1.0),
    ];
    all.into_iter().flatten().collect()
}

/// What evaluations tell apart by parts or classes: name and field.
fn fields<'h>(history: &'h [Metrics], begin: &str) -> Vec<(&'h str, String)> {
    let newest = history.iter().rev().find(|one| one.get("eval_nll").is_some());
    let values = newest.map_or(&[] as &[_], |one| &one.values);
    values
        .iter()
        .filter_map(|(name, _)| Some((name.strip_prefix(begin)?, name.clone())))
        .take(PARTS)
        .collect()
}

/// Six digits are more than a drawing shows.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Of each layer of experts: each expert's share of the choices over steps.
fn loads(seen: &Seen<'_>) -> Value {
    let told: Vec<&Metrics> = seen.history.iter().filter(|one| !one.routed.is_empty()).collect();
    let each = told.len().div_ceil(COLUMNS).max(1);
    let steps: Vec<u64> = told.chunks(each).filter_map(|some| Some(some.last()?.step)).collect();
    let layers = told.first().map_or(0, |one| one.routed.len());
    let column = |some: &[&Metrics], layer: usize| {
        let mut sum: Vec<f64> = Vec::new();
        for counts in some.iter().filter_map(|one| one.routed.get(layer)) {
            sum.resize(sum.len().max(counts.len()), 0.0);
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let all = sum.iter().sum::<f64>().max(1.0);
        sum.into_iter().map(|count| (count / all * 1e4).round() / 1e4).collect::<Vec<f64>>()
    };
    let row = |layer: usize| {
        let name = seen.setup.expert_layers.get(layer).cloned().unwrap_or_else(|| layer.to_string());
        json!({ "name": name, "shares": told.chunks(each).map(|some| column(some, layer)).collect::<Vec<_>>() })
    };
    json!({ "steps": steps, "layers": (0..layers).map(row).collect::<Vec<_>>() })
}

fn sent(setup: &Setup) -> Vec<Value> {
    setup.sent.iter().map(|row| json!([row.collective, row.over, row.count, row.bytes])).collect()
}

fn layout(setup: &Setup) -> Vec<Value> {
    setup.layout.iter().map(|row| json!([row.name, row.count, row.dims, row.local, row.split])).collect()
}

fn parts(seen: &Seen<'_>) -> Vec<Value> {
    let found = seen.outcome.and_then(|outcome| outcome.evaluation.as_ref());
    let parts = found.map_or(&[] as &[_], |found| &found.parts);
    parts.iter().map(|part| json!([part.name, part.nll, part.accuracy, part.tokens])).collect()
}

fn figures(seen: &Seen<'_>) -> Vec<Value> {
    let found = seen.outcome.and_then(|outcome| outcome.evaluation.as_ref());
    let figures = found.map_or(&[] as &[_], |found| &found.figures);
    figures.iter().map(|one| json!([one.name, one.value, one.trivial])).collect()
}

fn pictures(seen: &Seen<'_>) -> Vec<Value> {
    let pictures = seen.outcome.map_or(&[] as &[_], |outcome| &outcome.pictures);
    pictures.iter().map(|one| json!({ "title": one.title, "svg": one.svg })).collect()
}

/// What samples are called, what is to be known of them, and their columns.
fn samples_told(task: Task) -> Value {
    let [title, note, written, right, share] = match task {
        Task::Spans | Task::Translate | Task::Next => [
            "What it writes",
            "of held-out texts; brackets mark reference text that the model gets wrong under teacher forcing",
            "written",
            "in the corpus",
            "tokens right#",
        ],
        Task::Speech => {
            ["What it hears", "in sequences it has not learnt from", "heard", "right", "labels right#"]
        }
        Task::Classify | Task::Segment => {
            let share = if task == Task::Classify { "images right#" } else { "places right#" };
            ["What it says of examples", "that it has not learnt from", "found", "right", share]
        }
    };
    json!({ "title": title, "note": note, "columns": ["given", written, right, share] })
}

fn samples(seen: &Seen<'_>) -> Vec<Value> {
    let samples = seen.outcome.map_or(&[] as &[_], |outcome| &outcome.samples);
    samples.iter().map(|one| json!([one.prompt, one.written, one.marked, one.right, one.tokens])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(steps: u64) -> Vec<Metrics> {
        let line = |step: u64| Metrics {
            step,
            values: vec![("nll".into(), 1.0 / step as f64), ("eval_nll/de".into(), 2.0)],
            routed: vec![vec![step as f64, 1.0]],
            ..Metrics::default()
        };
        (1..=steps).map(line).collect()
    }

    #[test]
    fn a_run_under_way_has_curves_and_loads_of_bounded_size() {
        let (config, setup) = (Config::default(), Setup::default());
        let history = history(10_000);
        let seen = Seen { dir: "runs/a", config: &config, setup: &setup, history: &history, outcome: None };
        let page = view(&seen);
        assert_eq!(page["is_over"], false);
        let dots = page["charts"][0]["lines"][0]["dots"].as_array().unwrap();
        assert!((POINTS / 2..=POINTS).contains(&dots.len()), "{}", dots.len());
        let shares = page["loads"]["layers"][0]["shares"].as_array().unwrap();
        assert!((COLUMNS / 2..=COLUMNS).contains(&shares.len()), "{}", shares.len());
        assert_eq!(page["loads"]["steps"].as_array().unwrap().last().unwrap(), 10_000);
        let last = shares.last().unwrap();
        assert!((last[0].as_f64().unwrap() + last[1].as_f64().unwrap() - 1.0).abs() < 1e-3, "{last}");
        assert_eq!(page["stats"][0][0], format!("10000 of {}", config.train.steps));
    }

    #[test]
    fn a_run_without_steps_has_a_page() {
        let (config, setup) = (Config::default(), Setup::default());
        let page = view(&Seen { dir: "a", config: &config, setup: &setup, history: &[], outcome: None });
        assert_eq!(page["charts"], json!([]));
        assert_eq!(page["loads"]["layers"], json!([]));
    }
}
