//! What a rank says when it is told to stop: formatted before, written by the signal handler.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

const SIZE: usize = 512;
static TEXT: [AtomicU8; SIZE] = [const { AtomicU8::new(0) }; SIZE];
static LEN: AtomicUsize = AtomicUsize::new(0);

/// Replace the note. A handler that comes in between writes a mixed line, never anything else.
pub fn set(text: &str) {
    let bytes = text.as_bytes();
    let len = bytes.len().min(SIZE - 1);
    for (place, byte) in TEXT.iter().zip(&bytes[..len]) {
        place.store(*byte, Ordering::Relaxed);
    }
    TEXT[len].store(b'\n', Ordering::Relaxed);
    LEN.store(len + 1, Ordering::Release);
}

/// Write the note to standard error when SIGTERM comes, and end.
pub fn install() {
    let handler: extern "C" fn(libc::c_int) = stop;
    // SAFETY: the handler only reads atomics, writes and exits.
    unsafe { libc::signal(libc::SIGTERM, handler as libc::sighandler_t) };
}

extern "C" fn stop(_: libc::c_int) {
    let mut line = [0u8; SIZE];
    let len = LEN.load(Ordering::Acquire).min(SIZE);
    for (to, from) in line.iter_mut().zip(&TEXT[..len]) {
        *to = from.load(Ordering::Relaxed);
    }
    // SAFETY: `write` and `_exit` may be called from a handler.
    unsafe {
        libc::write(2, line.as_ptr().cast(), len);
        libc::_exit(3);
    }
}
