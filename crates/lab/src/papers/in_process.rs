//! Steps that run here, predicted by what `bench machine` measured and then run: the presets that train on this
//! machine, and, in a checkout, the golden steps and models.

use meshwright_cli::commands::bench_against::{MODULES, against};
use meshwright_cli::failure::Failure;
use meshwright_cli::report::Report;
use meshwright_cli::target::this;
use meshwright_train::preset::PRESETS;
use std::path::PathBuf;

const REPEAT: u32 = 5;

pub fn table() -> Result<Report, Failure> {
    let presets = PRESETS.iter().map(|preset| PathBuf::from(format!("preset:{}", preset.name)));
    let (there, missing): (Vec<PathBuf>, Vec<PathBuf>) =
        MODULES.iter().map(PathBuf::from).partition(|path| path.is_file());
    let paths: Vec<PathBuf> = presets.chain(there).collect();
    let mut report = against(&this(), &paths, REPEAT, true)?;
    if !missing.is_empty() {
        report.text +=
            &format!("{} golden modules are not here: run this in a checkout for them\n", missing.len());
    }
    Ok(report)
}
