//! Meshes for tilings to live on, as few as hold them all.

use super::add;
use super::tiling::Tiling;
use crate::codes;
use crate::digits::{self, Digit, Relation};
use crate::hlo::{HloShardingKind, Subgroup};
use crate::mesh::{AxisRef, MAX_LISTED_DEVICES, Mesh, MeshId, Meshes};
use crate::sharding::Sharding;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use std::sync::Arc;

/// A mesh that tilings live on: one that was there, or one that grows an axis wherever a tiling cuts it.
pub(super) struct Home {
    order: Option<Arc<[u32]>>,
    mesh: Option<MeshId>,
    /// Where a new mesh is cut, ascending, each dividing the next.
    cuts: Vec<i64>,
}

/// Where a tiling lives, and the digits it reads there.
pub(super) struct Placed {
    home: usize,
    digits: Vec<Vec<Digit>>,
}

pub(super) struct Homes {
    devices: i64,
    homes: Vec<Home>,
    known: Vec<Mesh>,
}

impl Homes {
    /// The meshes that are there, as far as they have all the devices.
    pub fn of(meshes: &Meshes, devices: i64) -> Homes {
        let fits = |mesh: &Mesh| !mesh.axes.is_empty() && mesh.device_count() == devices;
        let (mut homes, mut known) = (Vec::new(), Vec::new());
        for (id, mesh) in meshes.iter().filter(|(_, mesh)| fits(mesh)) {
            homes.push(Home { order: mesh.order.clone(), mesh: Some(id), cuts: Vec::new() });
            known.push(mesh.clone());
        }
        Homes { devices, homes, known }
    }

    /// Find a tiling the first home it fits, or make it one.
    pub fn place(&mut self, tiling: &Tiling) -> Result<Placed, Diagnostic> {
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
        if self.fit(home, &digits) { Ok(Placed { home, digits }) } else { Err(fits_no_mesh(tiling.tiles)) }
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
    pub fn build(&mut self, meshes: &mut Meshes) -> Result<MeshId, Diagnostic> {
        if self.homes.is_empty() {
            self.homes.push(Home { order: None, mesh: None, cuts: vec![1, self.devices] });
        }
        for home in self.homes.iter_mut().filter(|home| home.mesh.is_none()) {
            let order = home.order.as_ref().map(|order| order.to_vec());
            let mesh = Mesh::new("mesh", axes_between(&home.cuts), order)?;
            home.mesh = Some(add(meshes, mesh));
        }
        let first = self.homes.iter().find_map(|home| home.mesh);
        first.ok_or_else(|| fits_no_mesh(&[self.devices]))
    }

    pub fn sharding(
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
            return Err(fits_no_mesh(tiles));
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
        sharding.manual.arrange();
        sharding.partial.arrange();
        Ok(sharding)
    }
}

fn fits_no_mesh(tiles: &[i64]) -> Diagnostic {
    Diagnostic::error(codes::HLO_IMPORT, format!("tile counts {tiles:?} fit no mesh"))
        .help("write the device order as an iota whose dims the tile counts divide")
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
