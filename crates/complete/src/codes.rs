//! The diagnostic codes of this crate, 0400 to 0449, in one place so that no two ideas share a number.

use meshwright_base::Code;

/// Shardings for one number of devices in a module for another.
pub const DEVICES: Code = Code(400);
/// A sharding over a mesh the module does not have.
pub const NO_MESH: Code = Code(401);
/// A parameter or result that is asked for does not exist.
pub const NOT_THERE: Code = Code(402);
/// Members of a sharding group that cannot be split alike.
pub const GROUP: Code = Code(403);
/// Two annotations of values that are one (a loop's carry, members of a group).
pub const TWO_ANNOTATIONS: Code = Code(404);
/// An annotation inside a manual region, or of its result, that contradicts the region.
pub const MANUAL: Code = Code(405);
/// A donated buffer for a result that is split otherwise.
pub const DONATION: Code = Code(406);
/// Two annotations pull different ways.
pub const CONFLICT: Code = Code(410);
/// An effect asked for on one device happens on all.
pub const EVERYWHERE: Code = Code(411);
/// Which of several annotations an axis follows was decided by what the programs cost.
pub const BY_COST: Code = Code(412);
/// An annotation takes an axis that another dim of the same value would get, and is open for.
pub const OWN_WAY: Code = Code(413);
