//! Axes and shardings as the tests of several files write them.

use crate::mesh::AxisRef;
use crate::mesh::{AxisId, MeshId};
use crate::sharding::Sharding;
use meshwright_base::Id;

pub fn piece(axis: usize, pre: i64, size: i64) -> AxisRef {
    AxisRef { axis: AxisId::from_index(axis), pre, size }
}

/// On the first mesh, by dim.
pub fn tiled(dims: &[&[AxisRef]]) -> Sharding {
    Sharding::tiled(MeshId::from_index(0), dims.iter().map(|axes| axes.to_vec()))
}
