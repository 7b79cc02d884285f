//! Annotations of batched values: the same dims, the new leading one unspecified.

use meshwright_ir::Annotation;
use meshwright_shard::{DimSharding, HloSharding, HloShardingKind, Sharding};

pub(crate) fn with_leading_dim(annotation: Annotation) -> Annotation {
    match annotation {
        Annotation::Mesh(sharding) => Annotation::from(lead(Sharding::clone(&sharding))),
        Annotation::Hlo(sharding) => Annotation::from(lead_hlo(*sharding)),
    }
}

/// One more dim in front that completion may split.
pub(crate) fn lead(mut sharding: Sharding) -> Sharding {
    sharding.dims.insert(0, DimSharding { axes: Vec::new(), open: true, priority: None });
    sharding
}

/// One more dim in front, of one tile.
fn lead_hlo(sharding: HloSharding) -> HloSharding {
    let kind = match sharding.kind {
        HloShardingKind::Tiled { mut tiles, devices, subgroups, last_tile_dim_replicate } => {
            tiles.insert(0, 1);
            HloShardingKind::Tiled { tiles, devices, subgroups, last_tile_dim_replicate }
        }
        HloShardingKind::Tuple(leaves) => HloShardingKind::Tuple(leaves.into_iter().map(lead_hlo).collect()),
        HloShardingKind::Named(named) => HloShardingKind::Named(Box::new((named.0, lead(named.1)))),
        other => other,
    };
    HloSharding { kind, ..sharding }
}

/// Unspecified dims of a batched annotation. Over a mesh an open dim says it already.
pub(crate) fn unspecified(dims: &[usize], annotation: Option<&Annotation>) -> Vec<usize> {
    let first = match annotation {
        Some(Annotation::Mesh(_)) => None,
        Some(Annotation::Hlo(_)) | None => Some(0),
    };
    first.into_iter().chain(dims.iter().map(|dim| dim + 1)).collect()
}
