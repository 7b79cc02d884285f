//! How several processes find one another: keys and values that all of them see. A plugin asks for them by callbacks,
//! from any of its threads, for as long as its client lives.

use crate::abi::{self, CallbackError, ErrorCode};
use crate::call::bytes;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Keys and values that all processes of a job see.
pub trait KeyValues: Send + Sync {
    /// The value of a key, waited for.
    fn get(&self, key: &[u8], timeout: Duration) -> Result<Vec<u8>, KeyError>;
    /// The value of a key, if it has one.
    fn try_get(&self, key: &[u8]) -> Result<Vec<u8>, KeyError>;
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), KeyError>;
}

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyError {
    NotFound,
    TimedOut(String),
    /// The others cannot be reached: why.
    Lost(String),
}

impl KeyError {
    fn code(&self) -> ErrorCode {
        match self {
            KeyError::NotFound => ErrorCode::NOT_FOUND,
            KeyError::TimedOut(_) => ErrorCode::DEADLINE_EXCEEDED,
            KeyError::Lost(_) => ErrorCode::UNAVAILABLE,
        }
    }
}

impl std::fmt::Display for KeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeyError::NotFound => f.write_str("the key has no value"),
            KeyError::TimedOut(why) | KeyError::Lost(why) => f.write_str(why),
        }
    }
}

/// What a plugin is given for its callbacks. It must live as long as the client does.
pub struct Callbacks(Box<Arc<dyn KeyValues>>);

impl Callbacks {
    pub fn new(keys: Arc<dyn KeyValues>) -> Callbacks {
        Callbacks(Box::new(keys))
    }

    /// The functions, and what they are called with.
    pub fn lend(&self, args: &mut abi::ClientCreate) {
        let arg = (&raw const *self.0).cast_mut().cast::<c_void>();
        args.kv_get_callback = Some(get);
        args.kv_try_get_callback = Some(try_get);
        args.kv_put_callback = Some(put);
        args.kv_get_user_arg = arg;
        args.kv_try_get_user_arg = arg;
        args.kv_put_user_arg = arg;
    }
}

/// # Safety
/// What [`Callbacks::lend`] gave, and it is alive.
unsafe fn keys<'a>(user_arg: *mut c_void) -> &'a dyn KeyValues {
    // SAFETY: as the caller promises.
    unsafe { &**user_arg.cast::<Arc<dyn KeyValues>>() }
}

/// What a callback answers: null, or an error that the plugin makes.
///
/// # Safety
/// `make` is null or points at a function of the plugin's.
unsafe fn answer(make: *const CallbackError, outcome: Result<(), KeyError>) -> *mut abi::Error {
    let Err(error) = outcome else { return std::ptr::null_mut() };
    let text = error.to_string();
    // SAFETY: as the caller promises. Who gives no function is told nothing.
    match unsafe { make.as_ref() } {
        // SAFETY: as above; it copies the text.
        Some(make) => unsafe { make(error.code(), text.as_ptr().cast(), text.len()) },
        None => std::ptr::null_mut(),
    }
}

/// Work that may panic, at the border to C.
fn guarded<T>(work: impl FnOnce() -> Result<T, KeyError>) -> Result<T, KeyError> {
    let panicked = |_| Err(KeyError::Lost("the exchange of keys panicked".into()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

/// A copy that C can give back: it knows an address, and no size.
fn given(value: &[u8]) -> *mut c_char {
    // SAFETY: at least a byte is asked for; it has room for all.
    unsafe {
        let at = libc::malloc(value.len().max(1));
        if !at.is_null() {
            std::ptr::copy_nonoverlapping(value.as_ptr(), at.cast::<u8>(), value.len());
        }
        at.cast()
    }
}

/// # Safety
/// A value that [`given`] made, once.
unsafe extern "C" fn give_back(value: *mut c_char) {
    // SAFETY: as the caller promises.
    unsafe { libc::free(value.cast()) };
}

/// What was found, where the caller looks for it.
fn found(value: Result<Vec<u8>, KeyError>) -> Result<(*mut c_char, usize), KeyError> {
    let value = value?;
    let at = given(&value);
    if at.is_null() { Err(KeyError::Lost("there is no memory".into())) } else { Ok((at, value.len())) }
}

/// # Safety
/// The plugin's arguments, with the user argument that it was given.
unsafe extern "C" fn get(args: *mut abi::KeyValueGetArguments) -> *mut abi::Error {
    // SAFETY: as the caller promises, here and below.
    let Some(args) = (unsafe { args.as_mut() }) else { return std::ptr::null_mut() };
    let timeout = Duration::from_millis(u64::try_from(args.timeout_in_ms).unwrap_or(0));
    // SAFETY: as above.
    let value = guarded(|| unsafe { keys(args.user_arg).get(bytes(args.key, args.key_size), timeout) });
    let outcome = found(value).map(|(value, size)| {
        (args.value, args.value_size) = (value, size);
        args.value_deleter = Some(give_back);
    });
    // SAFETY: as above.
    unsafe { answer(args.callback_error, outcome) }
}

/// # Safety
/// The plugin's arguments, with the user argument that it was given.
unsafe extern "C" fn try_get(args: *mut abi::KeyValueTryGetArguments) -> *mut abi::Error {
    // SAFETY: as the caller promises, here and below.
    let Some(args) = (unsafe { args.as_mut() }) else { return std::ptr::null_mut() };
    // SAFETY: as above.
    let value = guarded(|| unsafe { keys(args.user_arg).try_get(bytes(args.key, args.key_size)) });
    let outcome = found(value).map(|(value, size)| {
        (args.value, args.value_size) = (value, size);
        args.value_deleter = Some(give_back);
    });
    // SAFETY: as above.
    unsafe { answer(args.callback_error, outcome) }
}

/// # Safety
/// The plugin's arguments, with the user argument that it was given.
unsafe extern "C" fn put(args: *mut abi::KeyValuePutArguments) -> *mut abi::Error {
    // SAFETY: as the caller promises, here and below.
    let Some(args) = (unsafe { args.as_mut() }) else { return std::ptr::null_mut() };
    // SAFETY: as above.
    let outcome = guarded(|| unsafe {
        keys(args.user_arg).put(bytes(args.key, args.key_size), bytes(args.value, args.value_size))
    });
    // SAFETY: as above.
    unsafe { answer(args.callback_error, outcome) }
}
