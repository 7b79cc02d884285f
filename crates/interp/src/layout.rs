//! Where each device's piece of a value lies, as an annotation says it.

use crate::fault::{BAD_DEVICES, Fault};
use crate::lanes::Device;
use crate::view::{View, row_major};
use meshwright_base::Id;
use meshwright_ir::groups::{Places, mesh_of};
use meshwright_ir::op::Numbering;
use meshwright_ir::{Annotation, Module};
use meshwright_shard::{AxisRef, HloShardingKind, Sharding, Subgroup, TileDevices};

/// Tile numbers and tile counts per dim, for every device.
pub(crate) struct TileLayout {
    tiles: Vec<usize>,
    /// Per device: number of its tile along each dim.
    index: Vec<Vec<usize>>,
    /// Per device: its place along the axes that stay manual.
    group: Vec<usize>,
    /// How many devices it is about; every replica has as many.
    devices: usize,
}

impl TileLayout {
    pub fn of(
        annotation: &Annotation,
        rank: usize,
        module: &Module,
        numbering: Numbering,
    ) -> Result<TileLayout, Fault> {
        let devices = numbering.partitions;
        match annotation {
            Annotation::Mesh(sharding) => of_mesh(sharding, module, devices),
            Annotation::Hlo(sharding) => match &sharding.kind {
                HloShardingKind::Tiled { tiles, devices: order, subgroups, last_tile_dim_replicate } => {
                    let extra = subgroups.len().max(usize::from(*last_tile_dim_replicate));
                    of_tiles(tiles, order, subgroups, extra, rank, devices)
                }
                HloShardingKind::Named(named) => of_named(&named.0, &named.1, devices),
                HloShardingKind::Replicated
                | HloShardingKind::Manual
                | HloShardingKind::Unknown
                | HloShardingKind::Unreduced
                | HloShardingKind::Maximal { .. }
                | HloShardingKind::Tuple(_) => Ok(whole(rank, devices)),
            },
        }
    }

    /// Tile numbers of a device and tile counts, for a value of these whole and local dims. Dims that are not cut
    /// here (they are split over axes that are not manual) count as one tile.
    pub fn tile(&self, device: Device, whole: &[i64], local: &[i64]) -> (Vec<usize>, Vec<usize>) {
        let own = self.index.get(device.index() % self.devices);
        let at = |d: usize| {
            if whole.get(d) == local.get(d) {
                (0, 1)
            } else {
                let index = own.and_then(|own| own.get(d)).copied().unwrap_or(0);
                (index, self.tiles.get(d).copied().unwrap_or(1))
            }
        };
        (0..whole.len()).map(at).unzip()
    }

    /// Devices of one group hold pieces of one whole.
    pub fn group(&self, device: Device) -> usize {
        let (replica, device) = (device.index() / self.devices, device.index() % self.devices);
        replica * self.devices + self.group.get(device).copied().unwrap_or(0)
    }
}

fn whole(rank: usize, devices: usize) -> TileLayout {
    let (index, group) = (vec![vec![0; rank]; devices], vec![0; devices]);
    TileLayout { tiles: vec![1; rank], index, group, devices: devices.max(1) }
}

fn of_mesh(sharding: &Sharding, module: &Module, devices: usize) -> Result<TileLayout, Fault> {
    of_named(mesh_of(module, sharding.mesh)?, sharding, devices)
}

fn of_named(mesh: &meshwright_shard::Mesh, sharding: &Sharding, devices: usize) -> Result<TileLayout, Fault> {
    let places = Places::new(mesh, Numbering { replicas: 1, partitions: devices, is_stated: true })?;
    let dims: Vec<&[AxisRef]> = sharding.dims.iter().map(|dim| &dim.axes[..]).collect();
    dims.iter().chain([&&sharding.manual[..]]).try_for_each(|axes| places.check(axes))?;
    let tile = |device: usize| dims.iter().map(|axes| places.along(device, axes)).collect();
    Ok(TileLayout {
        tiles: dims.iter().map(|axes| meshwright_shard::axis::product(axes) as usize).collect(),
        index: (0..devices).map(tile).collect(),
        group: (0..devices).map(|device| places.along(device, &sharding.manual)).collect(),
        devices: devices.max(1),
    })
}

fn of_tiles(
    tiles: &[i64],
    order: &TileDevices,
    subgroups: &[Subgroup],
    extra: usize,
    rank: usize,
    devices: usize,
) -> Result<TileLayout, Fault> {
    let bad = || Fault::new(BAD_DEVICES, format!("a sharding does not number {devices} devices"));
    let sizes: Vec<usize> = tiles.iter().map(|n| usize::try_from(*n).unwrap_or(0)).collect();
    let count = sizes.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
    if count != Some(devices) || sizes.len() != rank + extra {
        return Err(bad());
    }
    let list = device_list(order, devices).ok_or_else(bad)?;
    let strides = row_major(&sizes);
    let coordinate = |tile: usize, d: usize| tile / strides[d].max(1) as usize % sizes[d].max(1);
    let mut layout = whole(rank, devices);
    layout.tiles = sizes[..rank].to_vec();
    for (tile, device) in list.into_iter().enumerate() {
        let (Some(index), Some(group)) = (layout.index.get_mut(device), layout.group.get_mut(device)) else {
            return Err(bad());
        };
        *index = (0..rank).map(|d| coordinate(tile, d)).collect();
        let manual = subgroups.iter().enumerate().filter(|(_, kind)| **kind == Subgroup::Manual);
        *group = manual.fold(0, |n, (i, _)| n * sizes[rank + i] + coordinate(tile, rank + i));
    }
    Ok(layout)
}

/// Device of each tile in row-major order.
fn device_list(order: &TileDevices, devices: usize) -> Option<Vec<usize>> {
    let (reshape, transpose) = match order {
        TileDevices::List(list) => {
            return (list.len() == devices).then(|| list.iter().map(|id| *id as usize).collect());
        }
        TileDevices::Iota { reshape, transpose } => (reshape, transpose),
    };
    let dims: Vec<usize> = reshape.iter().map(|n| usize::try_from(*n).ok()).collect::<Option<_>>()?;
    if dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim)) != Some(devices) {
        return None;
    }
    let own = row_major(&dims);
    let order = if transpose.is_empty() { (0..dims.len()).collect() } else { transpose.clone() };
    let pick = |d: &usize| Some((*dims.get(*d)?, *own.get(*d)?));
    let (dims, strides) = order.iter().map(pick).collect::<Option<(Vec<_>, Vec<_>)>>()?;
    let view = View { dims, strides, offset: 0 };
    view.check(devices).ok()?;
    let mut list = Vec::with_capacity(devices);
    view.each(|device| list.push(device));
    Some(list)
}
