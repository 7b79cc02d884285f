//! HLO shardings as their text says them: data, not yet tied to a mesh.
//!
//! Reading and printing is in [`crate::hlo_text`], the way to and from [`crate::Sharding`] in [`mod@crate::import`] and
//! [`mod@crate::export`].

use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;

/// A tile assignment: which device holds which tile.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TileDevices {
    /// `<=[4,2]T(1,0)`: iota over the product, reshaped, transposed, flattened.
    Iota { reshape: Vec<i64>, transpose: Vec<usize> },
    /// `0,2,1,3`: device of each tile in row-major order of the tile dims.
    List(Vec<u32>),
}

/// Type of a trailing tile dim that splits no dim of the tensor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subgroup {
    Replicated,
    Manual,
    Unreduced,
}

/// `shard_as N` / `shard_like N`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShardGroup {
    As(i64),
    Like(i64),
}

/// What an HLO sharding is, but for its group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HloShardingKind {
    Replicated,
    Manual,
    Unknown,
    Unreduced,
    Maximal {
        device: i64,
    },
    Tiled {
        /// Tile counts: one per dim, then one per subgroup.
        tiles: Vec<i64>,
        devices: TileDevices,
        /// Types of the trailing tile dims.
        subgroups: Vec<Subgroup>,
        /// Whether the text said `last_tile_dim_replicate` instead of `last_tile_dims={..}`.
        last_tile_dim_replicate: bool,
    },
    Tuple(Vec<HloSharding>),
    /// The 2026 named form: `{mesh['a'=8,'b'=8], [{'a'}, {?}]}`, kept as a mesh and a sharding over it.
    Named(Box<(crate::mesh::Mesh, crate::sharding::Sharding)>),
}

/// One HLO sharding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HloSharding {
    pub kind: HloShardingKind,
    pub group: Option<ShardGroup>,
    /// `metadata={..}` entries, verbatim.
    pub metadata: Vec<String>,
}

impl HloSharding {
    /// Of this kind, in no group and without metadata.
    pub fn new(kind: HloShardingKind) -> HloSharding {
        HloSharding { kind, group: None, metadata: Vec::new() }
    }

    /// The number of devices this sharding speaks of, where it says so. Replicated, manual and the like do not.
    pub fn device_count(&self) -> Option<i64> {
        match &self.kind {
            HloShardingKind::Tiled { tiles, .. } => product(tiles),
            HloShardingKind::Tuple(leaves) => leaves.iter().filter_map(HloSharding::device_count).max(),
            HloShardingKind::Named(named) if !named.0.axes.is_empty() => Some(named.0.device_count()),
            HloShardingKind::Replicated
            | HloShardingKind::Manual
            | HloShardingKind::Unknown
            | HloShardingKind::Unreduced
            | HloShardingKind::Maximal { .. }
            | HloShardingKind::Named(_) => None,
        }
    }

    /// Whether tile counts, subgroups and devices agree with each other.
    pub fn verify(&self) -> Result<(), Diagnostic> {
        match &self.kind {
            HloShardingKind::Tiled { tiles, devices, subgroups, .. } => {
                verify_tiles(tiles, devices, subgroups)
            }
            HloShardingKind::Tuple(leaves) => leaves.iter().try_for_each(HloSharding::verify),
            HloShardingKind::Replicated
            | HloShardingKind::Manual
            | HloShardingKind::Unknown
            | HloShardingKind::Unreduced
            | HloShardingKind::Maximal { .. }
            | HloShardingKind::Named(_) => Ok(()),
        }
    }
}

fn verify_tiles(tiles: &[i64], devices: &TileDevices, subgroups: &[Subgroup]) -> Result<(), Diagnostic> {
    let wrong = |message: String, help: &str| Err(Diagnostic::error(codes::HLO_TILES, message).help(help));
    let Some(count) = product(tiles) else {
        return wrong(
            format!("tile counts {tiles:?} make no number of devices"),
            "use tile counts of 1 or more",
        );
    };
    if subgroups.len() > tiles.len() {
        let message = format!("{} types for the last of {} tile dims", subgroups.len(), tiles.len());
        return wrong(message, "give every type in `last_tile_dims` its own tile count");
    }
    let listed = match devices {
        TileDevices::List(list) => list.len() as i64,
        TileDevices::Iota { reshape, transpose } => check_iota(reshape, transpose)?,
    };
    if listed == count {
        return Ok(());
    }
    let message = format!("tile counts {tiles:?} need {count} devices, {listed} are given");
    wrong(message, "make the product of the tile counts the number of devices")
}

/// The number of devices of `[reshape]T(transpose)`.
pub(crate) fn check_iota(reshape: &[i64], transpose: &[usize]) -> Result<i64, Diagnostic> {
    let mut dims = transpose.to_vec();
    dims.arrange();
    if !dims.into_iter().eq(0..reshape.len()) {
        let message = format!("T{transpose:?} is no permutation of {} dims", reshape.len());
        return Err(
            Diagnostic::error(codes::HLO_TILES, message).help("name every dim from 0 on exactly once")
        );
    }
    product(reshape).ok_or_else(|| {
        Diagnostic::error(codes::HLO_TILES, format!("iota dims {reshape:?} make no number of devices"))
            .help("use sizes of 1 or more")
    })
}

/// Product of sizes that are all at least 1 and together number devices.
fn product(sizes: &[i64]) -> Option<i64> {
    sizes.iter().try_fold(1_i64, |product, size| {
        let product = product.checked_mul(*size).filter(|_| *size >= 1)?;
        u32::try_from(product).ok().map(i64::from)
    })
}
