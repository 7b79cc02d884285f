//! Memory of one device: one aligned allocation, never resized.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
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

/// Bytes of a device. Not initialized to anything but zero.
#[derive(Debug)]
pub struct Buffer {
    at: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a buffer owns its bytes; who may touch them when is the schedule's business.
unsafe impl Send for Buffer {}
// SAFETY: as above; safe methods that write take `&mut self`.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Zeroed bytes. Aborts where the allocator fails: plans are checked against a limit before.
    pub fn zeroed(bytes: usize) -> Buffer {
        let layout = layout(bytes);
        // SAFETY: the layout has at least `ALIGN` bytes.
        let at = unsafe { alloc_zeroed(layout) };
        match NonNull::new(at) {
            Some(at) => {
                let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
                MOST.fetch_max(live, Ordering::Relaxed);
                Buffer { at, bytes }
            }
            None => handle_alloc_error(layout),
        }
    }

    pub fn from_bytes(bytes: &[u8]) -> Buffer {
        let mut buffer = Buffer::zeroed(bytes.len());
        buffer.bytes_mut().copy_from_slice(bytes);
        buffer
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

impl Drop for Buffer {
    fn drop(&mut self) {
        LIVE.fetch_sub(self.bytes, Ordering::Relaxed);
        // SAFETY: made by `alloc_zeroed` with the same layout.
        unsafe { dealloc(self.at.as_ptr(), layout(self.bytes)) }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::from_bytes(self.bytes())
    }
}

fn layout(bytes: usize) -> Layout {
    let size = bytes.max(1).next_multiple_of(ALIGN);
    Layout::from_size_align(size, ALIGN).unwrap_or(Layout::new::<[u64; 8]>())
}
