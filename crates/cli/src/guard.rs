//! The last net: a panic is our bug, and the user reads a request for a report instead of a backtrace.
//!
//! The binary ends at a panic ([`end_on_panic`]), so it needs no code to unwind. Inside another process, as in Python,
//! a panic becomes an error ([`catch_while`], [`catch_here`]): there the build must unwind (profile `unwind`).

use crate::failure::Failure;
use meshwright_base::cancel::{Cancelled, Token};
use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Room for recursion over nested input, which parsers limit generously. Only what is used takes memory.
const STACK: u64 = 1 << 29;

/// Even a tiny limit of memory leaves a thread the stack that it has elsewhere.
const LEAST_STACK: u64 = 8 << 20;

/// Returns the bytes of the deep stack: at most half of the memory limit.
pub fn stack_bytes() -> usize {
    (meshwright_base::budget::limit() / 2).clamp(LEAST_STACK, STACK) as usize
}

/// What the last panic said, and where.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Why work has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// What the panic said, and where.
    Panicked(String),
    /// The system gives no thread, so the work was never begun.
    NoThread(String),
    /// Nobody waits for it any more.
    GivenUp,
}

/// From here on, a panic in any thread hands its failure to `print` and ends the process with exit code 70. If several
/// threads panic, the first one prints.
pub fn end_on_panic(print: impl Fn(&Failure) + Send + Sync + 'static) {
    static PRINTED: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(move |info| {
        if PRINTED.swap(true, Ordering::Relaxed) {
            loop {
                thread::park();
            }
        }
        let failure = Failure::bug(&describe(info));
        print(&failure);
        std::process::exit(failure.exit_code().into());
    }));
}

/// Runs `work` on a thread with a deep stack.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Ended> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(stack_bytes()).spawn_scoped(scope, work);
        let worker = worker.map_err(|error| Ended::NoThread(error.to_string()))?;
        worker.join().map_err(|payload| why(&*payload))
    })
}

/// How often it is asked whether work is to go on.
const OFTEN: Duration = Duration::from_millis(50);

/// Runs `work` on a thread with a deep stack; a panic in it becomes an error with its message and place. This thread
/// calls `goes_on` from time to time: once it is false, the work gives up at its next [look](meshwright_base::cancel).
/// Panics print nothing from here on, in any thread.
pub fn catch_while<T: Send>(
    goes_on: &mut dyn FnMut() -> bool,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Ended> {
    std::panic::set_hook(Box::new(|info| remember(describe(info))));
    let (token, (begun, ended)) = (Token::default(), channel::<()>());
    thread::scope(|scope| {
        let held = token.clone();
        let work = move || {
            let _begun = begun;
            held.hold(work)
        };
        let worker = thread::Builder::new().stack_size(stack_bytes()).spawn_scoped(scope, work);
        let worker = worker.map_err(|error| Ended::NoThread(error.to_string()))?;
        while ended.recv_timeout(OFTEN) == Err(RecvTimeoutError::Timeout) {
            if !goes_on() {
                token.cancel();
            }
        }
        worker.join().map_err(|payload| why(&*payload))
    })
}

fn why(payload: &(dyn Any + Send)) -> Ended {
    if payload.is::<Cancelled>() { Ended::GivenUp } else { Ended::Panicked(recall()) }
}

/// Runs `work` in this thread; a panic in it becomes an error as in [`catch_while`].
pub fn catch_here<T>(work: impl FnOnce() -> T) -> Result<T, Ended> {
    std::panic::set_hook(Box::new(|info| remember(describe(info))));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|payload| why(&*payload))
}

fn remember(panic: String) {
    if let Ok(mut last) = LAST.lock() {
        *last = Some(panic);
    }
}

fn recall() -> String {
    LAST.lock().ok().and_then(|mut last| last.take()).unwrap_or_else(|| "a panic without words".into())
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload_as_str().unwrap_or("a panic without words");
    match info.location() {
        Some(place) => format!("{said} (at {}:{}:{})", place.file(), place.line(), place.column()),
        None => said.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_place() {
        let catch = |work: fn() -> i32| catch_while(&mut || true, work);
        assert_eq!(catch(|| 7), Ok(7));
        let Err(Ended::Panicked(error)) = catch(|| panic!("numbers differ")) else { panic!("no error") };
        assert!(error.contains("numbers differ"), "{error}");
        assert!(error.contains("guard.rs:"), "{error}");
        let here = catch_here(|| assert_eq!(3, 4, "so do these"));
        assert!(matches!(here, Err(Ended::Panicked(error)) if error.contains("so do these")));
        assert_eq!(catch_here(|| 8), Ok(8));
    }

    #[test]
    fn work_gives_up_when_nobody_waits() {
        let mut asked = 0;
        let mut twice = || {
            asked += 1;
            asked < 2
        };
        let for_ever = || loop {
            meshwright_base::cancel::look();
            thread::yield_now();
        };
        assert_eq!(catch_while(&mut twice, for_ever), Err::<(), _>(Ended::GivenUp));
        assert_eq!(catch_while(&mut || true, || thread::sleep(2 * OFTEN)), Ok(()));
    }

    #[test]
    fn deep_recursion_has_room() {
        fn depth(n: u64) -> u64 {
            if n == 0 { 0 } else { 1 + std::hint::black_box(depth(n - 1)) }
        }
        assert_eq!(with_deep_stack(|| depth(1_000_000)), Ok(1_000_000));
    }

    /// This test starts its own binary: the process that ends has to be another one.
    #[test]
    fn a_panic_in_any_thread_ends_the_process_with_a_request_for_a_report() {
        const CHILD: &str = "MESHWRIGHT_GUARD_CHILD";
        if std::env::var_os(CHILD).is_some() {
            end_on_panic(|failure| drop(failure.print(false)));
            let workers = [1, 2].map(|n| thread::spawn(move || panic!("worker {n} is wrong")));
            workers.into_iter().for_each(|worker| drop(worker.join()));
            return;
        }
        let name = "guard::tests::a_panic_in_any_thread_ends_the_process_with_a_request_for_a_report";
        let own = std::env::current_exe().unwrap();
        let ended = std::process::Command::new(own)
            .args(["--exact", name, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(70), "{text}");
        assert_eq!(text.matches(" is wrong (at ").count(), 1, "{text}");
        assert!(text.contains("guard.rs:") && text.contains("= help: please report it"), "{text}");
    }
}
