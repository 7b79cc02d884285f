//! GShard, Figure 9: an all-reduce and an all-to-all of 8 and of 32 MB over all cores of TPU v3 pods of 16 to 2,048.
//!
//! The figure's points carry no numbers. What it is said to show: an all-reduce takes as long on any number of cores,
//! up to what a topology is; an all-to-all grows as the square root, 9 times from 16 to 2,048.

use super::program::exponent;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::network::Group;
use meshwright_cost::price::price;
use meshwright_cost::{Pattern, Target};

/// Chips of the pods, smallest first: two cores each.
const PODS: [&str; 8] = [
    "tpu-v3:2x4",
    "tpu-v3:4x4",
    "tpu-v3:4x8",
    "tpu-v3:8x8",
    "tpu-v3:8x16",
    "tpu-v3:16x16",
    "tpu-v3:16x32",
    "tpu-v3:32x32",
];

const MEGA: f64 = (1u64 << 20) as f64;

/// What is measured: a collective of so many bytes on each core.
const SERIES: [(Pattern, f64); 4] = [
    (Pattern::AllToAll, 8.0 * MEGA),
    (Pattern::AllReduce, 8.0 * MEGA),
    (Pattern::AllToAll, 32.0 * MEGA),
    (Pattern::AllReduce, 32.0 * MEGA),
];

/// By how much an all-to-all is said to grow from the first pod to the last.
const GROWTH: f64 = 9.0;

/// Cores of a pod, and microseconds of each series on it.
fn pod(target: &str) -> Result<(f64, [f64; 4]), Failure> {
    let machine = Target::parse(target).and_then(|target| target.machine(1)).map_err(Failure::input)?;
    let cores = machine.network.devices();
    let group = Group::packed(&machine.network, cores);
    let micros = SERIES.map(|(pattern, bytes)| 1e6 * price(pattern, &group, bytes, bytes, &machine).seconds);
    Ok((cores as f64, micros))
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "cores",
        "all-to-all 8 MB us",
        "all-reduce 8 MB us",
        "all-to-all 32 MB us",
        "all-reduce 32 MB us",
    ]);
    let pods: Vec<(f64, [f64; 4])> = PODS.iter().map(|target| pod(target)).collect::<Result<_, _>>()?;
    for (cores, micros) in &pods {
        let mut cells = vec![Cell::count(*cores as i64)];
        cells.extend(micros.iter().map(|micros| Cell::number(*micros, 0)));
        grid.row(cells);
    }
    let series = |at: usize| pods.iter().map(|(cores, micros)| (*cores, micros[at])).collect::<Vec<_>>();
    let power = |at: usize| exponent(&series(at)).unwrap_or(0.0);
    let growth = |at: usize| pods[pods.len() - 1].1[at] / pods[0].1[at];
    let circular = super::constants::fitted_on("gshard-figure-9")?;
    let text = format!(
        "GShard, Figure 9: collectives over all cores of a pod, in microseconds, as the model of the machine has them.\n\n\
         {}\nFrom 16 to 2,048 cores an all-to-all of 8 MB takes {:.1} times as long (the paper: {GROWTH}), one of 32 MB {:.1} \
         times: D^{:.2} and D^{:.2} (D^0.5). An all-reduce takes {:.2} and {:.2} times as long (1): pods under 32 by 32 are \
         no torus, which doubles what a link carries.\n{circular}",
        grid.to_text(),
        growth(0),
        growth(2),
        power(0),
        power(2),
        growth(1),
        growth(3),
    );
    Ok(Report::new(text).with("rows", grid.to_json()).with("all_to_all_growth", growth(2)))
}
