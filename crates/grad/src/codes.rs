//! The diagnostic codes of this crate, 0900 to 0919.

use meshwright_base::Code;

/// The loss is not a scalar float.
pub const LOSS: Code = Code(900);
/// A parameter to differentiate by does not exist or has no gradient.
pub const PARAMETER: Code = Code(901);
/// An op between a parameter and the loss has no derivative.
pub const NOT_DIFFERENTIABLE: Code = Code(902);
/// Regions or calls nest too deeply.
pub const TOO_DEEP: Code = Code(903);
/// A custom rule does not fit the call it is written on.
pub const CUSTOM_RULE: Code = Code(904);
/// The transform made an instruction that does not fit its operands: a bug of ours.
pub const INTERNAL: Code = Code(905);
/// An op has no batched form.
pub const NOT_BATCHABLE: Code = Code(906);
