//! `print`: read a module and write it again, in either format.

use crate::args::{Format, PrintArgs};
use crate::failure::{Failure, Fault};
use crate::load::load;
use crate::report::Report;
use crate::written;
use meshwright_base::{Code, Diagnostic};
use meshwright_text::stablehlo::PrintOptions;
use meshwright_text::{hlo, stablehlo};

pub fn print(args: &PrintArgs) -> Result<Report, Failure> {
    if (args.generic || args.locations) && args.format != Format::Stablehlo {
        let message =
            "`--generic` and `--locations` are for StableHLO; HLO has one form, always with locations";
        let diagnostic = Diagnostic::error(Code(705), message).help("drop them, or use `--format stablehlo`");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let loaded = load(&args.file)?;
    let text = match args.format {
        Format::Stablehlo => stablehlo::print_with(
            &loaded.module,
            &PrintOptions { generic: args.generic, locations: args.locations, ..Default::default() },
        ),
        Format::Hlo => hlo::print(&loaded.module),
    };
    written::module(Report::default(), text, args.output.as_deref())
}
