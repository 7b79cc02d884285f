//! Meshes, shardings and their algebra; import and export of foreign forms.
//!
//! Knows nothing of ops or modules. Nothing here is proportional to the number of devices, except an explicit device
//! order, which is stored once per mesh.

#![forbid(unsafe_code)]

pub mod axis;
mod axis_text;
pub mod codes;
mod cursor;
mod digits;
pub mod dim;
pub mod export;
pub mod groups;
pub mod hlo;
pub mod hlo_text;
pub mod import;
pub mod merge;
pub mod mesh;
pub mod placement;
pub mod rebase;
mod reform;
pub mod sdy_text;
pub mod sharding;
#[cfg(test)]
mod testing;
mod verify;

pub use axis::difference;
pub use dim::Dim;
pub use export::export;
pub use groups::{GroupAssignment, ReplicaGroups, groups};
pub use hlo::{HloSharding, HloShardingKind, ShardGroup, Subgroup, TileDevices};
pub use hlo_text::{parse_hlo_sharding, parse_hlo_sharding_prefix};
pub use import::import_all;
pub use merge::{agree, merge, merge_axes};
pub use mesh::{Axis, AxisId, AxisRef, DeviceId, Mesh, MeshId, Meshes};
pub use placement::{index_along, same_placement};
pub use rebase::{common_mesh, common_mesh_of, merge_across, rebase, rebase_axes};
pub use sharding::{DimSharding, Reducer, Sharding};
