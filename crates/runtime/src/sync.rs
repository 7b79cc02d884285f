//! Locks, bells, atomics and threads of what waits: the standard library's, or shuttle's under `--cfg shuttle`
//! (`cargo xtask shuttle`), whose scheduler tries one order of steps after another.

#[cfg(shuttle)]
pub use shuttle::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};
#[cfg(not(shuttle))]
pub use std::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};

use std::sync::PoisonError;

/// The lock, also after a panic of who held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
