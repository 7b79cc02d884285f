//! The directory of a run, and finding a run again from any path inside of it.
//!
//! ```text
//! runs/switch-tiny/  config.toml  run.id  tokenizer.model  checkpoints/step-..  metrics.jsonl  tensorboard/  report.md
//! ```

use crate::checkpoint::{self, Checkpoint, DISK, FOREIGN, Kept, RUN, RUN_BYTES, RunId, State, misplaced};
use crate::config::Config;
use crate::disk::{RealDisk, WRITING, make_dirs, replace};
use crate::lock::LOCK;
use crate::presence::ALIVE;
use meshwright_base::{Code, Diagnostic, SourceText};
use meshwright_runtime::files::read_text;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const TAKEN: Code = Code(1141);

const CONFIG: &str = "config.toml";
const TOKENIZER: &str = "tokenizer.model";
const TARGETS: &str = "target.model";

/// Most that is read of a configuration.
const CONFIG_BYTES: u64 = 16 << 20;

/// Most directories of one name.
const MOST_RUNS: usize = 10_000;

/// A run's directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunDir {
    pub root: PathBuf,
}

/// A run as it lies on disk.
#[derive(Clone, Debug)]
pub struct Saved {
    pub dir: RunDir,
    pub config: Config,
    /// The one that was pointed at, or the newest. A run that was ended early may have none.
    pub checkpoint: Option<PathBuf>,
    /// Keeps it from being removed.
    pub kept: Option<Arc<Kept>>,
    /// Steps of other checkpoints that are newer.
    pub newer: Vec<u64>,
}

impl RunDir {
    pub fn new(root: impl Into<PathBuf>) -> RunDir {
        RunDir { root: root.into() }
    }

    /// `PARENT/NAME`, or `NAME-2`, `NAME-3`, ... if there is something already.
    pub fn first_free(parent: &Path, name: &str) -> RunDir {
        let numbered = |at: usize| if at < 2 { name.to_string() } else { format!("{name}-{at}") };
        let mut all = (1..MOST_RUNS).map(|at| parent.join(numbered(at)));
        RunDir { root: all.find(|path| !path.exists()).unwrap_or_else(|| parent.join(name)) }
    }

    /// Refuses a directory that holds anything but what a killed run left half-written, and what is locked there.
    pub fn check_free(&self) -> Result<(), Diagnostic> {
        let root = self.root.display();
        let is_taken = match fs::read_dir(&self.root) {
            Ok(mut entries) => entries.any(|entry| entry.is_ok_and(|entry| is_something(&entry))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => {
                let message = format!("`{root}` cannot be the directory of a run: {error}");
                return Err(Diagnostic::error(DISK, message).help("name another directory with `--out`"));
            }
        };
        if !is_taken {
            return Ok(());
        }
        let help = format!("go on with it by `--resume {root}`, or name another directory with `--out`");
        Err(Diagnostic::error(TAKEN, format!("there is something in `{root}` already")).help(help))
    }

    /// Refuses to write over what is there under one of these names.
    pub fn check_absent(&self, names: &[&str]) -> Result<(), Diagnostic> {
        let Some(there) = names.iter().map(|name| self.root.join(name)).find(|path| path.exists()) else {
            return Ok(());
        };
        let message = format!("there is a `{}` already", there.display());
        Err(Diagnostic::error(TAKEN, message).help("name another folder with `--out`, or take it away"))
    }

    /// Refuses a run that is there and was configured otherwise: its numbers are no other's.
    pub fn check_same(&self, asked: &Config) -> Result<(), Diagnostic> {
        let Ok(text) = read_text(&self.root.join(CONFIG), CONFIG_BYTES) else { return Ok(()) };
        // What was written before there was a field has its default.
        let found = Config::read_whole(&SourceText::new(CONFIG, text));
        let told = match found.map(|found| first_apart(&found.write(), &asked.write())) {
            Ok(None) => return Ok(()),
            Ok(Some(apart)) => apart,
            Err(_) => "this version does not read it".into(),
        };
        let message = format!("`{}` holds a run of another configuration: {told}", self.root.display());
        let help = "ask for what it is, name another folder with `--out`, or take it away";
        Err(Diagnostic::error(TAKEN, message).help(help))
    }

    /// A path of the configuration: from here, unless it is absolute. `None` if it is empty.
    pub fn within(&self, path: &str) -> Option<PathBuf> {
        (!path.is_empty()).then(|| self.root.join(path))
    }

    /// A whole file or none, also after a loss of power.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        let path = self.root.join(name);
        let written = make_dirs(&RealDisk, &self.root).and_then(|_| replace(&RealDisk, &path, bytes));
        written.map_err(|error| {
            Diagnostic::error(DISK, format!("cannot write `{}`: {error}", path.display()))
                .help("make room, or name another directory with `--out`")
        })?;
        Ok(path)
    }

    pub fn write_config(&self, config: &Config) -> Result<PathBuf, Diagnostic> {
        self.write(CONFIG, config.write().as_bytes())
    }

    pub fn write_id(&self, run: RunId) -> Result<PathBuf, Diagnostic> {
        self.write(RUN, format!("{run}\n").as_bytes())
    }

    /// The id of the run; `None` before its first step, and in runs from before there were run ids.
    pub fn id(&self) -> Result<Option<RunId>, Diagnostic> {
        let path = self.root.join(RUN);
        let unusable = |what: String| {
            Diagnostic::error(FOREIGN, format!("`{}` holds no run id: {what}", path.display()))
                .help("put the `run` of the newest checkpoint's `index.json` there, or take the file away")
        };
        match read_text(&path, RUN_BYTES) {
            Ok(text) => match RunId::parse(text.trim()) {
                Some(run) => Ok(Some(run)),
                None => Err(unusable("it should have 16 hexadecimal digits".into())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(error.to_string())),
        }
    }

    /// Whether a run has begun there.
    pub fn has_config(&self) -> bool {
        self.root.join(CONFIG).is_file()
    }

    pub fn write_tokenizer(&self, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        self.write(TOKENIZER, bytes)
    }

    /// The tokenizer that the run learnt, if it is there.
    pub fn tokenizer(&self) -> Option<PathBuf> {
        Some(self.root.join(TOKENIZER)).filter(|path| path.is_file())
    }

    pub fn write_target_tokenizer(&self, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        self.write(TARGETS, bytes)
    }

    /// The tokenizer of targets alone that the run learnt, if it is there.
    pub fn target_tokenizer(&self) -> Option<PathBuf> {
        Some(self.root.join(TARGETS)).filter(|path| path.is_file())
    }
}

/// The first field in which two configurations differ, as they are written: every field, one a line.
fn first_apart(there: &str, asked: &str) -> Option<String> {
    let mut section = "";
    for (there, asked) in there.lines().zip(asked.lines()) {
        if let Some(name) = asked.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        }
        if there != asked {
            return Some(format!("its `{section}` has `{there}`, and `{asked}` is asked for"));
        }
    }
    None
}

/// Whether a file or a directory is more than a run leaves that was killed before its first step.
fn is_something(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    if name == LOCK || name == ALIVE || name.to_string_lossy().starts_with(WRITING) {
        return false;
    }
    match entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| fs::read_dir(entry.path())) {
        Some(Ok(mut entries)) => entries.any(|entry| entry.is_ok_and(|entry| is_something(&entry))),
        Some(Err(_)) | None => true,
    }
}

/// The run that a path belongs to: its directory, its checkpoints' directory, or one checkpoint.
pub fn find(path: &Path) -> Result<Saved, Diagnostic> {
    if path.is_file() {
        return Err(no_run(path));
    }
    if path.join("index.json").is_file() {
        return at_checkpoint(path);
    }
    let above = run_above(path);
    let run = above.as_ref().map(RunDir::id).transpose()?.flatten();
    if let Some(saved) = checkpoint::with_newest(path, run, at_newest)? {
        return Ok(saved);
    }
    let config = read_config(path)?.ok_or_else(|| no_run(path))?;
    let dir = RunDir::new(path);
    let checkpoints = dir.within(&config.checkpoint.dir);
    let newest = |path: PathBuf| checkpoint::with_newest(&path, run, at_newest);
    match checkpoints.map(newest).transpose()?.flatten() {
        Some(saved) => Ok(Saved { dir, ..saved }),
        None => Ok(Saved { dir, config, checkpoint: None, kept: None, newer: Vec::new() }),
    }
}

/// A checkpoint, with the configuration in it. Its run's directory is the one above its siblings that has a
/// configuration too; a checkpoint that was carried elsewhere is its own.
fn at_checkpoint(path: &Path) -> Result<Saved, Diagnostic> {
    let (saved, state) = opened(path)?;
    let (dir, run) = (&saved.dir, saved.dir.id()?);
    if let (Some(run), Some(of)) = (run, state.run)
        && run != of
    {
        return Err(misplaced(path, &dir.root));
    }
    let newer = checkpoint::newer(path.parent().unwrap_or(path), state.step, run);
    Ok(Saved { newer, ..saved })
}

/// The nearest directory of a run, at or above a path.
fn run_above(path: &Path) -> Option<RunDir> {
    path.ancestors().take(3).map(RunDir::new).find(RunDir::has_config)
}

/// The newest when it was looked for: a run may write another meanwhile.
fn at_newest(path: &Path) -> Result<Saved, Diagnostic> {
    Ok(opened(path)?.0)
}

/// A checkpoint with the nearest run above it, and its state.
fn opened(path: &Path) -> Result<(Saved, State), Diagnostic> {
    let kept = Some(Arc::new(Kept::reading(path)?));
    let state = Checkpoint::open(path)?.state().clone();
    let config = saved_config(&path.display().to_string(), &state.config)?;
    let dir = path.parent().and_then(run_above).unwrap_or_else(|| RunDir::new(path));
    Ok((Saved { dir, config, checkpoint: Some(path.into()), kept, newer: Vec::new() }, state))
}

fn read_config(dir: &Path) -> Result<Option<Config>, Diagnostic> {
    let path = dir.join(CONFIG);
    match read_text(&path, CONFIG_BYTES) {
        Ok(text) => saved_config(&path.display().to_string(), &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            Err(Diagnostic::error(DISK, message).help("check that the path is the directory of a run"))
        }
    }
}

/// A configuration that this program wrote.
fn saved_config(name: &str, text: &str) -> Result<Config, Diagnostic> {
    Config::read_whole(&SourceText::new(name, text)).map_err(|found| {
        let first = found.into_iter().next().map_or_else(String::new, |found| found.message);
        Diagnostic::error(FOREIGN, format!("the configuration in `{name}` is none of this version: {first}"))
            .help("give a configuration beside it, as in `meshwright train config.toml --resume DIR`")
    })
}

fn no_run(path: &Path) -> Diagnostic {
    let message = format!("`{}` holds no run and no checkpoint", path.display());
    Diagnostic::error(FOREIGN, message)
        .help("give the directory that `meshwright train` wrote, or a `step-..` directory in it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Origin, Owner, Snapshot, Store};

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-run-dir-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[track_caller]
    fn says<T: std::fmt::Debug>(found: Result<T, Diagnostic>, code: Code, words: &str) {
        let found = found.unwrap_err();
        assert!(found.code == code && found.help.is_some(), "{found:?}");
        assert!(found.message.contains(words), "no `{words}` in {}", found.message);
    }

    #[test]
    fn every_fault_of_the_directory_of_a_run_is_named() {
        let root = place("faults");
        let dir = RunDir::new(&root);
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("file"), "").unwrap();
        says(
            RunDir::new(root.join("file")).check_free(),
            DISK,
            "file` cannot be the directory of a run: Not a dir",
        );
        says(dir.check_free(), TAKEN, "there is something in `");
        fs::remove_file(root.join("file")).unwrap();
        dir.check_free().unwrap();
        says(find(&root), FOREIGN, "holds no run and no checkpoint");
        dir.write_config(&Config::default()).unwrap();
        dir.check_same(&Config::default()).unwrap();
        assert_eq!(find(&root).unwrap().checkpoint, None);
        says(dir.check_absent(&[CONFIG]), TAKEN, "config.toml` already");
        for text in ["0123", "0000000000000000", "a number"] {
            fs::write(root.join(RUN), text).unwrap();
            says(dir.id(), FOREIGN, "run.id` holds no run id: it should have 16 hexadecimal digits");
        }
        fs::write(root.join(RUN), [0xff]).unwrap();
        says(dir.id(), FOREIGN, "run.id` holds no run id: it is not UTF-8");
        fs::remove_file(root.join(RUN)).unwrap();
        fs::write(root.join(CONFIG), "[model").unwrap();
        let words = "holds a run of another configuration: this version does not read it";
        says(dir.check_same(&Config::default()), TAKEN, words);
        let words = "config.toml` is none of this version: this is not TOML";
        says(find(&root), FOREIGN, words);
        fs::write(root.join(CONFIG), [0xff]).unwrap();
        says(find(&root), DISK, "config.toml`: it is not UTF-8");
    }

    #[test]
    fn a_checkpoint_among_those_of_another_run_is_refused() {
        let root = place("misplaced");
        let dir = RunDir::new(&root);
        dir.write_config(&Config::default()).unwrap();
        dir.write_id(RunId::from_number(1).unwrap()).unwrap();
        let written = |number: u64| {
            let run = RunId::from_number(number).unwrap();
            let state = State { config: Config::default().write(), ..State::default() };
            let owner = Owner { run, origin: Origin::Nothing };
            let checkpoints = root.join(format!("checkpoints-{number}"));
            let snapshot = Snapshot { state, ..Snapshot::default() };
            Store::open(&checkpoints, 1, owner).unwrap().write(&snapshot).unwrap()
        };
        assert_eq!(find(&written(1)).unwrap().dir, dir);
        says(find(&written(2)), Code(1207), "is a checkpoint of another run than that of `");
    }
}
