//! Stopping a run that has gone wrong, before it overwrites what was good.
//!
//! A loss or gradient norm that is no finite number stops the run at once: the last checkpoint was written before it
//! and stays the newest. A loss far above what it was lately is a warning only: it may come back.

/// How many losses are remembered.
const REMEMBERED: usize = 64;

/// A loss this many mean deviations above the mean is a spike.
const SPIKE: f64 = 8.0;

/// What a step's numbers say.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    Good,
    /// The loss is far above the mean of the last steps.
    Spike {
        loss: f64,
        mean: f64,
    },
    /// Stop: this value is no finite number.
    Stop {
        what: &'static str,
        value: f64,
        last_good: Option<u64>,
    },
}

/// Remembers the last losses.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guard {
    losses: Vec<f64>,
    last_good: Option<u64>,
}

impl Guard {
    pub fn judge(&mut self, step: u64, loss: f64, gradient_norm: f64) -> Verdict {
        let values = [("loss", loss), ("gradient norm", gradient_norm)];
        if let Some((what, value)) = values.into_iter().find(|(_, value)| !value.is_finite()) {
            return Verdict::Stop { what, value, last_good: self.last_good };
        }
        self.last_good = Some(step);
        let verdict = self.compare(loss);
        if self.losses.len() == REMEMBERED {
            self.losses.remove(0);
        }
        self.losses.push(loss);
        verdict
    }

    fn compare(&self, loss: f64) -> Verdict {
        if self.losses.len() < REMEMBERED / 4 {
            return Verdict::Good;
        }
        let count = self.losses.len() as f64;
        let mean = self.losses.iter().sum::<f64>() / count;
        let deviation = self.losses.iter().map(|loss| (loss - mean).abs()).sum::<f64>() / count;
        // Losses that hardly move would make every step a spike; a thousandth of the mean is always allowed.
        if loss > mean + SPIKE * deviation.max(1e-3 * mean.abs()) {
            Verdict::Spike { loss, mean }
        } else {
            Verdict::Good
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_stop_and_name_the_last_good_step() {
        let mut guard = Guard::default();
        assert_eq!(guard.judge(1, 5.0, 1.0), Verdict::Good);
        let stopped = guard.judge(2, 5.0, f64::INFINITY);
        assert_eq!(
            stopped,
            Verdict::Stop { what: "gradient norm", value: f64::INFINITY, last_good: Some(1) }
        );
        assert!(matches!(guard.judge(3, f64::NAN, 1.0), Verdict::Stop { what: "loss", .. }));
        assert!(matches!(Guard::default().judge(1, f64::NAN, 1.0), Verdict::Stop { last_good: None, .. }));
    }

    #[test]
    fn a_spike_is_a_warning_and_a_falling_loss_is_none() {
        let mut guard = Guard::default();
        for step in 0..200 {
            let loss = 5.0 - 0.01 * step as f64 + 0.05 * (step % 3) as f64;
            assert_eq!(guard.judge(step, loss, 1.0), Verdict::Good, "{step}");
        }
        assert!(matches!(guard.judge(200, 9.0, 1.0), Verdict::Spike { .. }));
    }
}
