//! The diagnostic codes of this crate, 0800 to 0899.

use meshwright_base::Code;

/// Shapes do not fit.
pub const SHAPE: Code = Code(801);
/// Element types do not fit.
pub const DTYPE: Code = Code(802);
/// A dim that the tensor does not have.
pub const DIM: Code = Code(803);
/// A spec of an einsum that cannot be read or does not fit its operands.
pub const EINSUM: Code = Code(804);
/// An annotation that cannot hold.
pub const ANNOTATION: Code = Code(805);
/// A tensor used where it is not known: another trace, or a region that has ended.
pub const FOREIGN: Code = Code(807);
/// Names of inputs, parameters and results.
pub const NAME: Code = Code(808);
/// Any other refusal of an op.
pub const OP: Code = Code(809);
/// Control flow whose parts do not fit together.
pub const CONTROL: Code = Code(810);
/// Something that cannot be differentiated as asked.
pub const GRADIENT: Code = Code(811);
/// A manual region that does not fit.
pub const MANUAL: Code = Code(812);
/// What a layer finds wrong with what it is given.
pub const LAYER: Code = Code(814);
/// A program that is called with what it does not take.
pub const CALL: Code = Code(813);
