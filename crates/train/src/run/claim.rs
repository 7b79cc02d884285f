//! The right to change a run's directory: one process has it, over ranks the first for all of them.
//!
//! It is taken before anything of the run is looked at again, so that what all processes then see stays as it is.

use super::error::Error;
use super::host::Host;
use super::run_dir::RunDir;
use crate::checkpoint::DISK;
use crate::disk::{WRITING, names_in};
use crate::lock::Lock;
use meshwright_base::Diagnostic;

/// A run's directory while the run lasts, until its report is written.
#[derive(Debug)]
pub struct Claim {
    dir: RunDir,
    /// Of the process that writes.
    lock: Option<Lock>,
}

impl Claim {
    /// All processes of a run ask. Refused while another run has the directory.
    pub fn of(dir: &RunDir, host: &Host<'_>) -> Result<Claim, Error> {
        let lock = host.is_first.then(|| Lock::take(&dir.root)).transpose()?;
        if lock.is_some() {
            clean(dir);
        }
        // Nobody looks before the lock is taken.
        (host.say)(0)?;
        Ok(Claim { dir: dir.clone(), lock })
    }

    pub fn dir(&self) -> &RunDir {
        &self.dir
    }

    /// What people should know of it.
    pub fn note(&self) -> Option<String> {
        let is_open = self.lock.as_ref().is_some_and(|lock| !lock.is_kept());
        let root = self.dir.root.display();
        is_open.then(|| {
            format!("`{root}` cannot be locked on this file system: see that no other run writes there")
        })
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
