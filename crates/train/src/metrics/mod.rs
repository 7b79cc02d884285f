//! What a run says of itself: numbers of a step as JSON lines, TensorBoard events and text for a terminal, and the guard
//! that stops a run that has gone wrong.
//!
//! All of it is pure text and bytes from numbers; [`Log`] alone writes files. Nothing here reads a clock: the time is
//! given.

mod guard;
mod log;
mod progress;
mod tensorboard;

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
        format!("{}\n", Value::Object(line))
    }
}

fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
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
        let metrics = Metrics { step: 3, time: 1.0, values };
        assert_eq!(metrics.json_line(), "{\"step\":3,\"time\":1.0,\"loss\":2.5,\"norm\":\"NaN\"}\n");
        assert_eq!((metrics.get("loss"), metrics.get("x")), (Some(2.5), None));
    }

    #[test]
    fn load_entropy_is_one_for_even_loads_and_zero_for_one_expert() {
        assert!((load_entropy(&[5.0; 8]) - 1.0).abs() < 1e-12);
        assert_eq!(load_entropy(&[0.0, 9.0, 0.0]), 0.0);
        assert_eq!(load_entropy(&[]), 1.0);
        assert_eq!(load_entropy(&[0.0, 0.0]), 1.0);
    }
}
