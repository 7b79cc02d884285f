//! Which checkpoints a directory has, for all that read: nothing is changed, and nothing may be there.
//!
//! Who reads one holds a shared lock on its directory, and the run that writes removes none that it cannot lock alone:
//! what is being read stays. Between listing and locking it may go; whoever wants the newest looks again.

use super::index::{INDEX, read_index};
use super::owner::is_of;
use super::{DISK, RunId, unreadable};
use crate::disk::names_in;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The step of a checkpoint's directory, by its name.
pub fn step_of(name: &str) -> Option<u64> {
    let step = name.strip_prefix("step-")?.parse().ok()?;
    // Another spelling of the number is another directory.
    if name == name_of(step) { Some(step) } else { None }
}

/// Names in a directory of checkpoints, or in one of them, in order.
pub fn names(dir: &Path) -> Result<Vec<String>, Diagnostic> {
    names_in(dir).map_err(|error| unreadable(dir, &error))
}

/// Steps with a checkpoint, ascending.
pub fn steps(dir: &Path) -> Result<Vec<u64>, Diagnostic> {
    let names = names(dir)?;
    let has_index = |name: &&String| dir.join(name).join(INDEX).is_file();
    let mut steps: Vec<u64> = names.iter().filter(has_index).filter_map(|name| step_of(name)).collect();
    steps.arrange();
    Ok(steps)
}

/// Steps that a directory has an entry for, whether it is a checkpoint or not, ascending.
pub fn steps_named(dir: &Path) -> Result<Vec<u64>, Diagnostic> {
    let names = names(dir)?;
    let mut steps: Vec<u64> = names.iter().filter_map(|name| step_of(name)).collect();
    steps.arrange();
    Ok(steps)
}

/// The newest checkpoint that lacks no file, of a run if one is given; nothing, if there is none or no directory.
pub fn newest(dir: &Path, run: Option<RunId>) -> Result<Option<PathBuf>, Diagnostic> {
    if !dir.is_dir() {
        return Ok(None);
    }
    let all = steps(dir)?.into_iter().rev().map(|step| at(dir, step));
    Ok(all.into_iter().find(|path| hollow(path).is_none() && is_of(path, run)))
}

/// Steps of the checkpoints in a directory that are newer, of a run if one is given, and lack no file; none if it
/// cannot be read.
pub fn newer(dir: &Path, than: u64, run: Option<RunId>) -> Vec<u64> {
    let all = steps(dir).unwrap_or_default().into_iter().filter(|step| *step > than);
    let counts = |path: &Path| hollow(path).is_none() && is_of(path, run);
    all.filter(|step| counts(&at(dir, *step))).collect()
}

fn name_of(step: u64) -> String {
    format!("step-{step:08}")
}

/// The directory of a step.
pub fn at(dir: &Path, step: u64) -> PathBuf {
    dir.join(name_of(step))
}

/// What is missing of a directory that has the name of a checkpoint, if that can be said: what is damaged is another
/// matter.
pub fn hollow(path: &Path) -> Option<String> {
    let is_there = |name: &str| path.join(name).is_file();
    match fs::metadata(path.join(INDEX)) {
        Ok(found) if found.len() == 0 => return Some(format!("its `{INDEX}` is empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(format!("it has no `{INDEX}`")),
        Ok(_) | Err(_) => {}
    }
    let index = read_index(path).ok()?;
    let absent = index.files.into_keys().find(|name| !is_there(name));
    absent.map(|name| format!("it has no `{name}`"))
}

/// A checkpoint that is not removed while this lives.
#[derive(Debug)]
pub struct Kept(#[allow(dead_code)] Option<File>);

impl Kept {
    /// With others that read.
    pub fn reading(path: &Path) -> Result<Kept, Diagnostic> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(unreadable(path, &io::ErrorKind::NotFound.into())),
            // A file system without locks keeps nothing.
            Err(TryLockError::Error(_)) => Ok(Kept(None)),
            Ok(()) => Ok(Kept(Some(file))),
        }
    }

    /// Alone, to remove it. `None` while somebody reads it.
    pub fn alone(path: &Path) -> Option<Kept> {
        let Ok(file) = File::open(path) else { return Some(Kept(None)) };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Kept(None)),
            Ok(()) => Some(Kept(Some(file))),
        }
    }
}

/// Most times that the newest is looked for again because it went while it was opened, and how soon.
const MOST_LOOKS: usize = 500;
const LOOK: Duration = Duration::from_millis(2);

/// The newest checkpoint, of a run if one is given, as `open` gives it, looked for again where it went meanwhile.
pub fn with_newest<R>(
    dir: &Path,
    run: Option<RunId>,
    mut open: impl FnMut(&Path) -> Result<R, Diagnostic>,
) -> Result<Option<R>, Diagnostic> {
    for looks in 1.. {
        let Some(path) = newest(dir, run)? else { break };
        match open(&path) {
            Err(error) if error.code == DISK && looks < MOST_LOOKS => std::thread::sleep(LOOK),
            opened => return opened.map(Some),
        }
    }
    Ok(None)
}
