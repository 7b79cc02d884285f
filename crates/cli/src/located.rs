//! Completion of a text, with every diagnostic pointing somewhere.
//!
//! Most modules tell for each op where in the user's program it came from. Where they do not, diagnostics point into
//! the module's text instead. Locations are part of what is printed, so they are only made for a second run whose
//! module is thrown away, and only if there is something to tell.

use crate::failure::Failure;
use crate::pointed::pointed;
use crate::read::read_with_spans;
use meshwright_base::{Diagnostic, SourceText};
use meshwright_compile::{Observer, Options, Unobserved};
use meshwright_complete::Report;
use meshwright_ir::{Editor, Frame, InstId, Module, ShardedModule, Source, SourceId};
use meshwright_text::Spans;

/// A completed module, with what its text says of places.
pub struct Completed {
    pub sharded: ShardedModule,
    pub report: Report,
    pub spans: Spans,
}

/// Read, verify and complete a text.
pub fn complete(
    text: &SourceText,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Completed, Failure> {
    completed(text, options, observer).map_err(|found| Failure::in_text(text.clone(), found))
}

/// The same for those who show diagnostics themselves.
pub fn completed(
    text: &SourceText,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Completed, Vec<Diagnostic>> {
    let (module, spans) = read_with_spans(text).map_err(|found| pointed(found, text))?;
    let again =
        || meshwright_compile::complete(located(module.clone(), &spans, text), options, &mut Unobserved);
    match meshwright_compile::complete(module.clone(), options, observer) {
        Ok((sharded, report)) if report.conflicts.is_empty() => Ok(Completed { sharded, report, spans }),
        Ok((sharded, mut report)) => {
            if let Ok((_, told)) = again() {
                report.conflicts = told.conflicts;
            }
            Ok(Completed { sharded, report, spans })
        }
        Err(found) => Err(pointed(again().err().unwrap_or(found), text)),
    }
}

/// What a stage complains of, said again of a module whose instructions have places, where it had none.
pub fn told_in_place<T>(
    found: Vec<Diagnostic>,
    text: &SourceText,
    run: impl FnOnce(Module) -> Result<T, Vec<Diagnostic>>,
) -> Vec<Diagnostic> {
    if found.iter().all(|diagnostic| diagnostic.place.is_some()) {
        return found;
    }
    let parsed = meshwright_text::parse_with_spans(text).ok();
    let again = parsed.and_then(|(module, spans)| run(located(module, &spans, text)).err());
    again.unwrap_or(found)
}

/// The module with the text's own lines as locations of instructions that have none.
pub fn located(mut module: Module, spans: &Spans, text: &SourceText) -> Module {
    let file: std::sync::Arc<str> = text.name.as_str().into();
    let lines = Lines::of(text);
    for id in module.funcs.keys() {
        let insts: Vec<InstId> = module.funcs[id].insts_in_order();
        for inst in insts {
            let Some(span) = spans.get(id).and_then(|spans| spans.get(inst)) else { continue };
            if module.place(module.funcs[id].inst(inst).source).is_some() {
                continue;
            }
            let (line, column) = lines.place(span.start);
            let frame = Frame {
                file: file.clone(),
                function: None,
                line,
                column,
                end_line: line,
                end_column: column,
            };
            let source: SourceId = module.sources.push(Source { frames: vec![frame], ..Source::default() });
            Editor::new(&mut module.funcs[id]).set_source(inst, source);
        }
    }
    module
}

/// Where the lines of a text start, so that a place is found without counting from the top.
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub fn of(text: &SourceText) -> Lines {
        let ends = text.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Lines { starts: std::iter::once(0).chain(starts).collect() }
    }

    /// Line and column (in bytes) of a byte, counted from 1.
    pub fn place(&self, at: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or(0);
        (u32::try_from(line).unwrap_or(u32::MAX), at - start + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let lines = Lines::of(&SourceText::new("t", "ab\n\ncd\n"));
        assert_eq!([0, 1, 3, 4, 5].map(|at| lines.place(at)), [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)]);
    }
}
