//! The diagnostic codes of this crate, 0200 to 0299: one per numbered rule of the [verifier](mod@crate::verify).

use meshwright_base::Code;

/// Rule 1: the entry exists and functions have distinct names.
pub const FUNCTIONS: Code = Code(201);
/// Rule 2: types can be held.
pub const TYPE: Code = Code(202);
/// Rule 3: values are defined where they are used.
pub const DEFINED: Code = Code(203);
/// Rule 4: blocks, instructions and values hang together.
pub const STRUCTURE: Code = Code(204);
/// Rule 5: operands, regions and results fit the op.
pub const OP: Code = Code(205);
/// Rule 6: what a function says of its parameters and results fits them.
pub const SIGNATURE: Code = Code(206);
/// Rule 7: calls reach a function and never come back to where they started.
pub const CALL: Code = Code(207);
/// Rule 8: donated buffers fit their results.
pub const DONATION: Code = Code(208);
/// Rule 9: shardings fit their values and meshes.
pub const SHARDING: Code = Code(209);
/// Rule 10: groups of collectives fit the devices.
pub const GROUPS: Code = Code(210);
/// Rule 11: what is valid of a padded value lies inside it.
pub const VALID: Code = Code(211);
