//! `meshwright convert`: checkpoints of other libraries as runs, and runs as such checkpoints.

use crate::failure::{Failure, Fault};
use crate::report::Report;
use crate::train_args::ConvertArgs;
use crate::training::ended_by;
use meshwright_base::{Code, Diagnostic};
use meshwright_train::foreign::{Converted, Library, from_folder, to_folder};
use meshwright_train::run::RunDir;
use std::path::Path;

const DIRECTION: Code = Code(1213);

pub fn convert(args: &ConvertArgs) -> Result<Report, Failure> {
    let (from, to) = (Library::of(&args.from), Library::of(&args.to));
    let converted = match (from, to) {
        (Some((library, folder)), None) => from_folder(library, folder, &RunDir::new(&args.to)),
        (None, Some((library, folder))) => to_folder(Path::new(&args.from), library, folder),
        _ => return Err(no_direction(&args.from, &args.to)),
    };
    let Converted { kind, tensors, elements, tokenizer, notes } = converted.map_err(ended_by)?;
    let with = tokenizer.as_ref().map_or(String::new(), |path| format!(", with `{}`", path.display()));
    let (from, to) = (&args.from, &args.to);
    let text = format!("{kind}: {tensors} tensors, {elements} numbers{with}: {from} -> {to}\n");
    let notes = notes.iter().map(|note| format!("note: {note}\n")).collect::<String>();
    Ok(Report { notes, ..Report::new(text) }
        .with("kind", kind)
        .with("tensors", tensors)
        .with("elements", elements)
        .with("output", to.clone()))
}

/// Between two of the same kind there is nothing to convert.
fn no_direction(from: &str, to: &str) -> Failure {
    let message = format!("`convert {from} {to}` names no folder of another library, or two");
    let help = "write `hf:` or `t5x:` before the one that is another library's, as `meshwright convert hf:t5-small runs/t5-small`";
    Failure::new(Fault::Usage, Diagnostic::error(DIRECTION, message).help(help))
}
