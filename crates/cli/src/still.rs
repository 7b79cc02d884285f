//! A word now and then while a compilation takes long: which stage or pass was done last, or what is at work, and how
//! long it has been.
//!
//! ```text
//! still compiling after 10 s, behind `complete`
//! still compiling after 75 s, 52 s of it by `libtpu.so` for v3:32x32
//! ```
//!
//! What is done within `PATIENCE` says nothing, and nothing is said but to a terminal: a file of notes is the same
//! however long they took.

use meshwright_base::visible::escape_controls;
use meshwright_compile::Observer;
use meshwright_ir::Module;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long nothing is said, at first and then again.
const PATIENCE: Duration = Duration::from_secs(5);

/// Speaks until it is dropped.
pub struct Still {
    /// How far it is; none once it is over.
    far: Option<Sender<Far>>,
    voice: Option<JoinHandle<()>>,
}

/// How far a compilation is.
enum Far {
    /// A stage or pass is done.
    Behind(&'static str),
    /// Somebody else is at work.
    Working(String, Instant),
}

impl Still {
    /// `None` where nobody looks.
    pub fn begun() -> Option<Self> {
        io::stderr().is_terminal().then(Self::speaking)
    }

    fn speaking() -> Self {
        let (far, heard) = mpsc::channel();
        let speak = move || {
            let (begun, mut last) = (Instant::now(), None);
            let mut next = begun + PATIENCE;
            loop {
                match heard.recv_timeout(next.saturating_duration_since(Instant::now())) {
                    Ok(far) => last = Some(far),
                    Err(RecvTimeoutError::Timeout) => {
                        // Nobody listens: the work goes on.
                        let _ = io::stderr()
                            .write_all(escape_controls(&said(begun.elapsed(), last.as_ref())).as_bytes());
                        next += PATIENCE;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        // Without a thread there is less to read, and nothing else.
        let voice = thread::Builder::new().name("still".into()).spawn(speak).ok();
        Still { far: Some(far), voice }
    }

    fn is(&self, far: Far) {
        if let Some(voice) = &self.far {
            // Without a voice nobody hears it.
            let _ = voice.send(far);
        }
    }

    /// A stage or pass is done.
    pub fn behind(&self, name: &'static str) {
        self.is(Far::Behind(name));
    }

    /// Somebody else is at work from now on, as `by libtpu.so`.
    pub fn working(&self, who: String) {
        self.is(Far::Working(who, Instant::now()));
    }
}

/// Hears of stages and passes alone.
pub struct Hearing<'a>(pub Option<&'a Still>);

impl Observer for Hearing<'_> {
    fn stage(&mut self, name: &'static str, _: &Module) {
        self.0.iter().for_each(|still| still.behind(name));
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        self.far = None;
        // What it says last stands in front of what the command says.
        if let Some(voice) = self.voice.take() {
            let _ = voice.join();
        }
    }
}

fn said(elapsed: Duration, far: Option<&Far>) -> String {
    let far = match far {
        None => ", before the first stage".to_string(),
        Some(Far::Behind(name)) => format!(", behind `{name}`"),
        Some(Far::Working(who, since)) => format!(", {} s of it {who}", since.elapsed().as_secs()),
    };
    format!("still compiling after {} s{far}\n", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_last_is_named() {
        let after = Duration::from_millis(10_400);
        let behind = Far::Behind("complete");
        assert_eq!(said(after, Some(&behind)), "still compiling after 10 s, behind `complete`\n");
        assert_eq!(said(after, None), "still compiling after 10 s, before the first stage\n");
        let working = Far::Working("by `libtpu.so`".into(), Instant::now());
        assert_eq!(said(after, Some(&working)), "still compiling after 10 s, 0 s of it by `libtpu.so`\n");
    }

    #[test]
    fn who_is_dropped_says_no_more() {
        let still = Still::speaking();
        still.behind("plan");
        drop(still);
    }
}
