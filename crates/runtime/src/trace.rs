//! What ran when, on which device and worker: written as Chrome's trace JSON, which Perfetto reads.

use crate::step::StepInfo;
use meshwright_base::arrange::Arrange;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// One step on one device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceEvent {
    pub device: u32,
    pub step: u32,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// Collects events of a launch.
#[derive(Debug)]
pub struct Trace {
    zero: Instant,
    events: Mutex<Vec<TraceEvent>>,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { zero: Instant::now(), events: Mutex::new(Vec::new()) }
    }
}

/// Time and work of one kind of step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KindTotal {
    pub kind: &'static str,
    pub count: usize,
    pub seconds: f64,
    pub bytes: u64,
    pub flops: u64,
}

impl Trace {
    pub fn now(&self) -> u64 {
        u64::try_from(self.zero.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub fn add(&self, event: TraceEvent) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Events so far, in order of their start.
    pub fn events(&self) -> Vec<TraceEvent> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
        events.arrange_by_key(|event| (event.start_ns, event.device, event.step));
        events
    }

    /// Chrome's trace events: one row per device, bytes and rates as arguments.
    pub fn chrome_json(&self, steps: &[StepInfo]) -> String {
        let mut out = String::from("[\n");
        for (i, event) in self.events().into_iter().enumerate() {
            let Some(info) = steps.get(event.step as usize) else { continue };
            let comma = if i > 0 { ",\n" } else { "" };
            let seconds = (event.end_ns - event.start_ns).max(1) as f64 / 1e9;
            let _ = write!(
                out,
                "{comma}{{\"name\":{:?},\"cat\":{:?},\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{:.3},\"dur\":{:.3},\
                 \"args\":{{\"step\":{},\"bytes\":{},\"flops\":{},\"GB/s\":{:.2},\"GFLOP/s\":{:.2}}}}}",
                info.name,
                info.kind,
                event.device,
                event.start_ns as f64 / 1e3,
                (event.end_ns - event.start_ns) as f64 / 1e3,
                event.step,
                info.bytes,
                info.flops(),
                info.bytes as f64 / seconds / 1e9,
                info.flops() as f64 / seconds / 1e9,
            );
        }
        out.push_str("\n]\n");
        out
    }

    /// Totals by kind, slowest first.
    pub fn by_kind(&self, steps: &[StepInfo]) -> Vec<KindTotal> {
        let mut totals: Vec<KindTotal> = Vec::new();
        for event in self.events() {
            let Some(info) = steps.get(event.step as usize) else { continue };
            let at = totals.iter().position(|total| total.kind == info.kind).unwrap_or_else(|| {
                totals.push(KindTotal { kind: info.kind, ..KindTotal::default() });
                totals.len() - 1
            });
            let total = &mut totals[at];
            total.count += 1;
            total.seconds += (event.end_ns - event.start_ns) as f64 / 1e9;
            total.bytes += info.bytes;
            total.flops += info.flops();
        }
        totals.arrange_by(|a, b| b.seconds.total_cmp(&a.seconds));
        totals
    }
}
