//! Meshes, shardings and their algebra; import and export of foreign forms.
//!
//! Knows nothing of ops or modules. Nothing here is proportional to the number of devices, except an explicit device
//! order, which is stored once per mesh.

pub mod hlo;
pub mod mesh;
pub mod sharding;

pub use hlo::{HloSharding, HloShardingKind, ShardGroup, Subgroup, TileDevices};
pub use mesh::{Axis, AxisId, AxisRef, Mesh, MeshId, Meshes};
pub use sharding::{DimSharding, Reducer, Sharding};
