//! Models that come with the program, by one name each: those that train here, and the papers' sizes.
//!
//! `preset:gshard-12l-2048e` in the place of a file is its training step over its mesh. Only shapes are made, so any
//! size can be completed, explained and partitioned here.

use crate::failure::{Failure, Fault};
use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic, SourceText, nearest};
use meshwright_ir::Module;
use meshwright_nn::models::images::presets::{IMAGE_PRESETS, ImagePreset};
use meshwright_nn::models::presets;
use meshwright_nn::models::step::Model;
use meshwright_nn::models::strategy::SPATIAL;
use meshwright_nn::models::unet::{OfTable8, TABLE_8};
use meshwright_nn::tensor::{Errors, Program};
use meshwright_train::Config;
use meshwright_train::data::source::Vocabularies;
use meshwright_train::preset::{self, PRESETS};
use meshwright_train::run::{TrainingPlan, step_program};
use std::path::Path;

const UNKNOWN: Code = Code(709);

/// The name behind `preset:`.
pub fn name(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix("preset:")
}

/// The training step of a preset, and a text that says where it comes from.
pub fn step(name: &str) -> Result<(Module, SourceText), Failure> {
    let text = SourceText::new(format!("preset:{name}"), String::new());
    let program = match (presets::find(name), preset::find(name)) {
        (Some(preset), _) => preset.step(),
        (None, Some(_)) => step_program(&plan(name)?),
        (None, None) => match OfImages::find(name) {
            Some(of) => of.step_over(&of.mesh(), [of.batch(), 1]),
            None => return Err(unknown(name)),
        },
    };
    Ok((program.map_err(bug)?.into_module(), text))
}

fn bug(errors: Errors) -> Failure {
    Failure { fault: Fault::Bug, diagnostics: errors.diagnostics(), text: None }
}

/// Whether a preset has this name.
pub fn is_known(name: &str) -> bool {
    is_only_shapes(name) || preset::find(name).is_some()
}

/// Whether a preset of this name is at a paper's size.
fn is_only_shapes(name: &str) -> bool {
    presets::find(name).is_some() || OfImages::find(name).is_some()
}

/// A model that sees, at a paper's size: a U-Net of GSPMD's Table 8, or another.
#[derive(Clone, Copy, Debug)]
pub enum OfImages {
    Table8(&'static OfTable8),
    Other(&'static ImagePreset),
}

impl OfImages {
    pub fn all() -> impl Iterator<Item = OfImages> {
        TABLE_8.iter().map(OfImages::Table8).chain(IMAGE_PRESETS.iter().map(OfImages::Other))
    }

    pub fn find(name: &str) -> Option<OfImages> {
        OfImages::all().find(|of| of.name() == name)
    }

    pub fn name(&self) -> &'static str {
        match self {
            OfImages::Table8(of) => of.name,
            OfImages::Other(of) => of.name,
        }
    }

    pub fn elements(&self) -> i64 {
        match self {
            OfImages::Table8(of) => of.model().specs().elements(),
            OfImages::Other(of) => of.elements(),
        }
    }

    pub fn batch(&self) -> i64 {
        match self {
            OfImages::Table8(of) => of.batch,
            OfImages::Other(of) => of.batch,
        }
    }

    /// Its axes with their sizes.
    pub fn mesh(&self) -> Vec<(&'static str, i64)> {
        match self {
            OfImages::Table8(of) => of.axes().to_vec(),
            OfImages::Other(of) => of.mesh.to_vec(),
        }
    }

    /// Axes that its table puts something on.
    pub fn axes(&self) -> &'static [&'static str] {
        match self {
            OfImages::Table8(_) => SPATIAL.axes,
            OfImages::Other(of) => of.table.axes,
        }
    }

    /// Its step over a mesh of such axes, of a batch in so many parts.
    pub fn step_over(&self, mesh: &[(&str, i64)], sizes: [i64; 2]) -> Result<Program, Errors> {
        match self {
            OfImages::Table8(of) => of.step_over(mesh, sizes),
            OfImages::Other(of) => of.step_over(mesh, sizes),
        }
    }
}

/// What a preset that trains here is made from, with as many pieces as its vocabulary may have.
fn plan(name: &str) -> Result<TrainingPlan, Failure> {
    let text = preset::preset(name).map_err(Failure::input)?;
    let wrong = |diagnostics| Failure { fault: Fault::Bug, diagnostics, text: None };
    let config = Config::read(&text).map_err(wrong)?;
    let source = config.data.vocabulary.saturating_add(config.data.sentinels);
    let target = if config.has_two_vocabularies() { config.data.target_vocabulary } else { source };
    TrainingPlan::of(&config, Vocabularies { source, target }).map_err(wrong)
}

/// A row of the table of presets.
pub struct PresetRow {
    pub name: &'static str,
    pub parameters: i64,
    pub devices: i64,
    pub trains_here: bool,
    pub about: &'static str,
}

/// All of them, by name.
pub fn rows() -> Result<Vec<PresetRow>, Failure> {
    let of_papers = presets::all().into_iter().map(|preset| PresetRow {
        name: preset.name,
        parameters: preset.model().elements(),
        devices: preset.devices(),
        trains_here: false,
        about: "at a paper's size: shapes only",
    });
    let of_images = OfImages::all().map(|of| PresetRow {
        name: of.name(),
        parameters: of.elements(),
        devices: of.mesh().iter().map(|(_, size)| *size).product(),
        trains_here: false,
        about: "at a paper's size: shapes only",
    });
    let mut rows: Vec<PresetRow> = of_papers.chain(of_images).collect();
    for preset in PRESETS {
        let plan = plan(preset.name)?;
        let devices = i64::try_from(plan.devices()).unwrap_or(i64::MAX);
        let (parameters, about) = (plan.parameters(), preset.about);
        rows.push(PresetRow { name: preset.name, parameters, devices, trains_here: true, about });
    }
    rows.arrange_by_key(|row| row.name);
    Ok(rows)
}

/// A preset that cannot be trained here, or none at all.
pub fn untrainable(name: &str) -> Failure {
    if !is_only_shapes(name) {
        return unknown(name);
    }
    let message = format!("`{name}` is a model at a paper's size: only its shapes are made");
    let help = format!(
        "look at it with `meshwright explain preset:{name}`; `meshwright presets` tells which train here"
    );
    Failure::input(Diagnostic::error(UNKNOWN, message).help(help))
}

pub fn unknown(name: &str) -> Failure {
    let mut names: Vec<&str> = presets::all().iter().map(|preset| preset.name).collect();
    names.extend(OfImages::all().map(|of| of.name()));
    names.extend(PRESETS.iter().map(|preset| preset.name));
    names.arrange();
    let family = name.split('-').next().unwrap_or(name);
    let of_family: Vec<&str> = names.iter().copied().filter(|other| other.starts_with(family)).collect();
    let near = nearest::suggest(name, names.iter().copied());
    let is_told = near.is_some() && of_family.len() < 2;
    let listed = if of_family.is_empty() || is_told {
        "`meshwright presets` lists them; a file's name ends in `.toml`".to_string()
    } else {
        format!("there are {}", of_family.join(", "))
    };
    let help = near.into_iter().chain([listed]).collect::<Vec<_>>().join(" ");
    Failure::input(Diagnostic::error(UNKNOWN, format!("there is no preset `{name}`")).help(help))
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
        let (module, _) = step("t5-tiny").unwrap_or_else(|failure| panic!("{}", failure.to_text()));
        assert!(module.main().param_values().len() > 10);
    }

    #[test]
    fn every_name_is_one_row() {
        let rows = rows().unwrap_or_else(|failure| panic!("{}", failure.to_text()));
        assert!(rows.is_sorted_by(|a, b| a.name < b.name), "one namespace");
        let tiny = rows.iter().find(|row| row.name == "switch-translate-tiny").unwrap();
        assert_eq!((tiny.parameters, tiny.devices, tiny.trains_here), (428_032, 8, true));
        let told = |name: &str| untrainable(name).to_text();
        assert!(told("t5-base").contains("meshwright explain preset:t5-base"), "{}", told("t5-base"));
        let tinny = told("unet-tinny");
        assert!(tinny.contains("did you mean `unet-tiny`? `meshwright presets` lists them"), "{tinny}");
        assert!(told("switch-tny").contains("switch-tiny"), "{}", told("switch-tny"));
    }
}
