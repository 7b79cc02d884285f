//! Diagnostics about what is no instruction, pointing at it: a parameter, a mesh, the number of partitions.

use crate::read::stated_count;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, SourceText, Span};

/// Diagnostics about a parameter (`%w`: ..) or a mesh (mesh `m` ..) point at its declaration, if the text has one of
/// that name only, those about a result (result 0: ..) at the results of the one public function, and those that speak
/// of `num_partitions` at the number: nothing else knows these places.
pub fn pointed(mut found: Vec<Diagnostic>, text: &SourceText) -> Vec<Diagnostic> {
    for diagnostic in found.iter_mut().filter(|diagnostic| diagnostic.place.is_none()) {
        let message = &diagnostic.message;
        let about_count = || message.contains("`num_partitions`").then(|| stated_count(text)).flatten();
        let declared =
            declaration(message, text).or_else(|| mesh(message, text)).or_else(|| results(message, text));
        let span = declared.or_else(about_count);
        diagnostic.place = span.map(Place::Span);
    }
    found
}

/// Where the results are declared that a message is about: behind `func.func public @main(..) ->`.
fn results(message: &str, text: &SourceText) -> Option<Span> {
    const PUBLIC: &str = "func.func public @";
    let (number, _) = message.strip_prefix("result ")?.split_once(": ")?;
    number.parse::<usize>().ok()?;
    let mut found = text.text.match_indices(PUBLIC).map(|(at, _)| at);
    let first = found.next().filter(|_| found.next().is_none())?;
    let arrow = first + text.text[first..].find("->")?;
    Some(Span::new(arrow, arrow + 2))
}

/// Where the mesh a message begins with is declared: `sdy.mesh @m`.
fn mesh(message: &str, text: &SourceText) -> Option<Span> {
    let name = message.strip_prefix("mesh `")?.split('`').next()?;
    let declared = format!("sdy.mesh @{name} ");
    let mut found = text.text.match_indices(&declared).map(|(at, _)| at + "sdy.mesh ".len());
    let first = found.next().filter(|_| found.next().is_none())?;
    Some(Span::new(first, first + name.len() + 1))
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

    #[test]
    fn a_mesh_the_results_and_the_number_of_partitions_are_pointed_at() {
        let text =
            "mhlo.num_partitions = 4 : i32\nsdy.mesh @m = <[\"x\"=2]>\nfunc.func public @f(%a: t) -> t {";
        let text = SourceText::new("t", text);
        let place = |message: &str| {
            let told = pointed(vec![Diagnostic::error(meshwright_base::Code(400), message)], &text);
            let Some(Place::Span(span)) = told[0].place.clone() else { return None };
            Some(text.text[span.start as usize..span.end as usize].to_string())
        };
        assert_eq!(place("mesh `m` has 2 devices, but 3 are asked for").as_deref(), Some("@m"));
        assert_eq!(
            place("2 devices are asked for, but the module is for 4 (`num_partitions`)").as_deref(),
            Some("num_partitions = 4")
        );
        assert_eq!(place("result 0: axis `x` is used by dim 0 and by dim 1").as_deref(), Some("->"));
        assert_eq!(place("something else"), None);
    }
}
