//! A small run in a directory of its own, on devices of this process.

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_runtime::InProcess;
use meshwright_train::Config;
use meshwright_train::checkpoint::Checkpoint;
use meshwright_train::metrics::Metrics;
use meshwright_train::run::{
    self, Amount, Claim, Error, Evaluation, Facts, Host, Outcome, RunDir, Start, TrainingPlan, Watch,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SMALL: &str = include_str!("../../small.toml");

/// What the runs of this crate have otherwise: numbers wide enough to compare, one device, no events.
const HERE: [&str; 12] = [
    "model.experts=8",
    "model.dtype=f64",
    "mesh.axes=",
    "data.documents=400",
    "data.batch=16",
    "optimizer.clip_norm=1",
    "train.steps=12",
    "train.eval_every=0",
    "checkpoint.every=4",
    "checkpoint.keep=3",
    "checkpoint.background=true",
    "metrics.tensorboard=",
];

/// A configuration with some fields set.
pub fn config(sets: &[&str]) -> Config {
    let mut config = Config::read(&SourceText::new("small", SMALL)).unwrap();
    HERE.iter().chain(sets).for_each(|set| config.set(set).unwrap());
    let found: Vec<_> = config.check().into_iter().filter(|found| found.is_error()).collect();
    assert!(found.is_empty(), "{found:?}");
    config
}

/// What tiny runs on arrays (images, volumes, sound) have in common, before what a test of them says.
const OF_ARRAYS: [&str; 13] = [
    "model.dtype=f64",
    "data.documents=300",
    "data.batch=4",
    "optimizer.rule=adam",
    "optimizer.learning_rate=0.01",
    "optimizer.schedule=constant",
    "train.steps=30",
    "train.eval_every=0",
    "train.eval_batches=2",
    "checkpoint.every=10",
    "checkpoint.keep=3",
    "metrics.tensorboard=",
    "mesh.axes=",
];

/// Such a run's configuration, whatever is wrong with it. Files hold what they hold: with some there is no number of
/// documents.
pub fn read_of_arrays(sets: &[&str]) -> Config {
    let mut config = Config::read(&SourceText::new("arrays", "")).unwrap();
    let has_files = sets.iter().any(|set| set.starts_with("data.files"));
    let says = |set: &&&str| !(has_files && set.starts_with("data.documents"));
    OF_ARRAYS.iter().chain(sets).filter(says).for_each(|set| config.set(set).unwrap());
    config
}

/// The same, of which nothing is wrong.
pub fn of_arrays(sets: &[&str]) -> Config {
    let config = read_of_arrays(sets);
    let found: Vec<_> = config.check().into_iter().filter(|found| found.is_error()).collect();
    assert!(found.is_empty(), "{found:?}");
    config
}

/// How far losses of two runs are apart, relative to the second's.
pub fn apart(one: &Outcome, other: &Outcome) -> f64 {
    assert_eq!(one.losses.len(), other.losses.len());
    let off = one.losses.iter().zip(&other.losses).map(|(a, b)| (a - b).abs() / b.abs());
    off.fold(0.0, f64::max)
}

/// With an encoder, which reads what the decoder is to write in English.
pub const TRANSLATE: [&str; 4] =
    ["model.decoder_only=false", "data.task=translate", "data.input_length=16", "model.group_size=16"];

/// The models that are held against themselves on several meshes, each with the fields that make it.
pub const MODELS: [(&str, &[&str]); 5] = [
    ("switch", &[]),
    ("switch-pair", &TRANSLATE),
    ("gshard", &["model.family=gshard", "model.routing=gshard", "model.capacity_factor=2"]),
    ("expert-choice", &["model.routing=expert-choice"]),
    ("dropless", &["model.routing=dropless"]),
];

/// The fields of a model of [`MODELS`]: all but the first have an encoder.
pub fn fields(model: (&str, &'static [&'static str])) -> Vec<&'static str> {
    if model.0 == "switch" { Vec::new() } else { [&TRANSLATE[..], model.1].concat() }
}

/// Meshes that are one run (the same that the guide names).
pub const MESHES: [&str; 4] = ["data=8", "expert=8", "data=2,expert=4", "data=2,model=2,expert=2"];

/// A directory that is not there yet; no two tests get the same.
pub fn dir(name: &str) -> RunDir {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("meshwright-run-{}-{count}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    RunDir::new(root)
}

/// Remembers what it is told; asks to stop after a step.
#[derive(Default)]
pub struct Heard {
    pub steps: Vec<Metrics>,
    pub notes: Vec<String>,
    pub stop_after: Option<u64>,
}

impl Watch for Heard {
    fn begin(&mut self, _: &Facts<'_>) -> f64 {
        1e6
    }

    fn step(&mut self, metrics: &Metrics, _: bool) {
        self.steps.push(metrics.clone());
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_string());
    }

    fn stop_asked(&self) -> Option<u8> {
        let stops = |stop| self.steps.last().is_some_and(|last| last.step >= stop);
        self.stop_after.is_some_and(stops).then_some(2)
    }
}

/// Devices of this process, as many as the mesh has.
pub fn on<R>(config: &Config, work: impl FnOnce(&Host<'_>) -> R) -> R {
    let devices = InProcess::new(config.mesh.axes.devices(), Some(2), Arc::new(Cpu::default()));
    let gather = |shards: Vec<Vec<u8>>| Ok(Some(shards));
    work(&Host {
        devices: &devices,
        gather: &gather,
        say: &|own| Ok(vec![own]),
        is_first: true,
        memory_limit: None,
        compile: &run::compile,
    })
}

pub fn train(config: &Config, dir: &RunDir, start: &Start, heard: &mut Heard) -> Result<Outcome, Error> {
    on(config, |host| run::train(config, &Claim::of(dir, host)?, start, host, heard))
}

/// A run from the beginning to its end, with what it said.
pub fn whole(config: &Config, name: &str) -> (Outcome, Heard, RunDir) {
    let (dir, mut heard) = (dir(name), Heard::default());
    let outcome = train(config, &dir, &Start::Fresh, &mut heard).unwrap();
    (outcome, heard, dir)
}

/// A checkpoint's evaluation on another mesh.
pub fn evaluated(config: &Config, dir: &RunDir, path: &Path) -> Result<Evaluation, Error> {
    let mut feed = run::open_feed(config, dir)?;
    let plan = TrainingPlan::fed(config, &feed)?;
    let mut checkpoint = Checkpoint::open(path)?;
    on(config, |host| {
        run::evaluate(&plan, &mut feed, &mut checkpoint, Amount { batches: 2, questions: 0 }, host)
    })
}

/// The messages of what was found.
pub fn messages(error: Error) -> String {
    match error {
        Error::Input(found) => found.into_iter().map(|one| one.message + "; ").collect(),
        Error::Environment(found) => found.message,
        Error::Run(error) => error.to_string(),
    }
}

/// The checkpoint of a step.
pub fn at(dir: &RunDir, step: u64) -> PathBuf {
    dir.root.join(format!("checkpoints/step-{step:08}"))
}
