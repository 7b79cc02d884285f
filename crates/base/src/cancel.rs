//! Giving up work that nobody waits for any more.
//!
//! Who starts work makes a [`Token`] and has the work done under it. Long work looks, wherever it begins the next of
//! many things; once the token is cancelled, that look never comes back: it unwinds to who started, with all that was
//! under way dropped. Inputs are only read, so they are as they were.
//!
//! A token is of one thread and what it calls: other work of the process goes on. Where there is none, a look costs a
//! read of a thread's own.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells work to give up.
#[derive(Clone, Debug, Default)]
pub struct Token(Arc<AtomicBool>);

/// What unwinds when work gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

thread_local! {
    static HELD: RefCell<Option<Token>> = const { RefCell::new(None) };
}

impl Token {
    /// From now on the work under it gives up.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The token that this thread works under.
    pub fn held() -> Option<Token> {
        HELD.with(|held| held.borrow().clone())
    }

    /// Do work under it.
    pub fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts the one before back, also where the work unwinds.
        struct Before(Option<Token>);
        impl Drop for Before {
            fn drop(&mut self) {
                HELD.with(|held| held.replace(self.0.take()));
            }
        }
        let _before = Before(HELD.with(|held| held.replace(Some(self.clone()))));
        work()
    }
}

/// Go on, unless this thread's work was cancelled.
#[inline]
pub fn look() {
    if HELD.with(|held| held.borrow().as_ref().is_some_and(Token::is_cancelled)) {
        std::panic::resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn work_gives_up_at_its_next_look_and_nothing_else_does() {
        look();
        let token = Token::default();
        let mut done = 0;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            token.hold(|| {
                for at in 0..10 {
                    look();
                    done += 1;
                    if at == 3 {
                        token.cancel();
                    }
                }
            });
        }));
        assert!(ended.is_err_and(|payload| payload.is::<Cancelled>()));
        assert_eq!(done, 4);
        look();
        assert!(Token::held().is_none(), "the work is over");
        let other = Token::default();
        other.hold(|| {
            look();
            assert!(!Token::held().is_none_or(|held| held.is_cancelled()));
        });
    }
}
