//! What went wrong: a code and a message.

use meshwright_pjrt::abi::ErrorCode;

#[derive(Clone, Debug)]
pub struct Fault {
    pub code: ErrorCode,
    pub message: String,
}

impl Fault {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into() }
    }

    /// An argument that cannot be.
    pub fn bad(message: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::INVALID_ARGUMENT, message)
    }

    /// What the interface has, and this plugin has not.
    pub fn lacking(message: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::UNIMPLEMENTED, message)
    }
}
