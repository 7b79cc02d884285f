//! From text to a module that the verifier has passed, with diagnostics that point into the text.

use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, SourceText, Span};
use meshwright_ir::{Module, codes, verify_with};
use meshwright_text::Spans;

/// Read a text in either format and verify the module.
pub fn read(text: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    read_with_spans(text).map(|(module, _)| module)
}

/// The same with where each instruction stands.
pub fn read_with_spans(text: &SourceText) -> Result<(Module, Spans), Vec<Diagnostic>> {
    let (module, spans) = meshwright_text::parse_with_spans(text)?;
    verify_with(&module, &|func, inst| spans.get(func)?.get(inst).copied())
        .map_err(|found| beside_the_count(found, text))?;
    Ok((module, spans))
}

/// Diagnostics about devices beyond those of the module also point at where it says how many it is for.
fn beside_the_count(found: Vec<Diagnostic>, text: &SourceText) -> Vec<Diagnostic> {
    let is_beyond = |diagnostic: &Diagnostic| {
        let ends = ["is no device of the program", "more than the program has"];
        diagnostic.code == codes::GROUPS && ends.iter().any(|end| diagnostic.message.ends_with(end))
    };
    let labelled = |diagnostic: Diagnostic| {
        if is_beyond(&diagnostic) {
            diagnostic.label(stated_count(text).map(Place::Span), "the number of partitions is stated here")
        } else {
            diagnostic
        }
    };
    found.into_iter().map(labelled).collect()
}

/// `num_partitions = 4`, in either format.
pub fn stated_count(text: &SourceText) -> Option<Span> {
    const WORD: &str = "num_partitions";
    let start = text.text.find(WORD)?;
    let number = text.text[start + WORD.len()..].trim_start().strip_prefix('=')?.trim_start();
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let end = text.text.len() - number.len() + digits;
    (digits > 0).then(|| Span::new(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_beyond_the_partitions_name_both_places() {
        let text = "HloModule m, num_partitions=2\n\nENTRY main {\n  a = f32[4] parameter(0)\n  ROOT b = f32[12] \
                    all-gather(a), channel_id=1, replica_groups=[1,3]<=[3], dimensions={0}, \
                    use_global_device_ids=true\n}\n";
        let found = read(&SourceText::new("m.hlo", text)).expect_err("three devices of two");
        let [only] = &found[..] else { panic!("{found:?}") };
        assert!(only.place.is_some(), "{only:?}");
        let [(Place::Span(span), _)] = &only.labels[..] else { panic!("{only:?}") };
        assert_eq!(&text[span.start as usize..span.end as usize], "num_partitions=2");
    }
}
