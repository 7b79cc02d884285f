//! Writing checkpoints while the next steps run: one thread, at most one job waiting.

use super::{Done, Job, Store};
use std::cell::Cell;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// A store with a thread of its own.
#[derive(Debug)]
pub struct Background {
    /// Gone once no more jobs come.
    jobs: Option<SyncSender<Job>>,
    done: Receiver<Done>,
    /// Jobs that were handed over and not heard of since.
    waited_for: Cell<usize>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub fn new(store: Store) -> Self {
        let (jobs, waiting) = sync_channel::<Job>(1);
        let (tell, done) = channel();
        let work = move || waiting.iter().for_each(|job| drop(tell.send(store.done(job))));
        let thread = Some(std::thread::spawn(work));
        Background { jobs: Some(jobs), done, waited_for: Cell::new(0), thread }
    }

    /// Hands a job over. Waits if one is being done and one is waiting already, so memory stays bounded.
    pub fn submit(&self, job: Job) {
        // A thread that is gone has said why.
        if let Some(queue) = &self.jobs
            && queue.send(job).is_ok()
        {
            self.waited_for.set(self.waited_for.get() + 1);
        }
    }

    /// What has been done since the last time.
    pub fn finished(&self) -> Vec<Done> {
        self.heard(self.done.try_iter().collect())
    }

    /// Waits for all that was handed over.
    pub fn idle(&self) -> Vec<Done> {
        self.heard(self.done.iter().take(self.waited_for.get()).collect())
    }

    /// Whether nothing more will come of it.
    pub fn is_gone(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn heard(&self, all: Vec<Done>) -> Vec<Done> {
        self.waited_for.set(self.waited_for.get().saturating_sub(all.len()));
        all
    }
}

/// A run that ends early still leaves its checkpoints whole.
impl Drop for Background {
    fn drop(&mut self) {
        self.jobs = None;
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}
