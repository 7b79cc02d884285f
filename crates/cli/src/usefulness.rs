//! What `partition` and `explain` say of a program's work: how much of it is bubbles of pipelines, and how much is
//! computed again.

use meshwright_base::Ask;
use meshwright_base::units::bytes;
use meshwright_cost::{PipelineLoop, Usefulness};
use serde_json::{Value, json};
use std::fmt::Write;

/// What the work was counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A module that is not partitioned.
    Whole,
    /// The program of one of several devices: what moves on in its pipelines ought to be sent.
    Device,
}

/// For people; nothing, where all work is of use.
pub fn text(of: &Usefulness, counted: Of) -> String {
    let mut out = String::new();
    let share = |flops: f64| 100.0 * flops / of.flops.max(1.0);
    let parts = [(of.bubbles, "pipeline bubbles"), (of.again, "recomputed")];
    let parts: String = parts
        .iter()
        .filter(|(flops, _)| *flops > 0.0)
        .map(|(flops, what)| format!(", {:.1}% {what}", share(*flops)))
        .collect();
    if !parts.is_empty() {
        let _ = writeln!(out, "  {:.4e} useful flops ({:.1}%{parts})", of.useful(), share(of.useful()));
    }
    for one in &of.loops {
        let PipelineLoop { stages, trips, .. } = *one;
        let moved = match one.moved {
            0.0 if counted == Of::Whole => String::new(),
            0.0 => format!(
                ", every device computes all stages: `{}` names the cause",
                Ask::Either { line: "meshwright explain", python: "explain" }
            ),
            moved => format!(", {} sent between stages", bytes(moved)),
        };
        let (waits, bubble) = (stages - 1, 100.0 * one.bubble());
        let _ = writeln!(
            out,
            "  pipeline of {stages} stages: {waits} of {trips} trips are bubbles ({bubble:.1}%){moved}"
        );
    }
    out
}

/// For programs.
pub fn to_json(of: &Usefulness) -> Value {
    let share = |flops: f64| flops / of.flops.max(1.0);
    let one = |one: &PipelineLoop| {
        json!({
            "stages": one.stages,
            "trips": one.trips,
            "times": one.times,
            "bubble_share": one.bubble(),
            "contraction_flops": one.flops,
            "moved_bytes": one.moved,
        })
    };
    json!({
        "useful_flops": of.useful(),
        "useful_share": share(of.useful()),
        "bubble_share": share(of.bubbles),
        "again_share": share(of.again),
        "pipelines": of.loops.iter().map(one).collect::<Vec<_>>(),
    })
}
