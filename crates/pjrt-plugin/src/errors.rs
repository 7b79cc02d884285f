//! Errors that a caller holds: their code and text, and their end.

use crate::border::Serve;
use crate::fault::Fault;
use crate::handles::{find, release};
use meshwright_pjrt::abi;

/// `PJRT_Error_Destroy`, which returns nothing.
///
/// # Safety
/// `args` is null or alive.
pub unsafe extern "C" fn destroy(args: *mut abi::ErrorDestroy) {
    // SAFETY: as the caller promises.
    let error = unsafe { args.as_ref() }.map(|args| args.error).filter(|error| !error.is_null());
    if let Some(error) = error {
        let _ = release(error, "error");
    }
}

/// `PJRT_Error_Message`, which returns nothing. The text lives as long as the error.
///
/// # Safety
/// `args` is null or alive.
pub unsafe extern "C" fn message(args: *mut abi::ErrorMessage) {
    // SAFETY: as the caller promises.
    let Some(args) = (unsafe { args.as_mut() }) else { return };
    let found = find(args.error, "error");
    let text = found.as_ref().map_or("no live error", |fault| fault.message.as_str());
    (args.message, args.message_size) = (text.as_ptr().cast(), text.len());
}

impl Serve for abi::ErrorGetCode {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.code = find(self.error, "error")?.code;
        Ok(())
    }
}

/// `PJRT_Error_ForEachPayload`: an error has a code and a text here, and nothing more. Callers ask of every error.
///
/// # Safety
/// None is asked for: the arguments are not looked at.
pub unsafe extern "C" fn for_each_payload(_: *mut abi::Unbound) -> *mut abi::Error {
    std::ptr::null_mut()
}
