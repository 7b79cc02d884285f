//! Where C ends: arguments are copied in and out as far as both sides know them, panics become errors, and what a
//! caller lends is read.

use crate::fault::Fault;
use crate::handles::{Handle, issue};
use meshwright_pjrt::abi::{self, Arguments, ErrorCode};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

impl Handle for abi::Error {
    type Of = Fault;
    const KIND: &'static str = "error";
}

/// A function of the table, by its arguments.
pub trait Serve: Arguments + Copy {
    /// # Safety
    /// What the arguments point at, they point at as the interface says: so many items, alive during the call.
    unsafe fn serve(&mut self) -> Result<(), Fault>;
}

/// The function as C calls it.
///
/// # Safety
/// `args` is null or begins with its size, and has as many bytes; see [`Serve::serve`].
pub unsafe extern "C" fn entry<A: Serve>(args: *mut A) -> *mut abi::Error {
    // SAFETY: as the caller promises.
    let answer = catch_unwind(AssertUnwindSafe(|| unsafe { served(args) }));
    match answer {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(fault)) => issue(Arc::new(fault)),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("(no text)");
            issue(Arc::new(Fault::new(ErrorCode::INTERNAL, format!("the plugin panicked: {said}"))))
        }
    }
}

/// A size and a chain of extensions: less is no struct of arguments.
const LEAST: usize = 2 * size_of::<usize>();

/// # Safety
/// As for [`entry`].
unsafe fn served<A: Serve>(args: *mut A) -> Result<(), Fault> {
    if args.is_null() {
        return Err(Fault::bad("the arguments are null"));
    }
    // SAFETY: it begins with its size.
    let size = unsafe { args.cast::<usize>().read() };
    if size < LEAST {
        return Err(Fault::bad(format!(
            "the arguments say that they have {size} bytes, the least is {LEAST}"
        )));
    }
    let known = size.min(A::SIZE);
    let mut ours = A::EMPTY;
    // SAFETY: both have that many bytes; what is not copied stays zero, which is a value of every field.
    unsafe { std::ptr::copy_nonoverlapping(args.cast::<u8>(), (&raw mut ours).cast::<u8>(), known) };
    // SAFETY: as the caller promises.
    unsafe { ours.serve() }?;
    // SAFETY: as above, the other way.
    unsafe { std::ptr::copy_nonoverlapping((&raw const ours).cast::<u8>(), args.cast::<u8>(), known) };
    Ok(())
}

/// A list that a caller lends.
///
/// # Safety
/// `start` is null or the first of `count` items that are alive.
pub unsafe fn list<'a, T>(start: *const T, count: usize, what: &str) -> Result<&'a [T], Fault> {
    match (start.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fault::bad(format!("`{what}` is null, and is said to have {count} items"))),
        // SAFETY: as the caller promises.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(start, count) }),
    }
}

/// A text that a caller lends.
///
/// # Safety
/// `start` is null or the first of `size` bytes that are alive.
pub unsafe fn text<'a>(start: *const c_char, size: usize, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { list(start.cast::<u8>(), size, what) }?;
    std::str::from_utf8(bytes).map_err(|_| Fault::bad(format!("`{what}` is not UTF-8")))
}

/// What a caller is lent, pointers among it: they point into what lives as long as its owner.
pub struct Lent<T>(pub T);

// SAFETY: nobody writes through the pointers, and what they point at stays where it is.
unsafe impl<T> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Lent<T> {}
