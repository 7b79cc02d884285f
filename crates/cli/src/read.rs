//! From text to a module that the verifier has passed. Which of the two formats a text is in is told by its first word.

use meshwright_ground::{Diagnostic, IdMap, SourceText, Span};
use meshwright_ir::{FuncId, InstId, Module, verify_with};
use meshwright_text::{hlo, stablehlo};

/// Where each instruction stands in its text.
type Spans = IdMap<FuncId, IdMap<InstId, Span>>;

/// Read a text in either format.
pub fn parse(text: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    parse_with_spans(text).map(|(module, _)| module)
}

/// Read a text in either format and verify the module. Diagnostics point into the text.
pub fn read(text: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    let (module, spans) = parse_with_spans(text)?;
    verify_with(&module, &|func, inst| spans.get(func)?.get(inst).copied())?;
    Ok(module)
}

fn parse_with_spans(text: &SourceText) -> Result<(Module, Spans), Vec<Diagnostic>> {
    match is_hlo(&text.text) {
        true => hlo::parse_with_spans(text),
        false => stablehlo::parse_with_spans(text),
    }
}

/// Whether the first word behind comments is `HloModule`.
fn is_hlo(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            return rest.starts_with("HloModule");
        };
        rest = end.map_or("", |at| rest[at..].trim_start());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_tells_the_format() {
        for text in ["HloModule m", "\n// about it\n/* and\nmore */ HloModule m", "// a\n// b\nHloModule m"] {
            assert!(is_hlo(text), "{text}");
        }
        for text in ["module {", "// HloModule", "/* HloModule", "", "#loc = loc(\"HloModule\")"] {
            assert!(!is_hlo(text), "{text}");
        }
    }
}
