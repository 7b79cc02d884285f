//! Learning rates over steps. A step counts from 1 and is a float scalar.

use meshwright_tensor::prelude::*;

/// A rate that depends on the step.
#[derive(Clone, PartialEq, Debug)]
pub enum Schedule {
    Constant(f64),
    /// T5: `rate / sqrt(max(step, warmup))`.
    InverseRoot {
        rate: f64,
        warmup: f64,
    },
    /// `rate` up to `hold` steps, then `rate sqrt(hold / step)`: of GShard's A.2 the words. What its authors ran is
    /// [`T5`](Schedule::T5): the same curve from 0.01, in steps relative to the parameter.
    HoldThenRoot {
        rate: f64,
        hold: f64,
    },
    /// Up to `rate` in `warmup` steps, then down to 0 along half a cosine at step `end`.
    Cosine {
        rate: f64,
        warmup: f64,
        end: f64,
    },
    /// Up to `rate` in `warmup` steps, then down to 0 along a line at step `end`.
    Linear {
        rate: f64,
        warmup: f64,
        end: f64,
    },
    /// `rate factor^(passed / every)` after `passed` steps; in steps of its own, the power is rounded down.
    Exponential {
        rate: f64,
        factor: f64,
        every: f64,
        in_steps: bool,
    },
    /// The first, up to this step; then the second, which counts from there.
    Joined(Box<Schedule>, f64, Box<Schedule>),
}

impl From<f64> for Schedule {
    fn from(rate: f64) -> Schedule {
        Schedule::Constant(rate)
    }
}

impl Schedule {
    pub const T5: Schedule = Schedule::InverseRoot { rate: 1.0, warmup: 10_000.0 };
    pub const GSHARD: Schedule = Schedule::HoldThenRoot { rate: 1.0, hold: 10_000.0 };

    /// This up to a step, then another, which counts from there.
    pub fn until(self, step: f64, then: impl Into<Schedule>) -> Schedule {
        Schedule::Joined(Box::new(self), step, Box::new(then.into()))
    }

    /// The rate of a step.
    pub fn rate(&self, step: Tensor) -> Tensor {
        match *self {
            Schedule::Constant(rate) => step.full_like(rate),
            Schedule::InverseRoot { rate, warmup } => step.maximum(warmup).rsqrt() * rate,
            Schedule::HoldThenRoot { rate, hold } => (hold / step.maximum(hold)).sqrt() * rate,
            Schedule::Cosine { rate, warmup, end } => {
                let (up, passed) = up_and_passed(step, warmup, end);
                up * ((passed * std::f64::consts::PI).cos() + 1.0) * (rate / 2.0)
            }
            Schedule::Linear { rate, warmup, end } => {
                let (up, passed) = up_and_passed(step, warmup, end);
                up * (1.0 - passed) * rate
            }
            Schedule::Exponential { rate, factor, every, in_steps } => {
                let times = (step - 1) / every;
                let times = if in_steps { times.floor() } else { times };
                (times * factor.ln()).exp() * rate
            }
            Schedule::Joined(ref first, end, ref then) => {
                step.le(end).select(first.rate(step), then.rate(step - end))
            }
        }
    }
}

/// The share of the warmup that is done, and the share of the way from its end to `end`.
fn up_and_passed(step: Tensor, warmup: f64, end: f64) -> (Tensor, Tensor) {
    let passed = ((step - warmup) / (end - warmup).max(1.0)).clip(0.0, 1.0);
    ((step / warmup.max(1.0)).minimum(1.0), passed)
}
