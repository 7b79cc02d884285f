//! Ending a launch because the user asks: the signal handler sets a flag, devices look at it between steps.
//!
//! The first Ctrl-C ends the launch with an error that says where it was; the second ends the process at once.

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

pub(crate) fn error() -> RunError {
    RunError::new(RunErrorKind::Interrupted, "interrupted")
}

/// Let Ctrl-C ask to stop.
#[cfg(unix)]
pub fn install() {
    let handler: extern "C" fn(libc::c_int) = handle;
    // SAFETY: the handler stores to an atomic and restores the default.
    unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
}

#[cfg(not(unix))]
pub fn install() {}

/// The signal that came, 0 before.
static WISHED: AtomicU8 = AtomicU8::new(0);

/// The number of the signal by which someone wishes for an end at the next good place: launches go on.
pub fn wished() -> Option<u8> {
    Some(WISHED.load(Ordering::Relaxed)).filter(|signal| *signal > 0)
}

/// Let the first Ctrl-C or SIGTERM wish for an end, the second end the process: for long work that has something to save.
/// So does SIGUSR1, which `mpirun` hands on to all its processes, and which queues send before the time is up.
#[cfg(unix)]
pub fn install_gently() {
    let handler: extern "C" fn(libc::c_int) = wish;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGUSR1] {
        // SAFETY: the handler stores to an atomic and restores the default.
        unsafe { libc::signal(signal, handler as libc::sighandler_t) };
    }
}

#[cfg(not(unix))]
pub fn install_gently() {}

#[cfg(unix)]
extern "C" fn wish(signal: libc::c_int) {
    WISHED.store(u8::try_from(signal).unwrap_or(u8::MAX), Ordering::Relaxed);
    // SAFETY: may be called from a handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

#[cfg(unix)]
extern "C" fn handle(_: libc::c_int) {
    ask(true);
    // SAFETY: may be called from a handler.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
}
