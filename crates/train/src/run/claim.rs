//! The right to change a run's directory: one process has it, over ranks the first for all of them.
//!
//! A process takes it before it reads anything of the run again, so nothing changes while all processes read. The claim
//! holds the directory open: once its path leads elsewhere, the run writes nothing by that path.

use super::error::Error;
use super::host::Host;
use super::run_dir::RunDir;
use super::trainer::Start;
use crate::anchor::Anchor;
use crate::checkpoint::{Checkpoint, DISK, RunId, misplaced};
use crate::config::Config;
use crate::disk::{RealDisk, WRITING, names_in, replace};
use crate::lock::Lock;
use meshwright_base::Diagnostic;
use std::path::PathBuf;

/// A run's directory while the run lasts, until its report is written.
#[derive(Debug)]
pub struct Claim {
    dir: RunDir,
    /// Of the process that writes.
    held: Option<(Lock, Anchor)>,
}

impl Claim {
    /// All processes of a run ask. Refused while another run has the directory.
    pub fn of(dir: &RunDir, host: &Host<'_>) -> Result<Claim, Error> {
        let held = host.is_first.then(|| hold(dir)).transpose()?;
        if held.is_some() {
            clean(dir);
        }
        // Nobody looks before the lock is taken.
        (host.say)(0)?;
        Ok(Claim { dir: dir.clone(), held })
    }

    pub fn dir(&self) -> &RunDir {
        &self.dir
    }

    /// What people should know of it.
    pub fn note(&self) -> Option<String> {
        let is_open = self.held.as_ref().is_some_and(|(lock, _)| !lock.is_kept());
        let root = self.dir.root.display();
        is_open.then(|| {
            format!("`{root}` cannot be locked on this file system: see that no other run writes there")
        })
    }

    /// Refuses to go on once the directory has moved.
    pub fn check_place(&self) -> Result<(), Diagnostic> {
        self.held.as_ref().map_or(Ok(()), |(_, anchor)| anchor.check())
    }

    /// Writes a whole file or none. A directory that is missing stays missing.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Diagnostic> {
        self.check_place()?;
        let path = self.dir.root.join(name);
        if let Err(error) = replace(&RealDisk, &path, bytes) {
            self.check_place()?;
            let message = format!("cannot write `{}`: {error}", path.display());
            return Err(
                Diagnostic::error(DISK, message).help("make room, or name another directory with `--out`")
            );
        }
        Ok(path)
    }

    /// The id of the run that begins or goes on here, the same in all processes; all of them ask.
    pub fn run_id(&self, config: &Config, start: &Start, host: &Host<'_>) -> Result<RunId, Error> {
        let own = if host.is_first { Some(run_id(&self.dir, config, start)?) } else { None };
        let said = (host.say)(own.map_or(0, RunId::number))?;
        let first = said.first().copied().and_then(RunId::from_number);
        first.or(own).ok_or_else(|| {
            Diagnostic::error(DISK, "the first rank named no run id").help("start all ranks again").into()
        })
    }

    /// Adds the run's id to the words of the lock.
    pub fn sign_for(&self, run: RunId) {
        if let Some((lock, _)) = &self.held {
            lock.sign_for(run);
        }
    }
}

fn hold(dir: &RunDir) -> Result<(Lock, Anchor), Diagnostic> {
    let lock = Lock::take(&dir.root)?;
    let anchor = Anchor::hold(&dir.root).map_err(|error| {
        Diagnostic::error(DISK, format!("cannot read `{}`: {error}", dir.root.display()))
            .help("make the directory readable, or name another one")
    })?;
    Ok((lock, anchor))
}

/// A run keeps the id that its directory or, before there were such files, its checkpoint has. A run that begins, or
/// branches off from another's checkpoint into a new directory, gets one of its own.
fn run_id(dir: &RunDir, config: &Config, start: &Start) -> Result<RunId, Diagnostic> {
    let derived = || {
        let root = std::fs::canonicalize(&dir.root).unwrap_or_else(|_| dir.root.clone());
        RunId::derive(&root, &config.write())
    };
    let Start::Resume(Some(path), _) = start else {
        return Ok(dir.id()?.unwrap_or_else(derived));
    };
    let of = Checkpoint::open(path)?.state().run;
    match (dir.id()?, of) {
        (Some(own), Some(of)) if own != of => Err(misplaced(path, &dir.root)),
        (Some(own), _) => Ok(own),
        (None, Some(of)) if dir.has_config() => Ok(of),
        (None, _) => Ok(derived()),
    }
}

/// Removes what a killed run left half-written.
fn clean(dir: &RunDir) {
    let names = names_in(&dir.root).unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(WRITING)) {
        let _ = std::fs::remove_file(dir.root.join(name));
    }
}

/// Processes of one run that begin with different things.
pub fn check_alike(host: &Host<'_>, step: u64) -> Result<(), Error> {
    let said = (host.say)(step)?;
    match said.iter().find(|other| **other != step) {
        None => Ok(()),
        Some(other) => {
            let message = format!("a rank begins after step {other}, this one after step {step}");
            let help = "put the run, or `checkpoint.dir`, where all ranks see the same directory";
            Err(Diagnostic::error(DISK, message).help(help).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_cpu::Cpu;
    use meshwright_runtime::{InProcess, RunError};
    use std::sync::Arc;

    /// The second of two ranks, the first of which says a number.
    fn beside<R>(first: u64, work: impl FnOnce(&Host<'_>) -> R) -> R {
        let devices = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
        let (gather, say) =
            (|shards: Vec<Vec<u8>>| Ok(Some(shards)), |own| Ok::<_, RunError>(vec![first, own]));
        work(&Host {
            devices: &devices,
            gather: &gather,
            say: &say,
            is_first: false,
            memory_limit: None,
            compile: &super::super::compile,
        })
    }

    fn disk(found: Error) -> String {
        let Error::Environment(found) = found else { panic!("{found:?}") };
        assert!(found.code == DISK && found.help.is_some(), "{found:?}");
        found.message
    }

    #[test]
    fn ranks_that_do_not_begin_alike_are_told() {
        let dir = RunDir::new("nowhere");
        let id = |first| {
            beside(first, |host| {
                Claim { dir: dir.clone(), held: None }.run_id(&Config::default(), &Start::Fresh, host)
            })
        };
        assert_eq!(id(7).unwrap(), RunId::from_number(7).unwrap());
        assert_eq!(disk(id(0).unwrap_err()), "the first rank named no run id");
        let alike = |first| beside(first, |host| check_alike(host, 3));
        alike(3).unwrap();
        assert_eq!(disk(alike(4).unwrap_err()), "a rank begins after step 4, this one after step 3");
    }
}
