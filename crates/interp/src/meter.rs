//! How much memory the values of a run take, so that a program too large ends in a diagnostic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that live values take.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

/// Bytes counted on a meter until they are dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    bytes: u64,
    meter: Meter,
}

impl Meter {
    /// Count bytes; how many are counted now.
    pub fn charge(&self, bytes: u64) -> (Charge, u64) {
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        (Charge { bytes, meter: self.clone() }, before.saturating_add(bytes))
    }

    /// Bytes that are counted now.
    pub fn live(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.meter.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
