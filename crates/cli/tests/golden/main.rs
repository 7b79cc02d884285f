//! Runs `tests/golden`: modules lowered by JAX, with inputs and the outputs JAX computed from them.
//!
//! Each text of a case gives two tests: `read` (parse, verify, print, parse again: the same module, the same bytes) and
//! `run` (interpret on the inputs: the same outputs). A text is a module in a form of its own (StableHLO as JAX prints
//! it, generic, HLO before and after XLA's optimizations or partitioning); all forms of a case compute the same.

use libtest_mimic::{Arguments, Failed, Trial};
use meshwright_cli::load::{is_partitioned, stated_devices};
use meshwright_cli::npz::Archive;
use meshwright_cli::place::{Cut, judge, spread};
use meshwright_cli::read;
use meshwright_ground::{Diagnostic, SourceText, render};
use meshwright_interp::{Tensor, run_devices, run_global};
use meshwright_ir::Module;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let trials: Vec<Trial> = texts(&root).into_iter().flat_map(|path| trials(&root, path)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        let (passed, failed) = (conclusion.num_passed, conclusion.num_failed);
        let _ = writeln!(io::stdout(), "golden: {passed} of {}", passed + failed);
    }
    conclusion.exit_code()
}

/// The texts of all cases, in order.
fn texts(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_text =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "mlir" || extension == "hlo");
    let mut texts: Vec<PathBuf> =
        entries(root).iter().flat_map(|case| entries(case)).filter(is_text).collect();
    texts.sort();
    texts
}

/// Cases that cannot be repeated have no outputs, and nothing to run.
fn trials(root: &Path, path: PathBuf) -> Vec<Trial> {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    let (again, can_run) = (path.clone(), path.with_file_name("outputs.npz").exists());
    let read = Trial::test(format!("read {name}"), move || round_trip(&path));
    let run = can_run.then(|| Trial::test(format!("run {name}"), move || run(&again)));
    [Some(read), run].into_iter().flatten().collect()
}

fn round_trip(path: &Path) -> Result<(), Failed> {
    let module = load(path)?;
    let print = match path.extension().is_some_and(|extension| extension == "hlo") {
        true => meshwright_text::hlo::print,
        false => meshwright_text::stablehlo::print,
    };
    let printed = print(&module);
    let printed_text = SourceText::new("printed", printed.clone());
    let again = read::parse(&printed_text).map_err(|diagnostics| shown(&diagnostics, &printed_text))?;
    meshwright_ir::same(&module, &again)
        .map_err(|difference| format!("reading what was printed gives another module: {difference}"))?;
    match print(&again) == printed {
        true => Ok(()),
        false => Err("printing twice gives two texts".into()),
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let module = load(path)?;
    let inputs = arrays(&path.with_file_name("inputs.npz"))?;
    let results = match is_partitioned(&module) {
        true => {
            let devices = usize::try_from(stated_devices(&module)).map_err(|error| error.to_string())?;
            run_devices(&module, devices, &spread_all(&module, &inputs, devices)?)
        }
        false => run_global(&module, &inputs).map(|results| vec![results]),
    };
    let results = results.map_err(|diagnostic| render(&diagnostic, None))?;
    let expected = arrays(&path.with_file_name("outputs.npz"))?;
    let count = results.first().map_or(0, Vec::len);
    if count != expected.len() {
        return Err(format!("{count} results instead of {}", expected.len()).into());
    }
    let differences = expected.iter().enumerate().filter_map(|(index, expected)| {
        let ours: Vec<&Tensor> = results.iter().map(|device| &device[index]).collect();
        Some(format!("result {index} differs: {}", judge(&ours, expected)?))
    });
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}

fn load(path: &Path) -> Result<Module, Failed> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let text = SourceText::new(path.file_name().unwrap_or_default().to_string_lossy(), text);
    Ok(read::read(&text).map_err(|diagnostics| shown(&diagnostics, &text))?)
}

fn shown(diagnostics: &[Diagnostic], text: &SourceText) -> String {
    diagnostics.iter().take(5).map(|diagnostic| render(diagnostic, Some(text))).collect()
}

/// The arrays of an archive, in the order of their numbers.
fn arrays(path: &Path) -> Result<Vec<Tensor>, Failed> {
    let mut archive = Archive::open(path).map_err(|error| error.to_string())??;
    (0..archive.len()).map(|index| Ok(array(&mut archive, index)?)).collect()
}

fn array<R: Read + Seek>(archive: &mut Archive<R>, index: usize) -> Result<Tensor, String> {
    let entry = archive.find(index, &[]).ok_or_else(|| format!("no array {index}"))?;
    let array = archive.read(entry, 1 << 30)?;
    Tensor::from_bytes(array.ty.clone(), &array.bytes)
        .ok_or_else(|| format!("array {index} does not fit {}", array.ty))
}

/// The parameters of each device.
fn spread_all(module: &Module, arrays: &[Tensor], devices: usize) -> Result<Vec<Vec<Tensor>>, Failed> {
    let main = module.main();
    if arrays.len() != main.param_values().len() {
        return Err(format!("{} parameters, but {} arrays", main.param_values().len(), arrays.len()).into());
    }
    let mut all = vec![Vec::new(); devices];
    for (value, array) in main.param_values().iter().zip(arrays) {
        let annotation = main.value(*value).sharding.as_ref();
        let local = main.ty(*value).as_tensor().ok_or("a parameter is a token")?;
        let cut = annotation.and_then(|annotation| Cut::of(module, annotation, local.rank(), devices));
        let pieces = spread(array, local, cut.as_ref(), devices);
        let pieces = pieces.ok_or_else(|| format!("a parameter is {local}, its array {}", array.ty()))?;
        all.iter_mut().zip(pieces).for_each(|(device, piece)| device.push(piece));
    }
    Ok(all)
}
