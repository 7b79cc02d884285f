//! Text forms of a module: StableHLO (with Shardy) and HLO, read and written.
//!
//! Every reader takes a [`SourceText`] and gives a module or all diagnostics it found; every writer gives the same
//! bytes for the same module. [`parse`] tells the forms apart by their first word. No IO here.

#![forbid(unsafe_code)]

pub mod annotations;
mod calls;
pub mod codes;
mod expand;
pub mod float;
pub mod hlo;
pub mod stablehlo;

use meshwright_base::{Diagnostic, IdMap, SourceText, Span};
use meshwright_ir::{FuncId, InstId, Module, TensorType};

/// Where each instruction stands in the text it was read from.
pub type Spans = IdMap<FuncId, IdMap<InstId, Span>>;

/// A text form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    Stablehlo,
    Hlo,
}

impl Format {
    /// The form a text is written in, by its first word behind blanks and comments.
    pub fn of(text: &str) -> Option<Format> {
        let start = skip_comments(text);
        let word: String =
            start.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '.' | '_')).collect();
        match word.as_str() {
            "HloModule" | "ENTRY" => Some(Format::Hlo),
            "module" | "builtin.module" | "func.func" | "sdy.mesh" => Some(Format::Stablehlo),
            "" if start.starts_with(['#', '"', '!']) => Some(Format::Stablehlo),
            "" if start.starts_with('%') => Some(Format::Hlo),
            _ => None,
        }
    }
}

/// The text from its first character that is neither blank nor in a `//` or `/* */` comment.
fn skip_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            return rest;
        };
        rest = after.and_then(|end| rest.get(end..)).unwrap_or("").trim_start();
    }
}

/// The form of a text; one that is in neither counts as StableHLO, whose reader then says what is wrong.
pub fn recognize(source: &SourceText) -> Format {
    Format::of(&source.text).unwrap_or(Format::Stablehlo)
}

/// Read a module in either form, or say everything that is wrong with it.
pub fn parse(source: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    parse_with_spans(source).map(|(module, _)| module)
}

/// Read a module in either form, and where its instructions stand.
pub fn parse_with_spans(source: &SourceText) -> Result<(Module, Spans), Vec<Diagnostic>> {
    match Format::of(&source.text) {
        Some(Format::Stablehlo) => stablehlo::parse_with_spans(source),
        Some(Format::Hlo) => hlo::parse_with_spans(source),
        None => Err(vec![unknown_format(&source.text)]),
    }
}

fn unknown_format(text: &str) -> Diagnostic {
    let start = text.len() - skip_comments(text).len();
    let what =
        if start == text.len() { "the text is empty" } else { "the text is neither StableHLO nor HLO" };
    Diagnostic::error(codes::UNKNOWN_FORMAT, what)
        .at(Span::new(start, start + 1))
        .help("StableHLO begins with `module` or `func.func`, HLO with `HloModule`")
}

/// What is wrong with a type that no memory could hold: its bits cannot be counted.
pub(crate) fn too_large(ty: &TensorType) -> Option<String> {
    let bits = i64::from(ty.dtype.bits());
    let bits = ty.dims.iter().try_fold(bits, |bits, size| bits.checked_mul((*size).max(1)));
    bits.is_none().then(|| format!("{ty} has more bytes than can be counted"))
}

pub(crate) const TOO_LARGE_HELP: &str = "lower the program for smaller shapes";

/// Write a module.
pub fn print(module: &Module, format: Format) -> String {
    match format {
        Format::Stablehlo => stablehlo::print(module),
        Format::Hlo => hlo::print(module),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart_by_their_first_word() {
        assert_eq!(Format::of("// test run\n\nmodule @m {}"), Some(Format::Stablehlo));
        assert_eq!(Format::of("#loc1 = loc(\"x\")\nmodule {}"), Some(Format::Stablehlo));
        assert_eq!(Format::of("\"builtin.module\"() ({"), Some(Format::Stablehlo));
        assert_eq!(Format::of("/* a */ /* b\n */ HloModule m, x=1"), Some(Format::Hlo));
        assert_eq!(Format::of("modules"), None);
        assert_eq!(Format::of("/* never closed"), None);
        assert_eq!(Format::of(""), None);
    }

    #[test]
    fn an_unknown_form_says_what_is_known() {
        let error = parse(&SourceText::new("t", "// c\nhello")).unwrap_err();
        assert_eq!(error[0].to_string(), "error[E0112]: the text is neither StableHLO nor HLO");
        assert!(parse(&SourceText::new("t", " \u{0}\u{1}\u{2}")).is_err());
    }
}
