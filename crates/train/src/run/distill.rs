//! The teacher that a configuration names: found, held against the run that it is to teach, and laid on the devices.
//! What it is to a step is in [`taught`](super::taught).

use super::error::Error;
use super::host::Host;
use super::load::Loaded;
use super::plan::TrainingPlan;
use super::restore;
use super::run_dir;
use super::state::States;
use super::taught::{TEACHER, Teacher};
use crate::checkpoint::{Checkpoint, Weights};
use crate::config::{CapacityRule, Config, Task};
use crate::data::content::Contents;
use crate::data::source::Vocabularies;
use crate::foreign::{Foreign, Library};
use meshwright_base::{Code, Diagnostic};
use std::path::Path;

const UNFIT: Code = Code(1186);

/// A teacher and where its weights are.
pub struct Found {
    pub teacher: Teacher,
    weights: Box<dyn Weights>,
    /// What is told of it, in a line.
    pub told: String,
}

/// A model that may teach, as it was found.
struct Named {
    config: Config,
    weights: Box<dyn Weights>,
    /// The tokenizer that it was trained with, if that is known.
    contents: Contents,
    told: String,
}

/// The teacher that a configuration names. What does not fit is told before anything is traced.
pub fn find(
    config: &Config,
    plan: &TrainingPlan,
    (vocabularies, contents): (Vocabularies, &Contents),
) -> Result<Option<Found>, Error> {
    let path = config.distill.teacher.as_str();
    if path.is_empty() {
        return Ok(None);
    }
    is_there(config, path)?;
    if plan.model.text().is_none() {
        return Err(unfit(
            config,
            "a teacher says what token is likely, and the model here reads no text".into(),
        )
        .into());
    }
    let Named { config: theirs, weights, contents: read, told } = match Library::of(path) {
        Some((library, folder)) => of_folder(config, library, folder)?,
        None => of_run(config)?,
    };
    if theirs.model.decoder_only != config.model.decoder_only {
        let has = |alone: bool| if alone { "is a decoder alone" } else { "has an encoder" };
        let (theirs, ours) = (has(theirs.model.decoder_only), has(config.model.decoder_only));
        let message = format!("the teacher in `{path}` {theirs}, and the model here {ours}");
        return Err(unfit(config, message).into());
    }
    if let Some(apart) = contents.tokenizer_beside(&read) {
        let message =
            format!("the teacher in `{path}` reads other pieces of words: its tokenizer is {apart}");
        return Err(unfit(config, message).into());
    }
    let there = tables(&*weights);
    // Tables may have more rows than there are pieces.
    let rows = |pieces: usize| if config.model.vocabulary == 0 { pieces } else { config.model.vocabulary };
    let here = [rows(vocabularies.source), rows(vocabularies.target)];
    if let Some(rows) = there.iter().find(|rows| !here.contains(rows)) {
        let message = format!(
            "the teacher in `{path}` has {rows} rows in its table of pieces, and this run {}",
            Vocabularies { source: here[0], target: here[1] }
        );
        let found = unfit(config, message);
        // More pieces than it has rows are others; sentinels may be among the folder's own pieces.
        let (pieces, sentinels) = (vocabularies.source.max(vocabularies.target), config.data.sentinels);
        let help = match rows {
            rows if *rows >= pieces => format!("set `model.vocabulary = {rows}`, if the pieces are the same"),
            rows if *rows >= pieces - sentinels && config.data.task != Task::Spans => {
                format!(
                    "set `data.sentinels = 0` and `model.vocabulary = {rows}`, if the pieces are the same"
                )
            }
            _ => return Err(found.into()),
        };
        return Err(found.help(help).into());
    }
    let (most, data) = (theirs.model.positions, &config.data);
    let length = if config.model.decoder_only { 0 } else { data.input_length }.max(data.target_length);
    if most > 0 && length > most {
        let message = format!(
            "the teacher in `{path}` has learnt {most} positions, and texts here have {length} tokens"
        );
        let help = format!("set `data.input_length` and `data.target_length` to {most} or less");
        return Err(unfit(config, message).help(help).into());
    }
    let theirs = TrainingPlan::of(&as_here(&theirs, config), vocabularies)?.evaluated();
    let Some(net) = theirs.text().cloned() else {
        return Err(unfit(config, format!("the model in `{path}` reads no text")).into());
    };
    let (share, temperature) = (config.distill.share, config.distill.temperature);
    Ok(Some(Found { teacher: Teacher { net, share, temperature }, weights, told }))
}

/// A teacher that was moved is told by the field that names it: a run that goes on has it in its configuration.
fn is_there(config: &Config, path: &str) -> Result<(), Diagnostic> {
    let folder = Library::of(path).map_or(Path::new(path), |(_, folder)| folder);
    if folder.exists() {
        return Ok(());
    }
    let message = format!("the teacher of `distill.teacher` is not there: `{path}`");
    let help = "name where it lies by `--set distill.teacher=DIR`, which goes with `--resume` too; another library's \
                folder is `hf:DIR` or `t5x:DIR`";
    Err(Diagnostic::error(UNFIT, message).at_place(config.written("distill.teacher").cloned()).help(help))
}

/// The newest checkpoint of a run.
fn of_run(config: &Config) -> Result<Named, Error> {
    let path = config.distill.teacher.as_str();
    let saved = run_dir::find(Path::new(path))?;
    let Some(at) = saved.checkpoint else { return Err(unfit(config, no_weights(path)).into()) };
    let mut checkpoint = Checkpoint::open(&at)?;
    checkpoint.verify()?;
    let contents = checkpoint.state().contents.clone();
    let told = format!("the teacher is `{path}`, step {}", checkpoint.state().step);
    Ok(Named { config: saved.config, weights: Box::new(checkpoint), contents, told })
}

/// Another library's folder.
fn of_folder(config: &Config, library: Library, folder: &Path) -> Result<Named, Error> {
    let foreign = Foreign::open(library, folder)?;
    let mut theirs = foreign.config().clone();
    // Where places are counted by sequence, as `transformers` does, they are here too.
    let data = &config.data;
    let is_by_sequence = theirs.model.capacity_rule == CapacityRule::Fixed;
    theirs.model.group_size = if is_by_sequence { data.input_length.max(data.target_length) } else { 0 };
    let contents = Contents { tokenizer: foreign.tokenizer_content()?, files: Vec::new() };
    let told = format!("the teacher is `{}`, {}", config.distill.teacher, foreign.described());
    Ok(Named { config: theirs, weights: Box::new(foreign), contents, told })
}

/// Its model on our batches and our mesh.
fn as_here(theirs: &Config, ours: &Config) -> Config {
    let mut config = theirs.clone();
    (config.mesh, config.data, config.pipeline) =
        (ours.mesh.clone(), ours.data.clone(), ours.pipeline.clone());
    config.optimizer.accumulate = ours.optimizer.accumulate;
    if config.model.capacity_rule != CapacityRule::Fixed {
        config.model.group_size = ours.model.group_size;
    }
    config.distill.teacher.clear();
    config
}

/// Rows of the tables of embeddings.
fn tables(weights: &dyn Weights) -> Vec<usize> {
    let of_pieces = weights.weights().into_iter().filter(|(name, ..)| name.ends_with("embed.table"));
    of_pieces.filter_map(|(_, _, shape)| shape.first().copied()).collect()
}

impl Found {
    /// The teacher's weights as the step wants them.
    pub fn states(&mut self, step: &Loaded, host: &Host<'_>) -> Result<States, Error> {
        restore::renamed(step, TEACHER, &mut *self.weights, host)
    }
}

fn unfit(config: &Config, message: String) -> Diagnostic {
    let help = "name a run, or a folder as `hf:DIR`, of the same kind of model and the same vocabulary in \
                `distill.teacher`; `--set data.tokenizer=FILE` takes its pieces: `RUN/tokenizer.model`, or the folder's";
    Diagnostic::error(UNFIT, message).at_place(config.written("distill.teacher").cloned()).help(help)
}

fn no_weights(path: &str) -> String {
    format!("the teacher in `{path}` has no checkpoint yet")
}
