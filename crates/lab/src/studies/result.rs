//! What one run came to, as it is kept.

use serde_json::{Map, Value, json};

/// A point of a run's curve on held-out text.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    pub step: u64,
    /// Seconds of training, evaluations not counted.
    pub seconds: f64,
    pub nll: f64,
    /// The mean score of answers, where questions were asked.
    pub score: Option<f64>,
}

/// A part of the corpus over a run: a language, a task.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PartResult {
    pub name: String,
    /// NLL after steps, the last one at the end.
    pub curve: Vec<(u64, f64)>,
    /// The best score of its answers, where questions were asked.
    pub peak: Option<f64>,
}

/// Limit of wall time over processor time. A timing beyond it is refused.
pub const BUSY: f64 = 1.2;

/// What one run came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunResult {
    pub variant: String,
    pub seed: u64,
    /// Held out, at the end; no number of a run that diverged before its first evaluation.
    pub nll: f64,
    pub accuracy: f64,
    /// The mean of the peaks of all tasks.
    pub score: Option<f64>,
    /// The step whose loss was no number, where the run ended there.
    pub diverged: Option<u64>,
    pub seconds: f64,
    /// Whether its seconds are steps times what a step takes by turns, and not those of its own clock.
    pub by_turns: bool,
    /// Processor seconds, with evaluations and all other work between steps; 0 if unknown.
    pub cpu_seconds: f64,
    /// Processor seconds of the steps in [`seconds`](RunResult::seconds), if the turns measured them.
    pub timed_cpu: Option<f64>,
    /// The machine on which its seconds were measured by turns, and the commit.
    pub machine: Option<String>,
    pub timed_at: Option<String>,
    pub parameters: u64,
    /// Places for tokens in a batch, of both sides.
    pub tokens: u64,
    /// Share of choices of experts that found no place, held out.
    pub dropped: Option<f64>,
    /// Share of dropped choices in training, the mean of all logged steps.
    pub dropped_in_training: Option<f64>,
    /// The capacity factor at which its experts were evaluated.
    pub eval_capacity: Option<f64>,
    /// Of the source that it ran from.
    pub commit: String,
    pub curve: Vec<Point>,
    pub parts: Vec<PartResult>,
}

impl RunResult {
    /// Takes its time from the rate at which its variant trains: tokens a second, measured by turns with the variants
    /// that it is compared with. Its own clock ran beside whatever else the machine did.
    pub fn take_time(&mut self, rate: f64) {
        let seconds = |step: u64| (step * self.tokens) as f64 / rate.max(1e-9);
        self.seconds = self.curve.last().map_or(0.0, |point| seconds(point.step));
        self.curve.iter_mut().for_each(|point| point.seconds = seconds(point.step));
        self.by_turns = true;
    }

    /// Returns the reason to refuse its seconds: they come from its own clock, or other work took more than a sixth of
    /// them.
    pub fn refused_timing(&self) -> Option<String> {
        let cpu = self.timed_cpu.unwrap_or(self.cpu_seconds);
        if !self.by_turns {
            return Some("not measured by turns".into());
        }
        let is_busy = cpu <= 0.0 || self.seconds > BUSY * cpu;
        is_busy.then(|| format!("{:.1} s of the clock for {cpu:.1} s of a processor", self.seconds))
    }

    /// Tokens that went through a second of training.
    pub fn rate(&self) -> Option<f64> {
        let steps = self.curve.last()?.step;
        (self.seconds > 0.0).then(|| (steps * self.tokens) as f64 / self.seconds)
    }

    pub fn to_json(&self) -> Value {
        let point = |point: &Point| json!([point.step, point.seconds, finite(point.nll), point.score]);
        let part = |part: &PartResult| json!({ "name": part.name, "peak": part.peak, "curve": part.curve });
        let (curve, parts): (Vec<Value>, Vec<Value>) =
            (self.curve.iter().map(point).collect(), self.parts.iter().map(part).collect());
        let mut map = Map::new();
        for (name, value) in [
            ("variant", json!(self.variant)),
            ("seed", json!(self.seed)),
            ("nll", json!(finite(self.nll))),
            ("accuracy", json!(finite(self.accuracy))),
            ("score", json!(self.score)),
            ("diverged", json!(self.diverged)),
            ("seconds", json!(self.seconds)),
            ("by_turns", json!(self.by_turns)),
            ("cpu_seconds", json!(self.cpu_seconds)),
            ("timed_cpu", json!(self.timed_cpu)),
            ("machine", json!(self.machine)),
            ("timed_at", json!(self.timed_at)),
            ("parameters", json!(self.parameters)),
            ("tokens", json!(self.tokens)),
            ("dropped", json!(self.dropped)),
            ("dropped_in_training", json!(self.dropped_in_training)),
            ("eval_capacity", json!(self.eval_capacity)),
            ("commit", json!(self.commit)),
            ("curve", json!(curve)),
            ("parts", json!(parts)),
        ] {
            map.insert(name.into(), value);
        }
        Value::Object(map)
    }

    /// `None` if it is not what [`to_json`](RunResult::to_json) gives. Runs of older versions lack some.
    pub fn of_json(value: &Value) -> Option<RunResult> {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let point = |point: &Value| {
            let (step, seconds) = (point[0].as_u64()?, point[1].as_f64()?);
            Some(Point { step, seconds, nll: number(&point[2]), score: point[3].as_f64() })
        };
        let pair = |pair: &Value| Some((pair[0].as_u64()?, pair[1].as_f64()?));
        let part = |part: &Value| {
            let curve = part["curve"].as_array()?.iter().map(pair).collect::<Option<_>>()?;
            Some(PartResult { name: part["name"].as_str()?.into(), curve, peak: part["peak"].as_f64() })
        };
        let parts = value["parts"].as_array().map_or(&[][..], Vec::as_slice);
        value.get("nll")?;
        Some(RunResult {
            variant: value["variant"].as_str()?.to_string(),
            seed: value["seed"].as_u64()?,
            nll: number(&value["nll"]),
            accuracy: number(&value["accuracy"]),
            score: value["score"].as_f64(),
            diverged: value["diverged"].as_u64(),
            seconds: value["seconds"].as_f64()?,
            by_turns: value["by_turns"].as_bool().unwrap_or(false),
            cpu_seconds: value["cpu_seconds"].as_f64().unwrap_or(0.0),
            timed_cpu: value["timed_cpu"].as_f64(),
            machine: value["machine"].as_str().map(ToString::to_string),
            timed_at: value["timed_at"].as_str().map(ToString::to_string),
            parameters: value["parameters"].as_u64().unwrap_or(0),
            tokens: value["tokens"].as_u64().unwrap_or(0),
            dropped: value["dropped"].as_f64(),
            dropped_in_training: value["dropped_in_training"].as_f64(),
            eval_capacity: value["eval_capacity"].as_f64(),
            commit: value["commit"].as_str()?.to_string(),
            curve: value["curve"].as_array()?.iter().map(point).collect::<Option<_>>()?,
            parts: parts.iter().map(part).collect::<Option<_>>()?,
        })
    }
}

/// JSON has no number for what is none.
fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let curve = vec![Point { step: 5, seconds: 0.25, nll: 3.5, score: Some(0.5) }];
        let part = PartResult { name: "de".into(), curve: vec![(5, 3.25)], peak: None };
        let row = RunResult {
            variant: "dense".into(),
            seed: 2,
            nll: 2.5,
            accuracy: 0.5,
            score: Some(0.75),
            seconds: 1.0,
            cpu_seconds: 1.5,
            parameters: 7,
            tokens: 64,
            dropped: Some(0.125),
            dropped_in_training: Some(0.25),
            eval_capacity: Some(1.25),
            timed_cpu: Some(1.25),
            machine: Some("two cores".into()),
            timed_at: Some("def".into()),
            commit: "abc".into(),
            curve,
            parts: vec![part],
            ..RunResult::default()
        };
        assert_eq!(RunResult::of_json(&row.to_json()), Some(row.clone()));
        assert_eq!(row.rate(), Some(320.0));
        let mut timed = row.clone();
        timed.take_time(640.0);
        assert_eq!((timed.rate(), timed.seconds, timed.curve[0].seconds), (Some(640.0), 0.5, 0.5));
        assert_eq!(RunResult::of_json(&timed.to_json()), Some(timed));
        let diverged = RunResult { nll: f64::NAN, diverged: Some(3), curve: Vec::new(), ..row };
        let read = RunResult::of_json(&diverged.to_json()).unwrap();
        assert!(read.nll.is_nan() && read.diverged == Some(3));
        assert_eq!(RunResult::of_json(&json!({"variant": "dense"})), None);
    }
}
