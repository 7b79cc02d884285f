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
//! Costs: per distinct sharding, its tile dims; for lists, and where a mesh has an explicit order, the devices.

use crate::codes;
use crate::digits::{self, Digit, Relation};
use crate::hlo::{HloSharding, HloShardingKind, Subgroup, TileDevices};
use crate::mesh::{self, AxisRef, MAX_LISTED_DEVICES, Mesh, MeshId, Meshes};
use crate::sharding::{DimSharding, Sharding};
use crate::verify;
use meshwright_ground::Diagnostic;
use std::collections::HashMap;
use std::sync::Arc;

/// Shardings of all values of a module, each with the rank of its value, over as few meshes as hold them.
///
/// `devices` is how many the module runs on. Tuples must be taken apart before. New meshes are added to `meshes`.
pub fn import_all(
    shardings: &[(&HloSharding, usize)],
    devices: i64,
    meshes: &mut Meshes,
) -> Result<Vec<Sharding>, Vec<Diagnostic>> {
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
    let tiled = shardings.iter().filter_map(|(sharding, _)| Tiling::of(sharding));
    let mut homes = Homes::of(meshes, devices);
    let mut placed = HashMap::new();
    for tiling in in_order(tiled.collect(), devices) {
        if !placed.contains_key(&tiling) {
            let home = homes.place(&tiling).map_err(|wrong| vec![wrong])?;
            placed.insert(tiling, home);
        }
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
        HloShardingKind::Maximal { device } => Sharding::replicated(maximal(*device as u32, meshes), rank),
        HloShardingKind::Named(named) => from_named(&named.0, &named.1, rank, everywhere, meshes),
        HloShardingKind::Replicated | HloShardingKind::Tiled { .. } | HloShardingKind::Tuple(_) => {
            Sharding::replicated(everywhere, rank)
        }
    }
}

fn maximal(device: u32, meshes: &mut Meshes) -> MeshId {
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
fn check(sharding: &HloSharding, rank: usize, devices: i64) -> Result<(), Diagnostic> {
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
            check_count(tiles.iter().product(), devices)?;
            if let TileDevices::List(list) = assigned { check_list(list) } else { Ok(()) }
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

fn check_list(list: &[u32]) -> Result<(), Diagnostic> {
    let mut seen = vec![false; list.len()];
    for device in list {
        let Some(seen) = seen.get_mut(*device as usize) else {
            return check_device(i64::from(*device), list.len() as i64);
        };
        if std::mem::replace(seen, true) {
            let message = format!("device {device} holds two tiles");
            return Err(Diagnostic::error(codes::HLO_IMPORT, message).help("list every device once"));
        }
    }
    Ok(())
}

/// A tile assignment, by what it means: which device holds which tile.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Tiling<'a> {
    tiles: &'a [i64],
    subgroups: &'a [Subgroup],
    devices: &'a TileDevices,
}

impl<'a> Tiling<'a> {
    fn of(sharding: &'a HloSharding) -> Option<Self> {
        match &sharding.kind {
            HloShardingKind::Tiled { tiles, devices, subgroups, .. } => {
                Some(Tiling { tiles, subgroups, devices })
            }
            HloShardingKind::Replicated
            | HloShardingKind::Manual
            | HloShardingKind::Unknown
            | HloShardingKind::Unreduced
            | HloShardingKind::Maximal { .. }
            | HloShardingKind::Tuple(_)
            | HloShardingKind::Named(_) => None,
        }
    }

    /// Whether a tile dim replicates: which device is where along it says nothing.
    fn replicates(&self, dim: usize) -> bool {
        let dims = self.tiles.len() - self.subgroups.len();
        dim >= dims && self.subgroups[dim - dims] == Subgroup::Replicated
    }

    /// For each tile dim the digits it reads of the position in `order` (of the device number, for none); nothing for
    /// dims that replicate. `None` if it reads no digits.
    fn digits(&self, order: Option<&[u32]>) -> Option<Vec<Vec<Digit>>> {
        match (self.devices, order) {
            (TileDevices::Iota { reshape, transpose }, None) => {
                let (from, to) = digits::iota(reshape, transpose);
                self.digits_by(&digits::row_major(self.tiles), &Relation { from, to })
            }
            (TileDevices::Iota { .. }, Some(order)) => self.digits_in_list(&self.device_list()?, Some(order)),
            (TileDevices::List(list), order) => self.digits_in_list(list, order),
        }
    }

    fn digits_by(&self, dims: &[Digit], relation: &Relation) -> Option<Vec<Vec<Digit>>> {
        let read = |(dim, digit): (usize, &Digit)| match digit.size {
            1 => Some(Vec::new()),
            _ if self.replicates(dim) => Some(Vec::new()),
            _ => relation.map(*digit),
        };
        dims.iter().enumerate().map(read).collect()
    }

    /// Devices that only replicate each other may be listed in any order, so what is looked for are the digits of the
    /// tile number with the replicating dims left out.
    fn digits_in_list(&self, list: &[u32], order: Option<&[u32]>) -> Option<Vec<Vec<Digit>>> {
        let sizes: Vec<i64> =
            (0..self.tiles.len()).map(|dim| if self.replicates(dim) { 1 } else { self.tiles[dim] }).collect();
        let (all, kept) = (digits::row_major(self.tiles), digits::row_major(&sizes));
        let number = |place: i64| -> i64 {
            all.iter()
                .zip(&kept)
                .filter(|(_, kept)| kept.size > 1)
                .map(|(all, kept)| all.of(place) * kept.stride)
                .sum()
        };
        let mut tile_of = vec![0; list.len()];
        for (place, device) in list.iter().enumerate() {
            tile_of[*device as usize] = number(place as i64);
        }
        let device = |position: i64| order.map_or(position, |order| i64::from(order[position as usize]));
        let relation = digits::recognize(list.len() as i64, |position| tile_of[device(position) as usize])?;
        self.digits_by(&kept, &relation)
    }

    /// Device of each tile, if that is not too long a list.
    fn device_list(&self) -> Option<Vec<u32>> {
        match self.devices {
            TileDevices::List(list) => Some(list.clone()),
            TileDevices::Iota { reshape, transpose } => {
                let (_, order) = digits::iota(reshape, transpose);
                let count: i64 = reshape.iter().product();
                let device = |tile: i64| digits::compose(&order, tile) as u32;
                (count <= MAX_LISTED_DEVICES).then(|| (0..count).map(device).collect())
            }
        }
    }
}

/// Those first that need a device order of their own and tell all of it, so that others may find their place in it.
fn in_order(mut tilings: Vec<Tiling>, devices: i64) -> Vec<Tiling> {
    let mut known: HashMap<Tiling, usize> = HashMap::new();
    for tiling in &tilings {
        if !known.contains_key(tiling) {
            let odd = tiling.digits(None).is_none();
            let replicas: i64 = (0..tiling.tiles.len())
                .filter(|dim| tiling.replicates(*dim))
                .map(|dim| tiling.tiles[dim])
                .product();
            let rank = if !odd { 2 } else { usize::from(replicas > 1 && devices > 1) };
            known.insert(tiling.clone(), rank);
        }
    }
    tilings.sort_by_key(|tiling| known.get(tiling).copied().unwrap_or(2));
    tilings
}

/// A mesh that tilings live on: one that was there, or one that grows an axis wherever a tiling cuts it.
struct Home {
    order: Option<Arc<[u32]>>,
    mesh: Option<MeshId>,
    /// Where a new mesh is cut, ascending, each dividing the next.
    cuts: Vec<i64>,
}

/// Where a tiling lives, and the digits it reads there.
struct Placed {
    home: usize,
    digits: Vec<Vec<Digit>>,
}

struct Homes {
    devices: i64,
    homes: Vec<Home>,
    known: Vec<Mesh>,
}

impl Homes {
    /// The meshes that are there, as far as they have all the devices.
    fn of(meshes: &Meshes, devices: i64) -> Homes {
        let fits = |mesh: &Mesh| !mesh.axes.is_empty() && mesh.device_count() == devices;
        let (mut homes, mut known) = (Vec::new(), Vec::new());
        for (id, mesh) in meshes.iter().filter(|(_, mesh)| fits(mesh)) {
            homes.push(Home { order: mesh.order.clone(), mesh: Some(id), cuts: Vec::new() });
            known.push(mesh.clone());
        }
        Homes { devices, homes, known }
    }

    /// Find a tiling the first home it fits, or make it one.
    fn place(&mut self, tiling: &Tiling) -> Result<Placed, Diagnostic> {
        let plain = tiling.digits(None);
        for home in 0..self.homes.len() {
            let digits = match &self.homes[home].order {
                None => plain.clone(),
                Some(order) => tiling.digits(Some(order)),
            };
            if let Some(digits) = digits
                && self.fit(home, &digits)
            {
                return Ok(Placed { home, digits });
            }
        }
        let (order, digits) = match plain {
            Some(digits) => (None, digits),
            None => own_order(tiling)?,
        };
        self.homes.push(Home { order, mesh: None, cuts: vec![1, self.devices] });
        let home = self.homes.len() - 1;
        self.fit(home, &digits);
        Ok(Placed { home, digits })
    }

    /// Whether these digits fit a home; a new mesh is cut where they end.
    fn fit(&mut self, home: usize, digits: &[Vec<Digit>]) -> bool {
        if self.homes[home].mesh.is_some() {
            return digits.iter().all(|digits| digits::to_axes(&self.known[home], digits).is_some());
        }
        let cuts = digits.iter().flatten().flat_map(|digit| [digit.stride, digit.end()]);
        let Some(cuts) = digits::chain(self.homes[home].cuts.iter().copied().chain(cuts)) else {
            return false;
        };
        self.homes[home].cuts = cuts;
        true
    }

    /// Make the new meshes. Returns the one for values that are not tiled.
    fn build(&mut self, meshes: &mut Meshes) -> Result<MeshId, Diagnostic> {
        if self.homes.is_empty() {
            self.homes.push(Home { order: None, mesh: None, cuts: vec![1, self.devices] });
        }
        for home in self.homes.iter_mut().filter(|home| home.mesh.is_none()) {
            let order = home.order.as_ref().map(|order| order.to_vec());
            let mesh = Mesh::new("mesh", axes_between(&home.cuts), order)?;
            home.mesh = Some(add(meshes, mesh));
        }
        let first = self.homes.iter().find_map(|home| home.mesh);
        first.ok_or_else(|| Diagnostic::error(codes::HLO_IMPORT, "the module has no mesh"))
    }

    fn sharding(
        &self,
        placed: &Placed,
        kind: &HloShardingKind,
        meshes: &Meshes,
    ) -> Result<Sharding, Diagnostic> {
        let (Some(id), HloShardingKind::Tiled { tiles, subgroups, .. }) =
            (self.homes[placed.home].mesh, kind)
        else {
            return Err(Diagnostic::error(codes::HLO_IMPORT, "the sharding has no mesh"));
        };
        let lists: Option<Vec<Vec<AxisRef>>> =
            placed.digits.iter().map(|digits| digits::to_axes(&meshes[id], digits)).collect();
        let Some(mut lists) = lists.filter(|lists| lists.len() == tiles.len()) else {
            return Err(Diagnostic::error(codes::HLO_IMPORT, format!("tile counts {tiles:?} fit no mesh")));
        };
        let rest = lists.split_off(tiles.len() - subgroups.len());
        let mut sharding = Sharding::tiled(id, lists);
        for (subgroup, axes) in subgroups.iter().zip(rest) {
            match subgroup {
                Subgroup::Replicated => {}
                Subgroup::Manual => sharding.manual.extend(axes),
                Subgroup::Unreduced => sharding.partial.extend(axes),
            }
        }
        sharding.manual.sort_unstable();
        sharding.partial.sort_unstable();
        Ok(sharding)
    }
}

/// The device order a tiling brings with it, and the digits it reads of the position there: its own tile dims.
type OwnOrder = (Option<Arc<[u32]>>, Vec<Vec<Digit>>);

fn own_order(tiling: &Tiling) -> Result<OwnOrder, Diagnostic> {
    let dims = digits::row_major(tiling.tiles);
    let Some(order) = tiling.device_list() else {
        let message = format!("tile counts {:?} cut the devices at odd places", tiling.tiles);
        return Err(Diagnostic::error(codes::HLO_IMPORT, message).help(format!(
            "use tile counts that divide the dims of the iota, or at most {MAX_LISTED_DEVICES} devices"
        )));
    };
    let digits = tiling.digits_by(&dims, &Relation::identity(order.len() as i64));
    Ok((Some(order.into()), digits.unwrap_or_default()))
}

/// Axes `axis_0`, `axis_1`, .. between cuts of the device number, major first.
fn axes_between(cuts: &[i64]) -> Vec<(String, i64)> {
    let mut sizes: Vec<i64> = cuts.windows(2).map(|pair| pair[1] / pair[0]).rev().collect();
    if sizes.is_empty() {
        sizes.push(1);
    }
    sizes.into_iter().enumerate().map(|(index, size)| (format!("axis_{index}"), size)).collect()
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
            ("{devices=[2,2]<=[4]}", 2),
            ("{devices=[8]<=[8]}", 2),
            ("{maximal device=8}", 0),
            ("{devices=[8]0,1,2,3,4,5,6,6}", 1),
            ("{{replicated}}", 1),
        ];
        let wrong = import(&texts, 8, &mut Meshes::new()).unwrap_err();
        assert_eq!(
            wrong,
            [
                "a sharding over 4 devices in a module for 8",
                "a sharding of 1 dims on a value of 2 dims",
                "device 8 is not among the 8 devices of the module",
                "device 6 holds two tiles",
                "a tuple sharding of 1 leaves on one value",
            ]
        );
    }
}
