//! How a module is written, as the methods of Python are told.

use crate::settings::Given;
use meshwright_cli::failure::Failure;
use meshwright_ir::Module;
use meshwright_text::Format;
use meshwright_text::stablehlo::{GroupForm, PrintOptions, print_with};

/// How a module is written.
#[derive(Clone, Copy, Default)]
pub struct Writing {
    /// That of the input, if none is named.
    pub format: Option<Format>,
    pub groups: GroupForm,
    pub locations: bool,
    pub generic: bool,
}

impl Writing {
    pub fn of(given: &Given<'_, '_>) -> Result<Writing, Failure> {
        let format = given.word("format", &[("stablehlo", Format::Stablehlo), ("hlo", Format::Hlo)])?;
        let groups = given.word("groups", &[("axes", GroupForm::Axes), ("lists", GroupForm::Lists)])?;
        let (locations, generic) = (given.flag("locations")?, given.flag("generic")?);
        Ok(Writing { format, groups: groups.unwrap_or_default(), locations, generic })
    }

    pub fn write(&self, module: &Module, same: Format) -> String {
        let Writing { format, groups, locations, generic } = *self;
        match format.unwrap_or(same) {
            Format::Stablehlo => print_with(module, &PrintOptions { generic, locations, groups }),
            Format::Hlo => meshwright_text::hlo::print(module),
        }
    }
}
