//! Runs `tests/filetests`: every file there is a test, and holds its module, its commands and what they must say.
//!
//! ```text
//! // test print stablehlo          one line per command, at the top
//! func.func @main(..)              the module; `//~ ERROR text` on (or `//~^` below) a line that must be refused
//! //| module {                     what the commands print
//! ```
//!
//! With `MESHWRIGHT_BLESS=1` the printed lines are rewritten instead of compared; read the change like code.

mod case;
mod commands;
mod diff;
mod errors;

use case::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let bless = std::env::var_os("MESHWRIGHT_BLESS").is_some_and(|value| value != "0");
    let trials = files.into_iter().map(|path| trial(&root, path, bless)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// All modules below `folder`. A folder that cannot be read has none.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "mlir" || extension == "hlo") {
            files.push(path);
        }
    }
}

fn trial(root: &Path, path: PathBuf, bless: bool) -> Trial {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Trial::test(name.clone(), move || {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read: {error}"))?;
        let case = Case::parse(&name, &text)?;
        let actual = run(&case)?;
        if actual == case.expected {
            return Ok(());
        }
        if bless {
            let blessed = format!("{}{actual}", case.text.text);
            return std::fs::write(&path, blessed).map_err(|error| format!("cannot write: {error}").into());
        }
        let shown = diff::diff(&case.expected, &actual);
        Err(Failed::from(format!(
            "{shown}\nif this is right: MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test filetests"
        )))
    })
}

/// Run the commands of a case: what they print, as the end of the file should say it.
fn run(case: &Case) -> Result<String, Failed> {
    let (mut printed, mut diagnostics) = (Vec::new(), Vec::new());
    for test in &case.tests {
        match commands::run(case, test)? {
            Ok(text) => printed.push((test, text)),
            Err(found) => diagnostics.extend(found),
        }
    }
    errors::check(case, &diagnostics)?;
    Ok(case::render(&printed, case.tests.len() > 1))
}
