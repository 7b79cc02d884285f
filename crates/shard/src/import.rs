//! HLO shardings to shardings over meshes.
//!
//! An HLO sharding names no mesh, only numbers. But the tile dims of one sharding read digits of the device number, and
//! where the digits of two shardings cut it at places that divide each other, one mesh has room for both:
//!
//! ```text
//! {devices=[4,1,2]<=[8] last_tile_dim_replicate}   reads digits (2, 4)           cuts at 1, 2, 8
//! {devices=[2,1,1,4]<=[4,2]T(1,0)}                 reads (1, 2), then (2, 4)     cuts at 1, 2, 8
//!   =>   mesh <["axis_0"=4, "axis_1"=2]>,   [{"axis_0"}, {}]   and   [{"axis_1"}, {}, {}, {"axis_0"}]
//! ```
//! Meshes that are already in the table are used where they fit, with pieces of their axes. Otherwise a sharding joins
//! the first new mesh it fits, and starts one where it fits none. A tile list that is no iota becomes the device order
//! of a mesh; other lists are read relative to it, so all shardings over one odd order end up on one mesh.
//!
//! A sharding over some of the devices is one over all of them: what the others hold is a copy, as one program runs on
//! all.
//!
//! ```text
//! {devices=[4]0,1,4,5}  of 8 devices   =>   {devices=[4,2]0,2,1,3,4,6,5,7 last_tile_dim_replicate}
//! ```
//!
//! Costs: per distinct sharding, its tile dims; for lists, and where a mesh has an explicit order, the devices.

mod homes;
mod some;
mod tiling;

use crate::codes;
use crate::hlo::{HloSharding, HloShardingKind, TileDevices};
use crate::mesh::{self, DeviceId, Mesh, MeshId, Meshes};
use crate::sharding::{DimSharding, Sharding};
use crate::verify;
use homes::Homes;
use meshwright_base::Diagnostic;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tiling::Tiling;

/// Shardings of all values of a module, each with the rank of its value, over as few meshes as hold them.
///
/// `devices` is how many the module runs on. Tuples must be taken apart before. New meshes are added to `meshes`.
pub fn import_all(
    shardings: &[(&HloSharding, usize)],
    devices: i64,
    meshes: &mut Meshes,
) -> Result<Vec<Sharding>, Vec<Diagnostic>> {
    if devices < 1 {
        let wrong = Diagnostic::error(codes::HLO_IMPORT, format!("a module for {devices} devices"));
        return Err(vec![wrong.help("say how many devices the module is for, 1 or more")]);
    }
    let wrong: Vec<_> =
        shardings.iter().filter_map(|(sharding, rank)| check(sharding, *rank, devices).err()).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    for (sharding, _) in shardings {
        if let HloShardingKind::Named(named) = &sharding.kind
            && !named.0.axes.is_empty()
        {
            add(meshes, named.0.clone());
        }
    }
    let over_all: Vec<(Cow<'_, HloSharding>, usize)> =
        shardings.iter().map(|(sharding, rank)| (some::over_all(sharding, devices), *rank)).collect();
    let shardings = &over_all[..];
    let tilings = tiling::in_order(shardings.iter().filter_map(|(sharding, _)| Tiling::of(sharding)));
    let mut homes = Homes::of(meshes, devices);
    let mut placed = BTreeMap::new();
    for tiling in tilings {
        let home = homes.place(&tiling).map_err(|wrong| vec![wrong])?;
        placed.insert(tiling, home);
    }
    let everywhere = homes.build(meshes).map_err(|wrong| vec![wrong])?;
    let imported: Result<Vec<_>, _> = shardings
        .iter()
        .map(|(sharding, rank)| match Tiling::of(sharding).and_then(|tiling| placed.get(&tiling)) {
            Some(home) => homes.sharding(home, &sharding.kind, meshes),
            None => Ok(untiled(&sharding.kind, *rank, everywhere, meshes)),
        })
        .collect();
    imported.map_err(|wrong| vec![wrong])
}

/// A sharding that says nothing of tiles, or brings its own mesh.
fn untiled(kind: &HloShardingKind, rank: usize, everywhere: MeshId, meshes: &mut Meshes) -> Sharding {
    match kind {
        HloShardingKind::Unknown => Sharding::open(everywhere, rank),
        HloShardingKind::Manual => {
            let manual = meshes[everywhere].whole_axes();
            Sharding { manual, ..Sharding::replicated(everywhere, rank) }
        }
        HloShardingKind::Unreduced => {
            let partial = meshes[everywhere].whole_axes();
            Sharding { partial, ..Sharding::replicated(everywhere, rank) }
        }
        HloShardingKind::Maximal { device } => {
            Sharding::replicated(maximal(DeviceId::new(*device as u32), meshes), rank)
        }
        HloShardingKind::Named(named) => from_named(&named.0, &named.1, rank, everywhere, meshes),
        HloShardingKind::Replicated | HloShardingKind::Tiled { .. } | HloShardingKind::Tuple(_) => {
            Sharding::replicated(everywhere, rank)
        }
    }
}

fn maximal(device: DeviceId, meshes: &mut Meshes) -> MeshId {
    add(meshes, Mesh::maximal(device))
}

/// The named form without dims speaks of a value of any rank; a mesh without axes of any devices.
fn from_named(
    mesh: &Mesh,
    sharding: &Sharding,
    rank: usize,
    everywhere: MeshId,
    meshes: &mut Meshes,
) -> Sharding {
    let id = match (mesh.axes.is_empty(), mesh.device_at(0)) {
        (true, Some(device)) if mesh.is_maximal() => maximal(device, meshes),
        (true, _) => everywhere,
        (false, _) => add(meshes, mesh.clone()),
    };
    let mut dims = sharding.dims.clone();
    dims.resize(rank, DimSharding::default());
    Sharding { mesh: id, dims, ..sharding.clone() }
}

/// The id of this mesh, or of the known one with the same axes and devices; under a new name if the name is taken.
fn add(meshes: &mut Meshes, mesh: Mesh) -> MeshId {
    if let Some((known, _)) = meshes.iter().find(|(_, known)| known.same_but_name(&mesh)) {
        return known;
    }
    let name = free_name(meshes, &mesh.name);
    meshes.push(Mesh { name, ..mesh })
}

fn free_name(meshes: &Meshes, wanted: &Arc<str>) -> Arc<str> {
    let taken = |name: &str| mesh::find(meshes, name).is_some();
    if !taken(wanted) {
        return wanted.clone();
    }
    let numbered = (1..).map(|number| format!("{wanted}_{number}")).find(|name| !taken(name));
    numbered.map_or(wanted.clone(), Into::into)
}

/// Whether a sharding can be one of a value of this rank on this many devices.
///
/// [`import_all`] checks all of them; this is for a caller who knows where each one stands in a text.
pub fn check(sharding: &HloSharding, rank: usize, devices: i64) -> Result<(), Diagnostic> {
    sharding.verify()?;
    match &sharding.kind {
        HloShardingKind::Tuple(leaves) => {
            let message = format!("a tuple sharding of {} leaves on one value", leaves.len());
            Err(Diagnostic::error(codes::HLO_IMPORT, message)
                .help("give each leaf of the tuple its own sharding"))
        }
        HloShardingKind::Maximal { device } => check_device(*device, devices),
        HloShardingKind::Tiled { tiles, devices: assigned, subgroups, .. } => {
            let dims = tiles.len() - subgroups.len();
            if dims != rank {
                return Err(verify::rank_mismatch(dims, rank));
            }
            some::check_count(tiles.iter().product(), devices)?;
            if let TileDevices::List(list) = assigned { check_list(list, devices) } else { Ok(()) }
        }
        HloShardingKind::Named(named) => check_named(&named.0, &named.1, rank, devices),
        HloShardingKind::Replicated
        | HloShardingKind::Manual
        | HloShardingKind::Unknown
        | HloShardingKind::Unreduced => Ok(()),
    }
}

fn check_named(mesh: &Mesh, sharding: &Sharding, rank: usize, devices: i64) -> Result<(), Diagnostic> {
    if mesh.axes.is_empty() {
        return mesh
            .order
            .iter()
            .flat_map(|order| order.iter())
            .try_for_each(|device| check_device(i64::from(*device), devices));
    }
    if let Some(wrong) = sharding.verify_axes(mesh).into_iter().next() {
        return Err(wrong);
    }
    if !sharding.dims.is_empty() && sharding.rank() != rank {
        return Err(verify::rank_mismatch(sharding.rank(), rank));
    }
    check_count(mesh.device_count(), devices)
}

fn check_device(device: i64, devices: i64) -> Result<(), Diagnostic> {
    if (0..devices).contains(&device) {
        return Ok(());
    }
    let message = format!("device {device} is not among the {devices} devices of the module");
    Err(Diagnostic::error(codes::HLO_IMPORT, message).help(format!("use a device from 0 to {}", devices - 1)))
}

fn check_count(count: i64, devices: i64) -> Result<(), Diagnostic> {
    if count == devices {
        return Ok(());
    }
    let message = format!("a sharding over {count} devices in a module for {devices}");
    Err(Diagnostic::error(codes::HLO_IMPORT, message).help(
        "every sharding must use all devices of the module; add a tile dim that replicates over the others",
    ))
}

fn check_list(list: &[u32], devices: i64) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    for device in list {
        check_device(i64::from(*device), devices)?;
        if !seen.insert(*device) {
            let message = format!("device {device} holds two tiles");
            return Err(Diagnostic::error(codes::HLO_IMPORT, message).help("list every device once"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo_text::parse_hlo_sharding;
    use crate::sdy_text::{print_mesh, print_sharding};

    fn import(
        texts: &[(&str, usize)],
        devices: i64,
        meshes: &mut Meshes,
    ) -> Result<Vec<String>, Vec<String>> {
        let parsed: Vec<_> = texts.iter().map(|(text, _)| parse_hlo_sharding(text, 0).unwrap()).collect();
        let wanted: Vec<_> = parsed.iter().zip(texts).map(|(parsed, (_, rank))| (parsed, *rank)).collect();
        match import_all(&wanted, devices, meshes) {
            Ok(shardings) => Ok(shardings.iter().map(|sharding| print_sharding(sharding, meshes)).collect()),
            Err(wrong) => Err(wrong.into_iter().map(|wrong| wrong.message).collect()),
        }
    }

    #[track_caller]
    fn imports(texts: &[(&str, usize)], devices: i64, wanted_meshes: &[&str], wanted: &[&str]) {
        let mut meshes = Meshes::new();
        assert_eq!(import(texts, devices, &mut meshes).unwrap(), wanted);
        assert_eq!(meshes.values().map(print_mesh).collect::<Vec<_>>(), wanted_meshes);
    }

    #[test]
    fn shardings_that_cut_alike_share_a_mesh() {
        imports(
            &[
                ("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", 2),
                ("{devices=[2,1,1,4]<=[4,2]T(1,0)}", 4),
                ("{replicated}", 1),
                ("{unknown}", 1),
                ("{devices=[8]0,1,2,3,4,5,6,7}", 1),
                ("{devices=[2,1,4]0,2,4,6,1,3,5,7 last_tile_dims={replicated}}", 2),
            ],
            8,
            &["<[\"axis_0\"=4, \"axis_1\"=2]>"],
            &[
                "<@mesh, [{\"axis_0\"}, {}]>",
                "<@mesh, [{\"axis_1\"}, {}, {}, {\"axis_0\"}]>",
                "<@mesh, [{}]>",
                "<@mesh, [{?}]>",
                "<@mesh, [{\"axis_0\", \"axis_1\"}]>",
                "<@mesh, [{\"axis_1\"}, {}]>",
            ],
        );
    }

    #[test]
    fn cuts_that_do_not_divide_each_other_take_two_meshes() {
        imports(
            &[("{devices=[2,3]<=[6]}", 2), ("{devices=[3,2]<=[6]}", 2)],
            6,
            &["<[\"axis_0\"=2, \"axis_1\"=3]>", "<[\"axis_0\"=3, \"axis_1\"=2]>"],
            &["<@mesh, [{\"axis_0\"}, {\"axis_1\"}]>", "<@mesh_1, [{\"axis_0\"}, {\"axis_1\"}]>"],
        );
    }

    #[test]
    fn an_odd_order_is_one_mesh_for_all_shardings_over_it() {
        imports(
            &[
                ("{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", 2),
                ("{devices=[2,2]0,1,3,2}", 2),
                ("{devices=[1,2,2]0,3,1,2 last_tile_dim_replicate}", 2),
            ],
            4,
            &["<[\"axis_0\"=2, \"axis_1\"=2], device_ids=[0, 1, 3, 2]>"],
            &[
                "<@mesh, [{\"axis_0\"}, {}]>",
                "<@mesh, [{\"axis_0\"}, {\"axis_1\"}]>",
                "<@mesh, [{}, {\"axis_1\"}]>",
            ],
        );
    }

    #[test]
    fn tiles_that_cut_an_iota_at_odd_places_bring_their_order() {
        imports(
            &[("{devices=[3,2]<=[3,2]T(1,0)}", 2)],
            6,
            &["<[\"axis_0\"=3, \"axis_1\"=2], device_ids=[0, 2, 4, 1, 3, 5]>"],
            &["<@mesh, [{\"axis_0\"}, {\"axis_1\"}]>"],
        );
    }

    #[test]
    fn subgroups_and_one_device_forms_find_their_fields() {
        let mut meshes = Meshes::new();
        let texts = ["{devices=[2,2,2]<=[8] last_tile_dims={manual, unreduced}}", "{manual}", "{unreduced}"];
        let parsed: Vec<_> = texts.iter().map(|text| parse_hlo_sharding(text, 0).unwrap()).collect();
        let wanted: Vec<_> = parsed.iter().map(|parsed| (parsed, 1)).collect();
        let imported = import_all(&wanted, 8, &mut meshes).unwrap();
        let all = meshes[imported[0].mesh].whole_axes();
        assert_eq!((&imported[0].manual[..], &imported[0].partial[..]), (&all[1..2], &all[2..]));
        assert_eq!((&imported[1].manual, &imported[2].partial), (&all, &all));
        imports(
            &[("{maximal device=3}", 2), ("{maximal_mesh[device_id=3]}", 1), ("{replicated}", 0)],
            8,
            &["<[\"axis_0\"=8]>", "<[], device_ids=[3]>"],
            &["<@maximal_mesh_3, [{}, {}]>", "<@maximal_mesh_3, [{}]>", "<@mesh, []>"],
        );
    }

    #[test]
    fn devices_beside_those_listed_hold_copies() {
        imports(
            &[
                ("{devices=[4]0,1,4,5}", 1),
                ("{devices=[2,2]<=[4]}", 2),
                ("{devices=[1,1]3}", 2),
                ("{devices=[2,2]0,4,1,5 last_tile_dim_replicate}", 1),
            ],
            8,
            &["<[\"axis_0\"=2, \"axis_1\"=2, \"axis_2\"=2]>"],
            &[
                "<@mesh, [{\"axis_0\", \"axis_2\"}]>",
                "<@mesh, [{\"axis_1\"}, {\"axis_2\"}]>",
                "<@mesh, [{}, {}]>",
                "<@mesh, [{\"axis_2\"}]>",
            ],
        );
    }

    #[test]
    fn dims_that_replicate_cut_nothing() {
        imports(
            &[("{devices=[2,2,2]<=[8] last_tile_dims={replicated, replicated}}", 1)],
            8,
            &["<[\"axis_0\"=2, \"axis_1\"=4]>"],
            &["<@mesh, [{\"axis_0\"}]>"],
        );
    }

    #[test]
    fn known_meshes_are_used_with_pieces_of_their_axes() {
        let mut meshes = Meshes::new();
        meshes.push(Mesh::new("user", [("x", 8)], None).unwrap());
        let texts = [("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", 2), ("{replicated}", 0)];
        let imported = import(&texts, 8, &mut meshes).unwrap();
        assert_eq!(imported, ["<@user, [{\"x\":(1)4}, {}]>", "<@user, []>"]);
        assert_eq!(meshes.len(), 1);
    }

    #[test]
    fn named_shardings_bring_their_mesh() {
        imports(
            &[
                ("{mesh['a'=4,'b'=2], [{'b'}, {?}]}", 2),
                ("{mesh['a'=4,'b'=2], replicated}", 1),
                ("{mesh[], replicated}", 1),
            ],
            8,
            &["<[\"a\"=4, \"b\"=2]>"],
            &["<@mesh, [{\"b\"}, {?}]>", "<@mesh, [{}]>", "<@mesh, [{}]>"],
        );
    }

    #[test]
    fn what_has_no_meaning_is_refused_with_numbers() {
        let texts = [
            ("{devices=[3,1]<=[3]}", 2),
            ("{devices=[3,3]<=[9]}", 2),
            ("{devices=[8]<=[8]}", 2),
            ("{maximal device=8}", 0),
            ("{devices=[8]0,1,2,3,4,5,6,6}", 1),
            ("{{replicated}}", 1),
        ];
        let wrong = import(&texts, 8, &mut Meshes::new()).unwrap_err();
        assert_eq!(
            wrong,
            [
                "a sharding over 3 of the 8 devices of the module",
                "a sharding over 9 devices in a module for 8",
                "a sharding of 1 dims on a value of 2 dims",
                "device 8 is not among the 8 devices of the module",
                "device 6 holds two tiles",
                "a tuple sharding of 1 leaves on one value",
            ]
        );
    }
}
