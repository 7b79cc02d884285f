//! Overflow of the deep stack: it ends the process with a diagnostic and exit code 3, as a missing allocation does, and
//! not with a signal.

use crate::allocator::end_for;
use crate::guard::stack_bytes;

/// Watches the stack of this thread from here on. A process watches one thread.
#[cfg(target_os = "linux")]
pub fn watch() {
    linux::watch();
}

#[cfg(not(target_os = "linux"))]
pub fn watch() {}

#[cfg(target_os = "linux")]
mod linux {
    use super::{end_for, stack_bytes};
    use libc::{c_int, c_void, sigaction, siginfo_t, stack_t};
    use std::cell::UnsafeCell;
    use std::mem::MaybeUninit;
    use std::ptr::null_mut;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Where the stack ends: its lowest address.
    static LOWEST: AtomicUsize = AtomicUsize::new(0);

    /// Distance from the end within which the first access beyond it falls: functions touch the pages of a frame in
    /// turn.
    const AROUND: usize = 64 << 10;

    /// The handler that was there before. It reports faults at other addresses.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    /// The handler's own stack, as the thread's has no room left.
    struct Room(UnsafeCell<[u8; 64 << 10]>);

    // SAFETY: only the system uses it, for the one thread that is watched.
    unsafe impl Sync for Room {}

    static ROOM: Room = Room(UnsafeCell::new([0; 64 << 10]));

    pub fn watch() {
        let Some(lowest) = lowest_address() else { return };
        LOWEST.store(lowest, Ordering::SeqCst);
        let room = stack_t { ss_sp: ROOM.0.get().cast(), ss_flags: 0, ss_size: size_of::<Room>() };
        // SAFETY: the room lives as long as the process. The handler only calls async-signal-safe functions.
        unsafe {
            if libc::sigaltstack(&raw const room, null_mut()) != 0 {
                return;
            }
            let mut ours: sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = overflown;
            ours.sa_sigaction = handler as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut before: sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGSEGV, null_mut(), &raw mut before) == 0 && BEFORE.set(before).is_ok()
            {
                libc::sigaction(libc::SIGSEGV, &raw const ours, null_mut());
            }
        }
    }

    extern "C" fn overflown(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the system fills it in.
        let at = unsafe { (*info).si_addr() }.addr();
        if at.abs_diff(LOWEST.load(Ordering::SeqCst)) <= AROUND {
            end_for(format_args!("a stack of more than {} bytes", stack_bytes()));
        }
        // Any other memory is touched again, and meets the handler of before.
        if let Some(before) = BEFORE.get() {
            // SAFETY: it handled the signal until now.
            unsafe { libc::sigaction(signal, before, null_mut()) };
        }
    }

    fn lowest_address() -> Option<usize> {
        let mut attributes = MaybeUninit::uninit();
        let (mut lowest, mut bytes) = (null_mut(), 0);
        // SAFETY: the attributes are those of this thread, read and given back.
        let found = unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
                return None;
            }
            let found = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut bytes);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            found
        };
        if found == 0 { Some(lowest.addr()) } else { None }
    }
}
