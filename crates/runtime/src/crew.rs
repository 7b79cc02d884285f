//! Threads that stay between launches: to start one takes longer than a small program runs, and one that stays keeps
//! what it has packed operands into.
//!
//! Whoever waits for others asks for some tens of microseconds before it sleeps ([`soon`]): to wake a thread takes as
//! long. Not more, as other work may want the core; and not at all on a machine with one core.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, lock, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
#[cfg(not(shuttle))]
use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

/// How long to ask before sleeping.
#[cfg(not(shuttle))]
const PATIENCE: Duration = Duration::from_micros(40);

/// Whether something comes true soon: time is how often others had their turn.
#[cfg(shuttle)]
pub(crate) fn soon(come_true: impl Fn() -> bool) -> bool {
    (0..2).any(|_| {
        thread::yield_now();
        come_true()
    })
}

/// Whether something comes true soon, asked again and again without sleeping.
#[cfg(not(shuttle))]
pub(crate) fn soon(come_true: impl Fn() -> bool) -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    if come_true() {
        return true;
    }
    if *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from)) == 1 {
        return false;
    }
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        for _ in 0..8 {
            if come_true() {
                return true;
            }
            std::hint::spin_loop();
        }
    }
    false
}

/// Members that wait for work.
#[cfg(not(shuttle))]
static IDLE: Mutex<Vec<Arc<Member>>> = Mutex::new(Vec::new());
#[cfg(shuttle)]
shuttle::lazy_static! {
    static ref IDLE: Mutex<Vec<Arc<Member>>> = Mutex::new(Vec::new());
}

#[derive(Default)]
struct Member {
    work: Mutex<Option<Arc<Work>>>,
    /// Whether there is work.
    called: AtomicBool,
    bell: Condvar,
    #[cfg(shuttle)]
    is_dismissed: AtomicBool,
}

/// What a crew does together.
struct Work {
    /// Works until the caller has seen all members leave.
    run: Box<dyn Fn() + Send + Sync>,
    members: AtomicUsize,
    panicked: AtomicBool,
    lock: Mutex<()>,
    left: Condvar,
}

impl Work {
    fn do_as_member(&self) {
        if catch_unwind(AssertUnwindSafe(|| (self.run)())).is_err() {
            self.panicked.store(true, Ordering::Relaxed);
        }
    }

    fn leave(&self) {
        let _lock = lock(&self.lock);
        self.members.fetch_sub(1, Ordering::Release);
        self.left.notify_all();
    }

    fn wait(&self) {
        let alone = || self.members.load(Ordering::Acquire) == 0;
        soon(alone);
        // The lock is taken in any case: the last member has then let go of it.
        let mut guard = lock(&self.lock);
        while !alone() {
            guard = self.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Waits for all members, also when the caller's own share panics.
struct Together(Arc<Work>);

impl Drop for Together {
    fn drop(&mut self) {
        self.0.wait();
    }
}

impl Member {
    fn call(&self, work: Arc<Work>) {
        *lock(&self.work) = Some(work);
        self.called.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// `None`: there will be no more.
    fn next(&self) -> Option<Arc<Work>> {
        soon(|| self.called.load(Ordering::Acquire));
        let mut slot = lock(&self.work);
        loop {
            if let Some(work) = slot.take() {
                self.called.store(false, Ordering::Relaxed);
                return Some(work);
            }
            #[cfg(shuttle)]
            if self.is_dismissed.load(Ordering::Acquire) {
                return None;
            }
            slot = self.bell.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn serve(self: &Arc<Member>) {
        while let Some(work) = self.next() {
            work.do_as_member();
            // Before leaving: who calls next finds this member, which is still awake.
            lock(&IDLE).push(self.clone());
            work.leave();
        }
    }
}

/// Lets all members end that wait: a scheduler that tries orders takes those who wait for ever for a deadlock.
#[cfg(shuttle)]
pub fn dismiss() {
    let idle = std::mem::take(&mut *lock(&IDLE));
    for member in idle {
        member.is_dismissed.store(true, Ordering::Release);
        let _slot = lock(&member.work);
        member.bell.notify_one();
    }
}

/// A member: one that waits, or a new one. `None` if the system gives no more threads.
fn member() -> Option<Arc<Member>> {
    let idle = lock(&IDLE).pop();
    idle.or_else(|| {
        let member = Arc::new(Member::default());
        let own = member.clone();
        let thread = thread::Builder::new().name("worker".to_string());
        thread.spawn(move || own.serve()).ok().map(|_| member)
    })
}

/// Members that were called, and what they do.
pub(crate) struct Crew(Together);

impl Crew {
    /// Let so many others run this; fewer if the system gives no more threads.
    ///
    /// # Safety
    /// What it borrows must live until the crew is dropped, and it must have nothing to drop: a member may let go of it
    /// later.
    pub(crate) unsafe fn call<'r>(others: usize, run: Box<dyn Fn() + Send + Sync + 'r>) -> Crew {
        let members: Vec<Arc<Member>> = (0..others).map_while(|_| member()).collect();
        // SAFETY: only the lifetime changes; the caller keeps alive what is borrowed.
        let run = unsafe {
            std::mem::transmute::<Box<dyn Fn() + Send + Sync + 'r>, Box<dyn Fn() + Send + Sync + 'static>>(
                run,
            )
        };
        let work = Arc::new(Work {
            run,
            members: AtomicUsize::new(members.len()),
            panicked: AtomicBool::new(false),
            lock: Mutex::new(()),
            left: Condvar::new(),
        });
        members.iter().for_each(|member| member.call(work.clone()));
        Crew(Together(work))
    }

    /// Wait until all have left.
    pub(crate) fn end(self) {
        let work = self.0.0.clone();
        drop(self);
        assert!(!work.panicked.load(Ordering::Relaxed), "a worker panicked");
    }
}

/// Run this on the caller's thread and on so many others, and return when all are done.
#[cfg(test)]
fn together(others: usize, run: &(dyn Fn() + Send + Sync)) {
    // SAFETY: it lives until this returns, or unwinds; a reference has nothing to drop.
    let crew = unsafe { Crew::call(others, Box::new(run)) };
    run();
    crew.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_run_once_and_the_same_members_run_again() {
        for _ in 0..100 {
            let count = AtomicUsize::new(0);
            together(3, &|| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(count.into_inner(), 4);
        }
    }

    #[test]
    fn a_panic_of_a_member_is_the_callers() {
        let caller = std::thread::current().id();
        let own = || assert_eq!(std::thread::current().id(), caller);
        assert!(catch_unwind(|| together(1, &own)).is_err());
    }

    #[test]
    fn crews_may_work_side_by_side_and_within_each_other() {
        let count = AtomicUsize::new(0);
        together(2, &|| {
            together(2, &|| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(count.into_inner(), 9);
    }
}
