//! A plugin that finds a fault of its own may end the process by `abort`, with words of its own or none. Ours follow
//! them: which call it was within, and what can be done.

use meshwright_base::Code;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What is said has this code.
pub const ENDED: Code = Code(742);

/// What is said around the function's name. Nothing can be formatted by then.
#[cfg(unix)]
const SAID: [&str; 2] = [
    "\nerror[E0742]: the plugin ended the process within `",
    "`\n   = note: what it said of it, if anything, is above\n   = help: look there for what it could not do; another \
     program, machine or version of the plugin may go well\n",
];

/// The function that was called last and has not returned: a name that lives for ever.
static WITHIN: AtomicPtr<&'static str> = AtomicPtr::new(ptr::null_mut());

/// A call that goes on as long as this lives.
pub struct Within(*mut &'static str);

impl Within {
    pub fn begun(name: &'static &'static str) -> Within {
        Within(WITHIN.swap(ptr::from_ref(name).cast_mut(), Ordering::Relaxed))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        WITHIN.store(self.0, Ordering::Relaxed);
    }
}

/// Have it said from here on.
#[cfg(unix)]
pub fn listen() {
    // SAFETY: the handler does what may be done in one.
    unsafe { libc::signal(libc::SIGABRT, said as *const () as libc::sighandler_t) };
}

#[cfg(not(unix))]
pub fn listen() {}

/// Nothing is allocated, and no lock is taken: whoever aborts may hold it.
#[cfg(unix)]
extern "C" fn said(number: libc::c_int) {
    // SAFETY: null, or a name that lives for ever.
    if let Some(name) = unsafe { WITHIN.load(Ordering::Relaxed).as_ref() } {
        let [a, b] = SAID;
        [a, name, b].into_iter().for_each(|text| {
            // SAFETY: the text is alive. Nobody is left to be told that it could not be written.
            unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        });
    }
    // SAFETY: may be called from a handler. `abort` raises the signal once more when it comes back, which ends the
    // process.
    unsafe { libc::signal(number, libc::SIG_DFL) };
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_has_its_code() {
        assert!(SAID[0].contains(&format!("error[E{ENDED}]")), "{}", SAID[0]);
    }
}
