//! What a run says of itself: numbers of a step as JSON lines, TensorBoard events and text for a terminal, and the
//! guard that stops a run that has gone wrong.
//!
//! All of it is pure text and bytes from numbers; [`Log`] alone writes files. Nothing here reads a clock: the time is
//! given.

mod chart;
mod guard;
mod log;
mod progress;
mod tensorboard;

pub use chart::{Chart, Dot, Line};
pub use guard::{Guard, Verdict};
pub(crate) use log::LOG;
pub use log::Log;
pub use progress::{duration, progress, sparkline};
pub use tensorboard::{event_scalars, event_start, record};

use serde_json::{Map, Value, json};

/// Numbers of one step, by name, in the order they are to be shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metrics {
    pub step: u64,
    /// Seconds since 1970.
    pub time: f64,
    pub values: Vec<(String, f64)>,
    /// Of each layer of experts, how many choices each expert took.
    pub routed: Vec<Vec<f64>>,
}

impl Metrics {
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// One line of JSON with its end. What is not finite is a text, since JSON has no such number.
    pub fn json_line(&self) -> String {
        let mut line = Map::new();
        line.insert("step".into(), json!(self.step));
        line.insert("time".into(), number(self.time));
        self.values.iter().for_each(|(name, value)| drop(line.insert(name.clone(), number(*value))));
        if !self.routed.is_empty() {
            line.insert(ROUTED.into(), self.routed.iter().map(|layer| counts(layer)).collect());
        }
        format!("{}\n", Value::Object(line))
    }
}

/// The one field of a line that is no number.
const ROUTED: &str = "routed";

/// Whole numbers, as short as they are.
fn counts(layer: &[f64]) -> Value {
    layer.iter().map(|count| json!(count.round() as i64)).collect()
}

fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

/// The numbers of lines that [`Metrics::json_line`] wrote. Broken ones are left out: a kill may cut one short, and a
/// loss of power leave other bytes in its place.
pub fn history(bytes: &[u8]) -> Vec<Metrics> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| of_line(&serde_json::from_slice(line).ok()?)).collect()
}

fn of_line(line: &Value) -> Option<Metrics> {
    let is_value = |(name, _): &(&String, &Value)| !matches!(name.as_str(), "step" | "time" | ROUTED);
    let value = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let values = line.as_object()?.iter().filter(is_value);
    let layer = |layer: &Value| layer.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let routed = line.get(ROUTED).map_or(Some(Vec::new()), |all| all.as_array()?.iter().map(layer).collect());
    Some(Metrics {
        step: line["step"].as_u64()?,
        time: value(&line["time"])?,
        values: values.map(|(name, found)| Some((name.clone(), value(found)?))).collect::<Option<_>>()?,
        routed: routed?,
    })
}

/// How evenly tokens fall on experts: 1 is evenly, 0 is all on one. 1 for fewer than two experts or no tokens.
pub fn load_entropy(tokens: &[f64]) -> f64 {
    let all: f64 = tokens.iter().sum();
    if tokens.len() < 2 || all <= 0.0 {
        return 1.0;
    }
    let shares = tokens.iter().map(|count| count / all).filter(|share| *share > 0.0);
    let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
    entropy / (tokens.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_every_value_also_those_that_are_no_numbers() {
        let values = vec![("loss".to_string(), 2.5), ("norm".to_string(), f64::NAN)];
        let metrics = Metrics { step: 3, time: 1.0, values, routed: Vec::new() };
        assert_eq!(metrics.json_line(), "{\"step\":3,\"time\":1.0,\"loss\":2.5,\"norm\":\"NaN\"}\n");
        assert_eq!((metrics.get("loss"), metrics.get("x")), (Some(2.5), None));
        let text = format!("{{\"step\": 2\n{}{{\"step\": 4, \"ti", metrics.json_line());
        let again = history(&[b"\xFF\0\n", text.as_bytes()].concat());
        assert_eq!((again.len(), again[0].step, again[0].get("loss")), (1, 3, Some(2.5)));
        assert!(again[0].get("norm").unwrap().is_nan());
    }

    #[test]
    fn a_line_has_what_each_expert_took() {
        let metrics = Metrics { step: 1, routed: vec![vec![3.0, 0.0], vec![1.0, 2.0]], ..Metrics::default() };
        assert_eq!(metrics.json_line(), "{\"step\":1,\"time\":0.0,\"routed\":[[3,0],[1,2]]}\n");
        assert_eq!(history(metrics.json_line().as_bytes()), [metrics]);
        assert_eq!(history(b"{\"step\":1,\"time\":0.0,\"routed\":[[\"x\"]]}\n"), []);
    }

    #[test]
    fn load_entropy_is_one_for_even_loads_and_zero_for_one_expert() {
        assert!((load_entropy(&[5.0; 8]) - 1.0).abs() < 1e-12);
        assert_eq!(load_entropy(&[0.0, 9.0, 0.0]), 0.0);
        assert_eq!(load_entropy(&[]), 1.0);
        assert_eq!(load_entropy(&[0.0, 0.0]), 1.0);
    }
}
