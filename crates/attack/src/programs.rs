//! What must hold of any text: it reads or is refused with diagnostics that point into it; what reads and verifies is
//! printed as a text that reads as the same module; small modules run or end in a diagnostic.

use crate::judge_refusals;
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_interp::{Options, Style, random_inputs, run_devices_with, run_global_with};
use meshwright_ir::{FuncId, InstId, Module, same, verify_with};
use meshwright_text::{Format, parse_with_spans, print};

/// The verified module of a text, if it is one.
pub fn module(data: &[u8]) -> Option<Module> {
    let text = std::str::from_utf8(data).ok()?;
    let source = SourceText::new("fuzz", text);
    let (module, spans) = match parse_with_spans(&source) {
        Ok(read) => read,
        Err(found) => return refuse(&source, &found),
    };
    match verify_with(&module, &|func, inst| spans.get(func)?.get(inst).copied()) {
        Ok(()) => Some(module),
        Err(found) => refuse(&source, &found),
    }
}

fn refuse(source: &SourceText, found: &[Diagnostic]) -> Option<Module> {
    judge_refusals(found, Some(source));
    None
}

/// Printed in a form, a module reads back, is the same, and is printed the same.
pub fn round_trip(module: &Module, format: Format) {
    let text = print(module, format);
    let source = SourceText::new("printed", text.as_str());
    let shown =
        |found: &[Diagnostic]| found.iter().map(|found| render(found, Some(&source))).collect::<String>();
    let (again, spans) =
        parse_with_spans(&source).unwrap_or_else(|found| panic!("{}\n{text}", shown(&found)));
    let span = |func: FuncId, inst: InstId| spans.get(func)?.get(inst).copied();
    if let Err(found) = verify_with(&again, &span) {
        panic!("{}\n{text}", shown(&found));
    }
    assert_eq!(print(&again, format), text);
}

/// Read, verify and print in the form it came in; that form also keeps everything.
pub fn text(data: &[u8], format: Format) -> bool {
    let Some(module) = module(data) else { return false };
    if std::str::from_utf8(data).ok().and_then(Format::of) != Some(format) {
        return false;
    }
    round_trip(&module, format);
    let again = meshwright_text::parse(&SourceText::new("printed", print(&module, format)));
    let has_scan = module.funcs.values().any(|func| {
        func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, meshwright_ir::Op::Scan(_)))
    });
    if let (Ok(again), false) = (again, has_scan)
        && let Err(difference) = same(&module, &again)
    {
        panic!("read back it differs: {difference}\n{}", print(&module, format));
    }
    true
}

const LIMITS: Options = Options { max_steps: 2_000, max_bytes: 1 << 18, max_depth: 50, draws: 0 };

/// Print in both forms and run, on one device and on two.
pub fn run(data: &[u8]) -> bool {
    let Some(module) = module(data) else { return false };
    round_trip(&module, Format::Hlo);
    round_trip(&module, Format::Stablehlo);
    let bytes = module.main().param_values().iter().map(|value| module.main().ty(*value).byte_size());
    if bytes.fold(0i64, i64::saturating_add) > 1 << 16 {
        return true;
    }
    let Ok(inputs) = random_inputs(&module, 1, Style::Natural) else { return true };
    let first = run_global_with(&module, &inputs, LIMITS);
    let second = run_global_with(&module, &inputs, LIMITS);
    assert_eq!(first.is_ok(), second.is_ok(), "it runs, and then it does not");
    let _ = run_devices_with(&module, 2, &[inputs.clone(), inputs], LIMITS);
    true
}
