//! How far off an estimate may be: by every coefficient that it hangs on, shaken by as much as is not known of it.
//!
//! Each is moved both ways alone; what the estimate then differs by, in logarithms, adds up as for errors that have
//! nothing to do with each other. So an estimate is as sure as what it is made of: one that hangs on a stated peak is
//! narrow, one on an assumed latency is wide, and where two things run side by side only the longer counts.

use crate::machine::{Coefficient, Machine};

/// A number and what it lies between, nine times of ten.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// One that is known.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// By a factor either way, from none (1) on.
    pub fn within(value: f64, factor: f64) -> Estimate {
        Estimate { value, low: value / factor, high: value * factor }
    }

    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Off by one more share, which has nothing to do with what is known so far.
    #[must_use]
    pub fn loosened(self, within: f64) -> Estimate {
        let side = |factor: f64| (factor.ln().powi(2) + (1.0 + within).ln().powi(2)).sqrt().exp();
        let (down, up) = (side(self.value / self.low), side(self.high / self.value));
        Estimate { value: self.value, low: self.value / down, high: self.value * up }
    }

    /// The estimate of something that is this, `share` times.
    #[must_use]
    pub fn times(self, share: f64) -> Estimate {
        Estimate { value: self.value * share, low: self.low * share, high: self.high * share }
    }

    /// The estimate of `amount` by this, as work by time.
    #[must_use]
    pub fn under(self, amount: f64) -> Estimate {
        Estimate { value: amount / self.value, low: amount / self.high, high: amount / self.low }
    }
}

/// What the model itself leaves out, whatever its coefficients: the share by which a step is off where all are known.
pub const MODEL: f64 = 0.04;

/// An estimate of several numbers of a machine at once, each with its bounds.
pub fn estimates<const N: usize>(machine: &Machine, of: impl Fn(&Machine) -> [f64; N]) -> [Estimate; N] {
    let values = of(machine);
    let mut squares = [[0.0f64; 2]; N];
    for coefficient in Coefficient::ALL {
        let known = machine.known(coefficient);
        let (value, factor) = (known.value, 1.0 + known.within);
        if known.within == 0.0 || value == 0.0 {
            continue;
        }
        let shaken =
            [value / factor, value * factor].map(|value| of(&machine.clone().with(coefficient, value)));
        for (at, squares) in squares.iter_mut().enumerate() {
            let moved = shaken.map(|shaken| log_ratio(shaken[at], values[at]));
            let (down, up) = (moved[0].min(moved[1]).min(0.0), moved[0].max(moved[1]).max(0.0));
            squares[0] += down * down;
            squares[1] += up * up;
        }
    }
    let model = (1.0 + MODEL).ln().powi(2);
    let mut made = [Estimate::default(); N];
    for ((made, value), squares) in made.iter_mut().zip(values).zip(squares) {
        let [down, up] = squares.map(|square| (square + model).sqrt());
        *made = Estimate { value, low: value * (-down).exp(), high: value * up.exp() };
    }
    made
}

fn log_ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { (a / b).ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Known, Source};

    fn machine(peak: f64, start: f64) -> Machine {
        Machine::default()
            .knowing(Coefficient::Products, Known::new(1e12, peak, Source::MeasuredHere))
            .knowing(Coefficient::Start, Known::new(1e-3, start, Source::MeasuredHere))
    }

    fn seconds(machine: &Machine) -> [f64; 1] {
        [1e12 / machine[Coefficient::Products] + machine[Coefficient::Start]]
    }

    #[test]
    fn an_estimate_is_as_wide_as_what_it_hangs_on() {
        let [sure] = estimates(&machine(0.01, 1.0), seconds);
        let [unsure] = estimates(&machine(0.5, 1.0), seconds);
        assert!(sure.low < sure.value && sure.value < sure.high);
        assert!(unsure.high / unsure.low > 1.5 * (sure.high / sure.low), "{sure:?} {unsure:?}");
        assert!(unsure.contains(1.4) && !sure.contains(1.4), "{sure:?} {unsure:?}");
    }

    #[test]
    fn what_is_loosened_is_as_wide_as_both_together() {
        let wide = Estimate::within(2.0, 1.3).loosened(0.4);
        let both = (1.3f64.ln().powi(2) + 1.4f64.ln().powi(2)).sqrt().exp();
        assert!((wide.high / 2.0 / both - 1.0).abs() < 1e-12 && (2.0 / wide.low / both - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_does_not_count_does_not_widen() {
        let of =
            |machine: &Machine| [(1e12 / machine[Coefficient::Products]).max(machine[Coefficient::Start])];
        let [wide] = estimates(&machine(0.01, 0.0), of);
        let [same] = estimates(&machine(0.01, 5.0), of);
        assert_eq!(wide, same);
    }
}
