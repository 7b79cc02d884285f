//! The last net: a panic is our bug, and the user is told what to send us instead of being shown a backtrace.

use meshwright_base::cancel::{Cancelled, Token};
use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Room for recursion over nested input, which parsers limit generously. Only what is used takes memory.
const STACK: usize = 1 << 29;

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

/// Run `work` with a deep stack; a panic in it becomes an error that says what the panic said, and where. Panics print
/// nothing from here on, in any thread.
pub fn catch<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Ended> {
    catch_while(&mut || true, work)
}

/// How often it is asked whether work is to go on.
const OFTEN: Duration = Duration::from_millis(50);

/// The same for as long as `goes_on`, which this thread asks from time to time: then the work gives up at its next
/// [look](meshwright_base::cancel).
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
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
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

/// Run `work` in this thread; a panic in it becomes an error as in [`catch`].
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
        assert_eq!(catch(|| 7), Ok(7));
        let Err(Ended::Panicked(error)) = catch(|| assert_eq!(1, 2, "numbers differ")) else {
            panic!("no error")
        };
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
        assert_eq!(catch(|| depth(1_000_000)), Ok(1_000_000));
    }
}
