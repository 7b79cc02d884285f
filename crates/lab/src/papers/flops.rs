//! Switch Transformer, Table 9: parameters and flops of a sequence, by the paper's count and by the program's.

use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_nn::models::flops::Counted;
use meshwright_nn::models::presets::{Built, find};

/// A row: parameters and flops of a sequence as printed. The experts of Switch-XXL are printed as 64, which would be
/// 201e9 parameters; 395e9 need 128.
const ROWS: [(&str, f64, f64); 7] = [
    ("t5-base", 0.2e9, 124e9),
    ("t5-large", 0.7e9, 425e9),
    ("t5-xxl", 11e9, 6.3e12),
    ("switch-base", 7e9, 124e9),
    ("switch-large", 26e9, 425e9),
    ("switch-xxl", 395e9, 6.3e12),
    ("switch-c", 1_571e9, 890e9),
];

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "parameters",
        "paper",
        "GFLOP a sequence",
        "paper",
        "error %",
        "the program's GFLOP",
    ]);
    let mut worst: f64 = 0.0;
    for (name, parameters, flops) in ROWS {
        let (built, preset) = match find(name).map(|preset| (preset.model(), preset)) {
            Some((Built::EncoderDecoder(model), preset)) => (model, preset),
            _ => return Err(Failure::bug(&format!("no encoder-decoder `{name}`"))),
        };
        let counted = Counted::of(&preset, &built);
        let error = counted.kaplan() / flops - 1.0;
        worst = worst.max(error.abs());
        let billions = |count: f64| Cell::shown(count, format!("{:.1}e9", count / 1e9));
        let giga = |count: f64| Cell::shown(count, format!("{:.0}", count / 1e9));
        grid.row([
            Cell::text(name),
            billions(preset.model().elements() as f64),
            billions(parameters),
            giga(counted.kaplan()),
            giga(flops),
            Cell::number(100.0 * error, 1),
            giga(counted.program()),
        ]);
    }
    let text = format!(
        "Switch Transformer, Table 9: parameters and flops of a sequence's forward pass.\n\n{}\nBy the paper's rule every \
         row comes out within {:.1} %. The program computes more: the values of attention, the decoder's keys and values \
         of all source tokens, routers, and places of experts that stay empty.\n",
        grid.to_text(),
        100.0 * worst,
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}
