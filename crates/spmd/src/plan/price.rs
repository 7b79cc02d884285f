//! What a part of a plan costs each device, and which of two costs less.

use crate::Goal;

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Price {
    /// Bytes sent.
    pub sent: f64,
    pub seconds: f64,
}

impl Price {
    /// Of what cannot be done, or what nobody would plan.
    pub const ENDLESS: Price = Price { sent: f64::INFINITY, seconds: f64::INFINITY };

    /// Whether this has less of what the goal names first, or as much of that and less of the other.
    pub fn beats(self, other: Price, goal: Goal) -> bool {
        const LESS: f64 = 1.0 - 1e-9;
        let by = |price: Price| match goal {
            Goal::Bytes => (price.sent, price.seconds),
            Goal::Seconds => (price.seconds, price.sent),
        };
        let (ours, theirs) = (by(self), by(other));
        ours.0 < theirs.0 * LESS || (ours.0 * LESS <= theirs.0 && ours.1 < theirs.1 * LESS)
    }

    /// The same where something of it costs this instead of that.
    pub fn exchanged(self, old: Price, new: Price) -> Price {
        Price { sent: self.sent - old.sent + new.sent, seconds: self.seconds - old.seconds + new.seconds }
    }

    /// Whether another differs by no more than the order of additions makes.
    pub fn is_near(self, other: Price) -> bool {
        let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
        near(self.sent, other.sent) && near(self.seconds, other.seconds)
    }

    pub fn is_finite(self) -> bool {
        self.sent.is_finite() && self.seconds.is_finite()
    }

    /// Add what is paid so many times.
    pub fn add(&mut self, times: f64, other: Price) {
        self.sent += times * other.sent;
        self.seconds += times * other.seconds;
    }
}
