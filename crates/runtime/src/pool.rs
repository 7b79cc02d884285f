//! Work that a step cuts into pieces: any idle worker takes pieces, whoever is first.
//!
//! The pieces are cut by shape, never by the number of workers, and write disjoint places: who runs which changes
//! nothing in the result.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs the pieces of a step.
pub trait Workers: Sync {
    /// Call `run` once for each of `0..count`, in any order, and return when all are done.
    fn each(&self, count: usize, run: &(dyn Fn(usize) + Sync));
    /// The trace to write to, if there is one.
    fn trace(&self) -> Option<&crate::trace::Trace> {
        None
    }
    /// Queues of what enters and leaves the program, if the launch has any.
    fn feed(&self) -> Option<&crate::feed::Feed> {
        None
    }
    /// Why to stop before the next step, if there is a reason.
    fn stop(&self) -> Option<crate::RunError> {
        crate::interrupt::asked().then(crate::interrupt::error)
    }
}

/// The caller alone.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Workers for Alone {
    fn each(&self, count: usize, run: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(run);
    }
}

/// Pieces being handed out. Shared by the worker that made them and those that help.
pub(crate) struct Pieces {
    next: AtomicUsize,
    count: usize,
    panicked: AtomicBool,
    /// Lives until the maker has seen all helpers leave.
    run: *const (dyn Fn(usize) + Sync),
}

// SAFETY: the closure is `Sync`; the maker outlives all helpers.
unsafe impl Send for Pieces {}
// SAFETY: as above.
unsafe impl Sync for Pieces {}

impl Pieces {
    /// # Safety
    /// The caller must not let `run` go before every helper has left.
    pub unsafe fn new(count: usize, run: &(dyn Fn(usize) + Sync)) -> Pieces {
        // SAFETY: only the lifetime changes; the caller keeps the closure alive.
        let run = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), *const (dyn Fn(usize) + Sync + 'static)>(run)
        };
        Pieces { next: AtomicUsize::new(0), count, panicked: AtomicBool::new(false), run }
    }

    /// Take pieces until none is left. A panic is noted and ends this worker's share.
    pub fn work(&self) {
        let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            loop {
                let piece = self.next.fetch_add(1, Ordering::Relaxed);
                if piece >= self.count {
                    return;
                }
                // SAFETY: the maker keeps the closure alive while anyone works.
                unsafe { (*self.run)(piece) }
            }
        }));
        if taken.is_err() {
            self.panicked.store(true, Ordering::Relaxed);
        }
    }

    pub fn is_exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.count
    }

    pub fn panicked(&self) -> bool {
        self.panicked.load(Ordering::Relaxed)
    }
}
