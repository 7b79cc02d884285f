//! Memory of one device: one aligned allocation, never resized.

use crate::{RunError, RunErrorKind};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for any vector load, and a cache line.
pub const ALIGN: usize = 64;

/// Bytes of all buffers that are alive in this process, and the most there were at once.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all buffers of this process.
pub fn live_bytes() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// The most bytes that were alive at once since [`reset_peak`].
pub fn peak_bytes() -> usize {
    MOST.load(Ordering::Relaxed)
}

/// Count the peak anew from what is alive now.
pub fn reset_peak() {
    MOST.store(live_bytes(), Ordering::Relaxed);
}

/// How the process ends where memory is missing in the midst of work that has no error to give.
static END: OnceLock<fn(u64) -> !> = OnceLock::new();

/// Let the process end so. The first call counts.
pub fn set_end(end: fn(u64) -> !) {
    let _ = END.set(end);
}

fn end(bytes: usize) -> ! {
    END.get().map_or_else(|| handle_alloc_error(layout(bytes)), |end| end(bytes as u64))
}

/// Bytes of a device. Not initialized to anything but zero.
#[derive(Debug)]
pub struct Buffer {
    at: NonNull<u8>,
    bytes: usize,
    /// Somebody else's memory, which is given back by them.
    is_lent: bool,
}

// SAFETY: a buffer owns its bytes; who may touch them when is the schedule's business.
unsafe impl Send for Buffer {}
// SAFETY: as above; safe methods that write take `&mut self`.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Zeroed bytes.
    pub fn zeroed(bytes: usize) -> Result<Buffer, RunError> {
        let at = match fresh(bytes) {
            Ok(at) => at,
            // Dropped buffers that are kept may be in the way.
            Err(_) if spare::empty() => fresh(bytes)?,
            Err(error) => return Err(error),
        };
        Ok(Buffer::counted(at, bytes))
    }

    /// Room that a kernel works in. Kernels have no error to give: the process ends where there is none.
    pub fn scratch(bytes: usize) -> Buffer {
        Buffer::zeroed(bytes).unwrap_or_else(|_| end(bytes))
    }

    /// A buffer of any contents, for what will be overwritten. It may be one that was dropped: its pages need not be
    /// made and cleared again, which takes longer than a loop takes to write them.
    pub fn unset(bytes: usize) -> Result<Buffer, RunError> {
        match spare::take(bytes) {
            Some(at) => Ok(Buffer::counted(at, bytes)),
            None => Buffer::zeroed(bytes),
        }
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Buffer, RunError> {
        let mut buffer = Buffer::unset(bytes.len())?;
        buffer.bytes_mut().copy_from_slice(bytes);
        Ok(buffer)
    }

    /// Another buffer with the same bytes.
    pub fn copied(&self) -> Result<Buffer, RunError> {
        Buffer::from_bytes(self.bytes())
    }

    /// Somebody else's bytes, to be read where they lie; `None` where kernels, which read whole vectors, might touch a
    /// page behind them. They need not be aligned: a view into a buffer is not either.
    ///
    /// # Safety
    /// They stay as they are for as long as the buffer lives, and nobody writes to it.
    pub unsafe fn lent(at: *const u8, bytes: usize) -> Option<Buffer> {
        const SMALLEST_PAGE: usize = 4 << 10;
        let page = |offset: usize| (at as usize).checked_add(offset).map(|address| address / SMALLEST_PAGE);
        let read = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        let is_within = page(bytes.max(1) - 1)? == page(read - 1)?;
        let at = NonNull::new(at.cast_mut()).filter(|_| is_within)?;
        Some(Buffer { at, bytes, is_lent: true })
    }

    fn counted(at: NonNull<u8>, bytes: usize) -> Buffer {
        let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST.fetch_max(live, Ordering::Relaxed);
        Buffer { at, bytes, is_lent: false }
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub fn as_ptr(&self) -> *mut u8 {
        self.at.as_ptr()
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the allocation has `bytes` initialized bytes.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.bytes) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.bytes) }
    }
}

/// Bytes that a kernel works in and that lie elsewhere: counted like a buffer's for as long as this lives.
pub struct Counted(usize);

impl Counted {
    pub fn new(bytes: usize) -> Counted {
        let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST.fetch_max(live, Ordering::Relaxed);
        Counted(bytes)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.fetch_sub(self.0, Ordering::Relaxed);
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.is_lent {
            return;
        }
        LIVE.fetch_sub(self.bytes, Ordering::Relaxed);
        if self.bytes >= spare::LEAST {
            spare::keep(self.at, self.bytes);
        } else {
            // SAFETY: this buffer's own.
            unsafe { give_back(self.at, self.bytes) };
        }
    }
}

/// No machine has as many bytes: the layout of a buffer of any size is that of this many at most, which no allocator
/// gives.
const MOST_BYTES: usize = isize::MAX as usize / 2;

fn layout(bytes: usize) -> Layout {
    let size = bytes.clamp(1, MOST_BYTES).next_multiple_of(ALIGN);
    Layout::from_size_align(size, ALIGN).unwrap_or(Layout::new::<[u64; 8]>())
}

fn fresh(bytes: usize) -> Result<NonNull<u8>, RunError> {
    if bytes > MOST_BYTES {
        return Err(none_left(bytes));
    }
    if is_large(bytes) { large::map(bytes) } else { small(bytes) }
}

/// The system has no memory of this size.
fn none_left(bytes: usize) -> RunError {
    let message = format!("the system gives no {bytes} bytes for a buffer");
    RunError::new(RunErrorKind::TooMuchMemory, message).help("run something smaller, or on more devices")
}

/// Whether it comes in large pages. What is allocated decides, so that a size and the size it is rounded up to agree.
fn is_large(bytes: usize) -> bool {
    layout(bytes).size() >= large::PAGE
}

fn small(bytes: usize) -> Result<NonNull<u8>, RunError> {
    // SAFETY: the layout has at least `ALIGN` bytes.
    NonNull::new(unsafe { alloc_zeroed(layout(bytes)) }).ok_or_else(|| none_left(bytes))
}

/// # Safety
/// The memory of a buffer of so many bytes, which nobody uses any more.
unsafe fn give_back(at: NonNull<u8>, bytes: usize) {
    // SAFETY: made by `map` or by `alloc_zeroed`, with the same size.
    unsafe { if is_large(bytes) { large::unmap(at, bytes) } else { dealloc(at.as_ptr(), layout(bytes)) } }
}

/// Memory of buffers that were dropped, for new ones of the same size.
mod spare {
    use super::{give_back, is_large, large, layout};
    use std::ptr::NonNull;
    use std::sync::{Mutex, PoisonError};

    /// Smaller buffers are soon cleared.
    pub const LEAST: usize = 64 << 10;
    /// Bytes that are kept at most.
    const MOST: usize = 512 << 20;

    /// Oldest first: address and bytes that were allocated.
    static SPARE: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

    fn size(bytes: usize) -> usize {
        if is_large(bytes) { bytes.next_multiple_of(large::PAGE) } else { layout(bytes).size() }
    }

    pub fn take(bytes: usize) -> Option<NonNull<u8>> {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = spare.iter().rposition(|(_, own)| *own == size(bytes)).filter(|_| bytes >= LEAST)?;
        NonNull::new(spare.remove(found).0 as *mut u8)
    }

    /// Keep it for later; the oldest ones go.
    pub fn keep(at: NonNull<u8>, bytes: usize) {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push((at.as_ptr() as usize, size(bytes)));
        shorten(&mut spare, MOST);
    }

    /// Give all of them back; whether there were any.
    pub fn empty() -> bool {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let had_any = !spare.is_empty();
        shorten(&mut spare, 0);
        had_any
    }

    fn shorten(spare: &mut Vec<(usize, usize)>, most: usize) {
        while spare.iter().map(|(_, size)| size).sum::<usize>() > most {
            let (at, size) = spare.remove(0);
            if let Some(at) = NonNull::new(at as *mut u8) {
                // SAFETY: whoever had it has dropped it; a size of an allocation is the same rounded up again.
                unsafe { give_back(at, size) };
            }
        }
    }
}

/// Large buffers come from the kernel in large pages where it has them: 512 times fewer page faults, and a stream
/// through many buffers at once does not run out of address translations. Its pages are zero when first touched, so
/// no time goes into clearing what will be overwritten.
#[cfg(target_os = "linux")]
mod large {
    use super::none_left;
    use crate::RunError;
    use meshwright_base::budget;
    use std::ptr::{NonNull, null_mut};

    /// A large page. Smaller buffers come from the allocator.
    pub const PAGE: usize = 2 << 20;

    fn mapped(bytes: usize) -> usize {
        bytes.next_multiple_of(PAGE)
    }

    pub fn map(bytes: usize) -> Result<NonNull<u8>, RunError> {
        let size = mapped(bytes);
        budget::grow(size as u64)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, one page larger so that an aligned one lies in it; what surrounds that is given back.
        let at = unsafe {
            let base = libc::mmap(null_mut(), size + PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if base == libc::MAP_FAILED {
                budget::shrink(size as u64);
                return Err(none_left(bytes));
            }
            let before = base.cast::<u8>().align_offset(PAGE);
            let at = base.cast::<u8>().add(before);
            if before > 0 {
                libc::munmap(base, before);
            }
            if before < PAGE {
                libc::munmap(at.add(size).cast(), PAGE - before);
            }
            // Where the kernel has no large pages the mapping is as good with small ones.
            libc::madvise(at.cast(), size, libc::MADV_HUGEPAGE);
            at
        };
        NonNull::new(at).ok_or_else(|| none_left(bytes))
    }

    /// # Safety
    /// Mapped with this size, and nobody uses it any more.
    pub unsafe fn unmap(at: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { libc::munmap(at.as_ptr().cast(), mapped(bytes)) };
        budget::shrink(mapped(bytes) as u64);
    }
}

#[cfg(not(target_os = "linux"))]
mod large {
    use crate::RunError;
    use std::ptr::NonNull;

    /// No buffer is as large.
    pub const PAGE: usize = usize::MAX;

    pub fn map(bytes: usize) -> Result<NonNull<u8>, RunError> {
        super::small(bytes)
    }

    /// # Safety
    /// Never called.
    pub unsafe fn unmap(_: NonNull<u8>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_any_size_are_zero_aligned_and_whole() {
        for bytes in [0, 1, 63, 64, 4097, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 5_000_000] {
            let mut buffer = Buffer::zeroed(bytes).unwrap();
            assert_eq!(buffer.as_ptr().align_offset(ALIGN), 0);
            assert!(buffer.bytes().iter().all(|byte| *byte == 0));
            buffer.bytes_mut().fill(7);
            let copy = buffer.copied().unwrap();
            drop(buffer);
            assert_eq!((copy.len(), copy.bytes().iter().all(|byte| *byte == 7)), (bytes, true));
        }
    }

    #[test]
    fn lent_bytes_are_read_where_they_lie_and_not_given_back() {
        // Two pages, so that one lies within, and what is behind it can be asked for.
        let owned = vec![7u8; 3 << 12];
        let page = owned.as_ptr().wrapping_add(owned.as_ptr().align_offset(1 << 12));
        // SAFETY: `owned` outlives the buffers.
        let lent = |from: usize, bytes| unsafe { Buffer::lent(page.wrapping_add(from), bytes) };
        let whole = lent(16, 100).expect("far from the end of its page");
        assert_eq!((whole.as_ptr().cast_const(), whole.bytes()), (page.wrapping_add(16), &[7u8; 100][..]));
        drop(whole);
        assert!(lent(16, (1 << 12) - 16).is_none(), "whole vectors would reach into the next page");
        assert!(lent(0, 1 << 12).is_some() && lent((1 << 12) - 64, 64).is_some());
        assert!(lent(0, usize::MAX).is_none());
        assert_eq!(owned[0], 7);
    }

    #[test]
    fn what_the_system_does_not_have_is_an_error_with_its_size() {
        for bytes in [1 << 50, usize::MAX] {
            let error = Buffer::zeroed(bytes).unwrap_err();
            assert_eq!(error.kind, RunErrorKind::TooMuchMemory);
            assert!(error.message.contains(&bytes.to_string()), "{error}");
        }
    }
}
