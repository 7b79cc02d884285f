//! A model at a paper's size in the place of a file: `preset:gshard-12l-2048e` is its training step over its mesh.
//!
//! Only shapes are made, so any size can be completed, explained and partitioned here.

use crate::failure::{Failure, Fault};
use meshwright_ground::{Code, Diagnostic, SourceText};
use meshwright_ir::Module;
use meshwright_nn::models::presets;
use std::path::Path;

const UNKNOWN: Code = Code(707);

/// The name behind `preset:`.
pub fn name(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix("preset:")
}

/// The training step of a preset, and a text that says where it comes from.
pub fn step(name: &str) -> Result<(Module, SourceText), Failure> {
    let text = SourceText::new(format!("preset:{name}"), String::new());
    let preset = presets::find(name).ok_or_else(|| unknown(name))?;
    match preset.step() {
        Ok(program) => Ok((program.into_module(), text)),
        Err(errors) => Err(Failure { fault: Fault::Bug, diagnostics: errors.diagnostics(), text: None }),
    }
}

fn unknown(name: &str) -> Failure {
    let all = presets::all();
    let family = name.split('-').next().unwrap_or(name);
    let of_family: Vec<&str> =
        all.iter().map(|preset| preset.name).filter(|other| other.starts_with(family)).collect();
    let names = match of_family.is_empty() {
        true => all.iter().map(|preset| preset.name).collect(),
        false => of_family,
    };
    let message = format!("there is no preset `{name}`");
    Failure::input(Diagnostic::error(UNKNOWN, message).help(format!("there are {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_is_a_module_and_unknown_names_are_told() {
        assert_eq!(name(Path::new("preset:t5-base")), Some("t5-base"));
        assert_eq!(name(Path::new("step.mlir")), None);
        let (module, _) =
            step("gshard-bilingual-base").unwrap_or_else(|failure| panic!("{}", failure.to_text()));
        assert!(module.main().param_values().len() > 10);
        let said = step("gshard-13l").err().map(|failure| failure.to_text()).unwrap_or_default();
        assert!(said.contains("no preset `gshard-13l`") && said.contains("gshard-12l-2048e"), "{said}");
        assert!(!said.contains("t5-base"), "{said}");
    }
}
