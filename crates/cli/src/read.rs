//! From text to a module that the verifier has passed, with diagnostics that point into the text.

use meshwright_ground::{Diagnostic, SourceText};
use meshwright_ir::{Module, verify_with};

/// Read a text in either format and verify the module.
pub fn read(text: &SourceText) -> Result<Module, Vec<Diagnostic>> {
    let (module, spans) = meshwright_text::parse_with_spans(text)?;
    verify_with(&module, &|func, inst| spans.get(func)?.get(inst).copied())?;
    Ok(module)
}
