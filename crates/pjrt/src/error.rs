//! What can be wrong with a plugin or with what it is asked, in the plugin's own words where it has some.

use crate::abi::{self, ErrorCode};
use std::fmt;

/// An error, and the plugin that it is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PluginError {
    /// Where the plugin lies.
    pub plugin: String,
    pub trouble: Trouble,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The library cannot be loaded: what the system says.
    Unloaded(String),
    /// It is a library, but no plugin: why.
    Foreign(String),
    /// It speaks another interface than ours.
    Version { major: i32, minor: i32 },
    /// It is of a version that does not have a function yet.
    Lacks { function: &'static str, major: i32, minor: i32 },
    /// It is newer than what is known here, and wants more of a function's arguments than there is: what it says.
    Wants { function: &'static str, major: i32, minor: i32, message: String },
    /// A call came back with an error.
    Refused { function: &'static str, code: ErrorCode, message: String },
    /// Somebody asked to stop while it was waited for.
    Interrupted,
    /// Another process of the job is lost: what is known of it.
    Lost(String),
    /// A call came back with what cannot be.
    Answer { function: &'static str, what: &'static str },
}

impl PluginError {
    /// Whether a call came back with this code.
    pub fn has_code(&self, wanted: ErrorCode) -> bool {
        matches!(&self.trouble, Trouble::Refused { code, .. } if *code == wanted)
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = &self.plugin;
        match &self.trouble {
            Trouble::Unloaded(why) => write!(f, "`{plugin}` cannot be loaded: {why}"),
            Trouble::Foreign(why) => write!(f, "`{plugin}` is no plugin of PJRT: {why}"),
            Trouble::Version { major, minor } => {
                let (known, oldest, newest) = (abi::MAJOR, abi::OLDEST, abi::MINOR);
                write!(
                    f,
                    "`{plugin}` speaks version {major}.{minor} of PJRT; {known}.{oldest} to {known}.{newest} are known here"
                )
            }
            Trouble::Lacks { function, major, minor } => {
                write!(f, "`{plugin}`, of PJRT {major}.{minor}, does not have `{function}`")
            }
            Trouble::Wants { function, major, minor, message } => {
                write!(f, "`{function}` of `{plugin}`, of PJRT {major}.{minor}, says: {message}")
            }
            Trouble::Refused { function, code, message } => {
                write!(f, "`{function}` of `{plugin}` says {}: {message}", code.name())
            }
            Trouble::Interrupted => write!(f, "interrupted while `{plugin}` was at work"),
            Trouble::Lost(why) => write!(f, "{why}, while `{plugin}` was at work for all"),
            Trouble::Answer { function, what } => {
                write!(f, "`{function}` of `{plugin}` answers {what}")
            }
        }
    }
}

impl std::error::Error for PluginError {}

impl ErrorCode {
    /// As the interface calls it.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 17] = [
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        ];
        NAMES.get(self.0 as usize).copied().unwrap_or("a code of its own")
    }
}
