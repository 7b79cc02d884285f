//! Memory that holds constants and code, and how code is entered.
//!
//! Pages are written first and then made executable, never both at once. Systems that refuse give no code, and loops
//! run on tiles.

use super::asm::Asm;
use std::sync::Arc;

/// Entered as `f(streams, elements, constants, rows)`.
#[cfg(target_arch = "x86_64")]
type Entry = unsafe extern "sysv64" fn(*mut *mut u8, usize, *const u8, usize);

/// No code runs there.
#[cfg(not(target_arch = "x86_64"))]
type Entry = unsafe extern "C" fn(*mut *mut u8, usize, *const u8, usize);

/// Code of one loop.
#[derive(Clone)]
pub struct Code(Arc<Pages>);

struct Pages {
    at: *mut u8,
    bytes: usize,
    /// Where code begins; constants lie before it.
    entry: usize,
}

// SAFETY: pages are not written after they were made.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({} bytes)", self.0.bytes)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped with this size, and nobody runs them any more.
        unsafe { libc::munmap(self.at.cast(), self.bytes) };
    }
}

impl Code {
    pub fn of(asm: &Asm) -> Option<Code> {
        let entry = (asm.pool.len() * 4).next_multiple_of(64);
        let bytes = (entry + asm.code.len()).next_multiple_of(4096);
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        let pages = Pages { at: at.cast(), bytes, entry };
        // SAFETY: both parts lie in the mapping.
        let sealed = unsafe {
            std::ptr::copy_nonoverlapping(asm.pool.as_ptr().cast(), pages.at, asm.pool.len() * 4);
            std::ptr::copy_nonoverlapping(asm.code.as_ptr(), pages.at.add(entry), asm.code.len());
            libc::mprotect(at, bytes, libc::PROT_READ | libc::PROT_EXEC)
        };
        (sealed == 0).then(|| Code(Arc::new(pages)))
    }

    /// Run on rows of `n` elements of the streams: as many as are wanted if code was made with the steps between rows,
    /// else one. Streams are left at the last row.
    ///
    /// # Safety
    /// Every stream that was named when the code was made has so many elements, in the form that was named, and the CPU
    /// is of the kind that code was made for.
    pub unsafe fn run(&self, streams: &mut [*mut u8], n: usize, rows: usize) {
        // SAFETY: code begins there, and was made for this way of entering it.
        unsafe {
            let entry: Entry = std::mem::transmute(self.0.at.add(self.0.entry));
            entry(streams.as_mut_ptr(), n, self.0.at, rows);
        }
    }
}
