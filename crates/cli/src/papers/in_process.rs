//! Steps that run here, predicted by what `bench machine` measured and then run: the presets that train on this
//! machine, and, in a checkout, the golden steps and models.

use crate::commands::bench_against::against;
use crate::failure::Failure;
use crate::report::Report;
use crate::target::this;
use meshwright_train::preset::PRESETS;
use std::path::PathBuf;

/// Modules of a checkout.
pub const MODULES: [&str; 9] = [
    "tests/golden_steps/yardstick/small_step.mlir",
    "tests/golden/yardstick/stablehlo_shardy.mlir",
    "tests/golden/transformer/module.mlir",
    "tests/golden/transformer_scanned/module.mlir",
    "tests/golden/moe/module.mlir",
    "tests/golden/mlp/module.mlir",
    "tests/golden/lstm/module.mlir",
    "tests/golden/convnet/module.mlir",
    "tests/golden/adam/module.mlir",
];

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
