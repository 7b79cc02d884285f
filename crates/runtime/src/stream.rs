//! Streams through memory: writing what nobody reads soon past the caches, and reading ahead.
//!
//! An ordinary store first reads the line it writes. For results much larger than the caches that is half of the
//! traffic of a copy again, and it drives out what others still need. Streamed stores write whole lines only. They cost
//! where the next reader would have found the data in a cache, so results below [`LARGE`] are stored the ordinary way.
//!
//! Costs: on other machines than x86-64, nothing is streamed.

/// Bytes of one result from which on it is streamed.
pub const LARGE: usize = 16 << 20;

/// How many bytes ahead lines are asked for.
const AHEAD: usize = 1 << 10;

/// Copy bytes that do not overlap.
///
/// # Safety
/// `from` can be read and `to` written for `bytes` bytes, and the two do not overlap. Another thread sees streamed
/// bytes only after [`finish`] was called by this one.
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(line::LINE).min(bytes);
    let body = (bytes - head) / line::LINE * line::LINE;
    // SAFETY: the three parts make up the whole; the middle one starts at a line and has whole lines.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        line::lines(from.add(head), to.add(head), body);
        let done = head + body;
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
    }
}

/// Ask for the line some way behind this place, which will be read soon.
#[inline(always)]
pub fn ask_for(from: *const u8) {
    line::prefetch(from.wrapping_add(AHEAD));
}

/// Let other threads see what this one streamed.
pub fn finish() {
    line::fence();
}

#[cfg(target_arch = "x86_64")]
mod line {
    use std::arch::x86_64::{
        __m128i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_sfence, _mm_stream_si128,
    };

    /// What a streamed store fills at a time.
    pub const LINE: usize = 64;

    /// # Safety
    /// As `copy`; `to` is aligned to a line and `bytes` is a multiple of it.
    pub unsafe fn lines(from: *const u8, to: *mut u8, bytes: usize) {
        const STEP: usize = size_of::<__m128i>();
        let mut at = 0;
        while at < bytes {
            // SAFETY: inside the line at `at`, which lies in both.
            unsafe {
                let part = |i: usize| _mm_loadu_si128(from.add(at + i * STEP).cast());
                let line = [part(0), part(1), part(2), part(3)];
                for (i, part) in line.into_iter().enumerate() {
                    _mm_stream_si128(to.add(at + i * STEP).cast(), part);
                }
            }
            at += LINE;
        }
    }

    #[inline(always)]
    pub fn prefetch(at: *const u8) {
        // SAFETY: every x86-64 has it, and it may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    pub fn fence() {
        // SAFETY: every x86-64 has it.
        unsafe { _mm_sfence() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod line {
    pub const LINE: usize = 64;

    /// # Safety
    /// As `copy`.
    pub unsafe fn lines(from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
    }

    #[inline(always)]
    pub fn prefetch(_: *const u8) {}

    pub fn fence() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_and_length_is_copied_and_nothing_around_it() {
        let from: Vec<u8> = (0..400u32).map(|i| i as u8).collect();
        for start in 0..70 {
            for bytes in [0, 1, 63, 64, 65, 127, 128, 200, 256] {
                let mut to = vec![255u8; 400];
                // SAFETY: 70 + 256 bytes lie in both.
                unsafe { copy(from.as_ptr().add(start / 2), to.as_mut_ptr().add(start), bytes) };
                finish();
                assert_eq!(to[start..start + bytes], from[start / 2..start / 2 + bytes]);
                assert!(to[..start].iter().chain(&to[start + bytes..]).all(|byte| *byte == 255));
            }
        }
    }
}
