//! Saving a run while it goes on: by one process, or by several that write one checkpoint together.
//!
//! ```text
//! alone      Whole ----------------------------------------------> step-..
//! together   Share on every rank, then all have said so, then Show on the first -> step-..
//! ```
//!
//! A thread of each process writes. Ranks ask one another between steps, all of them at the same places, whether shares
//! are written; so a checkpoint is shown at a step's end, and at most one is under way. If one rank cannot write its
//! share, the first removes what the others wrote, and all end.

use super::error::Error;
use super::host::Host;
use crate::checkpoint::{Background, DISK, Done, Job, Snapshot, Store};
use meshwright_base::Diagnostic;
use std::path::PathBuf;
use std::time::Duration;

/// How often ranks that wait look again.
const LOOK: Duration = Duration::from_millis(10);

/// Writes a run's checkpoints; nothing, where none are wanted.
#[derive(Default)]
pub struct Saver {
    thread: Option<Background>,
    is_patient: bool,
    /// The step of a checkpoint that ranks write together, and what came of the own share.
    shared: Option<u64>,
    share: Option<Result<(), Diagnostic>>,
    newest: Option<PathBuf>,
}

impl Saver {
    /// `in_background` lets the next steps run meanwhile.
    pub fn new(store: Store, newest: Option<PathBuf>, in_background: bool) -> Saver {
        let thread = Some(Background::new(store));
        Saver { thread, is_patient: !in_background, newest, ..Saver::default() }
    }

    /// Hands the own share of a checkpoint over; all ranks do. `found` is what keeps it from being written.
    pub fn save(
        &mut self,
        snapshot: Snapshot,
        found: Option<Diagnostic>,
        host: &Host<'_>,
    ) -> Result<Vec<PathBuf>, Error> {
        let step = snapshot.state.step;
        let mut shown = self.finished(host, true)?;
        match (host.is_alone(), found) {
            (true, Some(found)) => return Err(found.into()),
            (true, None) => self.submit(Job::Whole(snapshot)),
            (false, found) => {
                self.shared = Some(step);
                self.share = found.map(Err);
                if self.share.is_none() {
                    self.submit(Job::Share(snapshot, host.first_device()));
                }
            }
        }
        if self.is_patient {
            shown.extend(self.finished(host, true)?);
            shown.extend(self.wait()?);
        }
        Ok(shown)
    }

    /// Checkpoints that are whole since it was last asked. All ranks ask, after every step.
    pub fn finished(&mut self, host: &Host<'_>, waits: bool) -> Result<Vec<PathBuf>, Error> {
        let mut shown = self.heard()?;
        let Some(step) = self.shared else { return Ok(shown) };
        while host.any(self.share.is_none())? {
            if !waits {
                return Ok(shown);
            }
            std::thread::sleep(LOOK);
            shown.extend(self.heard()?);
        }
        self.shared = None;
        let own = self.share.take().unwrap_or(Ok(()));
        if host.any(own.is_err())? {
            return Err(self.given_up(step, own, host)?);
        }
        if host.is_first {
            self.submit(Job::Show(step));
        }
        Ok(shown)
    }

    /// Nobody leaves before what is there of the checkpoint is gone.
    fn given_up(&mut self, step: u64, own: Result<(), Diagnostic>, host: &Host<'_>) -> Result<Error, Error> {
        if host.is_first {
            self.submit(Job::Drop(step));
            self.wait()?;
        }
        host.any(false)?;
        Ok(own.err().unwrap_or_else(|| other_failed(step)).into())
    }

    /// Waits for everything, and gives the newest checkpoint.
    pub fn finish(&mut self, host: &Host<'_>) -> Result<Option<PathBuf>, Error> {
        self.finished(host, true)?;
        self.wait()?;
        if host.is_first {
            // The newest was written or read by this run, so it is whole.
            self.submit(Job::Trim);
            self.wait()?;
        }
        self.thread = None;
        Ok(self.newest.clone())
    }

    fn submit(&self, job: Job) {
        if let Some(thread) = &self.thread {
            thread.submit(job);
        }
    }

    /// What the thread has done meanwhile. Others must not wait for one that is gone.
    fn heard(&mut self) -> Result<Vec<PathBuf>, Error> {
        let is_gone = self.thread.as_ref().is_none_or(Background::is_gone);
        let done = self.thread.as_ref().map_or_else(Vec::new, Background::finished);
        let shown = self.taken(done)?;
        if let (true, Some(step), None) = (is_gone, self.shared, &self.share) {
            self.share = Some(Err(no_thread(step)));
        }
        Ok(shown)
    }

    /// What it does until it has nothing left to do.
    fn wait(&mut self) -> Result<Vec<PathBuf>, Error> {
        let done = self.thread.as_ref().map_or_else(Vec::new, Background::idle);
        self.taken(done)
    }

    fn taken(&mut self, all: Vec<Done>) -> Result<Vec<PathBuf>, Error> {
        let mut shown = Vec::new();
        for done in all {
            match done {
                Done::Shared(found) => self.share = Some(found),
                Done::Dropped => {}
                Done::Trimmed(found) => found?,
                Done::Shown(found) => shown.push(found?),
            }
        }
        self.newest = shown.last().cloned().or(self.newest.take());
        Ok(shown)
    }
}

fn no_thread(step: u64) -> Diagnostic {
    let message =
        format!("the thread that writes the checkpoint of step {step} has ended before it was done");
    Diagnostic::error(DISK, message).help("go on from the checkpoint before it, with `--resume`")
}

fn other_failed(step: u64) -> Diagnostic {
    let message = format!("another rank could not write its share of the checkpoint of step {step}");
    Diagnostic::error(DISK, message).help("see what it said; older checkpoints are as they were")
}
