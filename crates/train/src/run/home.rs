//! The directory of a run, and finding a run again from any path inside of it.
//!
//! ```text
//! runs/switch-tiny/  config.toml  tokenizer.model  checkpoints/step-..  metrics.jsonl  tensorboard/  report.md
//! ```

use crate::checkpoint::{Checkpoint, DISK, FOREIGN, Store};
use crate::config::Config;
use meshwright_ground::{Code, Diagnostic, SourceText};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const TAKEN: Code = Code(1141);

const CONFIG: &str = "config.toml";
const TOKENIZER: &str = "tokenizer.model";

/// Begins the name of a file that is not whole yet.
const WRITING: &str = ".writing-";

/// Most directories of one name.
const MOST_RUNS: usize = 10_000;

/// A run's directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    pub root: PathBuf,
}

/// A run as it lies on disk.
#[derive(Clone, Debug)]
pub struct Saved {
    pub home: Home,
    pub config: Config,
    /// The one that was pointed at, or the newest. A run that was ended early may have none.
    pub checkpoint: Option<PathBuf>,
    /// Steps of other checkpoints that are newer.
    pub newer: Vec<u64>,
}

impl Home {
    pub fn new(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into() }
    }

    /// `PARENT/NAME`, or `NAME-2`, `NAME-3`, ... if there is something already.
    pub fn first_free(parent: &Path, name: &str) -> Home {
        let numbered = |at: usize| if at < 2 { name.to_string() } else { format!("{name}-{at}") };
        let mut all = (1..MOST_RUNS).map(|at| parent.join(numbered(at)));
        Home { root: all.find(|path| !path.exists()).unwrap_or_else(|| parent.join(name)) }
    }

    /// Refuses a directory that holds anything but what a killed run left half-written.
    pub fn check_free(&self) -> Result<(), Diagnostic> {
        let is_whole = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with(WRITING))
        };
        let root = self.root.display();
        let is_taken = match fs::read_dir(&self.root) {
            Ok(mut entries) => entries.any(is_whole),
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

    /// A path of the configuration: from here, unless it is absolute. `None` if it is empty.
    pub fn within(&self, path: &str) -> Option<PathBuf> {
        (!path.is_empty()).then(|| self.root.join(path))
    }

    /// A whole file or none.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        let (path, hidden) = (self.root.join(name), self.root.join(format!("{WRITING}{name}")));
        let written = fs::create_dir_all(&self.root)
            .and_then(|()| fs::write(&hidden, bytes))
            .and_then(|()| fs::rename(&hidden, &path));
        written.map_err(|error| {
            let _ = fs::remove_file(&hidden);
            Diagnostic::error(DISK, format!("cannot write `{}`: {error}", path.display()))
                .help("make room, or name another directory with `--out`")
        })?;
        Ok(path)
    }

    pub fn write_config(&self, config: &Config) -> Result<PathBuf, Diagnostic> {
        self.write(CONFIG, config.write().as_bytes())
    }

    pub fn write_tokenizer(&self, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        self.write(TOKENIZER, bytes)
    }

    /// The tokenizer that the run learnt, if it is there.
    pub fn tokenizer(&self) -> Option<PathBuf> {
        Some(self.root.join(TOKENIZER)).filter(|path| path.is_file())
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
    if let Some(newest) = newest_in(path)? {
        return at_checkpoint(&newest);
    }
    let config = read_config(path)?.ok_or_else(|| no_run(path))?;
    let home = Home::new(path);
    match home.within(&config.checkpoint.dir).map(|dir| newest_in(&dir)).transpose()?.flatten() {
        Some(newest) => Ok(Saved { home, ..at_checkpoint(&newest)? }),
        None => Ok(Saved { home, config, checkpoint: None, newer: Vec::new() }),
    }
}

/// A checkpoint, with the configuration in it. Its run's directory is the one above its siblings that has a
/// configuration too; a checkpoint that was carried elsewhere is its own.
fn at_checkpoint(path: &Path) -> Result<Saved, Diagnostic> {
    let state = Checkpoint::open(path)?.state().clone();
    let config = saved_config(&path.display().to_string(), &state.config)?;
    let above = path.ancestors().skip(1).take(3).find(|above| above.join(CONFIG).is_file());
    let home = Home::new(above.unwrap_or(path));
    let newer = steps_in(path.parent().unwrap_or(path));
    let newer = newer.into_iter().filter(|step| *step > state.step).collect();
    Ok(Saved { home, config, checkpoint: Some(path.into()), newer })
}

fn newest_in(dir: &Path) -> Result<Option<PathBuf>, Diagnostic> {
    match steps_in(dir).is_empty() {
        true => Ok(None),
        false => Store::open(dir, usize::MAX)?.newest(),
    }
}

/// Steps of the checkpoints in a directory; none if it cannot be read.
fn steps_in(dir: &Path) -> Vec<u64> {
    let names = fs::read_dir(dir).into_iter().flatten().flatten();
    let step = |entry: fs::DirEntry| {
        let step = entry.file_name().to_str()?.strip_prefix("step-")?.parse().ok()?;
        entry.path().join("index.json").is_file().then_some(step)
    };
    let mut steps: Vec<u64> = names.filter_map(step).collect();
    steps.sort_unstable();
    steps
}

fn read_config(home: &Path) -> Result<Option<Config>, Diagnostic> {
    let path = home.join(CONFIG);
    match fs::read_to_string(&path) {
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
