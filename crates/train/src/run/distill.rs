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
use crate::checkpoint::Checkpoint;
use crate::config::Config;
use crate::data::content::Contents;
use crate::data::source::Vocabularies;
use meshwright_base::{Code, Diagnostic};
use std::path::Path;

const UNFIT: Code = Code(1186);

/// A teacher and where its weights are.
pub struct Found {
    pub teacher: Teacher,
    checkpoint: Checkpoint,
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
    if plan.model.text().is_none() {
        return Err(unfit(
            config,
            "a teacher says what token is likely, and the model here reads no text".into(),
        )
        .into());
    }
    let saved = run_dir::find(Path::new(path))?;
    let Some(at) = saved.checkpoint else { return Err(unfit(config, no_weights(path)).into()) };
    let mut checkpoint = Checkpoint::open(&at)?;
    if let Err(other) = contents.tokenizer_since(&checkpoint.state().contents) {
        let message = format!("the teacher in `{path}` reads other pieces of words: {}", other.message);
        return Err(unfit(config, message).into());
    }
    let there = tables(&checkpoint);
    // Tables may have more rows than there are pieces.
    let rows = |pieces: usize| if config.model.vocabulary == 0 { pieces } else { config.model.vocabulary };
    let here = [rows(vocabularies.source), rows(vocabularies.target)];
    if let Some(rows) = there.iter().find(|rows| !here.contains(rows)) {
        let message = format!("the teacher in `{path}` knows {rows} pieces, and this run has {vocabularies}");
        return Err(unfit(config, message).into());
    }
    if saved.config.model.decoder_only != config.model.decoder_only {
        let has = |alone: bool| if alone { "is a decoder alone" } else { "has an encoder" };
        let (theirs, ours) = (has(saved.config.model.decoder_only), has(config.model.decoder_only));
        let message = format!("the teacher in `{path}` {theirs}, and the model here {ours}");
        return Err(unfit(config, message).into());
    }
    checkpoint.verify()?;
    let theirs = TrainingPlan::of(&as_here(&saved.config, config), vocabularies)?.evaluated();
    let Some(net) = theirs.text().cloned() else {
        return Err(unfit(config, format!("the model in `{path}` reads no text")).into());
    };
    let (share, temperature) = (config.distill.share, config.distill.temperature);
    Ok(Some(Found { teacher: Teacher { net, share, temperature }, checkpoint }))
}

/// Its model on our batches and our mesh.
fn as_here(theirs: &Config, ours: &Config) -> Config {
    let mut config = theirs.clone();
    (config.mesh, config.data, config.pipeline) =
        (ours.mesh.clone(), ours.data.clone(), ours.pipeline.clone());
    config.optimizer.accumulate = ours.optimizer.accumulate;
    config.model.group_size = ours.model.group_size;
    config.distill.teacher.clear();
    config
}

/// Rows of the tables of embeddings.
fn tables(checkpoint: &Checkpoint) -> Vec<usize> {
    let of_pieces = checkpoint
        .tensors()
        .filter(|(name, ..)| name.starts_with("params.") && name.ends_with("embed.table"));
    of_pieces.filter_map(|(_, _, _, shape)| shape.first().copied()).collect()
}

impl Found {
    /// The teacher's weights as the step wants them.
    pub fn states(&mut self, step: &Loaded, host: &Host<'_>) -> Result<States, Error> {
        restore::renamed(step, TEACHER, &mut self.checkpoint, host)
    }
}

fn unfit(config: &Config, message: String) -> Diagnostic {
    let help = "name a run of the same kind of model and the same vocabulary in `distill.teacher`; `--set \
                data.tokenizer=RUN/tokenizer.model` takes its pieces";
    Diagnostic::error(UNFIT, message).at_place(config.written("distill.teacher").cloned()).help(help)
}

fn no_weights(path: &str) -> String {
    format!("the teacher in `{path}` has no checkpoint yet")
}
