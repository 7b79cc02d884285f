//! A plugin of another time, for callers that must notice.
//!
//! `MESHWRIGHT_PLUGIN_API=MAJOR.MINOR` is the version that the table says it has, `MESHWRIGHT_PLUGIN_FUNCTIONS=N` has
//! it end behind its first N functions, and `MESHWRIGHT_PLUGIN_STRICT=1` has it want a field more of each struct of
//! arguments that opens a client. All are read once, when the table is first asked for.

use crate::fault::Fault;
use crate::handles::issue;
use meshwright_pjrt::abi::{self, Api, ApiVersion, Arguments, MAJOR};
use std::ffi::c_int;
use std::mem::offset_of;
use std::sync::Arc;

/// From the next version on, callers look into the device that a handle is the address of. Handles are numbers here.
const MINOR: c_int = 104;

/// The table as the environment wants it. What does not read there changes nothing.
pub fn dressed(mut table: Api) -> Api {
    table.version = ApiVersion { major_version: MAJOR, minor_version: MINOR, ..ApiVersion::EMPTY };
    if let Some((major, minor)) = asked("MESHWRIGHT_PLUGIN_API").as_deref().and_then(version) {
        (table.version.major_version, table.version.minor_version) = (major, minor);
    }
    if asked("MESHWRIGHT_PLUGIN_STRICT").is_some() {
        table.client_create = Some(strict);
    }
    let functions = asked("MESHWRIGHT_PLUGIN_FUNCTIONS").and_then(|text| text.parse::<usize>().ok());
    if let Some(functions) = functions {
        let end = offset_of!(Api, error_destroy).saturating_add(functions.saturating_mul(size_of::<usize>()));
        table.struct_size = end.min(table.struct_size);
    }
    table
}

/// `PJRT_Client_Create` of a time when its struct had grown.
///
/// # Safety
/// `args` is null or begins with its size.
unsafe extern "C" fn strict(args: *mut abi::ClientCreate) -> *mut abi::Error {
    // SAFETY: as the caller promises.
    let size = unsafe { args.cast::<usize>().as_ref() }.copied().unwrap_or(0);
    let wanted = abi::ClientCreate::SIZE + size_of::<usize>();
    let message = format!("Unexpected PJRT_Client_Create_Args size: expected {wanted}, got {size}.");
    issue(Arc::new(Fault::bad(message)))
}

fn asked(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn version(text: &str) -> Option<(i32, i32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
