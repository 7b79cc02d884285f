//! Ending work because the user asks: the signal handler sets a flag, and those who work look at it at good places.
//!
//! Handlers are there only while somebody looks, who says so by a [`Listening`]. At all other times, as while a program
//! is compiled, a signal ends the process at once, as it does without handlers; so no stage before has to look.

use crate::{RunError, RunErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether someone asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Ask all launches of this process to stop; `false` takes it back.
pub fn ask(stop: bool) {
    ASKED.store(stop, Ordering::Relaxed);
}

/// What a launch ends with that was asked to stop.
pub fn error() -> RunError {
    RunError::new(RunErrorKind::Interrupted, "interrupted")
}

/// The signal that came, 0 before.
static WISHED: AtomicU8 = AtomicU8::new(0);

/// The number of the signal by which someone wishes for an end at the next good place: launches go on.
pub fn wished() -> Option<u8> {
    Some(WISHED.load(Ordering::Relaxed)).filter(|signal| *signal > 0)
}

/// Somebody looks at what the handlers note, for as long as this lives.
#[must_use]
#[derive(Debug)]
pub struct Listening {
    _signals: signals::Handled,
}

/// Launches look at [`asked`], between steps. The first Ctrl-C ends them with an error that says where they were. One
/// that has not ended a second later ends with the process, and so does every one at the second Ctrl-C.
pub fn listen() -> Listening {
    Listening { _signals: signals::asking() }
}

/// Long work that has something to save looks at [`wished`]: the first Ctrl-C or SIGTERM wishes for an end, the second
/// ends the process. So does SIGUSR1, which `mpirun` hands on to all its processes, and which queues send before the
/// time is up.
pub fn listen_gently() -> Listening {
    Listening { _signals: signals::wishing() }
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail as one to a full disk does. Its signal would end the
/// process, with half of a file beside the place of the whole one.
pub fn let_large_writes_fail() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(unix)]
mod signals {
    use super::{Ordering, WISHED};
    use libc::{SIG_DFL, SIGALRM, SIGINT, SIGTERM, SIGUSR1, alarm, c_int, raise, sighandler_t, signal};

    /// How long a launch may take to its next step once it is asked to stop.
    const PATIENCE_SECONDS: libc::c_uint = 1;

    type Handler = extern "C" fn(c_int);

    /// Signals with what they did before.
    #[derive(Debug)]
    pub struct Handled(Vec<(c_int, sighandler_t)>);

    pub fn asking() -> Handled {
        handled(&[(SIGINT, ask), (SIGALRM, end)])
    }

    pub fn wishing() -> Handled {
        handled(&[(SIGINT, wish), (SIGTERM, wish), (SIGUSR1, wish)])
    }

    fn handled(handlers: &[(c_int, Handler)]) -> Handled {
        let one = |(number, handler): &(c_int, Handler)| {
            // SAFETY: the handlers store to atomics and call what may be called from handlers.
            (*number, unsafe { signal(*number, *handler as sighandler_t) })
        };
        Handled(handlers.iter().map(one).collect())
    }

    impl Drop for Handled {
        fn drop(&mut self) {
            // SAFETY: what was there before comes back; whoever listened has ended in time.
            unsafe { alarm(0) };
            for (number, before) in &self.0 {
                // SAFETY: as above.
                unsafe { signal(*number, *before) };
            }
        }
    }

    extern "C" fn ask(number: c_int) {
        super::ask(true);
        // SAFETY: may be called from a handler.
        unsafe { signal(number, SIG_DFL) };
        // SAFETY: as above.
        unsafe { alarm(PATIENCE_SECONDS) };
    }

    extern "C" fn end(_: c_int) {
        // SAFETY: may be called from a handler.
        unsafe { signal(SIGINT, SIG_DFL) };
        // SAFETY: as above.
        unsafe { raise(SIGINT) };
    }

    extern "C" fn wish(number: c_int) {
        WISHED.store(u8::try_from(number).unwrap_or(u8::MAX), Ordering::Relaxed);
        // SAFETY: may be called from a handler.
        unsafe { signal(number, SIG_DFL) };
    }
}

#[cfg(not(unix))]
mod signals {
    #[derive(Debug)]
    pub struct Handled;

    pub fn asking() -> Handled {
        Handled
    }

    pub fn wishing() -> Handled {
        Handled
    }
}
