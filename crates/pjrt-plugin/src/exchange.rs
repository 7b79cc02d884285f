//! Several processes: each says what it has under a key, and looks at the keys of the others, by callbacks that whoever
//! opened the client gave.

use crate::border::list;
use crate::fault::Fault;
use crate::handles::{issue, release};
use meshwright_pjrt::abi::{
    self, Arguments, CallbackError, ErrorCode, KeyValueGet, KeyValueGetArguments, KeyValuePut,
    KeyValuePutArguments,
};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

/// The caller's functions.
pub struct Exchange {
    get: KeyValueGet,
    get_arg: *mut c_void,
    put: KeyValuePut,
    put_arg: *mut c_void,
}

// SAFETY: the caller's arguments go back to the caller's functions, which may be called from all threads.
unsafe impl Send for Exchange {}
// SAFETY: as above.
unsafe impl Sync for Exchange {}

/// How long another process is waited for.
const PATIENCE_MS: c_int = 120_000;

impl Exchange {
    pub fn of(args: &abi::ClientCreate) -> Result<Exchange, Fault> {
        let none = |what: &str| Fault::bad(format!("`{what}` is null, and there are several processes"));
        Ok(Exchange {
            get: args.kv_get_callback.ok_or_else(|| none("kv_get_callback"))?,
            get_arg: args.kv_get_user_arg,
            put: args.kv_put_callback.ok_or_else(|| none("kv_put_callback"))?,
            put_arg: args.kv_put_user_arg,
        })
    }

    pub fn put(&self, key: &str, value: &[u8]) -> Result<(), Fault> {
        let make: CallbackError = error;
        let mut args = KeyValuePutArguments {
            key: key.as_ptr().cast(),
            key_size: key.len(),
            value: value.as_ptr().cast(),
            value_size: value.len(),
            callback_error: &raw const make,
            user_arg: self.put_arg,
            ..KeyValuePutArguments::EMPTY
        };
        // SAFETY: the caller's function; what the arguments point at outlives the call.
        taken(unsafe { (self.put)(&raw mut args) })
    }

    pub fn get(&self, key: &str) -> Result<Vec<u8>, Fault> {
        let make: CallbackError = error;
        let mut args = KeyValueGetArguments {
            key: key.as_ptr().cast(),
            key_size: key.len(),
            timeout_in_ms: PATIENCE_MS,
            callback_error: &raw const make,
            user_arg: self.get_arg,
            ..KeyValueGetArguments::EMPTY
        };
        // SAFETY: as above.
        taken(unsafe { (self.get)(&raw mut args) })?;
        // SAFETY: the value is alive until it is given back, once.
        unsafe {
            let value = list(args.value.cast::<u8>(), args.value_size, "value")?.to_vec();
            if let Some(give_back) = args.value_deleter {
                give_back(args.value);
            }
            Ok(value)
        }
    }
}

/// An error for a callback to answer.
///
/// # Safety
/// `message` is null or the first of `size` bytes that are alive.
unsafe extern "C" fn error(code: ErrorCode, message: *const c_char, size: usize) -> *mut abi::Error {
    // SAFETY: as the caller promises.
    let bytes = unsafe { list(message.cast::<u8>(), size, "message") }.unwrap_or_default();
    issue(Arc::new(Fault::new(code, String::from_utf8_lossy(bytes))))
}

/// What a callback answered.
fn taken(answer: *mut abi::Error) -> Result<(), Fault> {
    if answer.is_null() {
        return Ok(());
    }
    Err(release(answer, "a callback's error").map_or_else(|unknown| unknown, |fault| (*fault).clone()))
}
