//! Numbers of the diagnostics that readers of text give.

use meshwright_base::Code;

/// Something else stands where the grammar wants a certain thing; also a text that ends too early.
pub const SYNTAX: Code = Code(101);
pub const UNKNOWN_OP: Code = Code(102);
pub const UNKNOWN_ATTRIBUTE: Code = Code(103);
/// An attribute is missing or has a value of the wrong kind.
pub const BAD_ATTRIBUTE: Code = Code(104);
/// A value is used as another type than it has, or a type cannot be what the op makes.
pub const WRONG_TYPE: Code = Code(105);
/// A value, function, mesh or alias is used that nothing above defines.
pub const UNDEFINED: Code = Code(106);
pub const DEFINED_TWICE: Code = Code(107);
/// A literal does not fit its type.
pub const BAD_LITERAL: Code = Code(108);
/// Understood, but outside of what this system handles: dynamic shapes, quantized types, resources.
pub const UNSUPPORTED: Code = Code(109);
/// Nested deeper than the reader goes.
pub const TOO_DEEP: Code = Code(110);
/// A sharding or mesh that does not read.
pub const BAD_SHARDING: Code = Code(111);
/// Computations that only name each other.
pub const NEVER_RUN: Code = Code(113);
/// The text is in no form that is known.
pub const UNKNOWN_FORMAT: Code = Code(112);
