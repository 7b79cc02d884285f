//! The constants of TPU v3 with their sources: which of them a maker states, which others measured, which are fitted on
//! rows that they are then no test of, and which are assumed.

use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::{Coefficient, Machine, Target};

fn machine() -> Result<Machine, Failure> {
    Target::parse("tpu-v3:32x32").and_then(|target| target.machine(1)).map_err(Failure::input)
}

/// Constants of TPU v3 that are fitted on a table or figure, as a sentence; nothing if there are none.
pub fn fitted_on(name: &str) -> Result<String, Failure> {
    let machine = machine()?;
    let is_own = |of: &Coefficient| machine.known(*of).source.fitted_on().any(|rows| rows == name);
    let own: Vec<&str> = Coefficient::ALL.into_iter().filter(is_own).map(Coefficient::name).collect();
    if own.is_empty() {
        return Ok(String::new());
    }
    Ok(format!("Fitted on this figure, which does not test them: {}.\n", own.join(", ")))
}

fn grid() -> Result<Grid, Failure> {
    let machine = machine()?;
    let mut grid = Grid::new(["constant", "value", "within %", "source", "detail"]);
    for of in Coefficient::ALL {
        let known = machine.known(of);
        // Of steps of the CPU engine, which this machine does not have.
        if known.within == 0.0 {
            continue;
        }
        grid.row([
            Cell::text(of.name()),
            Cell::text(format!("{:.4e}", known.value)),
            Cell::number(100.0 * known.within, 0),
            Cell::text(known.source.kind()),
            Cell::text(known.source.detail()),
        ]);
    }
    Ok(grid)
}

pub fn table() -> Result<Report, Failure> {
    let grid = grid()?;
    Ok(Report::new(format!("Constants of TPU v3 and their sources.\n\n{}", grid.to_text()))
        .with("constants", grid.to_json()))
}

/// The page of the docs.
pub fn page() -> Result<String, Failure> {
    Ok(format!(
        "# Constants of TPU v3\n\n\
         Look up the source of each constant of the simulated machine. *Published spec*: its maker states it. \
         *Measured by others*: a third party measured it, and no table here is compared with it. *Fitted*: chosen so that the named tables or \
         figures come out, so these do not test it. *Assumed*: no source states it. `meshwright reproduce constants` \
         prints this table.\n\n{}",
        grid()?.to_text()
    ))
}
