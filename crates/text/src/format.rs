//! Which of the two forms a text is, told by its first words.

use meshwright_base::{Diagnostic, SourceText};
use meshwright_ir::Module;

/// A text form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    Stablehlo,
    Hlo,
}

/// The form of a text: HLO begins with `HloModule`, after comments and blank lines; everything else is read as
/// StableHLO.
pub fn recognize(source: &SourceText) -> Format {
    let mut rest = source.text.trim_start();
    loop {
        let after = match rest.get(..2) {
            Some("//") => rest.split_once('\n').map_or("", |(_, rest)| rest),
            Some("/*") => rest.split_once("*/").map_or("", |(_, rest)| rest),
            _ => break,
        };
        rest = after.trim_start();
    }
    if rest.starts_with("HloModule") { Format::Hlo } else { Format::Stablehlo }
}

/// Read a module in either form.
pub fn parse(source: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    match recognize(source) {
        Format::Stablehlo => crate::stablehlo::parse(source),
        Format::Hlo => crate::hlo::parse(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_before_the_first_word_do_not_matter() {
        let of = |text: &str| recognize(&SourceText::new("t", text));
        assert_eq!(of("// a test\n/* of */ HloModule m\n"), Format::Hlo);
        assert_eq!(of("// HloModule\nmodule {}"), Format::Stablehlo);
        assert_eq!(of(""), Format::Stablehlo);
    }
}
