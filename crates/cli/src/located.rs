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
use meshwright_ir::{Editor, Frame, FuncId, Function, InstId, Module, Op, ShardedModule, Source, SourceId};
use meshwright_text::Spans;
use std::collections::BTreeMap;

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

/// The module with locations for instructions that have none: of what is called, where the call is, if all its calls
/// are at one place; else the text's own line.
pub fn located(mut module: Module, spans: &Spans, text: &SourceText) -> Module {
    place_by_calls(&mut module);
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

/// A framework's own functions, as JAX's `relu`, have no lines of the user's program inside.
fn place_by_calls(module: &mut Module) {
    const DEEPEST: usize = 8;
    for _ in 0..DEEPEST {
        let mut calls: BTreeMap<FuncId, Option<Source>> = BTreeMap::new();
        for func in module.funcs.values() {
            for inst in func.insts_in_order() {
                let Op::Call(call) = &func.inst(inst).op else { continue };
                let place = |source: SourceId| module.sources.get(source).filter(|of| !of.frames.is_empty());
                let source = place(func.inst(inst).source).cloned();
                let known = calls.entry(call.callee).or_insert_with(|| source.clone());
                let frames = |of: &Option<Source>| of.as_ref().map(|of| of.frames.clone());
                if frames(known) != frames(&source) {
                    *known = None;
                }
            }
        }
        let mut is_done = true;
        for (callee, source) in calls {
            let Some(source) = source else { continue };
            for inst in module.funcs.get(callee).map(Function::insts_in_order).unwrap_or_default() {
                let of = module.funcs[callee].inst(inst).source;
                let own = module.sources.get(of).cloned().unwrap_or_default();
                if !own.frames.is_empty() {
                    continue;
                }
                let names = [source.op_name.as_deref(), own.op_name.as_deref()];
                let names: Vec<&str> = names.into_iter().flatten().collect();
                let op_name = (!names.is_empty()).then(|| names.join("/").into());
                let placed = module.sources.push(Source { op_name, frames: source.frames.clone(), ..own });
                Editor::new(&mut module.funcs[callee]).set_source(inst, placed);
                is_done = false;
            }
        }
        if is_done {
            return;
        }
    }
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

    /// `relu` is called twice at one line, `twice` at two.
    #[test]
    fn what_is_called_at_one_place_is_there() {
        let text = r#"func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/jit(relu)"("train.py":9:8))
  %1 = call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/jit(relu)"("train.py":9:8))
  %2 = call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32> loc("train.py":10:8)
  %3 = call @twice(%2) : (tensor<4xf32>) -> tensor<4xf32> loc("train.py":11:8)
  return %3 : tensor<4xf32>
}
func.func private @relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.maximum %a, %a : tensor<4xf32> loc("max")
  return %0 : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"#;
        let text = SourceText::new("step.mlir", text);
        let (module, spans) = read_with_spans(&text).unwrap();
        let module = located(module, &spans, &text);
        let of = |name: &str| {
            let func = module.funcs.values().find(|func| &*func.name == name).unwrap();
            let source = &module.sources[func.inst(func.insts_in_order()[0]).source];
            let place = source.frames.first().map(|frame| format!("{}:{}", frame.file, frame.line));
            (source.op_name.as_deref().map(str::to_string), place.unwrap())
        };
        assert_eq!(of("relu"), (Some("jit(step)/jit(relu)/max".into()), "train.py:9".into()));
        assert_eq!(of("twice"), (None, "step.mlir:13".into()));
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        let lines = Lines::of(&SourceText::new("t", "ab\n\ncd\n"));
        assert_eq!([0, 1, 3, 4, 5].map(|at| lines.place(at)), [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)]);
    }
}
