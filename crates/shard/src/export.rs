//! Shardings to HLO shardings, in the shortest form XLA and JAX would print.
//!
//! ```text
//! [{"x"}, {}]  on <["x"=4, "y"=2]>        {devices=[4,1,2]<=[8] last_tile_dim_replicate}
//! [{"y"}, {"x"}]                          {devices=[2,4]<=[4,2]T(1,0)}
//! [{"x"}], manual {"y"}                   {devices=[4,2]<=[8] last_tile_dims={manual}}
//! ```
//! Tile dims come in this order: the value's dims, manual, unreduced, replicated. HLO has no reducer but the sum and no
//! open dims; these are lost. A list of devices is made only for a mesh whose explicit order is no transposition.

use crate::axis;
use crate::digits::{self, Digit};
use crate::hlo::{HloSharding, HloShardingKind, Subgroup, TileDevices};
use crate::mesh::{AxisRef, Mesh};
use crate::sharding::Sharding;

/// The HLO form of a sharding over its mesh.
pub fn export(sharding: &Sharding, mesh: &Mesh) -> HloSharding {
    HloSharding::new(kind(sharding, mesh))
}

fn kind(sharding: &Sharding, mesh: &Mesh) -> HloShardingKind {
    if let (true, Some(device)) = (mesh.is_maximal(), mesh.device_at(0)) {
        return HloShardingKind::Maximal { device: i64::from(device.number()) };
    }
    let Sharding { manual, partial, .. } = sharding.canonical();
    let used = sharding.used_axes();
    let all = |axes: &[AxisRef]| axis::product(axes) == mesh.device_count() && !axes.is_empty();
    if used.is_empty() {
        HloShardingKind::Replicated
    } else if all(&manual) {
        HloShardingKind::Manual
    } else if all(&partial) {
        HloShardingKind::Unreduced
    } else {
        tiled(sharding, mesh, [(Subgroup::Manual, manual), (Subgroup::Unreduced, partial)])
    }
}

fn tiled(sharding: &Sharding, mesh: &Mesh, groups: [(Subgroup, Vec<AxisRef>); 2]) -> HloShardingKind {
    let mut tiles = sharding.tiles();
    let mut order: Vec<AxisRef> = sharding.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect();
    let mut subgroups = Vec::new();
    let replicated = (Subgroup::Replicated, sharding.unused_axes(mesh));
    for (subgroup, axes) in groups.into_iter().chain([replicated]).filter(|(_, axes)| !axes.is_empty()) {
        tiles.push(axis::product(&axes));
        subgroups.push(subgroup);
        order.extend(axes);
    }
    HloShardingKind::Tiled {
        tiles,
        devices: tile_devices(mesh, &order),
        last_tile_dim_replicate: subgroups == [Subgroup::Replicated],
        subgroups,
    }
}

/// The devices in row-major order of these axes, which are all of the mesh.
pub(crate) fn tile_devices(mesh: &Mesh, axes: &[AxisRef]) -> TileDevices {
    let positions = digits::canonical(digits::of_axes(mesh, axes));
    let Some(order) = &mesh.order else { return digits::to_iota(&positions) };
    let device = |position: i64| order.get(position as usize).map_or(0, |device| i64::from(*device));
    let relation = digits::recognize(order.len() as i64, device);
    let devices: Option<Vec<Digit>> = relation.and_then(|relation| relation.inverse().map_all(&positions));
    devices.map_or_else(|| TileDevices::List(listed(order, &positions)), |devices| digits::to_iota(&devices))
}

fn listed(order: &[u32], positions: &[Digit]) -> Vec<u32> {
    let position = |tile: usize| digits::compose(positions, tile as i64) as usize;
    (0..order.len()).map(|tile| order.get(position(tile)).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Meshes;
    use crate::sdy_text::{MeshScope, parse_mesh, parse_sharding};

    #[track_caller]
    fn exports(mesh: &str, sharding: &str, wanted: &str) {
        let mut meshes = Meshes::new();
        let id = meshes.push(parse_mesh(mesh, 0, "m").unwrap());
        let mut scope = MeshScope { meshes: &mut meshes, by_name: &|_| Some(id) };
        let sharding = parse_sharding(&format!("<@m, {sharding}>"), 0, &mut scope).unwrap();
        assert_eq!(export(&sharding, &meshes[id]).to_string(), wanted);
    }

    const MESH: &str = "<[\"x\"=4, \"y\"=2]>";

    #[test]
    fn iota_forms_are_the_shortest() {
        exports(MESH, "[{\"x\"}, {}]", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
        exports(MESH, "[{\"y\"}, {}]", "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
        exports(MESH, "[{\"y\"}, {\"x\"}]", "{devices=[2,4]<=[4,2]T(1,0)}");
        exports(MESH, "[{\"x\"}, {\"y\"}]", "{devices=[4,2]<=[8]}");
        exports(MESH, "[{\"x\", \"y\"}, {?}]", "{devices=[8,1]<=[8]}");
        exports(MESH, "[{\"x\":(2)2}]", "{devices=[2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
        exports("<[\"x\"=1, \"y\"=2]>", "[{\"x\"}, {\"y\"}]", "{devices=[1,2]<=[2]}");
    }

    #[test]
    fn subgroups_follow_the_dims() {
        exports(MESH, "[{\"x\"}], unreduced={\"y\"}", "{devices=[4,2]<=[8] last_tile_dims={unreduced}}");
        exports(
            MESH,
            "[{}], unreduced={\"x\"}",
            "{devices=[1,4,2]<=[8] last_tile_dims={unreduced, replicated}}",
        );
        exports(MESH, "[{}], unreduced={\"x\", \"y\"}", "{unreduced}");
        exports(MESH, "[{}, {?}]", "{replicated}");
    }

    #[test]
    fn an_explicit_order_is_listed_only_if_it_is_no_transposition() {
        let turned = "<[\"y\"=2, \"x\"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>";
        exports(turned, "[{\"y\"}, {\"x\"}]", "{devices=[2,4]<=[4,2]T(1,0)}");
        let odd = "<[\"x\"=2, \"y\"=2], device_ids=[0, 1, 3, 2]>";
        exports(odd, "[{\"y\"}, {\"x\"}]", "{devices=[2,2]0,3,1,2}");
        exports(odd, "[{}]", "{replicated}");
        exports("<[], device_ids=[3]>", "[{}]", "{maximal device=3}");
        exports("<[]>", "[{}]", "{replicated}");
    }
}
