//! Diagnostics about a parameter, pointing at it.

use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, SourceText, Span};

/// Diagnostics about a parameter (`%w`: ..) point at its declaration, if the text has one of that name only: parameters
/// are no instructions, so nothing else knows their place.
pub fn pointed(mut found: Vec<Diagnostic>, text: &SourceText) -> Vec<Diagnostic> {
    for diagnostic in found.iter_mut().filter(|diagnostic| diagnostic.place.is_none()) {
        diagnostic.place = declaration(&diagnostic.message, text).map(Place::Span);
    }
    found
}

/// Where the parameter a message begins with is declared: `%w: tensor<..>`, or `w = f32[8] parameter(0)`.
fn declaration(message: &str, text: &SourceText) -> Option<Span> {
    let name = message.strip_prefix("`%")?.split('`').next()?;
    let stablehlo = format!("%{name}:");
    let mut found = text.text.match_indices(&stablehlo).map(|(at, _)| Span::new(at, at + name.len() + 1));
    let only = |mut found: &mut dyn Iterator<Item = Span>| {
        let first = (&mut found).next()?;
        found.next().is_none().then_some(first)
    };
    let mut start = 0;
    let mut hlo = text.text.split_inclusive('\n').filter_map(|line| {
        let at = start + line.len() - line.trim_start().len();
        start += line.len();
        let rest = line.trim_start().trim_start_matches('%').strip_prefix(name)?;
        (rest.starts_with(" = ") && rest.contains(" parameter(")).then(|| Span::new(at, at + name.len()))
    });
    only(&mut found).or_else(|| only(&mut hlo))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_pointed_at_where_it_is_declared_once() {
        let place = |text: &str| {
            let span = declaration("`%w`: a sharding of 1 dims", &SourceText::new("t", text))?;
            Some(text[span.start as usize..span.end as usize].to_string())
        };
        assert_eq!(place("func @main(%v: t, %w: t)").as_deref(), Some("%w"));
        assert_eq!(
            place("ENTRY e {\n  w = f32[8] parameter(0)\n  ww = f32[8] parameter(1)").as_deref(),
            Some("w")
        );
        assert_eq!(place("func @f(%w: t) func @g(%w: t)"), None, "which of them is meant?");
    }
}
