//! Runs `tests/golden`: modules lowered by JAX, with inputs and the outputs JAX computed from them.
//!
//! Each text of a case gives two tests: `read` (parse, verify, print, parse again: the same module, the same bytes) and
//! `run` (interpret on the inputs: the same outputs). A text is a module in a form of its own (StableHLO as JAX prints
//! it, generic, HLO before and after XLA's optimizations or partitioning); all forms of a case compute the same.
//! What is compared otherwise, and why: [`limits`].

mod arrays;
mod limits;

use libtest_mimic::{Arguments, Failed, Trial};
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_cli::compare::Tolerance;
use meshwright_cli::load::{is_partitioned, stated_devices};
use meshwright_cli::place::judge;
use meshwright_cli::read;
use meshwright_interp::{Tensor, run_devices, run_global};
use meshwright_ir::{Module, same, same_with_sources};
use meshwright_text::stablehlo::PrintOptions;
use meshwright_text::{hlo, stablehlo};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let trials: Vec<Trial> = texts(&root).into_iter().flat_map(|path| trials(&root, path)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        let (passed, failed) = (conclusion.num_passed, conclusion.num_failed);
        let of = passed + failed;
        let _ = writeln!(io::stdout(), "golden: {passed} of {of}");
    }
    conclusion.exit_code()
}

/// The texts of all cases, in order.
fn texts(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_text = |path: &PathBuf| path.extension().is_some_and(|end| end == "mlir" || end == "hlo");
    let mut texts: Vec<PathBuf> =
        entries(root).iter().flat_map(|case| entries(case)).filter(is_text).collect();
    texts.sort();
    texts
}

/// Cases that nobody can repeat have no outputs, and nothing to run.
fn trials(root: &Path, path: PathBuf) -> Vec<Trial> {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    let has_outputs = path.with_file_name("outputs.npz").exists();
    let trial = |kind: &str, test: fn(&Path) -> Result<(), Failed>| {
        let path = path.clone();
        Trial::test(format!("{kind} {name}"), move || test(&path))
    };
    let read = trial("read", round_trip);
    if has_outputs { vec![read, trial("run", run)] } else { vec![read] }
}

fn round_trip(path: &Path) -> Result<(), Failed> {
    let module = load(path)?;
    for (print, is_same) in printers(path) {
        let printed = SourceText::new("printed", print(&module));
        let again = meshwright_text::parse(&printed).map_err(|diagnostics| shown(&diagnostics, &printed))?;
        let wrong = |difference| format!("reading what was printed gives another module: {difference}");
        is_same(&module, &again).map_err(wrong)?;
        if print(&again) != printed.text {
            return Err("printing twice gives two texts".into());
        }
    }
    Ok(())
}

type Print = fn(&Module) -> String;
type Same = fn(&Module, &Module) -> Result<(), String>;

/// The printers that write a text like this one without losing anything, and what they keep.
fn printers(path: &Path) -> Vec<(Print, Same)> {
    let generic: Print = |module| {
        stablehlo::print_with(module, &PrintOptions { generic: true, locations: true, ..Default::default() })
    };
    let located: Print = |module| {
        stablehlo::print_with(module, &PrintOptions { generic: false, locations: true, ..Default::default() })
    };
    if path.extension().is_some_and(|end| end == "hlo") {
        return vec![(hlo::print, same_with_sources)];
    }
    // Pretty forms have no place for the names of some regions' parameters, so a text in generic form stays in it.
    if path.file_stem().is_some_and(|stem| stem == "module_generic") {
        vec![(generic, same_with_sources)]
    } else {
        vec![(stablehlo::print, same), (located, same_with_sources), (generic, same_with_sources)]
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let (module, results) = run_it(path)?;
    let expected = arrays::read(&path.with_file_name("outputs.npz"))?;
    let count = results.first().map_or(0, Vec::len);
    if count != expected.len() {
        return Err(format!("{count} results instead of {}", expected.len()).into());
    }
    let differences = expected.iter().enumerate().filter_map(|(index, expected)| {
        let ours: Vec<&Tensor> = results.iter().map(|device| &device[index]).collect();
        let cut =
            arrays::cut(&module, module.main().results[index].sharding.as_ref(), expected.ty(), ours.len());
        Some(format!("result {index} differs: {}", judge(&ours, expected, cut.as_ref(), Tolerance::ByType)?))
    });
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}

/// The module, and its results on each device; on one for a program on global shapes.
fn run_it(path: &Path) -> Result<(Module, Vec<Vec<Tensor>>), Failed> {
    let module = load(path)?;
    let mut inputs = arrays::read(&path.with_file_name("inputs.npz"))?;
    if limits::flushes_subnormals(path) {
        inputs.iter_mut().for_each(arrays::flush_subnormals);
    }
    let results = if is_partitioned(&module) {
        let devices = usize::try_from(stated_devices(&module)).map_err(|error| error.to_string())?;
        run_devices(&module, devices, &arrays::spread_all(&module, &inputs, devices)?)
    } else {
        run_global(&module, &inputs).map(|results| vec![results])
    };
    let results = results.map_err(|diagnostic| render(&diagnostic, None))?;
    Ok((module, results))
}

fn load(path: &Path) -> Result<Module, Failed> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let text = SourceText::new(path.file_name().unwrap_or_default().to_string_lossy(), text);
    Ok(read::read(&text).map_err(|diagnostics| shown(&diagnostics, &text))?)
}

fn shown(diagnostics: &[Diagnostic], text: &SourceText) -> String {
    diagnostics.iter().take(5).map(|diagnostic| render(diagnostic, Some(text))).collect()
}
