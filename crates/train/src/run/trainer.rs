//! The loop: batches through the step, metrics, evaluations, checkpoints, and four ways to end.
//!
//! Everything that can be refused is refused before the first step: configuration, data, programs, checkpoint, and the
//! directory. From then on a run only ever adds: a checkpoint is written whole or not at all, and none is written of
//! numbers that are not finite.

use super::claim::{Claim, check_alike};
use super::error::Error;
use super::evaluate::{Amount, Evaluation, Evaluator};
use super::examples::{Picture, Shown};
use super::host::Host;
use super::layout::{Laid, layout};
use super::load::Loaded;
use super::plan::TrainingPlan;
use super::run_dir::{RunDir, TAKEN};
use super::samples::{Sample, samples};
use super::saving::Saver;
use super::shown::shown;
use super::snapshot;
use super::state::States;
use super::step::{self, Experts, Numbers};
use super::{distill, programs, restore};
use crate::checkpoint::{self, Checkpoint, InitReport, Origin, Owner, RunId, State, Store, Weights};
use crate::config::{Config, Task};
use crate::data::content::{Contents, DataChange};
use crate::data::feed::Feed;
use crate::data::fields::FieldSource;
use crate::data::mixture::{Position, Side};
use crate::data::source::{Source, Vocabularies};
use crate::foreign::{Foreign, Library, tokenizer_in};
use crate::metrics::{Guard, Log, Metrics, Verdict, duration};
use meshwright_base::units::count;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::Module;
use meshwright_runtime::files::read_regular;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const NOTHING_LEFT: Code = Code(1143);
const POSITIONS: Code = Code(1187);
const NOTHING_FITS: Code = Code(1188);

/// Where the states come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// Drawn.
    Fresh,
    /// A checkpoint of this run, everything as it was. Without one the run begins again where it began.
    Resume(Option<PathBuf>, DataChange),
}

/// What a run is, once everything about it is known.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub plan: &'a TrainingPlan,
    pub module: &'a Module,
    pub device_bytes: usize,
    pub vocabularies: Vocabularies,
    /// How parameters lie on the devices.
    pub layout: &'a [Laid],
    pub first_step: u64,
    pub steps: u64,
}

/// Sees a run. Only the process that writes files is watched.
pub trait Watch {
    /// Before the first step. Gives the floating point operations of one on all devices, 0 if it does not know.
    fn begin(&mut self, facts: &Facts<'_>) -> f64;
    /// After each step; `is_logged` if the numbers also go to the files.
    fn step(&mut self, metrics: &Metrics, is_logged: bool);
    /// What else happened, in a line.
    fn note(&mut self, text: &str);
    /// Whether the run should end after this step: the number of the signal that asks, which is over 0.
    fn stop_asked(&self) -> Option<u8>;
}

/// Why a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// All steps are done.
    Done,
    /// It was asked to, by the signal of this number.
    Asked(u8),
    /// A number was no number.
    BadNumber { what: &'static str, value: f64 },
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub run: RunId,
    pub ending: Ending,
    pub step: u64,
    pub seconds: f64,
    /// The newest checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// At the end, unless the run ended early.
    pub evaluation: Option<Evaluation>,
    pub samples: Vec<Sample>,
    pub pictures: Vec<Picture>,
    /// Losses of the steps of this process.
    pub losses: Vec<f64>,
}

/// A run under way.
pub struct Trainer<'a> {
    config: &'a Config,
    claim: &'a Claim,
    run: RunId,
    host: &'a Host<'a>,
    plan: TrainingPlan,
    feed: Feed,
    step: Loaded,
    /// Rows of a batch that the devices of this process hold.
    rows: Range<usize>,
    evaluator: Evaluator,
    states: States,
    /// Weights of a teacher, if there is one.
    teacher: States,
    position: Option<Position>,
    done: u64,
    files: Files,
    guard: Guard,
    /// Floating point operations of a step on all devices; 0 if nobody knows.
    flops: f64,
    /// Of the newest step that was evaluated after.
    evaluation: Option<Evaluation>,
}

/// Where a run writes; but for its share of checkpoints nowhere in processes that do not tell.
#[derive(Default)]
struct Files {
    log: Log,
    saver: Saver,
}

/// Trains as a configuration says, in a directory. The configuration has been checked. A run whose steps are all done
/// is only evaluated.
pub fn train(
    config: &Config,
    claim: &Claim,
    start: &Start,
    host: &Host<'_>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let mut trainer = Trainer::prepare(config, claim, start, host, watch)?;
    let begun = Instant::now();
    let mut losses = Vec::new();
    let ending = trainer.run(&mut losses, watch)?;
    let (run, step, newest) = (trainer.run, trainer.done, trainer.files.saver.finish(host)?);
    claim.check_place()?;
    let is_done = ending == Ending::Done;
    let evaluation = if is_done { Some(trainer.last_evaluation()?) } else { None };
    let Shown { samples, pictures } = if is_done { trainer.shown()? } else { Shown::default() };
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Outcome { run, ending, step, seconds, checkpoint: newest, evaluation, samples, pictures, losses })
}

impl<'a> Trainer<'a> {
    fn prepare(
        config: &'a Config,
        claim: &'a Claim,
        start: &Start,
        host: &'a Host<'a>,
        watch: &mut dyn Watch,
    ) -> Result<Trainer<'a>, Error> {
        let dir = claim.dir();
        if *start == Start::Fresh && host.is_first {
            dir.check_free()?;
        }
        let run = claim.run_id(config, start, host)?;
        claim.sign_for(run);
        let store = store(config, dir, (start, run), host)?;
        if host.is_first {
            let notes = store.iter().flat_map(Store::notes).cloned();
            claim.note().into_iter().chain(notes).for_each(|note| watch.note(&note));
        }
        check_newest(config, dir, start, run)?;
        let before = tokenizers_before(config).next();
        let reads_text = config.data.task.of_text();
        let learns = reads_text && config.data.tokenizer.is_empty() && dir.tokenizer().is_none();
        if let (true, true, Some(path)) = (host.is_first, learns, &before) {
            watch.note(&format!("the vocabulary is that of `{}`{}", path.display(), size_unread(config)));
        } else if host.is_first && learns {
            watch
                .note(&format!("learning a vocabulary of {} tokens from the corpus", config.data.vocabulary));
        }
        let mut feed = open_feed(config, dir)?;
        if let Some(source) = feed.text() {
            source.check_languages(config, "both, in `data.source_language` and `data.target_language`")?;
        }
        let mut plan = TrainingPlan::fed(config, &feed)?;
        let mut teacher = distill::find(config, &plan, (feed.vocabularies(), feed.contents()))?;
        plan.teacher = teacher.as_ref().map(|found| found.teacher.clone());
        if let Some(found) = teacher.as_ref().filter(|_| host.is_first) {
            watch.note(&found.told);
        }
        host.check_parameters(plan.parameters())?;
        let step = Loaded::new(programs::step(&plan)?, host)?;
        let rows = step.rows(host)?;
        let evaluator = Evaluator::new(&plan, &mut feed, Amount::of(config), host)?;
        let (states, at) = states(config, (&plan, feed.contents()), &step, start, host, watch)?;
        let teacher =
            teacher.as_mut().map(|found| found.states(&step, host)).transpose()?.unwrap_or_default();
        let (done, position) = at.map_or((0, None), |at| (at.step, Some(at.data)));
        check_alike(host, done)?;
        if done > config.train.steps {
            return Err(nothing_left(done, config.train.steps).into());
        }
        // A batch before anything is written: an empty corpus is found here.
        feed.batch(Side::Training, position.clone(), &rows)?;
        let files = if host.is_first {
            Files::open(config, (dir, run), start, (done, &mut feed), store)?
        } else {
            Files::beside(config, store)
        };
        let layout = layout(&plan, &step)?;
        let facts = Facts {
            plan: &plan,
            module: step.module(),
            device_bytes: step.device_bytes(),
            vocabularies: feed.vocabularies(),
            layout: &layout,
            first_step: done + 1,
            steps: config.train.steps,
        };
        let flops = if host.is_first { watch.begin(&facts) } else { 0.0 };
        let guard = Guard::default();
        Ok(Trainer {
            config,
            claim,
            run,
            host,
            plan,
            feed,
            step,
            rows,
            evaluator,
            states,
            teacher,
            position,
            done,
            files,
            guard,
            flops,
            evaluation: None,
        })
    }

    fn run(&mut self, losses: &mut Vec<f64>, watch: &mut dyn Watch) -> Result<Ending, Error> {
        while self.done < self.config.train.steps {
            let begun = Instant::now();
            let numbers = self.one()?;
            losses.push(numbers.loss);
            let seconds = begun.elapsed().as_secs_f64();
            match self.guard.judge(self.done, numbers.loss, numbers.gradient_norm) {
                Verdict::Stop { what, value, .. } => return Ok(Ending::BadNumber { what, value }),
                Verdict::Spike { loss, mean } if self.host.is_first => {
                    watch.note(&format!(
                        "step {}: the loss is {loss:.4}, above its recent mean of {mean:.4}",
                        self.done
                    ));
                }
                Verdict::Spike { .. } | Verdict::Good => {}
            }
            self.tell(&numbers, seconds, watch)?;
            // One process may have been asked, and all end after the same step.
            let asked = self.asked(watch)?.filter(|_| self.done < self.config.train.steps);
            if asked.is_some() || self.is_due(self.config.checkpoint.every) {
                self.save(watch)?
            } else {
                tell_saved(self.files.saver.finished(self.host, false)?, self.host, watch)
            }
            if let Some(signal) = asked {
                return Ok(Ending::Asked(signal));
            }
        }
        Ok(Ending::Done)
    }

    /// The signal that asks any of the processes to stop; all find the same.
    fn asked(&self, watch: &dyn Watch) -> Result<Option<u8>, Error> {
        let said = (self.host.say)(u64::from(watch.stop_asked().unwrap_or(0)))?;
        let largest = said.into_iter().max().and_then(|signal| u8::try_from(signal).ok());
        Ok(largest.filter(|signal| *signal > 0))
    }

    /// Every so many steps, and at the last one.
    fn is_due(&self, every: u64) -> bool {
        self.done == self.config.train.steps || every > 0 && self.done.is_multiple_of(every)
    }

    fn one(&mut self) -> Result<Numbers, Error> {
        let (batch, position) = self.feed.batch(Side::Training, self.position.clone(), &self.rows)?;
        let results = step::run(&mut self.step, &mut self.states, &self.teacher, &batch, self.host)?;
        self.position = Some(position);
        self.done += 1;
        step::numbers(&step::names(&self.step), &results, self.host)
    }

    /// Metrics of the step that was done, with an evaluation if one is due, as it is at the last step.
    fn tell(&mut self, numbers: &Numbers, seconds: f64, watch: &mut dyn Watch) -> Result<(), Error> {
        let mut metrics = self.metrics(numbers, seconds);
        let is_evaluated = self.is_due(self.config.train.eval_every);
        if is_evaluated {
            let found = self.evaluator.run(&self.states, &self.feed, self.host)?;
            found.add_to(&mut metrics);
            self.evaluation = Some(found);
        }
        let is_logged = is_evaluated || self.done == 1 || self.is_due(self.config.train.log_every);
        if self.host.is_first {
            self.claim.check_place()?;
            if is_logged {
                self.files.log.write(&metrics)?;
            }
            watch.step(&metrics, is_logged);
        }
        Ok(())
    }

    /// That of the last step, which a run whose steps were all done has not made yet.
    fn last_evaluation(&mut self) -> Result<Evaluation, Error> {
        match self.evaluation.take() {
            Some(found) => Ok(found),
            None => self.evaluator.run(&self.states, &self.feed, self.host),
        }
    }

    fn metrics(&self, numbers: &Numbers, seconds: f64) -> Metrics {
        let rate = |amount: f64| amount / seconds.max(1e-9);
        let mut values = vec![
            ("loss".to_string(), numbers.loss),
            ("nll".to_string(), numbers.nll),
            ("gradient_norm".to_string(), numbers.gradient_norm),
            ("learning_rate".to_string(), numbers.learning_rate),
            (format!("{}_per_s", self.config.data.task.places()), rate(self.plan.places() as f64)),
        ];
        if self.flops > 0.0 {
            values.push(("gflop_per_s".to_string(), rate(self.flops) / 1e9));
        }
        if let Some(experts) = Experts::of(&numbers.loads) {
            values.push(("load_entropy".to_string(), experts.entropy));
            values.push(("drop_rate".to_string(), experts.drop_rate));
        }
        let routed = numbers.loads.iter().map(|layer| layer.routed.clone()).collect();
        Metrics { step: self.done, time: now(), values, routed }
    }

    fn save(&mut self, watch: &mut dyn Watch) -> Result<(), Error> {
        if self.config.checkpoint.dir.is_empty() {
            return Ok(());
        }
        let state = State {
            run: Some(self.run),
            step: self.done,
            data: self.position.clone().unwrap_or_default(),
            contents: self.contents(),
            random: vec![self.config.train.seed],
            config: self.config.write(),
        };
        let snapshot = snapshot::snapshot(&self.states, state, self.host)?;
        let found = snapshot::check(&snapshot).err();
        // Whatever is lost with the power, a checkpoint's steps are told.
        self.files.log.sync()?;
        tell_saved(self.files.saver.save(snapshot, found, self.host)?, self.host, watch);
        Ok(())
    }

    /// Returns the contents of input files. Names stay equal after a resume: the run's own tokenizer is named relative
    /// to its directory.
    fn contents(&self) -> Contents {
        let mut contents = self.feed.contents().clone();
        if let Some(tokenizer) = &mut contents.tokenizer
            && let Ok(within) = Path::new(&tokenizer.name).strip_prefix(&self.claim.dir().root)
        {
            tokenizer.name = within.display().to_string();
        }
        contents
    }

    /// Examples for people to judge: what a model of text writes, and what any other makes of its batch.
    fn shown(&mut self) -> Result<Shown, Error> {
        let (Some(source), Some(plan)) = (self.feed.text_mut(), self.plan.text()) else {
            return shown(&self.plan, &mut self.feed, &self.states, self.host);
        };
        let samples = samples(self.config.data.task, &plan, source, &self.states, self.host)?;
        Ok(Shown { samples, pictures: Vec::new() })
    }
}

/// Data as the configuration says, of whatever kind its task is.
pub fn open_feed(config: &Config, dir: &RunDir) -> Result<Feed, Diagnostic> {
    if config.data.task.of_text() {
        Ok(Feed::Text(Box::new(open_source(config, dir)?)))
    } else {
        FieldSource::open(config).map(Feed::Fields)
    }
}

/// Text as the configuration says, with the tokenizer that the run has learnt before, if it has; else with that of the
/// run whose weights it begins with or which teaches it, since weights belong to its pieces.
pub fn open_source(config: &Config, dir: &RunDir) -> Result<Source, Diagnostic> {
    let mut config = config.clone();
    let dirs: Vec<RunDir> = std::iter::once(dir.clone()).chain(runs_before(&config)).collect();
    let found = dir.tokenizer().or_else(|| tokenizers_before(&config).next());
    if let (true, Some(path)) = (config.data.tokenizer.is_empty(), found) {
        config.data.tokenizer = path.display().to_string();
    }
    let found = dirs.iter().find_map(RunDir::target_tokenizer);
    if let (true, Some(path)) = (learns_targets(&config), found) {
        config.data.target_tokenizer = path.display().to_string();
    }
    Source::open(&config, |path| read_regular(Path::new(path)))
}

/// What is told of a size that a vocabulary which was learnt before does not have.
fn size_unread(config: &Config) -> &'static str {
    let is_asked = config.written("data.vocabulary").is_some() && !config.is_written_out();
    if is_asked { ": `data.vocabulary` has no effect" } else { "" }
}

/// What was learnt from the corpus, so that it is not learnt again.
fn write_tokenizers(config: &Config, dir: &RunDir, source: &Source) -> Result<(), Diagnostic> {
    if config.data.tokenizer.is_empty() && dir.tokenizer().is_none() {
        dir.write_tokenizer(&source.tokenizer().to_sentencepiece())?;
    }
    if learns_targets(config) && dir.target_tokenizer().is_none() {
        dir.write_target_tokenizer(&source.target_tokenizer().to_sentencepiece())?;
    }
    Ok(())
}

/// The runs that this one takes weights of. One that cannot be read is told where its weights are.
fn runs_before(config: &Config) -> impl Iterator<Item = RunDir> {
    let named = [&config.checkpoint.init_from, &config.distill.teacher];
    let named = named.into_iter().filter(|path| !path.is_empty());
    let dirs: Vec<RunDir> =
        named.filter_map(|path| Some(super::run_dir::find(Path::new(path)).ok()?.dir)).collect();
    dirs.into_iter()
}

/// Tokenizers of what this run takes weights of, runs or folders of other libraries.
fn tokenizers_before(config: &Config) -> impl Iterator<Item = PathBuf> {
    let named = [&config.checkpoint.init_from, &config.distill.teacher];
    let named = named.into_iter().filter(|path| !path.is_empty());
    let of = |path: &String| match Library::of(path) {
        Some((_, folder)) => tokenizer_in(folder),
        None => super::run_dir::find(Path::new(path)).ok()?.dir.tokenizer(),
    };
    named.filter_map(of).collect::<Vec<PathBuf>>().into_iter()
}

/// Whether the run learns a vocabulary of targets alone.
fn learns_targets(config: &Config) -> bool {
    config.has_two_vocabularies() && config.data.target_tokenizer.is_empty()
}

/// First states, and where the run stands if it goes on.
fn states(
    config: &Config,
    (plan, contents): (&TrainingPlan, &Contents),
    step: &Loaded,
    start: &Start,
    host: &Host<'_>,
    watch: &mut dyn Watch,
) -> Result<(States, Option<State>), Error> {
    if let Start::Resume(Some(path), change) = start {
        let mut checkpoint = Checkpoint::open(path)?;
        let notes = contents.since(&checkpoint.state().contents, *change)?;
        notes.iter().filter(|_| host.is_first).for_each(|note| watch.note(note));
        let states = restore::restored(step, &mut checkpoint, host)?;
        return Ok((states, Some(checkpoint.state().clone())));
    }
    // Opened before anything is drawn, so that a wrong path costs nothing.
    let other = match config.checkpoint.init_from.as_str() {
        "" => None,
        path => Some(open_weights(path, (plan, contents), config)?),
    };
    let mut states = States::drawn(plan, step, host)?;
    if let Some(Other { mut weights, kind, told, pieces }) = other {
        let report = restore::initialized(&mut states, &mut *weights, host)?;
        if report.taken.is_empty() {
            return Err(nothing_fits(config, &kind, &report).into());
        }
        if host.is_first {
            watch.note(&format!("{told}: {}", report.summary()));
            pieces.iter().for_each(|note| watch.note(note));
            report.to_string().lines().for_each(|line| watch.note(line));
        }
    }
    Ok((states, None))
}

/// Weights that a run begins with, and what is told of them.
struct Other {
    weights: Box<dyn Weights>,
    /// What model they are of.
    kind: String,
    told: String,
    /// What is told of a tokenizer that is another than theirs.
    pieces: Option<String>,
}

/// Of a run as far as they fit; of another library all, or none.
fn open_weights(
    path: &str,
    (plan, contents): (&TrainingPlan, &Contents),
    config: &Config,
) -> Result<Other, Error> {
    let pieces = |theirs: &Contents| {
        let apart = contents.tokenizer_beside(theirs)?;
        Some(format!(
            "rows of the tables of pieces belong to other pieces now: the weights in `{path}` were learnt with {apart}"
        ))
    };
    if let Some((library, folder)) = Library::of(path) {
        let found = Foreign::open(library, folder)?;
        found.fits(plan, config)?;
        let told = format!("weights of `{path}`, {}", found.described());
        let theirs = Contents { tokenizer: found.tokenizer_content()?, files: Vec::new() };
        let (kind, pieces) = (kind(found.config()), pieces(&theirs));
        return Ok(Other { weights: Box::new(found), kind, told, pieces });
    }
    let path = Path::new(path);
    let saved = super::run_dir::find(path)?;
    if let Some(found) = too_long(path, &saved.config, config) {
        return Err(found.into());
    }
    let at = saved.checkpoint.ok_or_else(|| no_weights(path))?;
    let mut checkpoint = Checkpoint::open(&at)?;
    checkpoint.verify()?;
    let told = format!("weights of `{}`, step {}", path.display(), checkpoint.state().step);
    let (kind, pieces) = (kind(&saved.config), pieces(&checkpoint.state().contents));
    Ok(Other { weights: Box::new(checkpoint), kind, told, pieces })
}

/// Weights that were made for so many positions, and texts that have more.
fn too_long(path: &Path, theirs: &Config, ours: &Config) -> Option<Diagnostic> {
    let positions = theirs.model.positions;
    // A decoder alone reads no input.
    let input = if ours.model.decoder_only { 0 } else { ours.data.input_length };
    let lengths = [("data.input_length", input), ("data.target_length", ours.data.target_length)];
    let (field, length) = lengths.into_iter().find(|(_, length)| positions > 0 && *length > positions)?;
    let message = format!(
        "`{field}` is {length}, and the weights in `{}` were trained with {positions} positions",
        path.display()
    );
    let help = format!("set `{field}` to {positions} or less, or train weights with more `model.positions`");
    Some(Diagnostic::error(POSITIONS, message).at_place(ours.written(field).cloned()).help(help))
}

/// What kind of model a configuration has.
fn kind(config: &Config) -> String {
    let family = config.model.family.word();
    let is_alone = config.model.decoder_only || config.data.task == Task::Next;
    if !config.data.task.of_text() {
        format!("family \"{family}\"")
    } else if is_alone {
        format!("family \"{family}\", a decoder alone")
    } else {
        format!("family \"{family}\", an encoder with a decoder")
    }
}

/// Neither names nor shapes meet: a few of both sides show why.
fn nothing_fits(config: &Config, theirs: &str, report: &InitReport) -> Diagnostic {
    let few = |names: &[String]| names.iter().take(2).cloned().collect::<Vec<_>>().join(", ");
    let path = &config.checkpoint.init_from;
    let there = report.unused.len() + report.different.len();
    let mut message = format!("none of the {there} weights in `{path}` is one of this model");
    if report.unused.is_empty() || report.missing.is_empty() {
        message += &format!(": {} are of another shape ({})", report.different.len(), few(&report.different));
    } else {
        let own = kind(config);
        message += &format!(
            ": there it is {theirs} ({}, ..), here {own} ({}, ..)",
            few(&report.unused),
            few(&report.missing)
        );
    }
    let help =
        "name a run of the same kind of model and the same sizes: its `config.toml` has them under `[model]`";
    Diagnostic::error(NOTHING_FITS, message).help(help)
}

fn no_weights(path: &Path) -> Diagnostic {
    let message = format!("the run in `{}` has no checkpoint yet", path.display());
    Diagnostic::error(NOTHING_LEFT, message).help("let it train until it has one, or name another run")
}

fn nothing_left(done: u64, steps: u64) -> Diagnostic {
    Diagnostic::error(NOTHING_LEFT, format!("all is done: the checkpoint is of step {done} of {steps}"))
        .help("train longer with `--steps`")
}

impl Files {
    /// Makes what is missing, and changes nothing that is there but the steps that are done again.
    fn open(
        config: &Config,
        (dir, run): (&RunDir, RunId),
        start: &Start,
        (done, feed): (u64, &mut Feed),
        store: Option<Store>,
    ) -> Result<Files, Error> {
        dir.write_config(config)?;
        dir.write_id(run)?;
        if let Some(source) = feed.text() {
            write_tokenizers(config, dir, source)?;
        }
        let from = if *start == Start::Fresh { 0 } else { done + 1 };
        let (json, events) = (dir.within(&config.metrics.jsonl), dir.within(&config.metrics.tensorboard));
        let log = Log::open(json.as_deref(), events.as_deref(), from, now())?;
        let newest = store.as_ref().map(Store::newest).transpose()?.flatten();
        let in_background = config.checkpoint.background;
        let saver = store.map(|store| Saver::new(store, newest, in_background)).unwrap_or_default();
        Ok(Files { log, saver })
    }

    /// Of a process that only writes its share of checkpoints.
    fn beside(config: &Config, store: Option<Store>) -> Files {
        let saver = store.map(|store| Saver::new(store, None, config.checkpoint.background));
        Files { log: Log::default(), saver: saver.unwrap_or_default() }
    }
}

/// Where checkpoints go, if they are wanted: opened by the first process, joined by the others.
fn store(
    config: &Config,
    dir: &RunDir,
    (start, run): (&Start, RunId),
    host: &Host<'_>,
) -> Result<Option<Store>, Error> {
    let Some(root) = dir.within(&config.checkpoint.dir) else { return Ok(None) };
    let owner = Owner { run, origin: origin(&root, dir, start) };
    let own = host.is_first.then(|| Store::open(&root, config.checkpoint.keep, owner)).transpose()?;
    let tokens = (host.say)(own.as_ref().map_or(0, Store::token))?;
    Ok(own.or_else(|| Some(Store::join(&root, *tokens.first()?, run))))
}

/// Where the checkpoint that a run resumes from lies. A run that branches off into a new directory is another one, even
/// if it is to keep its checkpoints where the first did.
fn origin(checkpoints: &Path, dir: &RunDir, start: &Start) -> Origin {
    match start {
        Start::Fresh => Origin::Nothing,
        Start::Resume(Some(from), _) if dir.has_config() && is_in(from, checkpoints) => Origin::Here,
        Start::Resume(..) => Origin::Elsewhere,
    }
}

/// Whether a directory holds a checkpoint.
fn is_in(checkpoint: &Path, dir: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    checkpoint.parent().and_then(real) == real(dir)
}

/// Now that nobody else writes, a run still goes on from the newest checkpoint of its directory.
fn check_newest(config: &Config, dir: &RunDir, start: &Start, run: RunId) -> Result<(), Diagnostic> {
    let (Some(dir), Start::Resume(from, _)) = (dir.within(&config.checkpoint.dir), start) else {
        return Ok(());
    };
    let is_here = |from: &PathBuf| is_in(from, &dir);
    let newest = checkpoint::newest(&dir, Some(run))?.filter(|_| from.as_ref().is_none_or(is_here));
    let Some(newest) = newest else { return Ok(()) };
    if from.as_ref().is_some_and(|from| from.file_name() == newest.file_name()) {
        Ok(())
    } else {
        Err(went_on(&newest))
    }
}

fn went_on(newest: &Path) -> Diagnostic {
    let message =
        format!("there is a newer checkpoint now, `{}`: another run has written it", newest.display());
    Diagnostic::error(TAKEN, message).help("resume once more, to go on from that one")
}

fn tell_saved(paths: Vec<PathBuf>, host: &Host<'_>, watch: &mut dyn Watch) {
    let paths = paths.iter().filter(|_| host.is_first);
    paths.for_each(|path| watch.note(&format!("checkpoint {}", path.display())));
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl Outcome {
    /// How the run ended, in a line.
    pub fn summary(&self) -> String {
        let took = duration(self.seconds);
        match &self.ending {
            Ending::Done => format!("{} in {took}", count(self.losses.len(), "step")),
            Ending::Asked(_) => {
                format!("stopped after step {} on request, {took} after the start", self.step)
            }
            Ending::BadNumber { what, value } => {
                format!("stopped: the {what} of step {} is {value}", self.step)
            }
        }
    }
}
