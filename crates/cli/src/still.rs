//! A word now and then while a compilation takes long: which stage or pass was done last, and how long it has been.
//!
//! ```text
//! still compiling after 10 s, behind `complete`
//! ```
//!
//! What is done within `PATIENCE` says nothing, and nothing is said but to a terminal: a file of notes is the same
//! however long they took.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long nothing is said, at first and then again.
const PATIENCE: Duration = Duration::from_secs(5);

/// Speaks until it is dropped.
pub struct Still {
    /// Names of what is done; none once it is over.
    done: Option<Sender<&'static str>>,
    voice: Option<JoinHandle<()>>,
}

impl Still {
    /// `None` where nobody looks.
    pub fn begun() -> Option<Self> {
        io::stderr().is_terminal().then(Self::speaking)
    }

    fn speaking() -> Self {
        let (done, heard) = mpsc::channel();
        let speak = move || {
            let (begun, mut last) = (Instant::now(), None);
            let mut next = begun + PATIENCE;
            loop {
                match heard.recv_timeout(next.saturating_duration_since(Instant::now())) {
                    Ok(name) => last = Some(name),
                    Err(RecvTimeoutError::Timeout) => {
                        // Nobody listens: the work goes on.
                        let _ = io::stderr().write_all(said(begun.elapsed(), last).as_bytes());
                        next += PATIENCE;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        // Without a thread there is less to read, and nothing else.
        let voice = thread::Builder::new().name("still".into()).spawn(speak).ok();
        Still { done: Some(done), voice }
    }

    /// A stage or pass is done.
    pub fn behind(&self, name: &'static str) {
        if let Some(done) = &self.done {
            // Without a voice nobody hears it.
            let _ = done.send(name);
        }
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        self.done = None;
        // What it says last stands in front of what the command says.
        if let Some(voice) = self.voice.take() {
            let _ = voice.join();
        }
    }
}

fn said(elapsed: Duration, last: Option<&'static str>) -> String {
    let behind = last.map_or("before the first stage".to_string(), |name| format!("behind `{name}`"));
    format!("still compiling after {} s, {behind}\n", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_last_is_named() {
        let after = Duration::from_millis(10_400);
        assert_eq!(said(after, Some("complete")), "still compiling after 10 s, behind `complete`\n");
        assert_eq!(said(after, None), "still compiling after 10 s, before the first stage\n");
    }

    #[test]
    fn who_is_dropped_says_no_more() {
        let still = Still::speaking();
        still.behind("plan");
        drop(still);
    }
}
