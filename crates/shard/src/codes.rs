//! The diagnostic codes of this crate, 0300 to 0349, in one place so that no two ideas share a number.

use meshwright_base::Code;

/// A mesh whose axes cannot be: a name twice, a size below one, too many devices.
pub const MESH_AXES: Code = Code(300);
/// A device order that is not a permutation of the mesh's devices.
pub const MESH_ORDER: Code = Code(301);
/// An axis the mesh does not have.
pub const UNKNOWN_AXIS: Code = Code(302);
/// A piece of an axis that does not divide it, or pieces that do not line up.
pub const SUB_AXIS: Code = Code(303);
/// An axis that is used twice by one sharding.
pub const AXIS_TWICE: Code = Code(304);
/// A sharding for another rank than the value has.
pub const RANK: Code = Code(305);
/// Meshes over the same devices that no common mesh refines.
pub const NO_COMMON_MESH: Code = Code(306);
/// Text of an HLO sharding that cannot be read.
pub const HLO_TEXT: Code = Code(310);
/// An HLO sharding that contradicts itself or the number of devices.
pub const HLO_TILES: Code = Code(311);
/// An HLO sharding that has no meaning for one value.
pub const HLO_IMPORT: Code = Code(312);
/// Text of a Shardy attribute that cannot be read.
pub const SDY_TEXT: Code = Code(320);
/// A mesh name nothing declares.
pub const UNKNOWN_MESH: Code = Code(321);
