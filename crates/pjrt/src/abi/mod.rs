//! The C interface that plugins of PJRT offer: handles, structs of arguments, numbers, and the table of functions.
//!
//! Facts only, no code: what stands at which place. Whoever calls a plugin and whoever is one are written against this
//! file. It knows the interface up to minor version 117; the layout has only grown at its ends since version 0.30.
//!
//! Every struct of arguments begins with its size. Fields are only ever added behind the last one, so the smaller of
//! two sizes says what both sides know. [`Arguments::EMPTY`] has the size filled in and everything else zero. A `bool`
//! of C is a byte here: nothing vouches for what a plugin writes there.

mod arguments;
mod table;
#[cfg(test)]
mod tests;

pub use arguments::*;
pub use table::*;

use std::ffi::{c_char, c_int, c_void};

/// The interface that this file describes. Another major number is another layout.
pub const MAJOR: c_int = 0;
pub const MINOR: c_int = 117;
/// Before this one, fields stood elsewhere.
pub const OLDEST: c_int = 30;

/// What a plugin's library exports: `const PJRT_Api *GetPjrtApi(void)`.
pub const ENTRY: &std::ffi::CStr = c"GetPjrtApi";
pub type Entry = unsafe extern "C" fn() -> *const Api;

/// What a field is before anybody wrote it.
pub trait Field {
    const NONE: Self;
}

macro_rules! zero {
    ($($ty:ty)*) => {$(
        impl Field for $ty {
            const NONE: Self = 0 as $ty;
        }
    )*};
}

zero!(u8 i32 i64 u32 usize);

impl<T> Field for *const T {
    const NONE: Self = std::ptr::null();
}

impl<T> Field for *mut T {
    const NONE: Self = std::ptr::null_mut();
}

impl<T> Field for Option<T> {
    const NONE: Self = None;
}

/// A struct that begins with its size and a chain of extensions.
pub trait Arguments: Sized {
    /// As C counts it: up to the end of the last field, without what fills the struct up.
    const SIZE: usize;
    const EMPTY: Self;
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}

handles! {
    Error
    /// Something that will have happened.
    Event
    Client
    Device
    /// A space of memory.
    Memory
    DeviceDescription
    TopologyDescription
    /// A compiled program.
    Executable
    /// A compiled program on the devices of a client.
    LoadedExecutable
    Buffer
    ExecuteContext
    /// Owners of bytes that a plugin lends.
    SerializedExecutable
    SerializedTopology
    /// Arguments that nobody here has a use for.
    Unbound
}

/// A link in a chain of extensions.
#[repr(C)]
pub struct Extension {
    pub struct_size: usize,
    pub kind: u32,
    pub next: *mut Extension,
}

/// `PJRT_Error_Code`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    pub const OK: Self = Self(0);
    pub const CANCELLED: Self = Self(1);
    pub const UNKNOWN: Self = Self(2);
    pub const INVALID_ARGUMENT: Self = Self(3);
    pub const DEADLINE_EXCEEDED: Self = Self(4);
    pub const NOT_FOUND: Self = Self(5);
    pub const ALREADY_EXISTS: Self = Self(6);
    pub const PERMISSION_DENIED: Self = Self(7);
    pub const RESOURCE_EXHAUSTED: Self = Self(8);
    pub const FAILED_PRECONDITION: Self = Self(9);
    pub const ABORTED: Self = Self(10);
    pub const OUT_OF_RANGE: Self = Self(11);
    pub const UNIMPLEMENTED: Self = Self(12);
    pub const INTERNAL: Self = Self(13);
    pub const UNAVAILABLE: Self = Self(14);
    pub const DATA_LOSS: Self = Self(15);
    pub const UNAUTHENTICATED: Self = Self(16);
}

/// `PJRT_NamedValue_Type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct NamedKind(pub u32);

impl NamedKind {
    pub const STRING: Self = Self(0);
    pub const INT64: Self = Self(1);
    pub const INT64_LIST: Self = Self(2);
    pub const FLOAT: Self = Self(3);
    pub const BOOL: Self = Self(4);
}

/// `PJRT_Buffer_Type`: what the elements of an array are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct BufferType(pub u32);

impl BufferType {
    pub const INVALID: Self = Self(0);
    pub const PRED: Self = Self(1);
    pub const S8: Self = Self(2);
    pub const S16: Self = Self(3);
    pub const S32: Self = Self(4);
    pub const S64: Self = Self(5);
    pub const U8: Self = Self(6);
    pub const U16: Self = Self(7);
    pub const U32: Self = Self(8);
    pub const U64: Self = Self(9);
    pub const F16: Self = Self(10);
    pub const F32: Self = Self(11);
    pub const F64: Self = Self(12);
    pub const BF16: Self = Self(13);
    pub const C64: Self = Self(14);
    pub const C128: Self = Self(15);
    pub const F8E5M2: Self = Self(16);
    pub const F8E4M3FN: Self = Self(17);
    pub const F8E4M3B11FNUZ: Self = Self(18);
    pub const F8E5M2FNUZ: Self = Self(19);
    pub const F8E4M3FNUZ: Self = Self(20);
    pub const S4: Self = Self(21);
    pub const U4: Self = Self(22);
    pub const TOKEN: Self = Self(23);
    pub const S2: Self = Self(24);
    pub const U2: Self = Self(25);
    pub const F8E4M3: Self = Self(26);
    pub const F8E3M4: Self = Self(27);
    pub const F8E8M0FNU: Self = Self(28);
    pub const F4E2M1FN: Self = Self(29);
}

/// `PJRT_HostBufferSemantics`: how long the caller leaves its bytes as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct HostSemantics(pub u32);

impl HostSemantics {
    pub const ONLY_DURING_CALL: Self = Self(0);
    pub const UNTIL_TRANSFER_COMPLETES: Self = Self(1);
    pub const ZERO_COPY: Self = Self(2);
    pub const MUTABLE_ZERO_COPY: Self = Self(3);
}

impl Field for ErrorCode {
    const NONE: Self = Self::OK;
}

impl Field for NamedKind {
    const NONE: Self = Self::STRING;
}

impl Field for BufferType {
    const NONE: Self = Self::INVALID;
}

impl Field for HostSemantics {
    const NONE: Self = Self::ONLY_DURING_CALL;
}

/// The value of a [`NamedValue`]; its kind says which.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Named {
    pub string: *const c_char,
    pub int64: i64,
    pub list: *const i64,
    pub float: f32,
    pub flag: u8,
}

impl Field for Named {
    const NONE: Self = Named { int64: 0 };
}

/// `PJRT_Buffer_MemoryLayout_Type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct LayoutKind(pub u32);

impl LayoutKind {
    pub const TILED: Self = Self(0);
    pub const STRIDES: Self = Self(1);
}

impl Field for LayoutKind {
    const NONE: Self = Self::TILED;
}

impl Field for TiledLayout {
    const NONE: Self = Self::EMPTY;
}

/// Give a value back that `PJRT_KeyValueGetCallback` returned.
pub type ValueDeleter = unsafe extern "C" fn(*mut c_char);
/// Make an error that a callback can return: code, message, its size.
pub type CallbackError = unsafe extern "C" fn(ErrorCode, *const c_char, usize) -> *mut Error;
pub type KeyValueGet = unsafe extern "C" fn(*mut KeyValueGetArguments) -> *mut Error;
pub type KeyValueTryGet = unsafe extern "C" fn(*mut KeyValueTryGetArguments) -> *mut Error;
pub type KeyValuePut = unsafe extern "C" fn(*mut KeyValuePutArguments) -> *mut Error;
pub type OnReady = unsafe extern "C" fn(*mut Error, *mut c_void);
