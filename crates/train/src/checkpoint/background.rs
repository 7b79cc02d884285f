//! Writing checkpoints while the next steps run: one thread, at most one checkpoint waiting.

use super::{Snapshot, Store};
use meshwright_ground::Diagnostic;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// What came of a checkpoint.
type Outcome = Result<PathBuf, Diagnostic>;

/// A store with a thread of its own.
#[derive(Debug)]
pub struct Background {
    /// Gone once no more checkpoints come.
    snapshots: Option<SyncSender<Snapshot>>,
    outcomes: Receiver<Outcome>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub fn new(store: Store) -> Self {
        let (snapshots, waiting) = sync_channel::<Snapshot>(1);
        let (done, outcomes) = channel();
        let work = move || waiting.iter().for_each(|snapshot| drop(done.send(store.write(&snapshot))));
        Background { snapshots: Some(snapshots), outcomes, thread: Some(std::thread::spawn(work)) }
    }

    /// Hands a checkpoint over. Waits if one is being written and one is waiting already, so memory stays bounded.
    pub fn submit(&self, snapshot: Snapshot) {
        // A thread that is gone has said why in its outcomes.
        if let Some(queue) = &self.snapshots {
            drop(queue.send(snapshot));
        }
    }

    /// What has been finished since the last time.
    pub fn finished(&self) -> Vec<Outcome> {
        self.outcomes.try_iter().collect()
    }

    /// Waits for all that was handed over.
    pub fn finish(mut self) -> Vec<Outcome> {
        self.stop();
        self.outcomes.try_iter().collect()
    }

    fn stop(&mut self) {
        self.snapshots = None;
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// A run that ends early still leaves its checkpoints whole.
impl Drop for Background {
    fn drop(&mut self) {
        self.stop();
    }
}
