//! `meshwright export`: what a run has learnt, as one file of safetensors.

use crate::failure::Failure;
use crate::output;
use crate::report::Report;
use crate::train_args::ExportArgs;
use crate::training::{ended_by, no_checkpoint};
use meshwright_train::checkpoint::{Checkpoint, Exported, export as write_whole};
use std::io;
use std::path::Path;

pub fn export(args: &ExportArgs) -> Result<Report, Failure> {
    let saved = meshwright_train::run::find(&args.dir).map_err(ended_by)?;
    let path = saved.checkpoint.ok_or_else(|| no_checkpoint(&args.dir))?;
    let mut checkpoint = Checkpoint::open(&path).map_err(ended_by)?;
    let step = checkpoint.state().step;
    let Exported { tensors, elements, bytes } = write(&mut checkpoint, args.all, &args.output)?;
    let (what, output) = (if args.all { "tensors" } else { "weights" }, args.output.display().to_string());
    let text = format!("step {step}: {tensors} {what}, {elements} numbers, {bytes} bytes -> {output}\n");
    Ok(Report::new(text)
        .with("step", step)
        .with("tensors", tensors)
        .with("elements", elements)
        .with("bytes", bytes)
        .with("output", output))
}

/// The whole file, or what was there: also where a piece of the checkpoint is broken, or the disk full.
fn write(checkpoint: &mut Checkpoint, all: bool, path: &Path) -> Result<Exported, Failure> {
    let mut done = Ok(Exported::default());
    let written = output::replace(path, |mut sink| {
        done = write_whole(checkpoint, all, &mut sink);
        done.as_ref().map(|_| ()).map_err(|found| io::Error::other(found.message.clone()))
    });
    let exported = done.map_err(ended_by)?;
    written.map_err(|error| crate::input::unwritable(&path.display().to_string(), &error))?;
    Ok(exported)
}
