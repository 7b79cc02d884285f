//! Memory that holds constants and code, and how code is entered.
//!
//! Pages are written first and then made executable, never both at once. Systems that refuse give no code, and loops
//! run on tiles.

use super::asm::Asm;
use std::sync::Arc;

/// Entered as `f(streams, elements, constants, rows)`.
#[cfg(target_arch = "x86_64")]
type Entry = unsafe extern "sysv64" fn(*mut *mut u8, usize, *const u8, usize);

/// As AAPCS64 has it on AArch64; no code runs elsewhere.
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
            #[cfg(target_arch = "aarch64")]
            fetch_anew(pages.at.add(entry), asm.code.len());
            libc::mprotect(at, bytes, libc::PROT_READ | libc::PROT_EXEC)
        };
        (sealed == 0).then(|| Code(Arc::new(pages)))
    }

    /// The code itself, and what is left of its last page.
    #[cfg(test)]
    pub fn bytes(&self) -> &[u8] {
        let Pages { at, bytes, entry } = *self.0;
        // SAFETY: the pages have so many bytes.
        unsafe { std::slice::from_raw_parts(at.add(entry), bytes - entry) }
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

/// Let what was written as data be fetched as instructions, on every core: caches of the two know nothing of each
/// other.
///
/// # Safety
/// So many bytes from there on can be read.
#[cfg(target_arch = "aarch64")]
unsafe fn fetch_anew(from: *const u8, bytes: usize) {
    use std::arch::asm;
    let sizes: u64;
    // SAFETY: the register says how long lines are, and every process may read it.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
    // As powers of two of four bytes.
    let lines = |shift: u64| {
        let line = 4usize << ((sizes >> shift) & 15);
        let first = from as usize / line * line;
        (first..from as usize + bytes).step_by(line)
    };
    for line in lines(16) {
        // SAFETY: the line is ours; it is written to where both caches read.
        unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: this waits.
    unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in lines(0) {
        // SAFETY: what the instruction cache had of the line is fetched anew.
        unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: this waits, and drops what was fetched already.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}
