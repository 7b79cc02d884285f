//! A plugin of another time, for callers that must notice.
//!
//! `MESHWRIGHT_PLUGIN_API=MAJOR.MINOR` is the version that the table says it has, `MESHWRIGHT_PLUGIN_FUNCTIONS=N` has
//! it end behind its first N functions. Both are read once, when the table is first asked for.

use meshwright_pjrt::abi::{Api, ApiVersion, Arguments, MAJOR};
use std::ffi::c_int;
use std::mem::offset_of;

/// From the next version on, callers look into the device that a handle is the address of. Handles are numbers here.
const MINOR: c_int = 104;

/// The table as the environment wants it. What does not read there changes nothing.
pub fn dressed(mut table: Api) -> Api {
    table.version = ApiVersion { major_version: MAJOR, minor_version: MINOR, ..ApiVersion::EMPTY };
    if let Some((major, minor)) = asked("MESHWRIGHT_PLUGIN_API").as_deref().and_then(version) {
        (table.version.major_version, table.version.minor_version) = (major, minor);
    }
    let functions = asked("MESHWRIGHT_PLUGIN_FUNCTIONS").and_then(|text| text.parse::<usize>().ok());
    if let Some(functions) = functions {
        let end = offset_of!(Api, error_destroy).saturating_add(functions.saturating_mul(size_of::<usize>()));
        table.struct_size = end.min(table.struct_size);
    }
    table
}

fn asked(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn version(text: &str) -> Option<(i32, i32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
