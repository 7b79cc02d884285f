//! The binary's allocator: counts what is taken against the host's budget, and ends the process where memory is
//! missing.
//!
//! What a size can be told of before is refused by a diagnostic ([`budget::check`]); this is the net below all of it.
//! There is no way back from within an allocation, so the process says how much was wanted and exits with 3, as for
//! every fault of the environment. Files that are under way are only renamed when whole, so nothing is lost that was
//! there.
//!
//! This crate is compiled for size; what every allocation of all crates goes through asks to be inlined.

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};
use meshwright_base::budget;
use std::alloc::{GlobalAlloc, Layout};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// An allocator under the host's budget.
pub struct Budgeted<A>(pub A);

// SAFETY: all memory comes from the allocator within; counting touches none of it and allocates nothing.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Budgeted<A> {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's.
        given(unsafe { self.0.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's.
        given(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    #[inline(always)]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        budget::count(-counted_bytes(layout.size()));
        // SAFETY: the caller's.
        unsafe { self.0.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While a block is copied, both are there.
        take(size);
        // SAFETY: the caller's.
        let at = given(unsafe { self.0.realloc(at, layout, size) }, size);
        budget::count(-counted_bytes(layout.size()));
        at
    }
}

/// `mimalloc` as it is asked for plain memory. Every block of it is aligned to `WORD` bytes; asked for an alignment,
/// it looks for one that is, and takes more than it needs where it finds none.
pub struct Mimalloc;

/// Where every block begins.
const WORD: usize = 8;

// SAFETY: all memory comes from `mimalloc`, by the functions that its manual says to use together; blocks that were
// asked for without an alignment have that of a word.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: of any size and every power of two.
        let at = unsafe { if align <= WORD { mi_malloc(size) } else { mi_malloc_aligned(size, align) } };
        at.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        let at = unsafe { if align <= WORD { mi_zalloc(size) } else { mi_zalloc_aligned(size, align) } };
        at.cast()
    }

    #[inline(always)]
    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        // SAFETY: the caller's: it was given above.
        unsafe { mi_free(at.cast()) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (old, align) = (at.cast(), layout.align());
        // SAFETY: the caller's: it was given above, for this alignment.
        let at = unsafe {
            if align <= WORD { mi_realloc(old, size) } else { mi_realloc_aligned(old, size, align) }
        };
        at.cast()
    }
}

/// Returns the bytes to count for a block: its size class has up to an eighth more, and a large block up to a page of
/// the allocator more.
#[inline(always)]
fn counted_bytes(bytes: usize) -> i64 {
    const WHOLE_PAGE: usize = 64 << 10;
    let lost = if bytes >> 3 < WHOLE_PAGE { bytes >> 3 } else { WHOLE_PAGE };
    i64::try_from(bytes.saturating_add(lost + WORD)).unwrap_or(i64::MAX)
}

#[inline(always)]
fn take(bytes: usize) {
    if !budget::count(counted_bytes(bytes)) {
        end(bytes as u64);
    }
}

/// The memory, if there is any.
#[inline(always)]
fn given(at: *mut u8, bytes: usize) -> *mut u8 {
    if at.is_null() {
        end(bytes as u64);
    }
    at
}

/// Whether programs read what this process writes to stdout.
static JSON: AtomicBool = AtomicBool::new(false);

/// Let a missing allocation be told as `--json` has it, too.
pub fn tell_programs(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// A text of limited length that needs no allocation.
struct Line {
    bytes: [u8; 640],
    len: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = self.bytes.len() - self.len;
        let taken = &text.as_bytes()[..text.len().min(room)];
        self.bytes[self.len..self.len + taken.len()].copy_from_slice(taken);
        self.len += taken.len();
        Ok(())
    }
}

/// Reports an allocation that does not fit, and ends the process.
pub fn end(bytes: u64) -> ! {
    end_for(format_args!("an allocation of {bytes} bytes"))
}

/// Reports a need that does not fit, and ends the process. Only the first thread reports.
pub fn end_for(need: std::fmt::Arguments<'_>) -> ! {
    static SPOKEN: AtomicBool = AtomicBool::new(false);
    if SPOKEN.swap(true, Ordering::Relaxed) {
        loop {
            std::thread::park();
        }
    }
    let (taken, limit, code) = (budget::taken(), budget::limit(), budget::CODE);
    let message =
        format_args!("{need} does not fit, {taken} are taken of the {limit} that this process may take");
    if JSON.load(Ordering::Relaxed) {
        say(
            1,
            format_args!(
                "{{\"ok\": false, \"exit_code\": 3, \"diagnostics\": [{{\"severity\": \"error\", \"code\": \"E{code}\", \
             \"message\": \"{message}\", \"place\": null, \"labels\": [], \"notes\": [], \"help\": \"{}\"}}]}}\n",
                budget::help()
            ),
        );
    }
    say(2, format_args!("error[E{code}]: {message}\n   = help: {}\n", budget::help()));
    exit()
}

fn say(stream: i32, text: std::fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; 640], len: 0 };
    let _ = line.write_fmt(text);
    write(stream, &line.bytes[..line.len]);
}

#[cfg(unix)]
fn write(stream: i32, bytes: &[u8]) {
    // SAFETY: the bytes are there; what could not be written is lost, as nobody is left to care.
    unsafe { libc::write(stream, bytes.as_ptr().cast(), bytes.len()) };
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: ends the process without anything that might allocate.
    unsafe { libc::_exit(3) }
}

#[cfg(not(unix))]
fn write(_: i32, _: &[u8]) {}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::abort()
}
