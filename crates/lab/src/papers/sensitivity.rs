//! What hangs on constants of machines that no source states: how much steps change where one is half or twice what is
//! assumed.
//!
//! On TPU v3 the steps are those that the papers measured. Of the other machines no document has steps: two of GSPMD's
//! models stand in, one dense and one of experts, on 128 devices. A share of a peak is never more than all of it.

use super::program::partitioned_by;
use super::rows::{TABLES, Table};
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid, spread};
use meshwright_cli::report::Report;
use meshwright_compile::{Compiled, Options};
use meshwright_cost::{Coefficient, Machine};
use meshwright_nn::models::presets::find;

/// The other machines, with 128 devices; those of a kind have the same constants.
const MACHINES: [&str; 7] = [
    "tpu-v2:8x8",
    "tpu-v4:4x4x8",
    "tpu-v5e:8x16",
    "tpu-v5p:4x4x8",
    "tpu-v6e:8x16",
    "a100-80:8x16",
    "h100:8x16",
];

/// What stands in there.
const PROGRAMS: [&str; 2] = ["gspmd-16b-16x8", "gspmd-moe-37b"];

/// Shares of a peak.
const SHARES: [Coefficient; 5] = [
    Coefficient::ProductShare,
    Coefficient::BatchedShare,
    Coefficient::MemoryShare,
    Coefficient::LinkShare,
    Coefficient::ExchangeShare,
];

fn assumed(machine: &Machine) -> impl Iterator<Item = Coefficient> {
    // Of a machine's numbers that are chosen for it and play no part, none has bounds.
    let is_assumed = |of: &Coefficient| machine.known(*of).is_assumed() && machine.known(*of).within > 0.0;
    Coefficient::ALL.into_iter().filter(is_assumed)
}

/// By which shares steps change with a constant `times` what it is.
fn changes(timed: &[Timed], of: Coefficient, times: f64) -> (f64, f64) {
    let most = if SHARES.contains(&of) { 1.0 } else { f64::INFINITY };
    let change = |timed: &Timed| {
        let value = (timed.machine[of] * times).min(most);
        let changed = timed.step(&timed.machine.clone().with(of, value)).seconds;
        (changed / timed.step(&timed.machine).seconds - 1.0).abs()
    };
    spread(timed.iter().map(change))
}

fn rows(grid: &mut Grid, timed: &[Timed]) {
    let Some(machine) = timed.first().map(|timed| &timed.machine) else { return };
    for of in assumed(machine) {
        let (half, twice) = (changes(timed, of, 0.5), changes(timed, of, 2.0));
        let percent = |value| Cell::number(value, 1);
        grid.row([
            Cell::text(machine.name.to_string()),
            Cell::text(of.name()),
            Cell::text(format!("{}", machine[of])),
            percent(half.0),
            percent(half.1),
            percent(twice.0),
            percent(twice.1),
        ]);
    }
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "machine",
        "assumed",
        "value",
        "half: median %",
        "half: worst %",
        "twice: median %",
        "twice: worst %",
    ]);
    let measured: Vec<Timed> =
        TABLES.iter().flat_map(Table::uses).map(|(row, _)| Timed::row(row)).collect::<Result<_, _>>()?;
    rows(&mut grid, &measured);
    let made = |name: &&str| -> Result<Compiled, Failure> {
        let preset = find(name).ok_or_else(|| Failure::bug(&format!("no preset `{name}`")))?;
        partitioned_by(preset.step(), &Options::default())
    };
    let programs: Vec<Compiled> = PROGRAMS.iter().map(made).collect::<Result<_, _>>()?;
    for machine in MACHINES {
        let timed = programs.iter().map(|made| Timed::of(made.program.module(), machine));
        rows(&mut grid, &timed.collect::<Result<Vec<_>, _>>()?);
    }
    let text = format!(
        "Constants of machines that no source states, and by how much steps change where one is half or twice that.\n\n{}\n\
         On tpu-v3: the {} steps of `meshwright reproduce step-times`. Elsewhere: {} on 128 devices.\n",
        grid.to_text(),
        measured.len(),
        PROGRAMS.join(" and ")
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}
