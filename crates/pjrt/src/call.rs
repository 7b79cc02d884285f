//! Calls through the table of functions, and reading what a plugin lends: texts, lists, named values.

use crate::abi::{self, Api, Arguments, Call, ErrorCode};
use crate::ending::Within;
use crate::error::Trouble;
use crate::named::NamedValue;
use std::ffi::c_char;

/// Call the function that takes these arguments.
///
/// # Safety
/// The table is that of a plugin that stays loaded. Every handle in the arguments is alive and of that plugin; every
/// pointer to the caller's memory stays valid for as long as the interface says of this function.
pub unsafe fn call<A: Call>(api: &Api, args: &mut A) -> Result<(), Trouble> {
    let (major, minor) = (api.version.major_version, api.version.minor_version);
    let function = A::function(api).ok_or(Trouble::Lacks { function: A::NAME, major, minor })?;
    let _within = Within::begun(A::SAID);
    // SAFETY: as the caller promises; the struct is ours for the time of the call.
    let error = unsafe { function(args) };
    // SAFETY: null, or an error that this call made, which nobody else has.
    unsafe { taken(api, A::NAME, error) }
}

/// The text of an error, which is destroyed.
///
/// # Safety
/// `error` is null or an error of this plugin that the caller owns.
pub unsafe fn taken(api: &Api, function: &'static str, error: *mut abi::Error) -> Result<(), Trouble> {
    if error.is_null() {
        return Ok(());
    }
    let mut told = abi::ErrorMessage { error, ..abi::ErrorMessage::EMPTY };
    let mut message = String::from("(nothing more)");
    if let Some(ask) = api.error_message {
        // SAFETY: the error is alive; its text lives as long.
        message = unsafe {
            ask(&mut told);
            text(told.message, told.message_size)
        };
    }
    let mut of = abi::ErrorGetCode { error, code: ErrorCode::UNKNOWN, ..abi::ErrorGetCode::EMPTY };
    if let Some(ask) = api.error_get_code {
        // SAFETY: the error is alive. An error about asking for an error has no owner that could ask on: it is let go.
        let _ = unsafe { ask(&mut of) };
    }
    if let Some(destroy) = api.error_destroy {
        let mut args = abi::ErrorDestroy { error, ..abi::ErrorDestroy::EMPTY };
        // SAFETY: the caller owned it, and nobody uses it after this.
        unsafe { destroy(&mut args) };
    }
    Err(Trouble::Refused { function, code: of.code, message })
}

/// A text that a plugin lends, copied. What is no UTF-8 is replaced.
///
/// # Safety
/// `start` is null or the first of `size` bytes that are alive.
pub unsafe fn text(start: *const c_char, size: usize) -> String {
    // SAFETY: as the caller promises.
    String::from_utf8_lossy(unsafe { bytes(start, size) }).into_owned()
}

/// Bytes that a plugin lends.
///
/// # Safety
/// `start` is null or the first of `size` bytes that stay alive for `'a`.
pub unsafe fn bytes<'a>(start: *const c_char, size: usize) -> &'a [u8] {
    // SAFETY: as the caller promises.
    unsafe { list(start.cast(), size) }
}

/// A list that a plugin lends; none where it says null.
///
/// # Safety
/// `start` is null or the first of `count` items that stay alive for `'a`.
pub unsafe fn list<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Named values that a plugin lends, copied. A kind that is not known here is left out.
///
/// # Safety
/// `start` is null or the first of `count` named values that are alive, with what they point at.
pub unsafe fn named_values(start: *const abi::NamedValue, count: usize) -> Vec<(String, NamedValue)> {
    // SAFETY: as the caller promises.
    let values = unsafe { list(start, count) };
    let one = |value: &abi::NamedValue| {
        // SAFETY: as the caller promises; the kind says which member of the union was written.
        unsafe {
            let read = match value.kind {
                abi::NamedKind::STRING => NamedValue::Text(text(value.value.string, value.value_size)),
                abi::NamedKind::INT64 => NamedValue::Int(value.value.int64),
                abi::NamedKind::INT64_LIST => {
                    NamedValue::Ints(list(value.value.list, value.value_size).to_vec())
                }
                abi::NamedKind::FLOAT => NamedValue::Float(value.value.float),
                abi::NamedKind::BOOL => NamedValue::Flag(value.value.flag != 0),
                _ => return None,
            };
            Some((text(value.name, value.name_size), read))
        }
    };
    values.iter().filter_map(one).collect()
}
