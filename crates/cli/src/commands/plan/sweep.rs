//! Meshes and batches beside each other: each partitioned and simulated, the most tokens per second first.

use super::planned::{Planned, Room};
use super::subject::{Change, Subject};
use crate::failure::Failure;
use crate::training::shown_axes;
use crate::units;
use meshwright_base::arrange::Arrange;
use meshwright_cost::Target;
use meshwright_train::config::Axes;

/// Meshes that are tried at most, those nearest to the one that is asked for first.
const MOST: usize = 24;

/// One mesh and batch.
pub struct Candidate {
    pub mesh: Axes,
    pub batch: Option<i64>,
    pub outcome: Outcome,
}

/// How it came out.
pub enum Outcome {
    Planned(Box<Measures>),
    /// Why it cannot be.
    Refused(String),
}

/// What is compared.
pub struct Measures {
    pub seconds: f64,
    pub peak: i64,
    pub fits: bool,
    /// Useful flops by the peak.
    pub useful: f64,
    pub exposed: f64,
    pub tokens_per_second: Option<f64>,
}

/// All that are asked for, ranked; `tell` before each.
pub fn sweep(
    subject: &Subject,
    change: &Change,
    target: &Target,
    limit: i64,
    mesh: &Axes,
    batches: &[i64],
    mut tell: impl FnMut(usize, usize),
) -> Vec<Candidate> {
    let batches: Vec<Option<i64>> = match (batches, change.batch.or(subject.batch())) {
        ([], None) => vec![None],
        ([], Some(batch)) => [batch / 2, batch, batch * 2].into_iter().filter(|n| *n > 0).map(Some).collect(),
        (batches, _) => batches.iter().copied().map(Some).collect(),
    };
    let meshes = shapes(mesh);
    let meshes = &meshes[..meshes.len().min(MOST)];
    let mut rows = Vec::new();
    for mesh in meshes {
        for batch in &batches {
            tell(rows.len() + 1, meshes.len() * batches.len());
            let change = Change { mesh: Some(mesh.clone()), batch: *batch, ..change.clone() };
            let outcome = match Planned::of(subject, &change, target, Room::Worth) {
                Ok(planned) => Outcome::Planned(Box::new(measures(&planned, limit))),
                Err(failure) => Outcome::Refused(reason(&failure)),
            };
            rows.push(Candidate { mesh: mesh.clone(), batch: *batch, outcome });
        }
    }
    rows.arrange_by(|a, b| rank(a).total_cmp(&rank(b)));
    rows
}

fn reason(failure: &Failure) -> String {
    failure.diagnostics.first().map_or_else(String::new, |told| told.message.clone())
}

fn measures(planned: &Planned, limit: i64) -> Measures {
    let (_, useful) = planned.flops();
    Measures {
        seconds: planned.step.seconds,
        peak: planned.memory.peak,
        fits: planned.memory.peak <= limit,
        useful: useful / (planned.step.seconds * planned.peak_flops()),
        exposed: planned.step.exposed(),
        tokens_per_second: planned.tokens_per_second(),
    }
}

/// Less is better: what fits by seconds per token, then what does not, then what cannot be.
fn rank(row: &Candidate) -> f64 {
    const NEXT: f64 = 1e12;
    match &row.outcome {
        Outcome::Refused(_) => 2.0 * NEXT,
        Outcome::Planned(of) => {
            let cost = of.tokens_per_second.map_or(of.seconds, |rate| 1.0 / rate);
            if of.fits { cost } else { NEXT + cost }
        }
    }
}

/// The same devices over the same axes in other sizes, those nearest to what they are first.
pub fn shapes(mesh: &Axes) -> Vec<Axes> {
    let devices = mesh.devices();
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..mesh.0.len() {
        let is_last = at + 1 == mesh.0.len();
        all = all
            .into_iter()
            .flat_map(|sizes| {
                let left = devices / sizes.iter().product::<usize>().max(1);
                let divisors =
                    (1..=left).filter(move |size| left.is_multiple_of(*size) && (!is_last || *size == left));
                divisors.map(move |size| [sizes.clone(), vec![size]].concat())
            })
            .collect();
    }
    let away = |sizes: &Vec<usize>| -> i64 {
        let one = |(size, (_, own)): (&usize, &(String, usize))| {
            (1e6 * (*size as f64 / *own as f64).log2().abs()) as i64
        };
        sizes.iter().zip(&mesh.0).map(one).sum()
    };
    all.arrange_by_key(away);
    let named = |sizes: Vec<usize>| Axes(mesh.0.iter().map(|(name, _)| name.clone()).zip(sizes).collect());
    all.into_iter().map(named).collect()
}

/// The table of a sweep.
pub fn text(rows: &[Candidate]) -> String {
    let mut out = format!(
        "{:28} {:>7} {:>14} {:>10} {:>7} {:>8} {:>12} {:>5}\n",
        "mesh", "batch", "estimated step", "tokens/s", "useful", "exposed", "peak memory", "fits"
    );
    for row in rows {
        let batch = row.batch.map_or("-".into(), |batch| batch.to_string());
        let mesh = shown_axes(&row.mesh);
        match &row.outcome {
            Outcome::Refused(why) => out += &format!("{mesh:28} {batch:>7} {why}\n"),
            Outcome::Planned(of) => {
                let rate = of.tokens_per_second.map_or("-".into(), |rate| format!("{rate:.3e}"));
                out += &format!(
                    "{mesh:28} {batch:>7} {:>14} {rate:>10} {:6.1}% {:7.1}% {:>12} {:>5}\n",
                    units::seconds(of.seconds),
                    100.0 * of.useful,
                    100.0 * of.exposed / of.seconds,
                    units::bytes(of.peak),
                    if of.fits { "yes" } else { "no" },
                );
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_of_as_many_devices_and_the_nearest_come_first() {
        let mesh = Axes(vec![("x".into(), 4), ("y".into(), 2)]);
        let sizes: Vec<Vec<usize>> =
            shapes(&mesh).iter().map(|axes| axes.0.iter().map(|(_, size)| *size).collect()).collect();
        assert_eq!(sizes[0], [4, 2]);
        assert_eq!(sizes.len(), 4);
        assert!(sizes.iter().all(|sizes| sizes.iter().product::<usize>() == 8));
    }
}
