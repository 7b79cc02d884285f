//! Meshes, shardings and their algebra; import and export of foreign forms.
//!
//! Knows nothing of ops or modules. Nothing here is proportional to the number of devices, except an explicit device
//! order, which is stored once per mesh.

pub mod axis;
pub mod codes;
mod digits;
pub mod hlo;
pub mod merge;
pub mod mesh;
pub mod placement;
mod reform;
pub mod sharding;
mod verify;

pub use hlo::{HloSharding, HloShardingKind, ShardGroup, Subgroup, TileDevices};
pub use merge::{merge, merge_axes};
pub use mesh::{Axis, AxisId, AxisRef, Mesh, MeshId, Meshes};
pub use placement::same_placement;
pub use sharding::{DimSharding, Reducer, Sharding};
