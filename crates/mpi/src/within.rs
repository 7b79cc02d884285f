//! A deadline for calls of the library that wait for all ranks and cannot be told to stop: its start, its end, and new
//! communicators.
//!
//! A rank that is stopped then, or is another program, would keep the others for ever. So a thread looks at the clock
//! meanwhile, and ends the process when the time is up: `mpirun` then ends the others.

use meshwright_base::{Code, Diagnostic, render};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

const LATE: Code = Code(721);

/// The exit code of an error of the environment.
const EXIT: i32 = 3;

/// What `work` gives, if it comes within the deadline. The process ends if it does not.
pub fn within<R>(deadline: Duration, what: &'static str, work: impl FnOnce() -> R) -> R {
    let (done, is_done) = channel::<()>();
    let watch = move || {
        if is_done.recv_timeout(deadline) == Err(RecvTimeoutError::Timeout) {
            end(what, deadline);
        }
    };
    // Without a thread to spare it is done without a deadline.
    let _ = thread::Builder::new().name("deadline".into()).spawn(watch);
    let result = work();
    drop(done);
    result
}

fn end(what: &str, deadline: Duration) -> ! {
    let rank = std::env::var("OMPI_COMM_WORLD_RANK").or_else(|_| std::env::var("PMI_RANK"));
    let rank = rank.map_or_else(|_| String::new(), |rank| format!("; on rank {rank}"));
    let message = format!("{what} did not come within {:.1} s{rank}", deadline.as_secs_f64());
    let diagnostic = Diagnostic::error(LATE, message)
        .note("another rank is stopped or gone, or is another program")
        .help("start every rank with the same program, or give them more time with `--deadline`");
    let text = render(&diagnostic, None);
    // SAFETY: plain bytes that live; `_exit` runs nothing of a library that hangs.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(EXIT);
    }
}
