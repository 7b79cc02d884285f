//! The memory that this process may take. What follows from numbers of the input, as a table with a row per device or
//! calls written out, is held against it before it is made; what does not fit is refused.
//!
//! One limit for the whole process, as its memory is one. Whoever starts the process sets it once; where nobody did
//! there is none. It only refuses: no choice ever depends on it, so programs are the same bytes under every limit.
//! Allocators tell what is taken by [`count`], or by [`grow`] and [`shrink`].

use crate::{Caller, Code, Diagnostic};
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Refusals are of this kind: no fault of the input, the machine is too small for it.
pub const CODE: Code = Code(1);

/// What can be done about it.
pub fn help() -> &'static str {
    match Caller::here() {
        Caller::CommandLine => "run something smaller, or allow more with `--host-memory-limit BYTES`",
        Caller::Python => "run something smaller, or where more memory is free: half of it may be taken",
    }
}

static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
/// Below zero for moments: threads tell what they took in bundles.
static TAKEN: AtomicI64 = AtomicI64::new(0);

/// From now on this process may take so many bytes.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Bytes that allocators have told of.
pub fn taken() -> u64 {
    u64::try_from(TAKEN.load(Ordering::Relaxed)).unwrap_or(0)
}

/// Counts memory of the process besides its allocations: its program, and tables of the system.
pub fn count_process(bytes: u64) {
    TAKEN.fetch_add(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
}

thread_local! {
    /// Where the stack of this thread begins, and how deep it has been, where that is counted.
    static STACK: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

/// From here on counts the stack of this thread, by its greatest depth: pages that were used stay with the process.
pub fn count_stack() {
    STACK.with(|stack| stack.set(Some((here(), 0))));
}

/// An address within the stack of this thread.
#[inline(never)]
fn here() -> usize {
    let local = 0u8;
    std::hint::black_box(&raw const local).addr()
}

/// Bytes by which the stack is deeper than it was when this was last asked.
fn deeper() -> u64 {
    STACK.with(|stack| {
        let Some((begin, deepest)) = stack.get() else { return 0 };
        let depth = begin.abs_diff(here()) as u64;
        stack.set(Some((begin, deepest.max(depth))));
        depth.saturating_sub(deepest)
    })
}

/// Take so many bytes more, or say why not.
pub fn grow(bytes: u64) -> Result<(), Excess> {
    let more = i64::try_from(bytes).unwrap_or(i64::MAX);
    let before = u64::try_from(TAKEN.fetch_add(more, Ordering::Relaxed)).unwrap_or(0);
    let fits = Excess::unless_fits(bytes, before, limit());
    fits.inspect_err(|_| shrink(bytes))
}

/// So many bytes were given back.
pub fn shrink(bytes: u64) {
    TAKEN.fetch_sub(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
}

/// Bytes that a thread takes or gives back before it tells.
const BUNDLE: i64 = 64 << 10;

thread_local! {
    static UNTOLD: Cell<i64> = const { Cell::new(0) };
}

/// Counts bytes that this thread takes, and returns whether the process may take them. A thread reports them in
/// bundles, so an allocation costs one addition to a thread-local number.
///
/// Every allocation calls this. It is compiled here, for speed, rather than into callers compiled for size.
#[inline(never)]
pub fn count(bytes: i64) -> bool {
    UNTOLD.with(|untold| {
        // Sizes of allocations are far from the end of `i64`: a sum that wraps belongs to an allocation that fails.
        let sum = untold.get().wrapping_add(bytes);
        let is_small = sum.wrapping_add(BUNDLE).cast_unsigned() < 2 * BUNDLE.cast_unsigned();
        untold.set(if is_small { sum } else { 0 });
        is_small || tell(sum)
    })
}

#[cold]
fn tell(bytes: i64) -> bool {
    count_process(deeper());
    match u64::try_from(bytes) {
        Ok(more) => grow(more).is_ok(),
        Err(_) => {
            shrink(bytes.unsigned_abs());
            true
        }
    }
}

/// Whether so many bytes more would fit; they are not taken. `what` would take them.
pub fn check(bytes: u64, what: impl FnOnce() -> String) -> Result<(), Diagnostic> {
    Excess::unless_fits(bytes, taken(), limit())
        .map_err(|excess| Diagnostic::error(CODE, format!("{}: {excess}", what())).help(help()))
}

/// Why so many bytes are not to be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excess {
    pub bytes: u64,
    pub taken: u64,
    pub limit: u64,
}

impl Excess {
    fn unless_fits(bytes: u64, taken: u64, limit: u64) -> Result<(), Excess> {
        if bytes > limit.saturating_sub(taken) { Err(Excess { bytes, taken, limit }) } else { Ok(()) }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Excess { bytes, taken, limit } = self;
        write!(f, "{bytes} bytes do not fit, {taken} are taken of the {limit} that this process may take")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_counts_by_its_greatest_depth() {
        #[inline(never)]
        fn dig(levels: usize) -> u64 {
            let room = std::hint::black_box([0u8; 1 << 10]);
            if levels == 0 { deeper() } else { dig(levels - 1) + u64::from(room[levels % room.len()]) }
        }
        assert_eq!(deeper(), 0, "it is not counted before it is asked for");
        count_stack();
        let first = dig(100);
        assert!((100 << 10..1 << 20).contains(&first), "{first}");
        assert_eq!(dig(50), 0);
        assert!(dig(200) > 50 << 10);
    }

    #[test]
    fn what_just_fits_is_granted_and_a_byte_more_is_refused_with_the_numbers() {
        assert_eq!(Excess::unless_fits(60, 40, 100), Ok(()));
        let excess = Excess::unless_fits(61, 40, 100).unwrap_err();
        assert!(excess.to_string().starts_with("61 bytes do not fit, 40 are taken of the 100"), "{excess}");
        assert!(Excess::unless_fits(1, u64::MAX, 5).is_err());
    }

    #[test]
    fn without_a_limit_all_is_granted() {
        assert_eq!(limit(), u64::MAX);
        assert!(check(u64::MAX >> 1, || unreachable!()).is_ok());
    }
}
